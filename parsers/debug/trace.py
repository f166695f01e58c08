"""Watches one parser from outside: its stages' public methods, wrapped on that instance, to records of every delta.

`attach` puts the wrappers on and `detach` takes them off; no stage knows that it is watched. Laws: a traced parser
returns what an untraced one does; the cost of a record does not grow with the stream, so nothing accumulated is copied.

Source: design.md, decision 9; the fast path gives the same deltas (E-11, E-13), so tracing goes without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from parsers.args.json_args import JsonArguments
from parsers.args.json_calls import JsonCalls
from parsers.compose.unified import UnifiedParser
from parsers.composition import Parser
from parsers.debug.stages import (
    CodecView,
    DeltaRecord,
    FieldPiece,
    ReasoningGate,
    RowTaken,
    ScannerItem,
    Slot,
)
from parsers.engine.alphabet import Alphabet
from parsers.engine.bodies import BodyCodec
from parsers.engine.config import FEED, ParserEngineConfig
from parsers.engine.events import CALL_ID, EventType, SemanticEvent
from parsers.engine.lexer import TEXT, Lexeme
from parsers.engine.machine import Machine
from parsers.engine.scanner import Piece
from parsers.protocol import DeltaMessage
from parsers.tokens.base import Delta, Span

_Method = Callable[..., Any]
PARAMS = "params"
"""How records call the codec of tagged parameters, whose values are raw text."""
HELD_SHOWN = 400
"""Characters of a codec's held text that a record keeps."""


def attach(parser: UnifiedParser) -> Tracer:
    """Start to watch a parser; its deltas are recorded until `detach`."""
    return Tracer(parser)


