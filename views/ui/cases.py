"""Run settings <-> a case file, which carries everything, the user's text too.

What a case has no field for (the cuts, the commit policy …) goes under `view`, which other readers ignore.

Law: `settings_of(Case.model_validate(case_of(settings, name)))` gives the settings back, tools printed anew.

Source: card 00 (C0-01).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from parsers.debug.session import RunSettings
from parsers.errors import CaseError, ParserscopeError
from parsers.files.case import Case, read_cases
from parsers.files.tools import read_tools
from views.ui.caserequest import request_of, request_part, server_part, view_part

DEFAULT_CUTS = "token"

THINKING_KEYS = ("enable_thinking", "thinking")
"""Names under which templates know the thinking switch; the page sets both, to fit any model."""


def settings_of(case: Case) -> RunSettings:
    """Return the settings that run a case as the page does."""
    request = case.chat_request()
    view = _view(case)
    asked = "skip_special_tokens" in request.model_fields_set
    return RunSettings(
        raw_output=raw_text(case),
        reasoning=case.reasoning_parser,
        tool=case.tool_parser,
        tokenizer=case.tokenizer or "bundled",
        generation_prompt=case.generation_prompt or "",
        tools_json=str(view.get("tools_json", _print_tools(case))),
        template_kwargs=_both_names(request.chat_template_kwargs),
        cuts=str(view.get("cuts", DEFAULT_CUTS)),
        stop=tuple(request.stop),
        include_stop=request.include_stop_str_in_output,
        skip_special_tokens=asked and request.skip_special_tokens,
        max_tokens=_limit(view.get("max_tokens")),
        call_commit="on_close" if view.get("call_commit") == "on_close" else "incremental",
        text_only=view.get("text_only") is True,
        engine_finish_reason=case.engine_finish_reason,
        composition="delegating" if view.get("composition") == "delegating" else "unified",
        request=request_of(case, view),
    )


def raw_text(case: Case) -> str:
    """Return the text of a case however it is given; "" for a case of ids alone."""
    if case.raw_output is not None:
        return case.raw_output
    if case.chunks is not None:
        return "".join(case.chunks)
    if case.tokens is not None:
        return "".join(case.tokens)
    return b"".join(map(bytes.fromhex, case.chunks_utf8_hex or [])).decode("utf-8", "replace")


def case_of(settings: RunSettings, name: str) -> dict[str, Any]:
    """Return the settings as the fields of a case with the id `name`."""
    tools, unread = _tools(settings.tools_json)
    return {
        "id": name,
        "reasoning_parser": settings.reasoning,
        "tool_parser": settings.tool,
        "raw_output": settings.raw_output,
        "tokenizer": settings.tokenizer,
        "generation_prompt": settings.generation_prompt,
        "tools": tools,
        "request": {
            "chat_template_kwargs": dict(settings.template_kwargs),
            "stop": list(settings.stop),
            "include_stop_str_in_output": settings.include_stop,
            "skip_special_tokens": settings.skip_special_tokens,
        }
        | request_part(settings.request),
        "server": server_part(settings.request),
        "engine_finish_reason": settings.engine_finish_reason,
        "view": {
            "cuts": settings.cuts,
            "max_tokens": settings.max_tokens,
            "call_commit": settings.call_commit,
            "composition": settings.composition,
            "text_only": settings.text_only,
        }
        | unread
        | view_part(settings.request),
    }


def print_case(settings: RunSettings, name: str) -> str:
    """Return a case as the text of a file: one line, as in JSON Lines."""
    return json.dumps(case_of(settings, name), ensure_ascii=False) + "\n"


def read_case_file(text: str, name: str) -> list[Case]:
    """Return the cases of a file, at least one.

    Raises:
        CaseError: not a case, or no case at all; names file, line and reason.
    """
    lines = text.split("\n") if text.count("\n{") else [text.replace("\n", " ")]
    cases = read_cases(lines, name)
    if not cases:
        raise CaseError(f"{name} holds no case.")
    return cases


def looks_like_case(text: str) -> bool:
    """Tell whether a pasted text is a case file and not a model's output."""
    head = text.lstrip()[:1]
    return head == "{" and '"raw_output"' in text and '"id"' in text


def _both_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give the thinking switch under both names when it is there under one."""
    given = [arguments[key] for key in THINKING_KEYS if isinstance(arguments.get(key), bool)]
    return {**arguments, **dict.fromkeys(THINKING_KEYS, given[0])} if len(given) == 1 else dict(arguments)


def _view(case: Case) -> Mapping[str, Any]:
    view = (case.model_extra or {}).get("view")
    return view if isinstance(view, dict) else {}


def _limit(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _print_tools(case: Case) -> str:
    if not case.tools:
        return ""
    return json.dumps([tool.model_dump(exclude_unset=True) for tool in case.tools], indent=2, ensure_ascii=False)


def _tools(text: str) -> tuple[list[Any], dict[str, str]]:
    """Return the tools of a text; a text that holds none is kept as it is, for the page to complain about."""
    try:
        return [tool.model_dump(exclude_unset=True) for tool in read_tools(text)], {}
    except ParserscopeError:
        return [], {"tools_json": text}
