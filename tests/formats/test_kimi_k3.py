"""Kimi K3: card kimi-k3.md, every way a text can arrive."""

import pytest

from parsers.registry import build_parser
from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens


def opened(element):
    return f"<|open|>{element}<|sep|>"


def closed(element):
    return f"<|close|>{element}<|sep|>"


def argument(key, value, kind="string"):
    return opened(f'argument key="{key}" type="{kind}"') + value + closed("argument")


def call(name, *arguments, index=1):
    return opened(f'call tool="{name}" index="{index}"') + "".join(arguments) + closed("call")


def tools(*calls):
    return opened("tools") + "".join(calls) + closed("tools")


def k3(**changes):
    return Setup("kimi_k3", "kimi_k3", **changes)


THINK_END, RESPONSE, RESPONSE_END, END = closed("think"), opened("response"), closed("response"), closed("message")
NOW = tools(call("now"))


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            k3(), f"Sum.{THINK_END}{RESPONSE}Done.{RESPONSE_END}{END}", Fields("Sum.", "Done."), id="example 1"
        ),
        pytest.param(
            k3(kwargs={"thinking": False}), RESPONSE_END + tools(call("f", argument("n", "2", "number"))),
            Fields(None, None, (("f", {"n": 2}),)), id="example 2",
        ),
        pytest.param(
            k3(), f" r\n{THINK_END}{RESPONSE} a 🙂é\n{RESPONSE_END}{tools(call('f'), call('g', index=2))}{END}",
            Fields(" r\n", " a 🙂é\n", (("f", {}), ("g", {}))), id="Whitespace: none trimmed; parallel calls",
        ),
        pytest.param(
            k3(), THINK_END + tools(call("a&amp;b", argument("q&amp;quot;&quot;", "&amp;"))),
            Fields(None, None, (("a&b", {'q&quot;"': "&amp;"}),)), id="Arguments: &quot; is unescaped first",
        ),
        pytest.param(
            k3(), THINK_END + tools(call("f", opened('argument type="number" key="n"') + "3" + closed("argument"))),
            Fields(None, None, (("f", {"n": 3}),)), id="attributes in another order",
        ),
        pytest.param(
            k3(), THINK_END + tools(call("f", opened('argument key="n"') + "3" + closed("argument"))),
            Fields(None, None, (("f", {"n": "3"}),)), id="Arguments: a missing type is string",
        ),
        pytest.param(
            k3(), f"r{THINK_END}<|open|> response <|sep|>a<|close|> response <|sep|>", Fields("r", "a"),
            id="Markers: spaces next to the tokens of a tag",
        ),
        pytest.param(k3(), "just thinking", Fields("just thinking", None), id="R-TRUNC"),
    ],
)  # fmt: skip
def test_output(setup, text, expected):
    assert everywhere(setup, text) == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", ' fish & <b> "x"\\n ', ' fish & <b> "x"\\n '),
        ("number", "1.5", 1.5),
        ("number", "3", 3),
        ("boolean", "false", False),
        ("null", "null", None),
        ("object", '{"a": [1, "é"]}', {"a": [1, "é"]}),
        ("array", "[]", []),
        ("object", "{oops", "{oops"),
    ],
)
def test_the_type_of_an_argument_decides_and_bodies_are_verbatim(kind, value, expected):
    """Card "Arguments"."""
    text = THINK_END + tools(call("f", argument("x", value, kind)))
    assert everywhere(k3(), text) == Fields(None, None, (("f", {"x": expected}),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{RESPONSE}Hi{RESPONSE_END}{END}", Fields(None, "Hi"), id="thinking was skipped"),
        pytest.param(f"r{RESPONSE}hi", Fields("r", "hi"), id="text in front of the response is reasoning"),
        pytest.param(f"r{NOW}", Fields("r", None, (("now", {}),)), id="tools inside thinking"),
        pytest.param(f"r{THINK_END}text{RESPONSE_END}", Fields("r", "text"), id="the response has no opener"),
        pytest.param(f"r{THINK_END}{RESPONSE}text", Fields("r", "text"), id="the response is not closed"),
        pytest.param(f"r{END}", Fields("r", None), id="the message ends in thinking"),
        pytest.param(f"r{RESPONSE_END}{NOW}", Fields("r", None, (("now", {}),)), id="the wrong closer"),
        pytest.param(f"{opened('think')}r{THINK_END}{RESPONSE}a", Fields("r", "a"), id="R-OPEN"),
        pytest.param(f"r{THINK_END}{THINK_END}{RESPONSE}a{THINK_END}b", Fields("r", "ab"), id="R-REPEAT"),
        pytest.param(
            THINK_END + opened("tools") + call("f", argument("s", "x"))[: -len(closed("call"))] + closed("tools"),
            Fields(None, None, (("f", {"s": "x"}),)), id="no call close",
        ),
        pytest.param(
            THINK_END + opened("tools") + opened('call tool="f"') + call("g") + END,
            Fields(None, None, (("f", {}), ("g", {}))), id="no call close, no tools close",
        ),
        pytest.param(
            THINK_END + tools(call("f", argument("s", "x"), argument("s", "y"))),
            Fields(None, None, (("f", {"s": "x"}),)), id="C-DUP: the first value wins",
        ),
    ],
)  # fmt: skip
def test_recovery(text, expected):
    assert everywhere(k3(), text) == expected


