"""Gemma 4 and FunctionGemma: card gemma.md, every way a text can arrive."""

import pytest

from parsers.debug.feed import open_case
from parsers.debug.replay import ReplayOptions, run_case
from parsers.files.case import Case
from tests.every_cut import Fields, Setup, everywhere

Q = '<|"|>'
TOOLS = {
    "area.set": {"w": {"type": "number"}, "unit": {"type": "string"}, "opts": {"type": "object"}},
    "ping": {},
    "get-time": {"zone": {"type": "string"}},
    "set_light": {"room": {"type": "string"}, "on": {"type": "boolean"}},
}
CLOSED = "<|turn>model\n<|channel>thought\n<channel|>"


def gemma4(**changes):
    return Setup("gemma4", "gemma4", TOOLS, **changes)


def tools_only(**changes):
    return Setup(None, "gemma4", TOOLS, **changes)


def function_gemma(**changes):
    return Setup(None, "functiongemma", TOOLS, **changes)


def call(body):
    return f"<|tool_call>{body}<tool_call|>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<|channel>thought\nUse metric.\n<channel|>Ok."
            + call(f"call:area.set{{w:2.5,unit:{Q}m}}{Q},opts:{{deep:true}}}}"),
            Fields("Use metric.", "Ok.", (("area.set", {"w": 2.5, "unit": "m}", "opts": {"deep": True}}),)),
            id="example 1",
        ),
        pytest.param(
            f"{call('call:ping{}')} sent", Fields(None, " sent", (("ping", {}),)), id="example 2: text behind is kept"
        ),
        pytest.param(
            f"🌿 a {call('call:ping{}')} b {call(f'call:get-time{{zone:{Q}CET{Q}}}')} c",
            Fields(None, "🌿 a  b  c", (("ping", {}), ("get-time", {"zone": "CET"}))),
            id="text around calls is verbatim",
        ),
        pytest.param(
            f"{call('call:ping{}')}\n{call('call:ping{}')}",
            Fields(None, None, (("ping", {}), ("ping", {}))),
            id="white space between calls is no content",
        ),
        pytest.param(f"{call(':ping{}')}", Fields(None, None, (("ping", {}),)), id="a bare colon before the name"),
        pytest.param(
            call(f"call:get-time(zone:{Q}CET{Q})"),
            Fields(None, None, (("get-time", {"zone": "CET"}),)),
            id="round brackets are tolerated",
        ),
        pytest.param(
            call(f"call:get-time{{zone:{Q}see <tool_call|><|tool_call>call:ping{{}}<channel|>{Q}}}"),
            Fields(None, None, (("get-time", {"zone": "see <tool_call|><|tool_call>call:ping{}<channel|>"}),)),
            id="markers inside a string are data, by id too",
        ),
        pytest.param(
            call("call:area.set{unit:5,opts:{n:0,on:true}}"),
            Fields(None, None, (("area.set", {"unit": "5", "opts": {"n": 0, "on": True}}),)),
            id="bare values carry their type, the schema repairs",
        ),
    ],
)
def test_calls(text, expected):
    assert everywhere(gemma4(prompt="<|turn>model\n"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<|channel>thought\na\n\n<channel|>b", Fields("a", "b"), id="label and trailing white space"),
        pytest.param("<|channel>thought<channel|>b", Fields(None, "b"), id="a label alone is no reasoning"),
        pytest.param("<|channel>thought\n<channel|>b", Fields(None, "b"), id="an empty block is no reasoning"),
        pytest.param("<|channel>thought", Fields(None, None), id="cut behind the label"),
        pytest.param(
            "<|channel>thoughtful<channel|>b", Fields("thoughtful", "b"), id="a word that begins as the label"
        ),
        pytest.param("<|channel>plan\na<channel|>b", Fields("plan\na", "b"), id="other labels are text"),
        pytest.param("<|channel>thought\nthought\na<channel|>b", Fields("thought\na", "b"), id="removed once"),
        pytest.param("<|channel>thought\na", Fields("a", None), id="R-TRUNC"),
        pytest.param("a<channel|>b", Fields(None, "ab"), id="a closer in content is absorbed"),
        pytest.param(
            "<|channel>thought\na<|channel>b<channel|>c", Fields("ab", "c"), id="a repeated opener is absorbed"
        ),
        pytest.param("thought\na<channel|>b", Fields("a", "b"), id="repair: the opener was dropped"),
        pytest.param("thoughts\non this", Fields(None, "thoughts\non this"), id="no repair for other words"),
        pytest.param("A thought\nabout it", Fields(None, "A thought\nabout it"), id="no repair in the middle"),
        pytest.param(f"<|channel>thought\na{call('call:ping{}')}b", Fields("a", "b", (("ping", {}),)), id="R-TOOL"),
    ],
)
def test_reasoning(text, expected):
    assert everywhere(gemma4(), text) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        pytest.param(CLOSED, Fields(None, "thought\nab"), id="closed block: no repair"),
        pytest.param("<|turn>model\n", Fields("ab", None), id="untouched"),
        pytest.param("<|turn>model\n<|channel>thought\n", Fields("thought\na", "b"), id="open block"),
        pytest.param(
            "<|channel>thought\nx<|tool_call>call:ping{}<tool_call|><|tool_response>",
            Fields("ab", None),
            id="a channel before the turn boundary decides nothing",
        ),
    ],
)
def test_the_prompt_decides_where_the_stream_starts(prompt, expected):
    text = "thought\na<channel|>b" if expected.content == "b" else "thought\nab"
    assert everywhere(gemma4(prompt=prompt), text) == expected


