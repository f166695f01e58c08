"""The figures our parsers reach on the neutral suite, and the page that shows them."""

from functools import cache
from pathlib import Path

import pytest
from canitoolcall.fixtures import load_families, load_fixtures

from tests.conformance.report import DISPUTED, published, report
from tests.conformance.run import run_both
from tests.conformance.suite import TOKEN_TEXTS, Verdict, by_family, case_of, count, read_tokens

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
FAMILIES = sorted(load_families())
EXACT_PASSES = 460


@cache
def runs():
    return run_both()


def group(policy, family):
    return by_family(runs()[policy])[family]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_fixture_fails_when_calls_wait_for_their_end(family):
    failed = {o.fixture.id: o.problems for o in group("on_close", family) if o.verdict is Verdict.FAIL}
    assert failed.keys() <= DISPUTED.keys(), failed


@pytest.mark.parametrize("family", FAMILIES)
def test_streamed_arguments_fail_only_where_a_call_never_ends(family):
    failed = [o for o in group("incremental", family) if o.verdict is Verdict.FAIL]
    assert all(o.cut_inside_call for o in failed if o.fixture.id not in DISPUTED), {
        o.fixture.id: o.problems for o in failed if not o.cut_inside_call
    }


def test_nearly_all_fixtures_pass_exactly():
    assert count(runs()["on_close"], Verdict.PASS) >= EXACT_PASSES


def test_the_page_shows_these_figures():
    """Regenerate it with `python -m tests.conformance.run --write docs/conformance.md`."""
    assert PAGE.read_text(encoding="utf-8") == report(runs())


def test_disputed_fixtures_exist():
    assert DISPUTED.keys() <= {fixture.id for fixture in load_fixtures()}


def test_kept_token_texts_are_those_of_their_fixtures():
    raw_outputs = {fixture.id: fixture.raw_output for fixture in load_fixtures()}
    for name, tokens in read_tokens(TOKEN_TEXTS).items():
        assert "".join(tokens) == raw_outputs[name]


def test_every_fixture_is_a_case_with_parsers():
    for fixture in load_fixtures():
        case = case_of(fixture)
        assert case.tool_parser
        assert case.generation_prompt


def test_published_figures_add_up():
    rows = list(published())
    assert len(rows) == 5
    for _, _, supported, *figures in rows:
        assert supported == sum(figures)
