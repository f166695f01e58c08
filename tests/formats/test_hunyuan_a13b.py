"""Hunyuan-A13B: card hunyuan.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

LIST = '<tool_calls>[{"name":"f","arguments":{}}]</tool_calls>'
CALLED = (("f", {}),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<think>\nRoll it.\n</think>\n<answer>\nOk "
            '<tool_calls>[{"name":"roll","arguments":{"n":{"k":[1]}}}]</tool_calls>\n</answer>',
            Fields("Roll it.", "Ok ", (("roll", {"n": {"k": [1]}}),)),
            id="example",
        ),
        pytest.param("<think>\n\n</think>\n<answer>\nhi é🎉\n</answer>", Fields(None, "hi é🎉"), id="fast think"),
        pytest.param("no tags", Fields(None, "no tags"), id="no tags"),
        pytest.param("<think>a</think>b", Fields("a", "b"), id="bare spellings"),
        pytest.param("<think>\n\na\n\n</think>b", Fields("\na\n", "b"), id="one newline is framing"),
        pytest.param("<think>\na\n</think>\n<answer>\nb", Fields("a", "b"), id="no closing wrapper"),
        pytest.param("<think>a", Fields("a", None), id="R-TRUNC"),
        pytest.param("<think>a</think>b</think>c", Fields("a", "bc"), id="R-REPEAT"),
        pytest.param(
            f"<think>a {LIST} b</think>{LIST}", Fields(f"a {LIST} b", None, CALLED), id="in thinking it is text"
        ),
        pytest.param(f"a{LIST}\n{LIST}b", Fields(None, "ab", CALLED * 2), id="two lists"),
        pytest.param("a<tool_calls>soon</tool_calls>", Fields(None, "a<tool_calls>soon</tool_calls>"), id="no list"),
        pytest.param(
            '<tool_calls>[{"arguments":"{\\"s\\": \\"</answer>\\"}","name":"f"}]',
            Fields(None, None, (("f", {"s": "</answer>"}),)),
            id="a string, a marker in it, no closer",
        ),
        pytest.param('<answer>\n<tool_calls>[{"name":"f"', Fields(None, None, (), (("f", ""),)), id="cut"),
    ],
)
def test_both_halves(text, expected):
    assert everywhere(Setup("hunyuan_a13b", "hunyuan_a13b"), text) == expected


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(Setup("hunyuan_a13b"), f"<think>a</think>{LIST}", Fields("a", LIST), id="reasoning alone"),
        pytest.param(
            Setup(tool="hunyuan_a13b"),
            f"<think>a</think>{LIST}",
            Fields(None, "<think>a</think>", CALLED),
            id="tools alone",
        ),
        pytest.param(
            Setup("hunyuan_a13b", "hunyuan_a13b", prompt="<think>\n\n</think>\n"),
            "b",
            Fields(None, "b"),
            id="prompt closed",
        ),
        pytest.param(
            Setup("hunyuan_a13b", "hunyuan_a13b", prompt="<think>\n"), "a</think>b", Fields("a", "b"), id="prompt open"
        ),
    ],
)
def test_halves_and_prompts(setup, text, expected):
    assert everywhere(setup, text) == expected
