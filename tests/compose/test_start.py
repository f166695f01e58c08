"""Where a stream starts: R-INIT, R-PROMPT (common-1.md), E-92, F-10; think-tags.md."""

import pytest

from parsers.compose.start import decide_start, prompt_state, switched_on
from parsers.engine.config import Switch
from parsers.registry import joined

QWEN = joined("qwen3", "qwen3_xml")
TURN = "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("prompt", "state"),
    [
        (TURN, "untouched"),
        (f"{TURN}<think>\n", "open"),
        (f"{TURN}<think>\n\n</think>\n\n", "closed"),
        (f"{TURN}<think>\n\n</think>\n\n<think>\n", "open"),
        (f"what is </think>?<|im_end|>\n{TURN}", "untouched"),
        (f"{TURN}<think>a</think>b<|im_end|>\n{TURN}<think>\n", "open"),
        (f"<think> is a tag<|im_end|>\n{TURN}", "untouched"),
        ("no turns, <think>", "open"),
    ],
)
def test_e92_only_the_current_turn_of_the_prompt_counts(prompt, state):
    assert prompt_state(QWEN, prompt) == state


@pytest.mark.parametrize(
    ("prompt", "kwargs", "state", "ended"),
    [
        (None, {}, "REASONING", False),
        (None, {"enable_thinking": True}, "REASONING", False),
        (None, {"enable_thinking": False}, "CONTENT", True),
        (f"{TURN}<think>\n", {"enable_thinking": False}, "REASONING", False),
        (f"{TURN}<think>\n\n</think>\n\n", {}, "CONTENT", True),
        (f"{TURN}<think>\n\n</think>\n\n", {"enable_thinking": True}, "CONTENT", True),
        (TURN, {"enable_thinking": False}, "CONTENT", True),
        ("", {}, "REASONING", False),
    ],
)
def test_r_prompt_the_prompt_wins_over_the_arguments(prompt, kwargs, state, ended):
    start = decide_start(QWEN, prompt, kwargs)
    assert (start.state, start.ended) == (state, ended)
    assert start.why


def test_a_format_without_reasoning_starts_where_it_says():
    start = decide_start(joined(None, "hermes"), f"{TURN}<think>\n", {"enable_thinking": True})
    assert (start.state, start.ended) == ("CONTENT", True)


def test_switched_off_the_markers_can_be_plain_text():
    config = joined("deepseek_v3", None)
    off = decide_start(config, None, {})
    assert off.config.rows == ()
    assert off.config.tokens == ()
    assert decide_start(config, None, {"thinking": True}).config is config
    assert decide_start(config, None, {}).config is off.config, "one table, so that compiled lexicons are shared"


ANY = Switch(("thinking", "enable_thinking"), default=False)


@pytest.mark.parametrize(
    ("switch", "arguments", "on"),
    [
        (ANY, {}, False),
        (ANY, {"thinking": True}, True),
        (ANY, {"thinking": False, "enable_thinking": True}, True),
        (ANY, {"thinking": None}, False),
        (ANY, {"other": True}, False),
        (Switch(("a", "b"), combine="first"), {"a": False, "b": True}, False),
        (Switch(("effort",)), {"effort": "none"}, False),
        (Switch(("effort",)), {"effort": "NONE"}, False),
        (Switch(("effort",)), {"effort": "high"}, True),
        (Switch(), {"thinking": False}, True),
        (Switch(("mode",), on_values=("enabled",)), {"mode": "Enabled"}, True),
        (Switch(("mode",), on_values=("enabled",)), {"mode": "auto"}, False),
        (Switch(("a",), vetoes=("effort",)), {"a": True, "effort": "none"}, False),
        (Switch(("a",), vetoes=("effort",)), {"a": False, "effort": "high"}, False),
        (Switch(("a",), vetoes=("effort",)), {"effort": "high"}, True),
    ],
)
def test_r_init_template_arguments_switch_thinking(switch, arguments, on):
    decided, why = switched_on(switch, arguments)
    assert decided is on
    assert why
