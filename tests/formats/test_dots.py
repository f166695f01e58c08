"""dots: card dots.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere

OPEN, CLOSE = "<dots_function_call>", "</dots_function_call>"
TOOLS = {
    "f": {
        "n": {"type": "integer"},
        "s": {"type": "string"},
        "b": {"type": "boolean"},
        "o": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    },
    "now": {},
}
DOTS = Setup(None, "dots", TOOLS)


def param(key, value):
    return f"<parameter name={key}>{value}</parameter>\n"


def invoke(name, *params):
    return f"<invoke name={name}>\n" + "".join(params) + "</invoke>\n"


def block(*invokes):
    return f"{OPEN}\n" + "".join(invokes) + CLOSE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Ok\n" + block(invoke('"f"', param('"n"', " 2 "))), Fields(None, "Ok", (("f", {"n": 2}),)), id="example 1"
        ),
        pytest.param(OPEN + '{"name": "now"}' + CLOSE, Fields(None, None, (("now", {}),)), id="example 2"),
        pytest.param(
            "é " + block(invoke("now"), invoke("'f'", param("'s'", "日本 🙂"))) + " tail " + block(invoke("now")),
            Fields(None, "é  tail", (("now", {}), ("f", {"s": "日本 🙂"}), ("now", {}))),
            id="several invokes, several blocks, names with any quotes",
        ),
        pytest.param(
            block("<invoke  name = now >\n</invoke>"), Fields(None, None, (("now", {}),)), id="spaces inside the tags"
        ),
        pytest.param(
            block(
                invoke("f", param("s", "\n a\n  b \n"), param("b", "yes"), param("o", ' {"a": [1]} '), param("x", "1"))
            ),
            Fields(None, None, (("f", {"s": "a\n  b", "b": "yes", "o": {"a": [1]}, "x": "1"}),)),
            id="Arguments: stripped, typed, a boolean that is none stays text",
        ),
        pytest.param(
            block(invoke("f", param("s", "null"), param("o", "null"), param("s", "again"))),
            Fields(None, None, (("f", {"s": "null", "o": None}),)), id="Arguments: null where it is allowed, C-DUP",
        ),
        pytest.param(
            OPEN + ' {"parameters": {"n": "2", "s": "</dots_function_call>"}, "name": "f"}\n' + CLOSE,
            Fields(None, None, (("f", {"n": "2", "s": CLOSE}),)), id="Arguments: the JSON body is not coerced",
        ),
        pytest.param(
            block(invoke("f", param("s", f"a </parameter> b </invoke> c {CLOSE} d {OPEN}"))),
            Fields(None, None, (("f", {"s": f"a </parameter> b </invoke> c {CLOSE} d {OPEN}"}),)),
            id="markers in a value are data",
        ),
        pytest.param(
            "x" + block(invoke("nope", param("a", "1")), invoke("now")) + "y", Fields(None, "xy", (("now", {}),)),
            id="Arguments: an unknown name is dropped, others stay",
        ),
        pytest.param("No call.", Fields(None, "No call."), id="text"),
    ],
)  # fmt: skip
def test_output(text, expected):
    assert everywhere(DOTS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"x {block(invoke('nope'))} y", id="no known name"),
        pytest.param(f'x {OPEN}{{"name": "nope"}}{CLOSE} y', id="no known name in the object"),
        pytest.param(f'x {OPEN}{{"name": }}{CLOSE} y', id="no JSON"),
        pytest.param(f"x {OPEN}not a call{CLOSE} y", id="no call"),
        pytest.param(f"x {invoke('now')} y", id="no wrapper"),
        pytest.param("hi <dots_fun", id="a cut opener"),
    ],
)
def test_a_block_without_a_call_is_text(text):
    """Card "Recovery": no valid call."""
    assert everywhere(DOTS, text) == Fields(None, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            block("<invoke name=f><parameter name=s>A", param("n", "3"), "</invoke>"),
            Fields(None, None, (("f", {"s": "A", "n": 3}),)), id="no </parameter>: the next one ends it",
        ),
        pytest.param(
            block("<invoke name=f><parameter name=s>A</invoke>"), Fields(None, None, (("f", {"s": "A"}),)),
            id="no </parameter>: </invoke> ends it",
        ),
        pytest.param(
            block("<invoke name=f>", param("n", "3")) + "b", Fields(None, "b", (("f", {"n": 3}),)), id="no </invoke>"
        ),
        pytest.param(f"a{CLOSE}b", Fields(None, "ab"), id="a closer alone"),
        pytest.param(
            f"Tags: {OPEN} and {block(invoke('now'))}", Fields(None, f"Tags: {OPEN} and", (("now", {}),)),
            id="the wrapper in prose",
        ),
    ],
)  # fmt: skip
def test_recovery(text, expected):
    assert everywhere(DOTS, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Hi" + block(invoke("f", param("s", 'a "b'), param("n", "12"))), id="invoke"),
        pytest.param(f'Hi{OPEN}{{"name": "f", "arguments": {{"s": "a \\"b", "n": 12}}}}{CLOSE}', id="object"),
    ],
)
def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup(text):
    """T-FIX, T-27."""
    for beginning, fields in cut_off_everywhere(DOTS, text, text.index(OPEN) + len(OPEN)):
        complete = "</invoke>" in beginning or "}}" in beginning
        assert fields == Fields(None, "Hi", (("f", {"s": 'a "b', "n": 12}),) if complete else ()), beginning
