"""Python calls: card pythonic.md, "Literal -> JSON rules"; every text under every two-way cut."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.pycalls import PythonCalls
from tests.args.recorder import Recorder


def read(*pieces, layout="list", close=True):
    """Calls as (name, arguments, complete), whether the body is whole, and the codec."""
    codec, sink = PythonCalls(layout), Recorder()
    for piece in pieces:
        if codec.bad or codec.closed:
            break
        used = codec.feed(piece, sink)
        assert used == len(piece) or codec.bad or codec.closed
        sink.check_places(used)
    whole = codec.close(sink, 0) if close else None
    return [(call.name, call.arguments, call.complete) for call in sink.calls], whole, codec


def read_everywhere(text, layout="list"):
    expected = read(text, layout=layout)[:2]
    for pieces in [tuple(text), *((text[:at], text[at:]) for at in range(1, len(text)))]:
        assert read(*pieces, layout=layout)[:2] == expected, pieces
    return expected


@pytest.mark.parametrize(
    ("value", "json_value"),
    [
        pytest.param("'x'", "x", id="string"),
        pytest.param('"x"', "x", id="double quotes"),
        pytest.param("'it's'", "it's", id="an apostrophe"),
        pytest.param("r'\\d'", "\\d", id="raw string"),
        pytest.param("f'x'", "x", id="f-string without placeholders"),
        pytest.param("'a' 'b'", "ab", id="adjacent strings"),
        pytest.param("('a' 'b')", "ab", id="brackets for grouping"),
        pytest.param("[1, 2.5, -3, +4, 1e3, 0x10, 1_000]", [1, 2.5, -3, 4, 1000.0, 16, 1000], id="numbers"),
        pytest.param("007", 7, id="repair 1: leading zeros"),
        pytest.param("[007, '007', 1.007]", [7, "007", 1.007], id="leading zeros in strings and fractions stay"),
        pytest.param("[None, True, False, null, true, false]", [None, True, False, None, True, False], id="words"),
        pytest.param("(1, 'a')", [1, "a"], id="tuple"),
        pytest.param("()", [], id="empty tuple"),
        pytest.param("{3, 1, 2}", [3, 1, 2], id="a set keeps the source's order"),
        pytest.param("{'a': 1, 2: [], None: {}, True: 1}", {"a": 1, "2": [], "null": {}, "true": 1}, id="dict keys"),
        pytest.param("['it's', \"a\nb\", '''c'd''']", ["it's", "a\nb", "c'd"], id="repairs inside a list"),
        pytest.param("['a' 'b', ')']", ["ab", ")"], id="strings in a list"),
        pytest.param("'naïve 🌸'", "naïve 🌸", id="unicode"),
        pytest.param("123456789012345678901234567890", 123456789012345678901234567890, id="big integer"),
    ],
)
def test_a_literal_becomes_json(value, json_value):
    calls, whole = read_everywhere(f"[f(a={value}, b=1)]")
    [(name, arguments, complete)] = calls
    assert (name, json.loads(arguments), complete, whole) == ("f", {"a": json_value, "b": 1}, True, True)


@pytest.mark.parametrize(
    "value",
    [
        "1+1",
        "x",
        "g(1)",
        "[i for i in y]",
        "b'x'",
        "1j",
        "...",
        "f'{x}'",
        "1e999",
        "-1e999",
        "-True",
        "{**x}",
        "{[]: 1}",
        "not 1",
        "-'x'",
        "'a'.upper()",
        "",
        "[1",
        "1]",
        "(1]",
        "lambda: 0",
        "*x",
        "'a' 1",
        "9" * 5000,
        "[" * 500 + "]" * 500,
    ],
)
def test_what_is_no_literal_makes_no_whole_call(value):
    calls, whole = read_everywhere(f"[f(a={value})]") if len(value) < 50 else read(f"[f(a={value})]")[:2]
    assert not whole
    assert [complete for _, _, complete in calls] == [False]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[f(5)]", id="positional argument"),
        pytest.param("[f('x')]", id="positional string"),
        pytest.param("[f(*x)]", id="starred"),
        pytest.param("[f(**x)]", id="double starred"),
        pytest.param("[1, 2, 3]", id="a list of numbers"),
        pytest.param("['f(a=1)']", id="a list of strings"),
        pytest.param("[]", id="an empty list"),
        pytest.param("[see f(x)]", id="prose"),
        pytest.param("[x" + "y" * 300, id="a name too long to be one"),
        pytest.param("f(a=1)", id="no list"),
        pytest.param("[1f(a=1)]", id="not a name"),
        pytest.param("[a..b(c=1)]", id="dots without a name"),
    ],
)
def test_what_is_no_list_of_keyword_calls_reports_nothing(text):
    calls, whole = read_everywhere(text)
    assert (calls, whole) == ([], False)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param("[f()]", [("f", "{}")], id="no arguments"),
        pytest.param("[f(), g(a=1)]", [("f", "{}"), ("g", '{"a": 1}')], id="two"),
        pytest.param("[ f ( a = 1 , ) , ]", [("f", '{"a": 1}')], id="white space and trailing commas"),
        pytest.param("\n[\n  f(\n    a='x',\n  ),\n]", [("f", '{"a": "x"}')], id="over several lines"),
        pytest.param("[a.b.c-d(_x=1)]", [("a.b.c-d", '{"_x": 1}')], id="dots, hyphen, leading underscore"),
        pytest.param("[f(from=1, class='x')]", [("f", '{"from": 1, "class": "x"}')], id="repair 3: keywords as keys"),
    ],
)
def test_calls_of_a_list(text, calls):
    assert read_everywhere(text) == ([(*call, True) for call in calls], True)


def test_calls_line_by_line():
    text = "f(a='x\ny')\n\ng()\n"
    assert read_everywhere(text, "lines") == ([("f", '{"a": "x\\ny"}', True), ("g", "{}", True)], True)


@pytest.mark.parametrize("text", ["", "\n", "f", "f(", "f(a=1)\ng", "[f()]", "f(), g()", "f(a=1"])
def test_lines_are_whole_only_between_calls(text):
    assert not read_everywhere(text, "lines")[1]


def test_a_repeated_keyword_is_bad():
    calls, whole = read_everywhere("[f(a=1, a=2)]")
    assert (calls, whole) == ([("f", '{"a": 1', False)], False)


@pytest.mark.parametrize(
    ("text", "sent", "held"),
    [
        pytest.param("[f(a", [], "a", id="no call before the first keyword is whole"),
        pytest.param("[f(a=", [("f", '{"a": ')], "", id="named with the first keyword"),
        pytest.param("[f(a='xy", [("f", '{"a": "xy')], "", id="strings stream"),
        pytest.param("[f(a='x'", [("f", '{"a": "x')], "'", id="a quote waits for what follows"),
        pytest.param("[f(a=1.", [("f", '{"a": ')], "1.", id="an open number is never sent"),
        pytest.param("[f(a=['x', 1", [("f", '{"a": ')], '["x", 1', id="a list waits"),
        pytest.param("[f(a=1,", [("f", '{"a": 1')], "", id="a value ends with its comma"),
    ],
)
def test_what_is_sent_and_what_is_held(text, sent, held):
    calls, _, codec = read(text, close=False)
    assert ([(name, arguments) for name, arguments, _ in calls], codec.held) == (sent, held)


def test_a_marker_is_data_only_inside_a_string():
    assert read("[f(a='", close=False)[2].open_data
    assert read("[f(a=['x", close=False)[2].open_data
    assert not read("[f(a='x'", close=False)[2].open_data
    assert not read("[f(a=1", close=False)[2].open_data


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


@settings(max_examples=150, deadline=None)
@given(arguments=st.dictionaries(KEYS, VALUES, max_size=4), data=st.data())
def test_any_call_survives_its_python_form_under_any_cut(arguments, data):
    text = f"[f({', '.join(f'{key}={value!r}' for key, value in arguments.items())})]"
    at = data.draw(st.integers(0, len(text)))
    calls, whole, _ = read(text[:at], text[at:])
    [(name, sent, complete)] = calls
    assert (name, json.loads(sent), complete, whole) == ("f", arguments, True, True)


@settings(max_examples=300, deadline=None)
@given(text=st.text("[]()'\"\\,=f1 a.", max_size=14), at=st.integers(0, 16), layout=st.sampled_from(["list", "lines"]))
def test_any_text_reads_the_same_under_any_cut_and_can_be_resumed(text, at, layout):
    text = f"[f({text}" if layout == "list" else f"f({text}"
    first, second = text[:at], text[at:]
    before = read(first, layout=layout, close=False)[2]
    resumed = PythonCalls(layout)
    resumed.restore(before.snapshot())
    assert resumed.snapshot() == before.snapshot()
    assert read(first, second, layout=layout)[:2] == read(text, layout=layout)[:2]
