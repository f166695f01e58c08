"""Rows to events: E-50 to E-54, E-82, E-83, T-FIX; regions that are text after all."""

import pytest

from parsers.args.schema import ParameterTypes
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    GIVE_BACK,
    OTHER,
    Body,
    HeaderRule,
    ParserEngineConfig,
    ParserState,
    Row,
    Switch,
    Terminal,
)
from parsers.engine.events import INCOMPLETE, EventType
from parsers.engine.lint import lint
from parsers.engine.stream import StreamingParserEngine

S, E = ParserState, EventType
START, END, RESUME, STOP = E.TOOL_CALL_START, E.TOOL_CALL_END, E.REASONING_START, E.REASONING_END


def table(*rows, spellings=None, **fields):
    """A table whose terminals are spelled by their names in angle brackets."""
    names = {row.terminal for row in rows} - {OTHER, BODY_END, BODY_BAD}
    terminals = {name: Terminal(((spellings or {}).get(name, f"<{name}>"),)) for name in sorted(names)}
    return ParserEngineConfig(name="toy", terminals=terminals, rows=rows, **fields)


def run(config, text, call_commit="incremental", start=None, schema=None):
    """All events of a text-only stream."""
    engine = StreamingParserEngine(
        config,
        Alphabet(config, {}),
        lambda token_id: "",
        start or config.initial,
        lambda name: ParameterTypes(schema),
        lambda name: True,
        call_commit,
    )
    events = [*engine.feed(text), *engine.finish()]
    assert engine.finish() == [], "E-83: the second end adds nothing"
    spans = sorted((event.start, event.end) for event in events if event.end > event.start)
    assert [first for first, _ in spans] == [0, *(last for _, last in spans)][: len(spans)], "every character once"
    assert spans[-1][1] == len(text)
    return events


def told(events):
    """Events of the fields as (kind, value)."""
    return [(event.type, event.value) for event in events if event.type not in (E.MARKER, E.DROPPED)]


# --- states and text --------------------------------------------------------------------------------------------------

THINK = table(
    Row(S.REASONING, "end", S.CONTENT, (STOP,)),
    Row(S.CONTENT, "end", S.CONTENT),
    Row(S.REASONING, "call", S.TOOL_NAME, (STOP, START)),
    Row(S.CONTENT, "call", S.TOOL_NAME, (START,)),
    Row(S.TOOL_NAME, "done", S.CONTENT, (END,)),
    initial=S.REASONING,
    switch=Switch(),
)


def test_e51_a_marker_without_a_row_is_text_of_the_state():
    assert told(run(THINK, "a<done>b<end>c")) == [(E.REASONING_CHUNK, "a<done>b"), (STOP, ""), (E.TEXT_CHUNK, "c")]


def test_e51_a_row_without_events_absorbs_its_marker():
    assert told(run(THINK, "a<end>b<end>c"))[2:] == [(E.TEXT_CHUNK, "b"), (E.TEXT_CHUNK, "c")]


def test_e54_a_call_ends_reasoning():
    expected = [
        (E.REASONING_CHUNK, "a"),
        (STOP, ""),
        (START, ""),
        (E.TOOL_NAME, "f"),
        (E.ARG_VALUE_CHUNK, "{}"),
        (END, ""),
    ]
    assert told(run(THINK, "a<call>f<done>")) == expected


def test_e82_the_end_closes_reasoning():
    assert told(run(THINK, "a")) == [(E.REASONING_CHUNK, "a"), (STOP, "")]


@pytest.mark.parametrize("text", ["b<call>", "b<call>f", "b<call><done>"])
def test_e85_a_call_without_a_whole_name_is_no_call_and_leaks_nothing(text):
    assert told(run(THINK, text, start=S.CONTENT)) == [(E.TEXT_CHUNK, "b")]


def test_e06_the_tables_of_these_tests_pass_lint():
    assert [lint(config) for config in (THINK, HEADERS, PARAMS, OBJECTS, BODY)] == [[]] * 5


# --- headers ----------------------------------------------------------------------------------------------------------

HEADERS = table(
    Row(S.MESSAGE_HEADER, "text", ""),
    Row(S.CONTENT, "next", S.MESSAGE_HEADER),
    Row(S.REASONING, "next", S.MESSAGE_HEADER, (STOP,)),
    Row(S.TOOL_ARGS, "next", S.MESSAGE_HEADER, (END,)),
    initial=S.MESSAGE_HEADER,
    headers=(
        HeaderRule("analysis", S.REASONING),
        HeaderRule(r"to=(?P<name>\w+)", S.TOOL_ARGS, (START,)),
        HeaderRule(".*", S.CONTENT),
    ),
    bodies={S.TOOL_ARGS: Body("json")},
    switch=Switch(),
)


