r"""One JSON object per call behind special tokens: InternLM and GigaChat.

    internlm  : text { "<|action_start|>" "<|plugin|>" ws OBJECT [ "<|action_end|>" ] text }
    gigachat3 : text { [ "<|message_sep|>" "\n"* ] ( "function call<|role_sep|>" "\n" | "<|function_call|>" ) OBJECT }
    OBJECT    = {"name": STRING, "arguments" | "parameters": OBJECT}

InternLM's opener is the pair of tokens; with `<|interpreter|>` the block is code, not a call, and stays text. GigaChat
writes a call as a message whose role is the text `function call`, later models as one token; other roles are headers of
messages with text. hermes.py and granite.py hold the same objects behind plain tags.

Source: json-objects.md.
"""

from __future__ import annotations

from parsers.engine.config import FEED, NEWLINE, NEWLINES, NO_BLANK, SPACES, WORD, Body, ParserEngineConfig, Row
from parsers.formats.base import S, json_rows, terminal

_SEP = f"<|message_sep|>{NEWLINES}"
_ROLE = f"function call<|role_sep|>{NEWLINE}"
_TOKEN = "<|function_call|>"

internlm = ParserEngineConfig(
    name="internlm",
    terminals={
        "TOOL_START": terminal(f"<|action_start|>{SPACES}<|plugin|>"),
        "CODE_START": terminal(f"<|action_start|>{SPACES}<|interpreter|>"),
        "TOOL_END": terminal("<|action_end|>"),
    },
    tokens=("<|action_start|>", "<|action_end|>", "<|plugin|>", "<|interpreter|>"),
    rows=(
        *json_rows(),
        Row(S.CONTENT, "CODE_START", S.BROKEN, (FEED,), "code for an interpreter is no call"),
    ),
    bodies={S.TOOL_ARGS: Body("calls")},
    content_trim=NO_BLANK,
    special=("<|im_start|>", "<|im_end|>"),
)

gigachat3 = ParserEngineConfig(
    name="gigachat3",
    terminals={
        "TOOL_START": terminal(f"{_SEP}{_ROLE}", f"{_SEP}{_TOKEN}", _ROLE, _TOKEN),
        "MESSAGE": terminal(f"{_SEP}{WORD}<|role_sep|>{NEWLINE}", "<|message_sep|>"),
    },
    tokens=("<|message_sep|>", "<|role_sep|>", _TOKEN),
    rows=(
        *json_rows(closed=False),
        Row(S.CONTENT, "MESSAGE", S.CONTENT, (), "another message with text"),
        Row(S.TOOL_BETWEEN, "MESSAGE", S.CONTENT, (), "another message with text"),
    ),
    bodies={S.TOOL_ARGS: Body("calls")},
    content_trim=NO_BLANK,
    special=("</s>",),
)
