"""Names on the command lines of two servers."""

import pytest

from parsers.names import REASONING, TOOLS
from parsers.templates.flags import SAME_IN_SGLANG, SGLANG_REASONING, SGLANG_TOOLS, resolve, sglang_flags, vllm_flags


def test_every_alias_leads_to_a_registered_name():
    assert set(SGLANG_REASONING.values()) <= set(REASONING)
    assert set(SGLANG_TOOLS.values()) <= set(TOOLS)
    assert set(SAME_IN_SGLANG) <= set(TOOLS)
    assert set(SAME_IN_SGLANG.values()) <= set(SGLANG_TOOLS)


@pytest.mark.parametrize(
    ("kind", "typed", "ours"),
    [
        ("tool", "qwen25", "hermes"),
        ("tool", "deepseekv3", "deepseek_v3"),
        ("tool", "gpt-oss", "openai"),
        ("reasoning", "gpt-oss", "openai_gptoss"),
        ("reasoning", "deepseek-r1", "deepseek_r1"),
        ("tool", "muse", "muse"),
        ("tool", "nobody", "nobody"),
    ],
)
def test_other_servers_names_are_aliases_and_ours_win(kind, typed, ours):
    assert resolve(kind, typed) == ours


@pytest.mark.parametrize(
    ("pair", "vllm", "sglang"),
    [
        ((None, None), "", ""),
        (("qwen3", None), "--reasoning-parser qwen3", "--reasoning-parser qwen3"),
        ((None, "hermes"), "--enable-auto-tool-choice --tool-call-parser hermes", "--tool-call-parser hermes"),
        ((None, "qwen3_json"), "--enable-auto-tool-choice --tool-call-parser qwen3_json", "--tool-call-parser qwen25"),
        (("qwen3", "jamba"), "--reasoning-parser qwen3 --enable-auto-tool-choice --tool-call-parser jamba", None),
    ],
    ids=["none", "reasoning", "tool", "another-name", "no-such-format"],
)
def test_flags_are_ready_to_copy(pair, vllm, sglang):
    assert (vllm_flags(*pair), sglang_flags(*pair)) == (vllm, sglang)
