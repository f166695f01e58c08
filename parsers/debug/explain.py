"""A trace -> one plain sentence for each delta: what happened, and why text is held back.

Source: issue "Step page"; card ui (7).
"""

from __future__ import annotations

from collections.abc import Iterator

from parsers.debug.stages import DeltaRecord, Trace


def explain(trace: Trace) -> Iterator[str]:
    """Yield the sentence of each delta, in order."""
    for record in trace.records:
        yield _sentence(record)


def _sentence(record: DeltaRecord) -> str:
    if record.buffer:
        return f"`{record.buffer}` is held: it may become a marker."
    if record.rows:
        return f"The parser goes to {record.state}."
    return f"Text in {record.state}."
