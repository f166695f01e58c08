"""JSON text to values, strictly and with the place of a mistake; and equality of JSON values.

Laws: equality is an equivalence; key order, spacing and 1 against 1.0 do not matter, types do; text that is
not JSON, repeats a key or holds NaN equals nothing, itself included.

Source: card 00 (C0-04).
"""

from __future__ import annotations

import json
from typing import NoReturn

from pydantic import JsonValue


class BadJson(ValueError):
    """Text that is not JSON.

    Attributes:
        reason: what is wrong, without the place.
        line: 1-based line of the mistake; None where it has no single place.
        column: 1-based column in characters, likewise.
    """

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        self.reason, self.line, self.column = reason, line, column
        super().__init__(reason if line is None else f"{reason} at line {line}, column {column}")


def read_json(text: str) -> JsonValue:
    """Return the value of a JSON text.

    Raises:
        BadJson: not JSON, a repeated key, NaN or Infinity, or nesting or numbers beyond what Python reads.
    """
    try:
        value: JsonValue = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadJson(error.msg, error.lineno, error.colno) from error
    except RecursionError as error:
        raise BadJson("too deeply nested") from error
    except BadJson:
        raise
    except ValueError as error:
        raise BadJson("a number with too many digits") from error
    return value


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        raise BadJson(
            f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice in one object"
        )
    return value


def _no_constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not JSON")


def is_value(text: str, expected: JsonValue) -> bool:
    """Tell whether a JSON text has the expected value; text that is not JSON has none."""
    try:
        return same_value(read_json(text), expected)
    except BadJson:
        return False


def same_value(left: JsonValue, right: JsonValue) -> bool:
    """Tell whether two values are the same JSON value: 1 is 1.0, but not true and not "1"."""
    pending = [(left, right)]  # not recursive: model output nests as deep as it likes
    while pending:
        a, b = pending.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pending.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif not _same_scalar(a, b):
            return False
    return True


def _same_scalar(a: JsonValue, b: JsonValue) -> bool:
    return _kind(a) == _kind(b) and a == b


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__
