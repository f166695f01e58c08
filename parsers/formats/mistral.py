"""Mistral, Magistral, Ministral, Devstral: one table for every tokenizer version; what is written tells them apart.

    v11+  : [ think ] text { "[TOOL_CALLS]" NAME [ "[CALL_ID]" ID ] [ "[ARGS]" ] OBJECT } text
    v3    : text "[TOOL_CALLS]" ws ( ARRAY | ITEM ) text            ITEM = {"name": STRING, "arguments": OBJECT}
    think = "[THINK]" reasoning "[/THINK]"                           v13: tokens
          | "<think>" reasoning "</think>"                           v11: plain text, as the first text of the answer

Nothing closes a call but its own bracket. The bracketed markers are control tokens, which text is never encoded to:
with ids a marker counts wherever it stands, and its spelling in ordinary tokens nowhere. `[TOOL_CALLS]` inside thinking
is a call only when no closer of thinking follows, so everything from it on waits for that.

Ids have nine letters and digits. Source: mistral.md.
"""

from __future__ import annotations

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    FEED,
    GIVE_BACK,
    NO_BLANK,
    OTHER,
    SETTLE,
    STRIP_END,
    Body,
    ParserEngineConfig,
    Row,
    Sink,
    Switch,
)
from parsers.formats.base import R_END, R_START, T_END, T_START, S, terminal, think_rows

_TOKENS = ("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]")
_SPECIAL = ("</s>",)
_TAGGED = "TAGGED_REASONING"  # thinking between text tags, where the tokens mean nothing

mistral = ParserEngineConfig(
    name="mistral",
    terminals={
        "THINK_START": terminal("[THINK]"),
        "THINK_END": terminal("[/THINK]"),
        "TAG_START": terminal("<think>"),
        "TAG_END": terminal("</think>"),
    },
    tokens=_TOKENS,
    rows=(
        *think_rows(),
        Row(S.START, "TAG_START", _TAGGED, (R_START,)),
        Row(S.START, OTHER, S.CONTENT),
        Row(_TAGGED, "TAG_END", S.CONTENT, (R_END,)),
    ),
    sinks={_TAGGED: Sink.REASONING},
    initial=S.START,
    switch=Switch(),
    prompt_open=("[THINK]",),
    prompt_closed=("[/THINK]",),
    turn_boundaries=("[/INST]",),
    special=_SPECIAL,
    reasoning_trim=STRIP_END,
    content_trim=NO_BLANK,
    control_ids=True,
    unclosed_only=True,
)

mistral_tools = ParserEngineConfig(
    name="mistral",
    terminals={
        "TOOL_START": terminal("[TOOL_CALLS]", swallow="spaces"),
        "ARGS_START": terminal("[ARGS]"),
        "LIST": terminal("["),
        "OBJECT": terminal("{"),
        "BLANK": terminal(" ", "\n"),
    },
    tokens=_TOKENS,
    rows=(
        Row(S.CONTENT, "TOOL_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, OTHER, S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "ARGS_START", S.TOOL_ARGS),
        Row(S.TOOL_NAME, "OBJECT", S.TOOL_ARGS, (FEED,)),
        Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN, (T_END,)),
        Row(S.TOOL_PREAMBLE, "LIST", S.TOOL_OBJECT, (FEED,)),
        Row(S.TOOL_PREAMBLE, "OBJECT", S.TOOL_OBJECT, (FEED,)),
        Row(S.TOOL_OBJECT, BODY_END, S.TOOL_BETWEEN),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_PREAMBLE, (SETTLE,)),
        Row(S.TOOL_BETWEEN, OTHER, S.CONTENT),
        # recovery
        Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_PREAMBLE, (), "`[TOOL_CALLS][TOOL_CALLS]`: counts once", True),
        Row(S.TOOL_NAME, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), "`f[TOOL_CALLS]g`: no arguments", True),
        Row(S.TOOL_NAME, "BLANK", S.BROKEN, (GIVE_BACK,), "`[TOOL_CALLS] not a name`", True),
        Row(S.TOOL_ARGS, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), '`[ARGS]{"a": [TOOL_CALLS]`: no closer', True),
        Row(S.TOOL_OBJECT, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`[TOOL_CALLS][not JSON`", True),
        Row(S.BROKEN, "TOOL_START", S.TOOL_PREAMBLE, (SETTLE,), "`[TOOL_CALLS] not a name[TOOL_CALLS]f`", True),
    ),
    bodies={S.TOOL_ARGS: Body("json"), S.TOOL_OBJECT: Body("calls", shape="either")},
    name_pattern=r"(?P<name>.*?)(?:\[CALL_ID\](?P<id>.*))?",
    content_trim=NO_BLANK,
    special=_SPECIAL,
    control_ids=True,
    call_ids="alnum9",
)
