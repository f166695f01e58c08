"""Both compositions over all samples: the same answer, or a rule that says why not.

Card 03 (L-14 … L-49), card 04 (D-10 … D-40), card 07 (F-04, F-14); the rules stand in `differences`.
"""

import pytest

from parsers.debug.feed import open_case
from parsers.files.sample import samples
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from tests.compose.differences import (
    COMMAND,
    PAGE,
    RULES,
    all_differences,
    answer,
    differences,
    folders,
    is_engine_pair,
    page,
    parser_of,
    reasons,
)

NEVER_WRITTEN = "☃"  # a stop string of these holds text back and never ends it
LATE = [name for name, case in samples().items() if is_engine_pair(case)][::9]
each_folder = pytest.mark.parametrize("folder", folders())


@each_folder
def test_each_field_that_differs_has_one_rule_that_explains_it(folder):
    for found in differences(folder):
        why = {part: [rule.name for rule in rules] for part, rules in reasons(found).items()}
        assert all(len(names) == 1 for names in why.values()), (found, why)


@each_folder
def test_two_engine_parsers_give_the_answer_of_one_table(folder):
    assert [found for found in differences(folder) if is_engine_pair(found.case)] == []


@pytest.mark.parametrize("name", LATE)
def test_nor_do_they_differ_when_text_is_late_or_the_places_of_tokens_are_unknown(name):
    case = samples()[name]
    feed = open_case(case)
    for lag in (0, 3, 7):
        stop = (NEVER_WRITTEN * lag,) if lag else ()
        stream = simulate(feed.tokenizer, feed.stream.ids, StreamOptions(stop=stop))
        for strategy in ("one", "token", "rand:2:4"):
            deltas = cut(stream, strategy, feed.alone)
            for places in (True, False):
                unified, delegating = (
                    answer(parser_of(case, feed, composition), deltas, places)
                    for composition in ("unified", "delegating")
                )
                assert unified == delegating, (lag, strategy, places)


def test_every_rule_explains_a_sample():
    used = {rule for found in all_differences() for rules in reasons(found).values() for rule in rules}
    assert [rule.name for rule in RULES if rule not in used] == []


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(all_differences()), f"Write it again: {COMMAND}"
