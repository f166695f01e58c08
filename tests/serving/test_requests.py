"""Which requests a server serves: card 01, P-25 and P-28."""

import pytest

from parsers.errors import RequestError
from parsers.protocol import ChatRequest
from parsers.serving.requests import ToolSupport, read_request
from tests.serving.served import TOOLS


def named(name):
    return {"type": "function", "function": {"name": name}}


@pytest.mark.parametrize(
    ("fields", "support", "sentence"),
    [
        pytest.param({"tools": []}, {}, "must not be an empty array", id="empty-tools"),
        pytest.param({"tool_choice": "auto"}, {}, "`tools` must be set", id="auto-without-tools"),
        pytest.param({"tool_choice": named("f")}, {}, "`tools` must be set", id="named-without-tools"),
        pytest.param({"tools": TOOLS, "tool_choice": "maybe"}, {}, "`tool_choice`: maybe!", id="unknown-choice"),
        pytest.param({"tools": TOOLS, "tool_choice": named("h")}, {}, "does not match any", id="unknown-function"),
        pytest.param({"tools": TOOLS, "tool_choice": {}}, {}, "`function`: `None`", id="choice-without-function"),
        pytest.param(
            {"tools": TOOLS, "tool_choice": {"function": {}}}, {}, "Expected field `name`", id="choice-without-name"
        ),
        pytest.param({"tools": TOOLS}, {"auto_tools": False}, "--enable-auto-tool-choice", id="auto-switched-off"),
        pytest.param({"tools": TOOLS}, {"tool_parser": False}, "--enable-auto-tool-choice", id="auto-no-parser"),
        pytest.param(
            {"tools": TOOLS, "tool_choice": "required"},
            {"tool_parser": False},
            'tool_choice="required" requires --tool-call-parser',
            id="required-without-parser",
        ),
        pytest.param(
            {"tools": TOOLS, "tool_choice": named("f")},
            {"tool_parser": False},
            'tool_choice=function "f" requires --tool-call-parser',
            id="named-without-parser",
        ),
        pytest.param({"tools": [{"type": "function"}]}, {}, r"`tools\.0\.function`", id="tool-without-function"),
        pytest.param({"stream_options": {"include_usage": True}}, {}, "`stream=True`", id="options-unstreamed"),
        pytest.param({"top_logprobs": 2}, {}, "`logprobs` must be set", id="alternatives-without-logprobs"),
    ],
)
def test_p28_rejected_with_the_servers_sentence(fields, support, sentence):
    with pytest.raises(RequestError, match=sentence):
        read_request(fields, ToolSupport(**support))


@pytest.mark.parametrize(
    ("fields", "support"),
    [
        pytest.param({}, {}, id="no-tools"),
        pytest.param({"tool_choice": "none"}, {}, id="none-without-tools"),
        pytest.param({"tool_choice": None}, {}, id="null-without-tools"),
        pytest.param({"tools": None}, {}, id="null-tools"),
        pytest.param({"tools": TOOLS}, {}, id="auto"),
        pytest.param({"tools": TOOLS, "tool_choice": named("g")}, {"auto_tools": False}, id="named-needs-no-auto"),
        pytest.param({"tools": TOOLS, "tool_choice": "none"}, {"tool_parser": False}, id="none-needs-no-parser"),
        pytest.param({"logprobs": True, "top_logprobs": 2}, {}, id="alternatives"),
        pytest.param({"stream": True, "stream_options": {"include_usage": True}}, {}, id="options-streamed"),
        pytest.param({"logprobs": None, "top_logprobs": None, "return_token_ids": None}, {}, id="nulls"),
    ],
)
def test_p28_served(fields, support):
    assert read_request(fields, ToolSupport(**support)) == ChatRequest.model_validate(fields)


def test_p25_an_absent_choice_becomes_auto_with_tools():
    assert read_request({"tools": TOOLS}).tool_choice == "auto"
