"""A reasoning format and a tool format become one table, so any pair of names runs as one machine fed once.

Rules: a tool opener inside thinking ends it (R-TOOL) unless the format forbids that; content begins where the tool
format's first markers count; terminals that only share a name get names of their own; one spelling with two meanings
is refused by name. Source: design.md decision 2, INDEX-1 feature 10, INDEX-2 feature 20.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parsers.engine.config import HeaderRule, ParserEngineConfig, Row, Sink, Terminal
from parsers.errors import FormatError
from parsers.formats.base import EVERYTHING, R_END, S

PLAIN = ParserEngineConfig(name="none")


def join(reasoning: ParserEngineConfig | None, tools: ParserEngineConfig | None) -> ParserEngineConfig:
    """One table for a pair; either may be None.

    The tool format's openers also count inside reasoning and end it, unless the reasoning format forbids that (R-TOOL).

    Raises:
        FormatError: the two give one marker two meanings; names both.
    """
    if reasoning is None or tools is None:
        return tools or reasoning or PLAIN
    if reasoning is tools:
        return reasoning
    tools = _renamed(tools, reasoning)
    _check_conflicts(reasoning, tools)
    after_thinking = S.START if tools.initial == S.START else S.CONTENT
    rows = _content_begins_in(after_thinking, _whole(reasoning.rows, tools))
    rows += _missing(rows, _whole(tools.rows, reasoning))
    if reasoning.tool_ends_reasoning and reasoning.switch is not None:
        rows += _missing(rows, _tool_openers_in_reasoning(reasoning, tools))
    return tools.but(
        name=f"{reasoning.name}+{tools.name}",
        terminals=_merged(reasoning.terminals, tools.terminals),
        tokens=tuple(dict.fromkeys(reasoning.tokens + tools.tokens)),
        rows=tuple(rows),
        headers=_headers_into(after_thinking, _joined_headers(reasoning, tools)),
        sinks={**reasoning.sinks, **tools.sinks},
        initial=_initial(reasoning, tools),
        content_initial=S.START if after_thinking == S.START else reasoning.content_initial,
        switch=reasoning.switch,
        prompt_open=reasoning.prompt_open,
        prompt_closed=reasoning.prompt_closed,
        turn_boundaries=tuple(dict.fromkeys(reasoning.turn_boundaries + tools.turn_boundaries)),
        special=tuple(dict.fromkeys(reasoning.special + tools.special)),
        required=tuple(dict.fromkeys(reasoning.required + tools.required)),
        reasoning_trim=reasoning.reasoning_trim,
        content_trim=tools.content_trim,
        content_prefix=reasoning.content_prefix,
        escaped_newlines=reasoning.escaped_newlines or tools.escaped_newlines,
        never_empty=reasoning.never_empty,
        control_ids=reasoning.control_ids or tools.control_ids,
    )


def _initial(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> str:
    """The state of whoever reads the beginning: a tool format's own only where there is no thinking to read first."""
    own_frame = bool(tools.headers) and not reasoning.headers and reasoning.switch is not None
    return reasoning.initial if reasoning.initial != S.CONTENT or own_frame else tools.initial


def _headers_into(state: str, rules: tuple[HeaderRule, ...]) -> tuple[HeaderRule, ...]:
    """Header rules with content beginning in `state`."""
    return tuple(replace(rule, next=state) if rule.next == S.CONTENT else rule for rule in rules)


def _whole(rows: Iterable[Row], partner: ParserEngineConfig) -> list[Row]:
    """Rows without those that stand in for a partner half that is there."""
    return [row for row in rows if not (row.half and row.terminal in partner.terminals)]


def _content_begins_in(state: str, rows: Iterable[Row]) -> list[Row]:
    """Rows of a reasoning format, with content beginning in `state`, where the tool format's first markers count.

    Whatever the reasoning format absorbs or opens in content, it does there as well.
    """
    rows = list(rows)
    if state == S.CONTENT:
        return rows
    leads = [row.next == S.CONTENT and row.state not in (S.CONTENT, S.START) for row in rows]
    led = [replace(row, next=state) if here else row for row, here in zip(rows, leads, strict=True)]
    return led + [
        replace(row, state=state, next=state if row.next == S.CONTENT else row.next)
        for row in rows
        if row.state == S.CONTENT
    ]


def _tool_openers_in_reasoning(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> list[Row]:
    """Rows that open a tool region from content, put into reasoning as well."""
    note = "`thinking<tool_call>`: the call ends it (R-TOOL)"
    closers = {row.state: row.terminal for row in reversed(reasoning.rows) if row.events == (R_END,)}
    closers = closers if reasoning.unclosed_only else dict.fromkeys((S.REASONING, *closers), "")
    opening = [
        row
        for row in tools.rows
        if row.state == S.CONTENT and tools.sink(row.next) not in (Sink.TEXT, Sink.REASONING) and not row.recovery
    ]
    return [
        Row(state, row.terminal, row.next, (R_END, *row.events), note, True, closer)
        for state, closer in closers.items()
        for row in opening
    ]


def _joined_headers(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> tuple[HeaderRule, ...]:
    """Both halves' rules, the tool half's first; rules for an absent half only where the other has no headers."""
    if not reasoning.headers or not tools.headers:
        return reasoning.headers + tools.headers
    kept = [rule for rule in (*tools.headers, *reasoning.headers) if not rule.half]
    return tuple(dict.fromkeys(sorted(kept, key=lambda rule: rule.pattern == EVERYTHING)))


def _missing(rows: object, more: object) -> list[Row]:
    taken = {(row.state, row.terminal) for row in rows}  # type: ignore[attr-defined]
    return [row for row in more if (row.state, row.terminal) not in taken]  # type: ignore[attr-defined]


def _merged(first: Mapping[str, Terminal], second: Mapping[str, Terminal]) -> dict[str, Terminal]:
    """Both sets of markers; one with the same name has the spellings of both."""
    merged = {**second, **first}
    for name in first.keys() & second.keys():
        spellings = dict.fromkeys(first[name].spellings + second[name].spellings)
        merged[name] = replace(second[name], spellings=tuple(spellings))
    return merged


def _renamed(tools: ParserEngineConfig, reasoning: ParserEngineConfig) -> ParserEngineConfig:
    """The tool format with other names for terminals that only share a name with the reasoning format's."""
    names = {
        name: f"{name}_{tools.name.upper()}"
        for name, marker in tools.terminals.items()
        if (other := reasoning.terminals.get(name)) is not None and not set(other.spellings) & set(marker.spellings)
    }
    if not names:
        return tools
    return tools.but(
        terminals={names.get(name, name): marker for name, marker in tools.terminals.items()},
        rows=tuple(
            replace(row, terminal=names.get(row.terminal, row.terminal), unless=names.get(row.unless, row.unless))
            for row in tools.rows
        ),
        headers=tuple(replace(rule, ended_by=names.get(rule.ended_by, rule.ended_by)) for rule in tools.headers),
    )


def _check_conflicts(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> None:
    names = f"{reasoning.name} and {tools.name} cannot be used together"
    spelled = {s: name for name, marker in reasoning.terminals.items() for s in marker.spellings}
    for name, marker in tools.terminals.items():
        clash = next((s for s in marker.spellings if spelled.get(s, name) != name), None)
        if clash is not None:
            raise FormatError(f"{names}: {clash!r} means {spelled[clash]} in one and {name} in the other.")
    if reasoning.headers and tools.headers and set(reasoning.tokens) != set(tools.tokens):
        raise FormatError(f"{names}: both read message headers, and their messages begin and end differently.")
