"""Step3's calls: card step3.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

BEGIN, END = "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"
CALL, SEP, CALL_END = "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"
TOOLS = {"f": {"n": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": "object"}}, "now": {}}
STEP3 = Setup("step3", "step3", TOOLS)


def param(key, value):
    return f'<steptml:parameter name="{key}">{value}</steptml:parameter>'


def invoke(name, *params):
    return f'<steptml:invoke name="{name}">{"".join(params)}</steptml:invoke>'


def call(body):
    return f"{CALL}function{SEP}{body}{CALL_END}"


def section(*calls):
    return BEGIN + "\n".join(calls) + END


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "hm</think>Ok " + section(call(invoke("f", param("n", " 2 ")))), Fields("hm", "Ok", (("f", {"n": 2}),)),
            id="example 1",
        ),
        pytest.param("hm</think>" + section(call(invoke("now"))), Fields("hm", None, (("now", {}),)), id="example 2"),
        pytest.param(
            "</think>hi " + section(call(invoke("now")), call(invoke("f", param("s", "\n 日本 🙂 \n")))) + " tail",
            Fields(None, "hi  tail", (("now", {}), ("f", {"s": "日本 🙂"}))),
            id="Arguments: values are stripped; Whitespace: the inner double space stays",
        ),
        pytest.param(
            "</think>" + section(call(invoke("f", param("o", ' {"a": [1]} '), param("x", "3"), param("x", "4")))),
            Fields(None, None, (("f", {"o": {"a": [1]}, "x": "3"}),)),
            id="Arguments: objects are parsed, no schema is a string, C-DUP",
        ),
        pytest.param(
            "</think>" + section(call(invoke("f", param("s", f"</steptml:parameter> and {CALL_END} and {END} end")))),
            Fields(None, None, (("f", {"s": f"</steptml:parameter> and {CALL_END} and {END} end"}),)),
            id="markers in a value are data",
        ),
        pytest.param("a" + section(call(invoke("now"))), Fields("a", None, (("now", {}),)), id="R-TOOL"),
    ],
)  # fmt: skip
def test_output(text, expected):
    assert everywhere(STEP3, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(BEGIN + call(invoke("now")), Fields(None, None, (("now", {}),)), id="no section end"),
        pytest.param(
            section(f"{CALL}{invoke('now')}{CALL_END}"), Fields(None, None, (("now", {}),)), id="no separator"
        ),
        pytest.param(
            section(f"{CALL}tool{SEP}{invoke('now')}{CALL_END}"), Fields(None, None, (("now", {}),)), id="another type"
        ),
        pytest.param(
            section(call('<steptml:invoke name="f">' + param("n", "1"))), Fields(None, None, (("f", {"n": 1}),)),
            id="no invoke end",
        ),
        pytest.param(
            section(f'{CALL}function{SEP}<steptml:invoke name="f">{call(invoke("now"))}'),
            Fields(None, None, (("f", {}), ("now", {}))), id="no closer before the next call",
        ),
        pytest.param(
            section(call('<steptml:invoke name="f"><steptml:parameter name="s">A</steptml:invoke>')),
            Fields(None, None, (("f", {"s": "A"}),)), id="no parameter end",
        ),
        pytest.param(section(call("")) + "b", Fields(None, "b"), id="no invoke"),
        pytest.param(f"a{BEGIN}{CALL}function{END}b{END}c", Fields(None, "abc"), id="no invoke, no call end"),
        pytest.param(f"a{BEGIN}{END}b", Fields(None, "ab"), id="an empty section"),
    ],
)  # fmt: skip
def test_recovery(text, expected):
    assert everywhere(STEP3, f"</think>{text}") == expected


def test_tools_only_leaves_think_tags_in_the_content():
    """INDEX-2 feature 20."""
    text = "r</think>a" + section(call(invoke("now")))
    assert everywhere(Setup(None, "step3", TOOLS), text) == Fields(None, "r</think>a", (("now", {}),))


def test_a_marker_of_ordinary_tokens_is_text():
    """E-22."""
    assert from_tokens(STEP3, ["</think>", "Use <｜tool", "_calls_begin｜>", "."]) == Fields(None, f"Use {BEGIN}.")


def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup():
    """T-FIX, T-27."""
    text = "ok</think>Hi" + section(call(invoke("f", param("s", 'a "b'), param("n", "12"))))
    for beginning, fields in cut_off_everywhere(STEP3, text, text.index(BEGIN) + len(BEGIN)):
        calls = (("f", {"s": 'a "b', "n": 12}),) if "</steptml:invoke>" in beginning else ()
        assert fields == Fields("ok", "Hi", calls), beginning
