"""Trace -> the bytes a browser gets: columns of compact JSON, gzipped.

Every text is there once and each delta keeps lengths, so the size grows with the output, not with its square. Offsets
are UTF-16 units, as JavaScript counts, 0-based, half-open. Law: the same trace gives the same bytes.

Source: design.md, decision 10; card ui (3).
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from parsers.debug.explain import explain, spelled
from parsers.debug.origin import AccountEntry, Origin, OriginPiece, origin_of
from parsers.debug.packserved import serving_json
from parsers.debug.phases import FIELDS, PHASES, DelegatingStep
from parsers.debug.stages import CodecView, DeltaRecord, ReasoningGate, RowTaken, Trace
from parsers.engine.config import ParserEngineConfig, ParserState
from parsers.protocol import DeltaMessage, JsonObject
from parsers.tokens.base import REPLACEMENT, Span

VERSION = 1
CODEC_TAIL = 400
"""Characters of raw text shown of an open codec."""
_LEVEL = 3  # columns of numbers get no smaller at 6, only slower
_KINDS = {"field reasoning": 0, "field content": 1, "field tool_calls": 2, "marker": 3, "syntax": 3, "dropped": 4}
_MARKER, _DROPPED = 3, 4

Columns = dict[str, object]
Units = Callable[[int], int]
"""A position in characters to one in UTF-16 units."""


def pack(trace: Trace) -> bytes:
    """Pack a trace; 50,000 deltas take two or three seconds."""
    text = json.dumps(columns(trace), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), _LEVEL, mtime=0)


def columns(trace: Trace) -> Columns:
    """The trace as the JSON object that the browser reads."""
    return _Packer(trace).packed()


def utf16_units(text: str) -> Units:
    """How positions in `text` are counted in UTF-16."""
    astral = [] if not text or max(text) <= "\uffff" else [at for at, char in enumerate(text) if char > "\uffff"]
    return (lambda at: at + bisect_left(astral, at)) if astral else (lambda at: at)


class _Packer:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._raw = utf16_units(trace.raw)
        self._reasoning = utf16_units(trace.reasoning or "")
        self._content = utf16_units(trace.content or "")
        self._calls = [utf16_units(call.arguments) for call in trace.calls]
        self._states = states_of(trace.config, trace.start.state)
        self._state = {state: index for index, state in enumerate(self._states)}
        self._edges = list(dict.fromkeys([*edges_of(trace.config), *(row for r in trace.records for row in r.rows)]))
        self._edge = {edge: index for index, edge in enumerate(self._edges)}
        self._row_edge = {edge.row: index for index, edge in reversed([*enumerate(self._edges)])} | {-1: -1}
        self._origin = origin_of(trace.config, trace.records)

    def packed(self) -> Columns:
        sentences, why = _numbered(explain(self._trace))
        return {
            "version": VERSION,
            "meta": self._meta(),
            "raw": self._trace.raw,
            "states": self._states,
            "rows": [self._edge_json(edge) for edge in self._edges],
            "markers": self._markers(),
            "fields": self._fields(),
            "tokens": self._tokens(),
            "steps": self._steps() | {"why": why},
            "sentences": sentences,
            "origin": self._origin_json(self._origin),
            "account": [self._account_json(entry) for entry in self._origin.account],
            "laws": [{"law": law.law, "ok": law.ok, "detail": law.detail} for law in self._trace.laws],
            "serving": serving_json(self._trace.served),
            "delegating": None if self._trace.delegating is None else _delegating_json(self._trace.delegating),
        }

    # --- what stays the same over all deltas --------------------------------------------------------------

    def _meta(self) -> Columns:
        meta, start = self._trace.meta, self._trace.start
        return {
            "reasoning": meta.reasoning,
            "tool": meta.tool,
            "tokenizer": meta.tokenizer,
            "cuts": meta.cuts,
            "call_commit": meta.call_commit,
            "start": start.state,
            "start_why": start.why,
            "finish_reason": meta.finish_reason,
            "deltas": len(self._trace.records),
            "parse_ms": round(meta.parse_ms, 2),
            "trace_id": meta.trace_id,
        }

    def _edge_json(self, edge: RowTaken) -> Columns:
        row = self._trace.config.rows[edge.row]
        return {
            "from": self._state[row.state],
            "terminal": row.terminal,
            "to": self._state[edge.state],
            "events": [str(event) for event in row.events],
            "note": row.note,
            "recovery": row.recovery,
            "id": f"{self._trace.config.name}#{edge.row}",
        }

    def _markers(self) -> list[Columns]:
        by_id = self._trace.by_id
        return [
            {"name": name, "spelling": spelled(terminal.spellings[0]), "token": terminal.spellings[0] in by_id}
            for name, terminal in self._trace.config.terminals.items()
        ]

    def _fields(self) -> Columns:
        trace = self._trace
        calls = [
            {"index": c.index, "id": c.id, "name": c.name, "arguments": c.arguments, "complete": c.complete}
            for c in trace.calls
        ]
        return {"reasoning": trace.reasoning, "content": trace.content, "calls": calls}

    def _tokens(self) -> Columns:
        tokens, raw = self._trace.tokens, self._raw
        return {
            "id": None if tokens.ids is None else list(tokens.ids),
            "text": list(tokens.texts),
            "start": [raw(start) for start, _ in tokens.spans],
            "end": [raw(end) for _, end in tokens.spans],
            "kind": self._kinds(),
        }

    def _kinds(self) -> list[int]:
        account = self._origin.account
        starts = [entry.start for entry in account]
        spellings = {s for terminal in self._trace.config.terminals.values() for s in terminal.spellings}

        def kind(text: str, span: Span) -> int:
            if span[0] == span[1] and text and REPLACEMENT not in text:
                return _MARKER if text in spellings else _DROPPED
            at = bisect_right(starts, span[0]) - 1
            return _kind_of(account[at]) if at >= 0 else _DROPPED

        return [kind(text, span) for text, span in zip(self._trace.tokens.texts, self._trace.tokens.spans, strict=True)]

    def _origin_json(self, origin: Origin) -> Columns:
        return {
            "reasoning": self._pieces(origin.reasoning, self._reasoning),
            "content": self._pieces(origin.content, self._content),
            "calls": [self._pieces(p, units) for p, units in zip(origin.calls, self._calls, strict=True)],
        }

    def _pieces(self, pieces: Iterable[OriginPiece], out: Units) -> list[list[object]]:
        raw = self._raw
        return [[out(p.out_start), out(p.out_end), raw(p.start), raw(p.end), p.rule] for p in pieces]

    def _account_json(self, entry: AccountEntry) -> list[object]:
        return [self._raw(entry.start), self._raw(entry.end), entry.where, self._row_edge[entry.row]]

    # --- columns ----------------------------------------------------------------------------------------

    def _steps(self) -> Columns:
        # Tuples rather than lists: the collector leaves tuples of plain values alone, and there are very many.
        trace, records, raw = self._trace, self._trace.records, self._raw
        messages = [_message(r.message) for r in records]
        return {
            "tok": trace.tokens.first,
            "shown": [raw(r.shown) for r in records],
            "detok": trace.detok,
            "items": [tuple([_item(name, text) for name, text, _, _ in r.items]) for r in records],
            "deferred": [r.deferred for r in records],
            "buffer": [r.buffer for r in records],
            "candidates": [r.candidates for r in records],
            "state": [self._state[r.state] for r in records],
            "rows": [tuple([self._edge[row] for row in r.rows]) for r in records],
            "events": [self._events(r) for r in records],
            "codec": [None if r.codec is None else self._codec(r.codec, r.call) for r in records],
            "gate": [self._gate(r.gate) for r in records],
            "message": messages,
            "client": [
                packed if sent is r.message else _message(sent)
                for sent, r, packed in zip(trace.clients, records, messages, strict=True)
            ],
            "r": [self._reasoning(r.lengths[0]) for r in records],
            "c": [self._content(r.lengths[1]) for r in records],
            "call": [r.call for r in records],
            "a": [tuple([units(n) for units, n in zip(self._calls, r.arguments, strict=False)]) for r in records],
        }

    def _events(self, record: DeltaRecord) -> tuple[tuple[object, ...], ...]:
        raw = self._raw
        return tuple([(e.type, e.value, e.tool_index, raw(e.start), raw(e.end), e.rule) for e in record.events])

    def _codec(self, view: CodecView, call: int) -> Columns:
        raw = self._raw
        arguments = self._calls[call] if call >= 0 else int
        return {
            "kind": view.kind,
            "raw": self._trace.raw[max(view.start, view.end - CODEC_TAIL) : view.end],
            "raw_len": raw(view.end) - raw(view.start),
            "json_len": arguments(view.json_len),
            "depth": view.depth,
            "in_string": view.in_string,
            "held": view.held,
        }

    def _gate(self, gate: ReasoningGate) -> tuple[bool, int, int]:
        return (gate.ended, gate.since, self._row_edge[gate.row])


def _delegating_json(steps: Sequence[DelegatingStep]) -> Columns:
    return {
        "phases": PHASES,
        "fields": FIELDS,
        "steps": [{"before": step.before, "after": step.after, "phases": step.phases} for step in steps],
    }


def states_of(config: ParserEngineConfig, start: str) -> list[str]:
    """States a table uses, in drawing order."""
    rows = [state for row in config.rows for state in (row.state, row.next)]
    used = dict.fromkeys([ParserState.CONTENT, start, *rows, *(rule.next for rule in config.headers)])
    order = list(ParserState)
    known = sorted((state for state in used if state in order), key=lambda state: order.index(ParserState(state)))
    return [str(state) for state in [*known, *(state for state in used if state and state not in order)]]


def edges_of(config: ParserEngineConfig) -> list[RowTaken]:
    """The edges of the graph: one a row, but one for each outcome where a header decides."""
    outcomes = list(dict.fromkeys(rule.next for rule in config.headers))
    return [
        RowTaken(index, str(state))
        for index, row in enumerate(config.rows)
        for state in ([row.next] if row.next else outcomes)
    ]


def _numbered(sentences: Iterable[str]) -> tuple[list[str], list[int]]:
    """The distinct sentences, and for each delta which one."""
    numbers: dict[str, int] = {}
    why = [numbers.setdefault(sentence, len(numbers)) for sentence in sentences]
    return list(numbers), why


def _kind_of(entry: AccountEntry) -> int:
    return next(kind for prefix, kind in _KINDS.items() if entry.where.startswith(prefix))


def _item(name: str, text: str) -> tuple[str, ...]:
    return ("special", name, text) if name else ("text", text)


def _message(message: DeltaMessage | None) -> JsonObject | None:
    return None if message is None else message.as_json()
