"""Token counts: card 01, P-35 … P-39, and card 03, L-32 and L-33."""

import pytest

from parsers.protocol import ChatRequest
from parsers.serving.usage import (
    ChoiceTokens,
    ReasoningCounts,
    count_reasoning,
    reasoning_counts,
    sends_continuous_usage,
    sends_usage,
    usage_of,
)
from tests.serving.served import TOKENIZER, serve

START, END = TOKENIZER.vocab["<think>"], TOKENIZER.vocab["</think>"]
PLAN = "secret plan"


def streaming(**options):
    return ChatRequest.model_validate({"stream": True, "stream_options": options})


@pytest.mark.parametrize(("reasoning", "details"), [(None, None), (0, 0), (5, 5)], ids=["no-parser", "zero", "some"])
def test_p35_details_exist_exactly_when_a_reasoning_parser_is_named(reasoning, details):
    usage = usage_of(3, [ChoiceTokens(7, reasoning)])
    found = usage.completion_tokens_details
    assert (found.reasoning_tokens if found else None) == details


def test_p35_hiding_reasoning_does_not_change_its_count():
    text = f"<think>\n{PLAN}\n</think>\n\nhi"
    shown, hidden = serve(text), serve(text, include_reasoning=False)
    assert shown.parser.reasoning_tokens == hidden.parser.reasoning_tokens > 0


def test_p36_choices_are_summed_and_the_prompt_counts_once():
    usage = usage_of(10, [ChoiceTokens(4, 1), ChoiceTokens(6, 2)])
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (10, 10, 20)
    assert usage.completion_tokens_details.reasoning_tokens == 3


@pytest.mark.parametrize(
    ("options", "forced", "at_end", "continuous"),
    [
        pytest.param({}, False, False, False, id="not-asked"),
        pytest.param({"include_usage": True}, False, True, False, id="at-the-end"),
        pytest.param({"include_usage": True, "continuous_usage_stats": True}, False, True, True, id="continuous"),
        pytest.param({"continuous_usage_stats": True}, False, False, False, id="continuous-needs-include"),
        pytest.param({}, True, True, True, id="forced-by-the-server"),
    ],
)
def test_p36_when_counts_are_sent(options, forced, at_end, continuous):
    request = streaming(**options)
    assert (sends_usage(request, forced), sends_continuous_usage(request, forced)) == (at_end, continuous)


def test_p36_null_stream_options_ask_for_nothing():
    assert not sends_usage(ChatRequest.model_validate({"stream": True, "stream_options": None}))


@pytest.mark.parametrize(
    ("ids", "count"),
    [
        ([START, 1, END], 1),
        ([START, START, 1, END, 2, END], 2),
        ([END, 1], 0),
        ([1, END], 0),
        ([START, 1], 1),
        ([START, END, 1, START, 2, END], 1),
    ],
    ids=["SaE", "SSaEbE", "Ea", "aE", "Sa", "SEaSbE"],
)
def test_l32_depth_counter(ids, count):
    assert count_reasoning(ids, START, END) == count


def test_p38_thinking_opened_by_the_prompt_has_two_counts():
    ids = [*TOKENIZER.encode(PLAN), END, *TOKENIZER.encode("hi")]
    thinking = len(TOKENIZER.encode(PLAN))
    assert reasoning_counts(ids, START, END, prompt_open=True) == ReasoningCounts(0, thinking)


def test_p38_l33_a_marker_that_repeats_the_prompts_is_not_a_second_one():
    ids = [START, *TOKENIZER.encode(PLAN), END, *TOKENIZER.encode("hi")]
    thinking = len(TOKENIZER.encode(PLAN))
    assert reasoning_counts(ids, START, END, prompt_open=True) == ReasoningCounts(thinking, thinking)


def test_p38_both_counts_agree_when_the_model_opened_thinking():
    ids = [START, *TOKENIZER.encode(PLAN), END]
    counts = reasoning_counts(ids, START, END, prompt_open=False)
    assert counts.generated_only == counts.with_prompt > 0


def test_p38_the_parser_counts_with_the_prompt():
    served = serve(f"{PLAN}</think>hi", prompt="<think>")
    counts = reasoning_counts(served.stream.ids, START, END, prompt_open=True)
    assert (counts.generated_only, counts.with_prompt) == (0, served.parser.reasoning_tokens)


@pytest.mark.parametrize("strategy", ["one", "rand:1:8", "special"])
def test_p39_markers_are_not_counted_however_the_output_is_cut(strategy):
    served = serve(f"<think>{PLAN}</think>hi", strategy)
    assert served.parser.reasoning_tokens == len(TOKENIZER.encode(PLAN))
