"""Structural tags: card S-20 … S-31, S-35. What a tag allows must be what the parser with its key reads."""

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from parsers.names import TOOLS
from parsers.registry import build_parser, markers_of, special_of
from parsers.structured.facts import TOOL_FACTS, ToolFacts, tool_facts
from parsers.structured.levels import ToolStrictLevel
from parsers.structured.tags import TagQuestion, shape_of, tool_tag
from parsers.structured.tagschema import tag_fault
from parsers.tokens import bundled
from tests.structured.builders import named, tool
from tests.structured.writer import texts

ARGUMENTS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"enum": ["c", "f"]},
        "where": {"type": "object", "properties": {"lat": {"type": "integer"}}, "required": ["lat"]},
    },
    "required": ["city"],
}
STRICT, LOOSE = tool("weather", ARGUMENTS, True), tool("tides", ARGUMENTS)
TOOLS_ASKED = [STRICT, LOOSE]
KEYED = sorted(name for name, facts in TOOL_FACTS.items() if facts.key is not None and name in TOOLS)
CHOICES = {"auto": "auto", "required": "required", "named": named("weather")}
# What these prompts leave open: a message header, and the response channel.
PROMPTS = {"openai": "<|start|>assistant", "kimi_k3": "<|open|>response<|sep|>"}


def tag_of(name, choice, **fields):
    level = fields.pop("level", ToolStrictLevel.FUNCTION)
    return tool_tag(TagQuestion(tool_facts(name), TOOLS_ASKED, choice, level, **fields))


def read(name, text):
    """Calls and content the parser of a name finds, fed token by token."""
    tokenizer = bundled.load(markers_of(None, name), special_of(None, name))
    parser = build_parser(None, name, tokenizer, tools=TOOLS_ASKED, generation_prompt=PROMPTS.get(name))
    return parser.parse(text, ids=tokenizer.encode(text))


CASES = [
    pytest.param(name, word, parallel, id=f"{name}-{word}-{'one' if parallel is False else 'any'}")
    for name in KEYED
    for word, choice in CHOICES.items()
    for parallel in (None, False)
    if tag_of(name, choice).document is not None
]


FIRST_OF_KEY = {tool_facts(name).key: name for name in reversed(KEYED)}
ONE_A_KEY = [case for case in CASES if case.values[0] in FIRST_OF_KEY.values()]


@cache
def case_tag(name, word, parallel):
    return tag_of(name, CHOICES[word], parallel=parallel)


@cache
def allowed(name, word, parallel):
    return texts(case_tag(name, word, parallel).format)


@pytest.mark.parametrize(("name", "word", "parallel"), CASES)
def test_s20_s28_every_tag_is_in_the_documented_format(name, word, parallel):
    assert tag_fault(case_tag(name, word, parallel).document) == ""


@pytest.mark.parametrize(("name", "word", "parallel"), CASES)
@settings(max_examples=10)
@given(data=st.data())
def test_s20_what_a_tag_allows_is_what_its_parser_reads(name, word, parallel, data):
    message = read(name, data.draw(allowed(name, word, parallel)))
    least, most = (word != "auto"), (1 if parallel is False or word == "named" else 9)
    assert least <= len(message.tool_calls) <= most
    callable_names = {"weather"} if word == "named" else {"weather", "tides"}
    assert {call.function.name for call in message.tool_calls} <= callable_names
    for call in message.tool_calls:
        assert follows_schema(name, call.function)
    assert shape_of(tool_facts(name).key).trigger not in (message.content or "")


def follows_schema(name, function):
    """The arguments are an object, and one of a strict tool as it promises; hy_v4's tag never promises values."""
    arguments = json.loads(function.arguments)
    promised = function.name == STRICT.name and name != "hy_v4"
    return isinstance(arguments, dict) and (not promised or Draft202012Validator(ARGUMENTS).is_valid(arguments))


@pytest.mark.parametrize("name", ["hermes", "llama3_json", "kimi_k2"])
@settings(max_examples=10)
@given(data=st.data())
def test_f22_a_tag_of_another_format_is_not_read(name, data):
    assert read(name, data.draw(allowed("qwen3_coder", "required", None))).tool_calls == []


@pytest.mark.xgrammar
@pytest.mark.parametrize(("name", "word", "parallel"), ONE_A_KEY)
@settings(max_examples=5)
@given(data=st.data())
def test_s26_a_grammar_engine_accepts_every_tag_and_what_is_drawn_from_it(name, word, parallel, data):
    xgrammar = pytest.importorskip("xgrammar")
    from xgrammar.testing import _is_grammar_accept_string as accepts

    grammar = xgrammar.Grammar.from_structural_tag(case_tag(name, word, parallel).document)
    assert accepts(grammar, data.draw(allowed(name, word, parallel)))


