r"""Spelled-out line ends: rules of qwen3-variants.md (minicpmv), and that cuts do not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.compose.newlines import EscapedNewlines


def filtered(*parts):
    """The pieces that come out for text in parts."""
    lines, at, pieces = EscapedNewlines(), 0, []
    for part in parts:
        pieces += lines.feed((part, at, at + len(part)))
        at += len(part)
    return pieces + lines.end()


def text_of(pieces):
    return "".join(text for text, _, _ in pieces)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(r"a\nb", "a\nb", id="newline"),
        pytest.param(r"a\r\nb\rc", "a\nb\nc", id="carriage returns"),
        pytest.param(r"a\r\\nb", "a\n\\\\nb", id="carriage return before a run"),
        pytest.param(r"a\\nb", r"a\\nb", id="two backslashes"),
        pytest.param(r"a\\\nb", r"a\\\nb", id="three backslashes"),
        pytest.param(r"a\tb\x", r"a\tb\x", id="other escapes"),
        pytest.param(r"`a\nb`\n", "`a\\nb`\n", id="code"),
        pytest.param("```a\\n`b`\\n```\\n", "```a\\n`b`\\n```\n", id="code block with ticks inside"),
        pytest.param(r"`C:\`\n", "`C:\\`\n", id="a backslash ends no code"),
        pytest.param(r"$a\nu$\n$$\nabla$\nu$$\n", "$a\\nu$\n$$\\nabla$\\nu$$\n", id="formulas"),
        pytest.param(r"\(\nu\)\n\[\nu \\[2pt] \nu\]\n", "\\(\\nu\\)\n\\[\\nu \\\\[2pt] \\nu\\]\n", id="LaTeX brackets"),
        pytest.param("tail\\", "tail\\", id="half an escape at the end"),
        pytest.param(r"tail\r", "tail\n", id="a carriage return at the end"),
    ],
)
def test_rules(text, expected):
    assert text_of(filtered(text)) == expected
    for at in range(len(text)):
        assert text_of(filtered(text[:at], text[at:])) == expected


PARTS = st.lists(st.text("\\nr`$()[]a", max_size=5), max_size=6)


@given(PARTS)
def test_cuts_do_not_matter_and_every_character_keeps_its_place(parts):
    text = "".join(parts)
    pieces = filtered(*parts)
    assert text_of(pieces) == text_of(filtered(text))
    assert [start for _, start, _ in pieces] == sorted(start for _, start, _ in pieces)
    assert sum(end - start for _, start, end in pieces) == len(text)
    assert all(piece == "\n" or piece == text[start:end] for piece, start, end in pieces)


def test_only_what_may_become_an_escape_waits():
    lines = EscapedNewlines()
    assert text_of(lines.feed((r"abc\r", 0, 5))) == "abc"
    assert text_of(lines.held) == r"\r"
    assert text_of(lines.feed(("x", 5, 6))) == "\nx"