def test_e53_a_header_decides_what_follows_and_is_not_text():
    events = told(run(HEADERS, "analysis<text>a<next>final<text>b<next>to=f<text>{}<next>"))
    assert events == [
        (E.REASONING_CHUNK, "a"), (STOP, ""), (E.TEXT_CHUNK, "b"), (START, ""), (E.TOOL_NAME, "f"),
        (E.ARG_VALUE_CHUNK, "{"), (E.ARG_VALUE_CHUNK, "}"), (END, ""),
    ]  # fmt: skip


def test_t_fix_a_call_that_the_end_cuts_off_is_incomplete():
    assert told(run(HEADERS, 'to=f<text>{"a": '))[-1] == (END, INCOMPLETE)
    assert told(run(HEADERS, 'to=f<text>{"a": ', "on_close")) == []


# --- parameters -------------------------------------------------------------------------------------------------------

PARAMS = table(
    Row(S.CONTENT, "call", S.TOOL_NAME, (START,)),
    Row(S.TOOL_NAME, "args", S.TOOL_ARGS),
    Row(S.TOOL_ARGS, "key", S.ARG_KEY),
    Row(S.ARG_KEY, "value", S.ARG_VALUE),
    Row(S.ARG_KEY, "key", S.ARG_KEY, (), "`<key>a<key>`: a key without a value", True),
    Row(S.ARG_VALUE, "key", S.ARG_KEY),
    Row(S.ARG_VALUE, "done", S.CONTENT, (END,)),
    Row(S.TOOL_ARGS, "done", S.CONTENT, (END,)),
    Row(S.ARG_KEY, "done", S.CONTENT, (END,)),
)
NUMBER = {"properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<done>", "{}"),
        ("<key>a<value>x<done>", '{"a": "x"}'),
        ("<key>n<value>5<key>a<value><done>", '{"n": 5, "a": ""}'),
        ("<key>a<value>x<key>a<value>y<done>", '{"a": "x"}'),
        ("<key>b<key>a<value>x<done>", '{"a": "x"}'),
        ("<key>a<value>x<key>b<done>", '{"a": "x"}'),
    ],
    ids=["none", "one", "typed and empty", "repeated", "key without a value", "last key without a value"],
)
def test_parameters_become_an_object(text, arguments):
    events = told(run(PARAMS, f"<call>f<args>{text}", schema=NUMBER))
    assert "".join(value for kind, value in events if kind is E.ARG_VALUE_CHUNK) == arguments
    assert events[-1] == (END, "")


def test_c_stream_only_strings_go_out_before_their_end():
    sent = [
        value
        for kind, value in told(run(PARAMS, "<call>f<args><key>a<value>xy", schema=NUMBER))
        if kind is E.ARG_VALUE_CHUNK
    ]
    assert "".join(sent) == '{"a": "xy'
    sent = [
        value
        for kind, value in told(run(PARAMS, "<call>f<args><key>n<value>12", schema=NUMBER))
        if kind is E.ARG_VALUE_CHUNK
    ]
    assert "".join(sent) == '{"n": '


# --- bodies -----------------------------------------------------------------------------------------------------------

OBJECTS = table(
    Row(S.CONTENT, "open", S.TOOL_ARGS),
    Row(S.TOOL_ARGS, BODY_END, S.TOOL_BETWEEN),
    Row(S.TOOL_ARGS, BODY_BAD, S.CONTENT, (GIVE_BACK,)),
    Row(S.TOOL_BETWEEN, OTHER, S.CONTENT),
    bodies={S.TOOL_ARGS: Body("calls")},
)
BODY = table(
    Row(S.CONTENT, "call", S.TOOL_NAME, (START,)),
    Row(S.TOOL_NAME, "args", S.TOOL_ARGS),
    Row(S.TOOL_ARGS, "done", S.CONTENT, (END,)),
    bodies={S.TOOL_ARGS: Body("json")},
)


def test_e05_text_behind_a_call_without_a_closer_is_content():
    assert told(run(OBJECTS, '<open>{"name": "f"} z'))[-1] == (E.TEXT_CHUNK, " z")


def test_a_region_that_is_no_call_is_text():
    assert "".join(value for _, value in told(run(OBJECTS, "a<open>{x} b"))) == "a<open>{x} b"


def test_e68_the_text_behind_the_name_is_all_of_the_arguments():
    assert told(run(BODY, '<call>f<args>{"a":1}<done>')) == [
        (START, ""), (E.TOOL_NAME, "f"), (E.ARG_VALUE_CHUNK, '{"a":1'), (E.ARG_VALUE_CHUNK, "}"), (END, ""),
    ]  # fmt: skip


def test_a_marker_inside_a_json_string_is_data():
    events = told(run(BODY, '<call>f<args>{"a":"<done>"}<done>z'))
    assert "".join(value for kind, value in events if kind is E.ARG_VALUE_CHUNK) == '{"a":"<done>"}'
    assert events[-2:] == [(END, ""), (E.TEXT_CHUNK, "z")]


def test_f05_a_broken_body_is_an_incomplete_call():
    assert told(run(BODY, '<call>f<args>{"a":1},"x":1}<done>'))[-1] == (END, INCOMPLETE)
