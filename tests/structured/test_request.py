"""Adjusting a request: card S-01 … S-04, S-10, S-11, S-26, S-27, S-35, S-36, L-56."""

import copy

import pytest

from parsers.errors import RequestError
from parsers.structured.constraint import Constraint
from parsers.structured.facts import ToolFacts, tool_facts
from parsers.structured.levels import ToolStrictLevel
from parsers.structured.request import Asked, Prepared, Server, prepare, prompt_tools, responses_format, server_of
from parsers.structured.schema import tools_schema
from parsers.structured.tags import TagQuestion, tool_tag
from tests.structured.builders import chat, named, tool

HERMES, PYTHONIC, GLM = tool_facts("hermes"), tool_facts("pythonic"), tool_facts("glm47")
STRICT = tool(strict=True)
JSON_OBJECT = {"type": "json_object"}
USER = Constraint("json_object", True)


def rules(prepared):
    return [step.rule for step in prepared.steps]


def kind(prepared):
    return prepared.constraint.kind if prepared.constraint else None


@pytest.mark.parametrize(
    ("server", "choice", "adjusted"),
    [
        (Server(tool=PYTHONIC), "none", False),
        (Server(tool=PYTHONIC), "auto", True),
        (Server(tool=PYTHONIC), None, True),
        (Server(tool=PYTHONIC, reasoning=True), "none", True),
        (Server(tool=PYTHONIC, always_adjust=True), "none", True),
        (Server(tool=tool_facts("mistral")), "none", True),
    ],
    ids=["none", "auto", "null", "reasoning parser", "flag", "own grammar"],
)
def test_s01_when_a_request_is_adjusted(server, choice, adjusted):
    prepared = prepare(Asked(chat(choice)), server)
    assert prepared.skip_special_tokens is not adjusted
    assert (rules(prepared) == ["S-01"]) is not adjusted


def test_s02_reasoning_first_then_the_tag_then_the_tool_parser():
    prepared = prepare(Asked(chat("required")), Server(reasoning=True, tool=HERMES))
    assert rules(prepared) == ["S-03", "S-22", "S-27", "S-03", "S-10"]


@pytest.mark.parametrize(
    ("server", "choice", "skips"),
    [
        (Server(tool=PYTHONIC), "auto", False),
        (Server(tool=HERMES), "auto", False),
        (Server(tool=HERMES, always_adjust=True), "none", True),
        (Server(reasoning=True, reasoning_keeps_special=False), "auto", True),
        (Server(reasoning=True), "none", False),
    ],
    ids=["engine", "hermes with tools", "hermes without a choice", "classic reasoning alone", "engine reasoning"],
)
def test_s03_who_switches_skip_special_tokens_off(server, choice, skips):
    assert prepare(Asked(chat(choice)), server).skip_special_tokens is skips


@pytest.mark.parametrize(
    ("reasoning", "tool_name", "expected"),
    [
        ("qwen3", "hermes", Server(reasoning=True, tool=HERMES)),
        ("deepseek_r1", None, Server(reasoning=True, reasoning_keeps_special=False)),
        (None, "pythonic", Server(tool=PYTHONIC)),
        (None, None, Server()),
    ],
)
def test_s03_a_servers_facts_come_from_its_parser_names(reasoning, tool_name, expected):
    assert server_of(reasoning, tool_name) == expected


@pytest.mark.parametrize(("choice", "exclude", "shown"), [("none", True, 0), ("none", False, 1), ("auto", True, 1)])
def test_s04_tools_leave_the_prompt_not_the_request(choice, exclude, shown):
    asked = Asked(chat(choice))
    assert len(prompt_tools(asked, Server(exclude_tools=exclude))) == shown
    assert len(asked.tools) == 1


@pytest.mark.parametrize(
    ("asked", "server", "expected"),
    [
        (Asked(chat("required", tools=[])), Server(tool=PYTHONIC), None),
        (Asked(chat("required")), Server(tool=GLM, strict_calling=False), None),
        (Asked(chat("required")), Server(tool=HERMES), "structural_tag"),
        (Asked(chat("required")), Server(tool=PYTHONIC), "json"),
    ],
    ids=["no tools", "reads its own markup", "a tag is set", "schema"],
)
def test_s10_when_the_schema_route_leaves_a_request_alone(asked, server, expected):
    assert kind(prepare(asked, server)) == expected


def test_s10_a_structural_tag_of_the_client_stays():
    tag = {"type": "structural_tag", "format": {"type": "any_text"}}
    prepared = prepare(Asked(chat("required"), structured_outputs={"structural_tag": tag}), Server(tool=PYTHONIC))
    assert prepared.constraint == Constraint("structural_tag", tag)


def test_s11_the_tool_choice_wins_over_the_clients_format():
    prepared = prepare(Asked(chat("required"), JSON_OBJECT), Server(tool=PYTHONIC))
    assert prepared.constraint == Constraint("json", tools_schema([tool()], "required"))
    assert prepared.response_format is None


def test_s11_the_responses_route_carries_the_schema_in_its_text_format():
    prepared = prepare(Asked(chat(named()), api="responses"), Server(tool=PYTHONIC))
    assert prepared.text_format == responses_format(tools_schema([tool()], named()))
    assert (prepared.text_format["type"], prepared.text_format["strict"]) == ("json_schema", True)
    assert prepare(Asked(chat(named())), Server(tool=PYTHONIC)).text_format is None


