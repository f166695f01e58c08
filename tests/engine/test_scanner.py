"""Placing tokens in the text: T-40 with spans, E-24 to E-33 without; where the card says "Right", that is pinned."""

import pytest

from parsers.engine.alphabet import Alphabet
from parsers.engine.config import ParserEngineConfig, Terminal
from parsers.engine.scanner import TokenIDScanner

CONFIG = ParserEngineConfig(
    name="toy",
    terminals={"T": Terminal(("<t>",)), "END": Terminal(("</think>",))},
    tokens=("<t>", "</think>"),
    special=("<eos>",),
)
TEXTS = ("<t>", "</think>", "<eos>", "a", "b", "c", "Hm", "Hi", "!", " the", "use ", " now ", "<", "t>", "\ufffd")
VOCAB = {text: number for number, text in enumerate(TEXTS)}
ALPHABET = Alphabet(CONFIG, VOCAB)
SPELLING = ALPHABET.texts


def scanner():
    return TokenIDScanner(ALPHABET, TEXTS.__getitem__)


def shown(pieces):
    """Pieces as they read: text, and markers between « »."""
    return [f"«{SPELLING[p.symbol]}»" if p.symbol else p.text for p in pieces if p.symbol or p.text]


def feed(*frames):
    """What each frame (text, token texts) gives without spans, and what the flush gives."""
    placed = scanner()
    return [
        *(shown(placed.scan(text, [VOCAB[t] for t in tokens], None)) for text, *tokens in frames),
        shown(placed.flush()),
    ]


def joined(frames):
    """All pieces, neighbouring text joined: what the lexer sees in the end."""
    items = []
    for item in (item for frame in frames for item in frame):
        if items and "«" not in item + items[-1]:
            items[-1] += item
        else:
            items.append(item)
    return items


# --- frames whose text and ids agree ----------------------------------------------------------------------------------


def test_a_marker_is_its_id_and_the_rest_is_text():
    assert feed(("a</think>b", "a", "</think>", "b")) == [["a", "«</think>»", "b"], []]


def test_e22_the_spelling_in_ordinary_tokens_is_text():
    assert feed(("use <t>", "use ", "<", "t>"), ("<t>", "<t>")) == [["use <t>"], ["«<t>»"], []]


def test_e31_the_id_takes_the_last_of_equal_spellings():
    # Per-token texts do not add up to the frame, as with tokenizers that need context.
    frame = ("use <t> now <t>", "use ", "<", "t>", " the", "<t>")
    assert feed(frame) == [["use <t> now ", "«<t>»"], []]


def test_a_text_only_frame_has_no_markers():
    assert feed(("a</think>b",)) == [["a</think>b"], []]


# --- text behind its ids ----------------------------------------------------------------------------------------------


def test_e24_a_marker_waits_for_its_text_and_all_that_follows_waits_with_it():
    assert feed(("Hm", "Hm"), ("", "</think>"), ("</think>Hi", "Hi")) == [["Hm"], [], ["«</think>»", "Hi"], []]


def test_e25_text_before_a_deferred_marker_belongs_to_the_old_state():
    assert joined(feed(("", "a", "</think>"), ("a</think>b", "b"))) == ["a", "«</think>»", "b"]


def test_e25_two_deferred_markers_keep_their_order():
    assert joined(feed(("", "</think>", "<t>"), ("</think><t>a", "a"))) == ["«</think>»", "«<t>»", "a"]


def test_e29_text_of_earlier_ids_comes_first():
    assert feed(("held<t>", "<t>")) == [["held", "«<t>»"], []]


def test_e30_text_behind_the_frames_own_tokens_is_kept():
    assert feed(("<t>more", "<t>")) == [["«<t>»", "more"], []]


def test_t03_a_marker_frame_may_begin_with_bytes_held_back():
    assert feed(("", "\ufffd"), (" \ufffd</think>", "</think>")) == [[], [" \ufffd", "«</think>»"], []]


def test_t15_a_lag_of_some_characters_changes_nothing():
    frames = [("", "a", "b"), ("ab<", "</think>"), ("/t", "c"), ("hink>", "Hi"), ("cHi",)]
    assert joined(feed(*frames)) == ["ab", "«</think>»", "cHi"]


