"""Semantic events -> the DeltaMessage of one step.

White space at the edges of a field is framing in some formats: it is dropped, or held until more text comes, by the
format's trim rules, on the stream, so that streaming and non-streaming cannot differ (W-EXACT, E-87, E-88). Calls get
their index when they are announced: indexes rise 0, 1, 2 whatever was dropped before (P-54).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.engine.config import Trim
from parsers.engine.events import CALL_ID, INCOMPLETE, EventType, SemanticEvent
from parsers.protocol import DeltaFunction, DeltaMessage, DeltaToolCall
from parsers.state import Stateful

Piece = tuple[str, int, int]  # text and its raw span


class FieldEdge(Stateful):
    """Trims one field.

    Attributes:
        begun: something that is not leading white space was sent.
        held: white space that waits, as pieces.
    """

    STATE = ("begun", "held")

    def __init__(self, trim: Trim) -> None:
        self._trim = trim
        self.begun = False
        self.held: list[Piece] = []

    def feed(self, piece: Piece) -> tuple[list[Piece], Piece | None]:
        """Take text; returns the pieces to send and a piece to drop, if any."""
        dropped = None
        if not self.begun:
            piece, dropped = self._without_lead(piece)
            if not piece[0] or (self._trim.blank != "keep" and piece[0].isspace()):
                self.held += [piece] if piece[0] else []
                return [], dropped
            self.begun = True
        text, start, end = piece
        kept = len(text.rstrip(self._trim.trail)) if self._trim.trail else len(text)
        if not kept:
            self.held.append(piece)
            return [], dropped
        middle = end - (len(text) - kept)
        send = [*self.held, (text[:kept], start, middle)]
        self.held = [(text[kept:], middle, end)] if kept < len(text) else []
        return send, dropped

    def before_call(self) -> list[Piece]:
        """A call begins; returns pieces to drop."""
        return self._drop() if not self.begun and self._trim.blank != "keep" else []

    def end(self) -> tuple[list[Piece], list[Piece]]:
        """The field or block is over; returns pieces to send and pieces to drop."""
        held = self._drop()
        if not self.begun and self._trim.blank == "drop_before_call" and not self._trim.trail:
            return held, []
        self.begun = False
        return [], held

    def _drop(self) -> list[Piece]:
        held, self.held = self.held, []
        return held

    def _without_lead(self, piece: Piece) -> tuple[Piece, Piece | None]:
        text, start, end = piece
        rest = text.lstrip(self._trim.lead) if self._trim.lead else text
        cut = start + len(text) - len(rest)
        return (rest, cut, end), ((text[: len(text) - len(rest)], start, cut) if cut > start else None)


class CallState(Stateful):
    """One announced call.

    Attributes:
        index: 0-based, in order of announcement.
        id, name: as sent.
        complete: its end was seen and its arguments are whole.
    """

    STATE = ("index", "id", "name", "complete")

    def __init__(self, index: int, call_id: str, name: str) -> None:
        self.index, self.id, self.name, self.complete = index, call_id, name, False


class Slots(Stateful):
    """Fills the slots of a delta.

    Args:
        content, reasoning: trim rules.
        make_id: (name, index) -> id of a call whose model wrote none.

    Attributes:
        calls: announced calls, in order.
        reasoning_ended: a REASONING_END was delivered (E-91).
    """

    STATE = ("content", "reasoning", "calls", "reasoning_ended", "_model_id", "_delta")

    def __init__(
        self, content: Trim, reasoning: Trim, make_id: Callable[[str, int], str], reasoning_ended: bool
    ) -> None:
        self.content, self.reasoning = FieldEdge(content), FieldEdge(reasoning)
        self._make_id = make_id
        self.calls: list[CallState] = []
        self.reasoning_ended = reasoning_ended
        self._model_id = ""
        self._delta = DeltaMessage()

    def convert(self, events: Sequence[SemanticEvent], final: bool = False) -> DeltaMessage | None:
        """Take one step's events; returns the delta, or None when nothing can be sent yet."""
        for event in events:
            self._take(event)
        if final:
            self.end_reasoning()
            self.end_content()
        delta, self._delta = self._delta, DeltaMessage()
        empty = delta.content is None and delta.reasoning is None and not delta.tool_calls
        return None if empty else delta

    def passes(self, kind: EventType) -> bool:
        """Plain text of this kind would be sent unchanged."""
        if kind is EventType.ARG_VALUE_CHUNK:
            return bool(self.calls)
        edge = self.content if kind is EventType.TEXT_CHUNK else self.reasoning
        return edge.begun and not edge.held

    def _take(self, event: SemanticEvent) -> None:
        kind = event.type
        if kind is EventType.TEXT_CHUNK:
            send, dropped = self.content.feed((event.value, event.start, event.end))
            self._send_content(send, event.rule)
            self._drop([dropped] if dropped else [], "leading white space of the content")
        elif kind is EventType.REASONING_CHUNK:
            send, dropped = self.reasoning.feed((event.value, event.start, event.end))
            self._send_reasoning(send, event.rule)
            self._drop([dropped] if dropped else [], "leading white space of the reasoning")
        elif kind is EventType.REASONING_END:
            self.end_reasoning()
            self.reasoning_ended = True
        elif kind is EventType.TOOL_CALL_START:
            self._drop(self.content.before_call(), "blank content before a call")
            self._model_id = ""
        elif kind is EventType.TOOL_NAME:
            self._name(event)
        elif kind is EventType.ARG_VALUE_CHUNK and event.value:
            self.put_arguments(event.value, event.start, event.end, event.rule)
        elif kind is EventType.TOOL_CALL_END and self.calls:
            self.calls[-1].complete = event.value != INCOMPLETE

    def _name(self, event: SemanticEvent) -> None:
        if event.rule == CALL_ID:
            self._model_id = event.value
            return
        index = len(self.calls)
        call = CallState(index, self._model_id or self._make_id(event.value, index), event.value)
        self.calls.append(call)
        self._delta.tool_calls.append(DeltaToolCall(index, call.id, "function", DeltaFunction(event.value)))

    def end_reasoning(self) -> None:
        """A reasoning block is over."""
        send, dropped = self.reasoning.end()
        self._send_reasoning(send, "held white space")
        self._drop(dropped, "trailing white space of the reasoning")

    def end_content(self) -> None:
        """The stream is over."""
        send, dropped = self.content.end()
        self._send_content(send, "held white space")
        self._drop(dropped, "trailing white space of the content")

    def _send_content(self, pieces: Sequence[Piece], rule: str) -> None:
        for text, start, end in pieces:
            self.put_content(text, start, end, rule)

    def _send_reasoning(self, pieces: Sequence[Piece], rule: str) -> None:
        for text, start, end in pieces:
            self.put_reasoning(text, start, end, rule)

    def _drop(self, pieces: Sequence[Piece], rule: str) -> None:
        for text, start, end in pieces:
            self.put_nowhere(text, start, end, rule)

    def put_content(self, text: str, start: int, end: int, rule: str) -> None:
        """Append to the content; `start` and `end` are the raw span."""
        self._delta.content = (self._delta.content or "") + text

    def put_reasoning(self, text: str, start: int, end: int, rule: str) -> None:
        """Append to the reasoning."""
        self._delta.reasoning = (self._delta.reasoning or "") + text

    def put_arguments(self, text: str, start: int, end: int, rule: str) -> None:
        """Append to the arguments of the newest call."""
        calls, index = self._delta.tool_calls, len(self.calls) - 1
        if not calls or calls[-1].index != index:
            calls.append(DeltaToolCall(index, function=DeltaFunction()))
        function = calls[-1].function
        assert function is not None
        function.arguments = (function.arguments or "") + text

    def put_nowhere(self, text: str, start: int, end: int, rule: str) -> None:
        """White space a trim rule drops; nothing is sent."""
