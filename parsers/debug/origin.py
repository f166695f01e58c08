r"""A trace -> where each output character came from, and where each raw character went.

Origins are pieces of an output with their raw span. Pieces of equal length map character by character; a piece that was
written anew (a number, `{"key": `) maps as a whole; a quote or brace that closes something belongs to the marker that
closed it. The account lists every raw character once: in a field, in a marker, or dropped by a named rule.

Source: design.md, decision 7.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from parsers.debug.stages import DeltaRecord, FieldPiece
from parsers.engine.config import ParserEngineConfig
from parsers.engine.events import CALL_ID, NAME_TEXT, EventType, SemanticEvent
from parsers.tokens.base import Span

_JSON_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_NO_SPAN = (0, 0)


class OriginPiece(NamedTuple):
    """Characters `out_start` to `out_end` of an output came from raw characters `start` to `end`, by `rule`."""

    out_start: int
    out_end: int
    start: int
    end: int
    rule: str

    @property
    def exact(self) -> bool:
        """Character by character."""
        return self.out_end - self.out_start == self.end - self.start

    def clipped(self, start: int, end: int) -> Span:
        """The part of its output that comes from a raw range it shares characters with."""
        if not self.exact:
            return self.out_start, self.out_end
        shift = self.out_start - self.start
        return max(start, self.start) + shift, min(end, self.end) + shift


class AccountEntry(NamedTuple):
    """Where raw characters went.

    Attributes:
        where: "field reasoning", "marker THINK_END", "syntax: …" or "dropped: …".
        row: the table row that decided, -1 when none did.
    """

    start: int
    end: int
    where: str
    row: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Both directions of one trace; pieces in output order, the account in raw order."""

    reasoning: tuple[OriginPiece, ...]
    content: tuple[OriginPiece, ...]
    calls: tuple[tuple[OriginPiece, ...], ...]
    account: tuple[AccountEntry, ...]


def source_of(pieces: Sequence[OriginPiece], at: int) -> Span | None:
    """The raw span of the character at `at` of an output; None for one that no raw text stands for."""
    piece = piece_at(pieces, at)
    if piece is None:
        return None
    offset = piece.start + at - piece.out_start
    return (offset, offset + 1) if piece.exact else (piece.start, piece.end)


def piece_at(pieces: Sequence[OriginPiece], at: int) -> OriginPiece | None:
    """The piece that holds the character at `at` of an output."""
    found = bisect_right(pieces, at, key=lambda piece: piece.out_start) - 1
    return pieces[found] if found >= 0 and at < pieces[found].out_end else None


def outputs_of(pieces: Sequence[OriginPiece], start: int, end: int) -> list[Span]:
    """The parts of an output that raw characters `start` to `end` became, in output order."""
    return [piece.clipped(start, end) for piece in pieces if piece.start < end and start < piece.end]


def origin_of(config: ParserEngineConfig, records: Iterable[DeltaRecord]) -> Origin:
    """Collect the origins and the account of a run.

    Args:
        config: the table that ran.
        records: all its deltas, in order.
    """
    book = _Book(config)
    for record in records:
        book.add(record)
    return book.closed()


class _Output:
    """The pieces of one output; neighbours that map character by character become one."""

    def __init__(self) -> None:
        self.pieces: list[OriginPiece] = []
        self.length = 0

    def add(self, size: int, start: int, end: int, rule: str) -> None:
        piece = OriginPiece(self.length, self.length + size, start, end, rule)
        self.length += size
        if start == end:
            return
        last = self.pieces[-1] if self.pieces else None
        if last and last.exact and piece.exact and last[1::2] == (piece.out_start, start) and last.rule == rule:
            self.pieces[-1] = last._replace(out_end=piece.out_end, end=end)
        else:
            self.pieces.append(piece)


