"""hy_v3 and hy_v4: card hunyuan.md, every way a text can arrive."""

import re

import pytest

from parsers.formats.context import RunContext
from parsers.formats.hunyuan import hy_v3_think, hy_v3_tools, hy_v4_tools
from parsers.registry import build_parser, markers_of
from parsers.tokens import bundled
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Fields, Setup, everywhere

TOOLS = {"pay": {"eur": {"type": "number"}, "to": {"type": "str"}, "ok": {"type": "bool"}, "x": {}}, "now": {}}


def v3(**changes):
    return Setup("hy_v3", "hy_v3", TOOLS, kwargs={"reasoning_effort": "high"}, **changes)


def v4(**changes):
    return Setup("hy_v4", "hy_v4", TOOLS, **changes)


def pair(key, value):
    return f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"


def pay(*pairs):
    return f"<tool_call>pay{''.join(pairs)}</tool_call>"


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            v3(),
            "Think.</think>Hi<tool_calls><tool_call>pay<tool_sep><arg_key>eur</arg_key>\n<arg_value>3.50</arg_value>"
            "</tool_call></tool_calls>",
            Fields("Think.", "Hi", (("pay", {"eur": 3.5}),)),
            id="example 1",
        ),
        pytest.param(
            v4(),
            f"<think>T\n</think>\n<tool_calls><tool_call>now</tool_call>{pay(pair('to', ' é🙂 '), pair('ok', 'TRUE'))}"
            "</tool_calls>\nBye",
            Fields("T", "Bye", (("now", {}), ("pay", {"to": " é🙂 ", "ok": True}))),
            id="v4: parallel calls, aliases of types, text after the section",
        ),
        pytest.param(
            v3(),
            "</think><tool_calls>\n<tool_call>now<tool_sep></tool_call>\n</tool_calls>",
            Fields(None, None, (("now", {}),)),
            id="v3: no arguments",
        ),
        pytest.param(
            v4(),
            f"</think><tool_calls>{pay(pair('to', 'A'), pair('to', 'B'), pair('x', 'true'), pair('eur', '1e999'))}"
            "</tool_calls>",
            Fields(None, None, (("pay", {"to": "A", "x": "true", "eur": "1e999"}),)),
            id="C-DUP, no schema, no infinity",
        ),
        pytest.param(
            v4(), f"</think>a {pay()} b", Fields(None, f"a {pay()} b"), id="a call outside a section is content"
        ),
        pytest.param(
            Setup("hy_v3", "hy_v3", TOOLS),
            "a</think>b<tool_calls><tool_call>now</tool_call></tool_calls>",
            Fields(None, "a</think>b", (("now", {}),)),
            id="v3: off by default, tags are text",
        ),
        pytest.param(
            v4(kwargs={"reasoning_effort": "no_think"}), "a</think>b", Fields(None, "a</think>b"), id="v4: no_think"
        ),
        pytest.param(
            v4(kwargs={"reasoning_effort": "low"}), "a</think>b", Fields("a", "b"), id="v4: any other effort is on"
        ),
        pytest.param(
            Setup("hy_v3", None, prompt="<｜hy_User｜></think><｜hy_Assistant｜><think>"),
            "a</think>b",
            Fields("a", "b"),
            id="R-PROMPT: open",
        ),
        pytest.param(v4(prompt="<｜hy_Assistant｜><think></think>"), "b", Fields(None, "b"), id="R-PROMPT: closed"),
    ],
)
def test_grammar(setup, text, expected):
    assert everywhere(setup, text) == expected


