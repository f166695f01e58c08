"""MiniCPM5: card minicpm5.md, every way a text can arrive."""

import pytest

from parsers.protocol import FunctionTool
from parsers.registry import build_parser
from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere

TOOLS = {"f": {"n": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": "object"}}, "now": {}}
MINICPM5 = Setup(None, "minicpm5", TOOLS)


def param(key, value):
    return f'<param name="{key}">{value}</param>'


def call(name, *params):
    return f'<function name="{name}">' + "".join(params) + "</function>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Hi " + call("f", param("s", "x &lt; y"), param("n", "2")),
            Fields(None, "Hi", (("f", {"s": "x < y", "n": 2}),)), id="example 1",
        ),
        pytest.param(call("nope"), Fields(None, call("nope")), id="example 2"),
        pytest.param(
            "é " + call("now") + " mid " + call("f", param("s", "日本 🙂")) + " tail",
            Fields(None, "é  mid  tail", (("now", {}), ("f", {"s": "日本 🙂"}))), id="parallel calls, W-AFTER",
        ),
        pytest.param(
            call("f", "\n<arguments>\n", param("s", "\n a\n "), "\n", param("o", "{'a': [1, None]}"), "</arguments>"),
            Fields(None, None, (("f", {"s": " a\n ", "o": {"a": [1, None]}}),)),
            id="Arguments: one wrapping newline is markup, a Python literal is a value",
        ),
        pytest.param(
            call("f", param("s", "<![CDATA[</param> &amp; </function> <param name='n'>]]>")),
            Fields(None, None, (("f", {"s": "</param> &amp; </function> <param name='n'>"}),)),
            id="CDATA: tags and entities are data",
        ),
        pytest.param(
            call("f", param("s", "a & b < c")), Fields(None, None, (("f", {"s": "a & b < c"}),)),
            id="a lone ampersand and a lone bracket stay",
        ),
        pytest.param(
            "<function name='f' kind='x'><param name='n'>3</param></function>", Fields(None, None, (("f", {"n": 3}),)),
            id="other quotes, another attribute",
        ),
        pytest.param(
            "<functionname=\"f\"><paramname=\"n\">3</param></function><functionĠname='now'></function>",
            Fields(None, None, (("f", {"n": 3}), ("now", {}))), id="Markers: a lost or undecoded space",
        ),
        pytest.param(
            call("f", param("zz", "1"), param("n", "2")), Fields(None, None, (("f", {"n": 2}),)),
            id="a key the schema does not know is dropped",
        ),
        pytest.param(
            call("f", param("arguments", '{"n": 1, "zz": 2}')), Fields(None, None, (("f", {"n": 1}),)), id="a wrapper"
        ),
        pytest.param("a </think> b", Fields(None, "a </think> b"), id="think tags are another format's"),
        pytest.param("The <function> tag, <func", Fields(None, "The <function> tag, <func"), id="other tags are text"),
    ],
)  # fmt: skip
def test_output(text, expected):
    assert everywhere(MINICPM5, text) == expected


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(call("f", param("s", "1"), param("s", "2")), id="a key twice"),
        pytest.param(call("f", "<param>1</param>"), id="a parameter without a name"),
        pytest.param(call("f", '<param name="">1</param>'), id="an empty key"),
        pytest.param("<function name=f></function>", id="a name without quotes"),
        pytest.param(call("nope", param("s", "<![CDATA[</function>]]>")), id="an unknown name, CDATA inside"),
    ],
)
def test_an_invalid_block_is_text_and_the_next_one_is_a_call(block):
    """Card "Arguments": invalid blocks."""
    assert everywhere(MINICPM5, f"a {block} b {call('now')}") == Fields(None, f"a {block} b", (("now", {}),))


def test_a_call_without_a_required_key_is_text():
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tools = [FunctionTool.model_validate({"function": {"name": "f", "parameters": parameters}})]
    text = call("f") + call("f", param("n", "1"))
    parsed = build_parser(None, "minicpm5", None, tools=tools).parse(text)
    assert parsed.content == call("f")
    assert [made.function.arguments for made in parsed.tool_calls] == ['{"n": 1}']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            call("f", '<param name="s">A', param("n", "3")), {"s": "A", "n": 3}, id="no </param>: the next one ends it"
        ),
        pytest.param(call("f", '<param name="s">A'), {"s": "A"}, id="no </param>: </function> ends it"),
        pytest.param('<function name="f"/>', {}, id="an element without content"),
        pytest.param('<function name="f"</function>', {}, id="the tag has no end"),
    ],
)
def test_recovery(text, expected):
    assert everywhere(MINICPM5, f"a{text}b") == Fields(None, "ab", (("f", expected),))


def test_a_call_appears_at_once():
    """Card "Recovery": the block is held until it closes, because validity is known only then."""
    parser = build_parser(None, "minicpm5", None, tools=MINICPM5.function_tools())
    deltas = [parser.parse_delta(piece) for piece in ('a<function name="f">', '<param name="s">x', "</param>")]
    assert [delta and delta.tool_calls for delta in deltas] == [[], None, None]
    last = parser.parse_delta("</function>")
    assert last is not None
    assert [made.function.arguments for made in last.tool_calls if made.function] == ['{"s": "x"}']


def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup():
    """T-FIX, T-27."""
    text = "Hi" + call("f", param("s", "a &amp; <![CDATA[b]]>"), param("n", "12"))
    for beginning, fields in cut_off_everywhere(MINICPM5, text, text.index('"f"')):
        assert fields == Fields(None, "Hi"), beginning
