"""A table -> what is wrong with it, as sentences that name the row. Empty for a table that can work.

The Table law of every format: each word is declared, each state can be reached and left, what starts also ends, and a
recovery row shows the malformed text it is for. The machine trusts these and does not check them again.

Source: design.md section 5 (Table), cards E-06, E-82, E-90.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    DELIMITER,
    EVENT_NAMES,
    GIVE_BACK,
    OTHER,
    PSEUDO_TERMINALS,
    ParserEngineConfig,
    ParserState,
    Row,
    Sink,
)
from parsers.engine.events import EventType

_FIELD_SINKS = frozenset({Sink.TEXT, Sink.REASONING})
_QUOTED = re.compile(r"`[^`]+`")
_STRANGE_HEADERS = ("", "x", "no such header", "a=b: [c]\n<|d|> é")

Edge = tuple[str, str, tuple[str, ...]]  # a row's label, its next state, its events


def lint(config: ParserEngineConfig) -> list[str]:
    """Everything wrong with a table, one sentence each, in table order within a check."""
    found = faults(config)
    return found or [sentence for check in _LAWS for sentence in check(config)]


def faults(config: ParserEngineConfig) -> list[str]:
    """What makes a table unusable: the machine would fail on it. A part of `lint`."""
    words = [*_words(config), *_patterns(config)]  # the other checks build on these
    checks = (_repeated_rows, _idle_loops, _headers, _bodies)
    return words or [sentence for check in checks for sentence in check(config)]


def label(row: Row) -> str:
    """How messages call a row."""
    return f"({row.state}, {row.terminal})"


# --- words ------------------------------------------------------------------------------------------------------------


def _words(config: ParserEngineConfig) -> Iterator[str]:
    states = {*ParserState, *config.sinks, *config.bodies}
    terminals = {*config.terminals, *PSEUDO_TERMINALS}
    for row in config.rows:
        terminal = next((t for t in (row.terminal, row.unless) if t and t not in terminals), None)
        if terminal:
            yield f"Row {label(row)}: there is no terminal {terminal}."
        yield from _edge_words(f"Row {label(row)}", row.state, row.next, row.events, states)
    for rule in config.headers:
        yield from _edge_words(f"Header rule {rule.pattern!r}", rule.next or "no state", rule.next, rule.events, states)
    for state in (config.initial, config.content_initial):
        if state not in states:
            yield f"The first state {state} does not exist."


def _edge_words(where: str, state: str, target: str, events: Iterable[str], states: set[str]) -> Iterator[str]:
    for name in (state, target):
        if name and name not in states:
            yield f"{where}: there is no state {name}."
    for event in events:
        if event not in EVENT_NAMES:
            yield f"{where}: there is no event {event}."


def _patterns(config: ParserEngineConfig) -> Iterator[str]:
    wanted = [("name_pattern", config.name_pattern, "name"), ("key_pattern", config.key_pattern, "key")]
    wanted += [("Header rule", rule.pattern, "") for rule in config.headers]
    for where, pattern, group in wanted:
        try:
            groups = re.compile(pattern).groupindex
        except re.error as error:
            yield f"{where} {pattern!r} is not a regular expression: {error}."
            continue
        if group and group not in groups:
            yield f"{where} {pattern!r} has no group {group}."


# --- rows one by one --------------------------------------------------------------------------------------------------


def _repeated_rows(config: ParserEngineConfig) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for row in config.rows:
        if (row.state, row.terminal) in seen:
            yield f"Row {label(row)} is there twice."
        seen.add((row.state, row.terminal))


def _idle_loops(config: ParserEngineConfig) -> Iterator[str]:
    """OTHER takes no text, so rows for it must not lead in a circle."""
    other = {row.state: row.next for row in config.rows if row.terminal == OTHER}
    for start in other:
        state, steps = start, 0
        while state in other and steps <= len(other):
            state, steps = other[state], steps + 1
        if steps > len(other):
            yield f"({start}, {OTHER}) leads in a circle without taking any text."


def _recovery_notes(config: ParserEngineConfig) -> Iterator[str]:
    for row in config.rows:
        if row.recovery and not _QUOTED.search(row.note):
            yield f"Recovery row {label(row)}: its note must show the malformed text between backticks."


def _reasoning_ends(config: ParserEngineConfig) -> Iterator[str]:
    for row in config.rows:
        if config.sink(row.state) is not Sink.REASONING:
            continue
        for where, target, events in _edges(config, row):
            if config.sink(target) is not Sink.REASONING and EventType.REASONING_END not in events:
                yield f"{where} leaves reasoning for {target} without {EventType.REASONING_END}."


# --- terminals --------------------------------------------------------------------------------------------------------


def _unused_terminals(config: ParserEngineConfig) -> Iterator[str]:
    used = {row.terminal for row in config.rows} | {row.unless for row in config.rows}
    for name in config.terminals:
        if name not in used:
            yield f"Terminal {name} has no row."


def _same_spellings(config: ParserEngineConfig) -> Iterator[str]:
    for state in dict.fromkeys(row.state for row in config.rows):
        names = [row.terminal for row in config.rows if row.state == state and row.terminal in config.terminals]
        for first, second in combinations(dict.fromkeys(names), 2):
            one, other = config.terminals[first], config.terminals[second]
            shared = [s for s in one.spellings if s in other.spellings]
            if shared and one.followed_by == other.followed_by:
                yield f"{first} and {second} are both {shared[0]!r} in {state}: one of them can never be read."


# --- states -----------------------------------------------------------------------------------------------------------


def _edges(config: ParserEngineConfig, row: Row) -> list[Edge]:
    """Where a row leads: one edge, or one for each header rule."""
    where = f"Row {label(row)}"
    if row.next:
        return [(where, row.next, row.events)]
    return [(f"{where}, header {rule.pattern!r},", rule.next, (*row.events, *rule.events)) for rule in config.headers]


def first_states(config: ParserEngineConfig) -> set[str]:
    """States a stream can start in: thinking on, off, or open in the prompt."""
    if config.switch is None:
        return {config.initial}
    return {config.initial, config.content_initial, ParserState.REASONING}


def _steps(config: ParserEngineConfig) -> dict[str, set[str]]:
    """State -> the states its rows lead to."""
    steps: dict[str, set[str]] = {}
    for row in config.rows:
        steps.setdefault(row.state, set()).update(target for _, target, _ in _edges(config, row))
    return steps


def _reached(steps: dict[str, set[str]], start: Iterable[str]) -> set[str]:
    found, waiting = set(start), list(start)
    while waiting:
        new = steps.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _unreachable_states(config: ParserEngineConfig) -> Iterator[str]:
    reached = _reached(_steps(config), first_states(config))
    for state in dict.fromkeys([*(row.state for row in config.rows), *config.bodies, *config.sinks]):
        if state not in reached:
            yield f"State {state} cannot be reached from {' or '.join(sorted(first_states(config)))}."


def _dead_ends(config: ParserEngineConfig) -> Iterator[str]:
    steps = _steps(config)
    for state in sorted(_reached(steps, first_states(config))):
        in_call = config.is_tool_state(state)
        if in_call and not any(_outside(config, later) for later in _reached(steps, [state])):
            yield f"State {state} has no way out of the tool call."


def _outside(config: ParserEngineConfig, state: str) -> bool:
    return config.sink(state) in _FIELD_SINKS or state == ParserState.IGNORE


def _bodies(config: ParserEngineConfig) -> Iterator[str]:
    closed = {row.state for row in config.rows if row.next != row.state and row.terminal not in (BODY_BAD, OTHER)}
    for state in config.bodies:
        if state not in closed:
            yield f"State {state} reads a body, and no row tells what follows its end."
    for row in config.rows:
        if row.terminal in (BODY_END, BODY_BAD) and row.state not in config.bodies:
            yield f"Row {label(row)}: {row.state} has no body codec that could raise {row.terminal}."
        if DELIMITER in row.events and (row.state not in config.bodies or config.bodies[row.state].kind != "notation"):
            yield f"Row {label(row)}: {row.state} has no body codec that knows delimiters."


def _headers(config: ParserEngineConfig) -> Iterator[str]:
    deciding = next((row for row in config.rows if not row.next), None)
    if deciding is None:
        return
    for header in _STRANGE_HEADERS:
        if not any(re.compile(rule.pattern, re.DOTALL).fullmatch(header) for rule in config.headers):
            yield f"Row {label(deciding)} asks the header rules, and none of them matches the header {header!r}."
            return


def _calls_pair_up(config: ParserEngineConfig) -> Iterator[str]:
    """Follows every path with one bit: is a call open that rows have started?"""
    start = [(state, False) for state in sorted(first_states(config))]
    seen, waiting, found = set(start), start, dict[str, None]()
    ended: dict[str, bool] = {}
    while waiting:
        state, was_open = waiting.pop()
        for row in (row for row in config.rows if row.state == state):
            for where, target, events in _edges(config, row):
                fault, is_open = _follow(events, was_open)
                if fault:
                    found[f"{where} starts a call while another is open."] = None
                if is_open and config.sink(target) in _FIELD_SINKS:
                    found[f"{where} reaches {target} with a call open; it lacks {EventType.TOOL_CALL_END}."] = None
                if EventType.TOOL_CALL_END in events:
                    ended[where] = ended.get(where, False) or was_open or EventType.TOOL_CALL_START in events
                if (target, is_open) not in seen:
                    seen.add((target, is_open))
                    waiting.append((target, is_open))
    yield from found
    yield from (f"{where} ends a call where none can be open." for where, used in ended.items() if not used)


def _follow(events: Iterable[str], is_open: bool) -> tuple[bool, bool]:
    """One edge's effect: (a call starts inside a call, a call is open afterwards)."""
    nested = False
    for event in events:
        if event == EventType.TOOL_CALL_START:
            nested, is_open = nested or is_open, True
        elif event in (EventType.TOOL_CALL_END, GIVE_BACK):
            is_open = False
    return nested, is_open


_LAWS: tuple[Callable[[ParserEngineConfig], Iterable[str]], ...] = (
    _same_spellings,
    _unused_terminals,
    _unreachable_states,
    _dead_ends,
    _reasoning_ends,
    _calls_pair_up,
    _recovery_notes,
)
