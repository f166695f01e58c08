"""Names on the command lines of two servers."""

import pytest

from parsers.aliases import SGLANG_TOOLS
from parsers.names import TOOLS
from parsers.templates.flags import SAME_IN_SGLANG, sglang_flags, vllm_flags


def test_borrowed_names_exist_on_both_sides():
    assert set(SAME_IN_SGLANG) <= set(TOOLS)
    assert set(SAME_IN_SGLANG.values()) <= set(SGLANG_TOOLS)


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
