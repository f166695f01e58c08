"""Think tags alone: think-tags.md; R-* of common-1.md; F-02 to F-04."""

import pytest

from tests.every_cut import Setup, everywhere

NAMES = ["deepseek_r1", "deepseek_v3", "holo2", "step3"]


def fields(name, text, **setup):
    found = everywhere(Setup(name, kwargs={"thinking": True}, **setup), text)
    return found.reasoning, found.content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("2+2 is 4.</think>Four.", "2+2 is 4.", "Four."),
        ("<think>2+2 is 4.</think>Four.", "2+2 is 4.", "Four."),
        ("2+2 is", "2+2 is", None),
        ("a</think>", "a", None),
        ("</think>b", None, "b"),
        ("a</think>b</think>c", "a", "bc"),
        ("a</thi", "a</thi", None),
        ("🧭é</think>🧭", "🧭é", "🧭"),
        ("", None, None),
    ],
    ids=[
        "example 1", "r-open", "r-trunc", "no answer", "no thinking", "r-repeat", "cut marker", "unicode", "empty",
    ],
)  # fmt: skip
def test_on(name, text, reasoning, content):
    assert fields(name, text) == (reasoning, content)


@pytest.mark.parametrize("kwargs", [{}, {"thinking": False}, {"enable_thinking": False}])
def test_example_2_deepseek_v3_is_off_by_default(kwargs):
    found = everywhere(Setup("deepseek_v3", kwargs=kwargs), "Four. </think>")
    assert (found.reasoning, found.content) == (None, "Four. </think>")


def test_holo2_is_on_by_default_and_any_switch_that_is_on_decides():
    assert everywhere(Setup("holo2"), "a</think>b").reasoning == "a"
    assert everywhere(Setup("holo2", kwargs={"thinking": False}), "a</think>b").reasoning is None
    both = {"thinking": False, "enable_thinking": True}
    assert everywhere(Setup("holo2", kwargs=both), "a</think>b").reasoning == "a"


@pytest.mark.parametrize("name", NAMES)
def test_r_prompt_a_closed_prompt_starts_in_content(name):
    assert fields(name, "b", prompt="<think>\n\n</think>\n\n") == (None, "b")


@pytest.mark.parametrize(
    ("name", "boundary"), [("deepseek_r1", "<｜Assistant｜>"), ("holo2", "<|im_start|>"), ("step3", "<|BOT|>")]
)
def test_a_closer_in_an_earlier_turn_decides_nothing(name, boundary):
    assert fields(name, "a</think>b", prompt=f"what is </think>?{boundary}assistant") == ("a", "b")


def test_a_second_block_of_thinking_is_thinking():
    assert fields("deepseek_r1", "a</think>b<think>c</think>d") == ("ac", "bd")


def test_without_a_tool_parser_a_call_is_content():
    call = '<tool_call>{"name": "f"}</tool_call>'
    assert fields("deepseek_r1", f"a</think>{call}") == ("a", call)
    assert fields("deepseek_r1", f"a{call}") == (f"a{call}", None)


def test_r_tool_a_call_in_unclosed_thinking_ends_it():
    found = everywhere(Setup("deepseek_r1", "hermes"), 'a<tool_call>{"name": "f"}</tool_call>')
    assert (found.reasoning, found.content, found.calls) == ("a", None, (("f", {}),))


def test_e80_tokens_of_thinking_are_counted_without_markers():
    assert everywhere(Setup("deepseek_r1"), "<think></think>b").reasoning_tokens == 0
    assert everywhere(Setup("deepseek_r1"), "</think>b").reasoning_tokens == 0
    counted = everywhere(Setup("deepseek_r1"), "thinking of things</think>b").reasoning_tokens
    assert counted == everywhere(Setup("deepseek_r1"), "<think>thinking of things</think>b").reasoning_tokens > 0


def test_identity_leaves_everything_alone():
    found = everywhere(Setup("identity"), "<think>a</think>b")
    assert (found.reasoning, found.content) == (None, "<think>a</think>b")


@pytest.mark.parametrize("stop", ["STOPSTOP", "=" * 40])
def test_t16_a_stop_string_that_never_comes_changes_nothing(stop):
    found = everywhere(Setup("deepseek_r1"), "ab</think>cd ef", text_only=False, stop=[stop])
    assert (found.reasoning, found.content) == ("ab", "cd ef")
