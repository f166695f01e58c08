"""Kimi K2: think tags, and a section of calls whose header is the call's id.

    turn    = [reasoning "</think>"] content { section content }
    section = "<|tool_calls_section_begin|>" call { call } "<|tool_calls_section_end|>"
    call    = "<|tool_call_begin|>" ID "<|tool_call_argument_begin|>" OBJECT "<|tool_call_end|>"
    ID      = ["functions."] NAME ":" DIGITS               white space around it, DIGITS count the conversation's calls

The nearest relative is deepseek_v3's section; here the header is an id. A marker inside a JSON string is data, text
between calls of a section is dropped, text after the section is content. Source: kimi-k2.md.
"""

from __future__ import annotations

from parsers.engine.config import NO_BLANK, Body, ParserEngineConfig, Switch
from parsers.formats.base import S, section_rows, terminal, think

_TURNS = ("<|im_user|>", "<|im_assistant|>", "<|im_system|>")
_SPECIAL = ("<|im_end|>",)
_MARKERS = {
    "SECTION_START": "<|tool_calls_section_begin|>",
    "SECTION_END": "<|tool_calls_section_end|>",
    "CALL_START": "<|tool_call_begin|>",
    "ARGS_START": "<|tool_call_argument_begin|>",
    "CALL_END": "<|tool_call_end|>",
}

kimi_k2 = think(
    "kimi_k2",
    switch=Switch(("thinking", "enable_thinking"), off_is_identity=True),
    content_trim=NO_BLANK,
    turns=_TURNS,
    special=_SPECIAL,
)

kimi_k2_tools = ParserEngineConfig(
    name="kimi_k2",
    tokens=tuple(_MARKERS.values()),
    terminals={name: terminal(text) for name, text in _MARKERS.items()},
    rows=section_rows(),
    bodies={S.TOOL_ARGS: Body("json")},
    name_pattern=r"(?=(?P<id>.+:[0-9]+\Z)?)(?:functions\.)?(?P<name>(?(id)[^:]+|.+))(?(id).*)",
    call_ids="functions",
    content_trim=NO_BLANK,
    turn_boundaries=_TURNS,
    special=_SPECIAL,
)
