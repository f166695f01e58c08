"""What decides a value besides its schema: declared types, repeated keys (k2-horizon.md), Python literals."""

import json

import pytest

from parsers.args.params import ParamsCodec, ValueRules
from parsers.args.schema import ParameterTypes

TYPES = ParameterTypes(
    {
        "properties": {
            "n": {"type": "integer"},
            "u": {"type": ["integer", "string"]},
            "s": {"type": "string"},
            "o": {"type": "object"},
        }
    }
)
SCHEMA_FIRST = ValueRules(schema_first=True)


@pytest.mark.parametrize(
    ("key", "declared", "expected"),
    [
        pytest.param("n", "string", 5, id="the schema names one type"),
        pytest.param("s", "json", "5", id="the schema names text"),
        pytest.param("u", "string", "5", id="the schema leaves a choice: text"),
        pytest.param("u", "json", 5, id="the schema leaves a choice: JSON"),
        pytest.param("z", "json", 5, id="the schema says nothing"),
        pytest.param("z", None, "5", id="nobody says anything"),
    ],
)
def test_a_declared_type_counts_where_the_schema_leaves_a_choice(key, declared, expected):
    codec = ParamsCodec(TYPES, SCHEMA_FIRST)
    text = codec.begin(key, declared) + codec.feed("5") + codec.end() + codec.close()
    assert json.loads(text) == {key: expected}


@pytest.mark.parametrize(("keys", "repeated"), [(["s", "n"], False), (["s", "n", "s"], True), ([], False)])
def test_a_repeated_key_is_remembered(keys, repeated):
    codec = ParamsCodec(TYPES)
    for key in keys:
        codec.begin(key)
        codec.end()
    assert codec.repeated is repeated


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        pytest.param("o", "{'a': [1, None]}", {"a": [1, None]}, id="a literal object"),
        pytest.param("o", '{"a": 1}', {"a": 1}, id="JSON first"),
        pytest.param("o", "{'a': ", "{'a': ", id="neither"),
        pytest.param("s", "{'a': 1}", "{'a': 1}", id="text stays text"),
        pytest.param("u", "None", "None", id="text is allowed"),
        pytest.param("z", "True", "True", id="without a schema a value is text"),
    ],
)
def test_a_value_its_type_does_not_allow_may_be_a_python_literal(key, text, expected):
    codec = ParamsCodec(TYPES, ValueRules(literals=True))
    arguments = codec.begin(key) + codec.feed(text) + codec.end() + codec.close()
    assert json.loads(arguments) == {key: expected}
