r"""Python calls: a list of keyword calls that is the whole answer or stands between two tokens, or one call a line.

    turn = [ OPENER ] "[" call { "," call } "]" [ CLOSER ]                    pythonic, llama4_pythonic, lfm2
    turn = content "<function_calls>" call { "\n" call } "</function_calls>"  olmo3
    call = NAME "(" [ KEY "=" LITERAL { "," KEY "=" LITERAL } ] ")"

pythonic has no markers, so its list must begin the answer; llama4_pythonic may wrap it in `<|python_start|>` and
`<|python_end|>`; lfm2 always does, with tokens of its own, and may say something before and after. Values keep their
Python types, no schema is asked. A list counts as a whole: what is no list of keyword calls is text. Of lines each
counts by itself. olmo3 thinks in tags that are plain text. Source: pythonic.md.
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
    Body,
    ParserEngineConfig,
    Row,
    Sink,
    Switch,
)  # fmt: skip
from parsers.formats.base import QWEN_TURNS, S, terminal, think
from parsers.formats.llama_json import llama3_json, llama4_json

pythonic = ParserEngineConfig(
    name="pythonic",
    terminals={"LIST": terminal("[")},
    rows=(
        Row(S.START, "LIST", S.TOOL_ARGS, (FEED,), "held until a keyword shows a call"),
        Row(S.START, OTHER, S.CONTENT),
        Row(S.TOOL_ARGS, BODY_END, S.CONTENT, (), "what follows the list is content"),
        # recovery
        Row(S.TOOL_ARGS, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`[1, 2, 3]` or `[f(5)]`: no list of keyword calls", True),
    ),
    bodies={S.TOOL_ARGS: Body("pycalls")},
    initial=S.START,
    whole_lists=True,
    content_trim=NO_BLANK,
    special=llama3_json.special,
    turn_boundaries=llama3_json.turn_boundaries,
)

_PYTHON = ("<|python_start|>", "<|python_end|>")

llama4_pythonic = pythonic.but(
    name="llama4_pythonic",
    terminals={**pythonic.terminals, "TOOL_START": terminal(_PYTHON[0]), "TOOL_END": terminal(_PYTHON[1])},
    tokens=_PYTHON,
    rows=(
        *pythonic.rows,
        Row(S.START, "TOOL_START", S.START),
        Row(S.CONTENT, "TOOL_START", S.START),
        Row(S.CONTENT, "TOOL_END", S.CONTENT),
        # recovery
        Row(S.START, "TOOL_END", S.CONTENT, (), "`<|python_start|><|python_end|>`: nothing inside", True),
        Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (GIVE_BACK,), "`[f(a=1)<|python_end|>`: a bracket is missing", True),
        Row(S.BROKEN, "TOOL_START", S.START, (), "`[f(5)]<|python_start|>`", True),
        Row(S.BROKEN, "TOOL_END", S.CONTENT, (), "`[f(5)]<|python_end|>`", True),
    ),
    special=llama4_json.special,
    turn_boundaries=llama4_json.turn_boundaries,
)

_LFM2 = ("<|tool_call_start|>", "<|tool_call_end|>")
_BEHIND = "BEHIND_LIST"  # content behind a list's closer, where the list may be echoed

lfm2 = ParserEngineConfig(
    name="lfm2",
    terminals={"TOOL_START": terminal(_LFM2[0]), "TOOL_END": terminal(_LFM2[1]), "ECHO": terminal("[", "<")},
    tokens=_LFM2,
    rows=(
        Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN, (SETTLE,)),
        Row(S.TOOL_BETWEEN, "TOOL_END", _BEHIND),
        Row(_BEHIND, "TOOL_START", S.TOOL_ARGS),
        Row(_BEHIND, OTHER, S.CONTENT),
        # recovery
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`<|tool_call_end|>` alone: closes nothing", True),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_ARGS, (), "`[f()]<|tool_call_start|>`: no closer", True),
        Row(S.TOOL_BETWEEN, OTHER, S.CONTENT, (), "`[f()]text`: no closer", True),
        Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (GIVE_BACK,), "`[f(a=1)<|tool_call_end|>`: a bracket is missing", True),
        Row(S.TOOL_ARGS, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`<|tool_call_start|>[f(5)]`: no keyword call", True),
        Row(S.BROKEN, "TOOL_START", S.TOOL_ARGS, (), "`<|tool_call_start|>text<|tool_call_start|>`", True),
        Row(S.BROKEN, "TOOL_END", S.CONTENT, (FEED,), "`<|tool_call_start|>[f(5)]<|tool_call_end|>`: all text", True),
        # an echo of the list behind its closer, which a second closer ends, is dropped
        Row(_BEHIND, "TOOL_END", _BEHIND, (), "`<|tool_call_end|><|tool_call_end|>`", True),
        Row(_BEHIND, "ECHO", S.TOOL_PREAMBLE, (FEED,), "`<|tool_call_end|>[f()]`: an echo, or text", True),
        Row(S.TOOL_PREAMBLE, "TOOL_END", _BEHIND, (SETTLE,), "`[f()]<|tool_call_end|>`: an echo", True),
        Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_ARGS, (GIVE_BACK, SETTLE), "`[1]<|tool_call_start|>`: text", True),
    ),
    sinks={_BEHIND: Sink.TEXT},
    bodies={S.TOOL_ARGS: Body("pycalls")},
    whole_lists=True,
    content_trim=NO_BLANK,
    special=QWEN_TURNS,
    turn_boundaries=QWEN_TURNS,
    required=_LFM2,
)

olmo3_think = think("olmo3", tokens=False, switch=Switch(), turns=QWEN_TURNS, special=QWEN_TURNS)

olmo3 = ParserEngineConfig(
    name="olmo3",
    terminals={"TOOL_START": terminal("<function_calls>"), "TOOL_END": terminal("</function_calls>")},
    rows=(
        Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "TOOL_END", S.CONTENT, (GIVE_BACK,), "text, unless every line is a call"),
        # recovery
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</function_calls>` alone: closes nothing", True),
        Row(S.TOOL_ARGS, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`<function_calls>f(5)`: no keyword call", True),
        Row(S.BROKEN, "TOOL_END", S.CONTENT, (FEED,), "`<function_calls>f(5)</function_calls>`: all text", True),
        Row(S.BROKEN, "TOOL_START", S.TOOL_ARGS, (), "`<function_calls>text<function_calls>`", True),
    ),
    bodies={S.TOOL_ARGS: Body("pycalls", layout="lines")},
    content_trim=NO_BLANK,
    special=QWEN_TURNS,
    turn_boundaries=QWEN_TURNS,
)
