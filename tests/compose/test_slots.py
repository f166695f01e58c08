"""Events to deltas: E-84 to E-88, W-* and R-STRIP (common-1.md), P-54."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.compose.slots import FieldEdge, Slots
from parsers.engine.config import KEEP, NO_BLANK, STRIP, STRIP_END, STRIP_NEWLINES, Trim
from parsers.engine.events import CALL_ID, INCOMPLETE, EventType, SemanticEvent
from parsers.protocol import Accumulator

E = EventType
DROP_BLANK = Trim(blank="drop_before_call")


def slots(content=KEEP, reasoning=KEEP):
    return Slots(content, reasoning, lambda name, index: f"{name}-{index}", reasoning_ended=False)


def event(kind, value="", rule=""):
    return SemanticEvent(kind, value, 0, 0, len(value), rule)


def content(text):
    return event(E.TEXT_CHUNK, text)


def thought(text):
    return event(E.REASONING_CHUNK, text)


def call(name="f", arguments="{}"):
    return [
        event(E.TOOL_CALL_START),
        event(E.TOOL_NAME, name),
        event(E.ARG_VALUE_CHUNK, arguments),
        event(E.TOOL_CALL_END),
    ]


def client(filler, *steps):
    """What a client has after these steps; a step is the events of one delta, the last one final."""
    received = Accumulator()
    for number, step in enumerate(steps):
        received.add(filler.convert(step, final=number == len(steps) - 1))
    return received


# --- calls ------------------------------------------------------------------------------------------------------------


def test_e84_the_name_comes_alone_and_before_its_arguments():
    filler = slots()
    assert filler.convert([event(E.TOOL_CALL_START)]) is None
    [first] = filler.convert([event(E.TOOL_NAME, "f")]).tool_calls
    assert (first.index, first.id, first.type, first.function.name) == (0, "f-0", "function", "f")
    assert first.function.arguments is None
    [more] = filler.convert([event(E.ARG_VALUE_CHUNK, "{")]).tool_calls
    assert (more.index, more.id, more.function.name, more.function.arguments) == (0, None, None, "{")


def test_p54_indexes_rise_with_what_is_announced():
    received = client(slots(), [event(E.TOOL_CALL_START)], [*call("f"), *call("g")], [])
    assert [(c.index, c.name, c.arguments) for c in received.calls] == [(0, "f", "{}"), (1, "g", "{}")]


def test_an_id_the_model_wrote_is_used_for_its_call_only():
    steps = [event(E.TOOL_CALL_START), event(E.TOOL_NAME, "id7", CALL_ID), *call("f")[1:], *call("g")]
    assert [c.id for c in client(slots(), steps, []).calls] == ["id7", "g-1"]


def test_a_call_is_complete_when_its_end_says_so():
    filler = slots()
    filler.convert([*call("f"), *call("g")[:-1], event(E.TOOL_CALL_END, INCOMPLETE)])
    assert [c.complete for c in filler.calls] == [True, False]


def test_e86_all_of_one_delta_is_in_one_delta():
    delta = slots().convert([thought("a"), event(E.REASONING_END), content("b"), *call("f")], final=True)
    assert (delta.reasoning, delta.content) == ("a", "b")
    assert [(c.function.name, c.function.arguments) for c in delta.tool_calls] == [("f", "{}")] or [
        (c.function.name, c.function.arguments) for c in delta.tool_calls
    ] == [("f", None), (None, "{}")]


@pytest.mark.parametrize("kind", [E.MARKER, E.DROPPED, E.TOOL_CALL_START, E.TOOL_CALL_END, E.REASONING_START])
def test_events_of_the_account_send_nothing(kind):
    assert slots().convert([event(kind, "x")]) is None


def test_e91_reasoning_has_ended_when_its_end_is_delivered():
    filler = slots()
    filler.convert([thought("a")])
    assert not filler.reasoning_ended
    filler.convert([event(E.REASONING_END)])
    assert filler.reasoning_ended


# --- white space ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trim", "texts", "expected"),
    [
        (KEEP, ["\n", " a ", "\n"], "\n a \n"),
        (STRIP, ["\n", " a", " ", "\nb ", "\n"], "a \nb"),
        (STRIP_NEWLINES, ["\n\n", " a ", "\n"], " a "),
        (STRIP_END, ["\n a", " ", "b", "  ", "\n"], "\n a b"),
        (NO_BLANK, [" ", "\n"], None),
        (NO_BLANK, [" ", "a "], " a "),
        (STRIP, [" ", "\n"], None),
        (KEEP, ["\n\n"], "\n\n"),
        (DROP_BLANK, ["\n"], "\n"),
    ],
)
def test_e87_e88_edges_of_a_field(trim, texts, expected):
    assert client(slots(content=trim), *([content(t)] for t in texts), []).content == expected
    assert client(slots(reasoning=trim), *([thought(t)] for t in texts), []).reasoning == expected


def test_e88_trailing_white_space_waits_for_more():
    filler = slots(reasoning=STRIP_END)
    assert filler.convert([thought("a ")]).reasoning == "a"
    assert filler.convert([thought("b")]).reasoning == " b"


def test_w_drop_blank_content_before_a_call_is_dropped():
    assert client(slots(content=DROP_BLANK), [content("\n\n")], call(), []).content is None
    assert client(slots(content=KEEP), [content("\n\n")], call(), []).content == "\n\n"


def test_w_drop_blank_content_behind_a_call_is_dropped():
    assert client(slots(content=DROP_BLANK), call(), [content("\n")], []).content is None


def test_w_after_text_around_calls_is_content_verbatim():
    received = client(slots(content=STRIP), [content("a\n")], call(), [content("\nb\n")], call(), [content("\n")], [])
    assert received.content == "a\n\nb"


def test_the_end_of_a_block_of_reasoning_is_an_edge():
    steps = [thought("a\n"), event(E.REASONING_END), event(E.REASONING_START), thought("\nb"), event(E.REASONING_END)]
    assert client(slots(reasoning=STRIP_NEWLINES), steps, []).reasoning == "ab"


TRIMS = st.builds(
    Trim,
    lead=st.sampled_from(["", "\n", " \n"]),
    trail=st.sampled_from(["", "\n", " \n"]),
    blank=st.sampled_from(["keep", "drop_before_call", "null"]),
)
WORDS = st.text(alphabet="a \n", max_size=8)


@given(TRIMS, WORDS, st.lists(st.integers(0, 8), max_size=4))
def test_edges_do_not_depend_on_the_cuts(trim, text, cuts):
    edges = [0, *sorted({min(cut, len(text)) for cut in cuts}), len(text)]
    steps = [[content(text[start:end])] for start, end in pairwise(edges) if end > start]
    assert client(slots(content=trim), *steps, []).content == client(slots(content=trim), [content(text)], []).content


@given(TRIMS, st.lists(WORDS.filter(bool), max_size=5))
def test_every_piece_is_sent_or_dropped_once(trim, texts):
    edge, at, seen = FieldEdge(trim), 0, []
    for text in texts:
        send, dropped = edge.feed((text, at, at + len(text)))
        seen += [*send, *([dropped] if dropped else [])]
        at += len(text)
    send, dropped = edge.end()
    spans = sorted((start, end) for _, start, end in [*seen, *send, *dropped])
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])][: len(spans)]
    assert (spans[-1][1] if spans else 0) == at
