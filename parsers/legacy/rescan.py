"""The classic way to stream calls: read all the text so far at every delta and send what was not sent before.

Laws: the fields a reader finds only grow with the text, so every grouping of a stream gives the same fields; a whole
text gives the calls its stream closed. The cost grows with the square of the output, as in the original.

Source: card 03 (L-43 … L-49), formats/hermes.md ("Streaming").
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from parsers.legacy.base import ExtractedToolCalls, ToolParser, call_id
from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall, FunctionCall, ToolCall
from parsers.tokens.base import Tokenizer


@dataclass(slots=True)
class FoundCall:
    """A call in the text so far; its name is whole.

    Attributes:
        arguments: the JSON text read so far.
        complete: the call is closed and well formed.
    """

    name: str
    arguments: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a text holds.

    Attributes:
        content: text that is certainly content.
        held: text at the end that is content unless more follows.
        calls: in order.
    """

    content: str
    held: str
    calls: tuple[FoundCall, ...]


class CallRecorder:
    """A sink that keeps the calls a codec reports; one without a name is none."""

    def __init__(self) -> None:
        self.calls: list[FoundCall] = []
        self._named = False

    def start_call(self, at: int) -> None:
        """A call begins."""
        self._named = False

    def name_call(self, name: str, at: int) -> None:
        """The call can be told from text now."""
        self.calls.append(FoundCall(name))
        self._named = True

    def identify_call(self, call_id: str, at: int) -> None:
        """Ids the model writes are not used by these formats."""

    def append_arguments(self, json_text: str, at: int) -> None:
        """Add to the arguments of the open call."""
        self.calls[-1].arguments += json_text

    def end_call(self, at: int, complete: bool) -> None:
        """Close the open call."""
        if self._named:
            self.calls[-1].complete = complete
        self._named = False

    def skip(self, at: int, is_name: bool = False) -> None:
        """Where syntax stands is nothing to this parser."""


class RescanningToolParser(ToolParser):
    """Base of the text parsers for calls: a subclass says what a text holds.

    Attributes:
        sent_content: number of characters of content sent.
        held: the end of the text so far that may become content (see `Found`).
    """

    STATE = (*ToolParser.STATE, "sent_content", "held")

    def __init__(self, tokenizer: Tokenizer, tools: Sequence[object] | None = None) -> None:
        super().__init__(tokenizer, tools)
        self.sent_content = 0
        self.held = ""

    @abstractmethod
    def find(self, text: str) -> Found:
        """What the whole `text`, which may go on, holds; never raises, and only grows as `text` does."""

    def extract_tool_calls(self, text: str, request: ChatRequest | None = None) -> ExtractedToolCalls:
        """The complete calls; without one the whole text is content, markup and all (L-46)."""
        found = self.find(text)
        calls = tuple(
            ToolCall(id=call_id(), function=FunctionCall(name=call.name, arguments=call.arguments))
            for call in found.calls
            if call.complete
        )
        return ExtractedToolCalls(bool(calls), calls, (found.content if calls else text) or None)

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: ChatRequest | None = None,
    ) -> DeltaMessage | None:
        """What the text so far holds beyond what was sent."""
        found = self.find(current_text)
        content = found.content[self.sent_content :]
        self.sent_content, self.held = len(found.content), found.held
        entries = [self._news(index, call) for index, call in enumerate(found.calls)]
        calls = [entry for entry in entries if entry is not None]
        return DeltaMessage(content=content or None, tool_calls=calls) if content or calls else None

    def finish_streaming(self) -> DeltaMessage | None:
        """Text held for a marker or a list that never came."""
        held, self.held = self.held, ""
        return DeltaMessage(content=held) if held else None

    def _news(self, index: int, call: FoundCall) -> DeltaToolCall | None:
        """The entry for what is new of one call."""
        if index > self.current_tool_id:
            return self._announce(index, call)
        added = call.arguments[len(self.streamed_args_for_tool[index]) :]
        if not added:
            return None
        self._note_arguments(index, call)
        return DeltaToolCall(index, function=DeltaFunction(arguments=added))

    def _announce(self, index: int, call: FoundCall) -> DeltaToolCall:
        self.current_tool_id, self.current_tool_name_sent = index, True
        self.prev_tool_call_arr.append({"name": call.name})
        self.streamed_args_for_tool.append("")
        self._note_arguments(index, call)
        function = DeltaFunction(name=call.name, arguments=call.arguments or None)
        return DeltaToolCall(index, call_id(), "function", function)

    def _note_arguments(self, index: int, call: FoundCall) -> None:
        self.streamed_args_for_tool[index] = call.arguments
        self.prev_tool_call_arr[index] = {"name": call.name, "arguments": call.arguments}
