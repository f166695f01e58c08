"""The finish reason: card 01, P-30 and P-31."""

import pytest

from parsers.protocol import ChatRequest
from parsers.serving.finish import client_finish_reason

TOOLS = [{"type": "function", "function": {"name": "f"}}]
NAMED = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("engine", "choice", "called", "told"),
    [
        pytest.param(None, "auto", False, "stop", id="none-is-stop"),
        pytest.param(None, "auto", True, "tool_calls", id="none-with-calls"),
        pytest.param("stop", "auto", True, "tool_calls", id="calls"),
        pytest.param("stop", "required", True, "tool_calls", id="required"),
        pytest.param("stop", "auto", False, "stop", id="no-calls"),
        pytest.param("length", "auto", True, "length", id="cut-call-is-told"),
        pytest.param("abort", "auto", True, "abort", id="abort"),
        pytest.param("repetition", "auto", True, "repetition", id="repetition"),
        pytest.param("stop", NAMED, True, "stop", id="named-tool"),
    ],
)
def test_p30_only_a_plain_stop_with_unforced_calls_becomes_tool_calls(engine, choice, called, told):
    request = ChatRequest.model_validate({"tools": TOOLS, "tool_choice": choice})
    assert client_finish_reason(engine, request, called) == told