class Tracer:
    """The wrappers on one parser.

    Attributes:
        records: one for each delta since the wrappers were put on.
    """

    def __init__(self, parser: UnifiedParser) -> None:
        engine, slots = parser.engine, parser.slots
        self.records: list[DeltaRecord] = []
        self._parser = parser
        self._names = marker_names(engine.config, engine.alphabet)
        self._rows = {f"{engine.config.name}#{index}": index for index in range(len(engine.config.rows))}
        self._gate = ReasoningGate(parser.reasoning_ended)
        self._fields = _FieldWatch(len(parser.calls))
        if engine.gate.passing:
            self._fields.announced[engine.machine.tool_index] = len(parser.calls) - 1
        self._codec = _CodecWatch(engine.machine)
        self._items: list[ScannerItem] = []
        self._lexemes: list[Lexeme] = []
        self._taken: list[RowTaken] = []
        self._events: list[SemanticEvent] = []
        self._watched: list[tuple[object, str]] = []
        self._parse = self._wrap(parser, "parse_delta", parser.parse_delta, self._parse_delta)
        self._scan = self._wrap(engine.scanner, "scan", engine.scanner.scan, self._take_scan)
        self._flush = self._wrap(engine.scanner, "flush", engine.scanner.flush, self._take_flush)
        self._handle = self._wrap(engine.machine, "handle", engine.machine.handle, self._take_lexeme)
        self._add = self._wrap(engine.gate, "add", engine.gate.add, self._take_machine_event)
        self._convert = self._wrap(slots, "convert", slots.convert, self._take_events)
        self._content = self._wrap(slots, "put_content", slots.put_content, self._put_content)
        self._reasoning = self._wrap(slots, "put_reasoning", slots.put_reasoning, self._put_reasoning)
        self._arguments = self._wrap(slots, "put_arguments", slots.put_arguments, self._put_arguments)
        self._nowhere = self._wrap(slots, "put_nowhere", slots.put_nowhere, self._put_nowhere)
        self._use_plain(False)

    def detach(self) -> None:
        """Take the wrappers off; the parser is as before, with all it has read."""
        for stage, name in self._watched:
            del vars(stage)[name]
        self._watched.clear()
        self._use_plain(True)

    def _wrap(self, stage: object, name: str, original: _Method, watch: _Method) -> _Method:
        vars(stage)[name] = watch
        self._watched.append((stage, name))
        return original

    def _use_plain(self, allowed: bool) -> None:
        self._parser.use_plain = allowed
        self._parser.restore(self._parser.snapshot())  # forgets a path that was chosen before

    # --- one delta --------------------------------------------------------------------------------------

    def _parse_delta(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[Span] | None = None, finished: bool = False
    ) -> DeltaMessage | None:
        machine = self._parser.engine.machine
        before = machine.state
        machine.taken.clear()
        self._codec.begin()
        message: DeltaMessage | None = self._parse(text, ids, spans, finished)
        delta = Delta(text, tuple(ids), None if spans is None else tuple(spans), finished)
        self.records.append(self._record(delta, before, message))
        for collected in (self._items, self._lexemes, self._taken, self._events, self._fields.pieces):
            collected.clear()
        return message

    def _record(self, delta: Delta, before: str, message: DeltaMessage | None) -> DeltaRecord:
        engine, fields = self._parser.engine, self._fields
        self._gate = self._reasoning_gate()
        return DeltaRecord(
            delta=delta,
            shown=engine.scanner.shown,
            items=tuple(self._items),
            deferred=tuple([self._names[waiting.symbol] for waiting in engine.scanner.deferred]),
            lexemes=tuple(self._lexemes),
            buffer=engine.lexer.held,
            candidates=self._candidates(),
            before=before,
            state=engine.machine.state,
            rows=tuple(self._taken),
            waiting=len(engine.gate.held),
            events=tuple(self._events),
            codec=self._codec.view(),
            gate=self._gate,
            pieces=tuple(fields.pieces),
            lengths=fields.lengths,
            call=self._call(),
            arguments=fields.arguments,
            message=message,
        )

    def _candidates(self) -> tuple[str, ...]:
        engine = self._parser.engine
        held = engine.lexer.buffer[engine.lexer.pos :]
        return tuple(engine.lexicon.candidates(held.lstrip() or held)) if held else ()

    def _reasoning_gate(self) -> ReasoningGate:
        if self._gate.ended or not self._parser.reasoning_ended:
            return self._gate
        rules = [event.rule for event in self._events if event.type is EventType.REASONING_END]
        return ReasoningGate(True, len(self.records), self._rows.get(rules[0], -1) if rules else -1)

    def _call(self) -> int:
        """The announced call that this delta worked on last, or that is open."""
        touched = [event.tool_index for event in self._events if event.type in _CALL_EVENTS]
        if touched:
            return touched[-1]
        machine = self._parser.engine.machine
        return self._fields.announced.get(machine.tool_index, -1) if machine.call_open else -1

    # --- what the wrappers see --------------------------------------------------------------------------

    def _take_scan(self, text: str, ids: Sequence[int], spans: Sequence[Span] | None) -> list[Piece]:
        return self._note_items(self._scan(text, ids, spans))

    def _take_flush(self) -> list[Piece]:
        return self._note_items(self._flush())

    def _note_items(self, pieces: list[Piece]) -> list[Piece]:
        names = self._names
        self._items += [ScannerItem(names[p.symbol] if p.symbol else "", p.text, p.start, p.end) for p in pieces]
        return pieces

    def _take_lexeme(self, lexeme: Lexeme) -> int:
        unused: int = self._handle(lexeme)
        read = lexeme if not unused else lexeme._replace(text=lexeme.text[:-unused], end=lexeme.end - unused)
        self._lexemes.append(read)
        self._codec.follow(read)
        machine = self._parser.engine.machine
        self._taken += rows_taken(machine.config, machine.taken[len(self._taken) :], machine.state)
        return unused

    def _take_machine_event(self, event: SemanticEvent) -> None:
        self._codec.count(event)
        self._add(event)

    def _take_events(self, events: Sequence[SemanticEvent], final: bool = False) -> DeltaMessage | None:
        self._events += [event._replace(tool_index=self._fields.announce(event)) for event in events]
        message: DeltaMessage | None = self._convert(events, final)
        return message

    def _put_content(self, text: str, start: int, end: int, rule: str) -> None:
        self._fields.put("content", text, start, end, rule)
        self._content(text, start, end, rule)

    def _put_reasoning(self, text: str, start: int, end: int, rule: str) -> None:
        self._fields.put("reasoning", text, start, end, rule)
        self._reasoning(text, start, end, rule)

    def _put_arguments(self, text: str, start: int, end: int, rule: str) -> None:
        self._fields.put("arguments", text, start, end, rule, len(self._parser.calls) - 1)
        self._arguments(text, start, end, rule)

    def _put_nowhere(self, text: str, start: int, end: int, rule: str) -> None:
        self._fields.put("nowhere", text, start, end, rule)
        self._nowhere(text, start, end, rule)


_CALL_EVENTS = frozenset(
    {EventType.TOOL_CALL_START, EventType.TOOL_NAME, EventType.ARG_VALUE_CHUNK, EventType.TOOL_CALL_END}
)
_FIELD_TEXT = frozenset(
    {EventType.TEXT_CHUNK, EventType.REASONING_START, EventType.REASONING_CHUNK, EventType.REASONING_END}
)


class _FieldWatch:
    """How much each field got since the wrappers were put on, and which announced call an event belongs to.

    Args:
        calls: number of calls announced before.
    """

    def __init__(self, calls: int) -> None:
        self.pieces: list[FieldPiece] = []
        self.lengths = (0, 0)
        self.arguments = (0,) * calls
        self.announced: dict[int, int] = {}

    def put(self, slot: Slot, text: str, start: int, end: int, rule: str, call: int = -1) -> None:
        self.pieces.append(FieldPiece(slot, call, text, start, end, rule))
        reasoning, content = self.lengths
        if slot == "reasoning":
            self.lengths = (reasoning + len(text), content)
        elif slot == "content":
            self.lengths = (reasoning, content + len(text))
        elif slot == "arguments":
            known = self.arguments
            self.arguments = (*known[:call], known[call] + len(text), *known[call + 1 :])

    def announce(self, event: SemanticEvent) -> int:
        """The machine counts every call it begins, clients only those they hear of."""
        if event.type is EventType.TOOL_CALL_START:
            self.announced[event.tool_index] = len(self.arguments)
        if event.type in _FIELD_TEXT:
            return -1
        call = self.announced.get(event.tool_index, -1)
        if event.type is EventType.TOOL_NAME and event.rule != CALL_ID and call == len(self.arguments):
            self.arguments = (*self.arguments, 0)
        return call


