"""Regions that are committed as a whole: k2-horizon.md, INDEX-1 feature 8 (on_group_close)."""

import pytest

from parsers.engine.events import INCOMPLETE, EventType, SemanticEvent
from parsers.engine.gate import CommitGate

E = EventType


def call(gate, name, end=""):
    for kind, value in ((E.TOOL_CALL_START, ""), (E.TOOL_NAME, name), (E.TOOL_CALL_END, end)):
        gate.note("#", 0, 1)
        gate.add(SemanticEvent(kind, value, 0, 0, 1, ""))


def region(*calls, policy="incremental", cut_off=False):
    """(kind, value) of what a region of calls becomes."""
    gate = CommitGate(policy, "text", {"f", "g"}.__contains__, whole_regions=True)
    gate.open_region()
    for name, end in calls:
        call(gate, name, end)
    assert gate.take() == []
    gate.close_region("over", cut_off)
    return [(event.type, event.value) for event in gate.take()]


@pytest.mark.parametrize("policy", ["incremental", "on_close"])
def test_all_calls_show_when_the_region_closes(policy):
    shown = region(("f", ""), ("g", ""), policy=policy)
    assert [value for kind, value in shown if kind is E.TOOL_NAME] == ["f", "g"]


@pytest.mark.parametrize(
    "bad", [("nope", ""), ("f", INCOMPLETE)], ids=["a function the request does not have", "an incomplete call"]
)
@pytest.mark.parametrize("first", [True, False])
def test_one_call_that_is_not_right_makes_all_of_it_text(bad, first):
    calls = [bad, ("f", "")] if first else [("f", ""), bad]
    assert region(*calls) == [(E.TEXT_CHUNK, "######")]


def test_a_region_the_stream_cuts_off_shows_nothing():
    assert {kind for kind, _ in region(("f", ""), ("g", INCOMPLETE), cut_off=True)} == {E.DROPPED}


def test_a_bad_region_spoils_no_other():
    gate = CommitGate("incremental", "text", {"f"}.__contains__, whole_regions=True)
    for name in ("nope", "f"):
        gate.open_region()
        call(gate, name)
        gate.close_region("over")
    assert [event.type for event in gate.take()] == [E.TEXT_CHUNK, E.TOOL_CALL_START, E.TOOL_NAME, E.TOOL_CALL_END]
