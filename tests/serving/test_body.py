"""The body of a response that does not stream: card 01, P-01, P-03, P-32, P-41, P-46, P-52 and P-53."""

import pytest

from parsers.protocol import ChatRequest, FunctionCall, ParsedMessage, ToolCall
from parsers.serving.body import ReplyChoice, message_json, response_body
from parsers.serving.message import assemble_reply
from parsers.serving.metadata import metadata_of
from parsers.serving.stream import ENGINE_ERROR, ResponseHead
from parsers.serving.usage import ChoiceTokens, usage_of

HEAD = ResponseHead("x", "m", 7)
CALL = ToolCall(id="c", function=FunctionCall(name="f", arguments="{}"))
PARSED = ParsedMessage(reasoning="r", content="c", tool_calls=[CALL])
SHOWING = {"logprobs": True, "return_token_ids": True}


def body(parsed=PARSED, engine_reason="stop", **fields):
    request = ChatRequest.model_validate(fields)
    reply = assemble_reply(parsed, request, engine_reason)
    metadata = metadata_of([1, 2], request, True, str)
    return response_body(HEAD, request, [ReplyChoice(reply, metadata)], usage_of(3, [ChoiceTokens(2, 1)]), [4])


def test_a_whole_body():
    assert body() == {
        "id": "x",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "c",
                    "reasoning": "r",
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                },
                "finish_reason": "tool_calls",
                "stop_reason": None,
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "total_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }


def test_p01_absent_fields_are_left_out_and_content_may_be_null():
    assert message_json(ParsedMessage()) == {"role": "assistant", "content": None}


def test_p03_p53_a_complete_call_has_four_fields_and_its_function_no_id():
    (call,) = message_json(PARSED)["tool_calls"]
    assert (set(call), set(call["function"])) == ({"id", "type", "function"}, {"name", "arguments"})


def test_p32_an_engine_error_is_an_error_response():
    assert body(engine_reason="error") == ENGINE_ERROR


@pytest.mark.parametrize(("include", "count"), [(True, 2), (False, None)], ids=["shown", "hidden"])
def test_p41_tokens_are_hidden_together_with_reasoning(include, count):
    choice = body(include_reasoning=include, **SHOWING)["choices"][0]
    assert choice.get("token_ids") == ([1, 2] if include else None)
    assert (len(choice["logprobs"]["content"]) if choice["logprobs"] else None) == count


def test_p44_prompt_ids_and_counts_are_not_hidden():
    answer = body(include_reasoning=False, **SHOWING)
    assert answer["prompt_token_ids"] == [4]
    assert answer["usage"]["completion_tokens_details"] == {"reasoning_tokens": 1}


def test_p46_hidden_reasoning_is_absent_and_content_unchanged():
    message = body(include_reasoning=False)["choices"][0]["message"]
    assert "reasoning" not in message
    assert message["content"] == "c"


def test_p52_a_call_without_an_id_gets_a_random_one():
    nameless = CALL.model_copy(update={"id": ""})
    first, second = (body(ParsedMessage(tool_calls=[nameless])) for _ in range(2))
    ids = [answer["choices"][0]["message"]["tool_calls"][0]["id"] for answer in (first, second)]
    assert all(call_id.startswith("chatcmpl-tool-") for call_id in ids)
    assert ids[0] != ids[1]


def test_p52_a_native_id_is_kept():
    assert body()["choices"][0]["message"]["tool_calls"][0]["id"] == "c"
