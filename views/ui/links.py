"""Run settings <-> what an address can carry.

A link names an example and what differs from it. It never carries text of the user (raw output, prompt,
tools, response format): that stays on this machine; a case file carries it.

Law: for settings that differ from the example in nothing but choices, `settings_from_query` undoes
`query_of`.

Source: issue "Step page"; card ui (5, query parameters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from parsers.composition import Composition
from parsers.debug.asked import STRICT_LEVELS, TOOL_CHOICES, RequestSettings, forcing
from parsers.debug.session import RunSettings
from parsers.files.jsontext import BadJson, read_json

USER_TEXT = ("raw_output", "generation_prompt", "tools_json", "response_format")
"""Settings that a link leaves out."""
TOOL_NAMES = ("tool_choice", "strict_tools", "loose_tools")
"""Settings that may name a function; a link leaves them out too when the tools are the user's own."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """How one setting is written in an address; `read` raises ValueError for what it cannot use."""

    setting: str
    parameter: str
    write: Callable[[Any], list[str]]
    read: Callable[[Sequence[str]], Any]


def query_of(settings: RunSettings, example: RunSettings) -> dict[str, list[str]]:
    """Return the parameters that turn the choices of `example` into those of `settings`."""
    wanted, given = _by_name(settings), _by_name(example)
    left_out = TOOL_NAMES if wanted["tools_json"] != given["tools_json"] else ()
    return {
        choice.parameter: choice.write(wanted[choice.setting])
        for choice in _CHOICES
        if wanted[choice.setting] != given[choice.setting] and choice.setting not in left_out
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
    request = {name: changes.pop(name) for name in asdict(example.request) if name in changes}
    return replace(example, **changes, request=replace(example.request, **request)), problems


def carries_all(settings: RunSettings, example: RunSettings) -> bool:
    """Tell whether a link brings everything back: the user has typed no text."""
    typed, given = _by_name(settings), _by_name(example)
    return all(typed[name] == given[name] for name in USER_TEXT)


def _by_name(settings: RunSettings) -> dict[str, Any]:
    """Every setting by its name, those of the request among them."""
    values = asdict(settings)
    asked = values.pop("request")
    return values | asked


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


def _maybe_flag(setting: str, parameter: str) -> _Choice:
    """Write a switch that may be left out of a request; the empty text stands for that."""
    return _Choice(
        setting,
        parameter,
        lambda value: ["" if value is None else str(int(value))],
        lambda values: _read_flag(values) if values[-1] else None,
    )


def _count(setting: str, parameter: str) -> _Choice:
    return _Choice(setting, parameter, lambda value: [str(value)], _read_count)


def _read_count(values: Sequence[str]) -> int:
    if not re.fullmatch("[0-9]{1,3}", values[-1]):
        raise ValueError("it is a whole number below 1000")
    return int(values[-1])


def _list(setting: str, parameter: str) -> _Choice:
    """Write texts, none of them empty; the empty text alone stands for an empty list."""
    return _Choice(
        setting,
        parameter,
        lambda value: list(value) or [""],
        lambda values: tuple(value for value in values if value),
    )


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


def _read_tool_choice(values: Sequence[str]) -> str:
    choice = values[-1]
    if choice not in TOOL_CHOICES and RequestSettings(tool_choice=choice).forced_function is None:
        raise ValueError(f"it is one of {', '.join(TOOL_CHOICES)}, or {forcing('NAME')}")
    return choice


def _read_level(values: Sequence[str]) -> str | None:
    if values[-1] not in ("", *STRICT_LEVELS):
        raise ValueError(f"it is one of {', '.join(STRICT_LEVELS)}, or empty")
    return values[-1] or None


COMPOSITIONS = get_args(Composition)
COMMITS = ("incremental", "on_close")
FINISH_REASONS = ("stop", "length", "abort", "error", "repetition")

_CHOICES = (
    _name("reasoning", "reasoning"),
    _name("tool", "tool"),
    _text("tokenizer", "tokenizer"),
    _Choice("template_kwargs", "template", lambda value: [json.dumps(dict(value))], _read_arguments),
    _text("cuts", "cuts"),
    _flag("text_only", "text_only"),
    _list("stop", "stop"),
    _flag("include_stop", "include_stop"),
    _flag("skip_special_tokens", "skip_special"),
    _Choice("max_tokens", "max_tokens", lambda value: ["" if value is None else str(value)], _read_limit),
    _one_of("engine_finish_reason", "finish", FINISH_REASONS),
    _one_of("call_commit", "commit", COMMITS),
    _one_of("composition", "composition", COMPOSITIONS),
    _Choice("tool_choice", "tool_choice", lambda value: [value], _read_tool_choice),
    _maybe_flag("parallel_tool_calls", "parallel"),
    _flag("include_reasoning", "include_reasoning"),
    _flag("logprobs", "logprobs"),
    _count("top_logprobs", "top_logprobs"),
    _flag("return_token_ids", "token_ids"),
    _flag("include_usage", "usage"),
    _flag("continuous_usage", "continuous_usage"),
    _list("strict_tools", "strict_tool"),
    _list("loose_tools", "loose_tool"),
    _count("history_calls", "earlier_calls"),
    _flag("auto_tools", "auto_tools"),
    _flag("strict_calling", "strict_calling"),
    _Choice("strict_level", "strict_level", lambda value: [value or ""], _read_level),
    _flag("engine_arguments", "engine_arguments"),
)
