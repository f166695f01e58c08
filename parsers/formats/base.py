"""Builders that format files share, and `join`: a reasoning format and a tool format become one table.

Shared rows live here once; a format file picks them and adds its own. Source: common-1.md (R-*, SK-THINK), design.md
decision 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    FEED,
    GIVE_BACK,
    KEEP,
    OTHER,
    SETTLE,
    SPACES,
    HeaderRule,
    ParserEngineConfig,
    ParserState,
    Row,
    Sink,
    Switch,
    Terminal,
    Trim,
)
from parsers.engine.events import EventType
from parsers.errors import FormatError

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
        Row(S.REASONING, "THINK_START", S.REASONING, (), "the model writes the opener the prompt may hold already (R-OPEN)"),
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


PLAIN = ParserEngineConfig(name="none")


def join(reasoning: ParserEngineConfig | None, tools: ParserEngineConfig | None) -> ParserEngineConfig:
    """One table for a pair; either may be None.

    The tool format's openers also count inside reasoning and end it, unless the reasoning format forbids that (R-TOOL).

    Raises:
        FormatError: the two give one marker two meanings; names both.
    """
    if reasoning is None or tools is None:
        return tools or reasoning or PLAIN
    if reasoning is tools:
        return reasoning
    tools = _renamed(tools, reasoning)
    _check_conflicts(reasoning, tools)
    after_thinking = S.START if tools.initial == S.START else S.CONTENT
    rows = _content_begins_in(after_thinking, _whole(reasoning.rows, tools))
    rows += _missing(rows, _whole(tools.rows, reasoning))
    if reasoning.tool_ends_reasoning and reasoning.switch is not None:
        rows += _missing(rows, _tool_openers_in_reasoning(reasoning, tools))
    return tools.but(
        name=f"{reasoning.name}+{tools.name}",
        terminals=_merged(reasoning.terminals, tools.terminals),
        tokens=tuple(dict.fromkeys(reasoning.tokens + tools.tokens)),
        rows=tuple(rows),
        headers=_headers_into(after_thinking, _joined_headers(reasoning, tools)),
        sinks={**reasoning.sinks, **tools.sinks},
        initial=_initial(reasoning, tools),
        content_initial=S.START if after_thinking == S.START else reasoning.content_initial,
        switch=reasoning.switch,
        prompt_open=reasoning.prompt_open,
        prompt_closed=reasoning.prompt_closed,
        turn_boundaries=tuple(dict.fromkeys(reasoning.turn_boundaries + tools.turn_boundaries)),
        special=tuple(dict.fromkeys(reasoning.special + tools.special)),
        required=tuple(dict.fromkeys(reasoning.required + tools.required)),
        reasoning_trim=reasoning.reasoning_trim,
        content_trim=tools.content_trim,
        content_prefix=reasoning.content_prefix,
        escaped_newlines=reasoning.escaped_newlines or tools.escaped_newlines,
        never_empty=reasoning.never_empty,
        control_ids=reasoning.control_ids or tools.control_ids,
    )


def _initial(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> str:
    """The state of whoever reads the beginning: a tool format's own only where there is no thinking to read first."""
    own_frame = bool(tools.headers) and not reasoning.headers and reasoning.switch is not None
    return reasoning.initial if reasoning.initial != S.CONTENT or own_frame else tools.initial


def _headers_into(state: str, rules: tuple[HeaderRule, ...]) -> tuple[HeaderRule, ...]:
    """Header rules with content beginning in `state`."""
    return tuple(replace(rule, next=state) if rule.next == S.CONTENT else rule for rule in rules)


def _whole(rows: Iterable[Row], partner: ParserEngineConfig) -> list[Row]:
    """Rows without those that stand in for a partner half that is there."""
    return [row for row in rows if not (row.half and row.terminal in partner.terminals)]


