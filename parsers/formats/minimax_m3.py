"""MiniMax M3's calls: invokes whose arguments are nested elements, every tag behind a marker M.

    block   = M "<tool_call>" ws { invoke ws } M "</tool_call>"                        M = "]<]minimax[>["
    invoke  = M "<invoke name=" Q NAME Q ">" { ws element } ws M "</invoke>"           Q is a quote of any kind or none
    element = M "<" TAG ">" { text | element } M "</" TAG ">"

The schema tells lists from objects and types the texts, so arguments come with the end of their call. M is a token but
not a special one, and models spell it in pieces too: it counts by its text. minimax_m2 has flat parameters and no M.
Source: minimax.md; M3's thinking is in minimax.py.
"""

from __future__ import annotations

from parsers.engine.config import NO_BLANK, SPACES, Body, ParserEngineConfig, Row
from parsers.formats.base import QUOTED_NAME, T_END, T_START, S, terminal, wrapper_rows
from parsers.formats.minimax import minimax_m3_think

_MARK = "]<]minimax[>["

minimax_m3 = ParserEngineConfig(
    name="minimax_m3",
    terminals={
        "TOOL_START": terminal(f"{_MARK}<tool_call>"),
        "TOOL_END": terminal(f"{_MARK}</tool_call>"),
        "INVOKE_START": terminal(f"{_MARK}<invoke{SPACES}name{SPACES}="),
        "NAME_END": terminal(">"),
        "INVOKE_END": terminal(f"{_MARK}</invoke>"),
    },
    rows=(
        *wrapper_rows(),
        Row(S.TOOL_NAME, "NAME_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "INVOKE_END", S.TOOL_BETWEEN, (T_END,)),
        # recovery
        Row(S.TOOL_NAME, "INVOKE_END", S.TOOL_BETWEEN, (T_END,), "`M<invoke name=fM</invoke>`: no `>`", True),
        Row(S.TOOL_ARGS, "INVOKE_START", S.TOOL_NAME, (T_END, T_START), "`M</k>M<invoke name=`: no `M</invoke>`", True),
    ),
    bodies={S.TOOL_ARGS: Body("elements", prefix=_MARK)},
    name_pattern=QUOTED_NAME,
    content_trim=NO_BLANK,
    special=minimax_m3_think.special,
    turn_boundaries=minimax_m3_think.turn_boundaries,
)
