"""Llama's JSON calls: card llama-json.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

LLAMA = Setup(tool="llama3_json")
ON_CLOSE = Setup(tool="llama3_json", call_commit="on_close")
TAG = "<|python_tag|>"


def call(name, arguments="{}", key="parameters"):
    return f'{{"name": "{name}", "{key}": {arguments}}}'


def content(text):
    return Fields(None, text)


@pytest.mark.parametrize("name", ["llama3_json", "llama4_json"])
def test_example_1_two_calls_with_their_separator_inside_a_string(name):
    text = f'{call("cube", """{"s": "}{; "}""")}; {call("cube", key="arguments")}'
    assert everywhere(Setup(tool=name), text) == Fields(None, None, (("cube", {"s": "}{; "}), ("cube", {})))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"answer": 42}', id="example 2"),
        pytest.param("{}", id="an empty object"),
        pytest.param('{"name": "f"}', id="no arguments key"),
        pytest.param('{"parameters": {}}', id="no name"),
        pytest.param('{"name": 5, "parameters": {}}', id="the name is no string"),
        pytest.param('{"name": "f", "parameters": "five"}', id="a string that spells no object"),
        pytest.param('{"a": 1} is a dict 🎲', id="text behind an object"),
        pytest.param(f"[{call('f')}]", id="a list"),
        pytest.param(f"For example {call('f')}", id="an example in prose: the opener counts at the start only"),
        pytest.param(f"{TAG}print(1)", id="code behind the tag"),
        pytest.param(f"{TAG}{{'name': 'f'}}", id="no JSON behind the tag"),
    ],
)
def test_what_is_no_call_comes_back_unchanged(text):
    assert everywhere(LLAMA, text) == content(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"é🎉 Let me see. {TAG}{call('f')}",
            Fields(None, "é🎉 Let me see. ", (("f", {}),)),
            id="text before the tag",
        ),
        pytest.param(f"{call('f')}\n{call('g')}", Fields(None, None, (("f", {}), ("g", {}))), id="newline between"),
        pytest.param(f"{TAG}{call('f')}{TAG}{call('g')}", Fields(None, None, (("f", {}), ("g", {}))), id="two tags"),
        pytest.param(f"{call('f')} and more", Fields(None, " and more", (("f", {}),)), id="text behind a call"),
        pytest.param(f"{call('f')}; no call", Fields(None, "; no call", (("f", {}),)), id="a semicolon in text"),
        pytest.param(f'{call("f")}; {{"b": 1}} x', Fields(None, '{"b": 1} x', (("f", {}),)), id="an object behind it"),
        pytest.param(
            '{"type": "function", "parameters": {"n": "10"}, "name": "f"}',
            Fields(None, None, (("f", {"n": "10"}),)),
            id="other keys ignored, values verbatim, any order",
        ),
        pytest.param(
            call("f", '"{\\"a\\": [1, {\\"b\\": null}]}"'),
            Fields(None, None, (("f", {"a": [1, {"b": None}]}),)),
            id="a string that spells an object",
        ),
        pytest.param(
            call("f", f'{{"x": "{TAG}<|eot_id|>"}}'),
            Fields(None, None, (("f", {"x": f"{TAG}<|eot_id|>"}),)),
            id="markers in a string",
        ),
    ],
)
def test_calls(text, expected):
    assert everywhere(LLAMA, text) == expected


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        pytest.param('{"name": "f", "parameters": {"x": "ab', (("f", '{"x": "ab'),), id="in a value"),
        pytest.param('{"name": "f", "parameters": {', (("f", "{"),), id="at the arguments"),
        pytest.param(f'{TAG}{{"name": "f", "para', (), id="behind the tag, in a key"),
        pytest.param(TAG, (), id="behind the tag"),
    ],
)
def test_a_cut_call_is_no_call_and_leaks_nothing(text, cut):
    assert everywhere(LLAMA, text) == Fields(None, None, cut_calls=cut)
    assert everywhere(ON_CLOSE, text) == Fields(None, None)


def test_an_object_cut_before_it_shows_a_call_is_text():
    assert everywhere(LLAMA, '{"na') == content('{"na')


def test_a_second_call_that_is_cut_leaves_the_first():
    assert everywhere(ON_CLOSE, f'{call("f")}; {{"na') == Fields(None, None, (("f", {}),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"a</think>\n{call('f')}", Fields("a", None, (("f", {}),)), id="content begins behind the thinking"
        ),
        pytest.param(f"a</think>b {call('f')}", Fields("a", f"b {call('f')}"), id="prose behind the thinking"),
        pytest.param(f"a{TAG}{call('f')}", Fields("a", None, (("f", {}),)), id="R-TOOL"),
        pytest.param(f"{call('f')}</think>b", Fields(call("f"), "b"), id="an object in thinking is thinking"),
    ],
)
def test_the_start_of_the_answer_counts_with_a_reasoning_format_too(text, expected):
    assert everywhere(Setup("deepseek_r1", "llama3_json"), text) == expected
