r"""Muse: messages with a recipient; bodies for tools hold tagged invokes.

    turn    = message { message }
    message = [ "<|start|>" ws "assistant" ] [ ws "to=" RCPT ] "<|message|>" body ( "<|eom|>" | "<|eot|>" )
    tool    = "<atem:function_calls>" { invoke } "</atem:function_calls>"
    invoke  = "<atem:invoke name=" DQ NAME DQ ">" { param } "</atem:invoke>"
    param   = "<atem:parameter name=" DQ KEY DQ ">" VALUE "</atem:parameter>"

Like harmony, a stream starts inside a header and the header decides. Unlike it, a body also ends where the next header
stands without any opener (` to=tool<|message|>`), names stand in the invoke, and markup of calls outside a tool's body
is plain text. muse_glimmer reads other recipients as content and tools. Source: muse.md.
"""

from __future__ import annotations

from parsers.engine.config import (
    END_OF_STREAM,
    FEED,
    HEADER_TEXT,
    IDENTIFIER,
    SPACES,
    HeaderRule,
    ParserEngineConfig,
    Row,
    Sink,
    Switch,
    Trim,
)  # fmt: skip
from parsers.formats.base import EVERYTHING, R_END, R_START, T_END, T_START, S, terminal

_UNFRAMED = "UNFRAMED"  # text before any header: content, but calls count

_FRAMING = ("<|start|>", "<|message|>", "<|eom|>", "<|eot|>")
_FRAME_TERMINALS = {
    "START": terminal("<|start|>"),
    "MESSAGE": terminal("<|message|>"),
    "MESSAGE_END": terminal("<|eom|>", "<|eot|>"),
    "NEXT_HEADER": terminal(f"{SPACES}to={IDENTIFIER}<|message|>"),
}
_TOOL_TERMINALS = {
    **_FRAME_TERMINALS,
    "CALLS_START": terminal("<atem:function_calls>"),
    "CALLS_END": terminal("</atem:function_calls>"),
    "INVOKE_START": terminal('<atem:invoke name="'),
    "NAME_END": terminal('">'),
    "INVOKE_END": terminal("</atem:invoke>"),
    "PARAM_START": terminal("<atem:parameter"),
    "KEY_END": terminal(">"),
    "PARAM_END": terminal("</atem:parameter>"),
}


def _body_ends(state: str, *events: str) -> tuple[Row, ...]:
    """A body ends at its closer, at the next opener, and at a header without one."""
    return (
        Row(state, "MESSAGE_END", S.MESSAGE_HEADER, events),
        Row(state, "START", S.MESSAGE_HEADER, (*events, FEED), "`body<|start|>`: no closer", True),
        Row(state, "NEXT_HEADER", "", (*events, FEED), "`body to=tool<|message|>`: the next header, no closer", True),
    )


_FRAME_ROWS = (
    Row(S.MESSAGE_HEADER, "MESSAGE", "", (), "the header is complete and decides"),
    Row(S.MESSAGE_HEADER, "START", S.MESSAGE_HEADER, (FEED,)),
    Row(S.MESSAGE_HEADER, "MESSAGE_END", "", (), "`text<|eom|>`: no header", True),
    *_body_ends(S.CONTENT),
    *_body_ends(S.IGNORE),
)
_THINK_ROWS = _body_ends(S.REASONING, R_END)
_TOOL_ROWS = (
    Row(S.TOOL_PREAMBLE, "CALLS_START", S.TOOL_PREAMBLE),
    Row(S.TOOL_PREAMBLE, "INVOKE_START", S.TOOL_NAME, (T_START,)),
    Row(S.TOOL_NAME, "NAME_END", S.TOOL_ARGS),
    Row(S.TOOL_ARGS, "PARAM_START", S.ARG_KEY),
    Row(S.ARG_KEY, "KEY_END", S.ARG_VALUE),
    Row(S.ARG_VALUE, "PARAM_END", S.TOOL_ARGS),
    Row(S.TOOL_ARGS, "INVOKE_END", S.TOOL_BETWEEN, (T_END,)),
    Row(S.TOOL_BETWEEN, "INVOKE_START", S.TOOL_NAME, (T_START,)),
    Row(S.TOOL_BETWEEN, "CALLS_END", S.TOOL_BETWEEN),
    *_body_ends(S.TOOL_BETWEEN),
    *_body_ends(S.TOOL_PREAMBLE),
    # recovery
    *_body_ends(S.TOOL_ARGS, T_END),
    Row(S.TOOL_ARGS, "CALLS_END", S.TOOL_BETWEEN, (T_END,), "`</atem:parameter></atem:function_calls>`", True),
    Row(S.TOOL_ARGS, "INVOKE_START", S.TOOL_NAME, (T_END, T_START), "`</atem:parameter><atem:invoke>`", True),
    Row(S.ARG_VALUE, "PARAM_START", S.ARG_KEY, (), "`v<atem:parameter name=…>`: no closer of the value", True),
    Row(S.ARG_VALUE, "INVOKE_END", S.TOOL_BETWEEN, (T_END,), "`v</atem:invoke>`: no closer of the value", True),
    Row(S.MESSAGE_HEADER, "CALLS_START", "", (), "`<atem:function_calls>` without any header", True),
    Row(_UNFRAMED, "CALLS_START", S.TOOL_PREAMBLE, (), "`text <atem:function_calls>` without any header", True),
    *_body_ends(_UNFRAMED),
)

