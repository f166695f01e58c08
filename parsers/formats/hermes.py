"""Hermes: each call is a JSON object between two tags.

    turn   = content { "<tool_call>" ws OBJECT ws "</tool_call>" }
    OBJECT = {"name": STRING, "arguments": OBJECT}          keys in any order, "parameters" accepted

The object's own closing brace ends the call; a tag inside a JSON string is data. A block that is no call comes back as
text. Source: hermes.md; longcat differs in its tags only.
"""

from __future__ import annotations

from parsers.engine.config import OTHER, STRIP, Body, ParserEngineConfig, Row
from parsers.formats.base import QWEN_TURNS, S, object_rows, terminal


def tagged_objects(name: str, open_: str = "<tool_call>", close: str = "</tool_call>") -> ParserEngineConfig:
    """The format for a pair of tags."""
    return ParserEngineConfig(
        name=name,
        tokens=(open_, close),
        terminals={"TOOL_START": terminal(open_), "TOOL_END": terminal(close)},
        rows=(
            Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
            Row(S.TOOL_BETWEEN, "TOOL_END", S.CONTENT),
            *object_rows(S.TOOL_ARGS),
            # recovery
            Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</tool_call>` alone: closes nothing", True),
            Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_ARGS, (), "`{…}<tool_call>`: no closer", True),
            Row(S.TOOL_BETWEEN, OTHER, S.CONTENT, (), "`{…}text`: no closer", True),
            Row(S.BROKEN, "TOOL_START", S.TOOL_ARGS, (), "`<tool_call>not JSON<tool_call>`", True),
        ),
        bodies={S.TOOL_ARGS: Body("calls")},
        content_trim=STRIP,
        special=QWEN_TURNS,
        turn_boundaries=QWEN_TURNS,
    )


hermes = tagged_objects("hermes")
longcat = tagged_objects("longcat", "<longcat_tool_call>", "</longcat_tool_call>")
