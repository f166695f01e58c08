"""The configuration check from the settings alone: card S-71, P-28, and the failure modes it shows."""

import json
from dataclasses import replace

import pytest

from parsers import registry
from parsers.debug.asked import RequestSettings, forcing
from parsers.debug.exchange import findings_of
from parsers.debug.session import RunSettings, check, prepare, record
from parsers.errors import RequestError
from parsers.tokens import bundled
from tests.debug.runs import JSON, TOOLS, XML


def asking(run, **fields):
    return replace(run, request=RequestSettings(**fields))


FOREIGN_PART = {"type": "tag", "begin": "<call>", "content": {"type": "any_text"}, "end": "."}
FOREIGN = json.dumps({"type": "structural_tag", "format": FOREIGN_PART})
FOUND = {
    "only a reasoning parser": (replace(JSON, tool=None), "F-21"),
    "calls nobody reads": (replace(JSON, tool=None, tools_json=""), "F-21"),
    "only a tool parser": (replace(JSON, reasoning=None), "F-21"),
    "no auto switch": (asking(JSON, auto_tools=False), "F-21"),
    "foreign tag": (asking(JSON, tool_choice="none", response_format=FOREIGN), "F-22"),
    "engine without arguments": (
        asking(replace(JSON, template_kwargs={"enable_thinking": True}), engine_arguments=False),
        "F-23",
    ),
    "null": (asking(JSON, tool_choice="null"), "F-40"),
    "required as an array": (
        asking(RunSettings("[]", None, "pythonic", generation_prompt="x", tools_json=TOOLS), tool_choice="required"),
        "F-41",
    ),
    "no prompt": (RunSettings("[ping()]", None, "pythonic", tools_json=TOOLS), "F-42"),
    "hidden and constrained": (asking(JSON, tool_choice="required", include_reasoning=False), "F-46"),
    "no tools": (replace(JSON, tools_json=""), "F-49"),
    "nothing forces": (
        asking(replace(JSON, tool="gemma4", reasoning="gemma4"), tool_choice="required"),
        "S-24",
    ),
    "strict calling off": (asking(JSON, tool_choice="required", strict_calling=False), "S-36"),
    "no grammar": (
        asking(JSON, tool_choice="none", response_format='{"type": "json_schema"}'),
        "S-54",
    ),
    "nothing hidden": (asking(RunSettings("a"), include_reasoning=False), "P-42"),
    "lone counts": (asking(JSON, continuous_usage=True), "P-36"),
    "refused: no tools": (asking(RunSettings("a", "qwen3", "hermes"), tool_choice="required"), "P-28"),
    "refused: no switch": (asking(JSON, auto_tools=False), "P-28"),
    "refused: alternatives": (asking(JSON, top_logprobs=2), "P-28"),
}


@pytest.mark.parametrize(("run", "rule"), FOUND.values(), ids=FOUND)
def test_s71_what_loses_data_is_found_from_the_settings_alone(run, rule):
    found = check(run)
    assert rule in {finding.rule for finding in found}
    assert all(finding.lost and finding.remedy for finding in found)


@pytest.mark.parametrize(
    "run",
    [JSON, XML, asking(JSON, tool_choice="required"), asking(JSON, include_reasoning=False)],
    ids=["json", "xml", "required", "hidden"],
)
def test_s71_a_configuration_that_works_is_left_alone(run):
    assert check(run) == ()


def test_s71_a_trace_holds_what_the_check_finds():
    run = replace(JSON, tools_json="")
    assert record(run).served.findings == check(run)


def test_s03_markers_that_the_tokenizer_calls_special_vanish():
    exchange = prepare(replace(JSON, skip_special_tokens=True)).exchange
    special = replace(exchange, tokenizer=bundled.load((), ("</think>",)))
    assert ["S-03" in {finding.rule for finding in findings_of(one)} for one in (exchange, special)] == [False, True]


def test_s15_a_function_that_is_not_offered_gets_a_sentence():
    run = asking(JSON, tool_choice=forcing("fly"))
    with pytest.raises(RequestError, match="'fly' named in tool_choice is not in tools; offered: book, ping"):
        check(run)


@pytest.mark.parametrize(
    ("prompt", "written", "thinks"),
    [
        (None, "the answer", False),
        ("<|im_start|>assistant\n<think>\n", "hm", True),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", "the answer", False),
        (None, "<think>hm</think>the answer", True),
        (None, "hm</think>the answer", True),
        (None, "[THINK]hm[/THINK]the answer", True),
        (None, "<|channel|>analysis<|message|>hm", True),
        (None, "I think so", False),
    ],
    ids=["no sign", "prompt open", "prompt closed", "both tags", "closing tag", "brackets", "channel", "the word"],
)
def test_f21_whether_the_model_thinks_is_seen_without_a_reasoning_parser(prompt, written, thinks):
    run = RunSettings(written, None, "hermes", generation_prompt=prompt, tools_json=TOOLS)
    assert prepare(run).exchange.thinks is thinks
    unread = [finding for finding in check(run) if finding.lost.startswith("The model thinks")]
    assert [finding.rule for finding in unread] == ["F-21"] * thinks


def test_a_parser_of_a_plugin_is_taken_to_read_its_own_markup(monkeypatch):
    monkeypatch.setitem(registry._PLUGINS["tool"], "mine", registry.tool_format("hermes"))
    assert "S-24" in {finding.rule for finding in check(asking(replace(JSON, tool="mine"), tool_choice="required"))}
