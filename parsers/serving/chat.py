"""Streaming: the deltas a parser returns to the chunks a client receives, one processor for each choice.

Laws: a parser's delta is never changed, only copied; nothing follows the finishing chunk (P-33); a chunk whose
delta is empty is sent only to finish or to show tokens (P-27, P-43).

Source: card 01 (P-20 … P-43).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from parsers.protocol import ChatRequest, DeltaMessage, FinishReason, JsonObject
from parsers.serving.finish import client_finish_reason
from parsers.serving.metadata import NO_METADATA, Metadata, TokenText, metadata_of
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
        delta: what it adds; may be empty on the finishing chunk, or beside metadata.
        finish_reason: set on the last chunk and only there.
        stop_reason: the stop string or stop token id that ended the choice; None for any other end (P-32).
        metadata: the tokens of this step, as far as the request may see them.
    """

    delta: DeltaMessage
    finish_reason: FinishReason | None = None
    stop_reason: str | int | None = None
    metadata: Metadata = NO_METADATA

    def as_json(self, index: int = 0) -> JsonObject:
        """Return the entry of the chunk's `choices` list for the choice at `index`, 0-based."""
        chunk: JsonObject = {"index": index, "delta": self.delta.as_json(), "finish_reason": self.finish_reason}
        if self.finish_reason is not None:
            chunk["stop_reason"] = self.stop_reason
        return {**chunk, **self.metadata.as_json()}


class ChatStreamProcessor:
    """Applies the serving rules to one choice; call `step` once for each engine output, in order."""

    def __init__(
        self,
        parser: StreamParser | None,
        request: ChatRequest,
        auto_tools: bool = True,
        token_text: TokenText | None = None,
        has_parser: bool = True,
    ) -> None:
        """Start a choice.

        Args:
            parser: a fresh parser, or None to pass text through as content.
            request: the request being answered.
            auto_tools: the server was started with the auto tool choice switched on (P-24).
            token_text: spells one token, for logprobs; None leaves them out.
            has_parser: False when `parser` only passes text through, as on a server without any: nothing can be
                hidden then (P-42).
        """
        self._parser = parser
        self._has_parser = has_parser and parser is not None
        self._request = request
        self._keeps_calls = keeps_tool_calls(request, auto_tools)
        self._token_text = token_text
        self._output_tokens = 0
        self._started = False
        self._called = False
        self._finished = False

    @property
    def output_tokens(self) -> int:
        """Ids generated so far, hidden ones included."""
        return self._output_tokens

    def step(
        self, delta: Delta, engine_reason: FinishReason | None = None, stop_reason: str | int | None = None
    ) -> ChatChunk | None:
        """Take one engine output; what happens in which order is rule P-20.

        Args:
            delta: new text and ids; `finished` on the last one.
            engine_reason: why the engine ended the choice; None counts as "stop" on the last delta.
            stop_reason: the stop string or stop token id that ended it, if one did.

        Returns:
            The chunk to send, or None when nothing is sent for this step.
        """
        if self._finished or self._is_idle(delta):
            return None
        self._started, self._finished = True, delta.finished
        message = self._gated(self._parsed(delta))
        self._output_tokens += len(delta.ids)
        message = self._visible(self._first_call_only(message))
        self._called = self._called or bool(message.tool_calls)
        metadata = metadata_of(delta.ids, self._request, self._has_parser, self._token_text)
        if delta.finished:
            reason = client_finish_reason(engine_reason, self._request, self._called)
            return ChatChunk(message, reason, stop_reason, metadata)
        return ChatChunk(message, metadata=metadata) if metadata or _adds(message) else None

    def _is_idle(self, delta: Delta) -> bool:
        """Tell whether the engine only read more of the prompt (P-20, P-51)."""
        return not (self._started or delta.text or delta.ids or delta.finished)

    def _parsed(self, delta: Delta) -> DeltaMessage:
        if self._parser is None:
            return DeltaMessage(content=delta.text)
        return self._parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished) or DeltaMessage()

    def _gated(self, message: DeltaMessage) -> DeltaMessage:
        """Drop the calls of a request that cannot have any (P-24)."""
        return message if self._keeps_calls else replace(message, tool_calls=[])

    def _first_call_only(self, message: DeltaMessage) -> DeltaMessage:
        """Keep what belongs to the first call of the message, not the first of each delta (P-26)."""
        if self._request.parallel_tool_calls is not False:
            return message
        return replace(message, tool_calls=[call for call in message.tool_calls if call.index == 0])

    def _visible(self, message: DeltaMessage) -> DeltaMessage:
        """Remove hidden reasoning, before anyone asks whether the delta is empty (P-40).

        Asked earlier, every thinking token would send an empty frame.
        """
        return message if self._request.include_reasoning else replace(message, reasoning=None)


def _adds(message: DeltaMessage) -> bool:
    return bool(message.reasoning or message.content or message.tool_calls)
