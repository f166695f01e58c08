"""Replies of a request that does not stream to the body of its response.

Source: card 01 (P-01, P-32, P-36, P-41, P-44).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.protocol import ChatRequest, JsonObject, ParsedMessage, Usage
from parsers.serving.message import ChatReply
from parsers.serving.metadata import NO_METADATA, Metadata
from parsers.serving.stream import ENGINE_ERROR, ResponseHead


@dataclass(frozen=True, slots=True)
class ReplyChoice:
    """One choice of a response.

    Attributes:
        reply: the message and why it ended.
        metadata: its tokens, as far as the request may see them.
        stop_reason: the stop string or stop token id that ended it; None for any other end.
    """

    reply: ChatReply
    metadata: Metadata = NO_METADATA
    stop_reason: str | int | None = None

    def as_json(self, index: int = 0) -> JsonObject:
        """Return the entry of the body's `choices` list for the choice at `index`, 0-based."""
        return {
            "index": index,
            "message": message_json(self.reply.message),
            "finish_reason": self.reply.finish_reason,
            "stop_reason": self.stop_reason,
            **self.metadata.as_json(),
        }


def response_body(
    head: ResponseHead,
    request: ChatRequest,
    choices: Sequence[ReplyChoice],
    usage: Usage,
    prompt_ids: Sequence[int] = (),
) -> JsonObject:
    """Return the JSON object of a whole response; an error object when the engine failed (P-32)."""
    if any(choice.reply.finish_reason == "error" for choice in choices):
        return ENGINE_ERROR
    body = head.as_json("chat.completion")
    body["choices"] = [choice.as_json(index) for index, choice in enumerate(choices)]
    body["usage"] = usage.model_dump(exclude_none=True)
    if request.return_token_ids:
        body["prompt_token_ids"] = list(prompt_ids)
    return body


def message_json(message: ParsedMessage) -> JsonObject:
    """Return a message as a client receives it: content may be null, other absent fields are left out (P-01)."""
    fields: JsonObject = {"role": "assistant", "content": message.content}
    if message.reasoning is not None:
        fields["reasoning"] = message.reasoning
    if message.tool_calls:
        fields["tool_calls"] = [call.model_dump() for call in message.tool_calls]
    return fields
