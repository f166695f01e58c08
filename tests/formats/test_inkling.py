"""Inkling: card inkling.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere

BOTH = Setup("inkling", "inkling")
ROUTE = '<|content_invoke_tool_json|>{"name":"route","args":{"to":"}"}}<|end_message|>'
ASK = "<|content_thinking|>Ask the map 🗺.<|end_message|><|message_model|>maps"


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            BOTH,
            ASK + ROUTE + "<|content_model_end_sampling|>",
            Fields("Ask the map 🗺.", None, (("route", {"to": "}"}),)),
            id="example 1, the label is in no field",
        ),
        pytest.param(
            BOTH,
            '<|content_invoke_tool_json|>{"args":{},"name":"ping"}<|end_message|><|message_model|>'
            "<|content_text|>Sent.<|end_message|>",
            Fields(None, "Sent.", (("ping", {}),)),
            id="example 2, text after a call stays",
        ),
        pytest.param(
            BOTH,
            '<|content_invoke_tool_json|>{"name":"f","arguments":{"x":1}}<|end_message|>',
            Fields(None, None, (("f", {"x": 1}),)),
            id="other keys for the arguments",
        ),
        pytest.param(
            BOTH,
            '<|content_invoke_tool_json|>{"name":"f","args":{"s":"<|end_message|>"}}<|end_message|>',
            Fields(None, None, (("f", {"s": "<|end_message|>"}),)),
            id="marker as data",
        ),
        pytest.param(BOTH, "no frame", Fields(None, "no frame"), id="recovery: unframed text is content"),
        pytest.param(BOTH, "label<|end_message|>", Fields(None, "label"), id="recovery: a block without a kind"),
        pytest.param(
            BOTH,
            "<|content_invoke_tool_text|>raw<|end_message|>",
            Fields(None, "raw"),
            id="raw tool text is content",
        ),
        pytest.param(
            BOTH,
            "<|content_thinking|>a" + ROUTE,
            Fields("a", None, (("route", {"to": "}"}),)),
            id="recovery: a call ends open thinking",
        ),
        pytest.param(
            BOTH,
            "<|content_thinking|>a<|content_text|>b<|end_message|>",
            Fields("a", "b"),
            id="recovery: text opens inside thinking",
        ),
        pytest.param(
            BOTH,
            "<|content_thinking|>a<|end_message|><|message_model|><|content_thinking|>b",
            Fields("ab", None),
            id="two thoughts are one field",
        ),
        pytest.param(
            BOTH,
            "<|content_invoke_tool_json|>nope<|end_message|>",
            Fields(None, "<|content_invoke_tool_json|>nope"),
            id="recovery: no JSON comes back as text",
        ),
        pytest.param(BOTH, "x<|end_message|", Fields(None, "x<|end_message|"), id="half a marker at the end is text"),
        pytest.param(
            Setup("inkling", "inkling", prompt="<|message_model|><|content_thinking|>"),
            "more<|end_message|>",
            Fields("more", None),
            id="the prompt left thinking open",
        ),
        pytest.param(
            Setup("inkling"),
            ASK + ROUTE,
            Fields("Ask the map 🗺.", ROUTE[: -len("<|end_message|>")]),
            id="reasoning half: the call is shown as it is",
        ),
        pytest.param(
            Setup(None, "inkling"),
            ASK + ROUTE,
            Fields(None, "<|content_thinking|>Ask the map 🗺.", (("route", {"to": "}"}),)),
            id="tool half: thinking is shown as it is",
        ),
    ],
)
def test_inkling(setup, text, expected):
    assert everywhere(setup, text) == expected


def test_inkling_t27_a_cut_call_is_no_call_and_leaves_no_markup():
    for text, fields in cut_off_everywhere(BOTH, ASK + ROUTE, len(ASK)):
        closed = text.endswith(("}}", ">"))
        assert closed or not fields.calls, text
        assert fields.content in (None, "maps")
