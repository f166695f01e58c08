r"""ERNIE 4.5 thinking models: think tags, an optional answer wrapper, and calls as JSON objects between tags.

    turn   = [ "<think>" ] reasoning "</think>" ( "<response>" answer "</response>" | answer | { call } )
    call   = "<tool_call>" OBJECT "</tool_call>"
    OBJECT = {"name": STRING, "arguments": OBJECT}

Newlines around every tag are framing and in no field; the model writes one or two, servers see any number. Other white
space is data. Thinking is always on, its opener is in the prompt. hermes.py is the same call without a wrapper.

Source: ernie45.md.
"""

from __future__ import annotations

from parsers.engine.config import NEWLINES, NO_BLANK, Body, ParserEngineConfig, Row, Switch, Terminal
from parsers.formats.base import S, json_rows, terminal, think

_THINK = ("<think>", "</think>")
_CALL = ("<tool_call>", "</tool_call>")
_ANSWER = ("<response>", "</response>")
_TOKENS = (*_THINK, *_CALL, *_ANSWER)
_SPECIAL = ("<|im_start|>", "<|im_end|>", "</s>")


def _framed(tag: str) -> Terminal:
    """A tag with the newlines around it."""
    return terminal(f"{NEWLINES}{tag}", swallow="newlines")


_WRAPPER = {"ANSWER_START": _framed(_ANSWER[0]), "ANSWER_END": _framed(_ANSWER[1])}
_WRAPPER_ROWS = (
    Row(S.CONTENT, "ANSWER_START", S.CONTENT),
    Row(S.CONTENT, "ANSWER_END", S.CONTENT),
)

_pair = think("ernie45", *_THINK, switch=Switch(), content_trim=NO_BLANK, special=_SPECIAL)
ernie45 = _pair.but(
    terminals={**_WRAPPER, "THINK_START": _framed(_THINK[0]), "THINK_END": _framed(_THINK[1])},
    tokens=_TOKENS,
    rows=(*_pair.rows, *_WRAPPER_ROWS),
)

ernie45_tools = ParserEngineConfig(
    name="ernie45",
    terminals={**_WRAPPER, "TOOL_START": _framed(_CALL[0]), "TOOL_END": _framed(_CALL[1])},
    tokens=_TOKENS,
    rows=(
        *json_rows(),
        *_WRAPPER_ROWS,
        Row(S.TOOL_BETWEEN, "ANSWER_START", S.CONTENT),
        Row(S.TOOL_BETWEEN, "ANSWER_END", S.TOOL_BETWEEN),
    ),
    bodies={S.TOOL_ARGS: Body("calls")},
    content_trim=NO_BLANK,
    special=_SPECIAL,
)
