"""A case file carries the whole page (card 00, C0-01)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from parsers.debug.asked import RequestSettings, forcing
from parsers.debug.session import RunSettings
from parsers.errors import CaseError
from parsers.files.case import Case
from parsers.files.sample import samples
from views.ui.cases import case_of, looks_like_case, print_case, raw_text, read_case_file, settings_of

TOOLS = '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]'
SETTINGS = RunSettings(
    raw_output="a </think> b\n\U0001f327",
    reasoning="qwen3",
    tool=None,
    tokenizer="bundled",
    generation_prompt="<think>\n",
    tools_json=json.dumps(json.loads(TOOLS), indent=2),
    template_kwargs={"enable_thinking": False, "thinking": False, "effort": "high"},
    cuts="rand:3:5",
    stop=("\n\n", "END"),
    include_stop=True,
    skip_special_tokens=True,
    max_tokens=7,
    call_commit="on_close",
    text_only=True,
    engine_finish_reason="length",
    request=RequestSettings(
        tool_choice="null",
        parallel_tool_calls=False,
        include_reasoning=False,
        logprobs=True,
        top_logprobs=2,
        return_token_ids=True,
        include_usage=True,
        continuous_usage=True,
        response_format=json.dumps({"type": "json_object"}, indent=2),
        strict_tools=("f",),
        history_calls=2,
        auto_tools=False,
        strict_calling=False,
        strict_level="parameter",
        engine_arguments=False,
    ),
)


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        replace(SETTINGS, tools_json="[{"),
        replace(SETTINGS, max_tokens=None, stop=(), tools_json=""),
        replace(SETTINGS, request=RequestSettings()),
        replace(SETTINGS, request=RequestSettings(tool_choice=forcing("f"), loose_tools=("f",))),
        replace(SETTINGS, request=RequestSettings(response_format="{")),
    ],
    ids=["all", "tools that are not JSON", "little", "nothing asked", "a function", "a format that is not JSON"],
)
def test_opening_a_saved_case_brings_everything_back(settings):
    assert settings_of(read_case_file(print_case(settings, "mine"), "case.jsonl")[0]) == settings


def test_a_saved_case_opens_on_several_lines_too():
    text = json.dumps(case_of(SETTINGS, "mine"), indent=2)
    assert settings_of(read_case_file(text, "case.json")[0]) == SETTINGS


def test_the_first_case_of_a_file_is_opened():
    text = print_case(SETTINGS, "one") + print_case(replace(SETTINGS, raw_output="other"), "two")
    assert read_case_file(text, "cases.jsonl")[0].id == "one"


@pytest.mark.parametrize("text", ["", "nonsense", '{"id": "x"}', "[1]"])
def test_what_is_no_case_is_refused_with_the_name_of_the_file(text):
    with pytest.raises(CaseError, match=r"mine\.json"):
        read_case_file(text, "mine.json")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"chunks": ["a", "b"]}, "ab"),
        ({"tokens": ["a ", "b"]}, "a b"),
        ({"chunks_utf8_hex": ["e4bd", "a0"]}, "你"),
    ],
    ids=["chunks", "tokens", "bytes"],
)
def test_the_text_of_a_case_however_it_is_given(given, text):
    assert raw_text(Case.model_validate({"id": "x", **given})) == text


def test_one_name_of_the_thinking_switch_sets_both():
    case = Case.model_validate({"id": "x", "raw_output": "", "request": {"chat_template_kwargs": {"thinking": True}}})
    assert settings_of(case).template_kwargs == {"thinking": True, "enable_thinking": True}


def test_c0_01_what_is_asked_goes_where_a_replay_reads_it():
    case = Case.model_validate(case_of(SETTINGS, "mine"))
    request = case.chat_request()
    assert (request.tool_choice, request.include_reasoning, request.history_calls) == (None, False, 2)
    assert (case.server.auto_tools, case.server.strict_calling, case.server.tool_strict_level) == (
        False,
        False,
        "parameter",
    )


def test_a_pasted_case_is_told_from_an_output():
    assert looks_like_case(print_case(SETTINGS, "mine"))
    assert not looks_like_case('{"name": "get_weather", "arguments": {}}')


def test_every_sample_opens():
    for name, case in samples().items():
        assert settings_of(case).reasoning == case.reasoning_parser, name
