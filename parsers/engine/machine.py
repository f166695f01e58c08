"""Follows a table: (state, lexeme) -> events.

The machine owns the state, the text that waits for its meaning (a name, a key, a header) and the codec of the open
call. What a row does is in the row; what a state's text means is its sink. Laws: a lexeme without a row is text of the
state (E-51); every raw character is in exactly one event; `finish` closes what is open and may be called twice (E-83).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from parsers.args.notation import NotationCodec
from parsers.args.schema import ParameterTypes
from parsers.engine.bodies import BodyCodec, make_body
from parsers.engine.calls import NOWHERE, Calls
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    DELIMITER,
    END_OF_STREAM,
    FEED,
    GIVE_BACK,
    HAND_OVER,
    HEADER_TEXT,
    SETTLE,
    HeaderRule,
    ParserEngineConfig,
    ParserState,
    Row,
    Sink,
)  # fmt: skip
from parsers.engine.events import EventType
from parsers.engine.gate import CommitGate
from parsers.engine.lexer import FRAMING, TEXT, Lexeme
from parsers.engine.lexicon import DROP

_WAITING = (Sink.NAME, Sink.KEY, Sink.TYPE, Sink.HEADER)


class Machine(Calls):
    """The table's reader.

    Attributes:
        reasoning_open, ended_by: whether reasoning is open, and the row that ended it last ("" before).
        taken: row ids applied since the last `take_rows`.
        handed_over: a row ended this half of a table, and whoever takes over reads on "before" its marker or "behind"
            it; "" while the half is at work.
    """

    STATE = (*Calls.STATE, "reasoning_open", "ended_by", "taken", "implicit", "mute", "handed_over")

    def __init__(
        self, config: ParserEngineConfig, start: str, gate: CommitGate, types_of: Callable[[str], ParameterTypes]
    ) -> None:
        super().__init__(config, start, gate, types_of)
        self._rows: Mapping[tuple[str, str], tuple[int, Row]] = {
            (row.state, row.terminal): (i, row) for i, row in enumerate(config.rows)
        }
        self._first_block = frozenset((row.state, row.terminal) for row in config.rows if row.first_block)
        self._name_pattern = re.compile(config.name_pattern, re.DOTALL)
        self._key_pattern = re.compile(config.key_pattern, re.DOTALL)
        self._headers = [(re.compile(rule.pattern, re.DOTALL), rule) for rule in config.headers]
        self.reasoning_open = config.sink(start) is Sink.REASONING
        self.ended_by = ""
        self.implicit = self.mute = False
        self.handed_over = ""
        self.taken: list[int] = []
        if config.content_prefix:
            self._emit(EventType.TEXT_CHUNK, config.content_prefix, 0, 0, "text the prompt ends with")

    # --- what the engine asks -----------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """This half of a table has handed over and reads nothing any more."""
        return self.handed_over != ""

    @property
    def sink(self) -> Sink:
        """Where text goes now; text of a broken region goes nowhere once a part of it was shown as a call."""
        if self.mute and self.state == ParserState.BROKEN:
            return Sink.NOTHING
        return self.config.sink(self.state)

    @property
    def open_data(self) -> bool:
        """The body or value is inside a string or verbatim section: a marker now is data."""
        if self.sink is Sink.VALUE:
            return self.params is not None and self.params.open_data
        return self.body is not None and self.body.open_data and self.sink is Sink.BODY

    def handle(self, lexeme: Lexeme) -> int:
        """Take one lexeme; returns how many characters at its end were not used (the next state reads them)."""
        if lexeme.name == TEXT:
            return self._text(lexeme)
        if self.open_data and not (self.config.control_ids and lexeme.by_id) and not self._is_delimiter(lexeme):
            return self._text(lexeme)
        if lexeme.name in (DROP, FRAMING):
            self._note(EventType.DROPPED, lexeme, "special token" if lexeme.name == DROP else "framing white space")
            return 0
        if self.ended_by and (self.state, lexeme.name) in self._first_block:
            return self._text(lexeme)
        self._apply(lexeme)
        return 0

    def finish(self, at: int) -> None:
        """End of the stream at raw position `at`: closes what is open."""
        if self.handed_over:
            return
        rule = "end of the stream"
        if self.sink is Sink.HEADER and (target := self._header_rule(END_OF_STREAM)[0]) is not None:
            self._header_as_text(target, Lexeme(END_OF_STREAM, "", at, at), rule)
        self._flush_pending(rule)
        if self.implicit and not self.named:
            self.gate.give_back("end of the stream: not a call")
        self._finish_call(at)
        self.gate.close_region("tool call cut off by the end of the stream", cut_off=True)
        if self.reasoning_open:
            self._end_reasoning(at, rule)
        self.state = ParserState.CONTENT
        self.body = self.params = None
        self.implicit = False

    def continue_from(self, half: Machine) -> None:
        """Stand where another machine handed over: outside of any call, unless both stand at the beginning."""
        self.ended_by, self.reasoning_open = half.ended_by, half.reasoning_open
        self.pending, self.pending_start, self.pending_end = [*half.pending], half.pending_start, half.pending_end
        if half.state != self.state:
            bodies, self.state = self.config.bodies, half.state
            self.body = make_body(bodies[self.state], self._types_of, "") if self.state in bodies else None

    # --- text ---------------------------------------------------------------------------------------------------------

    def _text(self, lexeme: Lexeme) -> int:
        sink = self.sink
        if lexeme.start == lexeme.end and sink not in _WAITING:
            return 0  # a token whose text the detokenizer skipped: nobody saw it, so it is in no field
        if sink is Sink.TEXT or sink is Sink.REASONING:
            kind = EventType.TEXT_CHUNK if sink is Sink.TEXT else EventType.REASONING_CHUNK
            self._emit(kind, lexeme.text, lexeme.start, lexeme.end, f"text in {self.state}")
            return 0
        if sink is Sink.BODY:
            return self._body_text(lexeme)
        self.gate.note(lexeme.text, lexeme.start, lexeme.end)
        if sink in _WAITING:
            if not self.pending:
                self.pending_start = lexeme.start
            self.pending.append(lexeme.text)
            self.pending_end = lexeme.end
        elif sink is Sink.VALUE:
            self._arguments(self._open_params().feed(lexeme.text), lexeme.start, lexeme.end, "argument value")
        else:
            rule = "white space between markers" if lexeme.text.isspace() else f"text in {self.state}"
            self._emit(EventType.DROPPED, lexeme.text, lexeme.start, lexeme.end, rule)
        return 0

    def _body_text(self, lexeme: Lexeme) -> int:
        codec = self.body
        assert codec is not None, "entering a body state makes its codec"
        self._base = self._cursor = self._syntax = lexeme.start
        used = codec.feed(lexeme.text, self)
        self._flush_syntax(lexeme.start + used)
        self.gate.note(lexeme.text[:used], lexeme.start, lexeme.start + used)
        place = lexeme.start + used
        if self._body_decides(codec, place):
            return len(lexeme.text) - used
        if used < len(lexeme.text):
            rest = lexeme.text[used:]
            codec.bad = codec.bad or not rest.isspace()
            self.gate.note(rest, place, lexeme.end)
            self._emit(EventType.DROPPED, rest, place, lexeme.end, "text after the body")
        return 0

    def _body_decides(self, codec: BodyCodec, at: int) -> bool:
        """Take the row for a body that is whole or bad, if there is one."""
        name = BODY_BAD if codec.bad else BODY_END if codec.complete else ""
        if not name or (self.state, name) not in self._rows:
            return False
        self._apply(Lexeme(name, "", at, at))
        return True

    def _is_delimiter(self, lexeme: Lexeme) -> bool:
        found = self._rows.get((self.state, lexeme.name))
        return found is not None and DELIMITER in found[1].events

    def _delimit(self, at: int) -> None:
        codec = self.body
        assert isinstance(codec, NotationCodec), "lint requires a codec that knows delimiters"
        self._base = self._cursor = self._syntax = at
        codec.delimit(self)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _apply(self, lexeme: Lexeme) -> None:
        index, row = self._rows[self.state, lexeme.name]
        self.taken.append(index)
        rule = f"{self.config.name}#{index}"
        target: Row | HeaderRule = row
        groups: Mapping[str, str] = {}
        is_header = FEED in row.events and not row.next
        if is_header:
            self.pending, self.pending_start, self.pending_end = [lexeme.text], lexeme.start, lexeme.end
        if not row.next:
            target, groups = self._classify(lexeme.name)
            if HAND_OVER in target.events:
                self.handed_over = "before"
                self.pending = [] if is_header else self.pending
                return
            if HEADER_TEXT in target.events:
                self._header_as_text(target, lexeme, rule, row.events)
                return
        feeds = FEED in row.events and not is_header and not (self.mute and self.state == ParserState.BROKEN)
        events = [*row.events, *target.events] if target is not row else list(row.events)
        events = self._before(events, target.next, feeds, lexeme.start, rule)
        if self.config.is_tool_state(target.next) and not self.gate.region:
            self.implicit, self.named = feeds and SETTLE not in events, self.named and self.call_open
            self.gate.open_region()
        if not feeds and not is_header and lexeme.text:
            self._note(EventType.MARKER, lexeme, rule)
        for event in events:
            self._event(event, lexeme, rule)
        self._enter(target.next, groups, lexeme, rule)
        if self.handed_over:
            self.handed_over = "before" if feeds else "behind"
        elif feeds:
            self._text(lexeme._replace(name=TEXT))
        elif DELIMITER in events and self.body is not None:
            self._body_decides(self.body, lexeme.end)

    def _before(self, events: list[str], target: str, feeds: bool, at: int, rule: str) -> list[str]:
        """What a row ends: the state's waiting text, reasoning, a settled region; returns the events still to do."""
        if GIVE_BACK in events:
            self._flush_pending(rule)
            if self.sink is Sink.BODY and self.body is not None and self.body.complete:
                events.remove(GIVE_BACK)
        text_over = self.sink in (Sink.HEADER, Sink.KEY) and not feeds
        if target != self.state or EventType.TOOL_CALL_END in events or text_over:
            self._leave(at, rule)
        if EventType.REASONING_END in events and self.reasoning_open:
            self._end_reasoning(at, rule)
        return self._settle(events, rule) if SETTLE in events else events

    def _settle(self, events: list[str], rule: str) -> list[str]:
        """The region is over before the marker that begins the next one; returns the events that are left."""
        if GIVE_BACK in events:
            self._event(GIVE_BACK, Lexeme(GIVE_BACK, "", 0, 0), rule)
        self.gate.close_region("between calls")
        return [event for event in events if event != GIVE_BACK]

    def _event(self, event: str, lexeme: Lexeme, rule: str) -> None:
        if event == EventType.TOOL_CALL_START:
            self._start_call(lexeme.start, rule)
        elif event == EventType.TOOL_CALL_END:
            self._close_call(lexeme.start, rule)
        elif event == DELIMITER:
            self._delimit(lexeme.end)
        elif event == HAND_OVER:
            self.handed_over = "behind"
        elif event == GIVE_BACK:
            self.mute = not self.gate.give_back(f"not a tool call ({rule})")
            self.call_open = self.call_open and self.mute
            if not self.mute:
                self.body = self.params = None  # the next call begins anew
        elif event == EventType.REASONING_START:
            self._emit(EventType.REASONING_START, "", lexeme.end, lexeme.end, rule)

    def _enter(self, state: str, groups: Mapping[str, str], lexeme: Lexeme, rule: str) -> None:
        changed = state != self.state
        self.state = state
        self.mute = self.mute and state == ParserState.BROKEN
        sink = self.sink
        if groups.get("name"):
            self._name_found(groups["name"], groups.get("id") or "", self.pending_start, self.pending_end, rule)
        if groups.get("key") is not None:
            self._key_found(groups["key"], groups.get("type"))
        if sink is Sink.REASONING:
            self.reasoning_open = True
        elif sink is Sink.BODY:
            self.body = self.body or make_body(self.config.bodies[state], self._types_of, self.name)
        elif sink is Sink.VALUE and changed:
            span, self.key_span = self.key_span, NOWHERE
            self._arguments(self._open_params().begin(self.key, self.declared), *span, rule)
        if not self.pending:
            self.pending_start = self.pending_end = lexeme.end
        if sink in (Sink.TEXT, Sink.REASONING) or state == ParserState.IGNORE:
            self.gate.close_region("tool markup without a call", implicit=self.implicit)
            self.implicit = False

    def _leave(self, at: int, rule: str) -> None:
        """Give the current state's waiting text its meaning."""
        sink = self.sink
        text = "".join(self.pending)
        if sink is Sink.NAME and self.call_open and not self.named:
            found = self._name_pattern.fullmatch(text.strip())
            groups = found.groupdict() if found else {}
            name, call_id = groups.get("name") or "", groups.get("id") or ""
            self._name_found(name, call_id, self.pending_start, self.pending_end, rule)
        elif sink is Sink.KEY:
            found = self._key_pattern.fullmatch(text.strip())
            groups = found.groupdict() if found else {"key": text.strip()}
            self._key_found((groups.get("key") or "").strip(), groups.get("type"))
        elif sink is Sink.TYPE:
            self.declared = self._declared(text.strip().lower().partition("[")[0])
            self._emit(EventType.MARKER, text, self.pending_start, self.pending_end, "argument type")
        elif sink is Sink.VALUE:
            self._arguments(self._open_params().end(), at, at, rule)
        elif sink is Sink.HEADER:
            self._flush_pending("header without a message")
        elif sink is Sink.BODY and not self._row_closes:
            self._close_body(at)
        self.pending = []

    def _classify(self, terminal: str) -> tuple[HeaderRule, Mapping[str, str]]:
        """The rule for the header read so far; its text is accounted to the name it holds, or is a marker."""
        rule, groups = self._header_rule(terminal)
        assert rule is not None, "lint requires a header rule that matches everything"
        if HEADER_TEXT not in rule.events and HAND_OVER not in rule.events:
            if not groups.get("name") and not groups.get("key"):
                self._flush_pending(f"header: {rule.note or rule.pattern}")
            self.pending = []
        return rule, groups

    def _header_rule(self, terminal: str) -> tuple[HeaderRule | None, Mapping[str, str]]:
        header = "".join(self.pending).strip()
        for pattern, rule in self._headers:
            applies = rule.ended_by == terminal or (not rule.ended_by and terminal != END_OF_STREAM)
            found = pattern.fullmatch(header) if applies else None
            if found:
                return rule, found.groupdict()
        return None, {}

    def _header_as_text(
        self, target: Row | HeaderRule, lexeme: Lexeme, rule: str, events: tuple[str, ...] = ()
    ) -> None:
        """The header turns out to be text of the next state; the lexeme that ended it, if not in it, is read there."""
        text, start, end = "".join(self.pending), self.pending_start, self.pending_end
        self.pending = []
        if EventType.REASONING_END in events and self.reasoning_open:
            self._end_reasoning(lexeme.start, rule)
        if EventType.TOOL_CALL_END in events:
            self._close_call(lexeme.start, rule)
        self._enter(target.next, {}, lexeme, rule)
        if text:
            self._text(Lexeme(TEXT, text, start, end))
        if FEED in events:
            return
        if (self.state, lexeme.name) in self._rows:
            self._apply(lexeme)
        elif lexeme.text:
            self._text(lexeme._replace(name=TEXT))

    # --- events -------------------------------------------------------------------------------------------------------

    def _end_reasoning(self, at: int, rule: str) -> None:
        self.reasoning_open = False
        self.ended_by = rule
        self._emit(EventType.REASONING_END, "", at, at, rule)

    def _flush_pending(self, rule: str) -> None:
        if self.pending:
            self._emit(EventType.MARKER, "".join(self.pending), self.pending_start, self.pending_end, rule)
            self.pending, self.pending_start = [], self.pending_end
