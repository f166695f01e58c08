"""The stepper in Chromium, against the synthetic trace it was given."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Visit
from tests.browser.synthetic import synthetic

TRACE = synthetic(100)
STEPS = TRACE["steps"]
COUNT = len(STEPS["shown"])
KEY_LISTENERS = """
  window.keyListeners = 0;
  const count = (name, step) => {
    const real = document[name].bind(document);
    document[name] = (type, ...rest) => {
      if (type === "keydown") window.keyListeners += step;
      return real(type, ...rest);
    };
  };
  count("addEventListener", 1);
  count("removeEventListener", -1);
"""


@pytest.fixture(scope="module")
def tab(browser, stepper_app):
    seen = Visit(browser.new_page(viewport={"width": 1920, "height": 1080}), stepper_app)
    seen.open()
    yield seen
    seen.page.close()


@pytest.fixture
def stepper(tab):
    """One tab for all tests, each beginning at the first delta with nothing chosen."""
    tab.page.locator("[data-set=find]").fill("")
    tab.page.locator("[data-set=kind]").select_option("event")
    tab.page.locator("[data-show=count]").click()
    tab.press("Escape")
    tab.press("Home")
    yield tab
    assert tab.errors == []
    assert tab.outside == []


def first_step(holds) -> int:
    """Return the first delta, counted from 1, for which `holds(index)`."""
    return next(i for i in range(COUNT) if holds(i)) + 1


def test_opens_at_the_first_delta(stepper):
    assert stepper.step() == 1
    assert stepper.text("[data-show=count]") == str(COUNT)


def test_arrow_keys_home_and_end(stepper):
    stepper.press("ArrowRight", 5)
    assert stepper.step() == 6
    stepper.press("ArrowLeft", 2)
    assert stepper.step() == 4
    stepper.press("End")
    assert stepper.step() == COUNT
    stepper.press("ArrowRight")
    assert stepper.step() == COUNT
    stepper.press("Home")
    assert stepper.step() == 1


def test_shift_arrow_jumps_to_the_chosen_kind(stepper):
    stepper.page.locator("[data-set=kind]").select_option("held")
    stepper.press("Shift+ArrowRight")
    assert stepper.step() == first_step(lambda i: STEPS["buffer"][i])
    stepper.page.locator("[data-set=kind]").select_option("state")
    stepper.press("Shift+ArrowRight")
    assert stepper.step() == first_step(lambda i: i and STEPS["state"][i] != STEPS["state"][i - 1])


def test_space_plays_and_pauses(stepper):
    stepper.page.locator("[data-set=speed]").select_option("60")
    stepper.press(" ")
    stepper.page.wait_for_timeout(400)
    stepper.press(" ")
    there = stepper.step()
    assert there > 5
    stepper.page.wait_for_timeout(200)
    assert stepper.step() == there


def test_the_stages_of_a_held_delta(stepper):
    held = first_step(lambda i: STEPS["buffer"][i])
    stepper.press("ArrowRight", held - 1)
    assert STEPS["buffer"][held - 1] in stepper.text("[data-card=lexer]")
    assert "THINK_END" in stepper.text("[data-card=lexer]")
    assert stepper.text("[data-show=why]").startswith("Held back")
    assert "null" in stepper.text("[data-card=message] .body")
    assert stepper.page.locator(".strip .tok.held").count() == 1


def test_a_state_change_marks_row_state_and_gate(stepper):
    end = first_step(lambda i: STEPS["rows"][i])
    stepper.press("ArrowRight", end - 1)
    assert "REASONING —THINK_END→ CONTENT" in stepper.text("[data-show=rows]")
    assert stepper.page.locator(".node.now text").text_content() == "CONTENT"
    assert stepper.page.locator(".arc.taken").count() == 1
    assert "true" in stepper.text("[data-card=gate]")
    assert f"delta {end}" in stepper.text("[data-card=gate]")
    assert "changed" in stepper.page.locator("[data-card=gate]").get_attribute("class")


def test_fields_and_calls_at_the_end(stepper):
    stepper.press("End")
    assert stepper.page.locator("[data-card=calls] tbody tr").count() == 2
    for call in TRACE["fields"]["calls"]:
        line = stepper.page.locator("[data-card=calls] tbody tr").nth(call["index"])
        assert line.locator(".pane .text").text_content() == call["arguments"]
        assert "complete" in line.inner_text()
    assert stepper.page.locator("[data-card=content] .text").text_content() == TRACE["fields"]["content"]


def test_hostile_text_stays_text(stepper):
    stepper.press("End")
    assert "<script>alert(1)</script>" in stepper.text("[data-card=calls]")
    assert stepper.page.locator(".stepper script, .stepper img, [data-card=content] b >> text=now").count() == 0


def test_a_click_on_a_field_character_lights_its_token_and_row(stepper):
    stepper.press("End")
    start, end = locate_word(stepper, "[data-card=reasoning] .text", "weather")
    stepper.page.mouse.click(start["x"] + 2, (start["y"] + end["y"]) / 2)
    raw = TRACE["raw"].index("weather")
    token = next(k for k, stop in enumerate(TRACE["tokens"]["end"]) if stop > raw)
    lit = stepper.page.locator(".strip .tok.lit")
    assert lit.evaluate_all("(chips) => chips.map((chip) => Number(chip.dataset.token))") == [token]
    assert f"raw {raw}–{raw + 1}" in stepper.text("[data-show=trail]")
    assert stepper.page.locator("[data-card=reasoning] .lit").text_content() == "w"


def locate_word(stepper, selector, word):
    """Return the top left and bottom right corner of a word on the screen."""
    return stepper.page.locator(selector).evaluate(
        """(host, word) => {
          const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(word);
            if (at < 0) continue;
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            const box = range.getBoundingClientRect();
            return [{ x: box.left, y: box.top }, { x: box.right, y: box.bottom }];
          }
        }""",
        word,
    )


def test_a_click_on_a_marker_token_shows_its_row(stepper):
    stepper.press("End")
    token = TRACE["tokens"]["text"].index("<tool_call>")
    stepper.page.locator(f".strip [data-token='{token}']").click()
    assert "marker TOOL_START" in stepper.text("[data-show=trail]")
    assert "CONTENT —TOOL_START→ TOOL_PREAMBLE" in stepper.text("[data-show=trail]")
    assert stepper.page.locator(".arc.lit").count() == 1
    stepper.page.locator("[data-do=follow]").click()
    stepper.press("Shift")
    assert STEPS["tok"][stepper.step() - 1] == token


def test_a_click_on_a_coming_token_goes_there(stepper):
    stepper.page.locator(".strip [data-token='20']").click()
    stepper.press("Shift")
    assert STEPS["tok"][stepper.step() - 1] == 20


def test_find_goes_to_the_delta_that_shows_the_text(stepper):
    stepper.press("/")
    stepper.page.keyboard.type("tool_call>")
    assert stepper.text(".found") == str(TRACE["raw"].count("tool_call>"))
    stepper.press("Enter")
    end = TRACE["raw"].encode("utf-16-le").index("tool_call>".encode("utf-16-le")) // 2 + len("tool_call>")
    assert stepper.step() == first_step(lambda i: STEPS["shown"][i] >= end)


def test_typing_in_a_box_moves_nothing(stepper):
    stepper.page.locator("[data-set=find]").click()
    stepper.press("ArrowRight")
    stepper.press("End")
    assert stepper.step() == 1


def test_slider_and_number(stepper):
    stepper.page.locator("[data-set=slider]").fill("40")
    stepper.press("Shift")
    assert stepper.step() == 40
    stepper.page.locator("[data-set=number]").fill("33")
    stepper.page.keyboard.press("Enter")
    stepper.press("Shift")
    assert stepper.step() == 33
    stepper.page.locator("[data-set=number]").fill("x")
    stepper.page.keyboard.press("Enter")
    stepper.press("Shift")
    assert stepper.step() == 33


def test_python_hears_the_position(stepper):
    stepper.press("ArrowRight", 4)
    stepper.page.get_by_text("Python heard 5").wait_for()


def test_laws_say_in_words_which_one_is_broken(stepper):
    broken = stepper.text(".law.broken")
    assert "No leak" in broken
    assert "broken: made to fail" in broken
    assert "broken: No leak" in stepper.text("[data-show=verdict]")


def test_listeners_leave_with_the_page_and_the_position_comes_back(visit, stepper_app):
    seen = visit(stepper_app)
    seen.page.add_init_script(KEY_LISTENERS)
    page = seen.open()
    base = page.evaluate("window.keyListeners") - 1
    seen.press("ArrowRight", 9)
    page.wait_for_timeout(500)
    for _ in range(2):
        page.get_by_role("link", name="Nothing").click()
        page.get_by_text("Nothing here.").wait_for()
        assert page.evaluate("window.keyListeners") == base
        page.get_by_role("link", name="Stepper").click()
        page.wait_for_selector(".stepper[data-step]")
        assert page.evaluate("window.keyListeners") == base + 1
        assert seen.step() == 10


def test_a_link_opens_at_its_step(visit, stepper_app):
    seen = visit(stepper_app)
    seen.open("?step=42")
    assert seen.step() == 42


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_background(visit, stepper_app, scheme):
    seen = visit(stepper_app, scheme=scheme)
    page = seen.open("?step=60")
    colours = page.locator(".stepper").evaluate(
        """(root) => [...root.querySelectorAll(
            ".lane-names span, .card h3, .card dt, .node text, .law, .why, .legend .tok")]
          .map((element) => [element.textContent, getComputedStyle(element)])
          .map(([text, style]) => [text, style.fill !== "rgb(0, 0, 0)" ? style.fill : style.color])"""
    )
    assert len(colours) > 20
    background = page.locator(".stepper").evaluate(
        "(root) => getComputedStyle(root.querySelector('.card')).backgroundColor"
    )
    contrasts = json.loads(page.evaluate(CONTRASTS, [colours, background]))
    current = {"CONTENT", "REASONING", "TOOL_PREAMBLE", "TOOL_ARGS"}
    weak = [(text, ratio) for text, ratio in contrasts if ratio < 4.5 and text not in current]
    assert weak == []


CONTRASTS = """([colours, background]) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(background);
  return JSON.stringify(colours.map(([text, colour]) => {
    const ink = light(colour);
    return [text, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)];
  }));
}"""


def test_the_lanes_follow_a_change_of_theme(visit, stepper_app):
    seen = visit(stepper_app)
    page = seen.open()
    lanes = "(canvas) => canvas.toDataURL()"
    light = page.locator("canvas").evaluate(lanes)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        """(light) => [...document.querySelectorAll("*")].map((e) => e.shadowRoot?.querySelector("canvas"))
          .find(Boolean).toDataURL() !== light""",
        arg=light,
    )


def test_everything_fits_at_1920_by_1080_below_the_header(stepper):
    box = stepper.page.locator(".stepper").bounding_box()
    assert box is not None
    assert box["height"] <= 1080 - 72
