"""Cohere Command 3 and 4: marker tokens switch between thinking, answer and actions; citations stand in the text.

    turn   = [ START_THINKING reasoning END_THINKING ] { answer | START_ACTION ARRAY END_ACTION }
    answer = ( START_RESPONSE | START_TEXT ) text ( END_RESPONSE | END_TEXT ) | text
    ARRAY  = "[" {"tool_call_id": ID, "tool_name": STRING, "parameters": OBJECT} { "," … } "]"
    cited  = "<co>" text "</co: " SOURCES ">"               in answers and in thinking

Every marker is one token `<|…|>`. Behind an END marker of an answer or an action, text is in no field until the next
opener. The id a call carries is its id. Citation tags are markup, the words between them stay.

command3 starts in content and knows no TEXT wrapper; command4 starts in thinking.

Source: cohere.md.
"""

from __future__ import annotations

from parsers.args.json_calls import CallKeys
from parsers.engine.config import SOURCES, SPACE, STRIP_END, Body, ParserEngineConfig, Row, Switch, Terminal, Trim
from parsers.formats.base import R_END, R_START, S, object_rows, terminal, think_rows

_THINK = ("<|START_THINKING|>", "<|END_THINKING|>")
_RESPONSE = ("<|START_RESPONSE|>", "<|END_RESPONSE|>")
_TEXT = ("<|START_TEXT|>", "<|END_TEXT|>")
_ACTION = ("<|START_ACTION|>", "<|END_ACTION|>")
_TURNS = ("<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>")
_KEYS = CallKeys(name=("tool_name", "name"), arguments=("parameters", "arguments"), id=("tool_call_id",))
_CONTENT_TRIM = Trim(trail=SPACE, blank="null")

_ANSWER_ROWS = (
    Row(S.CONTENT, "ANSWER_START", S.CONTENT),
    Row(S.CONTENT, "ANSWER_END", S.IGNORE),
    Row(S.IGNORE, "ANSWER_START", S.CONTENT),
    Row(S.CONTENT, "CITE_START", S.CONTENT),
    Row(S.CONTENT, "CITE_END", S.CONTENT),
)
_REASONING_ROWS = (
    *think_rows(),
    Row(S.REASONING, "CITE_START", S.REASONING),
    Row(S.REASONING, "CITE_END", S.REASONING),
    Row(S.IGNORE, "THINK_START", S.REASONING, (R_START,), "thinking between two answers"),
    Row(S.REASONING, "ANSWER_START", S.CONTENT, (R_END,), "`thinking<|START_RESPONSE|>`: no END_THINKING", True),
)
_TOOL_ROWS = (
    Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
    Row(S.IGNORE, "TOOL_START", S.TOOL_ARGS),
    Row(S.TOOL_BETWEEN, "TOOL_END", S.IGNORE),
    *object_rows(S.TOOL_ARGS),
    Row(S.TOOL_BETWEEN, "ANSWER_START", S.CONTENT, (), "`[…]<|START_RESPONSE|>`: no END_ACTION", True),
    Row(S.CONTENT, "TOOL_END", S.IGNORE, (), "`text<|END_ACTION|>`: closes nothing", True),
)


def _answer_terminals(wrappers: tuple[tuple[str, str], ...]) -> dict[str, Terminal]:
    return {
        "ANSWER_START": terminal(*(start for start, _ in wrappers)),
        "ANSWER_END": terminal(*(end for _, end in wrappers)),
        "CITE_START": terminal("<co>"),
        "CITE_END": terminal(f"</co:{SOURCES}>"),
    }


def _thinking(name: str, initial: str, *wrappers: tuple[str, str]) -> ParserEngineConfig:
    """The reasoning half."""
    return ParserEngineConfig(
        name=name,
        terminals={
            "THINK_START": terminal(_THINK[0]),
            "THINK_END": terminal(_THINK[1]),
            **_answer_terminals(wrappers),
        },
        tokens=_tokens(wrappers),
        rows=(*_REASONING_ROWS, *_ANSWER_ROWS),
        initial=initial,
        switch=Switch(),
        prompt_open=_THINK[:1],
        prompt_closed=_THINK[1:],
        turn_boundaries=_TURNS,
        special=_TURNS,
        reasoning_trim=STRIP_END,
        content_trim=_CONTENT_TRIM,
    )


def _actions(name: str, *wrappers: tuple[str, str]) -> ParserEngineConfig:
    """The tool half."""
    return ParserEngineConfig(
        name=name,
        terminals={
            "TOOL_START": terminal(_ACTION[0]),
            "TOOL_END": terminal(_ACTION[1]),
            **_answer_terminals(wrappers),
        },
        tokens=_tokens(wrappers),
        rows=(*_TOOL_ROWS, *_ANSWER_ROWS),
        bodies={S.TOOL_ARGS: Body("calls", _KEYS, shape="either")},
        turn_boundaries=_TURNS,
        special=_TURNS,
        content_trim=_CONTENT_TRIM,
    )


def _tokens(wrappers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Both halves know all marker tokens, so that those of a half that is not in use stay visible."""
    return (*_THINK, *_ACTION, *(text for pair in wrappers for text in pair))


cohere_command3 = _thinking("cohere_command3", S.CONTENT, _RESPONSE)
cohere_command3_tools = _actions("cohere_command3", _RESPONSE)
cohere_command4 = _thinking("cohere_command4", S.REASONING, _RESPONSE, _TEXT)
cohere_command4_tools = _actions("cohere_command4", _RESPONSE, _TEXT)
