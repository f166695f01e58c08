"""How prompts switch and leave thinking (point 5)."""

import pytest

from parsers.templates.prompts import Switch, find_switches, thinking_state
from parsers.templates.render import Source


@pytest.mark.parametrize(
    ("end", "state"),
    [
        pytest.param("<a>", "none", id="nothing"),
        pytest.param("<a><think>\n", "open", id="open"),
        pytest.param("<a><think>\n\n</think>\n\n", "closed", id="empty-block"),
        pytest.param("<a></think>", "closed", id="bare-closer"),
        pytest.param("<a><seed:think>", "open", id="a-family's-own-tag"),
        pytest.param("<|START_THINKING|><|END_THINKING|>", "closed", id="tokens"),
        pytest.param("<a><thought>\n", "open", id="a-tag-no-format-knows"),
    ],
)
def test_the_end_of_a_prompt_tells_the_state(end, state):
    assert thinking_state(end) == state


@pytest.mark.parametrize(
    ("variables", "on", "off"),
    [
        ({"enable_thinking", "messages"}, {"enable_thinking": True}, {"enable_thinking": False}),
        ({"reasoning_effort"}, {"reasoning_effort": "high"}, {"reasoning_effort": "none"}),
        ({"thinking_budget"}, {"thinking_budget": 512}, {"thinking_budget": 0}),
        ({"thinking", "reasoning_effort"}, {"thinking": True}, {"thinking": False}),
        ({"use_think_mode", "rethinking"}, {"use_think_mode": True}, {"use_think_mode": False}),
    ],
    ids=["enable_thinking", "effort", "budget", "plain-switches-first", "sounds-like-one"],
)
def test_switches_have_many_names(variables, on, off):
    found = find_switches(Source(frozenset(variables)))
    assert found == {"default": Switch(), "on": Switch(on), "off": Switch(off)}


def test_a_word_in_the_system_message_is_a_switch_where_no_argument_is():
    found = find_switches(Source(compared=("/no_think",)))
    assert [switch.system for switch in found.values()] == ["", "/think", "/no_think"]


def test_without_a_switch_there_is_only_the_default():
    assert find_switches(Source(frozenset({"messages"}))) == {"default": Switch()}
