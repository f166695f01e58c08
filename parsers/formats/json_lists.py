"""Calls in one JSON array behind a marker: Jamba, Phi-4-mini, xLAM, Apertus.

    turn    = text { open ws ARRAY ws [ close ] text }
    jamba   : "<tool_calls>" ARRAY "</tool_calls>"
    phi4    : "functools" ARRAY                              plain text, the bracket closes
    apertus : "<|tools_prefix|>" ARRAY [ "<|tools_suffix|>" ]   items are {NAME: ARGUMENTS}
    xlam    : ARRAY as the first text, or behind "```" ["json"], "[TOOL_CALLS]" or "<tool_call>", with their closers
    ARRAY   = "[" [ {"name": STRING, "arguments": OBJECT} { "," … } ] "]"

A closer inside a JSON string is data; a body that is no list of calls comes back as text with its marker. Text around
the calls is content. granite.py and hunyuan.py hold the same lists behind other markers.

Source: json-lists.md.
"""

from __future__ import annotations

from parsers.args.json_calls import CallKeys
from parsers.engine.config import (
    FEED,
    NO_BLANK,
    OTHER,
    STRIP,
    Body,
    ParserEngineConfig,
    Row,
)
from parsers.formats.base import S, json_rows, terminal

_LIST = Body("calls", shape="either")
_FENCE = "```"
_XLAM_OPENERS = ("<tool_call>", "[TOOL_CALLS]", f"{_FENCE}json", _FENCE)

jamba = ParserEngineConfig(
    name="jamba",
    terminals={"TOOL_START": terminal("<tool_calls>"), "TOOL_END": terminal("</tool_calls>")},
    tokens=("<tool_calls>", "</tool_calls>"),
    rows=json_rows(),
    bodies={S.TOOL_ARGS: _LIST},
    content_trim=NO_BLANK,
    special=("<|eom|>",),
)

phi4_mini_json = ParserEngineConfig(
    name="phi4_mini_json",
    terminals={"TOOL_START": terminal("functools", followed_by=("[",), or_end=False)},
    rows=json_rows(closed=False),
    bodies={S.TOOL_ARGS: Body("calls", shape="array", calls_required=True)},
    content_trim=NO_BLANK,
    special=("<|end|>", "<|endoftext|>"),
)

apertus = ParserEngineConfig(
    name="apertus",
    terminals={"TOOL_START": terminal("<|tools_prefix|>"), "TOOL_END": terminal("<|tools_suffix|>")},
    tokens=("<|tools_prefix|>", "<|tools_suffix|>"),
    rows=json_rows(),
    bodies={S.TOOL_ARGS: Body("calls", CallKeys(single=True), shape="either")},
    content_trim=NO_BLANK,
    special=("<|assistant_start|>", "<|assistant_end|>"),
)

xlam = ParserEngineConfig(
    name="xlam",
    terminals={
        "TOOL_START": terminal(*_XLAM_OPENERS, followed_by=("[",), or_end=False),
        "TOOL_END": terminal("</tool_call>", _FENCE),
        "ARRAY": terminal("["),
    },
    rows=(
        Row(S.START, "TOOL_START", S.TOOL_ARGS),
        Row(S.START, "ARRAY", S.TOOL_ARGS, (FEED,)),
        Row(S.START, OTHER, S.CONTENT),
        *json_rows(closed=False),
        Row(S.TOOL_BETWEEN, "TOOL_END", S.TOOL_BETWEEN),
    ),
    bodies={S.TOOL_ARGS: Body("calls", shape="array", calls_required=True)},
    initial=S.START,
    content_trim=STRIP,
)
