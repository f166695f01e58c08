"""The table of rules: every rule is tested or says why not, and the page shows it."""

import re
from functools import cache

import pytest

from tests import rules

SPECIFICATION = rules.ROOT.parent / "shared" / "spec"
CARDS = {"P": "01-protocol.md", "L": "03-legacy-contracts.md", "D": "04-delegating.md", "S": "05-structured.md"}
CHAPTERS = rules.chapters()
TESTED = cache(rules.covered)

EXAMPLE = '''
"""Names P-01."""

# P-02: a reason.
# P-03
@pytest.mark.parametrize("a", [pytest.param("P-99", id="p05-null"), 1], ids=["s10-x", "other"])
def test_p04_d3a_names(a):
    """P-20 … P-22 hold."""
    b = "P-98"  # D-10
    # P-06 stands here
    return b
# P-97 stands behind it

def test_nothing():
    pass

def helper():
    """P-96."""
'''


def test_a_test_names_rules_in_its_name_parameters_docstring_and_comments():
    found = rules.named_by(EXAMPLE)
    named = {"P-02", "P-03", "P-04", "D-3A", "P-05", "S-10", "P-20", "P-21", "P-22", "D-10", "P-06"}
    assert found == {"test_p04_d3a_names": named, "test_nothing": set()}


@pytest.mark.parametrize("letter", CHAPTERS)
def test_every_rule_has_a_test_or_a_reason(letter):
    chapter = CHAPTERS[letter]
    assert [rule for rule in chapter.rules if rule not in TESTED() and rule not in chapter.untested] == []


@pytest.mark.parametrize("letter", CHAPTERS)
def test_a_reason_is_only_given_for_a_rule_without_a_test(letter):
    chapter = CHAPTERS[letter]
    assert chapter.untested.keys() <= chapter.rules.keys()
    assert chapter.untested.keys() & TESTED().keys() == set()


def test_tests_name_only_rules_that_exist():
    known = {rule for chapter in CHAPTERS.values() for rule in chapter.rules}
    assert {rule: tests for rule, tests in TESTED().items() if rule not in known} == {}


@pytest.mark.parametrize("letter", CHAPTERS)
def test_rules_stand_in_order_under_their_letter(letter):
    listed = list(CHAPTERS[letter].rules)
    assert listed == sorted(listed)
    assert all(rule.startswith(f"{letter}-") for rule in listed)


def test_the_page_is_up_to_date():
    found = rules.page(CHAPTERS, TESTED())
    assert rules.PAGE.read_text(encoding="utf-8") == found, f"write it again: {rules.COMMAND}"


@pytest.mark.skipif(not SPECIFICATION.is_dir(), reason="the cards are not beside the project")
@pytest.mark.parametrize("letter", CARDS)
def test_no_rule_of_a_card_is_missing(letter):
    card = (SPECIFICATION / CARDS[letter]).read_text(encoding="utf-8")
    assert set(re.findall(rf"\b{letter}-\d[0-9A]\b", card)) <= CHAPTERS[letter].rules.keys()
