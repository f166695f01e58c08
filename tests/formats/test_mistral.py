"""Mistral: card mistral.md, every way a text can arrive, and what ids tell that text cannot."""

import string

import pytest

from parsers.registry import build_parser, markers_of
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Fields, Setup, everywhere, run

MISTRAL = Setup("mistral", "mistral")
ON_CLOSE = Setup("mistral", "mistral", call_commit="on_close")
MARK = "[TOOL_CALLS]"


def call(name, arguments="{}"):
    return f"{MARK}{name}[ARGS]{arguments}"


def think(text):
    return f"[THINK]{text}[/THINK]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            think("Need the rate.") + "Checking." + call("fx_rate", '{"from": "EUR", "to": "JPY"}'),
            Fields("Need the rate.", "Checking.", (("fx_rate", {"from": "EUR", "to": "JPY"}),)),
            id="example 1",
        ),
        pytest.param(
            f'Sure{MARK} [{{"arguments": {{"n": 2}}, "name": "roll"}}, {{"name": "roll", "arguments": {{}}}}]',
            Fields(None, "Sure", (("roll", {"n": 2}), ("roll", {}))),
            id="example 2: v3, keys in any order",
        ),
        pytest.param(
            f'{MARK}{{"name": "f", "arguments": "{{}}"}} z', Fields(None, " z", (("f", {}),)), id="v3 bare object"
        ),
        pytest.param(
            f'{MARK}[{{"name": "f", "arguments": {{"s": "]{MARK}"}}}}]',
            Fields(None, None, (("f", {"s": f"]{MARK}"}),)),
            id="v3 marker in a string",
        ),
        pytest.param(
            f'{MARK}f{{"a": 1}}{call("g")}', Fields(None, None, (("f", {"a": 1}), ("g", {}))), id="no [ARGS], parallel"
        ),
        pytest.param(
            call("f", '{"name": "x", "arguments": {}, "id": [{"a": null}]}'),
            Fields(None, None, (("f", {"name": "x", "arguments": {}, "id": [{"a": None}]}),)),
            id="the body is never an envelope",
        ),
        pytest.param(call("f", '{"x":"3"}'), Fields(None, None, (("f", {"x": "3"}),)), id="values verbatim"),
        pytest.param(f"{call('f')} trailing é🎉", Fields(None, " trailing é🎉", (("f", {}),)), id="text behind a call"),
        pytest.param(f" \n{call('f')}", Fields(None, None, (("f", {}),)), id="blank content before a call"),
        pytest.param(f"{MARK}{call('f')}", Fields(None, None, (("f", {}),)), id="a repeated marker counts once"),
        pytest.param(f"{MARK}a{call('g')}", Fields(None, None, (("a", {}), ("g", {}))), id="a name alone, then a call"),
        pytest.param(f"{MARK} not json", Fields(None, f"{MARK} not json"), id="no name: text"),
        pytest.param(f"{MARK}[1, oops", Fields(None, f"{MARK}[1, oops"), id="no list: text"),
        pytest.param(
            f"{call('f')}{MARK}why not?", Fields(None, f"{MARK}why not?", (("f", {}),)), id="a call, then no name"
        ),
        pytest.param(
            f"{MARK}why not?{call('f')}", Fields(None, f"{MARK}why not?", (("f", {}),)), id="no name, then a call"
        ),
    ],
)
def test_calls(text, expected):
    assert everywhere(MISTRAL, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("[THINK]a", Fields("a", None), id="R-TRUNC"),
        pytest.param("a[/THINK]b", Fields(None, "ab"), id="R-REPEAT"),
        pytest.param("[THINK]a[THINK]b[/THINK]c", Fields("ab", "c"), id="R-OPEN"),
        pytest.param("[THINK]\na \n[/THINK] b ", Fields("\na", " b "), id="reasoning right-trimmed, the rest verbatim"),
        pytest.param("<think>\nr\n</think>c", Fields("\nr", "c"), id="v11 tags as the first text"),
        pytest.param("Use <think>r</think>", Fields(None, "Use <think>r</think>"), id="tags later are text"),
        pytest.param("[THINK]a</think>b[/THINK]c", Fields("a</think>b", "c"), id="tags inside tokens are text"),
        pytest.param("[THINK]a[/TH", Fields("a[/TH", None), id="the beginning of a closer at the end"),
        pytest.param(
            think(f"a {call('f')} b") + call("g"),
            Fields(f"a {call('f')} b", None, (("g", {}),)),
            id="a tool marker inside thinking is text while the closer follows",
        ),
        pytest.param(
            f"[THINK]a {call('f')} b", Fields("a", " b", (("f", {}),)), id="no closer: the call ends thinking"
        ),
        pytest.param(
            f"<think>a {call('f')}", Fields("a", None, (("f", {}),)), id="no closing tag: the call ends thinking"
        ),
        pytest.param(f"<think>a {call('f')}</think>b", Fields(f"a {call('f')}", "b"), id="the closing tag follows"),
    ],
)
def test_thinking(text, expected):
    assert everywhere(MISTRAL, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"hi{MARK}", Fields(None, "hi"), id="behind the marker"),
        pytest.param(f"{MARK}t2", Fields(None, None), id="in the name"),
        pytest.param(f"{MARK}t2[CALL_ID]abc", Fields(None, None), id="in the id"),
        pytest.param(f"{MARK}t2[ARGS]", Fields(None, None, (), (("t2", ""),)), id="before the arguments"),
        pytest.param(f'{MARK}t2[ARGS]{{"a": "b', Fields(None, None, (), (("t2", '{"a": "b'),)), id="in the arguments"),
        pytest.param(f'{MARK}[{{"name": "f", "arguments": {{', Fields(None, None, (), (("f", "{"),)), id="v3"),
    ],
)
def test_a_cut_call_is_no_call(text, expected):
    assert everywhere(MISTRAL, text) == expected
    assert everywhere(ON_CLOSE, text) == Fields(expected.reasoning, expected.content)


