"""What an address carries (issue "Step page": a link restores everything that is not text of the user)."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.debug.asked import STRICT_LEVELS, TOOL_CHOICES, RequestSettings, forcing
from parsers.debug.session import RunSettings
from views.ui.links import USER_TEXT, carries_all, query_of, settings_from_query

EXAMPLE = RunSettings(
    raw_output="text",
    reasoning="qwen3",
    tool="hermes",
    tokenizer="bundled",
    generation_prompt="<think>\n",
    tools_json="[]",
    template_kwargs={"enable_thinking": True},
    cuts="token",
    stop=("\n\n",),
    include_stop=False,
    skip_special_tokens=False,
    max_tokens=None,
    call_commit="incremental",
    text_only=False,
    engine_finish_reason="stop",
    request=RequestSettings(),
)

asked = st.fixed_dictionaries(
    {},
    optional={
        "tool_choice": st.sampled_from(TOOL_CHOICES) | st.text().map(forcing),
        "parallel_tool_calls": st.none() | st.booleans(),
        "include_reasoning": st.booleans(),
        "logprobs": st.booleans(),
        "top_logprobs": st.integers(0, 999),
        "return_token_ids": st.booleans(),
        "include_usage": st.booleans(),
        "continuous_usage": st.booleans(),
        "strict_tools": st.lists(st.text(min_size=1)).map(tuple),
        "loose_tools": st.lists(st.text(min_size=1)).map(tuple),
        "history_calls": st.integers(0, 999),
        "auto_tools": st.booleans(),
        "strict_calling": st.booleans(),
        "strict_level": st.none() | st.sampled_from(STRICT_LEVELS),
        "engine_arguments": st.booleans(),
    },
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "reasoning": st.none() | st.text(min_size=1),
        "tool": st.none() | st.text(min_size=1),
        "tokenizer": st.text(),
        "template_kwargs": st.dictionaries(st.text(), st.booleans() | st.integers() | st.text() | st.none()),
        "cuts": st.text(),
        "stop": st.lists(st.text(min_size=1)).map(tuple),
        "include_stop": st.booleans(),
        "skip_special_tokens": st.booleans(),
        "max_tokens": st.none() | st.integers(1, 10**6),
        "call_commit": st.sampled_from(["incremental", "on_close"]),
        "text_only": st.booleans(),
        "engine_finish_reason": st.sampled_from(["stop", "length", "abort", "error", "repetition"]),
        "request": asked.map(lambda changes: RequestSettings(**changes)),
    },
)


@given(choices)
def test_a_link_brings_every_choice_back(changes):
    settings = replace(EXAMPLE, **changes)
    assert settings_from_query(query_of(settings, EXAMPLE), EXAMPLE) == (settings, [])


def test_every_setting_is_a_choice_or_text_of_the_user():
    settings = replace(
        EXAMPLE,
        reasoning=None,
        tool=None,
        tokenizer="t",
        template_kwargs={},
        cuts="one",
        stop=(),
        include_stop=True,
        skip_special_tokens=True,
        max_tokens=3,
        call_commit="on_close",
        text_only=True,
        engine_finish_reason="length",
        composition="delegating",
        request=EVERYTHING_ASKED,
    )
    carried = len(fields(RunSettings)) - 1 + len(fields(RequestSettings)) - len(USER_TEXT)
    assert len(query_of(settings, EXAMPLE)) == carried


EVERYTHING_ASKED = RequestSettings(
    tool_choice="required",
    parallel_tool_calls=False,
    include_reasoning=False,
    logprobs=True,
    top_logprobs=2,
    return_token_ids=True,
    include_usage=True,
    continuous_usage=True,
    response_format="{}",
    strict_tools=("f",),
    loose_tools=("g",),
    history_calls=3,
    auto_tools=False,
    strict_calling=False,
    strict_level="parameter",
    engine_arguments=False,
)


def test_a_link_names_no_function_of_the_users_own_tools():
    request = RequestSettings(tool_choice=forcing("my_secret"), strict_tools=("my_secret",), loose_tools=("my_secret",))
    typed = replace(EXAMPLE, tools_json='[{"name": "my_secret"}]', request=request)
    assert "secret" not in str(query_of(typed, EXAMPLE))
    assert not carries_all(typed, EXAMPLE)


@pytest.mark.parametrize("name", USER_TEXT)
def test_a_link_never_carries_text_of_the_user(name):
    asked_for = name in asdict(EXAMPLE.request)
    changes = {"request": RequestSettings(**{name: "my secret"})} if asked_for else {name: "my secret"}
    typed = replace(EXAMPLE, **changes)
    assert "my secret" not in str(query_of(typed, EXAMPLE))
    assert not carries_all(typed, EXAMPLE)
    assert carries_all(EXAMPLE, EXAMPLE)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            {"max_tokens": ["many"]},
            "The link's max_tokens cannot be used: it is a whole number of tokens above 0.",
        ),
        (
            {"max_tokens": ["0"]},
            "The link's max_tokens cannot be used: it is a whole number of tokens above 0.",
        ),
        ({"text_only": ["yes"]}, "The link's text_only cannot be used: it is 0 or 1."),
        ({"commit": ["late"]}, "The link's commit cannot be used: it is one of incremental, on_close."),
        (
            {"tool_choice": ["maybe"]},
            "The link's tool_choice cannot be used: it is one of absent, none, auto, required, null, or function:NAME.",
        ),
        ({"parallel": ["yes"]}, "The link's parallel cannot be used: it is 0 or 1."),
        ({"earlier_calls": ["9999"]}, "The link's earlier_calls cannot be used: it is a whole number below 1000."),
        ({"strict_level": ["high"]}, "The link's strict_level cannot be used: it is one of auto, function, parameter"),
        ({"template": ["[1]"]}, "The link's template cannot be used: it is a JSON object."),
        ({"template": ["{"]}, "The link's template cannot be used: Expecting property name"),
    ],
    ids=[
        "words", "zero", "flag", "policy", "tool choice", "maybe a flag", "too many", "level", "list", "not JSON",
    ],
)
def test_what_a_link_gets_wrong_is_said_and_the_example_stands_in(query, sentence):
    settings, problems = settings_from_query(query, EXAMPLE)
    assert settings == EXAMPLE
    assert len(problems) == 1
    assert problems[0].startswith(sentence.removesuffix("."))


def test_parameters_of_others_are_left_alone():
    assert settings_from_query({"step": ["3"], "embed": ["true"]}, EXAMPLE) == (EXAMPLE, [])
