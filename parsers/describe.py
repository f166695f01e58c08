"""A parser name -> everything a reader wants to know of it: what `parserscope names --json` prints.

Put together from the tables themselves, so it cannot differ from what the parsers do.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from parsers.engine.config import NEWLINE, NEWLINES, SPACES, ParserEngineConfig, Switch
from parsers.names import REASONING, TOOLS, NameRow
from parsers.registry import reasoning_format, reasoning_names, tool_format, tool_names
from parsers.structured.facts import TOOL_FACTS, ToolFacts

Kind = Literal["reasoning", "tool"]
_FLEXIBLE = {SPACES: " ", NEWLINES: "", NEWLINE: ""}
_BEHAVIOUR = {
    "tool_ends_reasoning": "a tool call inside open thinking ends it",
    "unclosed_only": "a tool call inside thinking counts only when no closer of thinking follows",
    "whole_regions": "the calls of a region are shown when it closes, all or none",
    "unique_keys": "a call that repeats a key is not complete",
    "control_ids": "marker ids always count, even inside a string",
    "escaped_newlines": "escaped line ends in text become line ends",
    "never_empty": "a message with reasoning only has it as content",
}


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: its name in the table, its spellings, whether it is a single token and one the vocabulary needs."""

    name: str
    spellings: tuple[str, ...]
    token: bool
    required: bool


@dataclass(frozen=True, slots=True)
class StartRules:
    """How the first state is found.

    Attributes:
        initial: first state with thinking on.
        default_on: thinking is on when no template argument says otherwise; None without reasoning.
        arguments, combine: template arguments that switch it, and whether any or the first given decides.
        off_is_plain_text: switched off, the markers of thinking are plain text.
        prompt_open, prompt_closed, turn_boundaries: texts that decide at the end of a prompt, and what begins its turn.
    """

    initial: str
    default_on: bool | None
    arguments: tuple[str, ...]
    combine: str | None
    off_is_plain_text: bool
    prompt_open: tuple[str, ...]
    prompt_closed: tuple[str, ...]
    turn_boundaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameCard:
    """One name.

    Attributes:
        format: file under `parsers/formats`, or "plugin".
        aliases: other names for the same table.
        grammar: the wire format as the model writes it, from the format's own description.
        supports_required_and_named: by whether strict calling is on; None for reasoning names.
        structural_tag, strict_level: of tool names.
        call_commit: policies a caller can choose from; a format that shows calls only with their region says so in
            `behaviour`.
        recovers: malformed texts the table reads all the same, and what they are.
        behaviour: what else sets the format apart, in sentences.
    """

    kind: Kind
    name: str
    format: str
    aliases: tuple[str, ...]
    models: str
    grammar: str
    markers: tuple[Marker, ...]
    start: StartRules
    supports_required_and_named: dict[str, bool] | None
    structural_tag: str | None
    strict_level: str | None
    call_ids: str | None
    call_commit: tuple[str, ...]
    unknown_names: str | None
    recovers: tuple[str, ...]
    behaviour: tuple[str, ...]


def describe_names() -> Iterator[NameCard]:
    """All names, reasoning first, sorted."""
    for name in reasoning_names():
        yield _card("reasoning", name, REASONING, reasoning_format(name))
    for name in tool_names():
        yield _card("tool", name, TOOLS, tool_format(name))


def _card(kind: Kind, name: str, names: dict[str, NameRow], config: ParserEngineConfig) -> NameCard:
    row = names.get(name)
    facts = TOOL_FACTS.get(name, ToolFacts()) if kind == "tool" else None
    return NameCard(
        kind=kind,
        name=name,
        format=row.module if row else "plugin",
        aliases=tuple(n for n, r in names.items() if row and n != name and r[:2] == row[:2]),
        models=row.models if row else "",
        grammar=_grammar(row) if row else "",
        markers=_markers(config),
        start=_start(config),
        supports_required_and_named=_supports(facts),
        structural_tag=facts.key if facts else None,
        strict_level=facts.level.name.lower() if facts else None,
        call_ids=config.call_ids if facts else None,
        call_commit=("incremental", "on_close") if facts else (),
        unknown_names=config.unknown_names if facts else None,
        recovers=tuple(dict.fromkeys(row.note for row in config.rows if row.recovery)),
        behaviour=tuple(text for field, text in _BEHAVIOUR.items() if getattr(config, field)),
    )


def _supports(facts: ToolFacts | None) -> dict[str, bool] | None:
    if facts is None:
        return None
    names = {"strict calling on": True, "strict calling off": False}
    return {name: facts.supports_required_and_named(strict) for name, strict in names.items()}


def _grammar(row: NameRow) -> str:
    return inspect.getdoc(importlib.import_module(f"parsers.formats.{row.module}")) or ""


def _markers(config: ParserEngineConfig) -> tuple[Marker, ...]:
    return tuple(
        Marker(
            name,
            tuple(map(_readable, terminal.spellings)),
            any(spelling in config.tokens for spelling in terminal.spellings),
            any(spelling in config.required for spelling in terminal.spellings),
        )
        for name, terminal in config.terminals.items()
    )


def _readable(spelling: str) -> str:
    """A spelling without the private characters that stand for optional white space."""
    return "".join(_FLEXIBLE.get(char, char) if char < "\ue000" or char in _FLEXIBLE else "…" for char in spelling)


def _start(config: ParserEngineConfig) -> StartRules:
    switch = config.switch or Switch()
    return StartRules(
        initial=config.initial,
        default_on=switch.default if config.switch else None,
        arguments=switch.arguments,
        combine=switch.combine if config.switch else None,
        off_is_plain_text=switch.off_is_identity,
        prompt_open=config.prompt_open,
        prompt_closed=config.prompt_closed,
        turn_boundaries=config.turn_boundaries,
    )
