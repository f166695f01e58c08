"""Regions that turn out to be calls or text only later: first-text markers, waiting rows, settled regions, bad bodies.

INDEX-2 features 12 (START and PENDING) and 11; mistral.md (held tool marker), json-lists.md (one rule for bad bodies).
"""

import pytest

from parsers.args.json_calls import CallKeys
from parsers.args.schema import ParameterTypes
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    FEED,
    GIVE_BACK,
    NEVER,
    OTHER,
    SETTLE,
    SOURCES,
    WORD,
    Body,
    ParserEngineConfig,
    Row,
    Terminal,
)
from parsers.engine.events import EventType
from parsers.engine.stream import StreamingParserEngine

CALL = '{"name": "f", "arguments": {}}'
ANCHORED = ParserEngineConfig(
    name="anchored",
    terminals={"OBJECT": Terminal(("{",)), "LIST": Terminal(("[",))},
    rows=(
        Row("START", "OBJECT", "TOOL_ARGS", (FEED,)),
        Row("START", "LIST", "TOOL_ARGS", (FEED,)),
        Row("START", OTHER, "CONTENT"),
        Row("TOOL_ARGS", BODY_END, "TOOL_BETWEEN"),
        Row("TOOL_ARGS", BODY_BAD, "CONTENT", (GIVE_BACK,)),
        Row("TOOL_BETWEEN", "OBJECT", "TOOL_ARGS", (FEED, SETTLE)),
        Row("TOOL_BETWEEN", OTHER, "CONTENT"),
    ),
    bodies={"TOOL_ARGS": Body("calls", CallKeys(arguments_required=True), "either")},
    initial="START",
)
WAITING = ParserEngineConfig(
    name="waiting",
    terminals={"CALL": Terminal(("<c>",)), "END": Terminal(("</t>",))},
    rows=(
        Row("REASONING", "END", "CONTENT", ("REASONING_END",)),
        Row("REASONING", "CALL", "CONTENT", ("REASONING_END",), "`thinking<c>`", True, "END"),
    ),
    initial="REASONING",
)


def marker_only(**terminal):
    """A format whose only marker vanishes from content."""
    return ParserEngineConfig(
        name="marker", terminals={"M": Terminal(**terminal)}, rows=(Row("CONTENT", "M", "CONTENT"),)
    )


def read(config, *deltas):
    """(text of the reasoning, text of the content, names of the calls) of a stream of bare text."""
    engine = StreamingParserEngine(
        config, Alphabet(config, {}), str, config.initial, lambda name: ParameterTypes(None), lambda name: True
    )
    events = [event for delta in deltas for event in engine.feed(delta)] + engine.finish()
    reasoning, content, names = (
        [event.value for event in events if event.type is kind]
        for kind in (EventType.REASONING_CHUNK, EventType.TEXT_CHUNK, EventType.TOOL_NAME)
    )
    return "".join(reasoning), "".join(content), names


def read_everywhere(config, text):
    """The same for every two-way cut, and for single characters."""
    answers = [read(config, text[:at], text[at:]) for at in range(len(text))] + [read(config, *text)]
    assert all(answer == answers[0] for answer in answers), answers
    return answers[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(CALL, ("", "", ["f"]), id="a call as the first text"),
        pytest.param(f" \n{CALL}", ("", " \n", ["f"]), id="white space in front is text"),
        pytest.param(f"so {CALL}", ("", f"so {CALL}", []), id="later the marker is text"),
        pytest.param('{"a": 1} is a dict', ("", '{"a": 1} is a dict', []), id="pending text comes back"),
        pytest.param('{"a": [', ("", '{"a": [', []), id="pending text comes back at the end"),
        pytest.param("[1, 2] are two", ("", "[1, 2] are two", []), id="a list without a call"),
        pytest.param("[]", ("", "[]", []), id="an empty list"),
        pytest.param(f"{CALL}\n{CALL} x", ("", " x", ["f", "f"]), id="a settled region and another call"),
        pytest.param(f'{CALL} {{"b": 2}}', ("", '{"b": 2}', ["f"]), id="a settled region and another object"),
        pytest.param(f'{CALL} {{"b": ', ("", "", ["f"]), id="a cut object behind a call is no text"),
    ],
)
def test_a_region_without_a_marker_is_text_until_it_shows_a_call(text, expected):
    assert read_everywhere(ANCHORED, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a<c>b</t>c", ("a<c>b", "c", []), id="a closer follows: the marker is text"),
        pytest.param("a<c>b<c>d</t>c", ("a<c>b<c>d", "c", []), id="two markers before one closer"),
        pytest.param("a<c>b</t", ("a", "b</t", []), id="no closer: the marker counts"),
        pytest.param("a<c>", ("a", "", []), id="nothing follows"),
    ],
)
def test_a_row_may_wait_for_what_must_not_follow(text, expected):
    assert read_everywhere(WAITING, text) == expected


def test_what_waits_is_searched_once_per_character():
    engine = StreamingParserEngine(
        WAITING, Alphabet(WAITING, {}), str, "REASONING", lambda name: ParameterTypes(None), lambda name: True
    )
    engine.feed("a<c>")
    for _ in range(100):
        engine.feed("0123456789")
    assert engine.lexer.clear >= 900


@pytest.mark.parametrize(
    ("terminal", "text", "content"),
    [
        pytest.param({"spellings": ("go",), "followed_by": ("[",)}, "a go", "a ", id="the end may follow"),
        pytest.param(
            {"spellings": ("go",), "followed_by": ("[",), "or_end": False}, "a go", "a go", id="the end may not follow"
        ),
        pytest.param(
            {"spellings": (f"<b{WORD}",), "followed_by": (NEVER,)}, "a<b_cd", "a", id="only the end may follow"
        ),
        pytest.param(
            {"spellings": (f"<b{WORD}",), "followed_by": (NEVER,)}, "a<b_cd>", "a<b_cd>", id="something else follows"
        ),
        pytest.param({"spellings": (f"</c:{SOURCES}>",)}, "a</c: 0:[1,2]>b", "ab", id="sources of a citation"),
        pytest.param({"spellings": (f"</c:{SOURCES}>",)}, "a</c: x>b", "a</c: x>b", id="not sources"),
    ],
)
def test_a_marker_with_a_guard_or_a_flexible_part(terminal, text, content):
    assert read_everywhere(marker_only(**terminal), text)[1] == content
