"""What was served, as the browser gets it (card P-38, P-44, S-70)."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from parsers.debug.asked import RequestSettings
from parsers.debug.packserved import serving_json
from parsers.debug.session import record
from tests.debug.runs import JSON, RUNS, XML

FORCED = replace(JSON, request=RequestSettings(tool_choice="required", include_usage=True))
HIDDEN = replace(JSON, request=RequestSettings(include_reasoning=False))


def packed(settings):
    return json.loads(json.dumps(serving_json(record(settings).served)))


@pytest.mark.parametrize("settings", [*RUNS.values(), FORCED, HIDDEN])
def test_every_line_is_an_event_and_belongs_to_one_place(settings):
    trace = record(settings)
    part = serving_json(trace.served)
    first = part["line_of"]
    assert len(first) == len(trace.records) + 1
    assert first == sorted(first)
    assert 0 < first[0] <= first[-1] < len(part["lines"])
    assert all(line.startswith("data: ") and "\n" not in line for line in part["lines"])
    sent = [end > start for start, end in pairwise(first)]
    assert sent == [client is not None for client in trace.clients]


def test_the_keys_are_the_ones_the_stepper_reads():
    part = packed(FORCED)
    assert {name: set(value) for name, value in part.items() if isinstance(value, dict)} == {
        "usage": {
            "prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens", "reasoning_generated_only",
        },
        "audit": {"hidden", "checked", "leaks", "unreadable", "never_hidden"},
        "timeline": {"freedom", "why", "sentences", "start"},
        "prepared": {"steps", "warnings", "constraint"},
    }  # fmt: skip
    assert set(part) - {"usage", "audit", "timeline", "prepared"} == {"lines", "line_of"}


def test_s70_the_timeline_has_one_entry_a_token_and_each_sentence_once():
    trace, part = record(FORCED), packed(FORCED)["timeline"]
    assert len(part["freedom"]) == len(part["why"]) == len(trace.tokens.texts)
    assert (part["freedom"][0], part["freedom"][-1]) == (0, 2)
    assert part["freedom"].index(2) == part["start"]
    assert len({tuple(entry.values()) for entry in part["sentences"]}) == len(part["sentences"])
    assert set(part["why"]) == set(range(len(part["sentences"])))


def test_s70_without_a_constraint_there_is_no_timeline():
    part = packed(XML)
    assert part["timeline"] is None
    assert part["prepared"]["constraint"] is None
    assert part["prepared"]["steps"]


def test_p44_the_audit_says_what_was_checked_and_what_is_never_hidden():
    shown, hidden = packed(JSON)["audit"], packed(HIDDEN)["audit"]
    assert (shown["hidden"], hidden["hidden"]) == (False, True)
    assert {"content", "logprobs.token", "token_ids"} <= set(hidden["checked"])
    assert "usage" in hidden["never_hidden"]
    assert hidden["leaks"] == []
