"""XML parameters: minicpm5.md "Arguments"."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.args.schema import ParameterTypes
from parsers.args.xml_params import XmlParams, xml_text

SCHEMA = {
    "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "any": {}},
    "required": ["s"],
}


def call(*parameters, schema=SCHEMA):
    codec = XmlParams(ParameterTypes(schema, "literal"), ("arguments", "properties"))
    sent = [codec.begin(key) + codec.feed(value) + codec.end() for key, value in parameters]
    assert sent == [""] * len(parameters)
    return json.loads(codec.close()), codec.bad


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param("x &lt; y &amp;&amp; &quot;z&quot; &apos;", "x < y && \"z\" '", id="the five entities"),
        pytest.param("&#65;&#x1F600;", "A😀", id="numeric references"),
        pytest.param("a & b < c &copy; &amp", "a & b < c &copy; &amp", id="what is no XML reference stays"),
        pytest.param("&#0;&#xD800;&#x110000;", "&#0;&#xD800;&#x110000;", id="references to no character stay"),
        pytest.param("\n\n a \n\n", "\n a \n", id="one newline at each end"),
        pytest.param("<![CDATA[&amp; </param>]]>", "&amp; </param>", id="CDATA is verbatim"),
        pytest.param("\n&lt;<![CDATA[<]]>&gt;\n", "<<>", id="CDATA between text"),
        pytest.param("<![CDATA[a", "<![CDATA[a", id="CDATA without an end is text"),
    ],
)
def test_xml_text(raw, text):
    assert xml_text(raw) == text


@given(st.text(max_size=30))
def test_a_cdata_section_says_what_it_holds(text):
    text = text.replace("]]>", "")
    assert xml_text(f"<![CDATA[{text}]]>") == text


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        pytest.param([("s", "1"), ("n", "2")], {"s": "1", "n": 2}, id="typed by the schema"),
        pytest.param([("s", "a"), ("any", "{'k': True}")], {"s": "a", "any": {"k": True}}, id="a Python literal"),
        pytest.param([("s", "a"), ("zz", "1")], {"s": "a"}, id="a key the schema does not know is dropped"),
        pytest.param([("arguments", '{"s": "a", "zz": 1}')], {"s": "a"}, id="a wrapper, with an unknown key"),
        pytest.param([("properties", "{'s': 'a'}"), ("n", "1")], {"s": "a", "n": 1}, id="a wrapper beside a key"),
    ],
)
def test_a_call_that_keeps_the_rules(parameters, expected):
    assert call(*parameters) == (expected, False)


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param([("s", "a"), ("s", "b")], id="a key twice"),
        pytest.param([("s", "a"), ("", "b")], id="a parameter without a name"),
        pytest.param([("n", "1")], id="a required key is missing"),
        pytest.param([], id="no parameter at all"),
        pytest.param([("arguments", "[1]")], id="a wrapper around no object"),
    ],
)
def test_a_call_that_breaks_them_is_bad(parameters):
    assert call(*parameters)[1]


def test_without_properties_every_key_is_kept():
    assert call(("zz", "1"), schema={}) == ({"zz": 1}, False)


def test_a_marker_is_data_inside_a_cdata_section_only():
    codec = XmlParams(ParameterTypes(SCHEMA))
    codec.begin("s")
    states = []
    for piece in ("a", "<![CDATA[", "b", "]]>", "c"):
        codec.feed(piece)
        states.append(codec.open_data)
    assert states == [False, True, True, False, False]
