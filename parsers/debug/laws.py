"""The laws every run keeps, checked from its records: each gives the sentences that say where it is broken.

    Account         every raw character is in a field, in a marker or dropped by a named rule, exactly once
    Cut invariance  the same fields for every cut of the stream
    Growth          what was sent is the beginning of the final answer, at each delta
    JSON            arguments of a complete call are an object, of the declared types where the text allows
    Order           id and name come once and first, indexes rise 0, 1, 2, nothing follows the end
    No leak         no marker in a field where the table has a row for it; nothing hidden is visible
    Table           the table itself is sound (`engine.lint`)

Source: design.md, section 5; card 01 (P-04, P-12, P-33, P-54), card 02 (E-22, E-51).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from parsers.args.schema import ParameterTypes
from parsers.debug.origin import AccountEntry, Origin, OriginPiece, origin_of, piece_at
from parsers.debug.stages import DeltaRecord, FieldCall, Fields, LawReport, ScannerItem
from parsers.engine.config import ParserEngineConfig, ParserState, Row
from parsers.engine.lexer import TEXT
from parsers.engine.lint import lint
from parsers.protocol import DeltaMessage, DeltaToolCall

ACCOUNT, CUTS, GROWTH, JSON, ORDER, LEAK, TABLE = LAWS = (
    "Account", "Cut invariance", "Growth", "JSON", "Order", "No leak", "Table",
)  # fmt: skip
_QUOTED = 40
_TEXT_STATES = {f"text in {state}": state for state in ParserState}


def reports(broken: Mapping[str, Iterable[str]]) -> tuple[LawReport, ...]:
    """One report for each law, in order; a law with no sentences holds."""
    details = {law: next(iter(broken.get(law, ())), "") for law in LAWS}
    return tuple(LawReport(law, not detail, detail) for law, detail in details.items())


def of_run(
    config: ParserEngineConfig,
    by_id: frozenset[str],
    records: Sequence[DeltaRecord],
    fields: Fields,
    typed: Mapping[str, ParameterTypes] | None = None,
) -> dict[str, Iterable[str]]:
    """The laws that one run shows by itself, with the sentences that break them.

    Args:
        config: the table.
        by_id: spellings that count only by id in this stream.
        records: all deltas.
        fields: what they add up to.
        typed: see `json_arguments`.
    """
    origin = origin_of(config, records)
    raw = "".join(record.delta.text for record in records)
    messages = [record.message for record in records]
    return {
        ACCOUNT: account(raw, origin.account),
        JSON: json_arguments(fields.calls, typed),
        ORDER: chain(order(messages), nothing_after_the_end(records)),
        LEAK: no_leak(config, by_id, records, origin),
        TABLE: table(config),
    }


# --- Account ----------------------------------------------------------------------------------------------------------


def account(raw: str, entries: Sequence[AccountEntry]) -> Iterator[str]:
    """Every raw character once.

    Args:
        raw: the visible raw text.
        entries: where its characters went, in raw order.
    """
    at = 0
    for entry in entries:
        if entry.start > at:
            yield f"raw {at} to {entry.start} {quoted(raw[at : entry.start])} is nowhere"
        elif entry.start < at:
            yield f"raw {entry.start} to {at} {quoted(raw[entry.start : at])} is counted twice, again as {entry.where}"
        at = max(at, entry.end)
    if at != len(raw):
        yield f"raw {at} to {len(raw)} {quoted(raw[at:])} is nowhere"


# --- Cut invariance, Growth -------------------------------------------------------------------------------------------


def cut_invariance(reference: Fields, others: Mapping[str, Fields]) -> Iterator[str]:
    """The same fields for every cut.

    Args:
        reference: what one cut gave.
        others: what other cuts gave, by name.
    """
    for name, fields in others.items():
        for difference in differences(reference, fields):
            yield f"cut {name!r}: {difference}"


def differences(expected: Fields, got: Fields) -> Iterator[str]:
    """How two answers differ, field by field."""
    for field, one, other in (
        ("reasoning", expected.reasoning, got.reasoning),
        ("content", expected.content, got.content),
    ):
        if one != other:
            yield f"{field} is {quoted(other)}, not {quoted(one)}"
    if len(expected.calls) != len(got.calls):
        yield f"{len(got.calls)} calls, not {len(expected.calls)}"
    for index, (call, other_call) in enumerate(zip(expected.calls, got.calls, strict=False)):
        if call != other_call:
            yield f"call {index} is {_call_text(other_call)}, not {_call_text(call)}"


def growth(messages: Iterable[DeltaMessage | None], final: Fields) -> Iterator[str]:
    """Each delta continues what was sent, towards the answer that the whole output has at once.

    Args:
        messages: the deltas.
        final: the answer without streaming, cut calls included.
    """
    sent: dict[str, int] = {}
    whole = {f"arguments of call {index}": call.arguments for index, call in enumerate(final.calls)}
    whole |= {"reasoning": final.reasoning or "", "content": final.content or ""}
    for number, message in enumerate(messages, 1):
        for field, text in _texts(message):
            start = sent.get(field, 0)
            sent[field] = start + len(text)
            if not whole.get(field, "").startswith(text, start):
                yield f"delta {number}: {quoted(text)} does not continue the {field} towards its final text"
                return


def _texts(message: DeltaMessage | None) -> Iterator[tuple[str, str]]:
    if message is None:
        return
    if message.reasoning:
        yield "reasoning", message.reasoning
    if message.content:
        yield "content", message.content
    for call in message.tool_calls:
        if call.function and call.function.arguments:
            yield f"arguments of call {call.index}", call.function.arguments


# --- JSON -------------------------------------------------------------------------------------------------------------


def json_arguments(calls: Sequence[FieldCall], typed: Mapping[str, ParameterTypes] | None = None) -> Iterator[str]:
    """Arguments of complete calls parse to an object.

    Args:
        calls: the calls of an answer.
        typed: function name -> parameter types, for a format whose values are raw text that a schema types; None for
            one whose arguments are the model's own JSON.
    """
    for index, call in enumerate(calls):
        if not call.complete:
            continue
        try:
            value = json.loads(call.arguments)
        except ValueError as error:
            yield f"arguments of call {index} are not JSON: {error}"
            continue
        if not isinstance(value, dict):
            yield f"arguments of call {index} are no object: {quoted(call.arguments)}"
        elif typed and call.name in typed:
            yield from (f"call {index}: {problem}" for problem in _untyped_values(value, typed[call.name]))


def _untyped_values(arguments: Mapping[str, object], types: ParameterTypes) -> Iterator[str]:
    """Values left as text although their text fits a declared type."""
    for key, value in arguments.items():
        if isinstance(value, str) and types.declared(key) and not isinstance(types.value(key, value), str):
            yield f"{key} is the text {quoted(value)}, but its schema makes a value of it"


# --- Order ------------------------------------------------------------------------------------------------------------


def order(messages: Iterable[DeltaMessage | None]) -> Iterator[str]:
    """Calls begin in order, with id and name once and first (P-04, P-54)."""
    begun = 0
    for number, message in enumerate(messages, 1):
        for call in message.tool_calls if message else ():
            problem = _out_of_order(call, begun)
            if problem:
                yield f"delta {number}: {problem}"
            begun = max(begun, call.index + 1)


def nothing_after_the_end(records: Sequence[DeltaRecord]) -> Iterator[str]:
    """The last delta is the only one that finishes, and nothing is sent after it (P-33)."""
    for number, record in enumerate(records[:-1], 1):
        if record.delta.finished:
            yield f"delta {number} finishes the stream, but {len(records) - number} follow"
            return


def _out_of_order(call: DeltaToolCall, begun: int) -> str:
    name = call.function.name if call.function else None
    if call.index == begun:
        return "" if name and call.id and call.type else f"call {call.index} begins without id, type or name"
    if call.index > begun:
        return f"call {call.index} comes before call {begun}"
    if name is not None or call.id is not None or call.type is not None:
        return f"call {call.index} tells id, type or name again"
    return "" if call.index == begun - 1 else f"call {call.index} goes on after call {begun - 1} has begun"


# --- No leak ----------------------------------------------------------------------------------------------------------


def no_leak(
    config: ParserEngineConfig, by_id: frozenset[str], records: Sequence[DeltaRecord], origin: Origin
) -> Iterator[str]:
    """No marker is in a field where the table has a row for it, unless a row passed it on as text.

    A marker without a row in its state is text (E-51), and so is one spelled by ordinary tokens when markers count by
    id (E-22), one whose row has a condition that does not hold, and everything a rule gave back.

    Args:
        config: the table.
        by_id: spellings that count only by id in this stream.
        records: all deltas.
        origin: where the fields came from.
    """
    rows = frozenset((row.state, row.terminal) for row in config.rows if _always_counts(config, row))
    seen = {lexeme.start for record in records for lexeme in record.lexemes if lexeme.name != TEXT}
    for field, pieces in (("reasoning", origin.reasoning), ("content", origin.content)):
        text = "".join(p.text for record in records for p in record.pieces if p.slot == field)
        for state, spelling in _spellings(config, rows):
            for start in _places(spelling, text, pieces, state) if spelling not in by_id else ():
                if start not in seen:
                    yield f"{field} holds the marker {quoted(spelling)} of {state} (raw {start})"
        for item in _marker_items(records):
            inside = _state_at(pieces, item.start)
            if (inside, item.terminal) in rows and item.start not in seen:
                yield f"{field} holds the token {quoted(item.text)} of {inside} (raw {item.start})"


def no_hidden_reasoning(include_reasoning: bool, messages: Iterable[DeltaMessage | None]) -> Iterator[str]:
    """A request that hides reasoning gets none (P-40)."""
    if not include_reasoning and any(message and message.reasoning for message in messages):
        yield "reasoning is sent although the request hides it"


def _always_counts(config: ParserEngineConfig, row: Row) -> bool:
    """The row takes its marker whatever comes before and after it."""
    terminal = config.terminals.get(row.terminal)
    return terminal is not None and not (terminal.followed_by or terminal.delimiter or row.unless)


def _spellings(config: ParserEngineConfig, rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for state, name in rows:
        for spelling in config.terminals[name].spellings:
            yield state, spelling


def _places(spelling: str, text: str, pieces: Sequence[OriginPiece], state: str) -> Iterator[int]:
    """Raw positions of a spelling in a field, where it stood like that in the raw text of a state."""
    at = text.find(spelling)
    while at >= 0:
        piece = piece_at(pieces, at)
        whole = piece is not None and piece.exact and at + len(spelling) <= piece.out_end
        if piece and whole and _TEXT_STATES.get(piece.rule) == state:
            yield piece.start + at - piece.out_start
        at = text.find(spelling, at + 1)


def _marker_items(records: Iterable[DeltaRecord]) -> Iterator[ScannerItem]:
    return (item for record in records for item in record.items if item.terminal and item.text)


def _state_at(pieces: Sequence[OriginPiece], raw: int) -> str | None:
    """The state in which the raw character at `raw` became text of a field; None when it did not."""
    found = bisect_right(pieces, raw, key=lambda piece: piece.start) - 1
    return _TEXT_STATES.get(pieces[found].rule) if found >= 0 and raw < pieces[found].end else None


# --- Table ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def table(config: ParserEngineConfig) -> tuple[str, ...]:
    """What is wrong with the table."""
    return tuple(lint(config))


# --- words ------------------------------------------------------------------------------------------------------------


def quoted(text: str | None) -> str:
    """A text for a sentence, its middle left out when it is long."""
    if text is None:
        return "absent"
    return repr(text if len(text) <= _QUOTED else f"{text[: _QUOTED // 2]}…{text[-_QUOTED // 2 :]}")


def _call_text(call: FieldCall) -> str:
    return f"{call.name}({quoted(call.arguments)}){'' if call.complete else ', cut off'}"
