"""Builders that format files share: rows and markers of the skeletons SK-*.

Shared rows live here once; a format file picks them and adds its own. Source: common-1.md (R-*, SK-*), design.md
decision 1.
"""

from __future__ import annotations

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    FEED,
    GIVE_BACK,
    KEEP,
    OTHER,
    SETTLE,
    SPACES,
    ParserEngineConfig,
    ParserState,
    Row,
    Switch,
    Terminal,
    Trim,
)
from parsers.engine.events import EventType

S, E = ParserState, EventType
R_START, R_END = E.REASONING_START, E.REASONING_END
T_START, T_END = E.TOOL_CALL_START, E.TOOL_CALL_END
EVERYTHING = ".*"  # the header rule of last resort
QWEN_TURNS = ("<|im_start|>", "<|im_end|>")
DEEPSEEK_END = ("<｜end▁of▁sentence｜>",)
DEEPSEEK_TURNS = ("<｜User｜>", "<｜Assistant｜>", *DEEPSEEK_END)


def terminal(
    *spellings: str, followed_by: tuple[str, ...] = (), swallow: str = "", or_end: bool = True
) -> Terminal:
    """A marker by its spellings, canonical one first."""
    return Terminal(spellings, followed_by, swallow, or_end)  # type: ignore[arg-type]


def think_rows() -> tuple[Row, ...]:
    """SK-THINK: the pair that opens and closes reasoning, wherever the stream starts."""
    return (
        Row(S.REASONING, "THINK_END", S.CONTENT, (R_END,), "thinking is over"),
        Row(S.REASONING, "THINK_START", S.REASONING, (), "an opener the prompt may hold already (R-OPEN)"),
        Row(S.CONTENT, "THINK_START", S.REASONING, (R_START,), "thinking opens"),
        Row(S.CONTENT, "THINK_END", S.CONTENT, (), "`answer</think>more`: a repeated closer (R-REPEAT)", True),
    )


def think(
    name: str,
    open_: str = "<think>",
    close: str = "</think>",
    *,
    switch: Switch,
    trim: Trim = KEEP,
    content_trim: Trim = KEEP,
    turns: tuple[str, ...] = (),
    special: tuple[str, ...] = (),
    required: tuple[str, ...] = (),
    tokens: bool = True,
    tool_ends_reasoning: bool = True,
    initial: str = S.REASONING,
) -> ParserEngineConfig:
    """A reasoning format made of one pair of tags.

    Args:
        tokens: the tags are single tokens of the real vocabulary.
        turns: texts that begin or end a turn; the prompt is searched back to the last of them.
    """
    return ParserEngineConfig(
        name=name,
        terminals={"THINK_START": terminal(open_), "THINK_END": terminal(close)},
        tokens=(open_, close) if tokens else (),
        rows=think_rows(),
        initial=initial,
        switch=switch,
        prompt_open=(open_,),
        prompt_closed=(close,),
        turn_boundaries=turns,
        special=special,
        required=required,
        reasoning_trim=trim,
        content_trim=content_trim,
        tool_ends_reasoning=tool_ends_reasoning,
    )


def pair_terminals(
    call: tuple[str, str], key: tuple[str, str], value: tuple[str, str], after_call: tuple[str, ...]
) -> dict[str, Terminal]:
    """Markers of `pair_rows`.

    Args:
        call, key, value: opener and closer of each.
        after_call: what may follow a call's closer; inside a value the closer counts only in front of these or the end.
    """
    return {
        "TOOL_START": terminal(call[0]),
        "TOOL_END": terminal(call[1]),
        "KEY_START": terminal(key[0]),
        "KEY_END": terminal(key[1]),
        "VALUE_START": terminal(value[0]),
        "VALUE_END": terminal(value[1]),
        "TOOL_END_IN_VALUE": terminal(call[1], followed_by=after_call),
    }


