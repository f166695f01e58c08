"""When a call becomes visible: T-FIX, E-84, E-85; a region can be text after all."""

import pytest

from parsers.engine.events import CALL_ID, INCOMPLETE, EventType, SemanticEvent
from parsers.engine.gate import CommitGate

E = EventType


class Region:
    """A gate inside a region, and events with one raw character each."""

    def __init__(self, policy="incremental", unknown="keep", known=("f",)):
        self.gate = CommitGate(policy, unknown, known.__contains__)
        self.at = 0
        self.gate.open_region()

    def add(self, kind, value="", rule="", width=1):
        event = SemanticEvent(kind, value, 0, self.at, self.at + width, rule)
        self.gate.note("#" * width, event.start, event.end)
        self.at += width
        self.gate.add(event)

    def call(self, name="f", arguments="{}", end=""):
        self.add(E.TOOL_CALL_START)
        self.add(E.TOOL_NAME, name)
        self.add(E.ARG_VALUE_CHUNK, arguments)
        self.add(E.TOOL_CALL_END, end)

    def kinds(self):
        return [event.type for event in self.gate.take()]


CALL = [E.TOOL_CALL_START, E.TOOL_NAME, E.ARG_VALUE_CHUNK, E.TOOL_CALL_END]


def test_outside_a_region_events_pass():
    region = Region()
    region.gate.close_region("over")
    region.add(E.TEXT_CHUNK, "a")
    assert region.kinds() == [E.TEXT_CHUNK]


def test_e84_incremental_shows_a_call_when_its_name_is_complete():
    region = Region()
    region.add(E.TOOL_CALL_START)
    assert region.kinds() == []
    region.add(E.TOOL_NAME, "f")
    assert region.kinds() == [E.TOOL_CALL_START, E.TOOL_NAME]
    region.add(E.ARG_VALUE_CHUNK, "{")
    assert region.kinds() == [E.ARG_VALUE_CHUNK]


def test_an_id_alone_is_no_name():
    region = Region()
    region.add(E.TOOL_NAME, "id7", rule=CALL_ID)
    assert region.kinds() == []


def test_on_close_shows_a_call_when_it_is_complete():
    region = Region("on_close")
    region.add(E.TOOL_CALL_START)
    region.add(E.TOOL_NAME, "f")
    region.add(E.ARG_VALUE_CHUNK, "{}")
    assert region.kinds() == []
    region.add(E.TOOL_CALL_END)
    assert region.kinds() == CALL


@pytest.mark.parametrize("policy", ["incremental", "on_close"])
def test_e85_a_call_without_a_name_shows_nothing_but_is_accounted(policy):
    region = Region(policy)
    region.add(E.MARKER, "<call>")
    region.add(E.TOOL_CALL_START)
    region.add(E.TOOL_CALL_END, INCOMPLETE)
    region.gate.close_region("over")
    events = region.gate.take()
    assert {event.type for event in events} == {E.MARKER, E.DROPPED}
    assert [(event.start, event.end) for event in events] == [(0, 1), (1, 2), (2, 3)]


def test_on_close_drops_an_incomplete_call_and_keeps_the_one_before():
    region = Region("on_close")
    region.call()
    region.call(end=INCOMPLETE)
    region.gate.close_region("over")
    assert region.kinds() == [*CALL, *[E.DROPPED] * 4]


@pytest.mark.parametrize("policy", ["incremental", "on_close"])
def test_a_region_without_a_shown_call_can_be_given_back_whole(policy):
    region = Region(policy)
    region.add(E.MARKER, "<call>", width=6)
    region.add(E.TOOL_CALL_START)
    assert region.gate.give_back("text after all")
    assert [(e.type, e.value, e.start, e.end) for e in region.gate.take()] == [(E.TEXT_CHUNK, "#######", 0, 7)]


def test_a_given_back_region_is_accounted_once_even_behind_a_broken_call():
    region = Region("on_close")
    region.call(end=INCOMPLETE)
    assert region.gate.give_back("text after all")
    region.gate.close_region("over")
    assert region.kinds() == [E.TEXT_CHUNK]


def test_a_region_that_showed_a_call_cannot_be_given_back():
    region = Region()
    region.call()
    assert not region.gate.give_back("text after all")
    assert region.kinds() == CALL


def test_an_empty_region_cannot_be_given_back():
    assert not Region().gate.give_back("text after all")


@pytest.mark.parametrize("policy", ["incremental", "on_close"])
@pytest.mark.parametrize(("unknown", "kinds"), [("keep", CALL), ("drop", [E.DROPPED] * 4), ("text", [E.TEXT_CHUNK])])
def test_e84_a_call_of_an_unknown_function(policy, unknown, kinds):
    region = Region(policy, unknown)
    region.call("nobody")
    region.gate.close_region("over")
    assert region.kinds() == kinds


@pytest.mark.parametrize("unknown", ["drop", "text"])
def test_an_unknown_call_does_not_spoil_the_next_one(unknown):
    region = Region("incremental", unknown)
    region.call("nobody")
    region.call("f")
    assert [kind for kind in region.kinds() if kind in CALL] == CALL
