"""What every stage of a parser held and did in one delta, as frozen records.

`trace` fills them while a parser runs; `pack` turns them into columns, `origin` and `laws` read them. All positions are
characters of the raw output, 0-based, half-open.

Source: design.md, decisions 7 and 9; card 02 (E-10).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parsers.compose.start import Start
from parsers.debug.phases import DelegatingStep
from parsers.debug.served import Served
from parsers.engine.config import ParserEngineConfig
from parsers.engine.events import SemanticEvent
from parsers.engine.lexer import Lexeme
from parsers.protocol import AccumulatedCall, Accumulator, DeltaMessage
from parsers.tokens.base import Delta, Span

Slot = Literal["reasoning", "content", "arguments", "nowhere"]


class ScannerItem(NamedTuple):
    """A piece the scanner placed.

    Attributes:
        terminal: name of the marker a token stands for, "" for plain text.
        text: as in the raw output; empty for a token whose text is skipped.
    """

    terminal: str
    text: str
    start: int
    end: int


class RowTaken(NamedTuple):
    """A table row that was applied.

    Attributes:
        row: 0-based place in the table.
        state: the state it led to; told apart from the row's own because a header decides some.
    """

    row: int
    state: str


class FieldPiece(NamedTuple):
    """Text that was put into a field, or that a trim rule put nowhere.

    Attributes:
        call: index of the call for arguments, else -1.
        start, end: the raw span it comes from; empty when no raw text stands for it.
    """

    slot: Slot
    call: int
    text: str
    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class CodecView:
    """The argument codec after a delta.

    Attributes:
        kind: which codec.
        start, end: raw text it has read, from the call's (or region's) beginning.
        json_len: characters of JSON it has let go for this call: the watermark.
        depth: open brackets.
        in_string: inside a string, where a marker is data.
        held: text it keeps back; the last 400 characters of it.
    """

    kind: str
    start: int
    end: int
    json_len: int
    depth: int
    in_string: bool
    held: str


@dataclass(frozen=True, slots=True)
class ReasoningGate:
    """Whether reasoning has ended.

    Attributes:
        since: the delta (0-based) in which it ended, -1 when it has not or was over from the start.
        row: the table row that ended it, -1 when none did.
    """

    ended: bool
    since: int = -1
    row: int = -1


@dataclass(frozen=True, slots=True)
class DeltaRecord:
    """One delta, stage by stage.

    Attributes:
        delta: the input.
        shown: raw characters received so far.
        items: what the scanner placed.
        deferred: markers whose id came and whose text has not.
        lexemes: what the lexer cut, in order.
        buffer: text the lexer keeps.
        candidates: markers the kept text may become.
        before, state: the machine's state before and after.
        rows: table rows applied.
        waiting: events kept until their tool region is surely a call, so far.
        events: what the gate let through; `tool_index` counts announced calls.
        codec: None when no arguments were read.
        gate: the reasoning gate.
        pieces: what was put into fields.
        lengths: characters of reasoning and content so far.
        call: index of the announced call that is open, else -1.
        arguments: characters of each call's arguments so far.
        message: what the parser returned.
    """

    delta: Delta
    shown: int
    items: tuple[ScannerItem, ...]
    deferred: tuple[str, ...]
    lexemes: tuple[Lexeme, ...]
    buffer: str
    candidates: tuple[str, ...]
    before: str
    state: str
    rows: tuple[RowTaken, ...]
    waiting: int
    events: tuple[SemanticEvent, ...]
    codec: CodecView | None
    gate: ReasoningGate
    pieces: tuple[FieldPiece, ...]
    lengths: tuple[int, int]
    call: int
    arguments: tuple[int, ...]
    message: DeltaMessage | None


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a stream; without ids each delta counts as one.

    Attributes:
        ids: None for a stream without ids.
        texts: what each shows, or its own spelling when it shows nothing.
        spans: raw span of each.
        first: for each delta the index of its first token, and one closing entry.
    """

    ids: tuple[int, ...] | None
    texts: tuple[str, ...]
    spans: tuple[Span, ...]
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TraceMeta:
    """What a trace is of.

    Attributes:
        trace_id: the same for the same settings.
        finish_reason: what the client is told.
        parse_ms: time to parse the same deltas without tracing, in milliseconds.
    """

    reasoning: str | None
    tool: str | None
    tokenizer: str
    cuts: str
    call_commit: str
    trace_id: str
    finish_reason: str | None
    parse_ms: float


@dataclass(frozen=True, slots=True)
class FieldCall:
    """One call as the deltas added up to it; `complete` is False when the output ended inside it."""

    name: str
    arguments: str
    complete: bool


@dataclass(frozen=True, slots=True)
class Fields:
    """What all deltas of a run add up to, without what differs between equal runs (ids)."""

    reasoning: str | None
    content: str | None
    calls: tuple[FieldCall, ...]

    @classmethod
    def of(cls, messages: Iterable[DeltaMessage | None], complete: Container[int]) -> Fields:
        """Add up deltas.

        Args:
            messages: what a parser said to each.
            complete: indexes of the calls whose end it saw.
        """
        client = Accumulator()
        for message in messages:
            client.add(message)
        calls = [FieldCall(call.name or "", call.arguments, call.index in complete) for call in client.calls]
        return cls(client.reasoning, client.content, tuple(calls))


@dataclass(frozen=True, slots=True)
class LawReport:
    """Whether one law held; `detail` says where it broke, "" when it holds."""

    law: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of a parser over one output, complete.

    Attributes:
        config: the table that ran.
        start: why it started where it did.
        raw: the visible raw text.
        tokens: the tokens it is made of.
        detok: for each delta the text the detokenizer keeps after it.
        records: one for each delta.
        by_id: marker spellings that count only by their token ids in this stream.
        clients: what the client receives for each delta, None for nothing.
        reasoning, content, calls: what the parser's deltas add up to.
        served: what the serving layer makes of it.
        delegating: the phases of each delta and the state around them; None for an engine that runs alone.
        laws: the laws of `debug.laws`, checked.
    """

    meta: TraceMeta
    config: ParserEngineConfig
    start: Start
    raw: str
    tokens: Tokens
    detok: tuple[str, ...]
    records: tuple[DeltaRecord, ...]
    by_id: frozenset[str]
    clients: tuple[DeltaMessage | None, ...]
    reasoning: str | None
    content: str | None
    calls: tuple[AccumulatedCall, ...]
    served: Served
    delegating: tuple[DelegatingStep, ...] | None = None
    laws: tuple[LawReport, ...] = ()
