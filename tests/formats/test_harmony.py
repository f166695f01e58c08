"""Harmony: card harmony.md, from ids, from exact token texts and from text."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

BOTH = Setup("openai_gptoss", "openai")
TIDES = (
    "<|channel|>analysis<|message|>User wants tides 🌊.<|end|><|start|>assistant<|channel|>commentary"
    ' to=functions.tides <|constrain|>json<|message|>{"port":"Brest"}'
)


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            BOTH, TIDES, Fields("User wants tides 🌊.", None, (("tides", {"port": "Brest"}),)), id="example 1"
        ),
        pytest.param(
            BOTH,
            TIDES + "<|call|>",
            Fields("User wants tides 🌊.", None, (("tides", {"port": "Brest"}),)),
            id="the stop token stayed in the text",
        ),
        pytest.param(
            BOTH,
            "<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant<|channel|>final<|message|>High at 06:10",
            Fields(None, "Wait.High at 06:10"),
            id="example 2: messages of one field concatenate",
        ),
        pytest.param(
            BOTH,
            " to=tides<|channel|>final<|message|>{}<|end|>",
            Fields(None, None, (("tides", {}),)),
            id="a bare word is a function, on any channel",
        ),
        pytest.param(
            BOTH,
            "<|channel|>commentary to=browser.open<|message|>x<|call|>",
            Fields(None, None),
            id="a built-in tool's message is dropped",
        ),
        pytest.param(
            BOTH, "<|channel|>poetry<|message|>x<|end|>", Fields(None, None), id="an unknown channel is dropped"
        ),
        pytest.param(
            BOTH,
            "<|channel|>commentary to=assistant<|channel|>analysis<|message|>hm",
            Fields("hm", None),
            id="the last channel of a header wins",
        ),
        pytest.param(BOTH, "<|channel|>comm", Fields(None, None), id="a cut header never leaks"),
        pytest.param(
            BOTH,
            "<|start|>assistant<|channel|>analysis<|start|>assistant<|channel|>final<|message|>x",
            Fields(None, "x"),
            id="recovery: a header that begins again",
        ),
        pytest.param(
            BOTH,
            "<|channel|>analysis<|message|>a<|start|>assistant<|channel|>final<|message|>b",
            Fields("a", "b"),
            id="recovery: a body without its closer",
        ),
        pytest.param(
            BOTH,
            "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b",
            Fields("a", "b"),
            id="recovery: a message without its opener",
        ),
        pytest.param(
            BOTH,
            "Refuse.<|end|><|start|>assistant<|channel|>final<|message|>No.",
            Fields("Refuse.", "No."),
            id="recovery: the first message has no header",
        ),
        pytest.param(
            Setup("openai_gptoss"),
            TIDES,
            Fields(
                "User wants tides 🌊.",
                TIDES[TIDES.index("<|start|>") :],
            ),
            id="reasoning half: the call is shown as it is",
        ),
        pytest.param(
            Setup(None, "openai"),
            TIDES,
            Fields(None, "<|channel|>analysis<|message|>User wants tides 🌊.", (("tides", {"port": "Brest"}),)),
            id="tool half: the analysis is shown as it is",
        ),
        pytest.param(
            Setup("openai_gptoss", "openai", prompt="<|start|>assistant<|channel|>final<|message|>"),
            "Hi.",
            Fields(None, "Hi."),
            id="the prompt opened the final channel",
        ),
    ],
)
def test_harmony(setup, text, expected):
    assert everywhere(setup, text) == expected


def test_e22_control_ids_count_even_inside_a_string_and_their_spelling_never_does():
    spelled = [
        "<|channel|>",
        "commentary to=functions.f",
        "<|message|>",
        '{"a": "',
        "<|",
        "end",
        "|>",
        '"}',
        "<|call|>",
    ]
    assert from_tokens(BOTH, spelled) == Fields(None, None, (("f", {"a": "<|end|>"}),))
    control = ["<|channel|>", "commentary to=functions.f", "<|message|>", '{"a": "', "<|end|>", '"}']
    assert from_tokens(BOTH, control) == Fields(None, None, (), (("f", '{"a": "'),))


def test_harmony_t27_a_cut_leaves_no_call_and_no_framing():
    for text, fields in cut_off_everywhere(BOTH, TIDES, 0):
        if not text.endswith("}"):
            assert not fields.calls
        assert fields.content is None
        assert "<|" not in (fields.reasoning or "")
