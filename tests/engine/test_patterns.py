"""Markers that are regular expressions answer the lexer as literal ones do: response-template.md, "Region machine"."""

from itertools import pairwise

import pytest

from parsers.args.delimiters import Delimiter
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import OTHER, ParserEngineConfig, Row, Terminal
from parsers.engine.lexer import IncrementalLexer
from parsers.engine.lexicon import DROP, Lexicons
from parsers.engine.scanner import Piece

CALL = Terminal((r"<call (\w+)>",), delimiter=Delimiter(pattern=r"<call (\w+)>"))
CONFIG = ParserEngineConfig(
    name="patterns",
    terminals={
        "CALL": CALL,
        "THINK": Terminal(("<think>",)),
        "AHEAD": Terminal(("(?=!)",), delimiter=Delimiter(pattern="(?=!)", closes=True)),
    },
    rows=(
        Row("CONTENT", "CALL", "CONTENT"),
        Row("CONTENT", "THINK", "CONTENT"),
        Row("REASONING", "AHEAD", "CONTENT"),
        Row("START", "CALL", "CONTENT"),
        Row("START", OTHER, "CONTENT"),
    ),
)
LEXICONS = Lexicons(CONFIG, Alphabet(CONFIG, {}))


def lexemes(text, state="CONTENT", cuts=()):
    """(name, text) of all lexemes, and the text that waits before the end."""
    lexer, found, waiting = IncrementalLexer(Alphabet(CONFIG, {})), [], []
    edges = [0, *cuts, len(text)]
    for start, end in pairwise(edges):
        lexer.push([Piece(text[start:end], "", start, end)])
        final = end == len(text)
        while (lexeme := lexer.next(LEXICONS[state], final)) is not None:
            found.append((lexeme.name, lexeme.text))
            if lexeme.name in (OTHER, "AHEAD"):
                return found, waiting
        waiting.append(lexer.held)
    return found, waiting


def test_patterns_and_literals_are_found_in_order():
    assert lexemes("a<call f><think>b")[0] == [("", "a"), ("CALL", "<call f>"), ("THINK", "<think>"), ("", "b")]


@pytest.mark.parametrize("cut", range(1, 12))
def test_lexemes_do_not_depend_on_the_cut(cut):
    found, _ = lexemes("ab<call f>cd", cuts=[cut])
    texts = "".join(f"[{text}]" if name else text for name, text in found)
    assert texts == "ab[<call f>]cd"


def test_only_what_may_become_a_marker_waits():
    assert lexemes("a<call fx", cuts=[8])[1] == ["<call f", ""]
    assert lexemes("a<call !x", cuts=[8])[1] == ["", ""]


def test_candidates_are_the_markers_that_a_held_text_may_become():
    assert LEXICONS["CONTENT"].candidates("<call f") == ["CALL"]
    assert LEXICONS["CONTENT"].candidates("<t") == ["THINK"]
    assert LEXICONS["CONTENT"].candidates("<") == ["CALL", "THINK"]


def test_a_marker_may_stand_in_front_of_something():
    assert lexemes("ab!", "REASONING")[0] == [("", "ab"), ("AHEAD", "")]


def test_a_state_may_expect_nothing_but_markers():
    assert lexemes("<call f>", "START")[0] == [("CALL", "<call f>")]
    assert lexemes("x<call f>", "START")[0] == [(OTHER, "")]


def test_a_token_that_vanishes_is_dropped_where_it_stands():
    alphabet = Alphabet(CONFIG, {"<|end|>": 7}, frozenset({"<|end|>"}))
    lexer = IncrementalLexer(alphabet)
    lexer.push([Piece("a", "", 0, 1), Piece("<|end|>", alphabet.symbol(7), 1, 8), Piece("<think>", "", 8, 15)])
    names = []
    while (lexeme := lexer.next(Lexicons(CONFIG, alphabet)["CONTENT"], True)) is not None:
        names.append(lexeme.name)
    assert names == ["", DROP, "THINK"]
