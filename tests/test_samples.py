"""Every sample has one answer, however its output arrives."""

from collections import Counter

import pytest

from parsers.debug.feed import open_case
from parsers.debug.replay import ReplayOptions, run_case
from parsers.files.sample import samples

STRATEGIES = ("one", "token", "special", *(f"rand:{seed}:8" for seed in range(1, 6)))
SAMPLES = samples()


def answer(case, feed, strategy, call_commit="incremental"):
    result = run_case(case, feed, strategy, ReplayOptions(call_commit))
    calls = [(call.name, call.arguments, call.complete) for call in result.tool_calls]
    return result, (result.reasoning, result.content, calls, result.finish_reason)


def told_apart_by_text(feed):
    """The text alone shows the same markers as the ids: nothing spells one in ordinary tokens."""
    again = feed.tokenizer.encode(feed.stream.text)
    return Counter(i for i in again if i in feed.alone) == Counter(i for i in feed.stream.ids if i in feed.alone)


def check_all_agree(case, feed, strategies, call_commit="incremental"):
    answers = {}
    for strategy in strategies:
        result, got = answer(case, feed, strategy, call_commit)
        assert not result.differences, (strategy, result.differences)
        answers.setdefault(repr(got), strategy)
    assert len(answers) == 1, answers


@pytest.mark.parametrize("case_id", SAMPLES)
def test_a_sample_has_its_expected_answer_under_every_cut(case_id):
    case = SAMPLES[case_id]
    feed = open_case(case)
    two_way = [f"cuts:{position}" for position in range(1, len(feed.stream.ids))]
    check_all_agree(case, feed, [*STRATEGIES, *two_way, *(["char:0"] if told_apart_by_text(feed) else [])])


@pytest.mark.parametrize("case_id", SAMPLES)
def test_a_sample_has_its_expected_answer_when_calls_wait_for_their_end(case_id):
    case = SAMPLES[case_id]
    check_all_agree(case, open_case(case), ("one", "token", "rand:1:4"), "on_close")


@pytest.mark.parametrize("case_id", SAMPLES)
def test_a_sample_has_its_expected_answer_without_streaming(case_id):
    case = SAMPLES[case_id]
    result = run_case(case, open_case(case), "whole", ReplayOptions())
    assert not result.differences
    assert all(call.complete for call in result.tool_calls)


@pytest.mark.parametrize("case_id", SAMPLES)
def test_a_sample_has_a_title_for_the_example_picker(case_id):
    title = (SAMPLES[case_id].model_extra or {}).get("title", "")
    assert title or case_id.startswith("tour/")
    assert title == title.strip()
    assert "\n" not in title
    assert len(title) <= 80