def test_e26_a_marker_whose_text_never_comes_is_placed_before_the_text_that_waited():
    frames = [("Hm", "Hm"), ("", "</think>"), ("Hi", "Hi"), ("!", "!")]
    assert joined(feed(*frames)) == ["Hm", "«</think>»", "Hi!"]


def test_e26_waiting_ends_after_some_deltas():
    placed = scanner()
    placed.scan("", [VOCAB["</think>"]], None)
    frames = [shown(placed.scan("a", [VOCAB["a"]], None)) for _ in range(12)]
    assert ["«</think>»" in frame for frame in frames].index(True) <= 8
    assert joined([*frames, shown(placed.flush())]) == ["«</think>»", "a" * 12]


def test_e33_a_deferred_marker_comes_out_at_the_end():
    assert feed(("", "</think>")) == [[], ["«</think>»"]]


# --- tokens that vanish -----------------------------------------------------------------------------------------------


def test_e21_a_special_token_is_a_piece_of_its_own():
    assert feed(("a<eos>b", "a", "<eos>", "b")) == [["a", "«<eos>»", "b"], []]


def test_e27_nothing_waits_for_a_special_token_without_text():
    assert joined(feed(("a", "a"), ("", "<eos>"), ("b", "b"))[:-1]) == ["a", "«<eos>»", "b"]


def test_e28_the_end_token_comes_without_its_text():
    assert joined(feed(("b", "b", "<eos>"))) in (["b", "«<eos>»"], ["«<eos>»", "b"])


# --- known spans (T-40) -----------------------------------------------------------------------------------------------


def with_spans(tokens, cuts):
    """Tokens one a delta, their text shown only up to each cut position; all pieces in the end."""
    placed, text, spans, position = scanner(), "".join(tokens), [], 0
    for token in tokens:
        spans.append((position, position + len(token)))
        position += len(token)
    out, done = [], 0
    for token, span, upto in zip(tokens, spans, cuts, strict=True):
        out.append(shown(placed.scan(text[done:upto], [VOCAB[token]], [span])))
        done = upto
    out.append(shown(placed.scan(text[done:], [], [])))
    return [*out, shown(placed.flush())]


STREAM = ("a", "</think>", "b", "<t>", "c")


@pytest.mark.parametrize("lag", [0, 1, 3, 7, 11, 40])
def test_t16_any_lag_gives_the_same_pieces(lag):
    ends = [1, 9, 10, 13, 14]
    pieces = joined(with_spans(STREAM, [max(0, end - lag) for end in ends]))
    assert pieces == ["a", "«</think>»", "b", "«<t>»", "c"]


def test_t40_a_marker_counts_when_all_its_text_is_shown():
    frames = with_spans(("a", "</think>"), [1, 5])
    assert frames == [["a"], [], ["«</think>»"], []]


def test_t08_a_skipped_token_has_a_place_but_no_text():
    placed = scanner()
    pieces = placed.scan("ab", [VOCAB["a"], VOCAB["<eos>"], VOCAB["b"]], [(0, 1), (1, 1), (1, 2)])
    assert shown(pieces) == ["a", "«<eos>»", "b"]
    assert [(p.start, p.end) for p in pieces] == [(0, 1), (1, 1), (1, 2)]


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frames",
    [
        [("a", "a"), ("", "</think>"), ("</think>", "b"), ("b",)],
        [("", "<t>"), ("a", "a"), ("", "<eos>"), ("b", "b")],
        [("held<t>more", "<t>")],
        [("use <t> now <t>", "use ", "<t>")],
    ],
    ids=["deferred", "text never comes", "foreign text", "prose"],
)
def test_pieces_tile_the_text_in_order(frames):
    placed, pieces = scanner(), []
    for text, *tokens in frames:
        pieces += placed.scan(text, [VOCAB[t] for t in tokens], None)
    pieces += placed.flush()
    assert [p.start for p in pieces] == [0, *(p.end for p in pieces[:-1])]
    assert pieces[-1].end == len("".join(text for text, *_ in frames))


def test_an_idle_scanner_keeps_nothing():
    placed = scanner()
    placed.scan("a", [VOCAB["a"]], [(0, 1)])
    assert placed.idle
    placed.scan("", [VOCAB["<t>"]], [(1, 4)])
    assert not placed.idle


def test_e13_a_scanner_that_must_place_tokens_itself_reads_every_delta():
    placed = scanner()
    assert not placed.idle
    placed.scan("a", [VOCAB["a"]], None)
    assert not placed.idle
