"""IBM Granite: thinking announced in prose, and calls as a JSON list or as JSON objects behind a marker.

    granite (reasoning) : ( "Here is my thought process:" reasoning "Here is my response:" content ) | content
    granite (tools)     : text { ( "<|tool_call|>" | "<tool_call>" ) ARRAY text }
    granite_thinking_parser : nemotron_v3 of qwen_variants.py; in front of content newlines alone are markup
    granite4            : text { "<tool_call>" OBJECT "</tool_call>" text }
    granite-20b-fc      : text { "<function_call>" OBJECT } text

The prose markers are ordinary text: the opener counts as the first text only, the separator inside thinking only; both
also come as "Here's my …". Lists and objects without a closer end with their own bracket. What is no call comes back as
text. granite4 is hermes with other white space: text around calls stays as it is, white space between two is markup.

Source: granite.md.
"""

from __future__ import annotations

from parsers.engine.config import NO_BLANK, OTHER, Body, ParserEngineConfig, Row, Switch, Trim
from parsers.formats.base import R_END, R_START, S, json_rows, terminal
from parsers.formats.context import RunContext
from parsers.formats.qwen_variants import nemotron_answers, nemotron_think, nemotron_v3

_TURNS = ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>")

granite_prose = ParserEngineConfig(
    name="granite",
    terminals={
        "THINK_START": terminal("Here is my thought process:", "Here's my thought process:"),
        "THINK_END": terminal("Here is my response:", "Here's my response:"),
    },
    rows=(
        Row(S.START, "THINK_START", S.REASONING, (R_START,)),
        Row(S.START, OTHER, S.CONTENT),
        Row(S.REASONING, "THINK_END", S.CONTENT, (R_END,)),
    ),
    initial=S.START,
    switch=Switch(),
    content_trim=NO_BLANK,
    special=_TURNS,
    turn_boundaries=_TURNS,
)

granite_list = ParserEngineConfig(
    name="granite",
    terminals={"TOOL_START": terminal("<|tool_call|>", "<tool_call>")},
    tokens=("<|tool_call|>",),
    rows=json_rows(closed=False),
    bodies={S.TOOL_ARGS: Body("calls", shape="either")},
    content_trim=NO_BLANK,
    special=_TURNS,
    turn_boundaries=_TURNS,
)

granite4 = ParserEngineConfig(
    name="granite4",
    terminals={"TOOL_START": terminal("<tool_call>"), "TOOL_END": terminal("</tool_call>")},
    tokens=("<tool_call>", "</tool_call>"),
    rows=json_rows(),
    bodies={S.TOOL_ARGS: Body("calls")},
    content_trim=NO_BLANK,
    special=_TURNS,
    turn_boundaries=_TURNS,
)

granite_20b_fc = ParserEngineConfig(
    name="granite-20b-fc",
    terminals={"TOOL_START": terminal("<function_call>")},
    rows=json_rows(closed=False),
    bodies={S.TOOL_ARGS: Body("calls")},
    content_trim=NO_BLANK,
    special=("<|endoftext|>",),
)

_THINKING = {
    base: base.but(name="granite_thinking_parser", content_trim=Trim(lead="\n", blank="null"))
    for base in (nemotron_think, nemotron_answers)
}


def granite_thinking_parser(context: RunContext) -> ParserEngineConfig:
    """Reasoning of Granite 4.2 for one request."""
    return _THINKING[nemotron_v3(context)]
