"""The event stream of a response: card 01, P-32, P-37, P-44, P-50, P-51, P-53 and P-54."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.protocol import ChatRequest
from parsers.serving.chat import ChatStreamProcessor
from parsers.serving.stream import ENGINE_ERROR, ChatStream, ResponseHead, StreamedChoice
from parsers.tokens.base import Delta
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate
from tests.serving.served import CALL_F, CALL_G, TOKENIZER, TOOLS, events, parser_for, serve

HEAD = ResponseHead("x", "m", 7)
THOUGHT = "<think>\nplan\n</think>\n\nhi"
COUNTED = {"stream": True, "stream_options": {"include_usage": True}}
CONTINUOUS = {"stream": True, "stream_options": {"include_usage": True, "continuous_usage_stats": True}}


def choice_for(request):
    parser = parser_for()
    return StreamedChoice(ChatStreamProcessor(parser, request), lambda: parser.reasoning_tokens)


def streamed(texts, deltas=(), engine_reason="stop", prompt_ids=(1, 2, 3), forced=False, **fields):
    """The events of a response with one choice for each text, choice after choice."""
    request = ChatRequest.model_validate(fields)
    stream = ChatStream(HEAD, request, [choice_for(request) for _ in texts], prompt_ids, forced)
    lines = [*stream.opening()]
    for index, text in enumerate(texts):
        for delta in [*deltas, *cut(simulate(TOKENIZER, TOKENIZER.encode(text)), "token")]:
            lines.append(stream.step(index, delta, engine_reason if delta.finished else None))
    return events([*lines, *stream.closing()])


def test_p50_the_role_comes_first_and_done_last():
    first, *rest = streamed(["hi"])
    assert first == {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": "m",
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None, "logprobs": None}
        ],
    }
    assert all("role" not in event["choices"][0]["delta"] for event in rest)


def test_p50_every_choice_opens_before_any_output():
    opening = streamed(["a", "b"])[:2]
    assert [event["choices"][0]["index"] for event in opening] == [0, 1]
    assert all(event["choices"][0]["delta"]["role"] == "assistant" for event in opening)


@pytest.mark.parametrize(
    ("request_fields", "where"),
    [
        pytest.param({"return_token_ids": True}, [0], id="asked"),
        pytest.param({"return_token_ids": True, "include_reasoning": False}, [0], id="p44-not-hidden"),
        pytest.param({}, [], id="not-asked"),
    ],
)
def test_p50_prompt_ids_ride_on_the_first_chunk(request_fields, where):
    sent = streamed([THOUGHT], **request_fields)
    assert [i for i, event in enumerate(sent) if event.get("prompt_token_ids") == [1, 2, 3]] == where
    assert sum("prompt_token_ids" in event for event in sent) == len(where)


def test_p51_steps_that_only_read_the_prompt_send_nothing():
    assert streamed(["hi"], deltas=[Delta(""), Delta("")]) == streamed(["hi"])


def test_p37_counts_come_last_and_have_no_choices():
    *chunks, last = streamed([THOUGHT], **COUNTED)
    completion = len(TOKENIZER.encode(THOUGHT))
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == completion
    assert (last["usage"]["prompt_tokens"], last["usage"]["total_tokens"]) == (3, 3 + completion)
    assert last["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0
    assert not any("usage" in event for event in chunks)


def test_p37_no_counts_unless_asked():
    assert not any("usage" in event for event in streamed([THOUGHT], stream=True))


@pytest.mark.parametrize(("fields", "forced"), [(CONTINUOUS, False), ({}, True)], ids=["asked", "forced"])
def test_p36_continuous_counts_only_grow(fields, forced):
    counts = [event["usage"]["completion_tokens"] for event in streamed([THOUGHT], forced=forced, **fields)]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, len(TOKENIZER.encode(THOUGHT)))


def test_p36_the_final_counts_are_the_sum_of_all_choices():
    last = streamed(["one", "and two"], **COUNTED)[-1]
    assert last["usage"]["completion_tokens"] == len(TOKENIZER.encode("one")) + len(TOKENIZER.encode("and two"))
    assert last["usage"]["prompt_tokens"] == 3


def test_p35_hidden_thinking_is_counted_all_the_same():
    shown, hidden = (streamed([THOUGHT], **COUNTED, include_reasoning=wanted)[-1] for wanted in (True, False))
    assert hidden["usage"] == shown["usage"]


def test_p35_without_a_reasoning_parser_there_are_no_details():
    request = ChatRequest.model_validate(COUNTED)
    stream = ChatStream(HEAD, request, [StreamedChoice(ChatStreamProcessor(None, request))])
    (last,) = events(stream.closing())
    assert "completion_tokens_details" not in last["usage"]


def test_p32_an_engine_error_is_an_error_and_ends_the_stream():
    *_, last = streamed(["hi"], engine_reason="error", **COUNTED)
    assert last == ENGINE_ERROR


def test_p32_nothing_follows_an_error_on_another_choice():
    assert streamed(["hi", "there"], engine_reason="error").count(ENGINE_ERROR) == 1


def test_p32_the_stop_string_is_told_on_the_last_chunk_alone():
    processor = ChatStreamProcessor(None, ChatRequest())
    first = processor.step(Delta("a", (1,)))
    last = processor.step(Delta("", (2,), finished=True), "stop", "END")
    assert "stop_reason" not in first.as_json()
    assert last.as_json()["stop_reason"] == "END"


def test_p53_a_streamed_function_has_no_id_of_its_own():
    calls = [call for event in streamed([CALL_F]) for call in event["choices"][0]["delta"].get("tool_calls", ())]
    assert calls[0]["id"].startswith("chatcmpl-tool-")
    assert all(set(call["function"]) <= {"name", "arguments"} for call in calls)


@given(
    pieces=st.lists(st.sampled_from([CALL_F, CALL_G, "text", "\n", "<think>plan</think>", "a < b"]), max_size=5),
    seed=st.integers(0, 50),
    hidden=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_p54_invariants_of_every_stream(pieces, seed, hidden):
    served = serve("".join(pieces), f"rand:{seed}:8", include_reasoning=not hidden)
    deltas = [chunk.delta for chunk in served.chunks]
    entries = [call for delta in deltas for call in delta.tool_calls]
    order = list(dict.fromkeys(call.index for call in entries))
    named = [call.index for call in entries if call.function.name]
    assert named == order == list(range(len(order)))  # (i), (ii)
    assert [chunk.finish_reason is None for chunk in served.chunks] == [True] * (len(deltas) - 1) + [False]  # (iii)
    text = served.received.content or ""
    assert "tool_call>" not in text  # (iv)
    assert all(json.loads(call.arguments) is not None for call in served.received.calls)
    if not hidden:
        kept = text + (served.received.reasoning or "")
        assert kept.count("text") == pieces.count("text")  # (v)


def test_p54_tools_of_the_request_do_not_change_the_stream():
    assert serve(CALL_F, tools=TOOLS).received.calls[0].arguments == serve(CALL_F).received.calls[0].arguments
