"""Columns -> what the page shows of them, kept for the next visit: texts, partings and packed traces, no live trace.

Source: issue "Debug"; card ui (2.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from parsers.debug.compare import Answer, FieldRow, answer, delta_costs, field_rows, read_observed
from parsers.debug.pack import pack
from parsers.debug.partings import Parting, partings
from parsers.debug.session import RunSettings
from parsers.errors import ParserscopeError

MOST_KEPT = 8


@dataclass(frozen=True, slots=True)
class ColumnRun:
    """One column that was run.

    Attributes:
        problem: why it has no answer; "" when it has one.
        speed: tokens per second; None when there is nothing to measure.
        packed: its trace for the stepper; None for an observed answer.
        shown: raw characters shown after each delta.
        partings: where its stages part from those of the first column.
    """

    label: str
    problem: str = ""
    speed: float | None = None
    packed: bytes | None = None
    shown: tuple[int, ...] = ()
    partings: tuple[Parting, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """All columns side by side.

    Attributes:
        columns: all, in order.
        headings: labels of those with an answer, as `rows` have them.
    """

    columns: tuple[ColumnRun, ...]
    headings: tuple[str, ...]
    rows: tuple[FieldRow, ...]


@st.cache_resource(max_entries=MOST_KEPT, show_spinner="Parsing …")
def run_columns(labels: Sequence[str], columns: Sequence[RunSettings], observed: str) -> Compared:
    """Run all columns; one that cannot run says why and leaves the others alone.

    Args:
        labels: heading of each column.
        columns: what each runs; the others are compared with the first.
        observed: an answer seen elsewhere, as JSON text; "" for none.
    """
    runs: list[ColumnRun] = []
    answers: list[Answer] = []
    for label, settings in zip(labels, columns, strict=True):
        try:
            found = answer(label, settings)
        except ParserscopeError as error:
            runs.append(ColumnRun(label, str(error)))
        else:
            runs.append(_column_run(found, answers[:1]))
            answers.append(found)
    if observed.strip():
        try:
            answers.append(read_observed(observed))
        except ParserscopeError as error:
            runs.append(ColumnRun("observed", str(error)))
    return Compared(tuple(runs), tuple(one.label for one in answers), field_rows(answers))


@st.cache_resource(max_entries=MOST_KEPT, show_spinner="Measuring …")
def run_costs(settings: RunSettings) -> tuple[float, ...]:
    """Microseconds for each delta.

    Raises:
        ParserscopeError: the settings cannot be run.
    """
    return delta_costs(settings)


def _column_run(found: Answer, first: Sequence[Answer]) -> ColumnRun:
    trace = found.trace
    if trace is None:
        return ColumnRun(found.label)
    base = first[0].trace if first else None
    return ColumnRun(
        found.label,
        speed=found.tokens_per_second,
        packed=pack(trace),
        shown=tuple(record.shown for record in trace.records),
        partings=partings(base, trace) if base else (),
    )
