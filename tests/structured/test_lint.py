"""Configurations that lose data: card S-71 and the failure modes it shows."""

from dataclasses import replace

import pytest

from parsers.registry import joined
from parsers.structured.facts import tool_facts
from parsers.structured.lint import CHECKS, Setup, lint
from parsers.structured.reasoning import ReasoningEnded
from parsers.structured.request import Asked, Server, prepare
from tests.structured.builders import chat

HERMES, GLM, PYTHONIC, MISTRAL = map(tool_facts, ("hermes", "glm47", "pythonic", "mistral"))
BOTH = Server(reasoning=True, tool=HERMES)


FOREIGN_TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<call>"],
        "tags": [{"type": "tag", "begin": "<call>{", "content": {"type": "any_text"}, "end": "}</call>"}],
    },
}
OWN_TAG = {
    "type": "structural_tag",
    "format": {"type": "tag", "begin": "<tool_call>", "content": {"type": "any_text"}, "end": "</tool_call>"},
}


def setup(request=None, server=BOTH, **fields):
    asked = request if isinstance(request, Asked) else Asked(request or chat())
    return Setup(asked, server, prepare(asked, server), **fields)


WRONG = {
    "calls unread": (setup(server=Server(reasoning=True)), "F-21", "no tool parser reads calls"),
    "calls written and unread": (
        setup(chat("none"), Server(reasoning=True), calls=True),
        "F-21",
        "The model calls functions, but no tool parser",
    ),
    "thinking unread": (setup(server=Server(tool=HERMES), thinks=True), "F-21", "no reasoning parser reads it"),
    "auto off": (setup(server=replace(BOTH, auto_tools=False)), "F-21", "auto tool choice"),
    "auto off, null choice": (setup(chat(None), replace(BOTH, auto_tools=False)), "F-21", "auto tool choice"),
    "marker missing": (
        setup(config=joined("deepseek_r1", None), vocab={"<think>": 1}),
        "F-21",
        "lacks '</think>'",
    ),
    "other tag": (setup(tag_key="llama"), "F-22", "use 'hermes'"),
    "tag for none": (setup(server=Server(reasoning=True, tool=PYTHONIC), tag_key="llama"), "F-22", "leave it out"),
    "two minds": (setup(api_kwargs={"thinking": True}, engine_kwargs={}), "F-23", "disagree about thinking"),
    "null choice": (setup(chat(None)), "F-40", "tool_choice is null"),
    "cut array": (setup(chat("required"), Server(tool=PYTHONIC)), "F-41", "lost as a whole"),
    "no prompt": (setup(server=Server(tool=HERMES), prompt_known=False), "F-42", "prompt ids"),
    "hidden": (setup(chat("required", include_reasoning=False)), "F-46", "from the first token"),
    "no tools": (setup(chat("none", tools=[])), "F-49", "still takes call markup"),
    "markers vanish": (
        setup(
            server=Server(reasoning=True, reasoning_keeps_special=False),
            request=chat("auto", tools=[]),
            config=joined("deepseek_r1", None),
            special=frozenset({"</think>"}),
        ),
        "S-03",
        "'</think>' is a special token",
    ),
    "nothing forces": (
        setup(chat("required"), Server(reasoning=True, tool=GLM, strict_calling=False)),
        "S-24",
        "switch strict calling on",
    ),
    "nothing ever forces": (setup(chat("required"), Server(tool=tool_facts("gemma4"))), "S-24", "use auto"),
    "only the client's format": (
        setup(Asked(chat("required"), {"type": "json_object"}), Server(tool=tool_facts("gemma4"))),
        "S-24",
        "nothing constrains",
    ),
    "switch off": (setup(chat("required"), replace(BOTH, strict_calling=False)), "S-36", "instead of the model's own"),
    "asked too early": (
        setup(chat("required"), Server(reasoning=True, tool=MISTRAL), ended=ReasoningEnded(False, "S-40", "")),
        "S-41",
        "asked before the request was adjusted",
    ),
    "tag of another format": (
        setup(Asked(chat("none"), FOREIGN_TAG), config=joined("qwen3", "qwen3_xml")),
        "F-22",
        "calls begin with '<call>{'",
    ),
    "nothing hidden": (setup(chat("none", include_reasoning=False), Server()), "P-42", "nothing is hidden"),
    "counts alone": (
        setup(chat(stream_options={"continuous_usage_stats": True})),
        "P-36",
        "does nothing",
    ),
    "no grammar": (
        setup(Asked(chat("none"), {"type": "json_schema", "json_schema": {"schema": {"type": 7}}})),
        "S-54",
        "not a JSON schema",
    ),
    "hook in chat": (setup(tag_hook=True), "S-60", "Responses route only"),
}


@pytest.mark.parametrize(("wrong", "rule", "words"), WRONG.values(), ids=WRONG)
def test_s71_a_configuration_that_loses_data_is_told(wrong, rule, words):
    assert [finding.rule for finding in lint(wrong) if words in finding.sentence] == [rule]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.strip("_"))
def test_s71_every_check_finds_something_and_lets_a_good_setup_pass(check):
    assert any(check(wrong) for wrong, _, _ in WRONG.values())
    assert check(setup()) is None


@pytest.mark.parametrize(
    "fine",
    [
        setup(),
        setup(chat("required")),
        setup(chat("auto", include_reasoning=False)),
        setup(server=BOTH, thinks=True, vocab={}, config=joined("qwen3", "hermes")),
        setup(Asked(chat(), api="responses"), tag_hook=True),
        setup(api_kwargs={"thinking": True}, engine_kwargs={"thinking": True}),
        setup(tag_key="hermes"),
        setup(Asked(chat("none"), OWN_TAG), config=joined("qwen3", "hermes")),
        setup(chat(stream_options={"include_usage": True, "continuous_usage_stats": True})),
        setup(chat("required"), Server(reasoning=True, tool=MISTRAL), ended=ReasoningEnded(True, "S-40", "")),
    ],
    ids=[
        "auto", "required", "hidden but free", "both parsers", "hook", "same arguments", "own tag",
        "own tag of the client", "counts", "asked in time",
    ],
)
def test_s71_nothing_is_said_of_a_configuration_that_works(fine):
    assert lint(fine) == []


def test_s71_every_sentence_names_a_remedy():
    for wrong, _, _ in WRONG.values():
        assert all(finding.sentence.endswith(".") and ("; " in finding.sentence) for finding in lint(wrong))
