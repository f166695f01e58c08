"""Where a stream starts: template arguments and the end of the prompt -> first state.

The prompt is evidence and wins over arguments, in streaming and non-streaming alike (rules R-INIT, R-PROMPT, E-92).
Only the current turn counts: a tag quoted in an earlier turn decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from parsers.engine.config import ParserEngineConfig, ParserState, Sink, Switch

THINK_TERMINALS = frozenset({"THINK_START", "THINK_END"})


@dataclass(frozen=True, slots=True)
class Start:
    """The decision.

    Attributes:
        config: the table to run; without its think markers when they are plain text.
        state: first state.
        ended: the reasoning gate is open from the start.
        why: one clause for people.
    """

    config: ParserEngineConfig
    state: str
    ended: bool
    why: str


def decide_start(config: ParserEngineConfig, prompt: str | None, arguments: Mapping[str, object]) -> Start:
    """Decide from the end of the prompt, else from the template arguments, else from the format's default."""
    if config.switch is None:
        return Start(config, config.initial, True, "the format has no reasoning")
    if prompt:
        state = prompt_state(config, prompt)
        if state == "open":
            return Start(config, ParserState.REASONING, False, "the prompt ends with thinking open")
        if state == "closed":
            return Start(_when_off(config), config.content_initial, True, "the prompt has closed thinking")
    on, why = switched_on(config.switch, arguments)
    if on:
        return Start(config, config.initial, False, why)
    initial = config.content_initial if config.sink(config.initial) is Sink.REASONING else config.initial
    return Start(_when_off(config), initial, True, why)


def prompt_state(config: ParserEngineConfig, prompt: str) -> str:
    """"open", "closed" or "untouched": what the current turn of the prompt says about thinking."""
    turn = prompt
    for boundary in config.turn_boundaries:
        turn = turn[_after_last(turn, boundary) :]
    opened = max((turn.rfind(text) for text in config.prompt_open), default=-1)
    closed = max((turn.rfind(text) for text in config.prompt_closed), default=-1)
    if opened == closed:
        return "untouched"
    return "open" if opened > closed else "closed"


def switched_on(switch: Switch, arguments: Mapping[str, object]) -> tuple[bool, str]:
    """Whether template arguments turn thinking on, and why."""
    for name in switch.vetoes:
        if arguments.get(name) is not None and not _truth(arguments[name], switch):
            return False, f"{name}={arguments[name]!r} turns thinking off"
    given = {name: _truth(arguments[name], switch) for name in switch.arguments if arguments.get(name) is not None}
    if not given:
        return switch.default, f"thinking is {'on' if switch.default else 'off'} by default"
    on = any(given.values()) if switch.combine == "any" else next(iter(given.values()))
    name = next(name for name, value in given.items() if value == on)
    return on, f"{name}={arguments[name]!r} turns thinking {'on' if on else 'off'}"


def _truth(value: object, switch: Switch) -> bool:
    if not isinstance(value, str):
        return bool(value)
    return value.lower() in switch.on_values if switch.on_values else value.lower() not in switch.off_values


def _after_last(text: str, marker: str) -> int:
    at = text.rfind(marker)
    return at + len(marker) if at >= 0 else 0


def _when_off(config: ParserEngineConfig) -> ParserEngineConfig:
    """The table to run when the model should not think."""
    switch = config.switch
    if switch is not None and switch.off_is_identity:
        return without_terminals(config, THINK_TERMINALS)
    return _deaf_to_thinking(config) if switch is not None and switch.off_drops else config


@lru_cache(maxsize=64)
def _deaf_to_thinking(config: ParserEngineConfig) -> ParserEngineConfig:
    return config.but(sinks={**config.sinks, ParserState.REASONING: Sink.NOTHING})


_WITHOUT: dict[tuple[int, frozenset[str]], tuple[ParserEngineConfig, ParserEngineConfig]] = {}


def without_terminals(config: ParserEngineConfig, names: frozenset[str]) -> ParserEngineConfig:
    """The table without some markers: their spelling is plain text. One result per table shares compiled lexicons."""
    key = (id(config), names)
    found = _WITHOUT.get(key)
    if found is None or found[0] is not config:
        terminals = {name: t for name, t in config.terminals.items() if name not in names}
        spelled = {s for name in names & set(config.terminals) for s in config.terminals[name].spellings}
        changed = config.but(
            terminals=terminals,
            rows=tuple(row for row in config.rows if row.terminal not in names),
            tokens=tuple(text for text in config.tokens if text not in spelled),
            required=tuple(text for text in config.required if text not in spelled),
        )
        found = _WITHOUT[key] = (config, changed)
    return found[1]
