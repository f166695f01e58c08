"""The first of several delimiters, and what waits: card response-template.md, "Region machine"."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.delimiters import Delimiter, search
from parsers.errors import FormatError

OPEN = Delimiter(("<a>", "<a>!"))
TOOL = Delimiter(pattern=r"<t>\s*(?P<name>\w+):")
CLOSE = Delimiter(("</a>",), closes=True)
AHEAD = Delimiter(pattern="(?=<t>)", closes=True)
TURN = Delimiter(("</a><|end|>",), closes=True, ended_by="<|end|>")


def found(delimiters, text, final=False, pos=0):
    """(start, end, groups) of what was found, and where the rest waits."""
    hit, waits = search(delimiters, text, pos, final)
    return (hit.start, hit.end, dict(hit.groups)) if hit else None, waits


@pytest.mark.parametrize(
    ("delimiters", "text", "place"),
    [
        pytest.param([OPEN, CLOSE], "x</a>y<a>z", (1, 5), id="the earliest"),
        pytest.param([OPEN], "<a>!x", (0, 4), id="the longest"),
        pytest.param(
            [Delimiter(("ab",)), Delimiter(("a",)), Delimiter(("abc",))], "abcd", (0, 3), id="the longest of several"
        ),
        pytest.param([AHEAD], "x<t>", (1, 1), id="in front of something"),
    ],
)
def test_which_delimiter_wins(delimiters, text, place):
    hit, _ = found(delimiters, text)
    assert hit[:2] == place


def test_an_opener_wins_over_a_closer_at_the_same_place():
    same = [Delimiter(("<x>",), closes=True), Delimiter(("<x>",))]
    hit, _ = search(same, "<x>", 0, False)
    assert not hit.delimiter.closes


def test_named_groups_come_along():
    assert found([TOOL], "<t> f:x") == ((0, 6, {"name": "f"}), 7)


@pytest.mark.parametrize(
    ("delimiters", "text", "waits"),
    [
        pytest.param([OPEN, CLOSE], "abc", 3, id="nothing"),
        pytest.param([OPEN, CLOSE], "abc</", 3, id="the beginning of a literal"),
        pytest.param([OPEN], "x<a>", 1, id="a literal that begins another"),
        pytest.param([TOOL], "x<t> f", 1, id="the beginning of a pattern"),
        pytest.param([TOOL], "x<t> f:", 1, id="a pattern at the edge"),
        pytest.param([AHEAD], "x<t", 1, id="the beginning of what is ahead"),
        pytest.param([OPEN, Delimiter(pattern="<t>.*:")], "<t> <a>x", 0, id="nothing behind what waits is sure"),
    ],
)
def test_what_waits_for_more_text(delimiters, text, waits):
    assert found(delimiters, text) == (None, waits)


def test_nothing_waits_at_the_end():
    assert found([OPEN], "x<a>", final=True)[0] == (1, 4, {})
    assert found([TOOL], "<t>f:", final=True)[0] == (0, 5, {"name": "f"})
    assert found([CLOSE], "x</", final=True)[0] is None


def test_a_pattern_that_leans_on_the_edge_waits_for_what_follows():
    line = Delimiter(pattern=r"\n?$", closes=True)
    assert found([line], "a\n")[0] is None
    assert found([line], "a\n", final=True)[0] == (1, 2, {})


def test_a_closer_that_ends_the_turn_counts_when_the_end_cuts_it_off():
    assert found([TURN], "x</a><|e", final=True)[0] == (1, 8, {})
    assert found([TURN], "x</a", final=True)[0] == (1, 4, {})
    assert found([CLOSE], "x</a", final=True)[0] is None
    assert found([TURN], "x</b", final=True)[0] is None


def test_an_opener_is_never_empty():
    assert found([Delimiter(pattern="(?=x)")], "ax")[0] is None


def test_an_expression_that_is_none_is_refused():
    with pytest.raises(FormatError, match=r"'\(' is not a regular expression"):
        search([Delimiter(pattern="(")], "x", 0, False)


PIECES = st.lists(st.sampled_from(["<a>", "!", "</a>", "<t>", " f", ":", "x", "<", "a"]), max_size=8).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=PIECES, at=st.integers(0, 20), delimiters=st.sampled_from([[OPEN, CLOSE], [OPEN, TOOL], [TOOL, AHEAD]]))
def test_what_is_sure_of_a_beginning_is_so_of_the_whole(text, at, delimiters):
    hit, waits = search(delimiters, text[:at], 0, final=False)
    whole, _ = search(delimiters, text, 0, final=True)
    if hit is not None:
        assert whole == hit
    elif whole is not None:
        assert whole.start >= waits
