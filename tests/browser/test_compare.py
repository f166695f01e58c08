"""The Compare page in Chromium: marked differences as text, two locked steppers, names as they come (issue "Debug")."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

expect.set_options(timeout=30_000)  # a loaded machine answers late
HOSTILE = '<img src=x onerror="window.hacked=1"></think><b>$x$</b>'
LONG = "Think about it. " * 700 + "</think>" + "An answer. " * 700


@pytest.fixture
def compare(visit, app):
    seen = visit(app)
    # By the link: opened by its own address, Streamlit looks for its files below the page first and logs the misses.
    seen.open()
    seen.page.get_by_role("link", name="Compare").click()
    seen.page.wait_for_selector(".fields table")
    yield seen
    assert seen.errors == []
    assert seen.outside == []


def positions(page):
    return [int(stepper.get_attribute("data-step")) for stepper in page.locator(".stepper").all()]


def type_output(page, text):
    page.get_by_role("textbox", name="Model output").fill(text)
    page.keyboard.press("Control+Enter")


def test_differences_are_marked(compare):
    marked = compare.page.locator(".fields tr.different mark")
    assert "<tool_call>" in "".join(marked.all_inner_texts())
    assert compare.page.locator(".fields tr.same mark").count() == 0


def test_output_of_a_model_is_only_text(compare):
    type_output(compare.page, HOSTILE)
    expect(compare.page.locator(".fields td").first).to_contain_text("onerror")
    assert compare.page.locator(".fields img, .fields b").count() == 0
    assert compare.page.evaluate("window.hacked") is None


def test_a_click_opens_both_steppers_at_the_parting_locked_together(compare):
    page = compare.page
    page.get_by_role("button", name="codec: delta").click()
    expect(page.locator(".stepper[data-step='69']")).to_have_count(2)
    for key in ("ArrowRight", "ArrowRight", "Home"):
        compare.press(key)
        page.wait_for_timeout(100)
        left, right = positions(page)
        assert left == right
    page.get_by_text("Locked to the same token").click()
    page.locator(".stepper [data-do=next]").first.click()
    page.wait_for_timeout(200)
    assert positions(page) == [2, 1]


def test_all_names_on_a_long_output_come_one_after_the_other(compare):
    page = compare.page
    type_output(page, LONG)
    expect(page.locator(".fields td").first).to_contain_text("characters …")
    page.get_by_role("tab", name="All candidates").click()
    page.get_by_role("button", name="Try all names").click()
    expect(page.get_by_text("names tried")).to_be_visible(timeout=30_000)
    ranked = page.locator(".fields table.ranks tbody tr")
    expect(ranked.first).to_be_visible(timeout=30_000)
    assert page.get_by_text("names tried").is_visible()
    assert ranked.locator("td").evaluate_all("cells => cells.every(cell => cell.scrollWidth <= cell.clientWidth)")


def test_a_click_brings_the_steppers_into_view(compare):
    page = compare.page
    page.get_by_role("button", name="codec: delta").click()
    expect(page.locator(".stepper[data-step='69']")).to_have_count(2)
    expect(page.get_by_text("Locked to the same token")).to_be_in_viewport()
    expect(page.locator(".stepper").first).to_be_in_viewport()


@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_is_wider_than_its_window(visit, app, width):
    seen = visit(app, width=width, height=900)
    seen.open()
    seen.page.get_by_role("link", name="Compare").click()
    seen.page.wait_for_selector(".fields table")
    assert seen.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def choose(page, key, option):
    box = page.locator(f".st-key-{key} input")
    box.click()
    box.fill(option)
    page.get_by_role("option", name=option, exact=True).first.click()


def test_nothing_typed_is_lost_by_going_from_page_to_page(compare):
    page = compare.page
    type_output(page, "mine</think>yes")
    expect(page.locator(".fields td").nth(1)).to_contain_text("mine")
    choose(page, "compare-1-tool", "glm45")
    expect(page.locator(".fields th").nth(2)).to_contain_text("glm45")
    page.get_by_role("link", name="Template").click()
    expect(page.get_by_text("There and back")).to_be_visible(timeout=60_000)
    box = page.get_by_role("textbox", name="Template")
    box.fill("{{ messages[0].content }} of my own")
    box.press("Control+Enter")
    expect(page.get_by_text("your own text stays on this machine")).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Step").click()
    page.wait_for_selector(".stepper[data-step]")
    expect(page.get_by_role("textbox", name="Model output")).to_have_value("mine</think>yes")
    choose(page, "in-tool", "jamba")
    page.get_by_role("link", name="Compare").click()
    expect(page.locator(".fields th").nth(1)).to_contain_text("jamba")
    expect(page.locator(".fields th").nth(2)).to_contain_text("glm45")
    expect(page.get_by_role("textbox", name="Model output")).to_have_value("mine</think>yes")
    page.get_by_role("link", name="Template").click()
    expect(page.get_by_role("textbox", name="Template")).to_have_value("{{ messages[0].content }} of my own")
