"""Text to lexemes in one state: E-40 to E-49; the next marker, or a tail that waits."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.engine.alphabet import Alphabet
from parsers.engine.config import NEWLINE, NEWLINES, OTHER, SPACES, ParserEngineConfig, Row, Terminal
from parsers.engine.lexer import FRAMING, TEXT, IncrementalLexer
from parsers.engine.lexicon import text_lexicons
from parsers.engine.scanner import Piece
from parsers.engine.stream import id_lexicons


class Reader:
    """A lexer that stays in one state and counts every marker as a row of it."""

    def __init__(self, terminals, special=(), other=False):
        terminals = {name: t if isinstance(t, Terminal) else Terminal((t,)) for name, t in terminals.items()}
        names = [*terminals, *([OTHER] if other else [])]
        config = ParserEngineConfig(
            name="toy",
            terminals=terminals,
            special=tuple(special),
            rows=tuple(Row("CONTENT", name, "CONTENT") for name in names),
        )
        self.terminals = terminals
        self.lexicon = text_lexicons(config)["CONTENT"]
        self.lexer = IncrementalLexer(Alphabet(config, {}))
        self.at = 0

    def feed(self, text, final=False):
        """Lexemes as (name, text); neighbouring text joined."""
        self.lexer.push([Piece(text, "", self.at, self.at + len(text))] if text else [])
        self.at += len(text)
        found = []
        while (lexeme := self.lexer.next(self.lexicon, final)) is not None:
            if lexeme.name in self.terminals:
                self.lexer.swallow = self.terminals[lexeme.name].swallow
            if found and lexeme.name == TEXT == found[-1][0]:
                found[-1] = (TEXT, found[-1][1] + lexeme.text)
            elif lexeme.name != OTHER:
                found.append((lexeme.name, lexeme.text))
            else:
                return [*found, (OTHER, "")]
        return found


def whole(reader, text):
    return reader.feed(text, final=True)


# --- matching ---------------------------------------------------------------------------------------------------------


def test_e40_the_longest_marker_wins():
    assert whole(Reader({"SHORT": "ab", "LONG": "abcd"}), "abcd") == [("LONG", "abcd")]


QUOTED = {"NAME": "<invoke name=", "QUOTED": '<invoke name="'}


@pytest.mark.parametrize(
    ("rest", "last"),
    [('"f', [("QUOTED", '<invoke name="'), (TEXT, "f")]), ("f", [("NAME", "<invoke name="), (TEXT, "f")])],
    ids=["longer", "shorter"],
)
def test_e41_a_whole_marker_waits_while_a_longer_one_may_come(rest, last):
    reader = Reader(QUOTED)
    assert reader.feed("<invoke name=") == []
    assert reader.feed(rest) == last


def test_e41_at_the_end_of_the_stream_the_shorter_one_counts():
    reader = Reader(QUOTED)
    assert reader.feed("<invoke name=") == []
    assert reader.feed("", final=True) == [("NAME", "<invoke name=")]


def test_e42_back_off():
    assert whole(Reader({"SHORT": "ab", "LONG": "abcd"}), "abce") == [("SHORT", "ab"), (TEXT, "ce")]


def test_e43_a_failed_beginning_may_hide_a_marker():
    assert Reader({"OPEN": "<tool_call>"}).feed("<<tool_call>") == [(TEXT, "<"), ("OPEN", "<tool_call>")]


def test_e44_a_held_beginning_becomes_text():
    reader = Reader({"OPEN": "<tool_call>"})
    assert reader.feed("<tool_") == []
    assert reader.lexer.held == "<tool_"
    assert reader.feed("x") == [(TEXT, "<tool_x")]


def test_e45_the_end_releases_what_is_held():
    reader = Reader({"OPEN": "<tool_call>"})
    assert reader.feed("ok<tool_ca") == [(TEXT, "ok")]
    assert reader.feed("", final=True) == [(TEXT, "<tool_ca")]


def test_e48_all_spellings_mean_the_same():
    reader = Reader({"END": Terminal(("</think>", "</thinking>"))})
    assert whole(reader, "a</thinking>b</think>") == [
        (TEXT, "a"),
        ("END", "</thinking>"),
        (TEXT, "b"),
        ("END", "</think>"),
    ]


def test_e51_a_marker_without_a_row_is_text():
    assert whole(Reader({"OPEN": "<t>"}), "a</t>b") == [(TEXT, "a</t>b")]


def test_e20_special_tokens_are_lexemes_in_text_too():
    reader = Reader({"OPEN": "<t>"}, special=["<eos>"])
    assert reader.feed("a<eo") == [(TEXT, "a")]
    assert reader.feed("s>b") == [("DROP", "<eos>"), (TEXT, "b")]


# --- flexible spellings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["</p>", "< / p >", "<  /\n p\t>"])
def test_spaces_inside_a_marker(text):
    assert whole(Reader({"END": f"<{SPACES}/{SPACES}p{SPACES}>"}), text) == [("END", text)]


def test_more_than_eight_spaces_are_no_marker():
    text = "<" + " " * 9 + "/p>"
    assert whole(Reader({"END": f"<{SPACES}/p>"}), text) == [(TEXT, text)]


@pytest.mark.parametrize(
    ("spelling", "text", "found"), [(NEWLINE, "a\n\n<e>", "\n<e>"), (NEWLINES, "a\n\n<e>", "\n\n<e>")]
)
def test_newlines_before_a_marker_belong_to_it(spelling, text, found):
    assert whole(Reader({"END": f"{spelling}<e>"}), text)[-1] == ("END", found)


def test_a_newline_that_may_begin_a_marker_waits():
    reader = Reader({"END": f"{NEWLINE}<e>"})
    assert reader.feed("a\n") == [(TEXT, "a")]
    assert reader.feed("b") == [(TEXT, "\nb")]


GUARDED = {"END": Terminal(("</v>",), followed_by=("<v>", "</call>"))}


@pytest.mark.parametrize(
    ("after", "is_marker"), [("<v>", True), (" \n</call>", True), ("more", False), ("</v>.", False), ("", True)]
)
def test_a_guarded_closer_counts_only_before_what_may_follow(after, is_marker):
    found = whole(Reader(GUARDED), f"x</v>{after}")
    assert (("END", "</v>") in found) is is_marker


def test_a_guarded_closer_waits_for_what_follows():
    reader = Reader(GUARDED)
    assert reader.feed("x</v> <") == [(TEXT, "x")]
    assert reader.feed("b") == [(TEXT, "</v> <b")]


@pytest.mark.parametrize(
    ("swallow", "framing"), [("newline", "\n"), ("newlines", "\n\n"), ("spaces", "\n\n \t"), ("", None)]
)
def test_white_space_behind_a_marker_can_be_framing(swallow, framing):
    found = whole(Reader({"OPEN": Terminal(("<t>",), swallow=swallow)}), "<t>\n\n \tx")
    assert [text for name, text in found if name == FRAMING] == ([framing] if framing else [])
    assert "".join(text for _, text in found) == "<t>\n\n \tx"


# --- states that only expect markers ----------------------------------------------------------------------------------


def test_other_is_raised_by_text_but_not_by_white_space():
    assert Reader({"OPEN": "<t>"}, other=True).feed(" \n<t>") == [(TEXT, " \n"), ("OPEN", "<t>")]
    assert Reader({"OPEN": "<t>"}, other=True).feed(" x") == [(OTHER, "")]


def test_other_waits_for_a_marker_to_be_ruled_out():
    reader = Reader({"OPEN": "<tool>"}, other=True)
    assert reader.feed(" <to") == []
    assert reader.feed("p") == [(OTHER, "")]


def test_what_a_body_did_not_use_is_read_again_by_the_next_state():
    reader = Reader({"OPEN": "<t>"})
    assert reader.feed("ab<t>") == [(TEXT, "ab"), ("OPEN", "<t>")]
    assert reader.lexer.unread(4) == 0
    assert reader.feed("") == [(TEXT, "b"), ("OPEN", "<t>")]


@pytest.mark.parametrize(("count", "stays"), [(3, 0), (2, 2), (4, 0)], ids=["whole", "its tail", "and text before"])
def test_the_tail_of_a_token_cannot_be_read_again(count, stays):
    config = ParserEngineConfig(name="toy", terminals={"T": Terminal(("<t>",))}, tokens=("<t>",))
    alphabet = Alphabet(config, {"<t>": 7})
    lexer, lexicon = IncrementalLexer(alphabet), id_lexicons(config, alphabet)["CONTENT"]
    lexer.push([Piece("ab", "", 0, 2), Piece("<t>", alphabet.symbol(7), 2, 5)])
    while lexer.next(lexicon, False):
        pass
    assert lexer.unread(count) == stays
    assert lexer.held == "ab<t>"[5 - count + stays :]


# --- laws -------------------------------------------------------------------------------------------------------------

MARKERS = {"A": "<a>", "AB": "<ab>", "CLOSE": f"<{SPACES}/a>", "GUARD": Terminal(("</v>",), followed_by=("<a>",))}
TEXTS = st.lists(
    st.sampled_from(["<", "a", "b", ">", "/", "</v>", "<a>", "<ab>", " ", "\n", "é", "🧭"]), max_size=14
).map("".join)


@given(TEXTS, st.lists(st.integers(0, 40), max_size=6))
def test_e94_lexemes_do_not_depend_on_the_cuts(text, cuts):
    reader, found = Reader(MARKERS), []
    edges = [0, *sorted({min(cut, len(text)) for cut in cuts}), len(text)]
    for start, end in pairwise(edges):
        found += reader.feed(text[start:end])
    found += reader.feed("", final=True)
    joined = []
    for name, piece in found:
        if joined and name == TEXT == joined[-1][0]:
            joined[-1] = (TEXT, joined[-1][1] + piece)
        else:
            joined.append((name, piece))
    assert joined == whole(Reader(MARKERS), text)
    assert "".join(piece for _, piece in joined) == text


@given(TEXTS)
def test_e49_what_is_held_could_still_become_a_marker(text):
    reader = Reader({"A": "<a>", "AB": "<ab>", "END": "</thing>"})
    for character in text:
        reader.feed(character)
        held = reader.lexer.held
        assert len(held) < len("</thing>")
        assert not held or any(spelling.startswith(held) for spelling in ("<a>", "<ab>", "</thing>"))
        assert not held or reader.lexicon.candidates(held)


@given(TEXTS)
def test_text_without_a_first_character_is_plain(text):
    reader = Reader(MARKERS)
    if reader.lexicon.first.search(text) is None:
        assert whole(reader, text) == ([(TEXT, text)] if text else [])
        assert not re.search("[<]", text)
