"""StepFun Step3: a section of calls, each a tagged invoke.

    section = begin ws { call ws } end                   begin = "<｜tool_calls_begin｜>", end = "<｜tool_calls_end｜>"
    call    = "<｜tool_call_begin｜>" "function" "<｜tool_sep｜>" invoke "<｜tool_call_end｜>"
    invoke  = '<steptml:invoke name="' NAME '">' { param } "</steptml:invoke>"
    param   = '<steptml:parameter name="' KEY '">' VALUE "</steptml:parameter>"

The section looks like deepseek_v3's (bars are U+FF5C, but the underscores are ASCII), the invokes like dots': values
are stripped and typed by the tool's schema. The word before the separator means nothing. Thinking is in think.py.
Source: step3.md.
"""

from __future__ import annotations

from parsers.args.params import ValueRules
from parsers.engine.config import STRIP, ParserEngineConfig, Row
from parsers.formats.base import (
    QUOTED_KEY,
    QUOTED_NAME,
    T_END,
    T_START,
    S,
    invoke_rows,
    invoke_terminals,
    terminal,
)  # fmt: skip

_MARKERS = {
    "TOOL_START": "<｜tool_calls_begin｜>",
    "TOOL_END": "<｜tool_calls_end｜>",
    "CALL_START": "<｜tool_call_begin｜>",
    "CALL_END": "<｜tool_call_end｜>",
    "TYPE_END": "<｜tool_sep｜>",
}

step3 = ParserEngineConfig(
    name="step3",
    tokens=tuple(_MARKERS.values()),
    terminals={
        **{name: terminal(text) for name, text in _MARKERS.items()},
        **invoke_terminals(after=(_MARKERS["CALL_END"], _MARKERS["TOOL_END"]), prefix="steptml:"),
    },
    rows=(
        Row(S.CONTENT, "TOOL_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "CALL_START", S.TOOL_HEADER),
        Row(S.TOOL_HEADER, "TYPE_END", S.TOOL_HEADER, (), "the separator may be missing"),
        Row(S.TOOL_HEADER, "INVOKE_START", S.TOOL_NAME, (T_START,)),
        *invoke_rows(),
        Row(S.TOOL_BETWEEN, "CALL_END", S.TOOL_BETWEEN),
        Row(S.TOOL_BETWEEN, "CALL_START", S.TOOL_HEADER),
        Row(S.TOOL_BETWEEN, "TOOL_END", S.CONTENT),
        # recovery
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`<｜tool_calls_end｜>` alone: closes nothing", True),
        Row(S.TOOL_PREAMBLE, "TOOL_END", S.CONTENT, (), "`<｜tool_calls_begin｜><｜tool_calls_end｜>`: no call", True),
        Row(S.TOOL_HEADER, "CALL_END", S.TOOL_BETWEEN, (), "`function<｜tool_call_end｜>`: no invoke", True),
        Row(S.TOOL_HEADER, "TOOL_END", S.CONTENT, (), "`function<｜tool_calls_end｜>`: no invoke", True),
        Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (T_END,), "`</steptml:parameter><｜tool_calls_end｜>`", True),
        Row(S.TOOL_ARGS, "CALL_END", S.TOOL_BETWEEN, (T_END,), "`</steptml:parameter><｜tool_call_end｜>`", True),
        Row(S.TOOL_ARGS, "CALL_START", S.TOOL_HEADER, (T_END,), "`</steptml:parameter><｜tool_call_begin｜>`", True),
    ),
    name_pattern=QUOTED_NAME,
    key_pattern=QUOTED_KEY,
    values=ValueRules(strip=True),
    content_trim=STRIP,
)
