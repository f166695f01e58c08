"""The one coercion: raw argument text and a tool's JSON schema -> a JSON value.

Source: cards C-TYPES, C-ORDER, C-FALL, C-NEST, C-STR, C-BIG (formats/common-1.md), E-89; `$ref` is followed, as the
cards ask of a correct engine. Nothing here raises: text that fits no declared type stays text.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ORDER = ("null", "integer", "number", "boolean", "object", "array", "string")
TEXT = frozenset({"string"})
_ALIASES = {
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("int", "long", "short", "uint", "unsigned"), "integer"),
    **dict.fromkeys(("float", "double", "num"), "number"),
    **dict.fromkeys(("bool", "binary"), "boolean"),
    **dict.fromkeys(("list", "tuple", "set"), "array"),
    **dict.fromkeys(("dict", "map"), "object"),
}
_INTEGER = re.compile(r"\s*[-+]?[0-9]+\s*\Z")
_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_NESTING = 64  # of schemas followed through $ref and anyOf; real ones stay under 10

Untyped = Literal["string", "json", "literal"]
Schema = Mapping[str, Any]
_FAILED = object()


class ParameterTypes:
    """The properties of one tool, asked by key.

    Args:
        parameters: the tool's `parameters` schema, or None for an unknown tool.
        untyped: what a value without any declared type is: its text, JSON if it parses, or JSON or a Python literal.
    """

    def __init__(self, parameters: Schema | None, untyped: Untyped = "string") -> None:
        self._root: Schema = parameters if isinstance(parameters, Mapping) else {}
        self._untyped = untyped
        properties = self._root.get("properties")
        self._properties: Schema = properties if isinstance(properties, Mapping) else {}

    def declares(self, key: str) -> bool:
        """The schema has a property of that name."""
        return key in self._properties

    def allows(self, key: str) -> bool:
        """The schema has a property of that name, or has no properties at all."""
        return not self._properties or self.declares(key)

    @property
    def required(self) -> frozenset[str]:
        """Names of the properties a call must have."""
        names = self._root.get("required")
        return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()

    def types(self, key: str) -> frozenset[str]:
        """Possible types of a value; empty when nothing is declared and the policy is not plain text."""
        found = possible_types(self._properties.get(key), self._root)
        return found or (TEXT if self._untyped == "string" else frozenset())

    def declared(self, key: str) -> bool:
        """The schema says something about the type of `key`."""
        return bool(possible_types(self._properties.get(key), self._root))

    def is_certain(self, key: str) -> bool:
        """The schema names exactly one type."""
        return len(possible_types(self._properties.get(key), self._root)) == 1

    def is_text(self, key: str) -> bool:
        """The value can only be a string, so it may stream before its closer (C-STREAM)."""
        return self.types(key) == TEXT

    def value(self, key: str, text: str) -> object:
        """The JSON value of `text` for `key`."""
        types = self.types(key)
        if not types:
            return free_value(text, literal=self._untyped == "literal")
        return _coerce(text, types, self._properties.get(key), self._root, literal=self._untyped == "literal")


    def at(self, path: Sequence[str | None]) -> Place:
        """The place of a nested value: keys from the outside in, None for an item of a list."""
        place = Place(self._root, self._root, self._untyped)
        for key in path:
            place = place.item() if key is None else place.member(key)
        return place


@dataclass(frozen=True, slots=True)
class Place:
    """What a tool's parameters say about the value at one place, however deep.

    Attributes:
        schema: its schema; not a mapping when nothing is said.
        root: the whole document, for `$ref`.
        untyped: as for ParameterTypes.
    """

    schema: object
    root: Schema
    untyped: Untyped = "string"

    def types(self) -> frozenset[str]:
        """Possible types; empty when nothing is declared."""
        return possible_types(self.schema, self.root)

    def declared_order(self) -> list[str]:
        """The possible types as the schema lists them, those of its alternatives last."""
        names: list[str] = []
        for schema in self._schemas():
            declared = schema.get("type")
            names += [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
            names += ["null"] if schema.get("nullable") else []
        return list(dict.fromkeys(_canonical(name) for name in names if isinstance(name, str)))

    def member(self, key: str) -> Place:
        """The value of a key: its property, else what additional properties are."""
        found: object = None
        for schema in self._schemas():
            properties = schema.get("properties")
            if isinstance(properties, Mapping) and key in properties:
                return Place(properties[key], self.root, self.untyped)
            found = found or schema.get("additionalProperties")
        return Place(found, self.root, self.untyped)

    def item(self) -> Place:
        """Any item of a list."""
        found = next((schema["items"] for schema in self._schemas() if "items" in schema), None)
        return Place(found, self.root, self.untyped)

    def container(self) -> str:
        """"array" or "object", what the first alternative that is one of them says; "" without one."""
        return next(filter(None, map(_container, self._schemas())), "")

    def value(self, text: str) -> object:
        """The JSON value of raw text."""
        types = self.types() or (TEXT if self.untyped == "string" else frozenset())
        literal = self.untyped == "literal"
        return _coerce(text, types, self.schema, self.root, literal) if types else free_value(text, literal)

    def _schemas(self) -> list[Schema]:
        """The schema and its alternatives, in order."""
        if not isinstance(self.schema, Mapping):
            return []
        schema = _resolved(self.schema, self.root)
        return [_resolved(s, self.root) for s in (schema, *_alternatives(schema)) if isinstance(s, Mapping)]


def _container(schema: Schema) -> str:
    """"array" or "object" when a schema says so, by its type or by what only one of them has."""
    types = possible_types({"type": schema.get("type")}, schema)
    if "array" in types or "object" in types:
        return "array" if "array" in types else "object"
    if "items" in schema:
        return "array"
    return "object" if "properties" in schema or "additionalProperties" in schema else ""


def possible_types(schema: object, root: Schema, _level: int = 0) -> frozenset[str]:
    """`type`, types of `enum` members, and those of anyOf / oneOf / allOf; empty when nothing is declared."""
    if not isinstance(schema, Mapping) or _level > _MAX_NESTING:
        return frozenset()
    schema = _resolved(schema, root)
    declared = schema.get("type")
    names = declared if isinstance(declared, Sequence) and not isinstance(declared, str) else [declared]
    found = {_canonical(name) for name in names if isinstance(name, str)}
    members = schema.get("enum")
    if isinstance(members, Sequence) and not isinstance(members, str):
        found.update(_type_of(member) for member in members)
    for alternative in _alternatives(schema):
        found |= possible_types(alternative, root, _level + 1)
    return frozenset(found & set(ORDER))


def free_value(text: str, literal: bool = False) -> object:
    """JSON if the text is JSON, else a Python literal if allowed, else the text."""
    value = parse_json(text)
    if value is _FAILED and literal:
        value = _parse_literal(text)
    return text if value is _FAILED else value


def is_json(text: str) -> bool:
    """The text is one JSON value with finite numbers."""
    return parse_json(text) is not _FAILED


def json_object(text: str) -> dict[str, Any] | None:
    """The object `text` spells, or None when it spells none."""
    value = parse_json(text)
    return value if isinstance(value, dict) else None


def dump(value: object) -> str:
    """JSON text: ", " and ": ", non-ASCII kept, lone surrogates (which no wire carries) escaped."""
    return _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", json.dumps(value, ensure_ascii=False))


def escape(text: str) -> str:
    """The inside of a JSON string that holds `text`."""
    return dump(text)[1:-1]


def parse_json(text: str) -> Any:
    """The value, or the private marker `_FAILED`; NaN, Infinity and overflowing numbers fail."""
    try:
        return json.loads(text, parse_constant=_reject, parse_float=_finite, strict=False)
    except (ValueError, RecursionError):
        return _FAILED


def _reject(text: str) -> object:
    raise ValueError(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _parse_literal(text: str) -> Any:
    try:
        value = ast.literal_eval(text.strip())
        dump(value)
        json.dumps(value, allow_nan=False)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _FAILED
    return value


def _resolved(schema: Schema, root: Schema) -> Schema:
    for _ in range(_MAX_NESTING):
        target = schema.get("$ref")
        if not (isinstance(target, str) and target.startswith("#/")):
            return schema
        found: object = root
        for part in target[2:].split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            found = found.get(part) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            return schema
        schema = found
    return {}


def _alternatives(schema: Schema) -> list[object]:
    found: list[object] = []
    for name in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(name)
        if isinstance(choices, Sequence) and not isinstance(choices, str):
            found.extend(choices)
    return found


def _canonical(name: str) -> str:
    return _ALIASES.get(name.lower(), name.lower())


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "string")


def _coerce(text: str, types: frozenset[str], schema: object, root: Schema, literal: bool) -> object:
    for name in ORDER:
        if name in types:
            value = _READERS[name](text)
            if value is not _FAILED:
                return _nested(value, schema, root)
    return _nested(free_value(text, literal), schema, root)


def _nested(value: Any, schema: object, root: Schema, _level: int = 0) -> Any:
    """C-NEST: strings inside objects and lists follow the schema that `properties` and `items` spell out."""
    if _level > _MAX_NESTING or not isinstance(schema, Mapping) or not isinstance(value, (dict, list)):
        return value
    schemas = [_resolved(s, root) for s in (schema, *_alternatives(_resolved(schema, root))) if isinstance(s, Mapping)]
    if isinstance(value, list):
        items = next((s["items"] for s in schemas if isinstance(s.get("items"), Mapping)), None)
        return [_leaf(item, items, root, _level) for item in value] if items is not None else value
    properties: Schema = next((s["properties"] for s in schemas if isinstance(s.get("properties"), Mapping)), {})
    return {k: _leaf(v, properties.get(k), root, _level) for k, v in value.items()}


def _leaf(value: object, schema: object, root: Schema, level: int) -> object:
    if isinstance(value, str) and schema is not None:
        types = possible_types(schema, root)
        return _coerce(value, types, schema, root, literal=False) if types and "string" not in types else value
    return _nested(value, schema, root, level + 1)


def _null(text: str) -> Any:
    return None if text.lower() == "null" else _FAILED


def _integer(text: str) -> Any:
    if not _INTEGER.match(text):
        return _FAILED
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return _FAILED


def _number(text: str) -> Any:
    if (value := _integer(text)) is not _FAILED:
        return value
    if not _NUMBER.match(text):
        return _FAILED
    number = float(text)
    if not math.isfinite(number):
        return _FAILED
    return int(number) if number.is_integer() else number


def _boolean(text: str) -> Any:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), _FAILED)


def _object(text: str) -> Any:
    value = parse_json(text)
    return value if isinstance(value, dict) else _FAILED


def _array(text: str) -> Any:
    value = parse_json(text)
    return value if isinstance(value, list) else _FAILED


_READERS: Mapping[str, Callable[[str], Any]] = {
    "null": _null,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _object,
    "array": _array,
    "string": lambda text: text,
}
