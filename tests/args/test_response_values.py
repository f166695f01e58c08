"""Texts of regions as values and calls: card response-template.md, "Values"."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.response_fields import ResponseField
from parsers.args.response_values import Misfit, cast_arguments, read_calls, read_value
from parsers.args.schema import ParameterTypes

NOTATION = {"unquoted_keys": True, "string_delims": [["«", "»"]]}
TAGS = {"tag_pattern": r"<(?P<key>\w+)>(?P<value>.*?)</\1>"}


@pytest.mark.parametrize(
    ("kind", "text", "options", "value"),
    [
        pytest.param("text", " a ", {}, "a", id="text"),
        pytest.param("text", " a ", {"strip": False}, " a ", id="text as it is"),
        pytest.param("int", " 7 ", {}, 7, id="int"),
        pytest.param("float", "7.5", {}, 7.5, id="float"),
        pytest.param("bool", "True", {}, True, id="true"),
        pytest.param("bool", "no", {}, False, id="anything else is false"),
        pytest.param("json", ' {"a": [1, null]} ', {}, {"a": [1, None]}, id="json"),
        pytest.param("json", "{a: 1, b_2:{c:«x, y: {»}}", NOTATION, {"a": 1, "b_2": {"c": "x, y: {"}}, id="dialect"),
        pytest.param(
            "json", '{a: "b: {c: 1", d: «"»}', NOTATION, {"a": "b: {c: 1", "d": '"'}, id="keys in strings stay"
        ),
        pytest.param("json", " oops ", {"allow_non_json": True}, "oops", id="text where JSON fails"),
        pytest.param("xml-inline", "<a>1</a>x<b>\n</b>", TAGS, {"a": "1", "b": "\n"}, id="tags"),
        pytest.param("xml-inline", "<a>1</a><a>2</a>", TAGS, {"a": "2"}, id="the last of repeated tags"),
        pytest.param(
            "xml-inline",
            "<a>1</a><a>2</a><b>3</b>",
            {**TAGS, "merge_duplicates": True},
            {"a": ["1", "2"], "b": "3"},
            id="merged",
        ),
        pytest.param(
            "xml-inline", "<a>[1]</a>", {**TAGS, "value_parser": {"name": "json"}}, {"a": [1]}, id="tags with a parser"
        ),
        pytest.param("kv-lines", "a: 1\n\nb:c:d\nx", {}, {"a": "1", "b": "c:d"}, id="lines"),
        pytest.param("kv-lines", "a=1;b=2", {"line_sep": ";", "kv_sep": "="}, {"a": "1", "b": "2"}, id="separators"),
        pytest.param(
            "python-call-list",
            " [f(a='x'), g()] ",
            {},
            [{"name": "f", "arguments": {"a": "x"}}, {"name": "g", "arguments": {}}],
            id="python calls",
        ),
    ],
)
def test_a_text_becomes_a_value(kind, text, options, value):
    assert read_value(kind, text, options) == value


@pytest.mark.parametrize(
    ("kind", "text", "options"),
    [
        pytest.param("int", "x", {}, id="int"),
        pytest.param("json", "{a: 1}", {}, id="json"),
        pytest.param("json", '{"a": NaN}', {}, id="no JSON number"),
        pytest.param("xml-inline", "<a>1</a>", {"tag_pattern": "<a>"}, id="no group key"),
        pytest.param("python-call-list", "[f(1)]", {}, id="positional"),
        pytest.param("python-call-list", "[f()] and", {}, id="text behind"),
    ],
)
def test_a_text_that_does_not_fit(kind, text, options):
    with pytest.raises(Misfit):
        read_value(kind, text, options)


def field(transform, each=False, kind="json"):
    return ResponseField("tool_calls", None, None, kind, {}, transform, each)


BY_NAME = {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.args}"}}
BY_GROUP = {"function": {"name": "{name}", "arguments": "{content}"}}
OF_ITEM = {"function": {"name": "{name}", "arguments": "{args}"}}


@pytest.mark.parametrize(
    ("used", "text", "groups", "calls"),
    [
        pytest.param(field(BY_NAME), '{"name": "f", "args": {"a": 1}}', {}, [("f", {"a": 1})], id="placeholders"),
        pytest.param(field(BY_GROUP), '{"a": 1}', {"name": "f"}, [("f", {"a": 1})], id="a group of the opener"),
        pytest.param(
            field(OF_ITEM, each=True),
            '[{"name": "f", "args": {}}, {"name": "g", "args": {"a": 1}}]',
            {},
            [("f", {}), ("g", {"a": 1})],
            id="each item of a list",
        ),
        pytest.param(field(None), '{"function": {"name": "f", "arguments": {}}}', {}, [("f", {})], id="no transform"),
        pytest.param(
            field(BY_NAME), '{"name": "f", "args": "{\\"a\\": 1}"}', {}, [("f", {"a": 1})], id="a spelled object"
        ),
    ],
)
def test_a_value_becomes_calls(used, text, groups, calls):
    assert read_calls(used, text, groups) == calls


@pytest.mark.parametrize(
    ("used", "text"),
    [
        pytest.param(field(BY_NAME), "oops", id="no JSON"),
        pytest.param(field(BY_NAME), "[1]", id="no object"),
        pytest.param(field(BY_NAME), '{"name": "f"}', id="a missing key"),
        pytest.param(field(BY_NAME), '{"name": 5, "args": {}}', id="a name that is no text"),
        pytest.param(field(BY_NAME), '{"name": "", "args": {}}', id="an empty name"),
        pytest.param(field(BY_NAME), '{"name": "f", "args": [1]}', id="arguments that are no object"),
        pytest.param(field(BY_GROUP), "{}", id="a group that took no part"),
        pytest.param(field(OF_ITEM, each=True), '{"name": "f"}', id="no list"),
        pytest.param(field(OF_ITEM, each=True), "[1]", id="items that are no objects"),
        pytest.param(field(None), '{"name": "f"}', id="no transform, another shape"),
    ],
)
def test_a_malformed_region_has_no_calls(used, text):
    assert read_calls(used, text, {}) is None


PLACE = ParameterTypes(
    {
        "properties": {
            "n": {"type": "integer"},
            "x": {"type": "number"},
            "b": {"type": "boolean"},
            "z": {"type": ["null", "string"]},
            "o": {"type": "object"},
            "l": {"type": "array"},
            "s": {"type": "string"},
            "m": {"type": "integer"},
            "either": {"type": ["boolean", "integer"]},
            "any": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "maybe": {"type": "integer", "nullable": True},
        }
    }
).at(())


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("n", "3", 3),
        ("n", "3.0", 3),
        ("n", "3.5", "3.5"),
        ("n", "x", "x"),
        ("x", "3", 3),
        ("x", "3.0", 3.0),
        ("x", "1e2", 100),
        ("x", "nan", "nan"),
        ("b", "True", True),
        ("b", "0", False),
        ("b", "yes", "yes"),
        ("z", "None", None),
        ("z", "x", "x"),
        ("o", '{"a": 1}', {"a": 1}),
        ("o", "[1]", "[1]"),
        ("l", "[1]", [1]),
        ("s", "3", "3"),
        ("unknown", "3", "3"),
        ("either", "1", True),
        ("either", "2", 2),
        ("any", "1", 1),
        ("maybe", "null", None),
        ("m", ["1", "2"], [1, 2]),
        ("l", ["1"], ["1"]),
        ("n", 3.5, 3.5),
    ],
)
def test_texts_are_cast_to_the_declared_types_in_their_order(key, text, value):
    [(_, cast)] = cast_arguments({key: text}, PLACE).items()
    assert (cast, type(cast)) == (value, type(value))


@settings(max_examples=100, deadline=None)
@given(
    value=st.dictionaries(
        st.from_regex(r"[a-z_]\w{0,3}", fullmatch=True), st.text(max_size=6) | st.integers(), max_size=4
    )
)
def test_a_dialect_without_its_marks_is_plain_json(value):
    written = "{" + ",".join(f"{key}:{json.dumps(inner)}" for key, inner in value.items()) + "}"
    assert read_value("json", written, {"unquoted_keys": True}) == value
