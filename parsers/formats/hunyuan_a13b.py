r"""Hunyuan-A13B: think tags, an answer wrapper, and calls as a JSON list between tags; no tag is a token.

    turn   = "<think>\n" reasoning "\n</think>\n<answer>\n" answer "\n</answer>"
    answer = text { "<tool_calls>" ARRAY "</tool_calls>" text }
    ARRAY  = "[" [ {"name": STRING, "arguments": OBJECT} { "," … } ] "]"

One newline on the inner side of each wrapper tag is framing. The model writes the opener itself; for a fast answer it
thinks nothing (`<think>\n\n</think>`). Inside thinking `<tool_calls>` is text. jamba in json_lists.py is the same list.

Source: hunyuan.md.
"""

from __future__ import annotations

from parsers.engine.config import NEWLINE, NO_BLANK, Body, ParserEngineConfig, Row, Switch
from parsers.formats.base import S, json_rows, terminal, think

_WRAPPER = {
    "ANSWER_START": terminal("<answer>", swallow="newline"),
    "ANSWER_END": terminal(f"{NEWLINE}</answer>"),
}
_WRAPPER_ROWS = (
    Row(S.CONTENT, "ANSWER_START", S.CONTENT),
    Row(S.CONTENT, "ANSWER_END", S.CONTENT),
)

_pair = think(
    "hunyuan_a13b", switch=Switch(), content_trim=NO_BLANK, tokens=False, tool_ends_reasoning=False, initial=S.CONTENT
)
hunyuan_a13b = _pair.but(
    terminals={
        **_WRAPPER,
        "THINK_START": terminal("<think>", swallow="newline"),
        "THINK_END": terminal(f"{NEWLINE}</think>", swallow="newline"),
    },
    rows=(*_pair.rows, *_WRAPPER_ROWS),
)

hunyuan_a13b_tools = ParserEngineConfig(
    name="hunyuan_a13b",
    terminals={**_WRAPPER, "TOOL_START": terminal("<tool_calls>"), "TOOL_END": terminal("</tool_calls>")},
    rows=(
        *json_rows(),
        *_WRAPPER_ROWS,
        Row(S.TOOL_BETWEEN, "ANSWER_END", S.CONTENT),
    ),
    bodies={S.TOOL_ARGS: Body("calls", shape="either")},
    content_trim=NO_BLANK,
)
