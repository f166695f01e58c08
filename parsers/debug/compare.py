"""Several answers to one output -> a table of their fields, with what differs marked to the character.

An answer comes from a run (streaming, or whole: fed once, incomplete calls left out) or was observed elsewhere. An
absent field equals an empty one.

Source: issue "Debug"; card 00 (C0-01 `observed`, `compare`); card 01 (P-10 … P-13).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TypeVar

from pydantic import JsonValue

from parsers.debug.session import Run, RunSettings, prepare, record_run
from parsers.debug.stages import FieldCall, Fields, Trace
from parsers.errors import CaseError
from parsers.files.jsontext import BadJson, read_json

WHOLE = "whole"
"""What stands in a column's cuts for the answer without streaming."""
OBSERVED = "observed"
T = TypeVar("T")

MEASURED_RUNS = 3
MOST_MEASURED_SECONDS = 1.0
"""After which no further run begins."""
MOST_ALIGNED = 4_000
"""Characters of a difference that are still aligned piece by piece: aligning costs the square of them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one column says.

    Attributes:
        label: heading of the column.
        fields: the three fields.
        finish_reason: as a client is told; None when nobody says.
        trace: the run; None for an answer that was observed.
        tokens_per_second: tokens (for text alone: deltas) parsed in a second, in the fastest of several runs; None when
            nothing was parsed or too fast to measure.
    """

    label: str
    fields: Fields
    finish_reason: str | None
    trace: Trace | None = None
    tokens_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field across all columns.

    Attributes:
        values: texts, "" for absent ones.
        is_text: the values are written by the model, so that single characters of them matter; else they are words.
    """

    name: str
    values: tuple[str, ...]
    is_text: bool = True

    @property
    def same(self) -> bool:
        """Whether all columns agree."""
        return len(set(self.values)) <= 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of a text, and whether it differs from the text it is compared with."""

    text: str
    differs: bool


# --- answers ----------------------------------------------------------------------------------------------------------


def answer(label: str, settings: RunSettings) -> Answer:
    """Run one column.

    Raises:
        ParserscopeError: the settings cannot be run; says what to change.
    """
    whole = settings.cuts == WHOLE
    run = prepare(replace(settings, cuts="one") if whole else settings)
    return answer_of_run(label, run, whole)


def answer_of_run(label: str, run: Run, whole: bool = False) -> Answer:
    """Run what is ready; `whole` leaves out calls the output ended in."""
    trace = record_run(run)
    calls = tuple(FieldCall(call.name or "", call.arguments, bool(call.complete)) for call in trace.calls)
    if whole:
        calls = tuple(call for call in calls if call.complete)
    fields = Fields(trace.reasoning, trace.content, calls)
    return Answer(label, fields, trace.meta.finish_reason, trace, _speed(run, trace))


def read_observed(text: str) -> Answer:
    """Read the JSON text of an answer seen elsewhere.

    Raises:
        CaseError: not JSON or not an answer; says where.
    """
    try:
        return observed_answer(read_json(text))
    except BadJson as error:
        raise CaseError(f"The observed answer is not valid JSON: {error}.") from error


def observed_answer(value: JsonValue) -> Answer:
    """Read an answer seen elsewhere: a message, or a whole response with choices.

    Raises:
        CaseError: not such an object; says which part.
    """
    first = _member(value, "choices", list)
    choice = first[0] if first else value
    message = _member(choice, "message", dict) or choice
    if not isinstance(message, dict):
        raise CaseError("The observed answer is not a JSON object such as a chat message.")
    calls = tuple(_observed_call(call) for call in _member(message, "tool_calls", list) or ())
    reasoning = _member(message, "reasoning", str) or _member(message, "reasoning_content", str)
    fields = Fields(reasoning, _member(message, "content", str), calls)
    return Answer(OBSERVED, fields, _member(choice, "finish_reason", str))


def _member(value: object, name: str, kind: type[T]) -> T | None:
    found = value.get(name) if isinstance(value, Mapping) else None
    if found is not None and not isinstance(found, kind):
        raise CaseError(f"The observed answer's {name} is not {_JSON_NAMES[kind]}.")
    return found


