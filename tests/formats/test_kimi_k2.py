"""Kimi K2: card kimi-k2.md, every way a text can arrive."""

import pytest

from parsers.registry import build_parser
from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

BEGIN, END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CALL, ARGUMENTS, CALL_END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"


def kimi(**changes):
    return Setup("kimi_k2", "kimi_k2", **changes)


def call(header, body="{}"):
    return f"{CALL}{header}{ARGUMENTS}{body}{CALL_END}"


def section(*calls):
    return BEGIN + "".join(calls) + END


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            kimi(),
            "Look it up.</think>One sec." + section(call("functions.find:0", '{"q": "x"}')),
            Fields("Look it up.", "One sec.", (("find", {"q": "x"}),)),
            id="example 1",
        ),
        pytest.param(
            kimi(kwargs={"thinking": False}), f"{BEGIN}{END}Hi", Fields(None, "Hi"), id="example 2: an empty section"
        ),
        pytest.param(
            kimi(),
            "r</think>" + section(call("functions.f:3", '{"a": {"b": [1, "}"]}}'), call("functions.g:4")) + " After.",
            Fields("r", " After.", (("f", {"a": {"b": [1, "}"]}}), ("g", {}))),
            id="parallel calls, nested values, text after the section",
        ),
        pytest.param(
            kimi(),
            "🙂 é</think>🙂\n" + section(call("f:0", '{"q": "日本 🙂"}')),
            Fields("🙂 é", "🙂\n", (("f", {"q": "日本 🙂"}),)),
            id="characters of several bytes; text is verbatim",
        ),
        pytest.param(
            kimi(),
            "</think>" + section(call(" functions.f:0 ", ' {"a": 1}\n'), call("f:1", "")),
            Fields(None, None, (("f", {"a": 1}), ("f", {}))),
            id="Arguments: white space around the object is trimmed, an empty body is {}",
        ),
        pytest.param(
            kimi(tools={"f": {"days": {"type": "integer"}}}),
            "</think>" + section(call("f:0", '{"days": "5"}')),
            Fields(None, None, (("f", {"days": "5"}),)),
            id="Arguments: JSON types are authoritative",
        ),
        pytest.param(
            kimi(),
            "</think>" + section(call("f:0", f'{{"s": "{CALL_END}{BEGIN}</think> {CALL}x"}}')),
            Fields(None, None, (("f", {"s": f"{CALL_END}{BEGIN}</think> {CALL}x"}),)),
            id="Recovery: markers in a string are data",
        ),
        pytest.param(Setup("kimi_k2"), "r</think>" + section(call("f:0")), Fields("r", section(call("f:0"))),
                     id="reasoning only: tool markup is content"),
        pytest.param(Setup(None, "kimi_k2"), "<think>r</think>a" + section(call("f:0")),
                     Fields(None, "<think>r</think>a", (("f", {}),)), id="tools only: think tags are content"),
    ],
)  # fmt: skip
def test_output(setup, text, expected):
    assert everywhere(setup, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "r" + section(call("f:0")) + "x", Fields("r", "x", (("f", {}),)), id="R-TOOL: a section ends thinking"
        ),
        pytest.param(
            f"</think>a{BEGIN}noise{call('f:0')}more{call('g:1')}{END}b",
            Fields(None, "ab", (("f", {}), ("g", {}))),
            id="noise inside the section is dropped",
        ),
        pytest.param(
            f"</think>{BEGIN}{CALL}f:0{ARGUMENTS}{{}}{END}b", Fields(None, "b", (("f", {}),)), id="no call_end"
        ),
        pytest.param(
            f"</think>{BEGIN}{CALL}f:0{ARGUMENTS}{{}}{call('g:1')}{END}",
            Fields(None, None, (("f", {}), ("g", {}))),
            id="no call_end before the next call",
        ),
        pytest.param("</think>" + call("f:0"), Fields(None, None, (("f", {}),)), id="a call without its section"),
        pytest.param(f"</think>{BEGIN}{CALL}f:0{CALL_END}{END}", Fields(None, None, (("f", {}),)), id="no arguments"),
        pytest.param(f"</think>a{END}b", Fields(None, "ab"), id="a closer alone"),
        pytest.param("a</think>b</think>c", Fields("a", "bc"), id="R-REPEAT"),
        pytest.param("<think>a</think>b", Fields("a", "b"), id="R-OPEN"),
        pytest.param("</think>" + section(call("f:0", '{"a": 1')), Fields(None, None, cut_calls=(("f", '{"a": 1'),)),
                     id="a brace is missing: no complete call"),
    ],
)  # fmt: skip
def test_recovery(text, expected):
    assert everywhere(kimi(), text) == expected


@pytest.mark.parametrize(
    ("header", "name", "call_id"),
    [
        ("functions.get_weather:3", "get_weather", "functions.get_weather:3"),
        (" get_weather:12 ", "get_weather", "get_weather:12"),
        ("functions.ns.f:0", "ns.f", "functions.ns.f:0"),
        ("ns.get_weather:0", "ns.get_weather", "ns.get_weather:0"),
        ("functions.f", "f", "functions.f:7"),
        ("a:b", "a:b", "functions.a:b:7"),
    ],
)
def test_the_header_is_the_id(header, name, call_id):
    """Card "Name, id": a header without digits is a name; ids that have to be made count the conversation's calls."""
    parser = build_parser("kimi_k2", "kimi_k2", None, template_kwargs={"thinking": False}, history_calls=7)
    (got,) = parser.parse(section(call(header))).tool_calls
    assert (got.function.name, got.id) == (name, call_id)


@pytest.mark.parametrize(
    ("kwargs", "prompt", "expected"),
    [
        pytest.param({}, None, Fields("a", "b"), id="on by default"),
        pytest.param({"enable_thinking": False}, None, Fields(None, "a</think>b"), id="off: tags are text"),
        pytest.param({"thinking": False, "enable_thinking": True}, None, Fields("a", "b"), id="one of two is on"),
        pytest.param({}, "<|im_assistant|>assistant<|im_middle|><think></think>", Fields(None, "a</think>b"),
                     id="R-PROMPT: the prompt has closed thinking"),
        pytest.param({"thinking": False}, "<|im_assistant|>assistant<|im_middle|><think>", Fields("a", "b"),
                     id="the prompt has opened thinking"),
        pytest.param({}, "<think></think><|im_end|><|im_assistant|>assistant<|im_middle|>", Fields("a", "b"),
                     id="an earlier turn decides nothing"),
    ],
)  # fmt: skip
def test_initial_state(kwargs, prompt, expected):
    assert everywhere(kimi(kwargs=kwargs, prompt=prompt), "a</think>b") == expected


def test_a_marker_of_ordinary_tokens_is_text():
    """E-22: a marker that is a token counts only by its id."""
    tokens = ["a", "</", "think", ">", "</think>", "Use ", "<|", "tool_calls_section_begin", "|>", "."]
    assert from_tokens(kimi(), tokens) == Fields("a</think>", f"Use {BEGIN}.")


def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup():
    text = "ok</think>Hi" + section(call("functions.f:0", '{"s": "a\\"b", "n": [12, 3]}'))
    for beginning, fields in cut_off_everywhere(kimi(), text, text.index(BEGIN) + len(BEGIN)):
        complete = CALL_END in beginning
        assert fields == Fields("ok", "Hi", (("f", {"s": 'a"b', "n": [12, 3]}),) if complete else ()), beginning
