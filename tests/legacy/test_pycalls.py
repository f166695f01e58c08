"""A list of Python calls as the whole output: formats/pythonic.md, card 03 (L-46, L-47)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.legacy.pycalls import PythonicParser
from tests.legacy.classic import TOKENIZER, calls_stream, cut, fields


def whole(text):
    result = PythonicParser(TOKENIZER).extract_tool_calls(text)
    return result.content, [(call.function.name, call.function.arguments) for call in result.tool_calls]


def streamed(*pieces):
    _, content, calls = fields(calls_stream(PythonicParser(TOKENIZER), pieces))
    return content, calls


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        pytest.param("[f(a=1)]", None, [("f", '{"a": 1}')], id="one"),
        pytest.param("[f(a='x'), g()]", None, [("f", '{"a": "x"}'), ("g", "{}")], id="two"),
        pytest.param(" \n[f(a=1)]", None, [("f", '{"a": 1}')], id="space-before"),
        pytest.param("[f(a=1)] after", " after", [("f", '{"a": 1}')], id="text-behind"),
        pytest.param("Call [f(a=1)]", "Call [f(a=1)]", [], id="text-before"),
        pytest.param("[1, 2, 3]", "[1, 2, 3]", [], id="a-list-of-numbers"),
        pytest.param("[f(5)]", "[f(5)]", [], id="positional"),
        pytest.param("[f(_limit=5)]", None, [("f", '{"_limit": 5}')], id="leading-underscore"),
        pytest.param("[f(a=1), g(2)]", None, [("f", '{"a": 1}')], id="bad-behind-good"),
        pytest.param("[", "[", [], id="undecided-at-the-end"),
        pytest.param("  ", "  ", [], id="only-space"),
        pytest.param("[f(a=1.5)]", None, [("f", '{"a": 1.5}')], id="a-number-is-sent-whole"),
    ],
)
def test_l46_stream_and_whole_text_agree(text, content, calls):
    assert whole(text) == (content, calls)
    assert streamed(text) == (content, calls)
    assert streamed(*text) == (content, calls)


def test_l46_a_truncated_list_is_content():
    assert whole("[f(a=1") == ("[f(a=1", [])


PARTS = ["[", "]", "f(", "a=1", "b='x]'", ")", ", ", " ", "text", "[f(a=1)]", "g()"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=10).map("".join)


@given(TEXTS, st.sets(st.integers(0, 60), max_size=8))
def test_law_every_grouping_gives_the_same_fields(text, edges):
    assert streamed(*cut(text, {min(edge, len(text)) for edge in edges})) == streamed(text) == streamed(*text)
