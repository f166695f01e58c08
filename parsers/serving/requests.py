"""Request JSON to a `ChatRequest`, or to the sentence with which a server rejects it.

A rejected request never reaches a model, so a parser that "finds nothing" may be a request that was never served.
The sentences are the server's own, to be found again in its logs. `structured.lint` tells
what is served but seldom meant.

Source: card 01 (P-25, P-28).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from parsers.errors import RequestError
from parsers.protocol import ChatRequest, JsonObject, NamedToolChoice

EMPTY_TOOLS = "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely."
NO_TOOLS = "When using `tool_choice`, `tools` must be set."
UNKNOWN_TOOL = "The tool specified in `tool_choice` does not match any of the specified `tools`"
NAMED_USAGE = 'Correct usage: `{"type": "function", "function": {"name": "my_function"}}`'
NO_AUTO_TOOLS = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
NO_STREAM = "Stream options can only be defined when `stream=True`."
NO_LOGPROBS = "when using `top_logprobs`, `logprobs` must be set to true."


@dataclass(frozen=True, slots=True)
class ToolSupport:
    """What a server was started with.

    Attributes:
        auto_tools: the auto tool choice is switched on.
        tool_parser: a tool parser is named.
    """

    auto_tools: bool = True
    tool_parser: bool = True


def read_request(data: JsonObject, support: ToolSupport | None = None) -> ChatRequest:
    """Return the request a server would serve.

    Raises:
        RequestError: the server would reject it; the message is the server's sentence, or names the field.
    """
    _check_tool_choice(data)
    _check_output_options(data)
    try:
        request = ChatRequest.model_validate(data)
    except ValidationError as error:
        raise RequestError(_sentence(error)) from error
    _check_tool_exists(request)
    _check_support(request, support or ToolSupport())
    return request


def _check_tool_choice(data: Mapping[str, JsonValue]) -> None:
    choice, tools = data.get("tool_choice"), data.get("tools")
    if tools == []:
        raise RequestError(EMPTY_TOOLS)
    if choice is None or choice == "none":
        return
    if tools is None:
        raise RequestError(NO_TOOLS)
    if isinstance(choice, Mapping):
        _check_names_a_function(choice)
    elif choice not in ("auto", "required"):
        raise RequestError(
            f'Invalid value for `tool_choice`: {choice}! Only named tools, "none", "auto" or "required" are supported.'
        )


def _check_names_a_function(choice: Mapping[str, JsonValue]) -> None:
    function = choice.get("function")
    if not isinstance(function, Mapping):
        raise RequestError(f"Invalid value for `function`: `{function}` in `tool_choice`! {NAMED_USAGE}")
    if not isinstance(function.get("name"), str):
        raise RequestError(f"Expected field `name` in `function` in `tool_choice`! {NAMED_USAGE}")


def _check_output_options(data: Mapping[str, JsonValue]) -> None:
    if data.get("stream_options") and not data.get("stream"):
        raise RequestError(NO_STREAM)
    if data.get("top_logprobs") and not data.get("logprobs"):
        raise RequestError(NO_LOGPROBS)


def _check_tool_exists(request: ChatRequest) -> None:
    choice = request.tool_choice
    if not isinstance(choice, NamedToolChoice):
        return
    if choice.function.name not in {tool.name for tool in request.tools or ()}:
        raise RequestError(UNKNOWN_TOOL)


def _check_support(request: ChatRequest, support: ToolSupport) -> None:
    choice = request.tool_choice
    if choice == "auto" and not (support.auto_tools and support.tool_parser):
        raise RequestError(NO_AUTO_TOOLS)
    if choice in (None, "none", "auto") or support.tool_parser:
        return
    wanted = f'function "{choice.function.name}"' if isinstance(choice, NamedToolChoice) else f'"{choice}"'
    raise RequestError(f"tool_choice={wanted} requires --tool-call-parser to be set")


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"`{'.'.join(str(part) for part in first['loc'])}` cannot be used: {first['msg']}."
