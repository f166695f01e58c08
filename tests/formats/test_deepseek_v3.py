"""DeepSeek V3 and V3.1: card deepseek-v3.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, SEP, CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
V3 = Setup(None, "deepseek_v3")
V31 = Setup("deepseek_v3", "deepseek_v31", kwargs={"thinking": True})


def fenced(name, body, kind="function"):
    return f"{CALL}{kind}{SEP}{name}\n```json\n{body}\n```{CALL_END}"


def bare(name, body):
    return f"{CALL}{name}{SEP}{body}{CALL_END}"


def section(*calls, between=""):
    return BEGIN + between.join(calls) + END


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            V3, "Hi" + section(fenced("now", '{"tz": "UTC"}')), Fields(None, "Hi", (("now", {"tz": "UTC"}),)),
            id="example 1",
        ),
        pytest.param(
            V31, "</think>" + section(bare("add", '{"a": 1}'), bare("add", '{"a": 2}')),
            Fields(None, None, (("add", {"a": 1}), ("add", {"a": 2}))), id="example 2",
        ),
        pytest.param(
            V3, section(fenced("f", "{}"), fenced("g", '{\n  "a": [1, {"b": null}]\n}'), between="\n"),
            Fields(None, None, (("f", {}), ("g", {"a": [1, {"b": None}]}))),
            id="parallel calls on lines of their own, a pretty-printed object",
        ),
        pytest.param(
            V31, "hm</think>a " + section(bare("f", "{}"), bare("g", "{}"), between="\n") + " tail",
            Fields("hm", "a  tail", (("f", {}), ("g", {}))), id="Recovery: text after the section is content",
        ),
        pytest.param(
            V3, f"a{section(fenced('f', '{}'))}b{section(fenced('g', '{}'))}c",
            Fields(None, "abc", (("f", {}), ("g", {}))), id="Recovery: repeated sections",
        ),
        pytest.param(
            V3, section(fenced("f", f'{{"s": "```json\\n{{}}\\n``` {SEP}{CALL_END}"}}')),
            Fields(None, None, (("f", {"s": f"```json\n{{}}\n``` {SEP}{CALL_END}"}),)),
            id="v3: fences and markers in a string are data",
        ),
        pytest.param(
            V31, "</think>" + section(bare("f", f'{{"s": "{CALL}g{SEP}{{}}"}}')),
            Fields(None, None, (("f", {"s": f"{CALL}g{SEP}{{}}"}),)), id="v31: markers in a string are data",
        ),
        pytest.param(
            V3, "🙂é" + section(fenced("f", '{"s": "日本 🙂"}')), Fields(None, "🙂é", (("f", {"s": "日本 🙂"}),)),
            id="characters of several bytes",
        ),
        pytest.param(
            V3, section(fenced("f", "{}", "tool")), Fields(None, None, (("f", {}),)), id="Ids: the type is ignored"
        ),
        pytest.param(V31, "a" + section(bare("f", "{}")), Fields("a", None, (("f", {}),)), id="R-TOOL"),
        pytest.param(V31, "just thinking", Fields("just thinking", None), id="R-TRUNC"),
    ],
)  # fmt: skip
def test_output(setup, text, expected):
    assert everywhere(setup, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"a{BEGIN}function{SEP}f\n```json\n{{}}\n```{END}b", Fields(None, "ab"), id="no call tokens"),
        pytest.param(
            section(fenced("f", '{"a": 1')), Fields(None, None, cut_calls=(("f", '{"a": 1\n'),)),
            id="a brace is missing: no complete call",
        ),
        pytest.param(
            section(f'{CALL}function{SEP}f\n{{"a": 1}}\n{CALL_END}'), Fields(None, None, (("f", {"a": 1}),)),
            id="no fences",
        ),
        pytest.param(
            section(f'{CALL}function{SEP}f\n```\n{{"a": 1}}\n```{CALL_END}'), Fields(None, None, (("f", {"a": 1}),)),
            id="a fence without a language",
        ),
        pytest.param(BEGIN + fenced("f", "{}"), Fields(None, None, (("f", {}),)), id="no section end"),
        pytest.param(
            f"{BEGIN}{CALL}function{SEP}f\n```json\n{{}}\n```{fenced('g', '{}')}{END}",
            Fields(None, None, (("f", {}), ("g", {}))), id="no call end before the next call",
        ),
        pytest.param(
            f"{BEGIN}{CALL}function{CALL_END}{fenced('g', '{}')}{CALL}function{END}", Fields(None, None, (("g", {}),)),
            id="calls without names",
        ),
        pytest.param(f"{BEGIN}{END}a{END}b", Fields(None, "ab"), id="an empty section, a closer alone"),
        pytest.param(fenced("f", "{}"), Fields(None, None, (("f", {}),)), id="a call without its section"),
        pytest.param(
            "|tool_calls_begin|<|tool▁call▁begin|>a", Fields(None, "|tool_calls_begin|<|tool▁call▁begin|>a"),
            id="Markers: ASCII bars never match",
        ),
    ],
)  # fmt: skip
def test_recovery_of_v3(text, expected):
    assert everywhere(V3, text) == expected


def test_a_marker_of_ordinary_tokens_is_text():
    """E-22."""
    assert from_tokens(V3, ["Use ", "<｜tool▁calls", "▁begin｜>", "."]) == Fields(None, f"Use {BEGIN}.")


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        pytest.param(V3, "Hi" + section(fenced("f", '{"s": "a\\"b", "n": [12, 3]}')), id="v3"),
        pytest.param(V31, "</think>Hi" + section(bare("f", '{"s": "a\\"b", "n": [12, 3]}')), id="v31"),
    ],
)
def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup(setup, text):
    """T-FIX, T-27."""
    for beginning, fields in cut_off_everywhere(setup, text, text.index(BEGIN) + len(BEGIN)):
        complete = CALL_END in beginning
        assert fields == Fields(None, "Hi", (("f", {"s": 'a"b', "n": [12, 3]}),) if complete else ()), beginning
