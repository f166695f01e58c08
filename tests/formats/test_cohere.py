"""Cohere Command 3 and 4: card cohere.md, every way a text can arrive."""

import pytest

from parsers.registry import build_parser
from tests.every_cut import Fields, Setup, everywhere

THREE, FOUR = Setup("cohere_command3", "cohere_command3"), Setup("cohere_command4", "cohere_command4")


def tag(name, text):
    return f"<|START_{name}|>{text}<|END_{name}|>"


def thinking(text):
    return tag("THINKING", text)


def response(text):
    return tag("RESPONSE", text)


def action(*calls):
    return tag("ACTION", f"[{', '.join(calls)}]")


def call(name, parameters="{}", call_id="0"):
    return f'{{"tool_call_id":"{call_id}","tool_name":"{name}","parameters":{parameters}}}'


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            FOUR,
            "Find it.<|END_THINKING|>" + action(call("find", '{"q":"x"}')),
            Fields("Find it.", None, (("find", {"q": "x"}),)),
            id="example 1",
        ),
        pytest.param(
            THREE,
            thinking("Easy") + response("It is <co>blue</co: 0:[0]>."),
            Fields("Easy", "It is blue."),
            id="example 2",
        ),
        pytest.param(
            THREE, response("a") + "b" + response("c"), Fields(None, "ac"), id="text behind END_RESPONSE is dropped"
        ),
        pytest.param(THREE, "no tags", Fields(None, "no tags"), id="command3 starts in content"),
        pytest.param(FOUR, "no tags", Fields("no tags", None), id="command4 starts in thinking"),
        pytest.param(THREE, tag("TEXT", "x"), Fields(None, tag("TEXT", "x")), id="command3 knows no TEXT"),
        pytest.param(FOUR, tag("TEXT", "x"), Fields(None, "x"), id="command4 with thinking off"),
        pytest.param(FOUR, f"a{response('b')}", Fields("a", "b"), id="no END_THINKING before the answer"),
        pytest.param(
            FOUR, f"a{action(call('f'))}", Fields("a", None, (("f", {}),)), id="no END_THINKING before an action"
        ),
        pytest.param(
            THREE,
            f"{thinking('a')}Plan. {action(call('f'))}gone",
            Fields("a", "Plan.", (("f", {}),)),
            id="text before an action",
        ),
        pytest.param(
            FOUR,
            f"a<|END_THINKING|>{action(call('f'), call('g'))}x{tag('TEXT', 'done')}",
            Fields("a", "done", (("f", {}), ("g", {}))),
            id="parallel calls, then an answer",
        ),
        pytest.param(THREE, response("a") + thinking("b"), Fields("b", "a"), id="thinking behind an answer"),
        pytest.param(THREE, thinking("a \n") + response(" b\n"), Fields("a", " b"), id="right-trim at the closers"),
        pytest.param(THREE, f"{thinking('a<co>b</co: 1:[2]>')}c", Fields("ab", "c"), id="citations in thinking"),
        pytest.param(
            THREE,
            "<co>é🎉</co: 0:[1,2],1:[3]> <co",
            Fields(None, "é🎉 <co"),
            id="several sources; a tag cut off is text",
        ),
        pytest.param(THREE, "a</co: why>b", Fields(None, "a</co: why>b"), id="no sources: text"),
        pytest.param(THREE, "<|START_THINKING|>a", Fields("a", None), id="R-TRUNC"),
        pytest.param(THREE, "a<|END_THINKING|>b", Fields(None, "ab"), id="R-REPEAT"),
        pytest.param(FOUR, "<|START_THINKING|>a<|END_THINKING|>b", Fields("a", "b"), id="R-OPEN"),
        pytest.param(
            THREE,
            f"a {tag('ACTION', 'soon')}b",
            Fields(None, f"a {tag('ACTION', 'soon')}b"),
            id="no list: text as it stands",
        ),
        pytest.param(
            THREE,
            tag("ACTION", call("f", '{"s": "<|END_ACTION|>", "o": {"k": [null]}}')),
            Fields(None, None, (("f", {"s": "<|END_ACTION|>", "o": {"k": [None]}}),)),
            id="a bare object, a marker in a string, nested",
        ),
        pytest.param(
            THREE,
            '<|START_ACTION|>[{"parameters":"{}","tool_name":"f"}, {"name":"g"}]',
            Fields(None, None, (("f", {}), ("g", {}))),
            id="any order, no ids, other keys, no closer",
        ),
        pytest.param(
            FOUR,
            f"<|START_ACTION|>[{call('f')[:-3]}",
            Fields(None, None, (), (("f", ""),)),
            id="cut before the arguments",
        ),
    ],
)
def test_both_halves(setup, text, expected):
    assert everywhere(setup, text) == expected


PREFILLED = "<|CHATBOT_TOKEN|><|START_THINKING|>"


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            Setup("cohere_command3", prompt=PREFILLED), "a<|END_THINKING|>b", Fields("a", "b"), id="prompt open"
        ),
        pytest.param(
            Setup("cohere_command4", prompt=f"{PREFILLED}<|END_THINKING|>"), "b", Fields(None, "b"), id="prompt closed"
        ),
        pytest.param(
            Setup("cohere_command3", prompt=f"{PREFILLED}<|CHATBOT_TOKEN|>"),
            "b",
            Fields(None, "b"),
            id="an earlier turn",
        ),
        pytest.param(
            Setup("cohere_command3"),
            thinking("a") + action(call("f")),
            Fields("a", action(call("f"))),
            id="reasoning alone",
        ),
        pytest.param(
            Setup(tool="cohere_command3"),
            thinking("a") + action(call("f")),
            Fields(None, thinking("a"), (("f", {}),)),
            id="tools alone",
        ),
    ],
)
def test_halves_and_prompts(setup, text, expected):
    assert everywhere(setup, text) == expected


def test_the_model_s_id_is_the_id():
    text = action(call("f", call_id="0"), '{"tool_name":"g","parameters":{},"tool_call_id":"1"}')
    calls = build_parser("cohere_command3", "cohere_command3", None).parse(text).tool_calls
    assert [(made.function.name, made.id) for made in calls] == [("f", "0"), ("g", "1")]