class _Book:
    """Fills origin and account, delta by delta."""

    def __init__(self, config: ParserEngineConfig) -> None:
        self._config = config
        self._rows = {f"{config.name}#{index}": index for index in range(len(config.rows))}
        self._fields = {"reasoning": _Output(), "content": _Output()}
        self._calls: list[_Output] = []
        self._held = _NO_SPAN
        self._account: list[AccountEntry] = []

    def add(self, record: DeltaRecord) -> None:
        """Take one delta."""
        for piece in record.pieces:
            self._field_piece(piece)
        markers = {event.start: event.end for event in record.events if event.type is EventType.MARKER}
        for event in record.events:
            self._event(event, markers)

    def closed(self) -> Origin:
        """What was collected."""
        fields = self._fields
        return Origin(
            tuple(fields["reasoning"].pieces),
            tuple(fields["content"].pieces),
            tuple(tuple(output.pieces) for output in self._calls),
            tuple(_merged(_disjoint(sorted(self._account, key=lambda entry: (entry.start, -entry.end))))),
        )

    def _field_piece(self, piece: FieldPiece) -> None:
        if piece.slot == "nowhere":
            self._went(piece.start, piece.end, f"dropped: {piece.rule}")
        elif piece.slot != "arguments":
            self._fields[piece.slot].add(len(piece.text), piece.start, piece.end, piece.rule)
            self._went(piece.start, piece.end, f"field {piece.slot}")

    def _event(self, event: SemanticEvent, markers: dict[int, int]) -> None:
        kind = event.type
        if kind is EventType.MARKER and event.rule == NAME_TEXT and event.tool_index >= 0:
            self._went(event.start, event.end, f"field tool_calls[{event.tool_index}].name")
        elif kind is EventType.MARKER:
            self._went(event.start, event.end, self._marker(event.rule), self._rows.get(event.rule, -1))
        elif kind is EventType.DROPPED:
            self._went(event.start, event.end, f"dropped: {event.rule}")
        elif kind is EventType.TOOL_NAME:
            if event.rule != CALL_ID:
                self._calls.append(_Output())
            self._went(event.start, event.end, f"field tool_calls[{event.tool_index}].name")
        elif kind is EventType.ARG_VALUE_CHUNK:
            self._went(event.start, event.end, f"field tool_calls[{event.tool_index}].arguments")
            self._arguments(event, markers)

    def _arguments(self, event: SemanticEvent, markers: dict[int, int]) -> None:
        start, end = event.start, event.end
        if not event.value:
            self._held = (self._held[0] if self._held != _NO_SPAN else start, end)
            return
        if start == end:
            start, end = self._held if self._held != _NO_SPAN else (start, markers.get(start, end))
        self._held = _NO_SPAN
        output = self._calls[event.tool_index]
        for size, first, last in _parts(event.value, start, end):
            output.add(size, first, last, event.rule)

    def _marker(self, rule: str) -> str:
        row = self._rows.get(rule)
        return f"syntax: {rule}" if row is None else f"marker {self._config.rows[row].terminal}"

    def _went(self, start: int, end: int, where: str, row: int = -1) -> None:
        if end > start:
            self._account.append(AccountEntry(start, end, where, row))


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Cut argument text at its JSON escapes when each of its characters stands for one raw character."""
    sizes = [len(found) for found in _JSON_CHARACTER.findall(text)] if len(text) != end - start else []
    if len(sizes) != end - start:
        yield len(text), start, end
        return
    for offset, size in enumerate(sizes):
        yield size, start + offset, start + offset + 1


def _disjoint(entries: Iterable[AccountEntry]) -> Iterator[AccountEntry]:
    """Take what was dropped out of a name or header that it was written into."""
    open_: AccountEntry | None = None
    for entry in entries:
        if open_ and entry.where.startswith("dropped") and entry.end < open_.end:
            if open_.start < entry.start:
                yield open_._replace(end=entry.start)
            yield entry
            open_ = open_._replace(start=entry.end)
            continue
        if open_:
            yield open_
        open_ = entry
    if open_:
        yield open_


def _merged(entries: Iterable[AccountEntry]) -> Iterator[AccountEntry]:
    """Join neighbours that went to the same place without a row."""
    open_: AccountEntry | None = None
    for entry in entries:
        if open_ and open_.row == entry.row == -1 and (open_.end, open_.where) == (entry.start, entry.where):
            open_ = open_._replace(end=entry.end)
            continue
        if open_:
            yield open_
        open_ = entry
    if open_:
        yield open_
