"""Names to parsers: errors for people (design.md decision 8), tokens a format needs (think-tags.md, T-08, E-22)."""

import pytest

from parsers import names
from parsers.engine.config import ParserEngineConfig, Row
from parsers.errors import FormatError, TokenizerError, UnknownName
from parsers.formats import base, think
from parsers.registry import build_parser, joined, markers_of, reasoning_names, special_of, tool_names
from parsers.tokens import bundled
from parsers.tokens.texts import TextTokenizer


def test_names_are_sorted():
    assert reasoning_names() == sorted(names.REASONING)
    assert tool_names() == sorted(names.TOOLS)


@pytest.mark.parametrize(
    ("reasoning", "tool", "sentence"),
    [
        ("qwen4", None, "no reasoning parser named 'qwen4'; did you mean qwen3"),
        (None, "hermess", "no tool parser named 'hermess'; did you mean hermes"),
        ("hermes", None, "no reasoning parser named 'hermes'"),
        (None, "!!", "`parserscope names` lists them all"),
    ],
)
def test_an_unknown_name_is_answered_with_close_ones(reasoning, tool, sentence):
    with pytest.raises(UnknownName) as error:
        joined(reasoning, tool)
    assert sentence in str(error.value)


def test_a_pair_has_one_table_that_everybody_shares():
    assert joined("qwen3", "hermes") is joined("qwen3", "hermes")
    assert joined(None, None).rows == ()


def test_markers_are_the_tokens_of_both_formats_each_once():
    markers = markers_of("qwen3", "hermes")
    assert {"<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>"} <= set(markers)
    assert len(markers) == len(set(markers))
    assert set(special_of("qwen3", "hermes")) < set(markers)


# --- tables that cannot work ------------------------------------------------------------------------------------------


def register(monkeypatch, config):
    monkeypatch.setattr(think, "broken", config, raising=False)
    monkeypatch.setitem(names.REASONING, "broken", names.NameRow("think", "broken", "a test"))


def test_a_bad_table_is_refused_with_its_row(monkeypatch):
    register(monkeypatch, ParserEngineConfig(name="broken", rows=(Row("CONTENT", "LOST", "CONTENT"),)))
    with pytest.raises(FormatError, match=r"format broken cannot be used.*\(CONTENT, LOST\).*no terminal LOST"):
        joined("broken", None)


def test_two_meanings_of_one_marker_are_refused_with_both_names(monkeypatch):
    register(monkeypatch, think.holo2.but(name="broken", terminals={"THINK_START": base.terminal("<tool_call>")}))
    with pytest.raises(FormatError, match=r"broken and hermes.*'<tool_call>'"):
        joined("broken", "hermes")


# --- tokens a format needs --------------------------------------------------------------------------------------------

PLAIN = bundled.load()


@pytest.mark.parametrize(
    ("reasoning", "kwargs", "missing"),
    [
        ("deepseek_r1", {}, "<think>"),
        ("deepseek_v3", {"thinking": True}, "<think>"),
        ("holo2", {}, "<think>"),
        ("step3", {}, "</think>"),
    ],
)
def test_a_tokenizer_without_a_needed_token_is_refused_by_parser_and_marker(reasoning, kwargs, missing):
    with pytest.raises(TokenizerError) as error:
        build_parser(reasoning, "hermes", PLAIN, template_kwargs=kwargs)
    message = str(error.value)
    assert reasoning in message
    assert repr(missing) in message
    assert "'bundled'" in message


def test_step3_needs_only_the_closer():
    assert build_parser("step3", None, bundled.load(["</think>"])).start.state == "REASONING"
    with pytest.raises(TokenizerError, match="'</think>'"):
        build_parser("deepseek_r1", None, bundled.load(["<think>"]))


@pytest.mark.parametrize(("reasoning", "kwargs"), [("deepseek_v3", {}), ("holo2", {"thinking": False})])
def test_tags_that_are_plain_text_need_no_token(reasoning, kwargs):
    parsed = build_parser(reasoning, None, PLAIN, template_kwargs=kwargs).parse("a</think>b")
    assert (parsed.reasoning, parsed.content) == (None, "a</think>b")


@pytest.mark.parametrize("reasoning", ["deepseek_r1", "step3", "qwen3"])
def test_text_only_streams_need_no_token(reasoning):
    parsed = build_parser(reasoning, None, None).parse("a</think>b")
    assert (parsed.reasoning, parsed.content) == ("a", "b")


def test_hermes_matches_its_tags_by_text_where_they_are_no_tokens():
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    ids = PLAIN.encode(call)
    parsed = build_parser(None, "hermes", PLAIN).parse(call, ids)
    assert [(c.function.name, c.function.arguments) for c in parsed.tool_calls] == [("f", "{}")]


def test_e22_a_marker_that_is_a_token_counts_only_as_that_token():
    prose = TextTokenizer(["say <", "tool", "_call", ">"], ["<tool_call>"])
    parsed = build_parser(None, "hermes", prose).parse("say <tool_call>", prose.ids)
    assert parsed.content == "say <tool_call>"