class _CodecWatch:
    """What the codec of the open call or region has read and let go."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._body: BodyCodec | None = None
        self._named = False
        self._kind = ""
        self._start = self._end = 0
        self._json_len = 0

    def begin(self) -> None:
        """A delta begins."""
        self._kind = self._open_kind()

    def follow(self, lexeme: Lexeme) -> None:
        """The machine has taken a lexeme."""
        machine = self._machine
        if machine.body is not self._body and machine.body is not None:
            self._start = lexeme.start if self._was_fed(lexeme) else lexeme.end
        elif machine.named and not self._named and machine.body is None:
            self._start = lexeme.end
        self._body, self._named = machine.body, machine.named and machine.call_open
        kind = self._open_kind()
        if kind:
            self._kind, self._end = kind, lexeme.end

    def count(self, event: SemanticEvent) -> None:
        """The machine has said something."""
        if event.type is EventType.TOOL_CALL_START:
            self._json_len = 0
        elif event.type is EventType.ARG_VALUE_CHUNK:
            self._json_len += len(event.value)

    def view(self) -> CodecView | None:
        """The codec after the delta; a codec that closed in it holds nothing any more."""
        if not self._kind:
            return None
        machine = self._machine
        depth, in_string, held = 0, False, ""
        if machine.body is not None:
            depth, in_string, held = body_depth(machine.body), machine.body.open_data, body_held(machine.body)
        elif machine.params is not None:
            params = machine.params
            depth, in_string, held = int(bool(params.keys)), params.in_string, tail(params.held)
        return CodecView(self._kind, self._start, self._end, self._json_len, depth, in_string, held)

    def _open_kind(self) -> str:
        machine = self._machine
        if machine.body is not None:
            body = machine.config.bodies.get(machine.state)
            return body.kind if body else self._kind
        return PARAMS if machine.params is not None else ""

    def _was_fed(self, lexeme: Lexeme) -> bool:
        taken = self._machine.taken
        return lexeme.name != TEXT and bool(taken) and FEED in self._machine.config.rows[taken[-1]].events


def marker_names(config: ParserEngineConfig, alphabet: Alphabet) -> dict[str, str]:
    """Terminal name of each token character; the spelling where no terminal is spelled by that token alone."""
    names = {spelling: name for name, terminal in config.terminals.items() for spelling in terminal.spellings}
    return {symbol: names.get(text, text) for symbol, text in alphabet.texts.items()}


def spelled_by_id(config: ParserEngineConfig, alphabet: Alphabet) -> frozenset[str]:
    """Marker spellings that hold a token of the vocabulary, so that once ids come only those ids count (E-22)."""
    spellings = {spelling for terminal in config.terminals.values() for spelling in terminal.spellings}
    return frozenset(spelling for spelling in spellings if alphabet.encode(spelling) != spelling)


def complete_calls(parser: Parser) -> frozenset[int]:
    """Indexes of the calls whose end a parser has seen."""
    return frozenset(call.index for call in parser.calls if call.complete)


def rows_taken(config: ParserEngineConfig, taken: Sequence[int], state: str) -> tuple[RowTaken, ...]:
    """Rows with the state each led to; what a header rule chose shows in the row after it, or in `state` at the end."""
    if not taken:
        return ()
    after = [config.rows[following].state for _, following in pairwise(taken)]
    return tuple(
        RowTaken(index, config.rows[index].next or seen) for index, seen in zip(taken, [*after, state], strict=True)
    )


def body_depth(codec: BodyCodec) -> int:
    """Open brackets of a body; 0 for one that does not count them."""
    return codec.walker.depth if isinstance(codec, JsonArguments | JsonCalls) else 0


def body_held(codec: BodyCodec) -> str:
    """The last characters a body keeps; joining all of them at every delta would cost the square of their number."""
    if isinstance(codec, JsonCalls) and not codec.kept:
        return tail(codec.raw) if codec.role in ("name", "arguments") else ""
    return codec.held[-HELD_SHOWN:]


def tail(pieces: Sequence[str]) -> str:
    """The last characters of some pieces, joined."""
    found: list[str] = []
    size = 0
    for piece in reversed(pieces):
        found.append(piece)
        size += len(piece)
        if size >= HELD_SHOWN:
            break
    return "".join(reversed(found))[-HELD_SHOWN:]
