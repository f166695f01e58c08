"""Tools -> the JSON schema that forces a call where no structural tag does.

The output is then plain JSON: an array of `{"name", "parameters"}` for "required", the bare parameters object for a
named function (S-16). Law: the tools handed in are never changed; what comes out shares nothing with them.

Source: card S-12 … S-16, S-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import cast

from parsers.errors import RequestError
from parsers.protocol import FunctionDefinition, FunctionTool, JsonObject, NamedToolChoice, ToolChoice

_DEFS = "$defs"


def offered_tools(raw: Iterable[JsonObject]) -> list[FunctionTool]:
    """The tools a grammar may name: functions, and custom tools as functions of one string (S-30).

    Tools of other types run on the server and are never called by markup, so they are left out.
    """
    return [tool for item in raw for tool in _offered(item)]


def parameters_schema(tool: FunctionTool) -> JsonObject:
    """A copy of the schema of a tool's arguments; a tool without one takes none (S-12)."""
    return deepcopy(tool.function.parameters) or {"type": "object", "properties": {}}


def tools_schema(
    tools: Sequence[FunctionTool] | None, choice: ToolChoice | None, parallel: bool | None = None
) -> JsonObject | None:
    """The schema the whole output must follow; None when the choice forces nothing (S-12).

    Args:
        parallel: the request's `parallel_tool_calls`; only False limits the array to one call (S-13).

    Raises:
        RequestError: the named function is not offered, or two tools define one `$defs` entry differently.
    """
    if choice is None or choice in ("none", "auto") or tools is None:
        return None
    if isinstance(choice, NamedToolChoice):
        return parameters_schema(named_tool(tools, choice))
    return _array_schema(tools, parallel)


def named_tool(tools: Sequence[FunctionTool], choice: NamedToolChoice) -> FunctionTool:
    """The tool a choice names.

    Raises:
        RequestError: it is not offered (S-15).
    """
    for tool in tools:
        if tool.name == choice.function.name:
            return tool
    offered = ", ".join(tool.name for tool in tools) or "none"
    raise RequestError(f"The tool {choice.function.name!r} named in tool_choice is not in tools; offered: {offered}.")


def _array_schema(tools: Sequence[FunctionTool], parallel: bool | None) -> JsonObject:
    if not tools:
        raise RequestError('tool_choice is "required", but the request offers no function tool to call.')
    definitions: JsonObject = {}
    calls = [_call_schema(tool, definitions) for tool in tools]
    schema: JsonObject = {"type": "array", "minItems": 1, "items": {"type": "object", "anyOf": [*calls]}}
    if parallel is False:
        schema["maxItems"] = 1
    return {**schema, _DEFS: definitions} if definitions else schema


def _call_schema(tool: FunctionTool, definitions: JsonObject) -> JsonObject:
    """The schema of one element; the tool's `$defs` move to `definitions`, where `#/$defs/…` finds them (S-14)."""
    parameters = parameters_schema(tool)
    _hoist(tool.name, parameters.pop(_DEFS, {}), definitions)
    return {
        "type": "object",
        "properties": {"name": {"type": "string", "enum": [tool.name]}, "parameters": parameters},
        "required": ["name", "parameters"],
    }


def _hoist(tool: str, own: object, definitions: JsonObject) -> None:
    if not isinstance(own, dict):
        raise RequestError(f"The `$defs` of the tool {tool!r} must be an object.")
    for name, schema in cast(JsonObject, own).items():
        if definitions.setdefault(name, schema) != schema:
            raise RequestError(
                f"The tool {tool!r} defines `$defs` {name!r} differently from an earlier tool; rename one of them."
            )


def _offered(item: JsonObject) -> list[FunctionTool]:
    if item.get("type") == "function":
        return [FunctionTool.model_validate(item)]
    custom = item.get("custom")
    if item.get("type") != "custom" or not isinstance(custom, dict) or "name" not in custom:
        return []
    one_string: JsonObject = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    return [FunctionTool(function=FunctionDefinition(name=str(custom["name"]), parameters=one_string))]
