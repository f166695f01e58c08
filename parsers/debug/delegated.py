"""Watches a delegating parser from outside: its two engines, its phases and its state, as records of every delta.

The engines of its adapters are watched as any engine is; what they say is put together into one record a delta, with
rows counted in the joined table. Text that no engine reads (classic parsers, text passed on as it stands) is looked for
in the raw output, in order, so that it has an origin too; what a classic parser took for markup lies between.

Laws: a watched parser returns what an unwatched one does; every raw character has one place in the account.

Source: card 04; design.md, decisions 7 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from parsers.compose.adapters import EngineReasoningParser, EngineToolParser
from parsers.compose.delegating import DelegatingParser
from parsers.compose.stream_state import Step
from parsers.composition import Parser, table_of
from parsers.debug.finder import Finder
from parsers.debug.phases import PHASES, DelegatingStep, described, flags, state_values
from parsers.debug.stages import DeltaRecord, FieldPiece, ReasoningGate, RowTaken, Slot
from parsers.debug.trace import Tracer, attach
from parsers.engine.config import ParserEngineConfig
from parsers.engine.events import EventType, SemanticEvent
from parsers.legacy.base import ReasoningParser
from parsers.protocol import DeltaMessage
from parsers.tokens.base import Delta, Span

_AS_IT_STANDS = "passed on as it stands (D-30, D-40)"
_CLASSIC = "found in the raw output behind a classic parser"
_CALL_EVENTS = frozenset(
    {EventType.TOOL_CALL_START, EventType.TOOL_NAME, EventType.ARG_VALUE_CHUNK, EventType.TOOL_CALL_END}
)


class DelegatingTracer:
    """The wrappers on one delegating parser.

    Attributes:
        records: one for each delta since the wrappers were put on.
        steps: for each delta the state before and after, and what its phases did.
    """

    def __init__(self, parser: DelegatingParser) -> None:
        self.records: list[DeltaRecord] = []
        self.steps: list[DelegatingStep] = []
        self._parser = parser
        start = table_of(parser)[0]
        self._config, self._state = start.config, start.state
        reasoning, tool = parser.reasoning, parser.tool
        self._engines = [
            _Engine(Tracer(engine), self._config, engine.start.config)
            for engine in (
                reasoning.half if isinstance(reasoning, EngineReasoningParser) else None,
                tool.inner if isinstance(tool, EngineToolParser) else None,
            )
            if engine is not None
        ]
        self._reads_calls = isinstance(tool, EngineToolParser) and parser.forced is None
        self._takes_over = isinstance(tool, EngineToolParser) and not _is_engine(reasoning)
        self._finder = Finder(_AS_IT_STANDS if parser.state.engine_based else _CLASSIC)
        self._shown = 0
        self._totals = _Totals()
        self._gate = ReasoningGate(parser.reasoning_ended)
        self._phases: list[tuple[int, str]] = []
        self._values = state_values(parser.state)
        self._watched: list[str] = []
        self._parse = parser.parse_delta
        self._wrap("parse_delta", self._parse_delta)
        self._wrap_phases()

    def detach(self) -> None:
        """Take the wrappers off; the parser is as before, with all it has read."""
        for name in self._watched:
            del vars(self._parser)[name]
        self._watched.clear()
        for engine in self._engines:
            engine.tracer.detach()

    def _wrap(self, name: str, watch: Callable[..., Any]) -> None:
        vars(self._parser)[name] = watch
        self._watched.append(name)

    def _wrap_phases(self) -> None:
        parser = self._parser
        methods = (
            parser.hear_prompt, parser.advance, parser.reason, parser.switch,
            parser.prepare, parser.call_tools, parser.pass_through, parser.finish,
        )  # fmt: skip
        for number, (name, method) in enumerate(zip(PHASES, methods, strict=True)):
            self._wrap(name, self._phase(number, method))

    def _phase(self, number: int, method: Callable[[Step], None]) -> Callable[[Step], None]:
        def watched(step: Step) -> None:
            delta = _copy(step.delta)
            before = flags(self._parser.state)
            method(step)
            clause = described(number, self._parser, step, delta, before)
            if clause:
                self._phases.append((number, clause))

        return watched

    # --- one delta --------------------------------------------------------------------------------------

    def _parse_delta(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[Span] | None = None, finished: bool = False
    ) -> DeltaMessage | None:
        self._phases = []
        message = self._parse(text, ids, spans, finished)
        delta = Delta(text, tuple(ids), None if spans is None else tuple(spans), finished)
        self._shown += len(text)
        self.records.append(self._record(delta, message))
        before, self._values = self._values, state_values(self._parser.state)
        self.steps.append(DelegatingStep(before, self._values, tuple(self._phases)))
        return message

    def _record(self, delta: Delta, message: DeltaMessage | None) -> DeltaRecord:
        read = [record for engine in self._engines for record in engine.take()]
        events = [event for record in read for event in record.events]
        pieces = [piece for record in read for piece in record.pieces]
        before, self._state = self._state, read[-1].state if read else self._state
        events, pieces = self._completed(delta, message or DeltaMessage(), events, pieces)
        self._totals.add(pieces)
        self._gate = self._reasoning_gate(read)
        last = read[-1] if read else None
        return DeltaRecord(
            delta=delta,
            shown=self._shown,
            items=tuple([item for record in read for item in record.items]),
            deferred=last.deferred if last else (),
            lexemes=tuple([lexeme for record in read for lexeme in record.lexemes]),
            buffer=last.buffer if last else "",
            candidates=last.candidates if last else (),
            before=before,
            state=self._state,
            rows=tuple([row for record in read for row in record.rows]),
            waiting=last.waiting if last else 0,
            events=tuple(events),
            codec=last.codec if last else None,
            gate=self._gate,
            pieces=tuple(pieces),
            lengths=self._totals.lengths,
            call=_touched(events, last),
            arguments=self._totals.arguments,
            message=message,
        )

    def _completed(
        self, delta: Delta, message: DeltaMessage, events: list[SemanticEvent], pieces: list[FieldPiece]
    ) -> tuple[list[SemanticEvent], list[FieldPiece]]:
        """What the engines said, without what was not sent, and with what others sent."""
        finder = self._finder
        finder.read(delta.text)
        pieces = _sent(_sent(pieces, "reasoning", message.reasoning), "content", message.content)
        said = {piece.slot for piece in pieces}
        places = [(item.start, item.end) for item in events if item.end > item.start]
        places += [(piece.start, piece.end) for piece in pieces if piece.end > piece.start]
        if message.reasoning and "reasoning" not in said:
            pieces.append(finder.piece("reasoning", message.reasoning))
        self._pass_over(places)
        if message.content and "content" not in said:
            pieces.append(finder.piece("content", message.content))
        if not self._reads_calls:
            pieces += finder.calls(message.tool_calls)
        events += finder.taken_events()
        if delta.finished:
            events += finder.rest(self._parser, ends_calls=not self._reads_calls)
        return events, pieces

    def _pass_over(self, places: Sequence[Span]) -> None:
        """Engines have placed this raw text; what lies before the first place of a tool half was somebody's markup."""
        if not places:
            return
        if self._takes_over:
            self._finder.claim_until(min(places)[0])
            self._takes_over = False
        self._finder.skip_to(max(end for _, end in places))

    def _reasoning_gate(self, read: list[DeltaRecord]) -> ReasoningGate:
        if self._gate.ended or not self._parser.reasoning_ended:
            return self._gate
        rows = [record.gate.row for record in read if record.gate.ended]
        return ReasoningGate(True, len(self.records), rows[0] if rows else -1)


