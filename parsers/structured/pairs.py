"""Arguments written as key and value tags -> parts of a structural tag that check them loosely.

Looser than a schema: each key the schema knows may come in any order, any number of times, with a value of its basic
type; inside a text no tag of the format may stand, so the call always ends where the parser ends it.

Source: card S-31, glm.md and hunyuan.md "Flags".
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import JsonValue

from parsers.protocol import JsonObject
from parsers.structured import nodes

_SPACE = nodes.regex(r"[ \n]*")
_ANY_KEY = nodes.regex(r"[^<>]+")
_BASIC = {
    "integer": nodes.regex(r"-?[0-9]+"),
    "number": nodes.regex(r"-?[0-9]+(\.[0-9]+)?([eE][+\-]?[0-9]+)?"),
    "boolean": nodes.regex(r"true|false"),
    "null": nodes.const("null"),
    "object": nodes.json_schema({"type": "object", "additionalProperties": True}),
    "array": nodes.json_schema({"type": "array"}),
}


@dataclass(frozen=True, slots=True)
class PairMarks:
    """The four tags of a pair, and the closer of the call around it."""

    key_open: str
    key_close: str
    value_open: str
    value_close: str
    call_close: str

    @property
    def text(self) -> JsonObject:
        """A value that is free text."""
        return nodes.any_text(self.key_open, self.key_close, self.value_open, self.call_close)


def shallow_pairs(schema: JsonObject, marks: PairMarks) -> JsonObject:
    """Pairs whose keys and basic types are checked, nothing deeper (S-31)."""
    return _pairs({key: _shallow(value, marks) for key, value in _properties(schema).items()}, marks)


def text_pairs(schema: JsonObject, marks: PairMarks) -> JsonObject:
    """Pairs whose keys are checked; values are free text."""
    return _pairs(dict.fromkeys(_properties(schema), marks.text), marks)


def _pairs(values: dict[str, JsonObject], marks: PairMarks) -> JsonObject:
    known = [_pair(nodes.const(key), value, marks) for key, value in values.items()]
    pair = nodes.one_of(known or [_pair(_ANY_KEY, marks.text, marks)])
    return nodes.sequence(_SPACE, nodes.star(nodes.sequence(pair, _SPACE)))


def _pair(key: JsonObject, value: JsonObject, marks: PairMarks) -> JsonObject:
    return nodes.sequence(
        nodes.const(marks.key_open),
        key,
        nodes.const(marks.key_close),
        _SPACE,
        nodes.tag(marks.value_open, value, marks.value_close),
    )


def _shallow(schema: JsonValue, marks: PairMarks) -> JsonObject:
    if not isinstance(schema, dict):
        return marks.text
    enum = schema.get("enum")
    if isinstance(enum, list) and enum:
        return nodes.one_of([nodes.const(_spelled(value)) for value in enum])
    kinds = schema.get("type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return nodes.one_of([_BASIC.get(str(name), marks.text) for name in names] or [marks.text])


def _spelled(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _properties(schema: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}
