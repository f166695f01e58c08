"""Nested elements: card minimax.md, "Value conversion"."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.elements import ElementsCodec, read_elements
from parsers.args.schema import ParameterTypes
from tests.args.recorder import Call, Recorder

MARK = "@"
TYPES = ParameterTypes(
    {
        "$defs": {"point": {"type": "object", "properties": {"lat": {"type": "number"}}}},
        "properties": {
            "s": {"type": "string"},
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "points": {"items": {"$ref": "#/$defs/point"}},
            "geo": {"properties": {"lat": {"type": "number"}, "name": {"type": "string"}}},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "list_first": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "object"}]},
            "object_first": {"oneOf": [{"type": "object"}, {"type": "array"}]},
            "text_or_list": {"type": ["string", "array"]},
        },
    }
)


def arguments(*pieces):
    codec, sink = ElementsCodec(TYPES, MARK), Recorder([Call()])
    for piece in pieces:
        assert codec.feed(piece, sink) == len(piece)
        sink.check_places(len(piece))
        assert sink.calls[0].arguments == ""
    assert codec.close(sink, 0)
    return json.loads(sink.calls[0].arguments)


def tag(name, *inside):
    return f"{MARK}<{name}>{''.join(inside)}{MARK}</{name}>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param(tag("s", " a\n"), {"s": " a\n"}, id="text is verbatim"),
        pytest.param(tag("s", "007") + tag("n", "7"), {"s": "007", "n": 7}, id="typed by the schema"),
        pytest.param(tag("x", "7"), {"x": "7"}, id="nothing declared: text"),
        pytest.param(tag("tags", tag("item", "a"), tag("item", "b")), {"tags": ["a", "b"]}, id="list"),
        pytest.param(tag("tags", tag("item", "a")), {"tags": ["a"]}, id="list of one"),
        pytest.param(
            tag("tags", tag("a", "1"), " ", tag("b", "2")), {"tags": ["1", "2"]}, id="tags of items mean nothing"
        ),
        pytest.param(tag("tags", '["a"]'), {"tags": ["a"]}, id="a list spelled in JSON"),
        pytest.param(
            tag("points", tag("i", tag("lat", "1.5"))), {"points": [{"lat": 1.5}]}, id="only items: a list; $ref"
        ),
        pytest.param(tag("geo", tag("lat", "1"), tag("name", "1")), {"geo": {"lat": 1, "name": "1"}}, id="object"),
        pytest.param(tag("counts", tag("a", "1")), {"counts": {"a": 1}}, id="additional properties"),
        pytest.param(
            tag("list_first", tag("i", "1"), tag("i", "2")), {"list_first": [1, 2]}, id="first alternative: list"
        ),
        pytest.param(tag("object_first", tag("i", "1")), {"object_first": {"i": "1"}}, id="first alternative: object"),
        pytest.param(tag("x", tag("i", "1"), tag("i", "2")), {"x": {"i": ["1", "2"]}}, id="repeated names are a list"),
        pytest.param(tag("n", "1") * 3, {"n": [1, 1, 1]}, id="repeated parameters are a list"),
        pytest.param(tag("tags", "\n") + tag("geo"), {"tags": [], "geo": {}}, id="blank list and object"),
        pytest.param(tag("text_or_list", " "), {"text_or_list": " "}, id="blank, but may be a string"),
        pytest.param(tag("x", "a", tag("i", "1"), "b"), {"x": {"i": "1", "$text": "ab"}}, id="text beside elements"),
        pytest.param(tag("x", "a", tag("$text", "1")), {"x": {"$text": "1", "$$text": "a"}}, id="… whose key is taken"),
        pytest.param("\n".join([tag("s", "a"), tag("n", "1")]), {"s": "a", "n": 1}, id="white space between"),
    ],
)
def test_elements_become_an_object(text, expected):
    assert arguments(text) == arguments(*text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(tag("n", "1") + f"{MARK}<s>a", {"n": 1}, id="not closed"),
        pytest.param(tag("n", "1") + f"{MARK}<s>a{MARK}</n>" + tag("x", "2"), {"n": 1}, id="closed by another tag"),
        pytest.param(tag("n", "1") + f"{MARK}</s>" + tag("x", "2"), {"n": 1}, id="closed before it was opened"),
        pytest.param(
            tag("s", f"a{MARK}b <i>c</i> <"), {"s": f"a{MARK}b <i>c</i> <"}, id="tags without the mark are text"
        ),
    ],
)
def test_reading_stops_at_the_first_malformed_element(text, expected):
    assert arguments(text) == expected


def test_nesting_has_a_limit():
    def nested(depth):
        return f"{MARK}<a>" * depth + f"{MARK}</a>" * depth

    assert len(read_elements(nested(128), MARK)) == 1
    assert read_elements(nested(129), MARK) == []
    assert arguments(nested(100_000)) == {}


NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,4}", fullmatch=True).filter(
    lambda name: name not in TYPES.at(()).schema["properties"]
)
TREES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_characters=MARK), max_size=5),
    lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def spelled(tree):
    return tree if isinstance(tree, str) else "".join(tag(name, spelled(inner)) for name, inner in tree.items())


@settings(max_examples=150, deadline=None)
@given(tree=st.dictionaries(NAMES, TREES, max_size=3))
def test_any_tree_without_a_schema_comes_back(tree):
    assert arguments(spelled(tree)) == tree


@settings(max_examples=200, deadline=None)
@given(text=st.text("@<>/ab ", max_size=30), at=st.integers(0, 30))
def test_any_text_reads_the_same_under_any_cut_and_can_be_resumed(text, at):
    codec, resumed = ElementsCodec(TYPES, MARK), ElementsCodec(TYPES, MARK)
    codec.feed(text[:at], Recorder([Call()]))
    resumed.restore(codec.snapshot())
    assert resumed.held == text[:at]
    assert arguments(text[:at], text[at:]) == arguments(text)
