"""Llama's JSON calls: objects that stand bare at the start of the answer, or behind `<|python_tag|>`.

    turn   = [ [ text ] "<|python_tag|>" ] OBJECT { [ ";" ] ws OBJECT } [ text ] | text
    OBJECT = {"name": STRING, "parameters": OBJECT}         keys in any order, "arguments" accepted, others ignored

Nothing closes a call but its own brace. An object at the start is held until its name and an arguments key were read;
one without them is an answer in JSON and comes back unchanged. In the middle of prose only the tag opens a call, so a
quoted example stays text. pythonic.py is the same model family with calls in Python.

Source: llama-json.md.
"""

from __future__ import annotations

from parsers.args.json_calls import CallKeys
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
)  # fmt: skip
from parsers.formats.base import S, terminal

_TAG = "<|python_tag|>"
_LLAMA3_TURNS = ("<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>")
_LLAMA4_TURNS = ("<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>")


def bare_objects(name: str, turns: tuple[str, ...]) -> ParserEngineConfig:
    """The format for a pair of turn tokens."""
    return ParserEngineConfig(
        name=name,
        terminals={
            "TOOL_START": terminal(_TAG),
            "OBJECT": terminal("{"),
            "NEXT_CALL": terminal(";", followed_by=("{",)),
        },
        tokens=(_TAG,),
        rows=(
            Row(S.START, "OBJECT", S.TOOL_ARGS, (FEED,)),
            Row(S.START, OTHER, S.CONTENT),
            Row(S.CONTENT, "TOOL_START", S.TOOL_ARGS),
            Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN),
            Row(S.TOOL_ARGS, BODY_BAD, S.CONTENT, (GIVE_BACK,), '`{"answer": 42}`: JSON that is no call', True),
            Row(S.TOOL_BETWEEN, "NEXT_CALL", S.TOOL_BETWEEN),
            Row(S.TOOL_BETWEEN, "OBJECT", S.TOOL_ARGS, (FEED, SETTLE)),
            Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_ARGS, (SETTLE,)),
            Row(S.TOOL_BETWEEN, OTHER, S.CONTENT),
        ),
        bodies={S.TOOL_ARGS: Body("calls", CallKeys(arguments_required=True))},
        initial=S.START,
        content_trim=NO_BLANK,
        special=turns,
        turn_boundaries=turns,
    )


llama3_json = bare_objects("llama3_json", _LLAMA3_TURNS)
llama4_json = bare_objects("llama4_json", _LLAMA4_TURNS)