NOW = "<tool_call>now</tool_call>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"a<tool_calls>{NOW}</tool_calls>", ("a", None, ["now"]), id="R-TOOL"),
        pytest.param(f"a</think>b</think><tool_calls>{NOW}</tool_calls>", ("a", "b", ["now"]), id="R-REPEAT"),
        pytest.param("a</think>b</tool_calls>c", ("a", "bc", []), id="a closer alone"),
        pytest.param("</think>a<tool_calls></tool_calls>b", (None, "ab", []), id="an empty section"),
        pytest.param(f"</think><tool_calls><tool_calls>{NOW}</tool_calls>", (None, None, ["now"]), id="two openers"),
        pytest.param("</think><tool_calls> are tags", (None, "<tool_calls> are tags", []), id="prose"),
        pytest.param(
            f"</think><tool_calls>So: {NOW}</tool_calls>",
            (None, "<tool_calls>So:", ["now"]),
            id="text before the call",
        ),
        pytest.param(
            f"</think><tool_calls>{NOW}then{NOW}</tool_calls>!", (None, "then!", ["now"] * 2), id="text between calls"
        ),
        pytest.param(
            f"</think><tool_calls>{NOW}<tool_calls>{NOW}</tool_calls>",
            (None, None, ["now"] * 2),
            id="no section closer",
        ),
        pytest.param(
            "</think><tool_calls><tool_call>now</tool_calls>x", (None, "x", ["now"]), id="no call closer, name only"
        ),
        pytest.param(
            f"</think><tool_calls>{pay(pair('to', 'a'))[:-12]}</tool_calls>x", (None, "x", ["pay"]), id="no call closer"
        ),
        pytest.param(
            f"</think><tool_calls>{pay(pair('to', 'a')[:-12])}</tool_calls>x",
            (None, "x", ["pay"]),
            id="no value closer",
        ),
    ],
)
@pytest.mark.parametrize("setup", [v3(), v4()], ids=["v3", "v4"])
def test_recovery(setup, text, expected):
    got = everywhere(setup, text)
    assert (got.reasoning, got.content, [name for name, _ in got.calls]) == expected


@pytest.mark.parametrize("inner", ["<tool_call>", "</tool_call> x", "</tool_calls>", "<tool_sep>", "</think>"])
def test_marker_tokens_in_a_value_are_data(inner):
    text = f"</think><tool_calls>{pay(pair('to', f'a {inner} b'))}</tool_calls>after"
    assert everywhere(v3(), text) == Fields(None, "after", (("pay", {"to": f"a {inner} b"}),))


SUFFIXED = "T</think:ab><tool_calls:ab><tool_call:ab>now</tool_call:ab></tool_calls:ab>"


@pytest.mark.parametrize(
    "tokenizer",
    [
        TextTokenizer([SUFFIXED], ["<think:ab>", "</think:ab>", "<tool_calls:ab>", "</tool_calls:ab>"]),
        bundled.load(markers_of("hy_v4", "hy_v4", RunContext(tokenizer_settings={"token_suffix": ":ab"}))),
    ],
    ids=["some tags are tokens", "all tags are tokens"],
)
def test_the_vocabulary_shows_the_suffix(tokenizer):
    """hunyuan.md example 2."""
    parsed = build_parser("hy_v4", "hy_v4", tokenizer).parse(SUFFIXED, tokenizer.encode(SUFFIXED))
    assert (parsed.reasoning, parsed.content) == ("T", None)
    assert [(call.function.name, call.function.arguments) for call in parsed.tool_calls] == [("now", "{}")]


def test_the_tokenizers_setting_names_the_suffix():
    context = RunContext(vocab={"<think:no>": 1}, tokenizer_settings={"token_suffix": ":v"})
    assert hy_v3_think(context).tokens == ("<think:v>", "</think:v>")
    assert "<tool_sep:v>" in hy_v3_tools(context).tokens
    assert hy_v4_tools(context) is hy_v4_tools(context)


def token_ends(text, opener):
    """Places behind the opener where the output can end: a tag is one token."""
    ends = [match.end() for match in re.finditer("<[^>]*>|.", text)]
    return [end for end in ends if end >= text.index(opener) + len(opener)]


def test_a_call_cut_off_anywhere_is_no_call_and_leaks_no_markup():
    """T-FIX, T-27: everything up to the call's closer."""
    text = f"ok</think>Hi<tool_calls><tool_call>pay{pair('to', 'a b')}{pair('eur', '12')}"
    for end in token_ends(text, "<tool_calls>"):
        got = everywhere(v4(call_commit="on_close"), text[:end], text_only=False)
        assert (got.reasoning, got.content, got.calls) == ("ok", "Hi", ()), text[:end]
