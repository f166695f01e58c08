"""Streaming: the deltas a parser returns to the chunks a client receives, one processor for each choice.

Laws: a parser's delta is never changed, only copied; nothing follows the finishing chunk (P-33); a chunk that
adds nothing is sent only to finish (P-27, P-43).

Source: card 01 (P-20 … P-43).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from parsers.protocol import ChatRequest, DeltaMessage, FinishReason, JsonObject
from parsers.serving.finish import client_finish_reason
from parsers.serving.toolgate import keeps_tool_calls
from parsers.tokens.base import Delta, Span


class StreamParser(Protocol):
    """What serving needs from a parser; one instance serves one choice (P-23)."""

    def parse_delta(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[Span] | None = None, finished: bool = False
    ) -> DeltaMessage | None:
        """Take one step of the stream and return what it adds; None means nothing yet."""
        ...


@dataclass(frozen=True, slots=True)
class ChatChunk:
    """One chunk of a choice as the client receives it.

    Attributes:
        delta: what it adds; may be empty on the finishing chunk.
        finish_reason: set on the last chunk and only there.
    """

    delta: DeltaMessage
    finish_reason: FinishReason | None = None

    def as_json(self) -> JsonObject:
        """Return the entry of the chunk's `choices` list."""
        return {"index": 0, "delta": self.delta.as_json(), "finish_reason": self.finish_reason}


class ChatStreamProcessor:
    """Applies the serving rules to one choice; call `step` once for each engine output, in order."""

    def __init__(self, parser: StreamParser | None, request: ChatRequest, auto_tools: bool = True) -> None:
        """Start a choice.

        Args:
            parser: a fresh parser, or None to pass text through as content.
            request: the request being answered.
            auto_tools: the server was started with the auto tool choice switched on (P-24).
        """
        self._parser = parser
        self._request = request
        self._keeps_calls = keeps_tool_calls(request, auto_tools)
        self._started = False
        self._called = False
        self._finished = False

    def step(self, delta: Delta, engine_reason: FinishReason | None = None) -> ChatChunk | None:
        """Take one engine output.

        Args:
            delta: new text and ids; `finished` on the last one.
            engine_reason: why the engine ended the choice; None counts as "stop" on the last delta.

        Returns:
            The chunk to send, or None when nothing is sent for this step.
        """
        if self._finished or self._is_idle(delta):
            return None
        self._started, self._finished = True, delta.finished
        message = self._visible(self._parsed(delta))
        self._called = self._called or bool(message and message.tool_calls)
        if delta.finished:
            reason = client_finish_reason(engine_reason, self._request, self._called)
            return ChatChunk(message or DeltaMessage(), reason)
        return ChatChunk(message) if message else None

    def _is_idle(self, delta: Delta) -> bool:
        """Tell whether the engine only read more of the prompt (P-20, P-51)."""
        return not (self._started or delta.text or delta.ids or delta.finished)

    def _parsed(self, delta: Delta) -> DeltaMessage | None:
        if self._parser is None:
            return DeltaMessage(content=delta.text)
        return self._parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)

    def _visible(self, message: DeltaMessage | None) -> DeltaMessage | None:
        """Return what the request lets the client see of a delta; None when that is nothing.

        Reasoning is removed before the test for emptiness, or every thinking token would send a frame (P-40).
        """
        if message is None:
            return None
        if not self._keeps_calls:
            message = replace(message, tool_calls=[])
        elif self._request.parallel_tool_calls is False:
            first = [call for call in message.tool_calls if call.index == 0]
            message = replace(message, tool_calls=first)
        if not self._request.include_reasoning:
            message = replace(message, reasoning=None)
        return message if message.reasoning or message.content or message.tool_calls else None
