"""Gemma's notation: card gemma.md, "Grammar" and "Values"; every text under every two-way cut."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.notation import NotationCodec
from parsers.args.schema import ParameterTypes
from tests.args.recorder import Call, Recorder

QUOTE = "«"  # stands for the delimiter, which the table reads
TYPES = ParameterTypes(
    {
        "properties": {
            "s": {"type": "string"},
            "n": {"type": "integer"},
            "either": {"type": ["integer", "string"]},
            "o": {"type": "object", "properties": {"s": {"type": "string"}}},
            "list": {"type": "array", "items": {"type": "string"}},
        }
    }
)


def read(*pieces, close=True):
    """Arguments, whether the call is whole, and the codec."""
    codec, sink = NotationCodec(TYPES), Recorder([Call()])
    for piece in pieces:
        for part in filter(None, re.split(f"({QUOTE})", piece)):
            if codec.bad or codec.complete:
                break
            if part == QUOTE:
                codec.delimit(sink)
                sink.check_places(0)
            else:
                used = codec.feed(part, sink)
                assert used == len(part) or codec.bad or codec.complete
                sink.check_places(used)
    whole = codec.close(sink, 0) if close else None
    return sink.calls[0].arguments, whole, codec


def read_everywhere(text):
    """Arguments and wholeness, the same whole, character by character and at every two-way cut."""
    expected = read(text)[:2]
    assert read(*text)[:2] == expected
    for at in range(1, len(text)):
        assert read(text[:at], text[at:])[:2] == expected, at
    return expected


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param("{}", {}, id="empty"),
        pytest.param("{ \n}", {}, id="blank"),
        pytest.param("{a:«x«}", {"a": "x"}, id="string"),
        pytest.param("{a:««}", {"a": ""}, id="empty string"),
        pytest.param('{a:«{"b": [1, "}"],c:\n\\n«}', {"a": '{"b": [1, "}"],c:\n\\n'}, id="raw text is never escaped"),
        pytest.param("{a:1,b:-2.5,c:1e+21,d:1e-05}", {"a": 1, "b": -2.5, "c": 1e21, "d": 1e-05}, id="numbers"),
        pytest.param("{a:true,b:false,c:null}", {"a": True, "b": False, "c": None}, id="words"),
        pytest.param("{a:cold day,b:2026-01-02}", {"a": "cold day", "b": "2026-01-02"}, id="bare text is a string"),
        pytest.param("{a:NaN,b:Infinity}", {"a": "NaN", "b": "Infinity"}, id="what JSON lacks is text"),
        pytest.param("{a:{b:{c:[]}},d:[[1],[{}]]}", {"a": {"b": {"c": []}}, "d": [[1], [{}]]}, id="nested"),
        pytest.param("{ a : 1 ,\n b: [ 1 , «x« ] }", {"a": 1, "b": [1, "x"]}, id="white space"),
        pytest.param("{Basic LLM.Chain:1}", {"Basic LLM.Chain": 1}, id="spaces and dots in a key"),
        pytest.param("{«a:b, «:1}", {"a:b, ": 1}, id="delimited key"),
        pytest.param("{««:1}", {"": 1}, id="empty key"),
        pytest.param("{a:1,b:[2,],}", {"a": 1, "b": [2]}, id="trailing commas"),
        pytest.param("(a:1,b:«)«)", {"a": 1, "b": ")"}, id="round brackets"),
        pytest.param("{a:f(x)}", {"a": "f(x)"}, id="a round bracket closes no curly one"),
    ],
)
def test_the_notation_carries_types(text, arguments):
    sent, whole = read_everywhere(text)
    assert (json.loads(sent), whole) == (arguments, True)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param("{s:5}", {"s": "5"}, id="number for a string"),
        pytest.param("{s:null}", {"s": "null"}, id="null for a string"),
        pytest.param("{n:5,either:5}", {"n": 5, "either": 5}, id="integers"),
        pytest.param("{n:five}", {"n": "five"}, id="no type fits"),
        pytest.param("{n:«5«}", {"n": "5"}, id="delimited is a string whatever the schema says"),
        pytest.param("{o:{s:5,x:5}}", {"o": {"s": "5", "x": 5}}, id="nested object"),
        pytest.param("{list:[5,«5«]}", {"list": ["5", "5"]}, id="items of a list"),
        pytest.param("{other:[5,{s:5}]}", {"other": [5, {"s": 5}]}, id="no schema"),
    ],
)
def test_the_schema_only_repairs_bare_values(text, arguments):
    assert json.loads(read_everywhere(text)[0]) == arguments


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        pytest.param("{a:1,a:2}", {"a": 1}, id="bare"),
        pytest.param("{a:«x«,a:«y«,b:2}", {"a": "x", "b": 2}, id="string"),
        pytest.param("{a:1,a:{a:[1,{b:2}],c:«x«},b:2}", {"a": 1, "b": 2}, id="nested value"),
        pytest.param("{a:{b:1,b:2,c:3},b:4}", {"a": {"b": 1, "c": 3}, "b": 4}, id="inner object"),
        pytest.param("{a:[{b:1},{b:2}]}", {"a": [{"b": 1}, {"b": 2}]}, id="siblings are not repetitions"),
        pytest.param("{a b:1, «a b«:2}", {"a b": 1}, id="two ways to write a key"),
    ],
)
def test_the_first_of_repeated_keys_wins(text, arguments):
    assert json.loads(read_everywhere(text)[0]) == arguments


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[1]",
        "{a}",
        "{a:}",
        "{a:,b:1}",
        "{,}",
        "{:1,x",
        "{a:1 «x«}",
        "{a«b«:1}",
        "{«a«b:1}",
        "{a:[1}}",
        "{a:[}",
        "{a:«x«y}",
        "{a:{b:1],c:2}",
        "(a:1}",
        "{[a]:1}",
    ],
)
def test_what_is_not_the_notation_is_bad_or_not_whole(text):
    sent, whole = read_everywhere(text)
    assert not whole
    with pytest.raises(json.JSONDecodeError):
        json.loads(sent or "nothing")


@pytest.mark.parametrize(
    ("text", "sent", "held"),
    [
        pytest.param("{a:«x, ", '{"a": "x, ', "", id="strings stream"),
        pytest.param("{a:12", "{", "12", id="a bare value waits for what ends it"),
        pytest.param("{a:12,", '{"a": 12', "", id="ended by a comma"),
        pytest.param("{ke", "{", "ke", id="key"),
        pytest.param("{a:1}", '{"a": 1', "", id="the last bracket waits for the end of the call"),
    ],
)
def test_what_is_sent_and_what_is_held(text, sent, held):
    arguments, _, codec = read(text, close=False)
    assert (arguments, codec.held) == (sent, held)


def test_only_a_delimiter_counts_inside_a_string():
    assert read("{a:«x", close=False)[2].open_data
    assert read("{«a", close=False)[2].open_data
    assert not read("{a:«x«", close=False)[2].open_data
    assert not read("{a:x", close=False)[2].open_data


def test_plain_string_text_passes_unless_its_key_is_repeated():
    assert read("{a:«x", close=False)[2].passes_text
    assert not read("{a:1,a:«x", close=False)[2].passes_text
    assert not read("{a:x", close=False)[2].passes_text


def test_text_behind_the_object_is_not_used():
    codec, sink = NotationCodec(TYPES), Recorder([Call()])
    assert codec.feed("{a:1} more", sink) == len("{a:1}")
    assert codec.complete


def test_a_long_key_costs_no_more_than_its_length():
    text = "{" + "k" * 200_000 + ":1}"
    assert json.loads(read(*re.findall(".{1,7}", text))[0]) == {"k" * 200_000: 1}


KEYS = st.text(st.characters(codec="utf-8", exclude_characters=QUOTE), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def spelled(value):
    """The value as the model writes it, with every key and string delimited."""
    if isinstance(value, str):
        return f"{QUOTE}{value}{QUOTE}"
    if isinstance(value, list):
        return f"[{','.join(map(spelled, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{spelled(k)}:{spelled(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


@settings(max_examples=150, deadline=None)
@given(arguments=st.dictionaries(KEYS.map(lambda key: "x" + key), VALUES, max_size=4), data=st.data())
def test_any_object_survives_the_notation_under_any_cut(arguments, data):
    text = spelled(arguments)
    at = data.draw(st.integers(0, len(text)))
    sent, whole, _ = read(text[:at], text[at:])
    assert whole
    assert json.loads(sent) == arguments


@settings(max_examples=300, deadline=None)
@given(text=st.text("{}[]():,«ab1 ", max_size=14), at=st.integers(0, 14))
def test_any_text_reads_the_same_under_any_cut_and_can_be_resumed(text, at):
    first, second = text[:at], text[at:]
    codec = read(first, close=False)[2]
    resumed = NotationCodec(TYPES)
    resumed.restore(codec.snapshot())
    assert resumed.snapshot() == codec.snapshot()
    assert read(first, second)[:2] == read(text)[:2]
