"""Granite: card granite.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

OPEN, SEPARATOR = "Here is my thought process:", "Here is my response:"
LIST = '[{"name": "a", "arguments": {"k": "]"}}, {"arguments": {}, "name": "b"}]'
CALLED = (("a", {"k": "]"}), ("b", {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{OPEN} why {SEPARATOR} ok", Fields(" why ", " ok"), id="text is verbatim"),
        pytest.param("Here's my thought process:a\nHere's my response:é🎉", Fields("a\n", "é🎉"), id="both spellings"),
        pytest.param(f"\n {OPEN}a{SEPARATOR}b", Fields("a", "b"), id="leading white space is ignored"),
        pytest.param(f"pre {OPEN}a{SEPARATOR}b", Fields(None, f"pre {OPEN}a{SEPARATOR}b"), id="anchored at the start"),
        pytest.param(f"{OPEN} cut", Fields(" cut", None), id="R-TRUNC"),
        pytest.param("Here is my th", Fields(None, "Here is my th"), id="the beginning of the opener"),
        pytest.param("Here is my plan", Fields(None, "Here is my plan"), id="another sentence"),
        pytest.param(f"a{SEPARATOR}b", Fields(None, f"a{SEPARATOR}b"), id="no opener: the separator is text"),
        pytest.param(
            f"{OPEN}a{SEPARATOR}b{SEPARATOR}", Fields("a", f"b{SEPARATOR}"), id="a repeated separator is text"
        ),
        pytest.param(f"{OPEN}a{OPEN}b{SEPARATOR}", Fields(f"a{OPEN}b", None), id="a repeated opener is text"),
        pytest.param(
            f"{OPEN}a{SEPARATOR}Ok <tool_call> {LIST} done",
            Fields("a", "Ok  done", CALLED),
            id="example behind thinking",
        ),
        pytest.param(f"{OPEN}a<|tool_call|>{LIST}", Fields("a", None, CALLED), id="R-TOOL"),
    ],
)
def test_granite_prose(text, expected):
    assert everywhere(Setup("granite", "granite"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"Ok <tool_call> {LIST} done", Fields(None, "Ok  done", CALLED), id="example, marker in plain text"
        ),
        pytest.param(f"<|tool_call|>{LIST}", Fields(None, None, CALLED), id="marker as one token"),
        pytest.param(f"<|tool_call|>{LIST}<|tool_call|>{LIST}", Fields(None, None, CALLED * 2), id="two lists"),
        pytest.param("<|tool_call|>nope", Fields(None, "<|tool_call|>nope"), id="no list"),
        pytest.param("<|tool_call|>[] x", Fields(None, " x"), id="an empty list"),
        pytest.param(
            '<|tool_call|>[{"arguments": "{\\"n\\": 1}", "name": "f"}]',
            Fields(None, None, (("f", {"n": 1}),)),
            id="a string",
        ),
        pytest.param(
            '<|tool_call|>[{"parameters": {"name": "z"}, "name": "f"}]',
            Fields(None, None, (("f", {"name": "z"}),)),
            id="parameters accepted, depth 1 keys only",
        ),
        pytest.param(
            '<|tool_call|>[{"name": "f", "arguments": {"<|tool_call|>": "1"}}]',
            Fields(None, None, (("f", {"<|tool_call|>": "1"}),)),
            id="a marker in a string; verbatim",
        ),
        pytest.param(f'<|tool_call|>{LIST[:-1]}, {{"na', Fields(None, None, CALLED), id="the third call cut"),
        pytest.param(f"{OPEN}a{SEPARATOR}b", Fields(None, f"{OPEN}a{SEPARATOR}b"), id="no reasoning parser"),
    ],
)
def test_granite_list(text, expected):
    assert everywhere(Setup(tool="granite"), text) == expected


def test_granite_reasoning_alone_leaves_tool_markup():
    text = f"{OPEN}a{SEPARATOR}<|tool_call|>{LIST}"
    assert everywhere(Setup("granite"), text) == Fields("a", f"<|tool_call|>{LIST}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Weigh it.\n</think>\n\nFine", Fields("Weigh it.", "Fine"), id="example"),
        pytest.param("a</think>\n b\n", Fields("a", " b\n"), id="newlines alone"),
        pytest.param("a \n</think>", Fields("a", None), id="R-STRIP"),
        pytest.param("<think>a", Fields("a", None), id="R-TRUNC, R-OPEN"),
        pytest.param("a</think>b</think>c", Fields("a", "bc"), id="R-REPEAT"),
    ],
)
def test_granite_thinking_parser(text, expected):
    assert everywhere(Setup("granite_thinking_parser"), text) == expected


@pytest.mark.parametrize("kwargs", [{"force_nonempty_content": True}, {"enable_thinking": False}], ids=str)
def test_granite_thinking_parser_swaps_a_lone_field(kwargs):
    assert everywhere(Setup("granite_thinking_parser", kwargs=kwargs, prompt="<think>\n"), "a</think>\n").content == "a"


def test_granite_thinking_parser_with_tagged_calls():
    text = "a\n</think>\n\n<tool_call>\n<function=f>\n</function>\n</tool_call>"
    assert everywhere(Setup("granite_thinking_parser", "qwen3_coder"), text) == Fields("a", None, (("f", {}),))


def g4(name, arguments="{}"):
    return f'<tool_call>{{"name":"{name}","arguments":{arguments}}}</tool_call>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "x" + g4("f", '{"a":1}') + "\n" + g4("g") + "y",
            Fields(None, "xy", (("f", {"a": 1}), ("g", {}))),
            id="example",
        ),
        pytest.param(
            f"a<tool_call>bad</tool_call> b {g4('g', 'null')}",
            Fields(None, "a<tool_call>bad</tool_call> b ", (("g", {}),)),
            id="a bad call is text, the good one stays",
        ),
        pytest.param(
            f"{g4('f')}\n<tool_call>bad</tool_call>z",
            Fields(None, "<tool_call>bad</tool_call>z", (("f", {}),)),
            id="good, then bad",
        ),
        pytest.param(
            g4("f", '"{}"') + "<tool_call>", Fields(None, None, (("f", {}),)), id="a string; an opener at the end"
        ),
        pytest.param(
            '<tool_call>{"name":"f","arguments":{"s":"</tool_call>"}}',
            Fields(None, None, (("f", {"s": "</tool_call>"}),)),
            id="a closer in a string, none behind it",
        ),
    ],
)
def test_granite4(text, expected):
    assert everywhere(Setup(tool="granite4"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'Will do <function_call> {"name": "mv", "arguments": {"to": "}"}}',
            Fields(None, "Will do ", (("mv", {"to": "}"}),)),
            id="example",
        ),
        pytest.param(
            '<function_call>{"name": "f", "arguments": {}} <function_call> {"name": "g"} x',
            Fields(None, " x", (("f", {}), ("g", {}))),
            id="two calls, text behind",
        ),
        pytest.param("<function_call>soon", Fields(None, "<function_call>soon"), id="no object"),
        pytest.param('<function_call>{"name": "f"', Fields(None, None, (), (("f", ""),)), id="cut"),
    ],
)
def test_granite_20b_fc(text, expected):
    assert everywhere(Setup(tool="granite-20b-fc"), text) == expected
