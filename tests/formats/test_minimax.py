"""MiniMax M2, and M3's thinking: card minimax.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

OPEN, CLOSE = "<minimax:tool_call>", "</minimax:tool_call>"
TOOLS = {"buy": {"qty": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": "object"}}, "now": {}}


def m2(**changes):
    return Setup("minimax_m2", "minimax_m2", TOOLS, **changes)


def param(key, value, quote='"'):
    return f"<parameter name={quote}{key}{quote}>{value}</parameter>\n"


def invoke(name, *params, quote='"'):
    return f"<invoke name={quote}{name}{quote}>\n" + "".join(params) + "</invoke>\n"


def block(*invokes):
    return f"{OPEN}\n" + "".join(invokes) + CLOSE


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            m2(), "Plan.</think>\n\nOk\n" + block(invoke("buy", param("qty", "2"))),
            Fields("Plan.", "Ok", (("buy", {"qty": 2}),)), id="example",
        ),
        pytest.param(
            m2(), "<think>🙂 é\n</think>a\n" + block(invoke("now"), invoke("buy", param("s", "日本"))) + "\nb",
            Fields("🙂 é", "a\n\nb", (("now", {}), ("buy", {"s": "日本"}))), id="parallel calls, W-AFTER, R-STRIP",
        ),
        pytest.param(
            m2(),
            "</think>" + block(
                invoke("buy", param("qty", "2", "'"), param("s", "x", ""), quote="'"), invoke("now", quote="")
            ),
            Fields(None, None, (("buy", {"qty": 2, "s": "x"}), ("now", {}))), id="quotes of either kind or none",
        ),
        pytest.param(
            m2(), "</think>" + block("<invoke  name = now ></invoke>"), Fields(None, None, (("now", {}),)),
            id="white space inside the tags",
        ),
        pytest.param(
            m2(), "</think>" + block(invoke("buy", param("s", ' <b> &lt; "\n '), param("o", '{"a": [1]}'))),
            Fields(None, None, (("buy", {"s": ' <b> &lt; "\n ', "o": {"a": [1]}}),)), id="values are verbatim",
        ),
        pytest.param(
            m2(), "</think>" + block(invoke("buy", param("s", "A"), param("s", "B"), param("", "C"))),
            Fields(None, None, (("buy", {"s": "A"}),)), id="C-DUP; an empty key is skipped",
        ),
        pytest.param(
            m2(), "</think>" + block(invoke("buy", param("s", f"a </parameter> b </invoke> c {OPEN} {CLOSE} d"))),
            Fields(None, None, (("buy", {"s": f"a </parameter> b </invoke> c {OPEN} {CLOSE} d"}),)),
            id="markers in a value are data",
        ),
        pytest.param(
            m2(), "</think>a" + block(invoke("sell", param("qty", "1"))) + "b", Fields(None, "ab"),
            id="validate_tool_names: an unknown function vanishes",
        ),
        pytest.param(
            Setup("minimax_m2", "minimax_m2"), "</think>" + block(invoke("any", param("x", "1"))),
            Fields(None, None, (("any", {"x": "1"}),)), id="without tools no name is unknown",
        ),
        pytest.param(
            Setup("minimax_m2"), "r</think>" + block(invoke("now")), Fields("r", block(invoke("now"))),
            id="reasoning only: tool markup is content",
        ),
        pytest.param(
            Setup(None, "minimax_m2"), "<think>r</think>a" + block(invoke("now")),
            Fields(None, "<think>r</think>a", (("now", {}),)), id="tools only: think tags are content",
        ),
    ],
)  # fmt: skip
def test_m2(setup, text, expected):
    assert everywhere(setup, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("r\n" + block(invoke("now")), Fields("r", None, (("now", {}),)), id="R-TOOL"),
        pytest.param("r</think>a</think>b", Fields("r", "ab"), id="R-REPEAT"),
        pytest.param("</think>a" + invoke("now") + "b", Fields(None, "a\nb", (("now", {}),)), id="no wrapper"),
        pytest.param("r" + invoke("now"), Fields("r" + invoke("now").strip(), None), id="no wrapper in thinking: text"),
        pytest.param(
            "</think>" + block('<invoke name="buy">', '<parameter name="s">A', param("qty", "3"), "</invoke>"),
            Fields(None, None, (("buy", {"s": "A", "qty": 3}),)), id="no </parameter>: the next one ends it",
        ),
        pytest.param(
            "</think>" + block('<invoke name="buy"><parameter name="s">A</invoke>', invoke("now")),
            Fields(None, None, (("buy", {"s": "A"}), ("now", {}))), id="no </parameter>: the last </invoke> ends it",
        ),
        pytest.param(
            "</think>" + block('<invoke name="buy">', param("s", "A")) + "b", Fields(None, "b", (("buy", {"s": "A"}),)),
            id="no </invoke>",
        ),
        pytest.param(f"</think>a{OPEN}\n{CLOSE}b{CLOSE}c", Fields(None, "abc"), id="no call; a closer alone"),
        pytest.param(
            f"</think>The tag {OPEN} opens. {block(invoke('now'))}",
            Fields(None, f"The tag {OPEN} opens.", (("now", {}),)), id="the wrapper in prose",
        ),
    ],
)  # fmt: skip
def test_m2_recovery(text, expected):
    assert everywhere(m2(), text) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (None, Fields("a", "b")),
        ("]~b]ai\n<think>\n", Fields("a", "b")),
        ("]~b]ai\n<think>\n</think>", Fields(None, "ab")),
        ("</think>x[e~[\n]~b]ai\n", Fields("a", "b")),
    ],
    ids=["always on", "open", "closed", "an earlier turn decides nothing"],
)
def test_m2_initial_state(prompt, expected):
    assert everywhere(m2(prompt=prompt), "a</think>b") == expected


def test_an_m2_marker_of_ordinary_tokens_is_text():
    """E-22."""
    tokens = ["</think>", "Use <", "minimax", ":", "tool_call>", "."]
    assert from_tokens(m2(), tokens) == Fields(None, f"Use {OPEN}.")


def test_an_m2_call_cut_off_anywhere_is_no_call_and_shows_no_markup():
    """T-FIX, T-27."""
    text = "ok</think>Hi" + block(invoke("buy", param("s", 'a "b'), param("qty", "12")))
    for beginning, fields in cut_off_everywhere(m2(), text, text.index(OPEN) + len(OPEN)):
        calls = (("buy", {"s": 'a "b', "qty": 12}),) if "</invoke>" in beginning else ()
        assert fields == Fields("ok", "Hi", calls), beginning


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        pytest.param(None, "why</think>Ans", Fields(None, "<think>why</think>Ans"), id="measured in the card"),
        pytest.param(None, "", Fields(None, "<think>"), id="nothing"),
        pytest.param(
            "minimax_m2", "\nwhy</think>\nAns " + block(invoke("now")),
            Fields(None, "<think>\nwhy</think>\nAns", (("now", {}),)), id="with calls",
        ),
    ],
)  # fmt: skip
def test_append_think_puts_the_opener_back(tool, text, expected):
    assert everywhere(Setup("minimax_m2_append_think", tool, TOOLS), text) == expected


ON = {"thinking_mode": "enabled"}


@pytest.mark.parametrize(
    ("kwargs", "text", "expected"),
    [
        pytest.param(ON, "a</mm:think>b", Fields("a", "b"), id="enabled"),
        pytest.param(ON, "<mm:think>\na\n</mm:think>\nb", Fields("\na\n", "\nb"), id="R-OPEN; no trimming"),
        pytest.param(ON, "a", Fields("a", None), id="R-TRUNC"),
        pytest.param(ON, "a</mm:think>b<mm:think>c</mm:think>", Fields("a", "b<mm:think>c</mm:think>"),
                     id="enabled: a second block is content"),
        pytest.param({}, "Hi", Fields(None, "Hi"), id="off by default"),
        pytest.param({"thinking_mode": "adaptive"}, "a</mm:think>", Fields(None, "a</mm:think>"), id="another mode"),
        pytest.param({}, "a<mm:think>b</mm:think>c", Fields("b", "ac"), id="text before the block is content"),
        pytest.param({}, "<mm:think>a</mm:think>b<mm:think>c</mm:think>d</mm:think>",
                     Fields("a", "b<mm:think>c</mm:think>d</mm:think>"), id="first block only"),
        pytest.param({}, "</mm:think>a</mm:think>b", Fields(None, "a</mm:think>b"), id="a closer as the first text"),
        pytest.param({}, " </mm:think>a<mm:think>🙂</mm:think>", Fields("🙂", " a"), id="… behind white space"),
    ],
)  # fmt: skip
def test_m3_thinking(kwargs, text, expected):
    assert everywhere(Setup("minimax_m3", kwargs=kwargs), text) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [("]~b]ai\n<mm:think>", Fields("a", "b")), ("]~b]ai\n", Fields(None, "a</mm:think>b"))],
    ids=["open", "untouched"],
)
def test_m3_initial_state(prompt, expected):
    assert everywhere(Setup("minimax_m3", prompt=prompt), "a</mm:think>b") == expected
