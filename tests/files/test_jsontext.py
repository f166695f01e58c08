"""JSON values and their equality: card 00, C0-04."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.files.jsontext import BadJson, is_value, read_json, same_value

DEEP = "[" * 100_000 + "]" * 100_000

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, id="key-order"),
        pytest.param(1, 1.0, True, id="integer-and-float"),
        pytest.param([1], [1.0], True, id="numbers-in-lists"),
        pytest.param(1, True, False, id="true-is-not-1"),
        pytest.param(0, False, False, id="false-is-not-0"),
        pytest.param(3, "3", False, id="number-is-not-text"),
        pytest.param(None, False, False, id="null-is-not-false"),
        pytest.param([], {}, False, id="list-is-not-object"),
        pytest.param([1, 2], [2, 1], False, id="list-order"),
        pytest.param([1], [1, 2], False, id="list-length"),
        pytest.param({"a": None}, {}, False, id="null-is-not-absent"),
        pytest.param({"a": {"b": [1, {"c": True}]}}, {"a": {"b": [1, {"c": 1}]}}, False, id="deep-type"),
        pytest.param(2**53 + 1, float(2**53), False, id="large-integers-are-exact"),
    ],
)
def test_c0_04_values_are_compared_by_type_and_value(left, right, same):
    assert same_value(left, right) is same
    assert same_value(right, left) is same


@given(json_values)
def test_c0_04_a_value_equals_itself(value):
    assert same_value(value, value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a":1,"a":1}', {"a": 1}, id="duplicate-key"),
        pytest.param('{"x":{"a":1,"a":1}}', {"x": {"a": 1}}, id="deep-duplicate-key"),
        pytest.param("NaN", None, id="nan"),
        pytest.param('{"a": -Infinity}', {"a": None}, id="infinity"),
        pytest.param('{"a": 1', {"a": 1}, id="cut"),
        pytest.param("", None, id="empty"),
        pytest.param("{} {}", {}, id="two-values"),
        pytest.param(DEEP, [], id="too-deep"),
    ],
)
def test_c0_04_what_is_not_strict_json_equals_nothing(text, expected):
    assert not is_value(text, expected)


def test_spacing_does_not_matter():
    assert is_value(' { "a" : [ 1 ] } ', {"a": [1.0]})


def test_deeply_nested_values_are_compared():
    text = "[" * 900 + "]" * 900
    assert same_value(read_json(text), read_json(text))


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        pytest.param('{"a": 1,\n "b" 2}', (2, 6), "Expecting ':'", id="syntax"),
        pytest.param('{"a": NaN}', (None, None), "NaN is not JSON", id="nan"),
        pytest.param('{"k":1,"k":2}', (None, None), "the key 'k' appears twice", id="duplicate"),
        pytest.param("9" * 5000, (None, None), "too many digits", id="digits"),
        pytest.param(DEEP, (None, None), "too deeply nested", id="depth"),
    ],
)
def test_mistakes_carry_reason_and_place(text, place, reason):
    with pytest.raises(BadJson, match=reason) as caught:
        read_json(text)
    assert (caught.value.line, caught.value.column) == place
