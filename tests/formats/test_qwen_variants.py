"""Qwen's relatives: card qwen3-variants.md (and step5 of think-tags.md), every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

TOOLS = {
    "say": {"text": {"type": "string"}, "times": {"type": "integer"}},
    "now": {},
}
SAY_HI = "<tool_call><function=say><parameter=text>hi</parameter></function></tool_call>"
CALL = (("say", {"text": "hi"}),)


def pair(name, **changes):
    return Setup(name, name, TOOLS, **changes)


def qwen_tools(reasoning, **changes):
    return Setup(reasoning, "qwen3_coder", TOOLS, **changes)


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            pair("seed_oss"),
            "<seed:think>Short.</seed:think>Ok\n<seed:tool_call><function=now></function></seed:tool_call>",
            Fields("Short.", "Ok", (("now", {}),)),
            id="seed_oss example 1",
        ),
        pytest.param(
            pair("seed_oss"),
            "<seed:think>a<seed:cot_budget_reflect>5 of 9</seed:cot_budget_reflect>b</seed:think>c",
            Fields("a<seed:cot_budget_reflect>5 of 9</seed:cot_budget_reflect>b", "c"),
            id="seed_oss: the budget note is reasoning",
        ),
        pytest.param(
            pair("seed_oss"),
            "é🙂</seed:think>🙂<seed:tool_call>\n<function=say>\n<parameter=text>日本\n本</parameter>\n"
            "<parameter=times>2</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call><function=now></function>"
            "</seed:tool_call>",
            Fields("é🙂", "🙂", (("say", {"text": "日本\n本", "times": 2}), ("now", {}))),
            id="seed_oss: two calls, wide letters",
        ),
        pytest.param(
            pair("seed_oss"), f"a</seed:think>{SAY_HI[:11]}x", Fields("a", "<tool_call>x"), id="seed_oss: others' tags"
        ),
        pytest.param(
            pair("step3p5"), "foo\n</think>\nHello", Fields("foo", "Hello"), id="step3p5: newlines are markup"
        ),
        pytest.param(
            pair("step3p5", kwargs={"enable_thinking": False}),
            f"foo \n</think>\nHi{SAY_HI}",
            Fields("foo", "Hi", CALL),
            id="step3p5: always thinks",
        ),
        pytest.param(
            pair("step5"),
            f"r</think>\n\n  {SAY_HI}\n\n tail",
            Fields("r", "\n\n  \n\n tail", CALL),
            id="step5: white space around calls stays",
        ),
        pytest.param(
            pair("mimo"),
            "</think><tool_call><function=say><parameter=text>\nhi\n</parameter></function></tool_call>",
            Fields(None, None, (("say", {"text": "\nhi\n"}),)),
            id="mimo example 2: values are verbatim",
        ),
        pytest.param(
            pair("mimo"),
            "r</think><tool_call><function=say><parameter=times>3</parameter></function></tool_call>"
            "<tool_call><function=now></function></tool_call>",
            Fields("r", None, (("say", {"times": 3}), ("now", {}))),
            id="mimo: types by schema, two calls",
        ),
        pytest.param(
            qwen_tools("nemotron_v3"),
            f"think \n</think>\nHi\n{SAY_HI}",
            Fields("think", "Hi", CALL),
            id="nemotron_v3: R-STRIP",
        ),
        pytest.param(
            qwen_tools("minicpmv"),
            f"a\\nb</think>\\nX<reserved_12>Y<|reserved_13|>{SAY_HI}<|im_end|>",
            Fields("a\nb", "XY", CALL),
            id="minicpmv: reserved markers vanish, escapes become line ends",
        ),
        pytest.param(
            qwen_tools("minicpmv"),
            "</think><tool_call><function=say><parameter=text>a\\nb</parameter></function></tool_call>",
            Fields(None, None, (("say", {"text": "a\\nb"}),)),
            id="minicpmv: never in arguments",
        ),
        pytest.param(
            Setup("minicpmv", None),
            r"</think>A\nB `c\nd`",
            Fields(None, "A\nB `c\\nd`"),
            id="minicpmv example 3: code is untouched",
        ),
        pytest.param(
            Setup("minicpmv", None), "a\\</think>b\\", Fields("a\\", "b\\"), id="minicpmv: half escapes at the ends"
        ),
    ],
)
def test_grammar(setup, text, expected):
    assert everywhere(setup, text) == expected


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            pair("seed_oss"), "a\n<seed:tool_call><function=now></function>", ("a", None, ["now"]), id="R-TOOL"
        ),
        pytest.param(pair("seed_oss"), "a</seed:think>b</seed:think>c", ("a", "bc", []), id="R-REPEAT"),
        pytest.param(
            pair("mimo"),
            "</think><tool_call><function=say><parameter=text>v</function></tool_call>",
            (None, None, ["say"]),
            id="mimo: no value closer",
        ),
        pytest.param(
            pair("step3p5"), "a</think><function=now></function> b", ("a", "b", ["now"]), id="step3p5: no wrapper"
        ),
        pytest.param(pair("step5"), "thinking", ("thinking", None, []), id="step5: R-TRUNC"),
    ],
)
def test_recovery_is_qwens(setup, text, expected):
    got = everywhere(setup, text)
    assert (got.reasoning, got.content, [name for name, _ in got.calls]) == expected


@pytest.mark.parametrize(
    "value", ["a <tool_call> b", "see </parameter> and </function>", "</think>", "<parameter=k>"]
)
@pytest.mark.parametrize("name", ["step3p5", "step5", "mimo"])
def test_markers_quoted_in_a_value_are_data(name, value):
    text = f"</think><tool_call><function=say><parameter=text>{value}</parameter></function></tool_call>"
    assert everywhere(pair(name), text).calls == (("say", {"text": value}),)


ANSWERS = {"force_nonempty_content": True}
OFF = {"enable_thinking": False}


@pytest.mark.parametrize(
    ("kwargs", "text", "expected"),
    [
        pytest.param({}, "only this", Fields("only this", None), id="neither asked: R-TRUNC"),
        pytest.param(ANSWERS, " only this\n", Fields(None, "only this"), id="no closer"),
        pytest.param(ANSWERS, "only this</think>\n \n", Fields(None, "only this"), id="nothing behind the closer"),
        pytest.param(ANSWERS, "why</think>so", Fields("why", "so"), id="an answer"),
        pytest.param(ANSWERS, f"why</think>{SAY_HI}", Fields("why", None, CALL), id="a call is an answer"),
        pytest.param(ANSWERS, f"why{SAY_HI}then", Fields("why", "then", CALL), id="text after the call"),
        pytest.param(OFF, "plain", Fields(None, "plain"), id="off"),
        pytest.param(OFF, "<think>only this</think>", Fields(None, "only this"), id="off, but it thinks"),
        pytest.param(OFF, "<think>why</think>so", Fields("why", "so"), id="off, but it thinks and answers"),
    ],
)
def test_nemotron_never_answers_nothing(kwargs, text, expected):
    """qwen3-variants.md, nemotron_v3: reasoning alone is the content; the same streamed and whole."""
    assert everywhere(qwen_tools("nemotron_v3", kwargs=kwargs), text) == expected


@pytest.mark.parametrize(
    ("prompt", "kwargs"),
    [(None, {"enable_thinking": False}), ("<|im_start|>assistant\n<think>\n\n</think>\n\n", {})],
    ids=["off", "prompt closed"],
)
def test_minicpmv_leaves_out_thinking_it_was_not_asked_for(prompt, kwargs):
    setup = qwen_tools("minicpmv", prompt=prompt, kwargs=kwargs)
    assert everywhere(setup, f"a<think>secret</think>b{SAY_HI}") == Fields(None, "ab", CALL)


@pytest.mark.parametrize("name", ["seed_oss", "step3p5", "step5", "mimo"])
def test_a_call_cut_off_anywhere_is_no_call_and_leaks_no_markup(name):
    """T-FIX, T-27: everything before the closer of the function."""
    open_ = "<seed:tool_call>" if name == "seed_oss" else "<tool_call>"
    think_end = "</seed:think>" if name == "seed_oss" else "</think>"
    text = f"ok{think_end}Hi{open_}\n<function=say>\n<parameter=text>\na b\n</parameter>\n<parameter=times>\n12\n</para"
    for end in range(text.index(open_) + len(open_), len(text) + 1):
        got = everywhere(pair(name, call_commit="on_close"), text[:end], text_only=False)
        assert (got.reasoning, got.content, got.calls) == ("ok", "Hi", ())
