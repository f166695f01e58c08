"""The leak audit: card 01, P-42 … P-45, and card 07, F-09."""

import pytest

from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall
from parsers.serving.audit import NEVER_HIDDEN, audit
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.serving.metadata import Metadata, TokenLogprob
from parsers.tokens.chunks import cut
from tests.serving.served import TOKENIZER, serve

SECRET = "secret plan"
ANSWER = f"<think>{SECRET}</think>hello"
ALL_FIELDS = (
    "reasoning", "content", "tool_calls", "logprobs.token", "logprobs.bytes", "top_logprobs", "token_ids",
)  # fmt: skip
ASKING = {"include_reasoning": False, "logprobs": True, "top_logprobs": 1, "return_token_ids": True}


def leaking_fields(chunks):
    return [leak.field for leak in audit(chunks, [SECRET], TOKENIZER.decode).leaks]


def with_tokens(text, **metadata):
    """Chunks with nothing in their deltas and one token of the text in each."""
    return [
        ChatChunk(DeltaMessage(), metadata=Metadata(**{name: make(i) for name, make in metadata.items()}))
        for i in TOKENIZER.encode(text)
    ]


def entry(token_id):
    return (TokenLogprob(TOKENIZER.token_text(token_id)),)


def test_f09_nothing_of_hidden_thinking_can_be_read_and_every_field_is_checked():
    found = audit(serve(ANSWER, **ASKING).chunks, [SECRET], TOKENIZER.decode)
    assert (found.checked, found.leaks, found.unreadable) == (ALL_FIELDS, (), ())


def test_f09_shown_thinking_is_found_in_every_field_that_carries_it():
    shown = serve(ANSWER, **{**ASKING, "include_reasoning": True}).chunks
    assert set(leaking_fields(shown)) == set(ALL_FIELDS) - {"content", "tool_calls"}


def test_p42_without_a_parser_thinking_is_readable():
    stream = serve(ANSWER).stream
    processor = ChatStreamProcessor(None, ChatRequest(**ASKING), token_text=TOKENIZER.token_text)
    sent = [chunk for delta in cut(stream, "one") if (chunk := processor.step(delta))]
    assert set(leaking_fields(sent)) == set(ALL_FIELDS) - {"reasoning", "tool_calls"}


def test_p45_logprobs_left_beside_removed_reasoning_are_a_leak():
    assert leaking_fields(with_tokens(SECRET, logprobs=entry)) == ["logprobs.token", "logprobs.bytes"]


def test_p44_token_ids_alone_are_a_leak():
    assert leaking_fields(with_tokens(SECRET, token_ids=lambda i: (i,))) == ["token_ids"]


def test_p44_alternatives_alone_are_a_leak():
    def guessed(token_id):
        return (TokenLogprob("?", alternatives=(TokenLogprob("!"), *entry(token_id))),)

    assert leaking_fields(with_tokens(SECRET, logprobs=guessed)) == ["top_logprobs"]


@pytest.mark.parametrize(
    ("deltas", "field"),
    [
        pytest.param([DeltaMessage(content="se"), DeltaMessage(content="cret plan")], "content", id="content"),
        pytest.param(
            [DeltaMessage(tool_calls=[DeltaToolCall(0, "x", "function", DeltaFunction("f", f'{{"a": "{SECRET}"}}'))])],
            "tool_calls",
            id="arguments",
        ),
    ],
)
def test_p44_thinking_in_another_field_is_a_leak_even_across_chunks(deltas, field):
    assert leaking_fields([ChatChunk(delta) for delta in deltas]) == [field]


def test_p44_characters_split_over_tokens_are_read_in_bytes():
    halves = with_tokens("🧭🧭", token_ids=lambda i: (i,))
    assert [leak.field for leak in audit(halves, ["🧭🧭"], TOKENIZER.decode).leaks] == ["token_ids"]


def test_ids_that_nobody_can_decode_are_told():
    found = audit(with_tokens(SECRET, token_ids=lambda i: (i,)), [SECRET])
    assert (found.leaks, found.unreadable) == ((), ("token_ids",))
    assert "token_ids" not in found.checked


def test_empty_texts_are_not_searched_for():
    assert audit([], [""]).leaks == ()


def test_p44_counts_and_the_prompt_are_never_hidden():
    assert {"prompt_token_ids", "stop_reason", "usage"} < set(NEVER_HIDDEN)
