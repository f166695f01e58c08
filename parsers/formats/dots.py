"""Rednote dots: tagged invokes, or one call object, in a wrapper.

    turn   = content { "<dots_function_call>" ws ( invoke { ws invoke } | OBJECT ) ws "</dots_function_call>" content }
    invoke = "<invoke name=" NAME ">" ws { "<parameter name=" KEY ">" VALUE "</parameter>" ws } "</invoke>"
    OBJECT = {"name": STRING, "arguments" or "parameters": OBJECT}

The invokes are minimax_m2's, but a value is stripped, and an invoke counts only inside the wrapper. Calls of functions
the request does not have vanish; a wrapper without any other call is text. Source: dots.md.
"""

from __future__ import annotations

from parsers.args.params import ValueRules
from parsers.engine.config import FEED, STRIP, Body, ParserEngineConfig, Row
from parsers.formats.base import (
    QUOTED_KEY,
    QUOTED_NAME,
    S,
    invoke_rows,
    invoke_terminals,
    object_rows,
    terminal,
    wrapper_rows,
)  # fmt: skip

_CALL = ("<dots_function_call>", "</dots_function_call>")

dots = ParserEngineConfig(
    name="dots",
    terminals={
        "TOOL_START": terminal(_CALL[0]),
        "TOOL_END": terminal(_CALL[1]),
        "OBJECT": terminal("{"),
        **invoke_terminals(after=_CALL),
    },
    rows=(
        *wrapper_rows(bare=False, text_without_calls=True),
        *invoke_rows(),
        Row(S.TOOL_PREAMBLE, "OBJECT", S.TOOL_OBJECT, (FEED,)),
        *object_rows(S.TOOL_OBJECT),
    ),
    bodies={S.TOOL_OBJECT: Body("calls")},
    name_pattern=QUOTED_NAME,
    key_pattern=QUOTED_KEY,
    values=ValueRules(strip=True),
    unknown_names="drop",
    content_trim=STRIP,
)
