"""Logprobs and token ids beside the text: card 01, P-41 … P-46, and T-32."""

import pytest

from parsers.protocol import ChatRequest
from parsers.serving.metadata import Metadata, TokenLogprob, hides_metadata, metadata_of
from tests.serving.served import TOKENIZER, serve

SHOWING = {"logprobs": True, "return_token_ids": True}
THOUGHT = "<think>\nsecret plan\n</think>\n\nhello"


def spelled(ids, **request):
    return metadata_of(ids, ChatRequest(**request), True, "abc".__getitem__)


def test_t32_one_logprobs_entry_for_each_id():
    served = serve(THOUGHT, "rand:1:8", **SHOWING)
    for chunk in served.chunks:
        assert len(chunk.metadata.logprobs) == len(chunk.metadata.token_ids)
    assert sum(len(chunk.metadata.token_ids) for chunk in served.chunks) == len(served.stream.ids)


def test_entries_spell_their_tokens_in_bytes():
    (entry,) = metadata_of([0], ChatRequest(logprobs=True), True, lambda token_id: "é").logprobs
    assert entry.as_json() == {"token": "é", "logprob": -9999.0, "bytes": [195, 169], "top_logprobs": []}


def test_the_sampled_token_is_the_only_known_alternative():
    (entry,) = spelled([1], logprobs=True, top_logprobs=3).logprobs
    assert entry.alternatives == (TokenLogprob("b"),)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        pytest.param({}, {"logprobs": None}, id="nothing"),
        pytest.param({"return_token_ids": True}, {"logprobs": None, "token_ids": [2]}, id="ids"),
    ],
)
def test_only_what_was_asked_for_is_shown(asked, shown):
    assert spelled([2], **asked).as_json() == shown


def test_without_a_tokenizer_there_are_no_logprobs():
    assert metadata_of([1], ChatRequest(logprobs=True), True) == Metadata()


@pytest.mark.parametrize(
    ("include_reasoning", "has_parser", "hidden"),
    [
        pytest.param(False, True, True, id="p41-reasoning-hidden"),
        pytest.param(True, True, False, id="p41-reasoning-shown"),
        pytest.param(False, False, False, id="p42-no-parser"),
    ],
)
def test_p41_p42_tokens_are_hidden_only_where_a_parser_hides_reasoning(include_reasoning, has_parser, hidden):
    assert hides_metadata(ChatRequest(include_reasoning=include_reasoning), has_parser) is hidden


def test_p41_hidden_on_every_chunk_thinking_or_not():
    sent = serve(THOUGHT, include_reasoning=False, **SHOWING).chunks
    assert "".join(chunk.delta.content or "" for chunk in sent) == "hello"
    assert {chunk.metadata for chunk in sent} == {Metadata()}
    assert all("token_ids" not in chunk.as_json() and chunk.as_json()["logprobs"] is None for chunk in sent)


@pytest.mark.parametrize("asked", ["logprobs", "return_token_ids"])
def test_p43_a_token_to_show_forces_a_chunk_with_an_empty_delta(asked):
    marker = TOKENIZER.vocab["<think>"]
    first = serve(THOUGHT, **{asked: True}).chunks[0]
    assert (first.delta.as_json(), first.finish_reason) == ({}, None)
    assert first.metadata == metadata_of([marker], ChatRequest(**{asked: True}), True, TOKENIZER.token_text)


def test_p43_hidden_thinking_produces_no_chunk_at_all():
    thinking, answer = "<think>\na long secret plan\n</think>", "hi"
    hidden = serve(thinking + answer, include_reasoning=False, **SHOWING).chunks
    assert len(hidden) == len(serve(answer, prompt="<think>\n\n</think>\n\n").chunks)


def test_p44_what_is_not_hidden_stays():
    served = serve(THOUGHT, include_reasoning=False, engine_reason="length")
    assert served.chunks[-1].as_json()["stop_reason"] is None
    assert served.parser.reasoning_tokens > 0