PROMPT = f'{END}{opened("message role=" + chr(34) + "assistant" + chr(34))}'


@pytest.mark.parametrize(
    ("kwargs", "prompt", "expected"),
    [
        pytest.param({}, None, Fields("a", "b"), id="on by default"),
        pytest.param({"thinking": False}, None, Fields(None, "ab"), id="off"),
        pytest.param({"thinking": True, "enable_thinking": False}, None, Fields("a", "b"), id="thinking decides"),
        pytest.param({"enable_thinking": False}, None, Fields(None, "ab"), id="else enable_thinking"),
        pytest.param({}, PROMPT + RESPONSE, Fields(None, "ab"), id="the prompt opens the response"),
        pytest.param({"thinking": False}, PROMPT + opened("think"), Fields("a", "b"), id="the prompt opens thinking"),
        pytest.param({}, RESPONSE + PROMPT, Fields("a", "b"), id="an earlier turn decides nothing"),
    ],
)
def test_initial_state(kwargs, prompt, expected):
    assert everywhere(k3(kwargs=kwargs, prompt=prompt), f"a{THINK_END}b") == expected


def test_off_an_opener_in_the_text_still_opens_thinking():
    text = f"a{opened('think')}r{THINK_END}{RESPONSE}b"
    assert everywhere(k3(kwargs={"thinking": False}), text) == Fields("r", "ab")


def test_each_half_leaves_the_other_s_markup_in_the_content_and_strips_the_response():
    """INDEX-2 feature 20; card "Streaming vs non-streaming"."""
    text = f"r{THINK_END}{RESPONSE}hi{RESPONSE_END}{NOW}{END}"
    assert everywhere(Setup("kimi_k3"), text) == Fields("r", f"hi{NOW}")
    assert everywhere(Setup(None, "kimi_k3"), text) == Fields(None, f"r{THINK_END}hi", (("now", {}),))


def test_only_control_tokens_are_markup():
    """Card "Ambiguity": the same letters in ordinary tokens are data, here in a value and in the response."""
    spelled = ["<|", "close", "|>", "argument", "<|", "sep", "|>"]
    tokens = [
        "<|close|>", "think", "<|sep|>", *spelled, "<|open|>", "tools", "<|sep|>",
        "<|open|>", 'call tool="f"', "<|sep|>",
        "<|open|>", 'argument key="s" type="string"', "<|sep|>", *spelled, " ends", "<|close|>", "argument", "<|sep|>",
        "<|close|>", "call", "<|sep|>", "<|close|>", "tools", "<|sep|>",
    ]  # fmt: skip
    literal = "<|close|>argument<|sep|>"
    assert from_tokens(k3(), tokens) == Fields(None, literal, (("f", {"s": f"{literal} ends"}),))


def test_ids_count_the_conversation_s_calls():
    """Card "Arguments": index is not used for ids."""
    parser = build_parser("kimi_k3", "kimi_k3", None, history_calls=2)
    calls = parser.parse(THINK_END + tools(call("f"), call("g", index=2))).tool_calls
    assert [made.id for made in calls] == ["functions.f:2", "functions.g:3"]


def test_a_turn_cut_off_anywhere_shows_no_markup_and_no_cut_call():
    """T-FIX, T-27; a tag that max_tokens cuts off is markup, because its control token cannot be text."""
    calls = tools(call("f", argument("s", "a b"), argument("n", "12", "number")))
    text = f"ok{THINK_END}{RESPONSE}Hi{RESPONSE_END}{calls}"
    for beginning, fields in cut_off_everywhere(k3(), text, len("ok")):
        calls = (("f", {"s": "a b", "n": 12}),) if closed("call") in beginning else ()
        content = "Hi" if "Hi" in beginning else "H" if beginning.endswith("H") else None
        assert fields == Fields("ok", content, calls), beginning
