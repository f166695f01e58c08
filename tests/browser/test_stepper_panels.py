"""The tabs below the stepper and the constraint lane in Chromium, against the synthetic trace they were given."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import ROOT, Visit, serving
from tests.browser.synthetic import synthetic
from tests.browser.synthetic_panels import MASKED, SENTENCES, with_panels
from tests.browser.test_stepper import CONTRASTS

TRACE = with_panels(synthetic(100), hidden=True)
SERVING, STEPS, DELEGATING = TRACE["serving"], TRACE["steps"], TRACE["delegating"]
COUNT = len(STEPS["shown"])
LONG = 20_000
TABS = ["wire", "constraint", "audit", "delegating"]
LINES = "[data-wire=lines] .line:visible"


@pytest.fixture(scope="module")
def panels_app(browser):
    with serving(ROOT / "tests/browser/panels_page.py") as address:
        yield address


@pytest.fixture(scope="module")
def tab(browser, panels_app):
    context = browser.new_context(
        viewport={"width": 1920, "height": 1080}, permissions=["clipboard-read", "clipboard-write"]
    )
    seen = Visit(context.new_page(), panels_app)
    seen.open("?hidden=1")
    yield seen
    context.close()


@pytest.fixture
def panels(tab):
    """One tab for the tests that only look."""
    tab.page.locator("[data-show=count]").click()
    tab.press("Home")
    yield tab
    assert tab.errors == []
    assert tab.outside == []


def choose(seen, name):
    seen.page.locator(f"#tab-{name}").click()


def go(seen, i):
    """Show delta `i`, counted from 0."""
    seen.page.locator("[data-set=slider]").fill(str(i + 1))
    seen.press("Shift")


def sent(i):
    return SERVING["lines"][SERVING["line_of"][i] : SERVING["line_of"][i + 1]]


def first(holds):
    return next(i for i in range(COUNT) if holds(i))


# --- tabs ------------------------------------------------------------------------------------------


def test_arrow_keys_choose_among_tabs_and_leave_the_steps_alone(panels):
    choose(panels, "wire")
    panels.page.locator("#tab-wire").focus()
    for key, chosen in [
        ("ArrowRight", "constraint"),
        ("ArrowLeft", "wire"),
        ("ArrowLeft", "delegating"),
        ("Home", "wire"),
    ]:
        panels.press(key)
        assert panels.page.locator("[role=tab][aria-selected=true]").get_attribute("data-panel") == chosen
        assert panels.page.locator("[role=tabpanel]:visible").get_attribute("id") == f"panel-{chosen}"
    assert panels.step() == 1


def test_a_tab_clicked_gives_the_arrow_keys_back(panels):
    choose(panels, "audit")
    panels.press("ArrowRight")
    assert panels.step() == 2


def test_links_in_the_cards_lead_to_their_tab(panels):
    choose(panels, "audit")
    panels.page.locator("[data-card=client] .link").click()
    assert panels.page.locator("#panel-wire").is_visible()
    panels.page.locator("[data-card=message] .link").click()
    assert panels.page.locator("#panel-delegating").is_visible()
    panels.page.locator(".lanes .link").click()
    assert panels.page.locator("#panel-constraint").is_visible()


def test_a_trace_without_these_keys_has_no_tabs(visit, stepper_app):
    page = visit(stepper_app).open()
    assert page.locator(".panels").is_hidden()
    assert page.locator(".when-constrained:visible, [data-reveal]:visible, .tok.turns").count() == 0


def test_unified_without_a_grammar_hides_lane_and_phases(visit, panels_app):
    seen = visit(panels_app)
    page = seen.open("?constrained=0&delegating=0")
    assert [tab.get_attribute("data-panel") for tab in page.locator("[role=tab]:visible").all()] == TABS[:3]
    assert page.locator(".when-constrained:visible").count() == 0
    choose(seen, "constraint")
    assert "every token was free" in seen.text("#panel-constraint")
    assert page.locator("[data-constraint=constraint]").is_hidden()
    choose(seen, "audit")
    assert "Nothing is hidden in this request." in seen.text("#panel-audit")
    assert page.locator(".audit tr").count() == 0


# --- what the client receives ----------------------------------------------------------------------


def test_each_delta_marks_its_own_lines(panels):
    choose(panels, "wire")
    for i in [0, first(lambda i: sent(i)), COUNT - 1]:
        go(panels, i)
        now = panels.page.locator("[data-wire=lines] .line.now:visible")
        assert now.count() == len(sent(i))
        assert all(f"▸ {i + 1}" in row for row in now.all_inner_texts())


def test_the_line_in_full_is_the_line_sent(panels):
    choose(panels, "wire")
    i = first(lambda i: sent(i) and STEPS["a"][i])
    go(panels, i)
    whole = panels.page.locator("[data-wire=whole] pre").text_content().removeprefix("data: ")
    assert json.loads(whole) == json.loads(sent(i)[-1].removeprefix("data: "))


def test_opening_lines_come_before_and_closing_ones_with_the_last_delta(panels):
    choose(panels, "wire")
    assert panels.page.locator(LINES).count() == SERVING["line_of"][1]
    assert panels.text(LINES).startswith("opening")
    panels.press("End")
    closing = [row for row in panels.page.locator(LINES).all_inner_texts() if row.startswith("closing")]
    assert len(closing) == len(SERVING["lines"]) - SERVING["line_of"][-1]
    assert "[DONE]" in closing[-1]


@pytest.mark.parametrize(
    ("holds", "why"),
    [
        (lambda i: STEPS["message"][i] and "reasoning" in STEPS["message"][i], "P-40"),
        (lambda i: STEPS["buffer"][i] == "</", "Held back: </ may become </think>."),
        (lambda i: STEPS["message"][i] is None and not STEPS["buffer"][i], "takes the parser to CONTENT"),
    ],
    ids=["hidden reasoning", "held text", "no message"],
)
def test_a_delta_without_a_line_says_why(panels, holds, why):
    choose(panels, "wire")
    go(panels, first(holds))
    status = panels.text("[data-wire=status]")
    assert "nothing is sent for this delta" in status
    assert why in status


def test_arrow_up_reads_earlier_lines_and_arrow_right_still_steps(panels):
    choose(panels, "wire")
    panels.press("End")
    panels.page.locator("[data-wire=lines]").focus()
    panels.press("ArrowUp", 40)
    # The first press leaves the last line of the delta that was shown.
    number = int(panels.text("[data-wire=about]").split()[1])
    active = panels.page.locator(".lines .chosen:visible")
    assert active.count() == 1
    assert panels.page.locator("[data-wire=lines]").get_attribute("aria-activedescendant") == active.get_attribute("id")
    assert json.loads(panels.page.locator("[data-wire=whole] pre").text_content().removeprefix("data: ")) == json.loads(
        SERVING["lines"][number - 1].removeprefix("data: ")
    )
    panels.press("ArrowLeft")
    assert panels.step() == COUNT - 1


def test_the_line_that_is_read_stays_until_the_next_step(panels):
    choose(panels, "wire")
    panels.press("End")
    panels.page.locator(LINES).first.click()
    read = panels.text("[data-wire=about]")
    panels.page.locator(".strip [data-token='20']").click()
    assert panels.page.locator(".strip .lit").count() == 1
    assert panels.text("[data-wire=about]") == read
    panels.press("ArrowLeft")
    assert panels.text("[data-wire=about]") != read


def test_a_list_that_was_scrolled_shows_its_end_again_when_its_tab_is_chosen(panels):
    choose(panels, "wire")
    panels.press("End")
    panels.page.locator("[data-wire=lines]").evaluate("(list) => { list.scrollTop = -list.scrollHeight; }")
    panels.page.locator(f"{LINES} >> text=opening").wait_for()
    choose(panels, "audit")
    choose(panels, "wire")
    assert "[DONE]" in panels.page.locator("[data-wire=lines]").inner_text()


def test_copies_are_the_bytes_on_the_wire(panels):
    choose(panels, "wire")
    i = first(lambda i: len(sent(i)) and STEPS["c"][i] > 5)
    go(panels, i)
    panels.page.locator("[data-wire=copy-all]").click()
    so_far = SERVING["lines"][: SERVING["line_of"][i + 1]]
    panels.page.get_by_text(f"Copied {len(so_far)} lines.").wait_for()
    assert panels.page.evaluate("navigator.clipboard.readText()") == "".join(f"{line}\n\n" for line in so_far)
    panels.page.locator("[data-wire=copy-line]").click()
    panels.page.get_by_text("Copied 1 line.").wait_for()
    assert panels.page.evaluate("navigator.clipboard.readText()") == f"{sent(i)[-1]}\n\n"


def test_many_lines_are_few_elements_and_all_can_be_scrolled_to(visit, panels_app):
    seen = visit(panels_app)
    seen.open(f"?deltas={LONG}")
    seen.press("End")
    assert seen.page.locator("[data-wire=lines] .line").count() < 40
    seen.page.locator("[data-wire=lines]").evaluate("(list) => { list.scrollTop = -list.scrollHeight; }")
    seen.page.locator(f"{LINES} >> text=opening").wait_for()
    seen.press("ArrowLeft")
    seen.page.locator(".lines .now:visible").wait_for()


# --- constraint ------------------------------------------------------------------------------------


def test_the_sentence_names_kind_rule_and_reason_of_the_current_token(panels):
    kinds, tokens = SERVING["timeline"]["freedom"], STEPS["tok"]
    for kind, word in enumerate(["F free", "M masked", "G grammar"]):
        go(panels, first(lambda i, kind=kind: kinds[tokens[i]] == kind))
        said = panels.text("[data-show=freedom]")
        assert word in said
        assert SENTENCES[kind]["rule"] in said
        assert SENTENCES[kind]["why"].replace("`", "") in said


def test_chips_and_lane_tell_kinds_by_pattern_and_letter(panels):
    freedom = SERVING["timeline"]["freedom"]
    masked = panels.page.locator(".strip .f-masked")
    assert masked.count() == freedom[:240].count(MASKED)
    images = {
        kind: panels.page.locator(f".freedom-lane .f-{kind}").evaluate("(e) => getComputedStyle(e).backgroundImage")
        for kind in ("free", "masked", "grammar")
    }
    assert len(set(images.values())) == 3
    letters = panels.page.locator(".strip .turns").evaluate_all(
        "(chips) => chips.map((chip) => [Number(chip.dataset.token), getComputedStyle(chip, '::before').content])"
    )
    start = SERVING["timeline"]["start"]
    assert letters == [[freedom.index(MASKED), '"M"'], [start, '"G"']]
    assert [text[0] for text in panels.page.locator(".freedom-lane .freedom").all_inner_texts()] == ["F", "M", "G"]


def test_the_panel_lists_decisions_warnings_and_the_constraint(panels):
    choose(panels, "constraint")
    text = panels.text("#panel-constraint")
    assert "S-36" in text
    assert "required is read in the parser's own markup" in text
    assert "Warning" in text
    assert "<b>S-71</b>" in text  # a warning is text, never markup
    panels.page.locator("#panel-constraint summary").click()
    shown = panels.page.locator("[data-constraint=json]")
    assert shown.is_visible()
    assert json.loads(shown.text_content()) == json.loads(SERVING["prepared"]["constraint"])
    panels.page.locator("#panel-constraint summary").click()


def test_a_link_goes_to_where_the_grammar_starts(panels):
    choose(panels, "constraint")
    panels.page.locator("[data-constraint=start] .link").click()
    panels.press("Shift")
    assert STEPS["tok"][panels.step() - 1] == SERVING["timeline"]["start"]


# --- leak audit and counts -------------------------------------------------------------------------


def test_the_audit_lists_every_field_with_its_outcome(panels):
    choose(panels, "audit")
    rows = [row.split("\t") for row in panels.page.locator(".audit tr").all_inner_texts()]
    marks = {field.strip(): mark.strip() for mark, field, *_ in rows}
    audit = SERVING["audit"]
    leaking = {leak["field"] for leak in audit["leaks"]}
    expected = {field: "✗" if field in leaking else "✓" for field in audit["checked"]}
    assert marks == expected | dict.fromkeys(audit["unreadable"], "?")
    assert all(field in panels.text("[data-audit=never]") for field in audit["never_hidden"])
    assert "⏎" in panels.text(".audit .leaked")
    assert "✗ 1" in panels.text("#tab-audit")
    assert "can be read in 1 field" in panels.text("[data-show=verdict]")


def test_both_reasoning_counts_are_shown_with_the_reason(panels):
    choose(panels, "audit")
    usage = panels.page.locator("[data-audit=usage]")
    numbers = [int(text.replace(",", "")) for text in usage.locator("dd").all_inner_texts()]
    assert numbers == list(SERVING["usage"].values())
    assert "P-38" in panels.text("[data-audit=why]")


# --- delegating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("i", [0, first(lambda i: STEPS["gate"][i][0]), COUNT - 1])
def test_phases_and_state_are_those_of_the_delta(panels, i):
    choose(panels, "delegating")
    go(panels, i)
    step = DELEGATING["steps"][i]
    phases = panels.page.locator(".phase").all_inner_texts()
    for k, (name, shown) in enumerate(zip(DELEGATING["phases"], phases, strict=True)):
        clauses = [clause.replace("`", "") for index, clause in step["phases"] if index == k]
        assert name in shown
        assert ("● acted" in shown) == bool(clauses)
        assert all(clause in shown for clause in clauses)
    rows = [row.split("\t") for row in panels.page.locator(".state tbody tr").all_inner_texts()]
    for field, before, after, row in zip(DELEGATING["fields"], step["before"], step["after"], rows, strict=True):
        assert row[0] == field
        assert ("changed" in row[3]) == (before != after)
        if isinstance(before, bool):
            assert row[1:3] == [str(before).lower(), str(after).lower()]


# --- looks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_panels_fit_the_window_and_can_be_read(visit, panels_app, width, scheme):
    seen = visit(panels_app, width=width, height=1080, scheme=scheme)
    page = seen.open("?hidden=1")
    go(seen, first(lambda i: STEPS["gate"][i][0]))
    for name in TABS:
        choose(seen, name)
        right = page.locator(".panels").evaluate(
            "(root) => Math.max(...[...root.querySelectorAll('*')]"
            ".filter((part) => !part.closest('.lines')).map((part) => part.getBoundingClientRect().right))"
        )
        assert max(right, page.evaluate("document.documentElement.scrollWidth")) <= width
        cut = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"
        assert page.locator(f"#panel-{name} :is(th, td)").evaluate_all(cut) == []
        colours = page.locator(f"#panel-{name}").evaluate(
            """(panel) => [...panel.querySelectorAll("p, span, b, code, th, td, dt, h4, summary, .place")]
              .filter((element) => element.offsetParent && element.textContent.trim())
              .map((element) => [element.textContent, getComputedStyle(element).color])"""
        )
        paper = page.locator(".card").first.evaluate("(card) => getComputedStyle(card).backgroundColor")
        assert [pair for pair in json.loads(page.evaluate(CONTRASTS, [colours, paper])) if pair[1] < 4.5] == []
    assert seen.errors == []


def test_a_constrained_stream_still_fits_the_first_screen(panels):
    box = panels.page.locator(".stepper").bounding_box()
    assert box is not None
    assert box["height"] <= 1080 - 72
