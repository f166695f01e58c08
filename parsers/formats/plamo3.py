"""PLaMo 3: think tags, and calls with their name in one tag and JSON arguments in another.

    turn    = [ B(think) ] reasoning E(think) text [ section text ]
    section = B(tool_requests) request { request } E(tool_requests)
    request = B(tool_request) B(tool_name) NAME E(tool_name) B(tool_arguments) [ CONSTRAIN ] MSG JSON E(tool_arguments)
              E(tool_request)

B(x) is `<|plamo:begin_x:plamo|>`, E(x) is `<|plamo:end_x:plamo|>`: each is a prefix token, ordinary text and a suffix
token. A tag that the end of the stream cuts off is markup once its prefix is whole. All text is verbatim. minimax and
hunyuan name their calls in tags too, with tagged parameters instead of JSON.

Source: plamo3.md.
"""

from __future__ import annotations

from parsers.engine.config import NEVER, NO_BLANK, WORD, Body, ParserEngineConfig, Row, Switch
from parsers.formats.base import T_END, T_START, S, terminal, think

_BEGIN, _FINISH, _SUFFIX = "<|plamo:begin_", "<|plamo:end_", ":plamo|>"
_CONSTRAIN, _MSG = "<|plamo:constrain|>", "<|plamo:msg|>"
_PIECES = (_BEGIN, _FINISH, _SUFFIX, _CONSTRAIN, _MSG)
_TURN_END = ("<|plamo:tag|>",)


def _begin(name: str) -> str:
    return f"{_BEGIN}{name}{_SUFFIX}"


def _end(name: str) -> str:
    return f"{_FINISH}{name}{_SUFFIX}"


_CUT = {"CUT_TAG": terminal(f"{_BEGIN}{WORD}", f"{_FINISH}{WORD}", followed_by=(NEVER,))}


def _cut_row(state: str) -> Row:
    return Row(state, "CUT_TAG", state, (), f"`text{_BEGIN}thi`: the end of the stream inside a tag", True)


_pair = think(
    "plamo3",
    _begin("think"),
    _end("think"),
    switch=Switch(("enable_thinking",), off_is_identity=True),
    content_trim=NO_BLANK,
    turns=_TURN_END,
    special=_TURN_END,
)
plamo3 = _pair.but(
    terminals={**_pair.terminals, **_CUT},
    tokens=_PIECES,
    rows=(*_pair.rows, _cut_row(S.REASONING), _cut_row(S.CONTENT)),
)

plamo3_tools = ParserEngineConfig(
    name="plamo3",
    terminals={
        "SECTION_START": terminal(_begin("tool_requests")),
        "SECTION_END": terminal(_end("tool_requests")),
        "CALL_START": terminal(_begin("tool_request")),
        "CALL_END": terminal(_end("tool_request")),
        "NAME_START": terminal(_begin("tool_name")),
        "NAME_END": terminal(_end("tool_name")),
        "ARGS_START": terminal(
            f"{_begin('tool_arguments')}{_CONSTRAIN}json{_MSG}",
            f"{_begin('tool_arguments')}{_MSG}",
        ),
        "ARGS_END": terminal(_end("tool_arguments")),
        **_CUT,
    },
    tokens=_PIECES,
    rows=(
        Row(S.CONTENT, "SECTION_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "CALL_START", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "NAME_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "NAME_END", S.TOOL_HEADER),
        Row(S.TOOL_HEADER, "ARGS_START", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "ARGS_END", S.TOOL_BETWEEN, (T_END,)),
        Row(S.TOOL_BETWEEN, "CALL_END", S.TOOL_PREAMBLE),
        Row(S.TOOL_PREAMBLE, "SECTION_END", S.CONTENT),
        # recovery
        Row(S.CONTENT, "CALL_START", S.TOOL_PREAMBLE, (), "`B(tool_request)` without its section", True),
        Row(S.CONTENT, "CALL_END", S.CONTENT, (), "`E(tool_request)` alone: closes nothing", True),
        Row(S.CONTENT, "SECTION_END", S.CONTENT, (), "`E(tool_requests)` alone: closes nothing", True),
        Row(S.TOOL_NAME, "CALL_END", S.TOOL_PREAMBLE, (T_END,), "`name E(tool_request)`: no E(tool_name)", True),
        Row(S.TOOL_NAME, "SECTION_END", S.CONTENT, (T_END,), "`name E(tool_requests)`: no closers", True),
        Row(S.TOOL_HEADER, "CALL_END", S.TOOL_PREAMBLE, (T_END,), "`E(tool_name) E(tool_request)`: no arguments", True),
        Row(S.TOOL_HEADER, "SECTION_END", S.CONTENT, (T_END,), "`E(tool_name) E(tool_requests)`: no arguments", True),
        Row(S.TOOL_ARGS, "CALL_END", S.TOOL_PREAMBLE, (T_END,), "`{…} E(tool_request)`: no E(tool_arguments)", True),
        Row(S.TOOL_ARGS, "SECTION_END", S.CONTENT, (T_END,), "`{…} E(tool_requests)`: no closers", True),
        Row(S.TOOL_BETWEEN, "SECTION_END", S.CONTENT, (), "`E(tool_arguments) E(tool_requests)`: no closer", True),
        Row(S.TOOL_BETWEEN, "CALL_START", S.TOOL_PREAMBLE, (), "`E(tool_arguments) B(tool_request)`: no closer", True),
        _cut_row(S.CONTENT),
        _cut_row(S.TOOL_NAME),
        _cut_row(S.TOOL_ARGS),
    ),
    bodies={S.TOOL_ARGS: Body("json")},
    content_trim=NO_BLANK,
    special=_TURN_END,
)
