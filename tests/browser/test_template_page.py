"""The Template page in Chromium: hostile templates stay text, a turn opens in the Step page, a link comes back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from parsers.templates.read import read_text
from parsers.templates.report import report
from views.ui.template.sources import examples

OPENED = "thinking-opened"
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>$x$ :red[y] **z**'
HEADING = "There and back"


@pytest.fixture
def tab(visit, app):
    """The page, reached by a click on its name."""
    seen = visit(app, width=1280, height=900)
    seen.open()
    seen.page.get_by_role("link", name="Template").click()
    expect(seen.page.get_by_text(HEADING)).to_be_visible(timeout=60_000)
    yield seen
    assert seen.errors == []
    assert seen.outside == []


def choose(page, example):
    page.get_by_role("combobox", name="Example").click()
    page.get_by_role("option", name=example).click()
    expect(page.get_by_text("opens thinking", exact=True)).to_be_visible(timeout=30_000)


def test_nothing_is_wider_than_its_window(tab):
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_hostile_template_is_shown_and_not_run(tab):
    box = tab.page.get_by_role("textbox", name="Template")
    box.fill("{{ raise_exception('" + HOSTILE + "') }}")
    box.press("Control+Enter")
    expect(tab.page.get_by_text(HOSTILE).first).to_be_visible(timeout=30_000)
    assert tab.page.evaluate("window.hacked") is None


def test_a_turn_opens_in_the_step_page_and_the_way_back_keeps_the_template(tab):
    choose(tab.page, OPENED)
    tab.page.get_by_role("button", name="Open in the Step page").first.click()
    tab.page.wait_for_selector(".stepper[data-step]")
    turn = report(read_text(examples()[OPENED])[0]).round_trips[0].turn
    expect(tab.page.get_by_role("textbox", name="Model output")).to_have_value(turn.text)
    tab.page.get_by_role("link", name="Template").click()
    expect(tab.page.get_by_text("opens thinking", exact=True)).to_be_visible(timeout=30_000)


def test_the_address_brings_the_page_back(tab, visit):
    choose(tab.page, OPENED)
    tab.page.wait_for_url(f"**template={OPENED}*")
    again = visit(tab.page.url).page
    again.goto(tab.page.url)
    expect(again.get_by_text("opens thinking", exact=True)).to_be_visible(timeout=30_000)
