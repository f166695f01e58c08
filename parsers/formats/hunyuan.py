"""Hunyuan hy_v3 and hy_v4: think tags, and GLM's calls inside one section.

    turn    = [ "<think>" ] reasoning "</think>" content [ section ] content
    section = "<tool_calls>" { ws call } ws "</tool_calls>"
    call    = "<tool_call>" NAME [ "<tool_sep>" ] { ws pair } ws "</tool_call>"      only hy_v3 writes the separator
    pair    = "<arg_key>" KEY "</arg_key>" ws "<arg_value>" VALUE "</arg_value>"

A checkpoint may put a suffix into every tag (`<think:ab>`): the tokenizer's setting `token_suffix` names it, or its
vocabulary shows it. A call outside a section is text. Thinking is off in hy_v3 and on in hy_v4 unless the reasoning
effort says otherwise; off, the tags are text. hunyuan_a13b is another format. Source: hunyuan.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from parsers.engine.config import GIVE_BACK, OTHER, STRIP, STRIP_EDGES, ParserEngineConfig, Row, Switch
from parsers.formats.base import T_END, T_START, S, pair_rows, pair_terminals, terminal, think
from parsers.formats.context import RunContext

_TURNS = ("<｜hy_User｜>", "<｜hy_Assistant｜>", "<｜hy_begin▁of▁sentence｜>")
_EFFORT = "reasoning_effort"
_OFF = ("no_think",)


def hy_v3_think(context: RunContext) -> ParserEngineConfig:
    """Reasoning of hy_v3."""
    return _think("hy_v3", _suffix(context), False)


def hy_v4_think(context: RunContext) -> ParserEngineConfig:
    """Reasoning of hy_v4."""
    return _think("hy_v4", _suffix(context), True)


def hy_v3_tools(context: RunContext) -> ParserEngineConfig:
    """Tools of hy_v3."""
    return _tools("hy_v3", _suffix(context), separated=True)


def hy_v4_tools(context: RunContext) -> ParserEngineConfig:
    """Tools of hy_v4."""
    return _tools("hy_v4", _suffix(context), separated=False)


def _suffix(context: RunContext) -> str:
    setting = context.tokenizer_settings.get("token_suffix")
    return setting if isinstance(setting, str) else _suffix_in(context.vocab)


def _suffix_in(vocab: Mapping[str, int]) -> str:
    """The suffix of the vocabulary's think tag, colon included; "" when it has none."""
    tag = next((text for text in vocab if text.startswith("<think:") and text.endswith(">")), "<think>")
    return tag.removeprefix("<think").removesuffix(">")


def _pair(word: str, suffix: str) -> tuple[str, str]:
    return f"<{word}{suffix}>", f"</{word}{suffix}>"


@lru_cache(maxsize=64)
def _think(name: str, suffix: str, default: bool) -> ParserEngineConfig:
    return think(
        name,
        *_pair("think", suffix),
        switch=Switch((_EFFORT,), default=default, off_values=_OFF, off_is_identity=True),
        trim=STRIP_EDGES,
        content_trim=STRIP,
        turns=_TURNS,
        special=_TURNS,
    )


@lru_cache(maxsize=64)
def _tools(name: str, suffix: str, separated: bool) -> ParserEngineConfig:
    words = ("tool_calls", "tool_call", "arg_key", "arg_value")
    section, call, key, value = (_pair(word, suffix) for word in words)
    separator = f"<tool_sep{suffix}>"
    return ParserEngineConfig(
        name=name,
        tokens=(*section, *call, *key, *value, *([separator] if separated else [])),
        terminals={
            "SECTION_START": terminal(section[0]),
            "SECTION_END": terminal(section[1]),
            **pair_terminals(call, key, value, after_call=(call[0], section[1])),
            **({"SEPARATOR": terminal(separator)} if separated else {}),
        },
        rows=(
            Row(S.CONTENT, "SECTION_START", S.TOOL_PREAMBLE),
            Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_NAME, (T_START,)),
            *([Row(S.TOOL_NAME, "SEPARATOR", S.TOOL_ARGS)] if separated else []),
            Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_NAME, (T_START,)),
            Row(S.TOOL_BETWEEN, "SECTION_END", S.CONTENT),
            *pair_rows(S.TOOL_BETWEEN),
            # recovery
            Row(S.CONTENT, "SECTION_END", S.CONTENT, (), "`</tool_calls>` alone: closes nothing", True),
            Row(S.TOOL_PREAMBLE, "SECTION_END", S.CONTENT, (), "`<tool_calls></tool_calls>`: an empty section", True),
            Row(S.TOOL_PREAMBLE, "SECTION_START", S.TOOL_PREAMBLE, (), "`<tool_calls><tool_calls>`", True),
            Row(S.TOOL_PREAMBLE, OTHER, S.BROKEN, (GIVE_BACK,), "`Use <tool_calls> tags`: prose", True),
            Row(S.TOOL_NAME, "SECTION_END", S.CONTENT, (T_END,), "`<tool_call>f</tool_calls>`", True),
            Row(S.TOOL_ARGS, "SECTION_END", S.CONTENT, (T_END,), "`</arg_value></tool_calls>`", True),
            Row(S.TOOL_BETWEEN, "SECTION_START", S.TOOL_PREAMBLE, (), "`</tool_call><tool_calls>`", True),
            Row(S.TOOL_BETWEEN, OTHER, S.BROKEN, (), "`</tool_call>text`: text between calls", True),
            Row(S.BROKEN, "TOOL_START", S.TOOL_NAME, (T_START,), "`<tool_calls>text<tool_call>f`", True),
            Row(S.BROKEN, "SECTION_START", S.TOOL_PREAMBLE, (), "`<tool_calls>text<tool_calls><tool_call>`", True),
            Row(S.BROKEN, "SECTION_END", S.CONTENT, (), "`</tool_call>text</tool_calls>`", True),
        ),
        content_trim=STRIP,
        special=_TURNS,
        turn_boundaries=_TURNS,
    )
