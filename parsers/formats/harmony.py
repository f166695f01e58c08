r"""Harmony (gpt-oss): messages with headers; the header says which field a body belongs to.

    turn        = header-rest body closer ( "<|start|>" role header-rest body closer )*
    header-rest = [ " to=" RCPT ] [ "<|channel|>" CHAN [ " to=" RCPT ] ] [ content-type ] "<|message|>"
    closer      = "<|end|>" | "<|call|>" | "<|return|>" | end of the stream

A stream starts inside a header, because the prompt ends with `<|start|>assistant`. The recipient may stand in the role
or in the channel part. Markers are control tokens that text cannot spell, so with ids an id always counts, even inside
a string. `<|call|>` and `<|return|>` are stop tokens that servers cut off, so the end of the stream closes a whole
body. Source: harmony.md.
"""

from __future__ import annotations

from parsers.engine.config import (
    FEED,
    HEADER_TEXT,
    Body,
    HeaderRule,
    ParserEngineConfig,
    Row,
    Switch,
    Trim,
)  # fmt: skip
from parsers.formats.base import EVERYTHING, R_END, R_START, T_END, T_START, S, terminal

_MARKERS = {
    "START": "<|start|>", "CHANNEL": "<|channel|>", "CONSTRAIN": "<|constrain|>", "MESSAGE": "<|message|>",
    "END": "<|end|>", "CALL": "<|call|>", "RETURN": "<|return|>",
}  # fmt: skip

_CLOSERS = ("END", "CALL", "RETURN")
_BUILT_IN = r"(?:assistant|functions\.?|(?:python|browser|container)(?:\.[^\s<]*)?)(?=\s|<|\Z)"
_FUNCTION = rf".*?\bto=(?:functions\.(?=[^\s<])|(?!{_BUILT_IN}))(?P<name>[^\s<]+).*"
_TO_ANYONE = r"(?!.*\bto=)"
_CHANNEL = r"(?:.*<\|channel\|>)?\s*"

_FRAME_ROWS = (
    Row(S.MESSAGE_HEADER, "CHANNEL", S.MESSAGE_HEADER, (FEED,), "the channel's name follows"),
    Row(S.MESSAGE_HEADER, "CONSTRAIN", S.MESSAGE_HEADER, (FEED,), "the content type follows"),
    Row(S.MESSAGE_HEADER, "MESSAGE", "", (), "the header is complete and decides"),
    *(Row(S.CONTENT, closer, S.IGNORE) for closer in _CLOSERS),
    Row(S.IGNORE, "START", S.MESSAGE_HEADER, (FEED,)),
    # recovery
    *(Row(S.MESSAGE_HEADER, closer, "", (), "`text<|end|>`: no header, or a header without a body", True)
      for closer in _CLOSERS),
    *(Row(S.IGNORE, closer, S.IGNORE, (), "`<|end|><|return|>`: closed twice", True) for closer in _CLOSERS),
    Row(S.IGNORE, "CHANNEL", S.MESSAGE_HEADER, (FEED,), "`<|end|><|channel|>final`: no `<|start|>`", True),
    Row(S.MESSAGE_HEADER, "START", S.MESSAGE_HEADER, (FEED,), "`comm<|start|>`: the header begins again", True),
    Row(S.CONTENT, "START", S.MESSAGE_HEADER, (FEED,), "`text<|start|>`: no closer", True),
)  # fmt: skip
_THINK_ROWS = (
    *(Row(S.REASONING, closer, S.IGNORE, (R_END,)) for closer in _CLOSERS),
    Row(S.REASONING, "START", S.MESSAGE_HEADER, (R_END, FEED), "`thinking<|start|>`: no closer", True),
)
_TOOL_ROWS = (
    *(Row(S.TOOL_ARGS, closer, S.IGNORE, (T_END,)) for closer in _CLOSERS),
    Row(S.TOOL_ARGS, "START", S.MESSAGE_HEADER, (T_END, FEED), "`{…}<|start|>`: no closer", True),
)

_HEADERLESS = tuple(
    HeaderRule(r"[^<]*[^<\s][^<]*", S.REASONING, (HEADER_TEXT,), "text without a header", closer)
    for closer in _CLOSERS
)
_GARBLED = tuple(HeaderRule(EVERYTHING, S.IGNORE, (), "a header without a body", closer) for closer in _CLOSERS)
_CALL = HeaderRule(_FUNCTION, S.TOOL_ARGS, (T_START,), "addressed to a function: a call", "MESSAGE")
_ANALYSIS = HeaderRule(rf"{_CHANNEL}analysis\b.*", S.REASONING, (R_START,), "analysis: reasoning", "MESSAGE")
_ANSWER_PATTERN = rf"{_TO_ANYONE}{_CHANNEL}(?:final|commentary)\b.*"
_ANSWER = HeaderRule(_ANSWER_PATTERN, S.CONTENT, (), "final or commentary: content", "MESSAGE")
_OTHER = HeaderRule(EVERYTHING, S.IGNORE, (), "a built-in tool or an unknown channel")
_SHOW = (HEADER_TEXT,)

_BASE = ParserEngineConfig(
    name="harmony",
    terminals={name: terminal(text) for name, text in _MARKERS.items()},
    tokens=tuple(_MARKERS.values()),
    initial=S.MESSAGE_HEADER,
    prompt_open=("<|channel|>analysis<|message|>",),
    prompt_closed=("<|channel|>final<|message|>",),
    turn_boundaries=("<|start|>",),
    special=("<|endoftext|>",),
    control_ids=True,
    content_trim=Trim(),
)

openai_gptoss = _BASE.but(
    name="openai_gptoss",
    rows=(*_FRAME_ROWS, *_THINK_ROWS),
    switch=Switch(),
    headers=(
        HeaderRule(_FUNCTION, S.CONTENT, _SHOW, "shown as it is: no tool parser", "MESSAGE", half=True),
        _ANALYSIS, _ANSWER, *_HEADERLESS, *_GARBLED, _OTHER,
    ),
)  # fmt: skip

openai = _BASE.but(
    name="openai",
    rows=(*_FRAME_ROWS, *_TOOL_ROWS),
    bodies={S.TOOL_ARGS: Body("json", end_closes=True)},
    headers=(
        _CALL,
        HeaderRule(_ANALYSIS.pattern, S.CONTENT, _SHOW, "shown as it is: no reasoning parser", "MESSAGE", half=True),
        _ANSWER, *_GARBLED, _OTHER,
    ),
)  # fmt: skip