_JSON_NAMES: Mapping[type, str] = {list: "a list", dict: "an object", str: "a text"}


def _observed_call(call: object) -> FieldCall:
    function = _member(call, "function", dict) or call
    name = _member(function, "name", str)
    if not isinstance(function, Mapping) or name is None:
        raise CaseError("A call of the observed answer has no name.")
    arguments = function.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return FieldCall(name, text, complete=True)


# --- the table --------------------------------------------------------------------------------------------------------


def field_rows(answers: Sequence[Answer]) -> tuple[FieldRow, ...]:
    """All fields that any answer has; a finish reason only counts where every answer tells one."""
    rows = [
        _row("reasoning", answers, lambda one: one.fields.reasoning),
        _row("content", answers, lambda one: one.fields.content),
    ]
    for index in range(max((len(one.fields.calls) for one in answers), default=0)):
        rows += _call_rows(index, answers)
    if all(one.finish_reason for one in answers):
        rows.append(_row("finish reason", answers, lambda one: one.finish_reason, is_text=False))
    return tuple(rows)


def _call_rows(index: int, answers: Sequence[Answer]) -> list[FieldRow]:
    def value(of: Callable[[FieldCall], str]) -> Callable[[Answer], str]:
        return lambda one: of(one.fields.calls[index]) if index < len(one.fields.calls) else ""

    ends = value(lambda call: "complete" if call.complete else "cut off")
    return [
        _row(f"call {index}: name", answers, value(lambda call: call.name)),
        _row(f"call {index}: arguments", answers, value(lambda call: call.arguments)),
        _row(f"call {index}: ends", answers, ends, is_text=False),
    ]


def _row(
    name: str, answers: Sequence[Answer], value: Callable[[Answer], str | None], is_text: bool = True
) -> FieldRow:
    return FieldRow(name, tuple(value(one) or "" for one in answers), is_text)


def mark_whole(text: str, other: str) -> tuple[Mark, ...]:
    """The text as one piece, marked when it is not the other one."""
    return (Mark(text, text != other),) if text else ()


def marks(text: str, other: str) -> tuple[Mark, ...]:
    """Cut a text into pieces that are also in another one and pieces that are not.

    Args:
        text: what to mark; the pieces add up to it.
        other: what it is compared with.
    """
    start = common_length(text, other)
    end = common_length(text[start:][::-1], other[start:][::-1])
    middle = text[start : len(text) - end]
    inner = _aligned(middle, other[start : len(other) - end])
    pieces = (Mark(text[:start], False), *inner, Mark(text[len(text) - end :], False))
    return tuple(piece for piece in pieces if piece.text)


def common_length(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    if one == other:
        return len(one)
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _aligned(text: str, other: str) -> list[Mark]:
    if max(len(text), len(other)) > MOST_ALIGNED:
        return [Mark(text, True)]
    blocks = SequenceMatcher(None, text, other, autojunk=False).get_opcodes()
    return [Mark(text[start:end], kind != "equal") for kind, start, end, _, _ in blocks]


# --- cost -------------------------------------------------------------------------------------------------------------


def delta_costs(settings: RunSettings) -> tuple[float, ...]:
    """Microseconds an unwatched parser takes for each delta: the least of several runs, as others use the machine too.

    Raises:
        ParserscopeError: as `answer`.
    """
    run = prepare(replace(settings, cuts="one") if settings.cuts == WHOLE else settings)
    return tuple(map(min, zip(*_measured(run), strict=True)))


def _speed(run: Run, trace: Trace) -> float | None:
    seconds = min(map(sum, _measured(run))) / 1e6
    return len(trace.tokens.texts) / seconds if seconds else None


def _measured(run: Run) -> Iterator[list[float]]:
    """The costs of several runs, of fewer when they take long."""
    begin = time.perf_counter()
    for _ in range(MEASURED_RUNS):
        yield _costs_once(run)
        if time.perf_counter() - begin > MOST_MEASURED_SECONDS:
            return


def _costs_once(run: Run) -> list[float]:
    parser, costs = run.parser(), []
    for delta in run.deltas:
        begin = time.perf_counter()
        parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        costs.append((time.perf_counter() - begin) * 1e6)
    return costs
