"""MiniMax M2 and M3: think tags, and for M2 calls written as tagged invokes.

    turn   = [ "<think>" ] reasoning "</think>" text { "<minimax:tool_call>" ws { invoke ws } "</minimax:tool_call>" }
    invoke = "<invoke name=" Q NAME Q ">" { ws param } ws "</invoke>"
    param  = "<parameter name=" Q KEY Q ">" VALUE "</parameter>"           Q is a quote of either kind or nothing

A value is verbatim and typed by the tool's schema. Inside a value a closer counts only when what follows it may come
there. Calls of functions the request does not have vanish. minimax_m2_append_think leaves all thinking in the content
and puts the prompt's opener back. M3 (`<mm:think>`) thinks once: later blocks are content. deepseek_dsml is the same
call with attributes that type the parameters. Source: minimax.md; M3's calls are in minimax_m3.py.
"""

from __future__ import annotations

from parsers.engine.config import OTHER, STRIP, STRIP_END, ParserEngineConfig, Row, Switch
from parsers.formats.base import (
    QUOTED_KEY,
    QUOTED_NAME,
    R_END,
    R_START,
    S,
    invoke_rows,
    invoke_terminals,
    terminal,
    think,
    wrapper_rows,
)  # fmt: skip

_TURNS = ("]~b]", "[e~[")
_SPECIAL = ("[e~[",)
_THINK = ("<think>", "</think>")
_CALL = ("<minimax:tool_call>", "</minimax:tool_call>")

minimax_m2_think = think(
    "minimax_m2", *_THINK, switch=Switch(), trim=STRIP_END, content_trim=STRIP, turns=_TURNS, special=_SPECIAL
)
minimax_m2_append_think = ParserEngineConfig(
    name="minimax_m2_append_think", tokens=_THINK, content_prefix=_THINK[0], special=_SPECIAL
)

_M3_THINK = think(
    "minimax_m3",
    "<mm:think>",
    "</mm:think>",
    tokens=False,
    switch=Switch(("thinking_mode",), default=False, on_values=("enabled",)),
    turns=_TURNS,
    special=_SPECIAL,
)
minimax_m3_think = _M3_THINK.but(
    rows=(
        Row(S.START, OTHER, S.CONTENT),
        Row(S.CONTENT, "THINK_START", S.REASONING, (R_START,), "only the first block is thinking", first_block=True),
        Row(S.REASONING, "THINK_START", S.REASONING, (), "the prompt may hold the opener already (R-OPEN)"),
        Row(S.REASONING, "THINK_END", S.CONTENT, (R_END,), "thinking is over"),
        # recovery
        Row(S.START, "THINK_END", S.CONTENT, (), "`</mm:think>` as the first text: closes nothing", True),
    ),
    content_initial=S.START,
)

minimax_m2 = ParserEngineConfig(
    name="minimax_m2",
    tokens=_CALL,
    terminals={
        "TOOL_START": terminal(_CALL[0]),
        "TOOL_END": terminal(_CALL[1]),
        **invoke_terminals(after=_CALL),
    },
    rows=(*wrapper_rows(), *invoke_rows()),
    name_pattern=QUOTED_NAME,
    key_pattern=QUOTED_KEY,
    unknown_names="drop",
    content_trim=STRIP,
    turn_boundaries=_TURNS,
    special=_SPECIAL,
)
