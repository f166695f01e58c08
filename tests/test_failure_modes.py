"""Card 07: every failure mode has one right answer, however its output arrives and however the parsers are composed.

A sample runs over all groupings of its tokens, of which none has more than nine, at five lags.
"""

import re

import pytest

from parsers.files.case import Expected
from tests import test_failure_modes_direct as direct
from tests.failure_modes import COMPOSITIONS, SAMPLES, Opened, Served, is_answer, without_ids, without_places

MODES = {f"F-{number:02}" for number in (*range(1, 25), *range(30, 50))}
PANELS = {
    *("TIMELINE", "TOKENS", "LEXER", "STATE", "ARGS", "DELTA"),
    *("PROTOCOL", "CHUNKS", "COMPARE", "LEAK", "CONFIG", "COST"),
}

OPENED = {
    f"{name}-{composition}": Opened(case, composition) for composition in COMPOSITIONS for name, case in SAMPLES.items()
}


def each_sample(wanted=lambda opened: True, classic=False):
    chosen = {name: opened for name, opened in OPENED.items() if wanted(opened) and opened.differs is classic}
    return pytest.mark.parametrize("opened", chosen.values(), ids=chosen)


@each_sample()
def test_every_grouping_and_lag_gives_the_one_answer(opened):
    found = {}
    for label, deltas, reason in opened.groupings():
        found.setdefault(Served(opened, deltas, reason).outcome(counted=True), label)
    assert len(found) == 1, found
    (outcome,) = found
    assert is_answer(outcome, opened.case.expected), outcome
    assert [list(call) for call in outcome.cut_calls] == (opened.extra("cut_calls") or [])
    assert opened.extra("reasoning_tokens") in (None, outcome.reasoning_tokens)


@each_sample(lambda opened: opened.has_ids)
def test_the_answer_is_the_same_where_the_places_of_tokens_are_unknown(opened):
    for label, deltas, reason in opened.groupings(lags=(0, 7, 40)):
        outcome = Served(opened, without_places(deltas), reason).outcome(counted=True)
        assert is_answer(outcome, opened.case.expected), (label, outcome)
        assert opened.extra("reasoning_tokens") in (None, outcome.reasoning_tokens), label


@each_sample()
def test_a_request_that_does_not_stream_gets_the_streamed_fields(opened):
    outcome = opened.whole()
    assert is_answer(outcome, opened.case.expected), outcome
    _, deltas, reason = next(opened.groupings())
    streamed = Served(opened, deltas, reason).outcome(counted=False)
    assert (outcome.reasoning, outcome.content) == (streamed.reasoning, streamed.content)


@each_sample(classic=True)
def test_classic_parsers_differ_as_their_rules_say(opened):
    answers = [Expected.model_validate(answer) for answer in opened.extra("classic")["answers"]]
    outcomes = {Served(opened, deltas, reason).outcome(counted=False) for _, deltas, reason in opened.groupings()}
    framed = Served(opened, opened.frames(), opened.case.engine_finish_reason).outcome(counted=False)
    outcomes |= {opened.whole(), framed} if opened.extra("frames") else {opened.whole()}
    assert all(any(is_answer(outcome, answer) for answer in answers) for outcome in outcomes), outcomes
    assert all(any(is_answer(outcome, answer) for outcome in outcomes) for answer in answers), outcomes


@each_sample(lambda opened: opened.extra("deltas"))
def test_each_frame_gives_what_it_should_in_time(opened):
    served = Served(opened, opened.frames(), opened.case.engine_finish_reason)
    assert [chunk and without_ids(chunk.delta.as_json()) for chunk in served.chunks] == opened.extra("deltas")
    assert is_answer(served.outcome(counted=False), opened.case.expected)
    assert opened.extra("reasoning_tokens") in (None, served.parser.reasoning_tokens)


@each_sample(lambda opened: opened.extra("call_ids"))
def test_f44_call_ids_go_on_where_the_conversation_left_off(opened):
    for _, deltas, reason in opened.groupings():
        calls = Served(opened, deltas, reason).received.calls
        assert [call.id for call in calls] == opened.extra("call_ids")


def test_every_mode_has_a_sample_or_a_direct_test():
    tested = {f"F-{found[1]}" for name in vars(direct) if (found := re.match(r"test_f(\d\d)_", name))}
    sampled = {opened.extra("mode") for opened in OPENED.values()}
    assert tested | sampled == MODES


@each_sample(lambda opened: opened.composition == "unified")
def test_every_sample_says_which_mode_it_shows_what_is_right_and_where_to_look(opened):
    assert opened.case.id.startswith(f"failures/{opened.extra('mode')}-")
    assert all(opened.extra(name).endswith(".") for name in ("trap", "right"))
    rules = [*opened.extra("rules"), *(opened.extra("classic") or {"rules": []})["rules"]]
    assert all(re.fullmatch(r"[PELDTS]-\d\d", rule) for rule in rules)
    assert opened.extra("panels")
    assert set(opened.extra("panels")) <= PANELS
