"""Kimi K3: every part of a turn is an element, and its tags are made of control tokens and words.

    turn     = [think-body </think>] [<response>] text </response> [ <tools> call { call } </tools> ] [</message>]
    call     = "<|open|>" 'call tool="' NAME '" index="' DIGITS '"' "<|sep|>" { argument } </call>
    argument = "<|open|>" 'argument key="' KEY '" type="' TYPE '"' "<|sep|>" VALUE </argument>
    <x>      = "<|open|>" x "<|sep|>"                    </x> = "<|close|>" x "<|sep|>"

Text never becomes a control token, so an id always counts and its spelling in other tokens is data. TYPE decides:
"string" is the text verbatim, anything else is JSON. Quotes and ampersands of attributes are escaped, bodies are not.
The nearest relative is deepseek_dsml, whose parameters also carry their type. Source: kimi-k3.md.
"""

from __future__ import annotations

from parsers.engine.config import NEVER, NO_BLANK, OTHER, SPACES, WORD, ParserEngineConfig, Row, Switch, Terminal
from parsers.formats.base import R_END, R_START, T_END, T_START, S, terminal

_OPEN, _CLOSE, _SEP = _CONTROL = ("<|open|>", "<|close|>", "<|sep|>")
_MESSAGE = (f"{_OPEN}message",)
_JSON_TYPES = ("number", "boolean", "null", "object", "array")


def _tag(edge: str, element: str) -> Terminal:
    """A tag without attributes; a detokenizer may put spaces next to its control tokens."""
    return terminal(f"{edge}{SPACES}{element}{SPACES}{_SEP}")


_CHANNEL_TERMINALS = {
    "RESPONSE_START": _tag(_OPEN, "response"),
    "RESPONSE_END": _tag(_CLOSE, "response"),
    "MESSAGE_CLOSE": _tag(_CLOSE, "message"),
    "CUT_ELEMENT": terminal(f"{_OPEN}{SPACES}{WORD}", f"{_CLOSE}{SPACES}{WORD}", followed_by=(NEVER,)),
}
_CHANNEL_ROWS = (
    Row(S.CONTENT, "RESPONSE_START", S.CONTENT, (), "the prompt may hold the opener already"),
    Row(S.CONTENT, "RESPONSE_END", S.IGNORE),
    Row(S.CONTENT, "MESSAGE_CLOSE", S.IGNORE),
    Row(S.IGNORE, "RESPONSE_START", S.CONTENT),
    Row(S.IGNORE, "MESSAGE_CLOSE", S.IGNORE),
    Row(S.IGNORE, "RESPONSE_END", S.IGNORE, (), "`</response></response>`: closes nothing", True),
    Row(S.IGNORE, OTHER, S.CONTENT, (), "`</think>text`: the opener of the response may be missing"),
    Row(S.CONTENT, "CUT_ELEMENT", S.CONTENT, (), "`text<|close|>resp`: cut off by the end of the stream", True),
    Row(S.IGNORE, "CUT_ELEMENT", S.IGNORE, (), "`</response><|open|>tools`: cut off by the end of the stream", True),
)

kimi_k3 = ParserEngineConfig(
    name="kimi_k3",
    tokens=_CONTROL,
    terminals={**_CHANNEL_TERMINALS, "THINK_START": _tag(_OPEN, "think"), "THINK_END": _tag(_CLOSE, "think")},
    rows=(
        Row(S.REASONING, "THINK_END", S.IGNORE, (R_END,), "thinking is over"),
        Row(S.REASONING, "THINK_START", S.REASONING, (), "the prompt may hold the opener already (R-OPEN)"),
        Row(S.IGNORE, "THINK_START", S.REASONING, (R_START,), "thinking opens again"),
        *_CHANNEL_ROWS,
        # recovery
        Row(S.REASONING, "CUT_ELEMENT", S.REASONING, (), "`thinking<|close|>th`: cut off by the stream's end", True),
        Row(S.REASONING, "RESPONSE_START", S.CONTENT, (R_END,), "`<response>text`: thinking was skipped", True),
        Row(S.REASONING, "RESPONSE_END", S.IGNORE, (R_END,), "`thinking</response>`: the wrong closer", True),
        Row(S.REASONING, "MESSAGE_CLOSE", S.IGNORE, (R_END,), "`thinking</message>`: the turn is over", True),
        Row(S.CONTENT, "THINK_START", S.REASONING, (R_START,), "`<think>` with thinking switched off", True),
        Row(S.CONTENT, "THINK_END", S.CONTENT, (), "`text</think>`: a repeated closer (R-REPEAT)", True),
        Row(S.IGNORE, "THINK_END", S.IGNORE, (), "`</think></think>`: a repeated closer (R-REPEAT)", True),
    ),
    initial=S.REASONING,
    switch=Switch(("thinking", "enable_thinking"), combine="first"),
    prompt_open=(f"{_OPEN}think{_SEP}",),
    prompt_closed=(f"{_CLOSE}think{_SEP}", f"{_OPEN}response{_SEP}"),
    turn_boundaries=_MESSAGE,
    special=("<|end_of_msg|>",),
    content_trim=NO_BLANK,
    control_ids=True,
)

kimi_k3_tools = ParserEngineConfig(
    name="kimi_k3",
    tokens=_CONTROL,
    terminals={
        **_CHANNEL_TERMINALS,
        "TOOLS_START": _tag(_OPEN, "tools"),
        "TOOLS_END": _tag(_CLOSE, "tools"),
        "CALL_START": terminal(f"{_OPEN}{SPACES}call"),
        "CALL_END": _tag(_CLOSE, "call"),
        "ARGUMENT_START": terminal(f"{_OPEN}{SPACES}argument"),
        "ARGUMENT_END": _tag(_CLOSE, "argument"),
        "ATTRIBUTES_END": terminal(_SEP),
    },
    rows=(
        *_CHANNEL_ROWS,
        Row(S.CONTENT, "TOOLS_START", S.TOOL_PREAMBLE),
        Row(S.IGNORE, "TOOLS_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "CALL_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "ATTRIBUTES_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "ARGUMENT_START", S.ARG_KEY),
        Row(S.ARG_KEY, "ATTRIBUTES_END", S.ARG_VALUE),
        Row(S.ARG_VALUE, "ARGUMENT_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "CALL_END", S.TOOL_PREAMBLE, (T_END,)),
        Row(S.TOOL_PREAMBLE, "TOOLS_END", S.IGNORE),
        # recovery
        Row(S.TOOL_ARGS, "TOOLS_END", S.IGNORE, (T_END,), "`</argument></tools>`: no `</call>`", True),
        Row(S.TOOL_ARGS, "CALL_START", S.TOOL_NAME, (T_END, T_START), "`</argument><call>`: no `</call>`", True),
        Row(S.TOOL_PREAMBLE, "MESSAGE_CLOSE", S.IGNORE, (), "`</call></message>`: no `</tools>`", True),
    ),
    name_pattern=r'.*?\btool="(?P<name>[^"]*)".*',
    key_pattern=r'(?=.*\bkey="(?P<key>[^"]*)")(?:.*\btype="(?P<type>[^"]*)")?.*',
    declared_types={"": "string", "string": "string", **dict.fromkeys(_JSON_TYPES, "json")},
    attribute_escapes=(("&quot;", '"'), ("&amp;", "&")),
    turn_boundaries=_MESSAGE,
    special=("<|end_of_msg|>",),
    content_trim=NO_BLANK,
    control_ids=True,
    call_ids="functions",
)