class _Engine:
    """One watched engine, its rows counted in the joined table."""

    def __init__(self, tracer: Tracer, joined: ParserEngineConfig, own: ParserEngineConfig) -> None:
        self.tracer = tracer
        places = {(row.state, row.terminal): index for index, row in enumerate(joined.rows)}
        self._row = {index: places.get((row.state, row.terminal), -1) for index, row in enumerate(own.rows)} | {-1: -1}
        self._rule = {f"{own.name}#{index}": f"{joined.name}#{row}" for index, row in self._row.items() if row >= 0}
        self._same = own is joined

    def take(self) -> list[DeltaRecord]:
        """The records since the last call."""
        records = self.tracer.records[:]
        self.tracer.records.clear()
        return records if self._same else [self._translated(record) for record in records]

    def _translated(self, record: DeltaRecord) -> DeltaRecord:
        rule = self._rule
        return replace(
            record,
            rows=tuple([RowTaken(self._row[r], s) for r, s in record.rows if self._row[r] >= 0]),
            events=tuple([event._replace(rule=rule.get(event.rule, event.rule)) for event in record.events]),
            gate=replace(record.gate, row=self._row[record.gate.row]),
        )


class _Totals:
    """Characters put into each field so far."""

    def __init__(self) -> None:
        self.lengths = (0, 0)
        self.arguments: tuple[int, ...] = ()

    def add(self, pieces: Sequence[FieldPiece]) -> None:
        reasoning, content = self.lengths
        sizes = list(self.arguments)
        for piece in pieces:
            reasoning += len(piece.text) if piece.slot == "reasoning" else 0
            content += len(piece.text) if piece.slot == "content" else 0
            if piece.slot == "arguments":
                sizes += [0] * (piece.call + 1 - len(sizes))
                sizes[piece.call] += len(piece.text)
        self.lengths, self.arguments = (reasoning, content), tuple(sizes)


def _is_engine(parser: ReasoningParser | None) -> bool:
    return parser is None or parser.engine_based_streaming


def _sent(pieces: list[FieldPiece], slot: Slot, text: str | None) -> list[FieldPiece]:
    """The pieces, without those of a field that were not sent as they are; hidden reasoning goes nowhere (D-48)."""
    if "".join(piece.text for piece in pieces if piece.slot == slot) == (text or ""):
        return pieces
    if slot == "reasoning" and not text:
        return [_hidden(piece) if piece.slot == slot else piece for piece in pieces]
    return [piece for piece in pieces if piece.slot != slot]


def _hidden(piece: FieldPiece) -> FieldPiece:
    return piece._replace(slot="nowhere", rule="hidden reasoning (D-48)")


def _touched(events: Sequence[SemanticEvent], last: DeltaRecord | None) -> int:
    touched = [event.tool_index for event in events if event.type in _CALL_EVENTS]
    return touched[-1] if touched else (last.call if last else -1)


def _copy(delta: DeltaMessage | None) -> DeltaMessage | None:
    return None if delta is None else replace(delta, tool_calls=[*delta.tool_calls])


def watch(parser: Parser) -> Tracer | DelegatingTracer:
    """Start to watch a parser of either composition."""
    return DelegatingTracer(parser) if isinstance(parser, DelegatingParser) else attach(parser)
