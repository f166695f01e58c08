"""Muse: card muse.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere

TOOLS = {"rain": {"days": {"type": "integer"}, "place": {"type": "string"}}}
MUSE = Setup("muse", "muse", TOOLS)
GLIMMER = Setup("muse_glimmer", "muse_glimmer", TOOLS)
NEXT = "<|start|>assistant"


def calls(*parameters, name="rain"):
    inside = "".join(f'<atem:parameter name="{key}">{value}</atem:parameter>\n' for key, value in parameters)
    return f'<atem:function_calls>\n<atem:invoke name="{name}">\n{inside}</atem:invoke>\n</atem:function_calls>'


EXAMPLE = (
    f" to=self<|message|>Need rain data ☔.<|eom|>{NEXT} to=commentary<|message|>Looking.<|eom|>"
    f"{NEXT} to=rain<|message|>{calls(('days', 3), ('place', 77), name='rain.rain')}<|eom|>"
)
RAIN = (("rain", {"days": 3, "place": "77"}),)


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(MUSE, EXAMPLE, Fields("Need rain data ☔.", "Looking.", RAIN), id="example 1"),
        pytest.param(
            Setup("musespark1x", "musespark1x", TOOLS),
            EXAMPLE,
            Fields("Need rain data ☔.", "Looking.", RAIN),
            id="musespark1x is muse",
        ),
        pytest.param(GLIMMER, EXAMPLE, Fields("Need rain data ☔.", None, RAIN), id="glimmer: commentary is a tool's"),
        pytest.param(
            MUSE,
            f"<|message|>hm<|eom|>{NEXT} to=user<|message|>Yes<|eot|>",
            Fields("hm", "Yes"),
            id="example 2: a bare header is reasoning",
        ),
        pytest.param(
            GLIMMER,
            f"<|message|>hm<|eom|>{NEXT} to=user<|message|>Yes<|eot|>",
            Fields(None, "hmYes"),
            id="example 2 for glimmer: a bare header is content",
        ),
        pytest.param(MUSE, " to=developer<|message|>secret<|eom|>", Fields(None, None), id="developer is dropped"),
        pytest.param(
            MUSE,
            " to=rain<|message|>no markup here<|eom|>",
            Fields(None, None),
            id="a tool's message without markup shows nothing",
        ),
        pytest.param(
            MUSE,
            f" to=user<|message|>{calls(('days', 1))}<|eot|>",
            Fields(None, calls(("days", 1))),
            id="markup in a message to the user is text",
        ),
        pytest.param(
            MUSE,
            f" to=self<|message|>why to=rain<|message|>{calls(('days', 1))}",
            Fields("why", None, (("rain", {"days": 1}),)),
            id="defect: the next header has no opener",
        ),
        pytest.param(
            MUSE,
            " to=user<|message|>go to= or to=rain now",
            Fields(None, "go to= or to=rain now"),
            id="text that only looks like a header",
        ),
        pytest.param(MUSE, "plain text", Fields(None, "plain text"), id="no header: content"),
        pytest.param(
            MUSE,
            f"see {calls(('days', 1))}",
            Fields(None, "see ", (("rain", {"days": 1}),)),
            id="no header: markup still calls",
        ),
        pytest.param(
            MUSE,
            f" to=rain<|message|>{calls(('place', ' sp &amp; '), ('x', 5), ('x', 6))}",
            Fields(None, None, (("rain", {"place": " sp &amp; ", "x": 5}),)),
            id="values verbatim, JSON for unknown keys, the first of a repeated key",
        ),
        pytest.param(MUSE, " to=us", Fields(None, None), id="a cut header never leaks"),
        pytest.param(
            Setup("muse"),
            EXAMPLE,
            Fields(
                "Need rain data ☔.",
                "Looking.<|start|>assistant to=rain<|message|>" + calls(("days", 3), ("place", 77), name="rain.rain"),
            ),
            id="reasoning half: calls shown as they are",
        ),
        pytest.param(
            Setup(None, "muse", TOOLS),
            EXAMPLE,
            Fields(None, " to=self<|message|>Need rain data ☔.Looking.", RAIN),
            id="tool half",
        ),
    ],
)
def test_muse(setup, text, expected):
    assert everywhere(setup, text) == expected


def test_muse_t27_a_cut_call_is_no_call_and_leaves_no_markup():
    for text, fields in cut_off_everywhere(MUSE, EXAMPLE, 0):
        assert bool(fields.calls) == ("</atem:invoke>" in text), text
        assert fields.content in (None, *("Looking."[:n] for n in range(1, 9))), text
