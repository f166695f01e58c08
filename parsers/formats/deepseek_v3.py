r"""DeepSeek V3 and V3.1: a section of calls, JSON behind the name.

    section  = "<｜tool▁calls▁begin｜>" call { ["\n"] call } "<｜tool▁calls▁end｜>"
    call v3  = "<｜tool▁call▁begin｜>" "function" "<｜tool▁sep｜>" NAME fenced "<｜tool▁call▁end｜>"
    fenced   = "\n```json\n" OBJECT "\n```"
    call v31 = "<｜tool▁call▁begin｜>" NAME "<｜tool▁sep｜>" OBJECT "<｜tool▁call▁end｜>"

The bars are U+FF5C, the word joiners U+2581. The rows are kimi_k2's; v3 has a type word and a fence besides. A marker
or a fence inside a JSON string is data, text after the section is content. Source: deepseek-v3.md.
"""

from __future__ import annotations

from parsers.engine.config import NO_BLANK, SPACES, Body, ParserEngineConfig, Row
from parsers.formats.base import DEEPSEEK_END, DEEPSEEK_TURNS, S, section_rows, terminal

_SECTION = {
    "SECTION_START": terminal("<｜tool▁calls▁begin｜>"),
    "SECTION_END": terminal("<｜tool▁calls▁end｜>"),
    "CALL_START": terminal("<｜tool▁call▁begin｜>"),
    "CALL_END": terminal("<｜tool▁call▁end｜>"),
}
_SEPARATOR = "<｜tool▁sep｜>"

deepseek_v31 = ParserEngineConfig(
    name="deepseek_v31",
    tokens=(*(marker.spellings[0] for marker in _SECTION.values()), _SEPARATOR),
    terminals={**_SECTION, "ARGS_START": terminal(_SEPARATOR)},
    rows=section_rows(),
    bodies={S.TOOL_ARGS: Body("json")},
    required=tuple(_SECTION[name].spellings[0] for name in ("SECTION_START", "SECTION_END")),
    content_trim=NO_BLANK,
    turn_boundaries=DEEPSEEK_TURNS,
    special=DEEPSEEK_END,
)

deepseek_v3 = deepseek_v31.but(
    name="deepseek_v3",
    terminals={
        **_SECTION,
        "TYPE_END": terminal(_SEPARATOR),
        "ARGS_START": terminal(f"{SPACES}```json{SPACES}", "\n"),
        "FENCE": terminal("```"),
    },
    rows=(
        *section_rows(typed=True),
        Row(S.TOOL_ARGS, "FENCE", S.TOOL_ARGS, (), "behind the object; without fences it is a call too"),
    ),
)
