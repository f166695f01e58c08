"""The open call of a machine: its name, its parameters or the codec of its body, and what it reports.

Rows start and end a call, or a body codec reports calls itself (`args.sink.CallSink`); both end in the same events,
each with its place in the raw output. Laws: a call has one start and one end; nothing is invented for a call that was
cut off (T-FIX).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from parsers.args.params import ParamsCodec
from parsers.args.schema import ParameterTypes
from parsers.args.xml_params import XmlParams
from parsers.engine.bodies import BodyCodec, make_body, make_params
from parsers.engine.config import ParserEngineConfig
from parsers.engine.events import CALL_ID, INCOMPLETE, NAME_TEXT, EventType, SemanticEvent
from parsers.engine.gate import CommitGate
from parsers.engine.lexer import Lexeme
from parsers.state import Stateful

NOWHERE = (0, 0)


class Calls(Stateful):
    """Keeps and closes the open call; the machine adds the rows.

    Attributes:
        state: the machine's current state.
        tool_index: calls started minus one.
        pending, pending_start, pending_end: text that waits for its meaning (a name, a key, a header) and its place.
        body, params: the codec of a body, or of tagged parameters.
        call_open, named, name: a call was started; its name is known, and which.
        key, key_span, declared: the parameter being opened, its place, and the type an attribute declares for it.
    """

    STATE: ClassVar[tuple[str, ...]] = (
        "state", "tool_index", "pending", "pending_start", "pending_end", "body", "params", "call_open", "named",
        "name", "key", "key_span", "declared",
    )  # fmt: skip

    def __init__(
        self, config: ParserEngineConfig, start: str, gate: CommitGate, types_of: Callable[[str], ParameterTypes]
    ) -> None:
        self.config, self.gate, self._types_of = config, gate, types_of
        self.state = start
        self.tool_index = -1
        self.pending: list[str] = []
        self.pending_start = self.pending_end = 0
        self.body: BodyCodec | None = make_body(config.bodies[start], types_of, "") if start in config.bodies else None
        self.params: ParamsCodec | XmlParams | None = None
        self.call_open = self.named = False
        self.name = self.key = ""
        self.key_span = NOWHERE
        self.declared: str | None = None
        self._base = self._cursor = self._syntax = 0  # only while a body codec reads: no state between deltas

    @property
    def _row_closes(self) -> bool:
        """The body is the arguments of a call that rows start and end; other codecs report calls themselves."""
        body = self.config.bodies.get(self.state)
        return body is not None and body.is_arguments

    def _start_call(self, at: int, rule: str) -> None:
        self.tool_index += 1
        self.call_open, self.named, self.name, self.key = True, False, "", ""
        self.params = None
        self._emit(EventType.TOOL_CALL_START, "", at, at, rule)

    def _unescaped(self, attribute: str) -> str:
        for spelling, character in self.config.attribute_escapes:
            attribute = attribute.replace(spelling, character)
        return attribute

    def _name_found(self, name: str, call_id: str, start: int, end: int, rule: str) -> None:
        name = self._unescaped(name)
        if call_id:
            self._emit(EventType.TOOL_NAME, call_id, start, start, CALL_ID)
        if name:
            self.named, self.name = True, name
            self._emit(EventType.TOOL_NAME, name, start, end, rule)
        elif end > start:
            self._emit(EventType.MARKER, "", start, end, "empty name")

    def _key_found(self, key: str, declared: str | None) -> None:
        self._drop_key()
        self.key, self.declared = self._unescaped(key), self._declared(declared)
        self.key_span = (self.pending_start, self.pending_end)

    def _drop_key(self) -> None:
        """A key whose value never came."""
        (start, end), self.key_span = self.key_span, NOWHERE
        if end > start:
            self._emit(EventType.MARKER, self.key, start, end, "argument key without a value")

    def _close_call(self, at: int, rule: str, complete: bool = True) -> None:
        if not self.call_open:
            return
        self._drop_key()
        if self.params or self.config.values.xml:
            params = self._open_params()
            self._arguments(params.close(), at, at, rule)
            complete = complete and not (params.bad or (self.config.unique_keys and params.repeated))
        elif self.body:
            complete = self._close_body(at) and complete
        elif self.named:
            self._arguments("{}", at, at, rule)
        self.params, self.call_open = None, False
        self._emit(EventType.TOOL_CALL_END, "" if complete and self.named else INCOMPLETE, at, at, rule)

    def _close_body(self, at: int) -> bool:
        codec, self.body = self.body, None
        self._base = self._cursor = self._syntax = at
        return codec is not None and codec.close(self, 0)

    def _finish_call(self, at: int) -> None:
        """A call the stream's end cuts off: what is held goes out, nothing is invented (T-FIX, E-62)."""
        self._drop_key()
        body = self.config.bodies.get(self.state)
        if self.body and body and body.end_closes and self.body.complete:
            self._close_call(at, "end of the stream")
        elif self.body and (self.body.complete or not self._row_closes):
            self._close_body(at)
        if self.call_open:
            self.call_open = False
            self._emit(EventType.TOOL_CALL_END, INCOMPLETE, at, at, "end of the stream")

    def _open_params(self) -> ParamsCodec | XmlParams:
        self.params = self.params or make_params(self._types_of(self.name), self.config.values)
        return self.params

    def _declared(self, attribute: str | None) -> str | None:
        return self.config.declared_types.get(attribute or "")

    # --- CallSink: reports of the body codec -------------------------------------------------------------------

    def start_call(self, at: int) -> None:
        """See CallSink."""
        self.tool_index += 1
        self.call_open, self.named = True, False
        self._report(EventType.TOOL_CALL_START, "", at, "call object")

    def name_call(self, name: str, at: int) -> None:
        """See CallSink."""
        self.named, self.name = True, name
        self._report(EventType.TOOL_NAME, name, at, "call name")

    def identify_call(self, call_id: str, at: int) -> None:
        """See CallSink."""
        self._report(EventType.TOOL_NAME, call_id, at, CALL_ID)

    def append_arguments(self, json_text: str, at: int) -> None:
        """See CallSink."""
        if json_text:
            self._report(EventType.ARG_VALUE_CHUNK, json_text, at, "argument text")

    def end_call(self, at: int, complete: bool) -> None:
        """See CallSink."""
        self.skip(at)
        if self.call_open:
            self.call_open = False
            self._report(EventType.TOOL_CALL_END, "" if complete else INCOMPLETE, at, "call object")

    def skip(self, at: int, is_name: bool = False) -> None:
        """See CallSink."""
        place = self._base + at
        if is_name and place > self._syntax:
            self._flush_syntax(self._syntax)
            self._emit(EventType.MARKER, "", self._cursor, place, NAME_TEXT)
            self._cursor = place
        self._syntax = max(self._syntax, place)

    def _report(self, kind: EventType, value: str, at: int, rule: str) -> None:
        place = self._base + at
        if kind in (EventType.TOOL_CALL_START, EventType.TOOL_CALL_END):
            self._flush_syntax(place)
            self._emit(kind, value, place, place, rule)
            return
        self._flush_syntax(self._syntax)
        self._emit(kind, value, min(self._cursor, place), place, rule)
        self._cursor = self._syntax = max(self._cursor, place)

    def _flush_syntax(self, to: int) -> None:
        if to > self._cursor:
            self._emit(EventType.MARKER, "", self._cursor, to, "call syntax")
            self._cursor = to
        self._syntax = max(self._syntax, self._cursor)

    # --- events ---------------------------------------------------------------------------------------------------

    def _arguments(self, text: str, start: int, end: int, rule: str) -> None:
        if text:
            self._emit(EventType.ARG_VALUE_CHUNK, text, start, end, rule)
        elif end > start and self.params is not None and self.params.skipping:
            self._emit(EventType.DROPPED, "", start, end, "repeated parameter")
        elif end > start:
            self._emit(EventType.ARG_VALUE_CHUNK, "", start, end, "argument value held until it is complete")

    def _note(self, kind: EventType, lexeme: Lexeme, rule: str) -> None:
        self.gate.note(lexeme.text, lexeme.start, lexeme.end)
        self._emit(kind, lexeme.text, lexeme.start, lexeme.end, rule)

    def _emit(self, kind: EventType, value: str, start: int, end: int, rule: str) -> None:
        self.gate.add(SemanticEvent(kind, value, self.tool_index, start, end, rule))
