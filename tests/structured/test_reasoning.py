"""When constraints start: card S-40 … S-45, S-60."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.registry import reasoning_format
from parsers.structured.constraint import Constraint
from parsers.structured.facts import tool_facts
from parsers.structured.reasoning import (
    ReasoningEnded,
    calls_tag_hook,
    engine_reasoning_kwargs,
    for_responses,
    prepare_structured_tag,
    prompt_ended,
    resolve_reasoning_ended,
)
from parsers.structured.request import Asked, Prepared, Server, prepare
from tests.structured.builders import chat

PLAIN = Prepared(Constraint("json_object", True), None, False)
WITH_GRAMMAR = Prepared(None, None, False, parser_grammar="with thinking")
AFTER_THINKING = Prepared(None, None, False, parser_grammar="after thinking")
TAG = {"type": "structural_tag", "format": {"type": "any_text"}}
QWEN = reasoning_format("qwen3")
CLOSED, OPEN = "<|im_start|>assistant\n<think>\n\n</think>\n\n", "<|im_start|>assistant\n<think>\n"


@pytest.mark.parametrize(
    ("prepared", "include", "prompt", "expected", "rule"),
    [
        (PLAIN, False, False, True, "S-42"),
        (WITH_GRAMMAR, True, False, True, "S-40"),
        (AFTER_THINKING, True, False, False, "S-40"),
        (PLAIN, True, True, True, "S-40"),
        (PLAIN, True, False, False, "S-40"),
        (PLAIN, True, None, None, "S-40"),
        (WITH_GRAMMAR, True, None, True, "S-40"),
    ],
    ids=["hidden", "own grammar", "grammar after thinking", "closed", "open", "no parser", "grammar without parser"],
)
def test_s40_s42_the_answers_in_their_order(prepared, include, prompt, expected, rule):
    answer = resolve_reasoning_ended(prepared, include, prompt)
    assert (answer.ended, answer.rule) == (expected, rule)


def test_s41_before_the_request_is_adjusted_the_answer_is_another():
    asked, server = Asked(chat("required")), Server(reasoning=True, tool=tool_facts("mistral"))
    untouched = Prepared(None, None, True)
    assert resolve_reasoning_ended(untouched, True, False).ended is False
    assert resolve_reasoning_ended(prepare(asked, server), True, False).ended is True


@pytest.mark.parametrize(
    ("prompt", "kwargs", "expected"),
    [
        (CLOSED, {}, True),
        (OPEN, {}, False),
        (None, {}, False),
        ("", {}, False),
        (None, {"enable_thinking": False}, True),
        (OPEN, {"enable_thinking": False}, False),
    ],
    ids=["closed", "open", "no prompt", "empty prompt", "switched off", "the prompt wins"],
)
def test_s43_the_prompt_answers_and_a_missing_one_counts_as_empty(prompt, kwargs, expected):
    assert prompt_ended(QWEN, prompt, kwargs) is expected


def test_s40_without_a_reasoning_format_there_is_no_answer():
    assert prompt_ended(None, CLOSED, {}) is None


@pytest.mark.parametrize(("ended", "expected"), [(True, True), (False, None), (None, None)])
def test_s43_the_responses_route_passes_true_or_nothing(ended, expected):
    assert for_responses(ReasoningEnded(ended, "S-40", "")).ended is expected


@pytest.mark.parametrize(
    ("reasoning", "kwargs", "expected"),
    [
        (False, {"enable_thinking": True}, None),
        (True, {"enable_thinking": True}, {"chat_template_kwargs": {"enable_thinking": True}}),
        (True, {}, {"chat_template_kwargs": {}}),
    ],
    ids=["no parser", "handed on", "empty"],
)
def test_s44_the_engine_gets_the_template_arguments(reasoning, kwargs, expected):
    assert engine_reasoning_kwargs(reasoning, kwargs) == expected


PIECES = st.lists(st.sampled_from(["<think>", "</think>", "\n", "a", "<|im_start|>", "<|im_end|>", "assistant"]))
KWARGS = st.dictionaries(st.sampled_from(["enable_thinking", "other"]), st.booleans())


@given(PIECES, KWARGS)
def test_s44_two_sides_with_equal_arguments_agree_on_every_prefix(pieces, kwargs):
    engine_kwargs = engine_reasoning_kwargs(True, kwargs)["chat_template_kwargs"]
    for count in range(len(pieces) + 1):
        prompt = "".join(pieces[:count])
        assert prompt_ended(QWEN, prompt, kwargs) == prompt_ended(reasoning_format("qwen3"), prompt, engine_kwargs)


def test_s44_with_different_arguments_the_sides_disagree():
    assert prompt_ended(QWEN, "", {"enable_thinking": False}) is not prompt_ended(QWEN, "", {})


def test_s45_arguments_are_narrowed_without_touching_the_requests():
    asked = {"enable_thinking": True, "nested": {"a": 1}}

    def only_the_switch(kwargs):
        kwargs["nested"]["a"] = 2
        return {"enable_thinking": kwargs["enable_thinking"]}

    assert engine_reasoning_kwargs(True, asked, only_the_switch) == {
        "chat_template_kwargs": {"enable_thinking": True}
    }
    assert asked == {"enable_thinking": True, "nested": {"a": 1}}


@pytest.mark.parametrize("tag", [None, TAG], ids=["none", "a tag"])
def test_s60_the_hook_returns_its_input_unless_a_parser_brings_one(tag):
    assert prepare_structured_tag(tag, "tools.local") == tag


def test_s60_a_hook_has_the_last_word_and_works_on_a_copy():
    def add_server(tag, tool_server):
        tag["format"]["excludes"] = [tool_server]
        return tag

    assert prepare_structured_tag(TAG, "tools.local", add_server)["format"]["excludes"] == ["tools.local"]
    assert "excludes" not in TAG["format"]


@pytest.mark.parametrize(
    ("api", "constraint", "expected"),
    [
        ("responses", Constraint("structural_tag", TAG), True),
        ("chat", Constraint("structural_tag", TAG), False),
        ("responses", Constraint("json", {}), False),
        ("responses", None, False),
    ],
    ids=["responses with a tag", "chat", "another constraint", "no constraint"],
)
def test_s60_which_requests_reach_the_hook(api, constraint, expected):
    assert calls_tag_hook(api, Prepared(constraint, None, False)) is expected
