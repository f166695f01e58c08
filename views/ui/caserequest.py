"""Request and server settings <-> the fields of a case that hold them.

What card 00 has a field for goes there, so that a replay obeys it; the rest goes under `view`.

Law: `request_of` undoes the three functions that make parts of a case, the response format printed anew.

Source: card 00 (C0-01, `request` and `server`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from parsers.debug.asked import RequestSettings, choice_of, request_fields, response_format
from parsers.errors import RequestError
from parsers.files.case import Case


def request_of(case: Case, view: Mapping[str, Any]) -> RequestSettings:
    """Return the settings a case asks for; `view` is the part of it that other readers ignore."""
    request, server = case.chat_request(), case.server
    return RequestSettings(
        tool_choice=choice_of(request),
        parallel_tool_calls=request.parallel_tool_calls,
        include_reasoning=request.include_reasoning,
        logprobs=request.logprobs,
        top_logprobs=request.top_logprobs,
        return_token_ids=request.return_token_ids,
        include_usage=request.stream_options.include_usage,
        continuous_usage=request.stream_options.continuous_usage_stats,
        response_format=_format_text(case, view),
        strict_tools=_names(view.get("strict_tools")),
        loose_tools=_names(view.get("loose_tools")),
        history_calls=request.history_calls,
        auto_tools=server.auto_tools,
        strict_calling=server.strict_calling,
        strict_level=server.tool_strict_level,
        engine_arguments=view.get("engine_arguments") is not False,
    )


def request_part(asked: RequestSettings) -> dict[str, Any]:
    """Return what goes into the `request` of a case."""
    fields: dict[str, Any] = dict(request_fields(asked))
    wanted = _format(asked)
    return fields if wanted is None else fields | {"response_format": wanted}


def server_part(asked: RequestSettings) -> dict[str, Any]:
    """Return the `server` of a case."""
    return {
        "auto_tools": asked.auto_tools,
        "strict_calling": asked.strict_calling,
        "tool_strict_level": asked.strict_level,
    }


def view_part(asked: RequestSettings) -> dict[str, Any]:
    """Return what a case has no field for; a response format that is none is kept, for the page to complain about."""
    kept = {} if _format(asked) is not None else {"response_format": asked.response_format}
    return kept | {
        "strict_tools": list(asked.strict_tools),
        "loose_tools": list(asked.loose_tools),
        "engine_arguments": asked.engine_arguments,
    }


def _format(asked: RequestSettings) -> Mapping[str, Any] | None:
    try:
        return response_format(asked)
    except RequestError:
        return None


def _format_text(case: Case, view: Mapping[str, Any]) -> str:
    wanted = case.request.get("response_format")
    return str(view.get("response_format", "")) if wanted is None else json.dumps(wanted, indent=2, ensure_ascii=False)


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