def test_thinking_switched_on_waits_for_the_opener_all_the_same():
    assert everywhere(gemma4(kwargs={"enable_thinking": True}), "Hi") == Fields(None, "Hi")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(call("call:bad_func no brace"), id="no bracket"),
        pytest.param(call("get{}"), id="no call:"),
        pytest.param(call("call:get-time{zone}"), id="not the notation"),
        pytest.param(call("call:get-time{zone:1"), id="a bracket is missing"),
    ],
)
def test_a_block_that_is_no_call_comes_back_as_text(text):
    assert everywhere(gemma4(call_commit="on_close"), f"a {text} b") == Fields(None, f"a {text} b")


@pytest.mark.parametrize(
    ("text", "cut_call"),
    [
        pytest.param("<|tool_call>", None, id="behind the opener"),
        pytest.param("<|tool_call>call:get", None, id="in the name"),
        pytest.param("<|tool_call>call:get-time{zo", ("get-time", "{"), id="in a key"),
        pytest.param("<|tool_call>call:get-time{zone:C", ("get-time", "{"), id="in a bare value"),
        pytest.param(f"<|tool_call>call:get-time{{zone:{Q}C", ("get-time", '{"zone": "C'), id="in a string"),
        pytest.param(f"<|tool_call>call:get-time{{zone:{Q}C{Q}", ("get-time", '{"zone": "C"'), id="behind a string"),
        pytest.param("<|tool_call>call:get-time{zone:1}", ("get-time", '{"zone": "1"}'), id="before the closer"),
    ],
)
def test_a_call_that_is_cut_off_is_never_complete(text, cut_call):
    first = call("call:ping{}")
    assert everywhere(gemma4(), f"a {first}{text}") == Fields(
        None, "a ", (("ping", {}),), (cut_call,) if cut_call else ()
    )
    assert everywhere(gemma4(call_commit="on_close"), f"a {first}{text}") == Fields(None, "a ", (("ping", {}),))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(f"<|tool_call>call:ping{{}}{call('call:ping{}')}", 2, id="no closer"),
        pytest.param(f"<|tool_call>{call('call:ping{}')}", 1, id="opener twice"),
        pytest.param(f"<|tool_call><tool_call|>{call('call:ping{}')}", 1, id="nothing inside"),
        pytest.param(f"<tool_call|>{call('call:ping{}')}<tool_call|>", 1, id="closers alone"),
        pytest.param(f"<|tool_call>call:get-time{{zone:C{call('call:ping{}')}", 1, id="cut off by the next call"),
        pytest.param(call("call:ping{} and more"), 1, id="text behind the object"),
        pytest.param(call("call:ping{}}"), 1, id="a bracket too many"),
    ],
)
def test_recovery(text, calls):
    assert everywhere(gemma4(call_commit="on_close"), text) == Fields(None, None, (("ping", {}),) * calls)


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        pytest.param(tools_only(), "<|channel>thought\na<channel|>b", id="tools only"),
        pytest.param(Setup("gemma4"), f"a{call(f'call:get-time{{zone:{Q}C{Q}}}')}", id="reasoning only"),
    ],
)
def test_markup_of_the_half_that_is_absent_stays_visible(setup, text):
    assert everywhere(setup, text) == Fields(None, text)


def test_turn_tokens_vanish():
    assert everywhere(gemma4(), f"a{call('call:ping{}')}<|tool_response>") == Fields(None, "a", (("ping", {}),))


def test_letters_that_spell_a_marker_are_data_once_ids_tell():
    pieces = [
        "See ",
        "<|",
        "tool_call",
        ">",
        " or ",
        '<|"',
        "|>",
        ".",
        "<|tool_call>",
        "call:get-time{zone:",
        Q,
        "a<",
        '|"',
        "|>b",
        Q,
        "}",
        "<tool_call|>",
    ]
    case = Case.model_validate({"id": "x", "reasoning_parser": "gemma4", "tool_parser": "gemma4", "tokens": pieces})
    for strategy in ("whole", "one", "token", "rand:1:3"):
        result = run_case(case, open_case(case), strategy, ReplayOptions())
        assert result.content == 'See <|tool_call> or <|"|>.'
        assert [c.arguments for c in result.tool_calls] == ['{"zone": "a<|\\"|>b"}']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Hm <start_function_call>call:set_light{room:<escape>12<escape>,on:true}<end_function_call>",
            Fields(None, "Hm ", (("set_light", {"room": "12", "on": True}),)),
            id="card example",
        ),
        pytest.param(
            "<start_function_call>call:set_light{days:3,o:{a:<escape>x<escape>}}<end_function_call> after",
            Fields(None, " after", (("set_light", {"days": 3, "o": {"a": "x"}}),)),
            id="bare and nested values are kept",
        ),
        pytest.param(
            "<start_function_call>call:set_light{room:<escape>a}<end_function_call><escape>}<end_function_call>",
            Fields(None, None, (("set_light", {"room": "a}<end_function_call>"}),)),
            id="a closer inside a string is data",
        ),
        pytest.param(
            "<start_function_call>call:ping{}<end_function_call><start_function_call>call:get-time{}<end_function_call>",
            Fields(None, None, (("ping", {}), ("get-time", {}))),
            id="two calls without arguments, a hyphen",
        ),
        pytest.param(
            "<start_function_call>call:set_light{room:<escape>1",
            Fields(None, None, (), (("set_light", '{"room": "1'),)),
            id="cut off",
        ),
    ],
)
def test_functiongemma(text, expected):
    assert everywhere(function_gemma(), text) == expected
