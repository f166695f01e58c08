"""Tagged parameters to JSON: C-DUP, C-STREAM, values with framing white space, wrapped arguments."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.args.params import VERBATIM, ParamsCodec, ValueRules
from parsers.args.schema import ParameterTypes

SCHEMA = {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
STRIP = ValueRules(strip=True)
WRAPPERS = ValueRules(wrappers=("arguments", "input"))


def arguments(*parameters, rules=VERBATIM, size=1000, declared=None):
    """The whole argument text of (key, raw value) pairs, each value fed in pieces of `size` characters."""
    codec = ParamsCodec(ParameterTypes(SCHEMA), rules)
    out = []
    for key, value in parameters:
        out.append(codec.begin(key, declared))
        out += [codec.feed(value[at : at + size]) for at in range(0, len(value), size)]
        out.append(codec.end())
    return "".join(out) + codec.close()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        pytest.param([], "{}", id="no parameter"),
        pytest.param([("s", "a"), ("n", "2")], '{"s": "a", "n": 2}', id="typed by the schema"),
        pytest.param([("s", "a"), ("s", "b")], '{"s": "a"}', id="C-DUP: the first value wins"),
        pytest.param([("", "a"), ("s", "b")], '{"s": "b"}', id="a value without a key is dropped"),
        pytest.param([("s", ' "x"\n')], '{"s": " \\"x\\"\\n"}', id="verbatim"),
    ],
)
def test_parameters_become_an_object(parameters, expected):
    assert arguments(*parameters) == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("string", {"n": "2"}), ("json", {"n": 2}), (None, {"n": 2})],
)
def test_an_attribute_decides_before_the_schema(declared, expected):
    """deepseek-dsml.md: the attribute is authoritative."""
    assert json.loads(arguments(("n", "2"), declared=declared)) == expected


@given(st.text(alphabet=' \n\t"\\a', max_size=12), st.integers(1, 4))
def test_framing_white_space_is_dropped_under_every_cut(value, size):
    """step3.md, dots.md: values are stripped."""
    assert json.loads(arguments(("s", value), rules=STRIP, size=size)) == {"s": value.strip()}


def test_a_stripped_value_of_another_type_is_read_without_its_edges():
    assert arguments(("n", "\n 2 \n"), ("u", " x "), rules=STRIP) == '{"n": 2, "u": "x"}'


@pytest.mark.parametrize(
    ("parameters", "declared", "expected"),
    [
        pytest.param([("arguments", '{"n": 1}')], "json", {"n": 1}, id="an object of known keys"),
        pytest.param([("input", '{"s": "x"}')], "string", {"s": "x"}, id="a string that spells one"),
        pytest.param([("input", "{}")], "json", {}, id="an empty object"),
        pytest.param([("arguments", '{"z": 1}')], "json", {"arguments": {"z": 1}}, id="an unknown key inside"),
        pytest.param([("arguments", "[1]")], "json", {"arguments": [1]}, id="no object"),
        pytest.param([("arguments", '{"n": 1}'), ("n", "2")], "json", {"arguments": {"n": 1}, "n": 2}, id="not alone"),
        pytest.param([("n", "2"), ("arguments", "{}")], "json", {"n": 2, "arguments": {}}, id="not first"),
    ],
)
def test_a_lone_wrapper_is_its_object(parameters, declared, expected):
    """deepseek-dsml.md: wrapper unwrapping."""
    assert json.loads(arguments(*parameters, rules=WRAPPERS, declared=declared)) == expected


def test_a_wrapper_that_the_call_closes_is_unwrapped_too():
    codec = ParamsCodec(ParameterTypes(SCHEMA), WRAPPERS)
    assert codec.begin("arguments", "json") + codec.feed('{"n": 1}') + codec.close() == '{"n": 1}'
