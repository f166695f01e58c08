import pytest

from parsers.protocol import ChatRequest
from parsers.serving.toolgate import keeps_tool_calls

TOOL = {"type": "function", "function": {"name": "f"}}
NAMED = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("request_fields", "auto_tools", "kept"),
    [
        pytest.param({"tools": [TOOL]}, True, True, id="p24-auto-by-default"),
        pytest.param({"tools": [TOOL]}, False, False, id="p24-auto-switch-off"),
        pytest.param({"tools": [TOOL], "tool_choice": "none"}, True, False, id="p24-none"),
        pytest.param({"tools": [TOOL], "tool_choice": None}, True, False, id="p25-explicit-null"),
        pytest.param({"tools": [TOOL], "tool_choice": "required"}, False, True, id="p24-required"),
        pytest.param({"tools": [TOOL], "tool_choice": NAMED}, False, True, id="p24-named"),
        pytest.param({"tools": []}, True, False, id="p24-no-tools-offered"),
        pytest.param({"tools": [], "tool_choice": "auto"}, True, False, id="p24-auto-without-tools"),
        pytest.param({"tool_choice": "none"}, True, False, id="p24-none-without-tools"),
        pytest.param({}, True, True, id="nothing-said-about-tools"),
    ],
)
def test_p24_when_calls_reach_the_client(request_fields, auto_tools, kept):
    assert keeps_tool_calls(ChatRequest.model_validate(request_fields), auto_tools) is kept