def test_broken_arguments_leave_the_next_call_alone():
    assert everywhere(ON_CLOSE, f'{MARK}f[ARGS]{{"a": {call("g")}') == Fields(None, None, (("g", {}),))


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(Setup("mistral"), f"{think('a')}{call('f')}", Fields("a", call("f")), id="reasoning alone"),
        pytest.param(
            Setup(tool="mistral"), f"{think('a')}{call('f')}", Fields(None, think("a"), (("f", {}),)), id="tools alone"
        ),
        pytest.param(
            Setup("mistral", "mistral", prompt="[INST]x[/INST][THINK]"),
            "a[/THINK]b",
            Fields("a", "b"),
            id="prompt opened",
        ),
        pytest.param(
            Setup("mistral", "mistral", prompt="[THINK]x[/THINK]y[/INST]"), "b", Fields(None, "b"), id="an earlier turn"
        ),
    ],
)
def test_halves_and_prompts(setup, text, expected):
    assert everywhere(setup, text) == expected


def parse(setup, tokens):
    """The fields of an output with exactly these tokens."""
    tokenizer = TextTokenizer(tokens, markers_of("mistral", "mistral"))
    return run(setup, tokenizer, cut(simulate(tokenizer, tokenizer.ids, StreamOptions()), "token"))


def test_a_marker_spelled_in_ordinary_tokens_is_text():
    tokens = [
        "[THINK]",
        "a ",
        "[TOOL",
        "_CALLS]",
        "[/THINK]",
        "[TOOL_CALLS]",
        "f",
        "[ARGS]",
        '{"x": "',
        "[/TH",
        "INK]",
        '"}',
    ]
    assert parse(MISTRAL, tokens) == Fields("a [TOOL_CALLS]", None, (("f", {"x": "[/THINK]"}),))


def test_a_control_token_counts_even_inside_a_string():
    tokens = ["[TOOL_CALLS]", "f", "[ARGS]", '{"x": "a', "[TOOL_CALLS]", "g", "[ARGS]", "{}"]
    assert parse(ON_CLOSE, tokens) == Fields(None, None, (("g", {}),))


def test_the_text_tags_of_v11_are_found_in_ordinary_tokens():
    assert parse(MISTRAL, ["<th", "ink>", "r", "</", "think", ">c"]) == Fields("r", "c")


def only_call(text):
    (made,) = build_parser("mistral", "mistral", None).parse(text).tool_calls
    return made


def test_the_name_ends_at_the_id_and_the_id_is_kept():
    made = only_call(f"{MARK}t[CALL_ID]abc123def[ARGS]{{}}")
    assert (made.function.name, made.id) == ("t", "abc123def")


def test_other_ids_have_nine_letters_and_digits():
    made = only_call(call("t"))
    assert len(made.id) == 9
    assert set(made.id) <= set(string.ascii_letters + string.digits)
