"""Can an output under a constraint begin with a marker? Decides which tool openers may end thinking (S-51).

Source: card S-50, S-51.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from parsers.protocol import JsonObject
from parsers.structured.constraint import Constraint, as_format

_SKIPPABLE = ("optional", "star", "any_text")


def may_begin_with(constraint: Constraint, marker: str) -> bool:
    """Whether the constraint allows `marker` as the first text; patterns and grammars count as not allowing it."""
    return _begins(as_format(constraint), marker)


def _begins(part: JsonObject, marker: str) -> bool:
    match part:
        case {"type": "const_string", "value": text} | {"type": "tag", "begin": text}:
            return str(text).startswith(marker)
        case {"type": "sequence", "elements": list() as parts}:
            return _sequence_begins(_parts(parts), marker)
        case {"type": "or", "elements": list() as parts} | {"type": "tags_with_separator", "tags": list() as parts}:
            return any(_begins(inner, marker) for inner in _parts(parts))
        case {"type": "optional" | "star" | "plus", "content": dict() as inner}:
            return _begins(inner, marker)
        case {"type": "any_text" | "triggered_tags"}:
            return marker not in cast(Sequence[JsonValue], part.get("excludes", ()))
    return False


def _sequence_begins(parts: Sequence[JsonObject], marker: str) -> bool:
    for part in parts:
        if _begins(part, marker):
            return True
        if part["type"] not in _SKIPPABLE:
            return False
    return False


def _parts(values: Sequence[JsonValue]) -> list[JsonObject]:
    return [value for value in values if isinstance(value, dict)]
