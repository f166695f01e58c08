"""Semantic events -> the DeltaMessage of one step.

White space at the edges of a field is framing in some formats: it is dropped, or held until more text comes, by the
format's trim rules, on the stream, so that streaming and non-streaming cannot differ (W-EXACT, E-87, E-88). Calls get
their index when they are announced: indexes rise 0, 1, 2 whatever was dropped before (P-54).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.compose.newlines import EscapedNewlines
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
        escaped_newlines: line ends in text may be spelled out (`compose.newlines`).
        never_empty: reasoning waits until content or a call comes; if none does, it is the content.

    Attributes:
        calls: announced calls, in order.
        reasoning_ended: a REASONING_END was delivered (E-91).
        waiting: reasoning that may become content, as pieces; None when it does not wait (any more).
    """

    STATE = (
        "content", "reasoning", "calls", "reasoning_ended", "waiting", "_content_lines", "_reasoning_lines",
        "_model_id",
    )  # fmt: skip

    def __init__(
        self,
        content: Trim,
        reasoning: Trim,
        make_id: Callable[[str, int], str],
        reasoning_ended: bool,
        escaped_newlines: bool = False,
        never_empty: bool = False,
    ) -> None:
        self.content, self.reasoning = FieldEdge(content), FieldEdge(reasoning)
        self.waiting: list[Piece] | None = [] if never_empty else None
        self._content_lines = EscapedNewlines() if escaped_newlines else None
        self._reasoning_lines = EscapedNewlines() if escaped_newlines else None
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
            self._answer_with_waiting()
        delta, self._delta = self._delta, DeltaMessage()
        empty = delta.content is None and delta.reasoning is None and not delta.tool_calls
        return None if empty else delta

    def continue_from(self, half: Slots) -> None:
        """Go on filling the fields where another one stopped, with its held white space; no call was announced yet."""
        self.content.restore(half.content.snapshot())
        self.reasoning.restore(half.reasoning.snapshot())
        for mine, theirs in (
            (self._content_lines, half._content_lines),
            (self._reasoning_lines, half._reasoning_lines),
        ):
            if mine is not None and theirs is not None:
                mine.restore(theirs.snapshot())
        self.reasoning_ended = half.reasoning_ended
        self.waiting = None if half.waiting is None else [*half.waiting]

    def passes(self, kind: EventType) -> bool:
        """Plain text of this kind would be sent unchanged."""
        if kind is EventType.ARG_VALUE_CHUNK:
            return bool(self.calls)
        if self._content_lines or self.waiting is not None:
            return False
        edge = self.content if kind is EventType.TEXT_CHUNK else self.reasoning
        return edge.begun and not edge.held

    def _take(self, event: SemanticEvent) -> None:
        kind = event.type
        if kind is EventType.TEXT_CHUNK:
            piece = (event.value, event.start, event.end)
            self._take_content(self._content_lines.feed(piece) if self._content_lines else [piece], event.rule)
        elif kind is EventType.REASONING_CHUNK:
            piece = (event.value, event.start, event.end)
            self._take_reasoning(self._reasoning_lines.feed(piece) if self._reasoning_lines else [piece], event.rule)
        elif kind is EventType.REASONING_START:
            self._drop(self.content.before_call(), "blank content before thinking")
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

    def _take_content(self, pieces: Sequence[Piece], rule: str) -> None:
        for piece in pieces:
            send, dropped = self.content.feed(piece)
            self._send_content(send, rule)
            self._drop([dropped] if dropped else [], "leading white space of the content")

    def _take_reasoning(self, pieces: Sequence[Piece], rule: str) -> None:
        for piece in pieces:
            send, dropped = self.reasoning.feed(piece)
            self._send_reasoning(send, rule)
            self._drop([dropped] if dropped else [], "leading white space of the reasoning")

    def _name(self, event: SemanticEvent) -> None:
        if event.rule == CALL_ID:
            self._model_id = event.value
            return
        self._release_waiting("a call follows")
        index = len(self.calls)
        call = CallState(index, self._model_id or self._make_id(event.value, index), event.value)
        self.calls.append(call)
        self._delta.tool_calls.append(DeltaToolCall(index, call.id, "function", DeltaFunction(event.value)))

    def end_reasoning(self) -> None:
        """A reasoning block is over."""
        self._take_reasoning(self._reasoning_lines.end() if self._reasoning_lines else [], "held escape")
        send, dropped = self.reasoning.end()
        self._send_reasoning(send, "held white space")
        self._drop(dropped, "trailing white space of the reasoning")

    def end_content(self) -> None:
        """The stream is over."""
        self._take_content(self._content_lines.end() if self._content_lines else [], "held escape")
        if self.calls:
            self._drop(self.content.before_call(), "blank content beside a call")
        send, dropped = self.content.end()
        self._send_content(send, "held white space")
        self._drop(dropped, "trailing white space of the content")

    def _send_content(self, pieces: Sequence[Piece], rule: str) -> None:
        for text, start, end in pieces:
            self._release_waiting("content follows")
            self.put_content(text, start, end, rule)

    def _send_reasoning(self, pieces: Sequence[Piece], rule: str) -> None:
        if self.waiting is not None:
            self.waiting += pieces
            return
        for text, start, end in pieces:
            self.put_reasoning(text, start, end, rule)

    def _release_waiting(self, rule: str) -> None:
        """Reasoning that waited is reasoning; later reasoning does not wait."""
        waiting, self.waiting = self.waiting, None
        self._send_reasoning(waiting or (), rule)

    def _answer_with_waiting(self) -> None:
        """The stream is over and no answer came: what waited is the content."""
        waiting, self.waiting = self.waiting, None
        if waiting:
            self._take_content(waiting, "reasoning without an answer is the answer")
            self.end_content()

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
