"""What a person asks of the request and of the server, besides the parsers -> the request, its tools, the server.

Every field is a choice; the defaults are a client that sends nothing but messages and tools, and a server whose
switches are on. Law: the defaults hide nothing and constrain nothing, so a run with them shows what the parser found.

Source: card 01 (P-24 … P-46), card 05 (S-11, S-22, S-23, S-35, S-44), card 00 (C0-01, `request` and `server`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from parsers.errors import RequestError
from parsers.files.jsontext import BadJson, read_json
from parsers.protocol import ChatRequest, FunctionTool, JsonObject, NamedToolChoice

ABSENT, NULL = "absent", "null"
TOOL_CHOICES = (ABSENT, "none", "auto", "required", NULL)
"""Tool choices that name no function; left out and null are not the same (P-25)."""
_NAMED = "function:"
StrictLevelName = Literal["auto", "function", "parameter"]
STRICT_LEVELS: tuple[StrictLevelName, ...] = ("auto", "function", "parameter")
_FORMATS = ("text", "json_object", "json_schema", "structural_tag")


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The request and the server of a run, as a person chooses them.

    Attributes:
        tool_choice: one of `TOOL_CHOICES`, or what `forcing` gives for a function.
        parallel_tool_calls: None leaves the field out; only False limits a message to one call (P-26).
        include_reasoning: False hides reasoning and everything that shows it (P-40).
        logprobs, top_logprobs, return_token_ids: what a chunk tells about its tokens (P-41).
        include_usage, continuous_usage: token counts at the end, and with every chunk (P-36).
        response_format: the client's own format as JSON text; "" for none.
        strict_tools, loose_tools: functions whose `strict` is set and cleared, whatever the tools say (S-23).
        history_calls: calls made earlier in the conversation, for ids that count them (D-70).
        auto_tools: the server's auto tool choice is switched on (P-24).
        strict_calling: the server makes structural tags (S-35).
        strict_level: the server's floor; None leaves it to the tool parser (S-22).
        engine_arguments: the engine process gets the template arguments too (S-44).
    """

    tool_choice: str = ABSENT
    parallel_tool_calls: bool | None = None
    include_reasoning: bool = True
    logprobs: bool = False
    top_logprobs: int = 0
    return_token_ids: bool = False
    include_usage: bool = False
    continuous_usage: bool = False
    response_format: str = ""
    strict_tools: tuple[str, ...] = ()
    loose_tools: tuple[str, ...] = ()
    history_calls: int = 0
    auto_tools: bool = True
    strict_calling: bool = True
    strict_level: StrictLevelName | None = None
    engine_arguments: bool = True

    @property
    def forced_function(self) -> str | None:
        """The function that the tool choice names; None when it names none."""
        return self.tool_choice.removeprefix(_NAMED) if self.tool_choice.startswith(_NAMED) else None


NOTHING_ASKED = RequestSettings()


def forcing(function: str) -> str:
    """The tool choice that forces a function; told apart from a word even when the function is called "auto"."""
    return _NAMED + function


def choice_of(request: ChatRequest) -> str:
    """The tool choice of a request, as `RequestSettings` spells it."""
    choice = request.tool_choice
    if isinstance(choice, NamedToolChoice):
        return forcing(choice.function.name)
    if choice is None:
        return NULL
    return choice if "tool_choice" in request.model_fields_set else ABSENT


def chat_request(
    asked: RequestSettings,
    tools: Sequence[FunctionTool],
    *,
    template_kwargs: Mapping[str, object],
    stop: Sequence[str] = (),
    include_stop: bool = False,
    skip_special_tokens: bool = False,
) -> ChatRequest:
    """The streamed request that asks for this.

    A request without tools says nothing about them, which is no reason to hide calls: nobody has typed any.

    Raises:
        RequestError: there is no such tool choice.
    """
    fields: dict[str, object] = {
        "stream": True,
        "stop": list(stop),
        "include_stop_str_in_output": include_stop,
        "skip_special_tokens": skip_special_tokens,
        "chat_template_kwargs": dict(template_kwargs),
        **request_fields(asked),
    }
    if tools:
        fields["tools"] = list(tools)
    return ChatRequest.model_validate(fields)


def request_fields(asked: RequestSettings) -> JsonObject:
    """The fields of a request that say what is asked, as JSON; what a client leaves out is left out.

    Raises:
        RequestError: there is no such tool choice.
    """
    fields: JsonObject = {
        "include_reasoning": asked.include_reasoning,
        "logprobs": asked.logprobs,
        "top_logprobs": asked.top_logprobs,
        "return_token_ids": asked.return_token_ids,
        "stream_options": {
            "include_usage": asked.include_usage,
            "continuous_usage_stats": asked.continuous_usage,
        },
    }
    if asked.tool_choice != ABSENT:
        fields["tool_choice"] = _tool_choice(asked)
    if asked.parallel_tool_calls is not None:
        fields["parallel_tool_calls"] = asked.parallel_tool_calls
    if asked.history_calls:
        fields["messages"] = [{"role": "assistant", "tool_calls": [{}] * asked.history_calls}]
    return fields


def overridden(tools: Sequence[FunctionTool], asked: RequestSettings) -> tuple[FunctionTool, ...]:
    """The tools with `strict` as it was asked for; those nobody asked about are the same objects.

    Raises:
        RequestError: a function is not offered, or is to be strict and not strict at once.
    """
    wanted = dict.fromkeys(asked.strict_tools, True) | dict.fromkeys(asked.loose_tools, False)
    both = sorted(set(asked.strict_tools) & set(asked.loose_tools))
    if both:
        raise RequestError(f"The tool {both[0]!r} is asked to be strict and not strict; take it out of one list.")
    unknown = sorted(set(wanted) - {tool.name for tool in tools})
    if unknown:
        offered = ", ".join(tool.name for tool in tools) or "none"
        raise RequestError(f"The tool {unknown[0]!r}, asked to be strict or not, is not offered; offered: {offered}.")
    return tuple(_with_strict(tool, wanted[tool.name]) if tool.name in wanted else tool for tool in tools)


def response_format(asked: RequestSettings) -> JsonObject | None:
    """The client's own format; None when there is none.

    Raises:
        RequestError: not a JSON object, or of no kind that a server knows; says where.
    """
    if not asked.response_format.strip():
        return None
    try:
        value = read_json(asked.response_format)
    except BadJson as error:
        raise RequestError(f"The response format is not valid JSON: {error}.") from error
    if not isinstance(value, dict) or value.get("type") not in _FORMATS:
        raise RequestError(
            f"The response format is not a JSON object whose type is one of {', '.join(_FORMATS)}, such as "
            '{"type": "json_object"}.'
        )
    return value


def _tool_choice(asked: RequestSettings) -> JsonValue:
    if asked.forced_function is not None:
        return {"type": "function", "function": {"name": asked.forced_function}}
    if asked.tool_choice not in TOOL_CHOICES:
        known = ", ".join(TOOL_CHOICES)
        raise RequestError(f"There is no tool choice {asked.tool_choice!r}; use {known}, or {_NAMED}NAME.")
    return None if asked.tool_choice == NULL else asked.tool_choice


def _with_strict(tool: FunctionTool, strict: bool) -> FunctionTool:
    return tool.model_copy(update={"function": tool.function.model_copy(update={"strict": strict})})