def pair_rows(after: str) -> tuple[Row, ...]:
    """SK-KV: inside a call, a name and tagged keys and values; only a value's own closer ends it.

    Args:
        after: state behind the call.
    """
    return (
        Row(S.TOOL_NAME, "KEY_START", S.ARG_KEY),
        Row(S.TOOL_NAME, "TOOL_END", after, (T_END,)),
        Row(S.ARG_KEY, "KEY_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "VALUE_START", S.ARG_VALUE),
        Row(S.ARG_VALUE, "VALUE_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "KEY_START", S.ARG_KEY),
        Row(S.TOOL_ARGS, "TOOL_END", after, (T_END,)),
        # recovery
        Row(S.TOOL_NAME, "TOOL_START", S.TOOL_NAME, (T_END, T_START), "`<tool_call>f<tool_call>g`: no closer", True),
        Row(S.ARG_KEY, "VALUE_START", S.ARG_VALUE, (), "`<arg_key>k<arg_value>v`: no `</arg_key>`", True),
        Row(S.ARG_KEY, "TOOL_END", after, (T_END,), "`<arg_key>k</tool_call>`: a key without a value", True),
        Row(S.ARG_VALUE, "TOOL_END_IN_VALUE", after, (T_END,), "`v</tool_call>` before the next call or the end", True),
        Row(S.TOOL_ARGS, "TOOL_START", S.TOOL_NAME, (T_END, T_START), "`</arg_value><tool_call>`: no closer", True),
    )


def object_rows(state: str) -> tuple[Row, ...]:
    """Rows of a call object between tags, read in `state` by the codec "calls"; a block that is no call is text."""
    return (
        Row(state, BODY_END, S.TOOL_BETWEEN),
        Row(state, "TOOL_END", S.CONTENT, (GIVE_BACK,), '`{"name": "f"</tool_call>`: a brace is missing', True),
        Row(state, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`<tool_call>{not JSON}`", True),
        Row(S.BROKEN, "TOOL_END", S.CONTENT, (FEED,), "`<tool_call>not JSON</tool_call>`: all of it is text", True),
    )


def json_rows(closed: bool = True) -> tuple[Row, ...]:
    """SK-JSON and SK-ARRAY: `TOOL_START body [TOOL_END]`, any number of times; the body's own end ends the calls.

    White space between two regions is markup, in front of other text it is content.

    Args:
        closed: the format has a closer; a region that is no call then lasts until it.
    """
    broken = "`<tool_call>not JSON`: it comes back as text"
    return (
        Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_ARGS, (SETTLE,)),
        Row(S.TOOL_BETWEEN, OTHER, S.CONTENT),
        *(_closed_rows() if closed else (Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN),)),
        *(() if closed else (Row(S.TOOL_ARGS, BODY_BAD, S.CONTENT, (GIVE_BACK,), broken, True),)),
    )


def _closed_rows() -> tuple[Row, ...]:
    return (
        Row(S.TOOL_BETWEEN, "TOOL_END", S.TOOL_BETWEEN),
        *object_rows(S.TOOL_ARGS),
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</tool_call>` alone: closes nothing", True),
        Row(S.BROKEN, "TOOL_START", S.TOOL_ARGS, (SETTLE,), "`<tool_call>not JSON<tool_call>`", True),
    )


def section_rows(typed: bool = False) -> tuple[Row, ...]:
    """SK-SECTION: a section of calls, each `CALL_START header ARGS_START arguments CALL_END`.

    Args:
        typed: a word and TYPE_END come before the header; the word means nothing.
    """
    first, starts = (S.TOOL_HEADER, ()) if typed else (S.TOOL_NAME, (T_START,))
    header = [
        Row(S.TOOL_HEADER, "TYPE_END", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_HEADER, "CALL_START", first, (), "`<call>function<call>`: a call without a name", True),
        Row(S.TOOL_HEADER, "CALL_END", S.TOOL_BETWEEN, (), "`<call>function</call>`: a call without a name", True),
        Row(S.TOOL_HEADER, "SECTION_END", S.CONTENT, (), "`<call>function</section>`: a call without a name", True),
    ]
    return (
        Row(S.CONTENT, "SECTION_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "CALL_START", first, starts),
        Row(S.TOOL_NAME, "ARGS_START", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "CALL_END", S.TOOL_BETWEEN, (T_END,)),
        Row(S.TOOL_BETWEEN, "CALL_START", first, starts),
        Row(S.TOOL_BETWEEN, "SECTION_END", S.CONTENT),
        *(header if typed else ()),
        # recovery
        Row(S.CONTENT, "CALL_START", first, starts, "`<call>…</call>` without its section", True),
        Row(S.CONTENT, "SECTION_END", S.CONTENT, (), "`</section>` alone: closes nothing", True),
        Row(S.TOOL_PREAMBLE, "SECTION_END", S.CONTENT, (), "`<section></section>`: an empty section", True),
        Row(S.TOOL_NAME, "CALL_END", S.TOOL_BETWEEN, (T_END,), "`<call>f</call>`: no arguments", True),
        Row(S.TOOL_NAME, "CALL_START", first, (T_END, *starts), "`<call>f<call>g`: no arguments, no closer", True),
        Row(S.TOOL_NAME, "SECTION_END", S.CONTENT, (T_END,), "`<call>f</section>`: no arguments, no closer", True),
        Row(S.TOOL_ARGS, "CALL_START", first, (T_END, *starts), "`{…}<call>`: no closer", True),
        Row(S.TOOL_ARGS, "SECTION_END", S.CONTENT, (T_END,), "`{…}</section>`: no closer", True),
        Row(S.TOOL_BETWEEN, "SECTION_START", S.TOOL_PREAMBLE, (), "`</call><section>`: no `</section>`", True),
    )


def wrapper_rows(bare: bool = True, text_without_calls: bool = False) -> tuple[Row, ...]:
    """A pair of tags around calls that begin with INVOKE_START.

    Args:
        bare: a call without the wrapper is a call too, and text behind a call is content.
        text_without_calls: a wrapper that shows no call is text.
    """
    back = (GIVE_BACK,) if text_without_calls else ()
    loose = (
        Row(S.CONTENT, "INVOKE_START", S.TOOL_NAME, (T_START,), "`<invoke>` without its wrapper", True),
        Row(S.BROKEN, "INVOKE_START", S.TOOL_NAME, (T_START,), "`<wrapper> is a tag. <invoke>`", True),
        Row(S.TOOL_BETWEEN, OTHER, S.CONTENT, (), "`</invoke>text`: no wrapper, the call is over (E-05)", True),
    )
    return (
        Row(S.CONTENT, "TOOL_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "INVOKE_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_BETWEEN, "INVOKE_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_BETWEEN, "TOOL_END", S.CONTENT, back),
        # recovery
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</wrapper>` alone: closes nothing", True),
        Row(S.TOOL_PREAMBLE, "TOOL_END", S.CONTENT, back, "`<wrapper></wrapper>`: no call", True),
        Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (T_END, *back), "`</parameter></wrapper>`: no `</invoke>`", True),
        Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_PREAMBLE, (), "`<wrapper><wrapper>`", True),
        Row(S.TOOL_PREAMBLE, OTHER, S.BROKEN, (GIVE_BACK,), "`Use <wrapper> tags`: prose", True),
        Row(S.BROKEN, "TOOL_START", S.TOOL_PREAMBLE, (), "`<wrapper> is a tag. <wrapper><invoke>`", True),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_PREAMBLE, (), "`</invoke><wrapper>`: no `</wrapper>`", True),
        *(loose if bare else ()),
    )


