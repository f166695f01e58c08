"""ERNIE 4.5: card ernie45.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

F = '<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>\n'
CALLED = (("f", {}),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Sum it.\n</think>\n\n<response>\n42\n</response>\n", Fields("Sum it.", "42"), id="example 1"),
        pytest.param(
            'Call.\n</think>\n\n\n<tool_call>\n{"name":"pay","arguments":{"eur":3}}\n</tool_call>\n',
            Fields("Call.", None, (("pay", {"eur": 3}),)),
            id="example 2",
        ),
        pytest.param("why\n</think>\nAns", Fields("why", "Ans"), id="an answer without its wrapper"),
        pytest.param("a\n\nb\n</think>c\n\nd", Fields("a\n\nb", "c\n\nd"), id="newlines elsewhere are data"),
        pytest.param(" a </think> b ", Fields(" a ", " b "), id="spaces are data"),
        pytest.param("<think>a</think>b", Fields("a", "b"), id="R-OPEN"),
        pytest.param("a</think>b</think>c", Fields("a", "bc"), id="R-REPEAT"),
        pytest.param("a", Fields("a", None), id="R-TRUNC"),
        pytest.param("a\n</thi", Fields("a\n</thi", None), id="the beginning of a closer at the end"),
        pytest.param("a</think>b</response>c", Fields("a", "bc"), id="a closing wrapper alone is absorbed"),
        pytest.param(f"a</think>hi\n\n{F}{F}é🎉", Fields("a", "hié🎉", CALLED * 2), id="text, parallel calls, text"),
        pytest.param(f"a</think><response>x\n</response>\n{F}", Fields("a", "x", CALLED), id="an answer and a call"),
        pytest.param(f"a</think>{F}<response>\nx\n</response>", Fields("a", "x", CALLED), id="a call and an answer"),
        pytest.param(f"a\n{F}", Fields("a", None, CALLED), id="R-TOOL"),
        pytest.param(
            f"a</think><tool_call>bad</tool_call>\nz{F}",
            Fields("a", "<tool_call>bad</tool_call>\nz", CALLED),
            id="a bad call is text as it stands, the good one stays",
        ),
        pytest.param(
            'a</think><tool_call>{"name":"f","arguments":{"s":"</tool_call>\\n","o":{"k":[]}}}',
            Fields("a", None, (("f", {"s": "</tool_call>\n", "o": {"k": []}}),)),
            id="a marker in a string; no closer",
        ),
        pytest.param('a</think>b\n<tool_call>{"name":"f"', Fields("a", "b", (), (("f", ""),)), id="cut"),
    ],
)
def test_both_halves(text, expected):
    assert everywhere(Setup("ernie45", "ernie45"), text) == expected


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(Setup("ernie45"), f"a</think>\n{F}", Fields("a", F), id="reasoning alone"),
        pytest.param(Setup(tool="ernie45"), f"a</think>{F}", Fields(None, "a</think>", CALLED), id="tools alone"),
        pytest.param(
            Setup("ernie45", "ernie45", prompt="<think>\n\n</think>\n"), "b", Fields(None, "b"), id="prompt closed"
        ),
        pytest.param(
            Setup("ernie45", "ernie45", prompt="<think>\n"), "a\n</think>b", Fields("a", "b"), id="prompt open"
        ),
    ],
)
def test_halves_and_prompts(setup, text, expected):
    assert everywhere(setup, text) == expected
