"""Is a document a structural tag? Checked against a schema of the documented format, without a grammar engine.

Source: the documented structural tag format of xgrammar 0.2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import JsonValue

from parsers.protocol import JsonObject

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_PART: JsonObject = {"$ref": "#/$defs/part"}
_TAG: JsonObject = {"$ref": "#/$defs/tag"}
_TEXT: JsonObject = {"type": "string"}
_FLAG: JsonObject = {"type": "boolean"}


def _list_of(item: JsonObject, least: int = 1) -> JsonObject:
    return {"type": "array", "items": item, "minItems": least}


def _kind(name: str, required: JsonObject, optional: JsonObject | None = None) -> JsonObject:
    """The schema of one kind of part."""
    properties: JsonObject = {"type": {"const": name}, **required, **(optional or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": ["type", *required],
        "additionalProperties": False,
    }


_LOOP: JsonObject = {"at_least_one": _FLAG, "stop_after_first": _FLAG}
_STYLES: JsonValue = [
    "json", "qwen_xml", "minimax_xml", "deepseek_xml", "deepseek_v4_1_xml", "glm_xml", "cohere_xml", "kimi_k3_xml",
]  # fmt: skip
_KINDS: dict[str, JsonObject] = {
    "const_string": _kind("const_string", {"value": _TEXT}),
    "regex": _kind("regex", {"pattern": _TEXT}),
    "grammar": _kind("grammar", {"grammar": _TEXT}),
    "json_schema": _kind(
        "json_schema",
        {"json_schema": {"type": ["object", "boolean"]}},
        {"style": {"enum": _STYLES}, "any_order": _FLAG},
    ),
    "any_text": _kind("any_text", {}, {"excludes": _list_of({**_TEXT, "minLength": 1}, 0)}),
    "sequence": _kind("sequence", {"elements": _list_of(_PART)}),
    "or": _kind("or", {"elements": _list_of(_PART)}),
    "optional": _kind("optional", {"content": _PART}),
    "plus": _kind("plus", {"content": _PART}),
    "star": _kind("star", {"content": _PART}),
    "tag": _kind("tag", {"begin": _TEXT, "content": _PART, "end": {"anyOf": [_TEXT, _list_of(_TEXT)]}}),
    "triggered_tags": _kind(
        "triggered_tags",
        {"triggers": _list_of({**_TEXT, "minLength": 1}), "tags": _list_of(_TAG)},
        {**_LOOP, "excludes": _list_of(_TEXT, 0)},
    ),
    "tags_with_separator": _kind("tags_with_separator", {"tags": _list_of(_TAG), "separator": _TEXT}, _LOOP),
}


def tag_fault(document: JsonObject) -> str:
    """What is wrong with a structural tag, in a clause; "" when nothing is."""
    error = next(iter(sorted(_validator().iter_errors(document), key=lambda error: -len(error.path))), None)
    if error is not None:
        return f"it is not a structural tag: {error.json_path}: {error.message[:200]}"
    loose = _untriggered(document)
    return f"no trigger begins the tag {loose!r}" if loose is not None else ""


def _untriggered(value: JsonValue) -> str | None:
    """The beginning of a tag that exactly one trigger should begin, and does not."""
    if isinstance(value, list):
        return next((found for item in value if (found := _untriggered(item)) is not None), None)
    if not isinstance(value, dict):
        return None
    if value.get("type") == "triggered_tags":
        for tag in _items(value["tags"]):
            begin = str(tag["begin"]) if isinstance(tag, dict) else ""
            if sum(begin.startswith(str(trigger)) for trigger in _items(value["triggers"])) != 1:
                return begin
    return _untriggered([inner for name, inner in value.items() if name != "json_schema"])


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


@lru_cache(maxsize=1)
def _validator() -> Validator:
    from jsonschema.validators import Draft202012Validator  # slow to load

    cases: list[JsonValue] = [
        {"if": {"properties": {"type": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}"}} for name in _KINDS
    ]
    part: JsonObject = {
        "type": "object",
        "properties": {"type": {"enum": [*_KINDS]}},
        "required": ["type"],
        "allOf": cases,
    }
    document: JsonObject = {
        "type": "object",
        "properties": {"type": {"const": "structural_tag"}, "format": _PART},
        "required": ["type", "format"],
        "$defs": {**_KINDS, "part": part},
    }
    return Draft202012Validator(document)
