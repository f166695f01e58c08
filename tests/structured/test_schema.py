"""The JSON schema of tools: card S-12 … S-16, S-30."""

import copy

import pytest
from jsonschema import Draft202012Validator

from parsers.errors import RequestError
from parsers.structured.schema import offered_tools, parameters_schema, tools_schema
from tests.structured.builders import CITY, named, tool

NO_ARGUMENTS = {"type": "object", "properties": {}}
POINT = {"type": "object", "properties": {"x": {"type": "number"}}}


def with_defs(name, definitions):
    return tool(name, {"type": "object", "properties": {"at": {"$ref": "#/$defs/Point"}}, "$defs": definitions})


def accepts(schema, value):
    return Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("tools", "choice"),
    [([tool()], "none"), ([tool()], None), ([tool()], "auto"), (None, "required")],
    ids=["none", "null", "auto", "no tools"],
)
def test_s12_no_schema_where_nothing_is_forced(tools, choice):
    assert tools_schema(tools, choice) is None


def test_s12_a_named_function_gives_its_parameters():
    assert tools_schema([tool("other", NO_ARGUMENTS), tool()], named()) == CITY


@pytest.mark.parametrize("parameters", [None, {}], ids=["missing", "empty"])
def test_s12_missing_parameters_are_no_arguments(parameters):
    assert parameters_schema(tool(parameters=parameters)) == NO_ARGUMENTS
    assert tools_schema([tool(parameters=parameters)], named()) == NO_ARGUMENTS


def test_s13_required_gives_an_array_with_one_alternative_a_tool():
    assert tools_schema([tool(), tool("now", None)], "required") == {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"name": {"type": "string", "enum": ["weather"]}, "parameters": CITY},
                    "required": ["name", "parameters"],
                },
                {
                    "type": "object",
                    "properties": {"name": {"type": "string", "enum": ["now"]}, "parameters": NO_ARGUMENTS},
                    "required": ["name", "parameters"],
                },
            ],
        },
    }


@pytest.mark.parametrize(("parallel", "limit"), [(False, 1), (None, None), (True, None)])
def test_s13_only_false_limits_the_array_to_one_call(parallel, limit):
    assert tools_schema([tool()], "required", parallel).get("maxItems") == limit


def test_s14_definitions_move_to_the_top_where_references_find_them():
    schema = tools_schema([with_defs("go", {"Point": POINT}), with_defs("stay", {"Point": POINT})], "required")
    assert schema["$defs"] == {"Point": POINT}
    assert accepts(schema, [{"name": "go", "parameters": {"at": {"x": 1}}}])
    assert not accepts(schema, [{"name": "go", "parameters": {"at": {"x": "one"}}}])


def test_s14_two_meanings_of_one_definition_are_an_error():
    with pytest.raises(RequestError, match="'stay' defines `\\$defs` 'Point' differently"):
        tools_schema([with_defs("go", {"Point": POINT}), with_defs("stay", {"Point": {"type": "string"}})], "required")


def test_s14_definitions_that_are_no_object_are_an_error():
    with pytest.raises(RequestError, match="`\\$defs` of the tool 'go' must be an object"):
        tools_schema([with_defs("go", ["Point"])], "required")


@pytest.mark.parametrize("choice", ["required", named("go")], ids=["required", "named"])
def test_s14_the_requests_tools_stay_as_they_were(choice):
    asked = with_defs("go", {"Point": POINT})
    before = copy.deepcopy(asked)
    schema = tools_schema([asked], choice)
    schema["$defs"]["Point"]["properties"]["x"] = "changed"
    assert asked == before


def test_s15_a_named_tool_must_be_offered():
    with pytest.raises(RequestError, match="'tides' named in tool_choice is not in tools; offered: weather"):
        tools_schema([tool()], named("tides"))


def test_s15_required_needs_a_function_tool():
    with pytest.raises(RequestError, match='"required", but the request offers no function tool'):
        tools_schema([], "required")


@pytest.mark.parametrize(
    ("choice", "output", "expected"),
    [
        ("required", [{"name": "weather", "parameters": {"city": "Bonn"}}], True),
        ("required", [{"name": "weather", "arguments": {"city": "Bonn"}}], False),
        ("required", {"name": "weather", "parameters": {"city": "Bonn"}}, False),
        ("required", [], False),
        ("required", [{"name": "tides", "parameters": {"city": "Bonn"}}], False),
        (named(), {"city": "Bonn"}, True),
        (named(), {"name": "weather", "parameters": {"city": "Bonn"}}, False),
    ],
    ids=["array", "arguments key", "bare call", "empty", "unknown name", "bare parameters", "wrapped parameters"],
)
def test_s16_required_is_an_array_and_named_the_bare_parameters(choice, output, expected):
    assert accepts(tools_schema([tool()], choice), output) is expected


def test_s30_function_tools_and_custom_tools_as_one_string_are_offered():
    raw = [
        {"type": "function", "function": {"name": "weather", "parameters": CITY}},
        {"type": "custom", "custom": {"name": "shell"}},
        {"type": "web_search"},
    ]
    offered = offered_tools(raw)
    assert [one.name for one in offered] == ["weather", "shell"]
    assert accepts(offered[1].parameters, {"input": "ls"})
    assert not accepts(offered[1].parameters, {"input": 1})
