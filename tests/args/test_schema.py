"""Coercion: C-TYPES to C-BIG (common-1.md), E-89."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.args.schema import ParameterTypes, dump, escape, free_value, json_object, possible_types


def coerced(schema, text):
    return ParameterTypes({"properties": {"x": schema}}).value("x", text)


def same(value, expected):
    return value == expected and type(value) is type(expected)


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "integer"}, {"integer"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        (
            {"enum": [1, "a", None, True, 1.5, [], {}]},
            {"integer", "string", "null", "boolean", "number", "array", "object"},
        ),
        ({"anyOf": [{"type": "integer"}, {"oneOf": [{"type": "null"}]}]}, {"integer", "null"}),
        ({"allOf": [{"type": "object"}]}, {"object"}),
        ({"type": "str"}, {"string"}),
        ({"type": "Int"}, {"integer"}),
        ({"type": "nonsense"}, set()),
        ({"type": 5}, set()),
        ({}, set()),
        (None, set()),
        ("string", set()),
    ],
)
def test_c_types(schema, types):
    assert possible_types(schema, {}) == types


def test_c_types_follow_references():
    root = {"properties": {"x": {"$ref": "#/$defs/a~1b"}}, "$defs": {"a/b": {"type": "integer"}}}
    assert ParameterTypes(root).value("x", "5") == 5


def test_c_types_survive_references_in_circles():
    root = {"properties": {"x": {"$ref": "#/properties/x"}, "y": {"anyOf": [{"$ref": "#/properties/y"}]}}}
    types = ParameterTypes(root)
    assert types.value("x", "5") == "5"
    assert types.value("y", "5") == "5"


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "null"]}, "NULL", None),
        ({"type": ["integer", "null"]}, "null ", None),
        ({"type": "integer"}, "7", 7),
        ({"type": "integer"}, " -7 ", -7),
        ({"type": "integer"}, "1.0", 1.0),
        ({"type": "integer"}, "3.7", 3.7),
        ({"type": "integer"}, "three", "three"),
        ({"type": "number"}, "5.0", 5),
        ({"type": "number"}, "1e3", 1000),
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "number"}, "1e400", "1e400"),
        ({"type": "number"}, "NaN", "NaN"),
        ({"type": "number"}, "Infinity", "Infinity"),
        ({"type": "boolean"}, " True ", True),
        ({"type": "boolean"}, "0", False),
        ({"type": "boolean"}, "yes", "yes"),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "object"}, '{"a": NaN}', '{"a": NaN}'),
        ({"type": "array"}, "[1]", [1]),
        ({"type": "array"}, '{"a": 1}', {"a": 1}),
        ({"type": ["string", "integer"]}, "7", 7),
        ({"type": ["string", "integer"]}, "x", "x"),
        ({"enum": [1, 2]}, "2", 2),
    ],
)
def test_c_order_and_c_fall(schema, text, value):
    assert same(coerced(schema, text), value)


@pytest.mark.parametrize("text", ["007", "true", "{}", "null", "", " x ", "1e5", "[1"])
def test_c_str_a_string_is_never_parsed(text):
    assert coerced({"type": "string"}, text) == text
    assert ParameterTypes(None).value("x", text) == text
    assert ParameterTypes({"properties": {}}).value("x", text) == text


def test_c_str_only_what_can_only_be_a_string_may_stream():
    types = ParameterTypes({"properties": {"s": {"type": "string"}, "n": {"type": ["string", "null"]}}})
    assert types.is_text("s")
    assert types.is_text("unknown")
    assert not types.is_text("n")


def test_c_big_integers_survive():
    big = "9" * 40
    assert dump(coerced({"type": "integer"}, big)) == big
    assert coerced({"type": "integer"}, "9" * 5000) == "9" * 5000


def test_c_nest_values_inside_follow_their_own_schema():
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "l": {"type": "array", "items": {"type": "number"}},
            "s": {"type": "string"},
        },
    }
    text = '{"n": "7", "l": ["1.5", 2], "s": "7", "other": "7"}'
    assert coerced(schema, text) == {"n": 7, "l": [1.5, 2], "s": "7", "other": "7"}


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "[" * 5000 + "]" * 5000])
def test_deep_nesting_stays_text_and_does_not_raise(text):
    assert coerced({"type": "array"}, text) == text


def test_untyped_values_can_be_json_or_python_literals():
    assert ParameterTypes(None, "json").value("x", "[1]") == [1]
    assert ParameterTypes(None, "json").value("x", "(1, 2)") == "(1, 2)"
    assert ParameterTypes(None, "literal").value("x", "{'a': True}") == {"a": True}
    assert ParameterTypes(None, "literal").value("x", "open('f')") == "open('f')"


def test_json_object_is_only_that():
    assert json_object('{"a": 1}') == {"a": 1}
    assert json_object("[1]") is None
    assert json_object("{") is None


@given(st.text())
def test_escape_is_the_inside_of_a_json_string(text):
    assert json.loads(f'"{escape(text)}"') == text


def test_lone_surrogates_are_escaped_so_that_every_wire_carries_them():
    assert dump({"a": "\ud83d"}) == '{"a": "\\ud83d"}'
    dump(["\ud83d"]).encode()


@given(st.text(max_size=30), st.sampled_from(["integer", "number", "boolean", "object", "array", "null", "string"]))
def test_coercion_never_raises_and_gives_json(text, kind):
    assert json.loads(dump(coerced({"type": kind}, text))) == coerced({"type": kind}, text)


@given(st.text(max_size=30))
def test_a_free_value_is_the_json_or_the_text(text):
    value = free_value(text)
    assert value == text or json.loads(text, strict=False) == value
