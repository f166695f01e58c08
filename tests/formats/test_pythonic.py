"""Python calls: card pythonic.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

START, END = "<|tool_call_start|>", "<|tool_call_end|>"
NESTED = "[register(name='Doe', age=9, address={'city': 'LA'}, role=None, ok=True, tags=['a', 'b'])]"


def pythonic(**changes):
    return Setup(None, "pythonic", **changes)


def llama4(**changes):
    return Setup(None, "llama4_pythonic", **changes)


def lfm2(**changes):
    return Setup(None, "lfm2", **changes)


def olmo3(**changes):
    return Setup("olmo3", "olmo3", **changes)


def block(body):
    return f"{START}{body}{END}"


BARE = pytest.mark.parametrize("setup", [pythonic(), llama4()], ids=["pythonic", "llama4_pythonic"])


@BARE
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            NESTED,
            Fields(
                None,
                None,
                (
                    (
                        "register",
                        {
                            "name": "Doe",
                            "age": 9,
                            "address": {"city": "LA"},
                            "role": None,
                            "ok": True,
                            "tags": ["a", "b"],
                        },
                    ),
                ),
            ),
            id="nested values",
        ),
        pytest.param("[f(a=1),g()]", Fields(None, None, (("f", {"a": 1}), ("g", {}))), id="parallel, no spaces"),
        pytest.param(
            "[a.b.c(_x=5,)]", Fields(None, None, (("a.b.c", {"_x": 5}),)), id="dots, underscore, trailing comma"
        ),
        pytest.param(" \n[f()]", Fields(None, None, (("f", {}),)), id="leading white space is allowed"),
        pytest.param("[f()] after", Fields(None, " after", (("f", {}),)), id="text after the list is content"),
        pytest.param("say [f()]", Fields(None, "say [f()]"), id="text before the list: content only"),
        pytest.param("[1, 2, 3]", Fields(None, "[1, 2, 3]"), id="a list that is no call is flushed"),
        pytest.param("[]", Fields(None, "[]"), id="an empty list is content"),
        pytest.param("[f(5)]", Fields(None, "[f(5)]"), id="a positional argument rejects the call"),
        pytest.param("[see f(x)] hm", Fields(None, "[see f(x)] hm"), id="prose in brackets"),
        pytest.param("[", Fields(None, "["), id="a bracket alone"),
        pytest.param("🌸[f()]", Fields(None, "🌸[f()]"), id="an emoji before the list"),
        pytest.param("[f(a='🌸])')]", Fields(None, None, (("f", {"a": "🌸])"}),)), id="brackets in a string"),
    ],
)
def test_a_bare_list_must_begin_the_answer(setup, text, expected):
    assert everywhere(setup, text) == expected


@BARE
@pytest.mark.parametrize("text", ["[f(a=1), g(5)] x", "[f(a=x)] x", "[f(a=1, a=2)] x"])
def test_a_list_is_a_call_as_a_whole_or_not_at_all(setup, text):
    waiting = Setup(None, setup.tool, call_commit="on_close")
    assert everywhere(waiting, text) == Fields(None, text)


@BARE
def test_a_list_that_is_cut_off_is_no_call(setup):
    """pythonic.md: fixture `l4-truncated-missing-close-bracket`; T-27."""
    for beginning, fields in cut_off_everywhere(setup, "[f(a='x', b=[1, 2]), g()]", 1):
        assert not fields.calls, beginning
        assert (fields.content is None) == ("=" in beginning), beginning


def test_streamed_calls_of_a_list_that_is_cut_off():
    assert everywhere(pythonic(), "[f(a=1), g(b='x") == Fields(None, None, (("f", {"a": 1}),), (("g", '{"b": "x'),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<|python_start|>[f(a=1)]<|python_end|>", Fields(None, None, (("f", {"a": 1}),)), id="both markers"
        ),
        pytest.param("[f()]<|python_end|><|eom|>", Fields(None, None, (("f", {}),)), id="a closer alone, an end token"),
        pytest.param("hi <|python_start|>[f()]<|python_end|> z", Fields(None, "hi  z", (("f", {}),)), id="behind text"),
        pytest.param("<|python_start|>print(1)<|python_end|>", Fields(None, "print(1)"), id="code that is no call"),
        pytest.param("<|python_start|><|python_end|>x", Fields(None, "x"), id="nothing inside"),
        pytest.param(
            "[f(a='<|python_end|>')]", Fields(None, None, (("f", {"a": "<|python_end|>"}),)), id="marker as data"
        ),
        pytest.param(
            "[f(a=['<|python_end|>'])]", Fields(None, None, (("f", {"a": ["<|python_end|>"]}),)), id="in a list"
        ),
        pytest.param("[f(5)]<|python_end|>x", Fields(None, "[f(5)]x"), id="no keyword call"),
        pytest.param("[f(5)]<|python_start|>[f()]", Fields(None, "[f(5)]", (("f", {}),)), id="a second attempt"),
    ],
)
def test_llama4_markers_are_absorbed_at_the_edges(text, expected):
    assert everywhere(llama4(), text) == expected


def test_llama4_a_bracket_is_missing_before_the_closer():
    text = "[f(a=1)<|python_end|>"
    assert everywhere(llama4(call_commit="on_close"), text) == Fields(None, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"Wait. {block('[mail.send(to=[QaQ,QbQ], urgent=True), log(n=-2)]'.replace('Q', chr(39)))} Done",
            Fields(None, "Wait.  Done", (("mail.send", {"to": ["a", "b"], "urgent": True}), ("log", {"n": -2}))),
            id="example 1",
        ),
        pytest.param(block("[f()]") * 2, Fields(None, None, (("f", {}), ("f", {}))), id="all blocks are parsed"),
        pytest.param(
            f"a{block('[f()]')} b {block('[g()]')}c", Fields(None, "a b c", (("f", {}), ("g", {}))), id="text around"
        ),
        pytest.param(f"{START}[f()]", Fields(None, None, (("f", {}),)), id="no closer at the end"),
        pytest.param(f"{START}[f()]x", Fields(None, "x", (("f", {}),)), id="no closer before text"),
        pytest.param(
            f"{START}[f()]{block('[g()]')}", Fields(None, None, (("f", {}), ("g", {}))), id="no closer at all"
        ),
        pytest.param(f"{START}\n[f()]\n{END}\nx", Fields(None, "\nx", (("f", {}),)), id="newlines inside are markup"),
        pytest.param(f"x{END}y", Fields(None, "xy"), id="a closer alone is absorbed"),
        pytest.param(
            block(f"[f(a='{END}{START}[g()]')]"), Fields(None, None, (("f", {"a": f"{END}{START}[g()]"}),)), id="data"
        ),
        pytest.param(
            block("[f(a='it's', b=07)]"), Fields(None, None, (("f", {"a": "it's", "b": 7}),)), id="repairs 1, 2"
        ),
        pytest.param(block("[f(from=1)]"), Fields(None, None, (("f", {"from": 1}),)), id="repair 3"),
        pytest.param(f"{block('[f()]')}[f()]{END} z", Fields(None, " z", (("f", {}),)), id="an echo is dropped"),
        pytest.param(f"{block('[f()]')}<x>{END}{END}z", Fields(None, "z", (("f", {}),)), id="an echo of tags"),
        pytest.param(f"{block('[f()]')}[1] is", Fields(None, "[1] is", (("f", {}),)), id="no second closer: text"),
        pytest.param(
            f"{block('[f()]')}[1] {block('[g()]')}",
            Fields(None, "[1] ", (("f", {}), ("g", {}))),
            id="no echo: a call follows",
        ),
    ],
)
def test_lfm2(text, expected):
    assert everywhere(lfm2(), text) == expected
    assert everywhere(lfm2(call_commit="on_close"), text) == expected


@pytest.mark.parametrize("body", ["[]", "[1]", "[f(5)]", "f()", "hm", "", "[f(a=1)", "[f(a=1), g(x)]"])
def test_lfm2_a_block_that_is_no_list_of_calls_comes_back_as_text(body):
    text = f"a {block(body)} b"
    assert everywhere(lfm2(call_commit="on_close"), text) == Fields(None, text)


def test_lfm2_cut_off_anywhere():
    """T-FIX, T-27."""
    for beginning, fields in cut_off_everywhere(lfm2(), f"a{block('[f(a=Qx yQ, b=2.5)]'.replace('Q', chr(39)))}b", 1):
        calls = (("f", {"a": "x y", "b": 2.5}),) if ")]" in beginning else ()
        assert fields == Fields(None, "ab" if beginning.endswith(f"{END}b") else "a", calls), beginning


def test_lfm2_letters_that_spell_a_marker_are_text_once_ids_tell():
    pieces = ["Write ", "<|", "tool_call_start", "|>", " first. ", START, "[f(a=1)]", END]
    assert from_tokens(lfm2(), pieces) == Fields(None, f"Write {START} first. ", (("f", {"a": 1}),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'Plan</think><function_calls>run(cmd="a\\nb")\nstop()</function_calls>',
            Fields("Plan", None, (("run", {"cmd": "a\nb"}), ("stop", {}))),
            id="example 2",
        ),
        pytest.param(
            "</think>a <function_calls>\nf(a='x\ny',\n b=[1,\n2])\n</function_calls> z",
            Fields(None, "a  z", (("f", {"a": "x\ny", "b": [1, 2]}),)),
            id="newlines inside strings and brackets, text around",
        ),
        pytest.param("</think>t2(x=1)", Fields(None, "t2(x=1)"), id="the tags are required"),
        pytest.param("</think>f(5)</function_calls>x", Fields(None, "f(5)x"), id="a closer alone is absorbed"),
        pytest.param(
            "</think><function_calls>f(a='</function_calls>')</function_calls>",
            Fields(None, None, (("f", {"a": "</function_calls>"}),)),
            id="a tag inside a string is data",
        ),
        pytest.param(
            "</think><function_calls>f(5)<function_calls>g()</function_calls>",
            Fields(None, "<function_calls>f(5)", (("g", {}),)),
            id="a second attempt",
        ),
        pytest.param("a<function_calls>f()</function_calls>", Fields("a", None, (("f", {}),)), id="R-TOOL"),
        pytest.param("<think>a</think>b", Fields("a", "b"), id="the model writes the opener"),
        pytest.param(" a\n</think>\n\nb", Fields(" a\n", "\n\nb"), id="no trimming"),
        pytest.param("abc", Fields("abc", None), id="R-TRUNC"),
        pytest.param("a</think>b</think>c", Fields("a", "bc"), id="the first closer splits"),
        pytest.param("", Fields(None, None), id="nothing"),
    ],
)
def test_olmo3(text, expected):
    assert everywhere(olmo3(), text) == expected


@pytest.mark.parametrize("body", ["", "f", "f(5)", "[f()]"])
def test_olmo3_a_block_that_is_no_lines_of_calls_comes_back_as_text(body):
    text = f"a <function_calls>{body}</function_calls> b"
    assert everywhere(olmo3(call_commit="on_close"), f"</think>{text}") == Fields(None, text)


def test_olmo3_lines_before_a_bad_one_are_calls_and_the_rest_is_not_shown():
    text = "</think>a <function_calls>f()\nand g()</function_calls> b"
    assert everywhere(olmo3(call_commit="on_close"), text) == Fields(None, "a  b", (("f", {}),))


def test_olmo3_lines_before_a_cut_are_calls():
    setup = olmo3(call_commit="on_close")
    assert everywhere(setup, "</think><function_calls>f(a=1)\ng(b='x") == Fields(None, None, (("f", {"a": 1}),))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("<|im_start|>assistant\n<think>", Fields("a", None)),
        ("<|im_start|>assistant\n<think></think>", Fields(None, "a")),
        ("<think>x</think>y<|im_end|>\n<|im_start|>assistant\n", Fields("a", None)),
    ],
)
def test_olmo3_only_the_last_turn_of_the_prompt_counts(prompt, expected):
    assert everywhere(olmo3(prompt=prompt), "a") == expected


def test_markup_of_the_half_that_is_absent_stays_visible():
    calls = "<function_calls>f()</function_calls>"
    assert everywhere(Setup("olmo3"), f"a</think>{calls}") == Fields("a", calls)
    assert everywhere(Setup(None, "olmo3"), f"<think>a</think>{calls}") == Fields(
        None, "<think>a</think>", (("f", {}),)
    )
