"""What an address carries (issue "Step page": a link restores everything that is not text of the user)."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.ui.links import USER_TEXT, carries_all, query_of, settings_from_query
from parsers.debug.session import RunSettings

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
    )
    assert len(query_of(settings, EXAMPLE)) == len(fields(RunSettings)) - len(USER_TEXT)


@pytest.mark.parametrize("name", USER_TEXT)
def test_a_link_never_carries_text_of_the_user(name):
    typed = replace(EXAMPLE, **{name: "my secret"})
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
        ({"template": ["[1]"]}, "The link's template cannot be used: it is a JSON object."),
        ({"template": ["{"]}, "The link's template cannot be used: Expecting property name"),
    ],
    ids=["words", "zero", "flag", "policy", "list", "not JSON"],
)
def test_what_a_link_gets_wrong_is_said_and_the_example_stands_in(query, sentence):
    settings, problems = settings_from_query(query, EXAMPLE)
    assert settings == EXAMPLE
    assert len(problems) == 1
    assert problems[0].startswith(sentence.removesuffix("."))


def test_parameters_of_others_are_left_alone():
    assert settings_from_query({"step": ["3"], "embed": ["true"]}, EXAMPLE) == (EXAMPLE, [])