def test_s20_a_trigger_allows_only_the_tags_that_begin_with_it():
    assert tag_of("mimo", "auto").format == {
        "type": "triggered_tags",
        "triggers": ["<tool_call>"],
        "tags": [
            {
                "type": "tag",
                "begin": "<tool_call><function=weather>",
                "content": {"type": "json_schema", "json_schema": ARGUMENTS, "style": "qwen_xml"},
                "end": "</function></tool_call>",
            },
            {
                "type": "tag",
                "begin": "<tool_call><function=tides>",
                "content": {
                    "type": "json_schema",
                    "json_schema": {"type": "object", "additionalProperties": True},
                    "style": "qwen_xml",
                },
                "end": "</function></tool_call>",
            },
        ],
        "at_least_one": False,
        "stop_after_first": False,
    }


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        (TagQuestion(None, [LOOSE], "required"), "S-21"),
        (TagQuestion(tool_facts("hermes"), [], "required"), "S-21"),
        (TagQuestion(tool_facts("hermes"), [STRICT], "none"), "S-21"),
        (TagQuestion(tool_facts("hermes"), [STRICT], None), "S-21"),
        (TagQuestion(tool_facts("hermes"), [STRICT], "required", strict_calling=False), "S-35"),
        (TagQuestion(tool_facts("pythonic"), [STRICT], "required"), "S-24"),
        (TagQuestion(tool_facts("hermes"), [LOOSE], "auto"), "S-22"),
        (TagQuestion(tool_facts("hy_v4"), [STRICT], "auto"), "S-22"),
    ],
    ids=["no parser", "no tools", "none", "null", "switched off", "no key", "auto, nothing strict", "forced only"],
)
def test_s21_s24_s35_no_tag(question, rule):
    tag = tool_tag(question)
    assert (tag.document, tag.rule) == (None, rule)
    assert not any(row.envelope or row.schema for row in tag.rows)


def schemas_in(value):
    """Every schema a part of a tag holds."""
    if isinstance(value, list):
        return [found for item in value for found in schemas_in(item)]
    if not isinstance(value, dict):
        return []
    if value.get("type") == "json_schema":
        return [value["json_schema"]]
    return schemas_in(list(value.values()))


@pytest.mark.parametrize(
    ("level", "expected"),
    [(ToolStrictLevel.AUTO, 1), (ToolStrictLevel.FUNCTION, 1), (ToolStrictLevel.PARAMETER, 2)],
    ids=lambda value: getattr(value, "name", None),
)
def test_s22_the_tag_holds_the_schemas_its_rows_promise(level, expected):
    tag = tag_of("qwen3_coder", "required", level=level)
    assert schemas_in(tag.format).count(ARGUMENTS) == sum(row.schema for row in tag.rows) == expected


@pytest.mark.parametrize("name", KEYED)
def test_s25_one_call_stops_every_list(name):
    text = json.dumps(tag_of(name, "required", parallel=False).document)
    assert '"stop_after_first": true' in text
    assert '"stop_after_first": false' not in text


def test_s20_qwens_newlines_around_values_are_markup_to_its_parser():
    text = "<tool_call>\n<function=weather>\n<parameter=city>\nBonn\n</parameter>\n</function>\n</tool_call>"
    assert read("qwen3_coder", text).tool_calls[0].function.arguments == '{"city": "Bonn"}'


def test_s30_only_tools_shown_to_the_model_are_in_the_tag():
    shown = tool_tag(TagQuestion(tool_facts("hermes"), [LOOSE], "required"))
    assert "weather" not in json.dumps(shown.document)


def test_s31_glm_checks_keys_and_basic_types_of_tools_that_are_not_strict():
    loose = tool("tides", {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}})
    part = tool_tag(TagQuestion(tool_facts("glm47"), [loose], "required")).format
    pairs = part["tags"][0]["content"]["elements"][1]["content"]["elements"][0]["elements"]
    assert [(pair["elements"][1]["value"], pair["elements"][4]["content"]["type"]) for pair in pairs] == [
        ("n", "regex"),
        ("s", "any_text"),
    ]


def test_s31_glm_uses_the_full_schema_of_strict_tools():
    part = tool_tag(TagQuestion(tool_facts("glm47"), [STRICT], "required")).format
    assert part["tags"][0]["content"] == {"type": "json_schema", "json_schema": ARGUMENTS, "style": "glm_xml"}


def test_hy_v4_spells_its_tags_with_the_models_suffix():
    tag = tool_tag(TagQuestion(tool_facts("hy_v4"), [LOOSE], "required", suffix=":ab"))
    assert tag.format["begin"] == "<tool_calls:ab>"
    assert tag.format["content"]["tags"][0]["end"] == "</tool_call:ab>"


def test_the_tools_handed_in_are_not_shared_with_the_tag():
    asked = tool("weather", {"type": "object", "properties": {"city": {"type": "string"}}}, True)
    tag = tool_tag(TagQuestion(ToolFacts("mimo"), [asked], "required"))
    tag.format["tags"][0]["content"]["json_schema"]["properties"].clear()
    assert asked.parameters["properties"] == {"city": {"type": "string"}}


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"type": "structural_tag", "format": {"type": "any_text"}}, ""),
        ({"type": "structural_tag"}, "'format' is a required property"),
        ({"type": "structural_tag", "format": {"type": "anytext"}}, "'anytext' is not one of"),
        ({"type": "structural_tag", "format": {"type": "star", "content": {"type": "tag"}}}, "required property"),
        (
            {
                "type": "structural_tag",
                "format": {
                    "type": "triggered_tags",
                    "triggers": ["<a>"],
                    "tags": [{"type": "tag", "begin": "<b>", "content": {"type": "any_text"}, "end": "</b>"}],
                },
            },
            "no trigger begins the tag '<b>'",
        ),
    ],
    ids=["right", "no format", "unknown part", "incomplete part", "tag without trigger"],
)
def test_tag_fault_says_what_is_wrong(document, fault):
    found = tag_fault(document)
    assert fault in found
    assert bool(found) == bool(fault)
