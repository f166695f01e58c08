"""Every sample has one answer, however its output arrives."""

from collections import Counter

import pytest

from parsers.debug.feed import open_case
from parsers.debug.replay import ReplayOptions, run_case
from parsers.debug.sweep import sweep
from parsers.files.sample import samples
from parsers.registry import build_parser
from parsers.tokens.chunks import cut

STRATEGIES = ("one", "token", "special", *(f"rand:{seed}:8" for seed in range(1, 6)))
SAMPLES = samples()
SWEPT = list(SAMPLES)[::3]  # every cut takes a while, and names of one format have like samples


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


def parser_of(case, tokenizer):
    return build_parser(
        case.reasoning_parser,
        case.tool_parser,
        tokenizer,
        tools=case.tools,
        generation_prompt=case.generation_prompt,
        template_kwargs=case.chat_request().chat_template_kwargs,
    )


@pytest.mark.parametrize("case_id", SAMPLES)
def test_a_sample_has_its_expected_answer_however_it_arrives(case_id):
    case = SAMPLES[case_id]
    feed = open_case(case)
    check_all_agree(case, feed, [*STRATEGIES, *(["char:0"] if told_apart_by_text(feed) else [])])
    check_all_agree(case, feed, ("one", "token", "rand:1:4"), "on_close")
    whole, _ = answer(case, feed, "whole")
    assert not whole.differences
    assert all(call.complete for call in whole.tool_calls)


@pytest.mark.parametrize("case_id", SWEPT)
def test_no_cut_between_two_tokens_changes_a_sample(case_id):
    case = SAMPLES[case_id]
    feed = open_case(case)
    assert sweep(parser_of(case, feed.tokenizer), cut(feed.stream, "token")).bad == ()


@pytest.mark.parametrize("case_id", SWEPT)
def test_no_cut_between_two_characters_changes_a_sample(case_id):
    case = SAMPLES[case_id]
    assert sweep(parser_of(case, None), cut(open_case(case).stream, "char:0")).bad == ()


def test_every_sample_has_a_short_title_for_the_example_picker():
    titles = {case_id: (case.model_extra or {}).get("title", "") for case_id, case in SAMPLES.items()}
    assert [case_id for case_id, title in titles.items() if not title and not case_id.startswith("tour/")] == []
    assert [title for title in titles.values() if title != title.strip() or "\n" in title or len(title) > 80] == []
