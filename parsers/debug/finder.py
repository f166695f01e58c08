"""Text that no engine read -> its place in the raw output, found by looking for it in order.

Classic parsers and text that is passed on say what they send, not where it came from. What lies between two finds was
markup to whoever read it, and what is never found was written anew or is in no field.

Source: design.md, decision 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parsers.compose.delegating import DelegatingParser
from parsers.debug.stages import FieldPiece, Slot
from parsers.engine.events import INCOMPLETE, EventType, SemanticEvent
from parsers.protocol import DeltaToolCall
from parsers.tokens.base import Span

CLASSIC_MARKUP = "read by a classic parser"


class Finder:
    """Looks up text that no engine read, in the raw output behind what has a place already.

    Args:
        rule: how such text is explained.
    """

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._ahead = ""  # raw text without a place yet …
        self._at = 0  # … and where it begins
        self._events: list[SemanticEvent] = []
        self._announced: list[int] = []

    def read(self, text: str) -> None:
        """More raw text has come."""
        self._ahead += text

    def skip_to(self, position: int) -> None:
        """Raw text before `position` has its place."""
        if position > self._at:
            self._ahead = self._ahead[position - self._at :]
            self._at = position

    def claim_until(self, position: int) -> None:
        """Raw text before `position` is markup of whoever read it."""
        if position > self._at:
            self._say(EventType.MARKER, self._ahead[: position - self._at], -1, (self._at, position))
            self.skip_to(position)

    def piece(self, slot: Slot, text: str, call: int = -1) -> FieldPiece:
        """A field's text with the raw span it is found at; an empty span when it was written anew."""
        start, end = self._find(text)
        return FieldPiece(slot, call, text, start, end, self._rule)

    def calls(self, entries: Sequence[DeltaToolCall]) -> Iterator[FieldPiece]:
        """What one delta adds to calls."""
        for entry in entries:
            function = entry.function
            if function is not None and function.name is not None:
                self._announced.append(entry.index)
                self._say(EventType.TOOL_CALL_START, "", entry.index, (self._at, self._at))
                self._say(EventType.TOOL_NAME, function.name, entry.index, self._find(function.name))
            if function is not None and function.arguments:
                piece = self.piece("arguments", function.arguments, entry.index)
                self._say(EventType.ARG_VALUE_CHUNK, piece.text, entry.index, (piece.start, piece.end))
                yield piece

    def taken_events(self) -> list[SemanticEvent]:
        """Events since the last call."""
        events, self._events = self._events, []
        return events

    def rest(self, parser: DelegatingParser, ends_calls: bool) -> list[SemanticEvent]:
        """The stream is over: its calls end, and what has no place is in no field."""
        if self._ahead:
            self._say(EventType.DROPPED, self._ahead, -1, (self._at, self._at + len(self._ahead)))
            self.skip_to(self._at + len(self._ahead))
        whole = {call.index for call in parser.calls if call.complete}
        for index in self._announced if ends_calls else ():
            self._say(EventType.TOOL_CALL_END, "" if index in whole else INCOMPLETE, index, (self._at, self._at))
        return self.taken_events()

    def _find(self, text: str) -> Span:
        found = self._ahead.find(text)
        if found < 0:
            return self._at, self._at
        start = self._at + found
        self.claim_until(start)
        self.skip_to(start + len(text))
        return start, start + len(text)

    def _say(self, kind: EventType, value: str, call: int, span: Span, rule: str = CLASSIC_MARKUP) -> None:
        self._events.append(SemanticEvent(kind, value, call, *span, rule))