def test_s15_a_named_tool_that_is_not_offered_is_refused_on_every_route():
    with pytest.raises(RequestError, match="'tides' named in tool_choice"):
        prepare(Asked(chat(named("tides"))), Server(tool=HERMES))


def test_s26_auto_with_a_format_allows_a_call_or_the_format():
    prepared = prepare(Asked(chat("auto", [STRICT]), JSON_OBJECT), Server(tool=HERMES))
    forced = tool_tag(TagQuestion(HERMES, [STRICT], "required")).format
    assert prepared.constraint.value["format"]["type"] == "or"
    assert prepared.constraint.value["format"]["elements"][0] == forced
    assert prepared.constraint.value["format"]["elements"][1]["json_schema"] == {"type": "object"}
    assert prepared.warnings == ()


@pytest.mark.parametrize(
    ("tools", "user", "remedy"),
    [([tool()], {"json_object": True}, "mark a tool strict"), ([STRICT], {"regex": "(?=a)a"}, "change the format")],
    ids=["no tag applies", "the engine refuses the format"],
)
def test_s26_else_the_clients_format_wins_with_a_warning(tools, user, remedy):
    prepared = prepare(Asked(chat("auto", tools), structured_outputs=user), Server(tool=HERMES))
    assert kind(prepared) == next(iter(user))
    assert not any(row.envelope for row in prepared.rows)
    assert "own format wins" in prepared.warnings[0]
    assert remedy in prepared.warnings[0]


@pytest.mark.parametrize("choice", ["required", named()], ids=["required", "named"])
def test_s26_a_forced_choice_wins_over_the_clients_format_with_a_warning(choice):
    prepared = prepare(Asked(chat(choice), JSON_OBJECT), Server(tool=HERMES))
    assert kind(prepared) == "structural_tag"
    assert "forced tool choice wins" in prepared.warnings[0]


def test_s27_the_tag_takes_the_place_of_both_fields():
    prepared = prepare(Asked(chat("required"), JSON_OBJECT), Server(tool=HERMES))
    assert prepared.constraint.value == tool_tag(TagQuestion(HERMES, [tool()], "required")).document
    assert prepared.response_format is None


def test_s25_no_parallel_calls_beside_a_format_raise_nothing():
    asked = Asked(chat("auto", parallel_tool_calls=False), JSON_OBJECT)
    assert prepare(asked, Server(tool=HERMES)).constraint == USER
    alone = Asked(chat("auto", parallel_tool_calls=False))
    assert kind(prepare(alone, Server(tool=HERMES))) == "structural_tag"


@pytest.mark.parametrize(("strict", "expected"), [(True, "structural_tag"), (False, "json")])
@pytest.mark.parametrize("choice", ["required", named()], ids=["required", "named"])
def test_s35_switched_off_there_is_no_tag_and_the_json_route_remains(choice, strict, expected):
    assert kind(prepare(Asked(chat(choice)), Server(tool=HERMES, strict_calling=strict))) == expected


@pytest.mark.parametrize(
    ("facts", "strict", "constraint", "reads_json"),
    [
        (HERMES, True, "structural_tag", False),
        (HERMES, False, "json", True),
        (GLM, True, "structural_tag", False),
        (GLM, False, None, False),
        (PYTHONIC, True, "json", True),
        (PYTHONIC, False, "json", True),
    ],
    ids=["hermes on", "hermes off", "glm on", "glm off", "pythonic on", "pythonic off"],
)
def test_s36_the_switch_changes_what_is_written_and_what_reads_it(facts, strict, constraint, reads_json):
    server = Server(tool=facts, strict_calling=strict)
    assert kind(prepare(Asked(chat("required")), server)) == constraint
    assert server.reads_json is reads_json


def test_s36_a_parser_with_a_grammar_of_its_own_reads_its_own_markup():
    server = Server(tool=tool_facts("cohere_command4"))
    assert prepare(Asked(chat("required")), server).parser_grammar == "after thinking"
    assert not server.reads_json


@pytest.mark.parametrize("choice", ["auto", "required", named()], ids=["auto", "required", "named"])
def test_l56_without_the_auto_switch_there_is_no_tool_parser(choice):
    prepared = prepare(Asked(chat(choice)), Server(tool=HERMES, auto_tools=False))
    assert prepared == Prepared(None, None, True).decided("S-21", "there is no tool parser, so there is no tag")


def test_s40_the_mistral_parser_brings_its_grammar():
    prepared = prepare(Asked(chat("required")), Server(tool=tool_facts("mistral")))
    assert (prepared.parser_grammar, prepared.constraint, prepared.constrained) == ("with thinking", None, True)


def test_s22_the_servers_floor_decides_the_rows():
    server = Server(tool=HERMES, strict_level=ToolStrictLevel.PARAMETER)
    assert [(row.envelope, row.schema) for row in prepare(Asked(chat("auto")), server).rows] == [(True, True)]


def test_a_request_stays_as_it_was():
    asked = Asked(chat("required"), JSON_OBJECT)
    before = copy.deepcopy(asked)
    prepare(asked, Server(reasoning=True, tool=ToolFacts("mimo")))
    assert asked == before
