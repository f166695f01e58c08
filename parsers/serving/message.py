"""Non-streaming: a parsed message to the message a client receives.

The parser has dropped calls that the end of the output cut off; what is left is complete.

Source: card 01 (P-26, P-30, P-46, P-52).
"""

from __future__ import annotations

from dataclasses import dataclass

from parsers.compose.ids import id_maker
from parsers.protocol import ChatRequest, FinishReason, NamedToolChoice, ParsedMessage, ToolCall
from parsers.serving.finish import client_finish_reason
from parsers.serving.toolgate import keeps_tool_calls


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The message of a choice and why it ended."""

    message: ParsedMessage
    finish_reason: FinishReason


def assemble_reply(
    parsed: ParsedMessage, request: ChatRequest, engine_reason: FinishReason | None, auto_tools: bool = True
) -> ChatReply:
    """Return what a client receives for a whole output.

    Args:
        parsed: the three fields, complete calls only.
        request: the request being answered.
        engine_reason: why the engine ended the choice; None counts as "stop".
        auto_tools: the server was started with the auto tool choice switched on (P-24).
    """
    calls = parsed.tool_calls if keeps_tool_calls(request, auto_tools) else []
    calls = calls[:1] if request.parallel_tool_calls is False else calls
    forced = request.tool_choice == "required" or isinstance(request.tool_choice, NamedToolChoice)
    message = ParsedMessage(
        reasoning=parsed.reasoning if request.include_reasoning else None,
        content="" if forced and parsed.content is None else parsed.content,
        tool_calls=[_identified(call) for call in calls],
    )
    return ChatReply(message, client_finish_reason(engine_reason, request, called=bool(calls)))


def _identified(call: ToolCall) -> ToolCall:
    """Give a call its random id when the model's format has none of its own (P-52)."""
    return call if call.id else call.model_copy(update={"id": id_maker("random")(call.function.name, 0)})
