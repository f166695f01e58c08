r"""Qwen3 and its relatives: think tags, and calls written as tagged functions.

    turn  = [ ["<think>"] reasoning "</think>" ] content { call content }
    call  = "<tool_call>" ws func { ws func } ws "</tool_call>"
    func  = "<function=" NAME ">" { ws param } ws "</function>"
    param = "<parameter=" KEY ">" ["\n"] VALUE ["\n"] "</parameter>"

Values are raw text, typed by the tool's schema. Inside a value a closer counts only when what follows it may come
there, so tags quoted in a value stay data. Source: qwen3-xml.md (rule (b)), qwen3-variants.md.
"""

from __future__ import annotations

from parsers.engine.config import (
    FEED,
    GIVE_BACK,
    NEWLINE,
    OTHER,
    SPACES,
    STRIP,
    STRIP_NEWLINES,
    Body,
    ParserEngineConfig,
    Row,
    Switch,
)
from parsers.formats.base import QWEN_TURNS, T_END, T_START, S, object_rows, terminal, think

qwen3 = think(
    "qwen3",
    switch=Switch(("enable_thinking",)),
    trim=STRIP_NEWLINES,
    content_trim=STRIP,
    turns=QWEN_TURNS,
    special=QWEN_TURNS,
)

_CLOSER = f"<{SPACES}/{SPACES}parameter{SPACES}>"


def tagged_functions(
    name: str, open_: str = "<tool_call>", close: str = "</tool_call>", trim: bool = True
) -> ParserEngineConfig:
    """The tool half, for any pair of wrapper tags.

    Args:
        trim: one newline at each end of a value is markup; without it values are verbatim.
    """
    newline = NEWLINE if trim else ""
    after_value = ("</function>", close, "<function=")
    after_function = (close, "<function=", open_)
    return ParserEngineConfig(
        name=name,
        tokens=(open_, close),
        terminals={
            "TOOL_START": terminal(open_),
            "TOOL_END": terminal(close),
            "FUNC_START": terminal("<function="),
            "OBJECT": terminal("{"),
            "FUNC_END": terminal("</function>"),
            "PARAM_START": terminal("<parameter="),
            "NAME_END": terminal(">"),
            "KEY_END": terminal(">", swallow="newline" if trim else ""),
            "PARAM_END": terminal(f"{newline}{_CLOSER}", followed_by=("<parameter=", *after_value)),
            "NEXT_PARAM": terminal("\n<parameter="),
            "FUNC_END_IN_VALUE": terminal(f"{newline}</function>", followed_by=after_function),
        },
        rows=(
            Row(S.CONTENT, "TOOL_START", S.TOOL_PREAMBLE),
            Row(S.TOOL_PREAMBLE, "FUNC_START", S.TOOL_NAME, (T_START,)),
            Row(S.TOOL_NAME, "NAME_END", S.TOOL_ARGS),
            Row(S.TOOL_ARGS, "PARAM_START", S.ARG_KEY),
            Row(S.ARG_KEY, "KEY_END", S.ARG_VALUE),
            Row(S.ARG_VALUE, "PARAM_END", S.TOOL_ARGS),
            Row(S.TOOL_ARGS, "FUNC_END", S.TOOL_BETWEEN, (T_END,)),
            Row(S.TOOL_BETWEEN, "TOOL_END", S.CONTENT),
            Row(S.TOOL_BETWEEN, "FUNC_START", S.TOOL_NAME, (T_START,)),
            # recovery
            Row(S.CONTENT, "FUNC_START", S.TOOL_NAME, (T_START,), "`<function=f>` without its wrapper", True),
            Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</tool_call>` alone: closes nothing", True),
            Row(S.TOOL_PREAMBLE, "TOOL_END", S.CONTENT, (), "`<tool_call></tool_call>`: an empty wrapper", True),
            Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_PREAMBLE, (), "`<tool_call><tool_call>`", True),
            Row(S.TOOL_PREAMBLE, OTHER, S.BROKEN, (GIVE_BACK,), "`Use <tool_call> tags`: prose", True),
            Row(S.TOOL_PREAMBLE, "OBJECT", S.TOOL_OBJECT, (FEED,), '`<tool_call>{"name": "f"}`: JSON', True),
            *object_rows(S.TOOL_OBJECT),
            Row(S.BROKEN, "TOOL_START", S.TOOL_PREAMBLE, (), "`<tool_call> is a tag. <tool_call><function=f>`", True),
            Row(S.BROKEN, "FUNC_START", S.TOOL_NAME, (T_START,), "`<tool_call> is a tag. <function=f>`", True),
            Row(S.TOOL_NAME, "FUNC_END", S.TOOL_BETWEEN, (T_END,), "`<function=f</function>`: no `>`", True),
            Row(S.TOOL_NAME, "TOOL_END", S.CONTENT, (T_END,), "`<function=f</tool_call>`", True),
            Row(S.TOOL_NAME, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), "`<function=f<tool_call>`", True),
            Row(S.TOOL_NAME, "FUNC_START", S.TOOL_NAME, (T_END, T_START), "`<function=f<function=g>`", True),
            Row(S.TOOL_ARGS, "FUNC_START", S.TOOL_NAME, (T_END, T_START), "`</parameter><function=g>`", True),
            Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (T_END,), "`…</parameter></tool_call>`: no `</function>`", True),
            Row(S.TOOL_ARGS, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), "`…</parameter><tool_call>`: no closers", True),
            Row(S.ARG_VALUE, "NEXT_PARAM", S.ARG_KEY, (), "`value\\n<parameter=k>`: no `</parameter>`", True),
            Row(S.ARG_VALUE, "FUNC_END_IN_VALUE", S.TOOL_BETWEEN, (T_END,), "`v</function></tool_call>`", True),
            Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_PREAMBLE, (), "`</function><tool_call>`: no `</tool_call>`", True),
            Row(S.TOOL_BETWEEN, OTHER, S.CONTENT, (), "`</function>text`: no wrapper, the call is over (E-05)", True),
        ),
        bodies={S.TOOL_OBJECT: Body("calls")},
        content_trim=STRIP,
        special=QWEN_TURNS,
        turn_boundaries=QWEN_TURNS,
    )


qwen3_coder = tagged_functions("qwen3_coder")