QUOTED_NAME = r"""["']?\s*(?P<name>.*?)\s*["']?"""
QUOTED_KEY = r"""["']?\s*(?P<key>.*?)\s*["']?"""


def invoke_terminals(after: tuple[str, ...], prefix: str = "") -> dict[str, Terminal]:
    """Markers of `invoke_rows`: `<invoke name=NAME>` and `<parameter name=KEY>`, NAME and KEY with or without quotes.

    Inside a value a closer counts only when what follows it may come there, so tags quoted in a value stay data.

    Args:
        after: what may follow the last call's closer.
        prefix: what stands before the tags' words.
    """
    invoke, invoke_end = f"<{prefix}invoke{SPACES}name{SPACES}=", f"</{prefix}invoke>"
    param, param_end = f"<{prefix}parameter{SPACES}name{SPACES}=", f"</{prefix}parameter>"
    return {
        "INVOKE_START": terminal(invoke),
        "NAME_END": terminal(">"),
        "INVOKE_END": terminal(invoke_end),
        "LAST_INVOKE_END": terminal(invoke_end, followed_by=(invoke, *after)),
        "PARAM_START": terminal(param),
        "NEXT_PARAM": terminal(param),
        "KEY_END": terminal(">"),
        "PARAM_END": terminal(param_end, followed_by=(param, invoke_end, invoke, *after)),
    }


def invoke_rows() -> tuple[Row, ...]:
    """SK-INVOKE: from a call's name to its closer, with tagged parameters between."""
    return (
        Row(S.TOOL_NAME, "NAME_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "PARAM_START", S.ARG_KEY),
        Row(S.ARG_KEY, "KEY_END", S.ARG_VALUE),
        Row(S.ARG_VALUE, "PARAM_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "INVOKE_END", S.TOOL_BETWEEN, (T_END,)),
        # recovery
        Row(S.TOOL_NAME, "INVOKE_END", S.TOOL_BETWEEN, (T_END,), "`<invoke name=f</invoke>`: the tag has no end", True),
        Row(S.TOOL_ARGS, "INVOKE_START", S.TOOL_NAME, (T_END, T_START), "`</parameter><invoke>`: no `</invoke>`", True),
        Row(S.ARG_VALUE, "NEXT_PARAM", S.ARG_KEY, (), "`v<parameter name=k>`: no `</parameter>`", True),
        Row(S.ARG_VALUE, "LAST_INVOKE_END", S.TOOL_BETWEEN, (T_END,), "`v</invoke>`: no `</parameter>`", True),
    )
