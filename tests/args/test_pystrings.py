"""Python string literals: card pythonic.md, "Grammar" and "lfm2 repairs"; every literal under every two-way cut."""

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.pystrings import PythonString


def read(*pieces, prefix=""):
    """The text of a literal, what was not used of the last piece, and the reader."""
    string, parts, rest = PythonString(prefix), [], ""
    for piece in pieces:
        if string.done or string.bad:
            rest += piece
            continue
        text, pos = string.feed(piece, 0)
        parts.append(text)
        rest = piece[pos:]
    return "".join(parts), rest, string


def read_everywhere(text, prefix=""):
    expected = read(text, prefix=prefix)
    for pieces in [tuple(text), *((text[:at], text[at:]) for at in range(1, len(text)))]:
        assert read(*pieces, prefix=prefix)[:2] == expected[:2], pieces
    return expected


@pytest.mark.parametrize(
    "literal",
    [
        "'a'",
        '"a"',
        "''",
        '""',
        "'''a'''",
        '"""a"b"""',
        "''''a'''",
        "'''a\nb'''",
        r"'\'\"\\\n\t\r\a\b\f\v'",
        r"'\x41\u00e9\U0001F600'",
        r"'\0\12\101\1012\18'",
        "'a\\\nb'",
        "'a' 'b'",
        "'a' \"b\"  '''c'''",
        "'é😀'",
    ],
)
def test_a_literal_means_what_python_says(literal):
    text, rest, string = read_everywhere(literal + ")")
    assert (text, rest, string.done) == (ast.literal_eval(literal), ")", True)


@pytest.mark.parametrize(
    ("prefix", "literal", "text"),
    [
        pytest.param("r", r"'\d\'\n'", r"\d\'\n", id="raw"),
        pytest.param("f", "'a'", "a", id="f-string without placeholders"),
        pytest.param("u", "'a'", "a", id="unicode"),
        pytest.param("", r"'\d\/'", r"\d\/", id="unknown escapes keep their backslash"),
        pytest.param("", r"'\xZ\u12G'", r"\xZ\u12G", id="escapes that are no numbers"),
        pytest.param("", r"'\U00110000'", r"\U00110000", id="no such character"),
        pytest.param("", r"'\ud83d\ude00'", "😀", id="a surrogate pair is one character"),
        pytest.param("", r"'\ud83d\ud83dx\ude00'", "\ufffd\ufffdx\ufffd", id="lone surrogates"),
        pytest.param("", "'a\nb\tc\x00'", "a\nb\tc\x00", id="repair 1: raw control characters"),
        pytest.param("", "'it's'", "it's", id="repair 2: an apostrophe"),
        pytest.param("", "'he said 'hi''", "he said 'hi'", id="repair 2: inner quotes"),
        pytest.param("", "'a'  b'", "a'  b", id="white space behind a quote that closes nothing"),
        pytest.param("", '"""a"" b"""', 'a"" b', id="two of three quotes"),
    ],
)
def test_repairs_and_prefixes(prefix, literal, text):
    assert read_everywhere(literal + ",", prefix)[:2] == (text, ",")


@pytest.mark.parametrize("after", [",", ")", "]", "}", ":", " \n )"])
def test_a_quote_closes_in_front_of_what_may_follow_a_value(after):
    _, rest, string = read_everywhere(f"'a'{after}")
    assert string.done
    assert rest == after[-1]


def test_a_placeholder_makes_an_f_string_bad():
    text, rest, string = read_everywhere("'a{b}')", "f")
    assert (text, rest, string.bad) == ("a", "{b}')", True)


@pytest.mark.parametrize(
    ("literal", "inside"),
    [
        ("'", True),
        ("''", False),
        ("'''", True),
        ("'a", True),
        ("'a'", False),
        ("'''a''", True),
        ("'''a'''", False),
        ("'\\", True),
    ],
)
def test_open_data_is_true_where_a_marker_must_be_data(literal, inside):
    assert read(literal)[2].open_data is inside


def test_what_decides_later_is_held():
    assert read("'a\\u00")[2].held == "\\u00"
    assert read("'a'  ")[2].held == "'  "
    assert read("''")[2].held == "''"


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=12), quote=st.sampled_from(["'", '"']), data=st.data())
def test_any_text_survives_its_literal_under_any_cut(text, quote, data):
    literal = repr(text) if quote == "'" else '"' + repr(text)[1:-1].replace('"', '\\"').replace("\\'", "'") + '"'
    with warnings.catch_warnings(action="error"):
        expected = ast.literal_eval(literal)
    at = data.draw(st.integers(0, len(literal)))
    decoded, rest, string = read(literal[:at], literal[at:] + ")")
    assert (decoded, rest, string.done) == (expected, ")", True)


@settings(max_examples=300, deadline=None)
@given(text=st.text("'\"\\ux01dn ,)", max_size=14), at=st.integers(0, 14))
def test_any_text_reads_the_same_under_any_cut_and_can_be_resumed(text, at):
    text = "'" + text
    first, second = text[:at], text[at:]
    before = read(first)[2]
    resumed = PythonString()
    resumed.restore(before.snapshot())
    assert resumed.snapshot() == before.snapshot()
    assert read(first, second)[:2] == read(text)[:2]
