"""What the machine says happened: the field's eight events, and two that only keep the account.

Source: card E-04; MARKER and DROPPED are ours (design.md, decision 7): with them every raw character is in exactly one
event, so the account of a stream can be checked.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class EventType(StrEnum):
    """Kinds of events; consumers of fields ignore the last two."""

    TEXT_CHUNK = "TEXT_CHUNK"
    REASONING_START = "REASONING_START"
    REASONING_CHUNK = "REASONING_CHUNK"
    REASONING_END = "REASONING_END"
    TOOL_CALL_START = "TOOL_CALL_START"
    TOOL_NAME = "TOOL_NAME"
    ARG_VALUE_CHUNK = "ARG_VALUE_CHUNK"
    TOOL_CALL_END = "TOOL_CALL_END"
    MARKER = "MARKER"
    DROPPED = "DROPPED"


INCOMPLETE = "incomplete"  # value of a TOOL_CALL_END whose call was cut off or broken
NAME_TEXT = "call name"  # rule of a MARKER whose raw text spells the name that a TOOL_NAME tells of
CALL_ID = "id"  # rule of a TOOL_NAME event whose value is the id the model wrote, not the name


class SemanticEvent(NamedTuple):
    """One event.

    Attributes:
        type: what happened.
        value: text for the field: plain text, a name, JSON text; for MARKER and DROPPED the raw text.
        tool_index: 0-based number of the call in the stream, -1 before the first.
        start, end: half-open span of raw output (characters) the event comes from; empty for events without text.
        rule: the table row (`format#number`) or named rule that produced it.
    """

    type: EventType
    value: str
    tool_index: int
    start: int
    end: int
    rule: str
