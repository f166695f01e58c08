"""Tools as JSON text, typed or pasted by a person, to function tools; mistakes are named with their place.

Reads a list or a single tool; a bare function object (`{"name": …, "parameters": …}`) counts as a function
tool, since many model cards show tools that way; a custom tool is a function of one string (S-30). Every `parameters`
must be a JSON schema.

Source: card 00 (C0-01, `tools`); ours for the leniency.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue, ValidationError

from parsers.errors import ToolsError
from parsers.files.jsontext import BadJson, read_json
from parsers.files.limits import check_size
from parsers.protocol import FunctionTool, JsonObject
from parsers.structured.schema import offered_tools

_SPACE = re.compile(r"[ \t\n\r]*")


def read_tools(text: str) -> list[FunctionTool]:
    """Return the tools of a JSON text; blank text holds none.

    Raises:
        ToolsError: not JSON, not function tools, or parameters that are not a JSON schema.
        LimitError: longer than `limits.MAX_TEXT` characters.
    """
    check_size(text, "The tools JSON")
    if not text.strip():
        return []
    try:
        value = read_json(text)
    except BadJson as error:
        raise ToolsError(f"The tools are not valid JSON: {error}.") from error
    items = value if isinstance(value, list) else [value]
    places = _item_places(text) if isinstance(value, list) else iter([0])
    return [_checked_tool(item, _place(text, start)) for item, start in zip(items, places, strict=True)]


def as_tool(value: JsonValue) -> JsonValue:
    """Return a bare function object or a custom tool as a function tool, and anything else unchanged."""
    if isinstance(value, dict) and "function" not in value and "name" in value:
        return {"type": "function", "function": value}
    custom = offered_tools([value]) if isinstance(value, dict) and value.get("type") == "custom" else []
    return custom[0].model_dump(exclude_none=True) if custom else value


def _item_places(text: str) -> Iterator[int]:
    """Yield where each item of the list that `text` holds begins (characters, 0-based)."""
    decoder = json.JSONDecoder()
    position = _after_space(text, text.index("[") + 1)
    while text[position] != "]":
        yield position
        _, end = decoder.raw_decode(text, position)
        position = _after_space(text, end)
        if text[position] == ",":
            position = _after_space(text, position + 1)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column}"


def _checked_tool(value: JsonValue, place: str) -> FunctionTool:
    try:
        tool = FunctionTool.model_validate(as_tool(value))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:4]) or "the item"
        message = first["msg"][0].lower() + first["msg"][1:]
        raise ToolsError(f"The tool at {place} is not a function tool: {where}: {message}.") from error
    _check_schema(tool.name, tool.parameters, place)
    return tool


def _check_schema(name: str, schema: JsonObject, place: str) -> None:
    # Imported here because it takes longer to load than everything else a command needs.
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        path = error.json_path.replace("$", "parameters", 1)
        raise ToolsError(
            f"The parameters of {name!r} (tool at {place}) are not a JSON schema: {path}: {error.message}."
        ) from error
    except RecursionError as error:
        raise ToolsError(f"The parameters of {name!r} (tool at {place}) are too deeply nested.") from error