_NOT_A_HEADER = r"(?!.*<\|start\|>|\s*(?:t|to|to=\S*)?\Z).*"
_HEADERLESS = (
    HeaderRule(_NOT_A_HEADER, S.CONTENT, (HEADER_TEXT,), "text without a header", "MESSAGE_END"),
    HeaderRule(_NOT_A_HEADER, S.CONTENT, (HEADER_TEXT,), "text without a header", END_OF_STREAM),
    HeaderRule(EVERYTHING, S.MESSAGE_HEADER, (), "a header without a body", "MESSAGE_END"),
)
_UNFRAMED_CALLS = HeaderRule(r"[^\0]*", _UNFRAMED, (HEADER_TEXT,), "calls without a header", "CALLS_START")
_OTHER = HeaderRule(EVERYTHING, S.IGNORE, (), "a header nobody can read")
_BARE = r"(?!.*\bto=).*"


def _to(*recipients: str) -> str:
    return rf".*\bto=(?:{'|'.join(recipients)})\s*(?:<\|message\|>)?"


def _to_others(*recipients: str) -> str:
    """To anyone but these."""
    return rf".*\bto=(?!(?:{'|'.join(recipients)})(?![A-Za-z0-9_.\-]))[A-Za-z0-9_.\-]+\s*(?:<\|message\|>)?"


def _shown(pattern: str, ended_by: str) -> HeaderRule:
    """A message of the absent half, as it is."""
    return HeaderRule(pattern, S.CONTENT, (HEADER_TEXT,), "shown as it is: no parser for it", ended_by, half=True)


_BASE = ParserEngineConfig(
    name="muse",
    terminals=_FRAME_TERMINALS,
    tokens=_FRAMING,
    initial=S.MESSAGE_HEADER,
    turn_boundaries=("<|start|>",),
    content_trim=Trim(),
)


Patterns = tuple[str, ...]


def _reasoning(thinking: Patterns, content: Patterns, dropped: Patterns, tools: str) -> ParserEngineConfig:
    """The reasoning half; patterns of the headers by what they open."""
    return _BASE.but(
        switch=Switch(),
        prompt_open=("to=self<|message|>",),
        prompt_closed=("to=user<|message|>",),
        rows=(*_FRAME_ROWS, *_THINK_ROWS),
        headers=(
            *_HEADERLESS,
            *(HeaderRule(pattern, S.REASONING, (R_START,), "to itself: reasoning") for pattern in thinking),
            *(HeaderRule(pattern, S.CONTENT, (), "to the user: content") for pattern in content),
            *(HeaderRule(pattern, S.IGNORE, (), "to nobody we show") for pattern in dropped),
            _shown(tools, "MESSAGE"),
            _shown(tools, "NEXT_HEADER"),
            _OTHER,
        ),
    )


def _tools(thinking: Patterns, content: Patterns, dropped: Patterns, tools: str) -> ParserEngineConfig:
    """The tool half."""
    return _BASE.but(
        terminals=_TOOL_TERMINALS,
        rows=(*_FRAME_ROWS, *_TOOL_ROWS),
        sinks={_UNFRAMED: Sink.TEXT},
        name_pattern=r"(?:(?P<twice>[^.]+)\.(?=(?P=twice)\Z))?(?P<name>.*)",
        key_pattern=r'.*?\bname="(?P<key>[^"]*)".*',
        untyped="json",
        headers=(
            _UNFRAMED_CALLS,
            *_HEADERLESS,
            *(_shown(pattern, ended_by) for pattern in thinking for ended_by in ("MESSAGE", "NEXT_HEADER")),
            *(HeaderRule(pattern, S.CONTENT, (), "to the user: content") for pattern in content),
            *(HeaderRule(pattern, S.IGNORE, (), "to nobody we show") for pattern in dropped),
            HeaderRule(tools, S.TOOL_PREAMBLE, (), "to a tool: calls"),
            _OTHER,
        ),
    )


_SPARK = (
    (_BARE, _to("self")),
    (_to("user", "commentary"),),
    (_to("developer"),),
    _to_others("self", "user", "commentary", "developer"),
)
_GLIMMER = ((_to("self"),), (_BARE, _to("user")), (), _to_others("self", "user"))

muse = _reasoning(*_SPARK)
muse_tools = _tools(*_SPARK)
muse_glimmer = _reasoning(*_GLIMMER)
muse_glimmer_tools = _tools(*_GLIMMER)
