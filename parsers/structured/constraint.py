"""Constraints on the whole output: request fields -> a `Constraint`, whether an engine takes it, and what it costs.

Law: a constraint is a value; equal constraints have equal fingerprints, and an engine compiles each only once.

Source: card S-11, S-26, S-54, S-55.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from pydantic import JsonValue

from parsers.errors import RequestError
from parsers.protocol import JsonObject
from parsers.structured import nodes
from parsers.structured.tagschema import tag_fault

Kind = Literal["json", "json_object", "regex", "choice", "grammar", "structural_tag"]
_KINDS: tuple[Kind, ...] = ("json", "json_object", "regex", "choice", "grammar", "structural_tag")


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the output must match.

    Attributes:
        kind: how `value` is read.
        value: a JSON schema, a pattern, a list of texts, an EBNF grammar, a structural tag; True for "json_object".
    """

    kind: Kind
    value: JsonValue

    @property
    def fingerprint(self) -> str:
        """Text that is equal for equal constraints, whatever the order of their keys."""
        return json.dumps([self.kind, self.value], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Compilation:
    """What an engine does with the constraint of one request (S-54, S-55).

    Attributes:
        outcome: "compiled" takes up to seconds before the first token, "cached" nothing; "failed" ends this request
            and no other.
        fault: why it failed, else "".
    """

    outcome: Literal["compiled", "cached", "failed"]
    fault: str = ""


def user_constraint(response_format: JsonObject | None, structured_outputs: JsonObject | None) -> Constraint | None:
    """The format a request asks for by itself; `structured_outputs` wins over `response_format`.

    Raises:
        RequestError: more than one kind of constraint at once.
    """
    found = [Constraint(kind, value) for kind, value in _given(structured_outputs or {})]
    if len(found) > 1:
        kinds = " and ".join(constraint.kind for constraint in found)
        raise RequestError(f"structured_outputs holds {kinds}; keep one of them.")
    return found[0] if found else _from_response_format(response_format or {})


def engine_fault(constraint: Constraint) -> str:
    """Why a grammar engine cannot use a constraint, in a clause; "" when it can."""
    match constraint.kind, constraint.value:
        case "json", dict() | bool() as schema:
            return _schema_fault(schema)
        case "json_object", _:
            return ""
        case "regex", str() as pattern:
            return _pattern_fault(pattern)
        case "choice", [_, *_] as texts:
            return "" if all(isinstance(text, str) for text in texts) else "a choice must be a list of texts"
        case "grammar", str() as grammar:
            return "" if "root" in grammar else "the grammar has no rule named root"
        case "structural_tag", dict() as tag:
            return tag_fault(tag)
    return f"its value does not fit the kind {constraint.kind!r}"


def as_format(constraint: Constraint) -> JsonObject:
    """The constraint as a part of a structural tag; it must be one that an engine can use."""
    match constraint.kind, constraint.value:
        case "json", schema:
            return nodes.json_schema(schema)
        case "regex", pattern:
            return nodes.regex(str(pattern))
        case "choice", list() as texts:
            return nodes.one_of([nodes.const(str(text)) for text in texts])
        case "grammar", grammar:
            return nodes.grammar(str(grammar))
        case "structural_tag", dict() as tag:
            return cast(JsonObject, tag["format"])
    return nodes.json_schema({"type": "object"})


def compilations(constraints: Sequence[Constraint]) -> list[Compilation]:
    """What one engine does with the constraints of successive requests, in order."""
    seen: set[str] = set()
    results = []
    for constraint in constraints:
        fault = engine_fault(constraint)
        known = constraint.fingerprint in seen
        results.append(Compilation("failed", fault) if fault else Compilation("cached" if known else "compiled"))
        seen.add(constraint.fingerprint)
    return results


def _given(structured_outputs: JsonObject) -> Iterator[tuple[Kind, JsonValue]]:
    for kind in _KINDS:
        value = structured_outputs.get(kind)
        if value is not None and value is not False:
            yield kind, value


def _from_response_format(response_format: JsonObject) -> Constraint | None:
    kind = response_format.get("type")
    if kind == "json_object":
        return Constraint("json_object", True)
    if kind == "structural_tag":
        return Constraint("structural_tag", response_format)
    if kind != "json_schema":
        return None
    described = response_format.get("json_schema")
    return Constraint("json", described.get("schema") if isinstance(described, dict) else None)


def _schema_fault(schema: JsonObject | bool) -> str:
    from jsonschema.exceptions import SchemaError  # slow to load, and most requests have no format of their own
    from jsonschema.validators import Draft202012Validator

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"it is not a JSON schema: {error.message}"
    return ""


def _pattern_fault(pattern: str) -> str:
    if re.search(r"\(\?<?[=!]", pattern):
        return "the pattern looks ahead or behind, which a grammar cannot"
    try:
        re.compile(pattern)
    except re.error as error:
        return f"it is not a regular expression: {error}"
    return ""
