"""Inkling: blocks that say what they are, each opened by a kind marker, with an optional name before it.

    turn  = block ( "<|message_model|>" block )* [ "<|content_model_end_sampling|>" ]
    block = [ HEADERTEXT ] KIND body ( "<|end_message|>" | "<|content_model_end_sampling|>" )
    tool  = {"name": STRING, "args": OBJECT}                 one object per block

A stream starts inside a header, because the prompt ends with `<|message_model|>`. Text before a kind marker is a label
and is in no field; text in a block without a kind is content. Unlike harmony, the marker alone decides, not the header.
Source: inkling.md.
"""

from __future__ import annotations

from parsers.args.json_calls import CallKeys
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    END_OF_STREAM,
    FEED,
    GIVE_BACK,
    HEADER_TEXT,
    OTHER,
    STRIP_END,
    Body,
    HeaderRule,
    ParserEngineConfig,
    Row,
    Switch,
    Trim,
)  # fmt: skip
from parsers.formats.base import EVERYTHING, R_END, R_START, S, terminal

_MARKERS = {
    "MESSAGE_START": ("<|message_model|>",),
    "TEXT_KIND": ("<|content_text|>", "<|content_invoke_tool_text|>", "<|content_tool_error|>"),
    "THINK_KIND": ("<|content_thinking|>",),
    "TOOL_KIND": ("<|content_invoke_tool_json|>",),
    "MESSAGE_END": ("<|end_message|>", "<|content_model_end_sampling|>"),
}

_FRAME = (
    Row(S.MESSAGE_HEADER, "TEXT_KIND", S.CONTENT),
    Row(S.CONTENT, "MESSAGE_END", S.CONTENT),
    Row(S.CONTENT, "MESSAGE_START", S.MESSAGE_HEADER),
    Row(S.MESSAGE_HEADER, "MESSAGE_END", "", (), "a block without a kind is content"),
    # recovery
    Row(S.CONTENT, "TEXT_KIND", S.CONTENT, (), "`<|end_message|><|content_text|>`: no `<|message_model|>`", True),
    Row(S.MESSAGE_HEADER, "MESSAGE_START", S.MESSAGE_HEADER, (), "`maps<|message_model|>`: begins again", True),
)
_HEADERS = (
    HeaderRule(EVERYTHING, S.CONTENT, (HEADER_TEXT,), "a block without a kind", "MESSAGE_END"),
    HeaderRule(EVERYTHING, S.CONTENT, (HEADER_TEXT,), "text without a frame", END_OF_STREAM),
    HeaderRule(EVERYTHING, S.CONTENT, (HEADER_TEXT,), "text without a frame"),
)
_BASE = ParserEngineConfig(
    name="inkling",
    terminals={name: terminal(*texts) for name, texts in _MARKERS.items()},
    tokens=tuple(text for texts in _MARKERS.values() for text in texts),
    headers=_HEADERS,
    initial=S.MESSAGE_HEADER,
    turn_boundaries=("<|message_model|>",),
    content_trim=Trim(blank="drop_before_call"),
)
_SHOWN = "shown as it is: no parser for it"

reasoning = _BASE.but(
    switch=Switch(),
    prompt_open=_MARKERS["THINK_KIND"],
    prompt_closed=_MARKERS["TEXT_KIND"][:1],
    reasoning_trim=STRIP_END,
    rows=(
        *_FRAME,
        Row(S.MESSAGE_HEADER, "THINK_KIND", S.REASONING, (R_START,)),
        Row(S.REASONING, "MESSAGE_END", S.CONTENT, (R_END,)),
        Row(S.CONTENT, "THINK_KIND", S.REASONING, (R_START,), "`<|end_message|><|content_thinking|>`", True),
        Row(S.REASONING, "THINK_KIND", S.REASONING, (), "`<|content_thinking|>` again: still thinking", True),
        Row(S.REASONING, "MESSAGE_START", S.MESSAGE_HEADER, (R_END,), "`thinking<|message_model|>`: no closer", True),
        Row(S.REASONING, "TEXT_KIND", S.CONTENT, (R_END,), "`thinking<|content_text|>`: no closer", True),
        Row(S.REASONING, "TOOL_KIND", S.CONTENT, (R_END, FEED), _SHOWN, half=True),
        Row(S.MESSAGE_HEADER, "TOOL_KIND", S.CONTENT, (FEED,), _SHOWN, half=True),
    ),
)

tools = _BASE.but(
    bodies={S.TOOL_ARGS: Body("calls", CallKeys(arguments=("args", "arguments", "parameters")))},
    rows=(
        *_FRAME,
        Row(S.MESSAGE_HEADER, "TOOL_KIND", S.TOOL_ARGS),
        Row(S.CONTENT, "TOOL_KIND", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN),
        Row(S.TOOL_BETWEEN, "MESSAGE_END", S.CONTENT),
        Row(S.MESSAGE_HEADER, "THINK_KIND", S.CONTENT, (FEED,), _SHOWN, half=True),
        # recovery
        Row(S.TOOL_BETWEEN, "MESSAGE_START", S.MESSAGE_HEADER, (), "`{…}<|message_model|>`: no closer", True),
        Row(S.TOOL_BETWEEN, OTHER, S.CONTENT, (), "`{…}text`: no closer", True),
        Row(S.TOOL_ARGS, "MESSAGE_END", S.CONTENT, (GIVE_BACK,), '`{"name": "f"<|end_message|>`: cut short', True),
        Row(S.TOOL_ARGS, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`<|content_invoke_tool_json|>not JSON`", True),
        Row(S.BROKEN, "MESSAGE_END", S.CONTENT, (), "`not JSON<|end_message|>`: the block is over", True),
    ),
)
