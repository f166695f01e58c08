"""The Step page in Chromium (issue "Step page"): what is shown equals what Python recorded."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from parsers.debug.pack import pack
from parsers.debug.session import record
from parsers.files.sample import samples
from tests.browser.conftest import Visit
from views.ui.cases import settings_of

EXAMPLE = "tour/qwen3-two-calls"
PRESSES = 30
HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>$x$ :red[y] **z** \u202e</think>'
    "<a href='http://example.com'>a</a><style>*{display:none}</style>"
)
SHOWN = """
(root) => {
  const text = (selector) => root.querySelector(selector)?.textContent ?? "";
  const json = (card) => JSON.parse(root.querySelector(`[data-card=${card}] pre`)?.textContent ?? "null");
  const field = (card) => {
    const pieces = root.querySelectorAll(`[data-card=${card}] [data-start]`);
    return [...pieces].map((piece) => piece.textContent).join("");
  };
  return {
    step: Number(root.dataset.step),
    why: text("[data-show=why]"),
    state: text(".node.now title"),
    message: json("message"),
    client: json("client"),
    reasoning: field("reasoning"),
    content: field("content"),
    arguments: [...root.querySelectorAll("[data-card=calls] tbody tr")]
      .map((row) => [...row.querySelectorAll("[data-start]")].map((piece) => piece.textContent).join("")),
    now: [...root.querySelectorAll(".strip .now")].map((chip) => Number(chip.dataset.token)),
    gate: text("[data-card=gate] .lamp"),
  };
}
"""


@pytest.fixture(scope="module")
def trace():
    return json.loads(gzip.decompress(pack(record(settings_of(samples()[EXAMPLE])))))


@pytest.fixture(scope="module")
def tab(browser, app):
    seen = Visit(browser.new_page(viewport={"width": 1920, "height": 1080}), app)
    seen.open()
    yield seen
    seen.page.close()


@pytest.fixture
def step(tab):
    """One tab for the tests that only look."""
    tab.page.locator("[data-show=count]").click()
    tab.press("Escape")
    tab.press("Home")
    yield tab
    assert tab.errors == []
    assert tab.outside == []


@pytest.fixture
def editing(visit, app):
    """A tab of its own for a test that changes what is run."""
    seen = visit(app)
    seen.open()
    yield seen
    assert seen.errors == []
    assert seen.outside == []


def without_ids(message):
    """Blank the ids of calls: every run makes new ones."""
    for call in (message or {}).get("tool_calls") or []:
        if "id" in call:
            call["id"] = "made by the run"
    return message


def units(text, length):
    """Return the first `length` UTF-16 units of a text."""
    return (text or "").encode("utf-16-le")[: 2 * length].decode("utf-16-le")


def expected(trace, i):
    """Return what the page has to show after delta `i`, from the recorded columns."""
    steps, fields = trace["steps"], trace["fields"]
    sentence = trace["sentences"][steps["why"][i]]
    return {
        "step": i + 1,
        "state": trace["states"][steps["state"][i]],
        "message": without_ids(steps["message"][i]),
        "client": without_ids(steps["client"][i]),
        "reasoning": units(fields["reasoning"], steps["r"][i]),
        "content": units(fields["content"], steps["c"][i]),
        "arguments": [
            units(call["arguments"], length) for call, length in zip(fields["calls"], steps["a"][i], strict=False)
        ],
        "now": list(range(steps["tok"][i], steps["tok"][i + 1])),
        "gate": str(steps["gate"][i][0]).lower(),
        "why": sentence.replace("`", ""),
    }


def shown(step):
    found = step.page.locator(".stepper").evaluate(SHOWN)
    return found | {name: without_ids(found[name]) for name in ("message", "client")}


def plain(text):
    """Return a sentence without the signs that make white space visible."""
    return text.translate(str.maketrans({"␣": " ", "⏎": "\n", "⇥": "\t"}))


@pytest.mark.parametrize("start", [1, 40, 90])
def test_thirty_key_presses_equal_the_python_trace(step, trace, start):
    step.page.locator("[data-set=slider]").fill(str(start))
    last = min(start + PRESSES, trace["meta"]["deltas"])
    for i in range(start, last):
        step.press("ArrowRight")
        found, wanted = shown(step), expected(trace, i)
        found["why"], wanted["why"] = plain(found["why"]), plain(wanted["why"])
        assert found == wanted


def test_the_last_delta_shows_the_whole_message(step, trace):
    step.press("End")
    assert shown(step)["step"] == trace["meta"]["deltas"]
    assert shown(step)["content"] == trace["fields"]["content"]
    assert shown(step)["arguments"] == [call["arguments"] for call in trace["fields"]["calls"]]


def test_every_field_character_lights_tokens_that_hold_it(step, trace):
    step.press("End")
    step.page.wait_for_timeout(400)
    box = step.page.locator("[data-card=content] [data-start]").last.bounding_box()
    assert box is not None
    step.page.mouse.click(box["x"] + 4, box["y"] + box["height"] / 2)
    lit = step.page.locator("[data-card=content] .lit").text_content()
    tokens = step.page.locator(".strip .lit").evaluate_all("(chips) => chips.map((c) => Number(c.dataset.token))")
    assert lit
    assert lit in "".join(trace["tokens"]["text"][token] for token in tokens)


def test_a_paste_of_hostile_html_stays_text(editing):
    box = editing.page.get_by_role("textbox", name="Model output")
    box.fill(HOSTILE)
    box.press("Control+Enter")
    editing.page.wait_for_function(
        "(n) => [...document.querySelectorAll('*')].some((e) => e.shadowRoot?.querySelector('.strip')"
        "?.textContent.includes('onerror'))",
        arg=0,
    )
    editing.page.locator("[data-show=count]").click()  # out of the box, or the key stays in it
    editing.press("End")
    assert "<img src=x" in shown(editing)["reasoning"] + shown(editing)["content"]
    assert editing.page.evaluate("window.hacked") is None
    assert editing.page.locator(".stepper img, .stepper script, .stepper a, .stepper style").count() == 0


def test_other_cuts_keep_the_place_in_the_text(editing, trace):
    editing.press("End")
    editing.press("ArrowLeft", 30)
    place = trace["steps"]["shown"][editing.step() - 1]
    choice = editing.page.get_by_role("combobox", name="Cuts")
    choice.fill("every:4")
    choice.press("Enter")
    fours = json.loads(gzip.decompress(pack(record(replace(settings_of(samples()[EXAMPLE]), cuts="every:4")))))
    count = fours["meta"]["deltas"]
    editing.page.locator("[data-show=count]").get_by_text(str(count), exact=True).wait_for()
    assert editing.step() == next(i for i in range(count) if fours["steps"]["shown"][i] >= place) + 1


def test_an_error_is_a_sentence_and_the_text_stays(visit, app):
    seen = visit(app)
    seen.page.goto(f"{seen.address}/?reasoning=qwen4")
    seen.page.get_by_text("There is no reasoning parser named 'qwen4'").wait_for()
    expect(seen.page.get_by_role("textbox", name="Model output")).to_have_value(samples()[EXAMPLE].raw_output or "")
    assert "Traceback" not in seen.page.inner_text("body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_sticks_out_of_the_window(visit, app, width, scheme):
    seen = visit(app, width=width, height=1080, scheme=scheme)
    page = seen.open()
    seen.press("ArrowRight", 45)
    page.locator(".strip .now").click()  # a long sentence about the token
    right = page.locator(".stepper").evaluate(
        "(root) => Math.max(...[...root.querySelectorAll('.stepper > *, .trail > *, .card')]"
        ".map((part) => part.getBoundingClientRect().right))"
    )
    assert max(right, page.evaluate("document.documentElement.scrollWidth")) <= width
    if width == 1920:
        bottom = page.locator(".stepper").bounding_box()
        assert bottom is not None
        assert bottom["y"] + bottom["height"] <= 1080
        assert page.locator(".stepper .foot").is_visible()
