"""Non-streaming assembly: card 01, P-24, P-26, P-30, P-31, P-46 and P-52."""

import pytest

from parsers.protocol import ChatRequest, FunctionCall, ParsedMessage, ToolCall
from parsers.serving.message import assemble_reply

TOOLS = [{"type": "function", "function": {"name": "f"}}]
NAMED = {"type": "function", "function": {"name": "f"}}
CALLS = [ToolCall(id=name, function=FunctionCall(name=name, arguments="{}")) for name in "fg"]


def reply(parsed, engine_reason="stop", **request):
    return assemble_reply(parsed, ChatRequest.model_validate({"tools": TOOLS, **request}), engine_reason)


def test_fields_pass_unchanged():
    parsed = ParsedMessage(reasoning="r", content=" c ", tool_calls=CALLS)
    assert reply(parsed).message == parsed


def test_p26_first_call_only_when_parallel_calls_are_off():
    answer = reply(ParsedMessage(tool_calls=CALLS), parallel_tool_calls=False)
    assert [call.id for call in answer.message.tool_calls] == ["f"]
    assert answer.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("calls", "engine_reason", "told"),
    [(CALLS, "stop", "tool_calls"), (CALLS, "length", "length"), ([], "stop", "stop")],
    ids=["calls", "cut", "no-calls"],
)
def test_p30_finish_reason(calls, engine_reason, told):
    assert reply(ParsedMessage(tool_calls=calls), engine_reason).finish_reason == told


@pytest.mark.parametrize("choice", ["none", None], ids=["none", "p25-null"])
def test_p24_p31_p52_calls_that_cannot_be_kept_are_gone_and_do_not_count(choice):
    parsed = ParsedMessage(reasoning="r", content="c", tool_calls=CALLS)
    answer = reply(parsed, tool_choice=choice)
    assert answer.message == ParsedMessage(reasoning="r", content="c")
    assert answer.finish_reason == "stop"
    assert parsed.tool_calls == CALLS


def test_p46_hidden_reasoning_is_absent_and_content_unchanged():
    answer = reply(ParsedMessage(reasoning="r", content="c"), include_reasoning=False)
    assert (answer.message.reasoning, answer.message.content) == (None, "c")


@pytest.mark.parametrize(
    ("choice", "content"), [("auto", None), ("required", ""), (NAMED, "")], ids=["auto", "required", "named"]
)
def test_p52_forced_calls_have_empty_instead_of_absent_content(choice, content):
    assert reply(ParsedMessage(tool_calls=CALLS), tool_choice=choice).message.content == content
    assert reply(ParsedMessage(content="c", tool_calls=CALLS), tool_choice=choice).message.content == "c"
