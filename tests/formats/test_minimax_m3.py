"""MiniMax M3's calls: card minimax.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere

MARK = "]<]minimax[>["
TOOLS = {
    "add": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "geo": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "s": {"type": "string"},
        "n": {"type": "integer"},
    },
    "ping": {},
}


def m3(**changes):
    return Setup("minimax_m3", "minimax_m3", TOOLS, **changes)


def tag(name, *inside):
    return f"{MARK}<{name}>{''.join(inside)}{MARK}</{name}>"


def invoke(name, *inside, quote='"'):
    return f"{MARK}<invoke name={quote}{name}{quote}>{''.join(inside)}{MARK}</invoke>"


def block(*invokes):
    return tag("tool_call", *invokes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Hm "
            + block(invoke("add", tag("tags", tag("item", "a"), tag("item", "b")), tag("geo", tag("lat", "1.5")))),
            Fields(None, "Hm ", (("add", {"tags": ["a", "b"], "geo": {"lat": 1.5}}),)),
            id="card example",
        ),
        pytest.param(
            block(
                "\n",
                invoke("ping"),
                "\n",
                invoke("add", tag("n", "3"), quote="'"),
                "\n",
                invoke("ping", quote=""),
                "\n",
            ),
            Fields(None, None, (("ping", {}), ("add", {"n": 3}), ("ping", {}))),
            id="parallel calls, any quotes, no arguments",
        ),
        pytest.param(
            f"a{block(invoke('ping'))} b {block(invoke('ping'))}c",
            Fields(None, "a b c", (("ping", {}), ("ping", {}))),
            id="W-AFTER",
        ),
        pytest.param(
            block(invoke("add", tag("s", f"🌸 <tool_call> </invoke> {MARK} {{"))),
            Fields(None, None, (("add", {"s": f"🌸 <tool_call> </invoke> {MARK} {{"}),)),
            id="tags without the mark are data",
        ),
        pytest.param(
            f"<mm:think>a</mm:think>b{block(invoke('ping'))}", Fields("a", "b", (("ping", {}),)), id="thinking"
        ),
        pytest.param(f"<mm:think>a{block(invoke('ping'))}", Fields("a", None, (("ping", {}),)), id="R-TOOL"),
    ],
)
def test_calls(text, expected):
    assert everywhere(m3(), text) == expected
    assert everywhere(m3(call_commit="on_close"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"a{invoke('ping')}b", Fields(None, "ab", (("ping", {}),)), id="no wrapper"),
        pytest.param(f"a{MARK}</tool_call>b", Fields(None, "ab"), id="closer alone"),
        pytest.param(f"Use {MARK}<tool_call> here", Fields(None, f"Use {MARK}<tool_call> here"), id="wrapper in prose"),
        pytest.param(f"{MARK}<tool_call>{invoke('ping')}", Fields(None, None, (("ping", {}),)), id="no closer"),
        pytest.param(
            block(f'{MARK}<invoke name="add">{tag("n", "1")}', invoke("ping")),
            Fields(None, None, (("add", {"n": 1}), ("ping", {}))),
            id="no </invoke> before the next",
        ),
        pytest.param(
            block(f'{MARK}<invoke name="add">{tag("n", "1")}'),
            Fields(None, None, (("add", {"n": 1}),)),
            id="no </invoke>",
        ),
        pytest.param(
            block(invoke("add", tag("n", "1"), f"{MARK}<s>x")),
            Fields(None, None, (("add", {"n": 1}),)),
            id="an element is not closed: the ones before are kept",
        ),
    ],
)
def test_recovery(text, expected):
    assert everywhere(m3(), text) == expected


def test_cut_off_anywhere():
    """T-FIX, T-27: nothing of a cut call, and no markup."""
    text = f"a{block(invoke('add', tag('n', '12'), tag('tags', tag('item', 'x y'))))}"
    for beginning, fields in cut_off_everywhere(m3(), text, len(f"a{MARK}<tool_call>{MARK}")):
        calls = (("add", {"n": 12, "tags": ["x y"]}),) if f"{MARK}</invoke>" in beginning else ()
        assert fields == Fields(None, "a", calls), beginning


def test_arguments_of_a_cut_call_never_stream():
    text = f'{MARK}<tool_call>{MARK}<invoke name="add">{tag("n", "1")}{MARK}<s>x'
    assert everywhere(m3(), text) == Fields(None, None, (), (("add", ""),))


def test_markup_of_the_half_that_is_absent_stays_visible():
    calls = block(invoke("ping"))
    assert everywhere(Setup("minimax_m3"), f"<mm:think>a</mm:think>{calls}") == Fields("a", calls)
    text = "<mm:think>a</mm:think>"
    assert everywhere(Setup(None, "minimax_m3"), f"{text}{calls}") == Fields(None, text, (("ping", {}),))
