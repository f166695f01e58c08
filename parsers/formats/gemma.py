r"""Gemma: a labelled thinking channel, and calls in a notation of its own.

    turn   = [ "<|channel>" "thought\n" reasoning "<channel|>" ] { text | call }
    call   = "<|tool_call>" ( "call:" | ":" ) NAME "{" [ KEY ":" VALUE { "," KEY ":" VALUE } ] "}" "<tool_call|>"
    VALUE  = '<|"|>' raw text '<|"|>' | "{" … "}" | "[" [ VALUE { "," VALUE } ] "]" | bare JSON literal or text

Raw text is never escaped: inside delimiters only the delimiter counts. functiongemma is the same call with other
markers and no reasoning. A block that is no call comes back as text; text around calls is content, verbatim.
Source: gemma.md.
"""

from __future__ import annotations

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    DELIMITER,
    FEED,
    GIVE_BACK,
    NO_BLANK,
    OTHER,
    STRIP_END,
    Body,
    ParserEngineConfig,
    Row,
    Switch,
)
from parsers.formats.base import R_END, R_START, T_END, T_START, S, terminal

_CHANNEL = ("<|channel>", "<channel|>")
_CALL = ("<|tool_call>", "<tool_call|>")
_QUOTE = '<|"|>'
_TOKENS = (*_CHANNEL, *_CALL, _QUOTE)  # both halves know all of them: the other half's stay visible as text
_TURNS = ("<|turn>", "<turn|>", "<|tool_response>", "<tool_response|>")
_SPECIAL = (*_TURNS, "<|think|>", "<eos>")

gemma4 = ParserEngineConfig(
    name="gemma4",
    terminals={
        "THINK_START": terminal("<|channel>", "<|channel>thought\n"),
        "THINK_EMPTY": terminal("<|channel>thought", followed_by=("<channel|>",)),
        "THINK_END": terminal("<channel|>"),
        "LABEL": terminal("thought\n"),
    },
    tokens=_TOKENS,
    rows=(
        Row(S.START, OTHER, S.CONTENT, (), "the label alone opens thinking only as the first text"),
        Row(S.CONTENT, "THINK_START", S.REASONING, (R_START,), "thinking opens; its label is markup"),
        Row(S.CONTENT, "THINK_EMPTY", S.REASONING, (R_START,), "a label and nothing else"),
        Row(S.REASONING, "THINK_START", S.REASONING, (), "the prompt may hold the opener already (R-OPEN)"),
        Row(S.REASONING, "THINK_END", S.CONTENT, (R_END,), "thinking is over"),
        # recovery
        Row(S.START, "LABEL", S.REASONING, (R_START,), "`thought\\nreasoning`: a server dropped the opener", True),
        Row(S.CONTENT, "THINK_END", S.CONTENT, (), "`answer<channel|>more`: a repeated closer (R-REPEAT)", True),
    ),
    initial=S.START,
    switch=Switch(("enable_thinking",), default=False),
    prompt_open=("<|channel>",),
    prompt_closed=("<channel|>",),
    turn_boundaries=(*_TURNS, "<|tool_call>"),
    special=_SPECIAL,
    reasoning_trim=STRIP_END,
    content_trim=NO_BLANK,
)


def notation_calls(
    name: str, markers: tuple[str, str], quote: str, tokens: tuple[str, ...], special: tuple[str, ...]
) -> ParserEngineConfig:
    """Calls in the notation.

    Args:
        markers: what opens and closes a call.
        quote: the delimiter at both ends of a string.
        tokens: all tokens of the family, so that those without a meaning here stay visible.
    """
    return ParserEngineConfig(
        name=name,
        terminals={
            "TOOL_START": terminal(markers[0]),
            "TOOL_END": terminal(markers[1]),
            "NAME_START": terminal("call:", ":"),
            "ARGS_START": terminal("{", "("),
            "QUOTE": terminal(quote),
        },
        tokens=tokens,
        rows=(
            Row(S.CONTENT, "TOOL_START", S.TOOL_PREAMBLE),
            Row(S.TOOL_PREAMBLE, "NAME_START", S.TOOL_NAME, (T_START,)),
            Row(S.TOOL_NAME, "ARGS_START", S.TOOL_ARGS, (FEED,)),
            Row(S.TOOL_ARGS, "QUOTE", S.TOOL_ARGS, (DELIMITER,)),
            Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN),
            Row(S.TOOL_BETWEEN, "TOOL_END", S.CONTENT, (T_END,)),
            # recovery
            Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`<tool_call|>` alone: closes nothing", True),
            Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_PREAMBLE, (), "`<|tool_call><|tool_call>`", True),
            Row(S.TOOL_PREAMBLE, "TOOL_END", S.CONTENT, (), "`<|tool_call><tool_call|>`: nothing inside", True),
            Row(S.TOOL_PREAMBLE, OTHER, S.BROKEN, (GIVE_BACK,), "`<|tool_call>f{}`: no `call:`", True),
            Row(S.TOOL_NAME, "TOOL_END", S.CONTENT, (GIVE_BACK, T_END), "`call:f<tool_call|>`: no bracket", True),
            Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (GIVE_BACK, T_END), "`{a:1<tool_call|>`: no bracket", True),
            Row(S.TOOL_ARGS, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), "`{a:1<|tool_call>`: cut off by a call", True),
            Row(S.TOOL_ARGS, BODY_BAD, S.BROKEN, (GIVE_BACK, T_END), "`{a}`: not the notation", True),
            Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_PREAMBLE, (T_END,), "`{a:1}<|tool_call>`: no closer", True),
            Row(S.BROKEN, "TOOL_END", S.CONTENT, (FEED,), "`<|tool_call>f{}<tool_call|>`: all of it is text", True),
            Row(S.BROKEN, "TOOL_START", S.TOOL_PREAMBLE, (), "`<|tool_call>f{}<|tool_call>`", True),
        ),
        bodies={S.TOOL_ARGS: Body("notation")},
        name_pattern=r"(?P<name>[^\s<>]+)",
        turn_boundaries=_TURNS,
        special=special,
        content_trim=NO_BLANK,
    )


gemma4_tools = notation_calls("gemma4", _CALL, _QUOTE, _TOKENS, _SPECIAL)

_FUNCTION = ("<start_function_call>", "<end_function_call>")
_FUNCTION_TURNS = ("<start_of_turn>", "<end_of_turn>", "<start_function_response>", "<end_function_response>")

functiongemma = notation_calls(
    "functiongemma", _FUNCTION, "<escape>", (*_FUNCTION, "<escape>"), (*_FUNCTION_TURNS, "<eos>")
).but(turn_boundaries=_FUNCTION_TURNS)