def _content_begins_in(state: str, rows: Iterable[Row]) -> list[Row]:
    """Rows of a reasoning format, with content beginning in `state`, where the tool format's first markers count.

    Whatever the reasoning format absorbs or opens in content, it does there as well.
    """
    rows = list(rows)
    if state == S.CONTENT:
        return rows
    led = [replace(row, next=state) if row.next == S.CONTENT and row.state not in (S.CONTENT, S.START) else row for row in rows]
    return led + [
        replace(row, state=state, next=state if row.next == S.CONTENT else row.next)
        for row in rows
        if row.state == S.CONTENT
    ]


def _tool_openers_in_reasoning(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> list[Row]:
    """Rows that open a tool region from content, put into reasoning as well."""
    note = "`thinking<tool_call>`: the call ends it (R-TOOL)"
    closers = {row.state: row.terminal for row in reversed(reasoning.rows) if row.events == (R_END,)}
    closers = closers if reasoning.unclosed_only else dict.fromkeys((S.REASONING, *closers), "")
    opening = [
        row
        for row in tools.rows
        if row.state == S.CONTENT and tools.sink(row.next) not in (Sink.TEXT, Sink.REASONING) and not row.recovery
    ]
    return [
        Row(state, row.terminal, row.next, (R_END, *row.events), note, True, closer)
        for state, closer in closers.items()
        for row in opening
    ]


def _joined_headers(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> tuple[HeaderRule, ...]:
    """Both halves' rules, the tool half's first; rules for an absent half only where the other has no headers."""
    if not reasoning.headers or not tools.headers:
        return reasoning.headers + tools.headers
    kept = [rule for rule in (*tools.headers, *reasoning.headers) if not rule.half]
    return tuple(dict.fromkeys(sorted(kept, key=lambda rule: rule.pattern == EVERYTHING)))


def _missing(rows: object, more: object) -> list[Row]:
    taken = {(row.state, row.terminal) for row in rows}  # type: ignore[attr-defined]
    return [row for row in more if (row.state, row.terminal) not in taken]  # type: ignore[attr-defined]


def _merged(first: Mapping[str, Terminal], second: Mapping[str, Terminal]) -> dict[str, Terminal]:
    """Both sets of markers; one with the same name has the spellings of both."""
    merged = {**second, **first}
    for name in first.keys() & second.keys():
        spellings = dict.fromkeys(first[name].spellings + second[name].spellings)
        merged[name] = replace(second[name], spellings=tuple(spellings))
    return merged


def _renamed(tools: ParserEngineConfig, reasoning: ParserEngineConfig) -> ParserEngineConfig:
    """The tool format with other names for terminals that only share a name with the reasoning format's."""
    names = {
        name: f"{name}_{tools.name.upper()}"
        for name, marker in tools.terminals.items()
        if (other := reasoning.terminals.get(name)) is not None and not set(other.spellings) & set(marker.spellings)
    }
    if not names:
        return tools
    return tools.but(
        terminals={names.get(name, name): marker for name, marker in tools.terminals.items()},
        rows=tuple(
            replace(row, terminal=names.get(row.terminal, row.terminal), unless=names.get(row.unless, row.unless))
            for row in tools.rows
        ),
        headers=tuple(replace(rule, ended_by=names.get(rule.ended_by, rule.ended_by)) for rule in tools.headers),
    )


def _check_conflicts(reasoning: ParserEngineConfig, tools: ParserEngineConfig) -> None:
    names = f"{reasoning.name} and {tools.name} cannot be used together"
    spelled = {s: name for name, marker in reasoning.terminals.items() for s in marker.spellings}
    for name, marker in tools.terminals.items():
        clash = next((s for s in marker.spellings if spelled.get(s, name) != name), None)
        if clash is not None:
            raise FormatError(f"{names}: {clash!r} means {spelled[clash]} in one and {name} in the other.")
    if reasoning.headers and tools.headers and set(reasoning.tokens) != set(tools.tokens):
        raise FormatError(f"{names}: both read message headers, and their messages begin and end differently.")
