"""Tools typed by people: card 00, C0-01 `tools`."""

import json

import pytest

from parsers.errors import LimitError, ToolsError
from parsers.files.limits import MAX_TEXT
from parsers.files.tools import read_tools

BARE = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}
FULL = {"type": "function", "function": BARE}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" \n", [], id="blank"),
        pytest.param("[]", [], id="no-tools"),
        pytest.param(json.dumps([FULL, BARE]), ["f", "f"], id="full-and-bare"),
        pytest.param('[{"type": "custom", "custom": {"name": "c"}}]', ["c"], id="s-30-custom"),
        pytest.param(json.dumps(BARE), ["f"], id="one-without-a-list"),
        pytest.param(json.dumps({"function": {"name": "g"}}), ["g"], id="type-left-out"),
    ],
)
def test_full_and_bare_function_tools_are_read(text, names):
    assert [tool.name for tool in read_tools(text)] == names


def test_parameters_are_kept():
    (tool,) = read_tools(json.dumps(BARE))
    assert tool.parameters == BARE["parameters"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param('[{"name": "f"},\n  {"name" "g"}]', "line 2, column 11", id="not-json"),
        pytest.param(
            '[{"name": "f"},\n  {"nam": "g"}]',
            "line 2, column 3 is not a function tool: function",
            id="no-name",
        ),
        pytest.param("[\n\n  7]", "line 3, column 3 is not a function tool", id="not-an-object"),
        pytest.param(
            '[{"type": "custom", "function": {"name": "f"}}]', "type: input should be 'function'", id="type"
        ),
        pytest.param(
            '[{"name": "ok"}, {"name": "f", "parameters": {"properties": {"a": {"type": "strin"}}}}]',
            r"'f' \(tool at line 1, column 18\) are not a JSON schema: parameters.properties.a.type",
            id="not-a-schema",
        ),
        pytest.param("[" * 100_000, "too deeply nested", id="too-deep"),
        pytest.param('[{"name": "f", "name": "g"}]', "the key 'name' appears twice", id="duplicate-key"),
    ],
)
def test_mistakes_are_named_with_their_place(text, complaint):
    with pytest.raises(ToolsError, match=complaint) as caught:
        read_tools(text)
    assert "\n" not in str(caught.value)


def test_tools_over_the_limit_are_refused():
    with pytest.raises(LimitError, match=r"2,000,000"):
        read_tools(" " * (MAX_TEXT + 1))
