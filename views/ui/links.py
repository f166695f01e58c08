"""Run settings <-> what an address can carry.

A link names an example and what differs from it. It never carries text of the user (raw output, prompt,
tools): that stays on this machine; a case file carries it.

Law: for settings that differ from the example in nothing but choices, `settings_from_query` undoes
`query_of`.

Source: issue "Step page"; card ui (5, query parameters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from parsers.debug.session import RunSettings
from parsers.files.jsontext import BadJson, read_json

USER_TEXT = ("raw_output", "generation_prompt", "tools_json")
"""Settings that a link leaves out."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """How one setting is written in an address; `read` raises ValueError for what it cannot use."""

    setting: str
    parameter: str
    write: Callable[[Any], list[str]]
    read: Callable[[Sequence[str]], Any]


def query_of(settings: RunSettings, example: RunSettings) -> dict[str, list[str]]:
    """Return the parameters that turn the choices of `example` into those of `settings`."""
    wanted, given = asdict(settings), asdict(example)
    return {
        choice.parameter: choice.write(wanted[choice.setting])
        for choice in _CHOICES
        if wanted[choice.setting] != given[choice.setting]
    }


def settings_from_query(query: Mapping[str, Sequence[str]], example: RunSettings) -> tuple[RunSettings, list[str]]:
    """Return the settings that a link asks for.

    Args:
        query: the values of each parameter, in order; parameters of others are ignored.
        example: what the link builds on.

    Returns:
        The settings, and a sentence for each parameter that cannot be used; the example's value stands in for
        it.
    """
    changes: dict[str, Any] = {}
    problems = []
    for choice in _CHOICES:
        if choice.parameter not in query:
            continue
        try:
            changes[choice.setting] = choice.read(query[choice.parameter])
        except ValueError as error:
            problems.append(f"The link's {choice.parameter} cannot be used: {error}.")
    return replace(example, **changes), problems


def carries_all(settings: RunSettings, example: RunSettings) -> bool:
    """Tell whether a link brings everything back: the user has typed no text."""
    typed, given = asdict(settings), asdict(example)
    return all(typed[name] == given[name] for name in USER_TEXT)


def _text(setting: str, parameter: str) -> _Choice:
    return _Choice(setting, parameter, lambda value: [value], lambda values: values[-1])


def _name(setting: str, parameter: str) -> _Choice:
    """Write a parser name; the empty text stands for none."""
    return _Choice(setting, parameter, lambda value: [value or ""], lambda values: values[-1] or None)


def _flag(setting: str, parameter: str) -> _Choice:
    return _Choice(setting, parameter, lambda value: ["1" if value else "0"], _read_flag)


def _read_flag(values: Sequence[str]) -> bool:
    if values[-1] not in ("0", "1"):
        raise ValueError("it is 0 or 1")
    return values[-1] == "1"


def _one_of(setting: str, parameter: str, allowed: Sequence[str]) -> _Choice:
    def read(values: Sequence[str]) -> str:
        if values[-1] not in allowed:
            raise ValueError(f"it is one of {', '.join(allowed)}")
        return values[-1]

    return _Choice(setting, parameter, lambda value: [value], read)


def _read_limit(values: Sequence[str]) -> int | None:
    if not values[-1]:
        return None
    if not re.fullmatch("[1-9][0-9]*", values[-1]):
        raise ValueError("it is a whole number of tokens above 0")
    return int(values[-1])


def _read_arguments(values: Sequence[str]) -> dict[str, Any]:
    try:
        value = read_json(values[-1])
    except BadJson as error:
        raise ValueError(str(error)) from error
    if not isinstance(value, dict):
        raise ValueError("it is a JSON object")
    return dict(value)


COMMITS = ("incremental", "on_close")
FINISH_REASONS = ("stop", "length", "abort", "error", "repetition")

_CHOICES = (
    _name("reasoning", "reasoning"),
    _name("tool", "tool"),
    _text("tokenizer", "tokenizer"),
    _Choice("template_kwargs", "template", lambda value: [json.dumps(dict(value))], _read_arguments),
    _text("cuts", "cuts"),
    _flag("text_only", "text_only"),
    _Choice(
        "stop",
        "stop",
        lambda value: list(value) or [""],
        lambda values: tuple(value for value in values if value),
    ),
    _flag("include_stop", "include_stop"),
    _flag("skip_special_tokens", "skip_special"),
    _Choice("max_tokens", "max_tokens", lambda value: ["" if value is None else str(value)], _read_limit),
    _one_of("engine_finish_reason", "finish", FINISH_REASONS),
    _one_of("call_commit", "commit", COMMITS),
)
