from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models

from parsers.tokens import bundled
from parsers.tokens.detok import IncrementalDetokenizer, Released
from parsers.tokens.hf import LibraryTokenizer
from parsers.tokens.texts import TextTokenizer

PARROT = "🦜".encode()
CJK = "𠀀".encode()


def toy(*entries, markers=()):
    tokenizer = TextTokenizer(entries, markers)
    return tokenizer, tokenizer.ids


def sentencepiece_like():
    """Return a tokenizer whose decoder drops the first space of what it decodes, with byte fallback."""
    pieces = ["▁Hello", "▁world", "!", "▁", *(f"<0x{byte:02X}>" for byte in range(0x100))]
    library = Library(models.WordLevel({piece: index for index, piece in enumerate(pieces)}, unk_token="!"))
    library.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return LibraryTokenizer("toy sentencepiece", library)


def texts(tokenizer, ids, **options):
    """Return the text released by each id and by the finish."""
    detokenizer = IncrementalDetokenizer(tokenizer, **options)
    return [*(detokenizer.push(token_id).text for token_id in ids), detokenizer.finish().text]


def spans(tokenizer, ids, **options):
    detokenizer = IncrementalDetokenizer(tokenizer, **options)
    released = [*(detokenizer.push(token_id) for token_id in ids), detokenizer.finish()]
    return [span for step in released for span in step.spans]


def test_bytes_come_out_with_the_token_that_completes_them_t_02():
    tokenizer, ids = toy(
        "ok", b" " + PARROT[:2], PARROT[2:3], PARROT[3:], "好", CJK[:1], CJK[1:2], CJK[2:3], CJK[3:], "!"
    )
    assert texts(tokenizer, ids) == ["ok", "", "", " 🦜", "好", "", "", "", "𠀀", "!", ""]


def test_the_first_id_of_a_split_character_keeps_its_own_text_t_40():
    tokenizer, ids = toy("ok", b" " + PARROT[:2], PARROT[2:3], PARROT[3:])
    assert spans(tokenizer, ids) == [(0, 2), (2, 3), (3, 3), (3, 4)]


def test_held_bytes_are_glued_to_the_marker_after_them_t_03():
    tokenizer, ids = toy(b" " + PARROT[:2], "</think>", markers=["</think>"])
    assert texts(tokenizer, ids) == ["", " \ufffd</think>", ""]
    assert spans(tokenizer, ids) == [(0, 2), (2, 10)]


def test_bytes_held_at_the_end_never_come_out_t_04():
    tokenizer, ids = toy("a", PARROT[:2], PARROT[2:3])
    assert texts(tokenizer, ids) == ["a", "", "", ""]
    assert spans(tokenizer, ids) == [(0, 1), (1, 1), (1, 1)]


def test_a_replacement_character_the_model_wrote_comes_out_at_the_end():
    tokenizer = bundled.load()
    assert "".join(texts(tokenizer, tokenizer.encode("a\ufffd"))) == "a\ufffd"


def test_broken_bytes_come_out_with_the_next_token_t_05():
    tokenizer, ids = toy("a", PARROT[:1], "b")
    assert texts(tokenizer, ids) == ["a", "", "\ufffdb", ""]


def test_a_prompt_that_ends_inside_a_character_is_not_repeated_t_06():
    tokenizer, ids = toy("a", b" " + PARROT[:2], PARROT[2:], "b")
    assert texts(tokenizer, ids[2:], prompt_ids=ids[:2]) == ["🦜", "b", ""]


@pytest.mark.parametrize("unknown", [-1, 10**6, 2**40])
def test_an_unknown_id_shows_nothing_and_harms_nothing_t_07(unknown):
    tokenizer, ids = toy("a", "b")
    assert "".join(texts(tokenizer, [ids[0], unknown, ids[1]])) == "ab"


def test_skipped_ids_have_an_empty_span_where_they_stand_t_08():
    tokenizer, ids = toy("a", "<eot>", "b", markers=["<eot>"])
    skipped = {tokenizer.vocab["<eot>"]}
    assert texts(tokenizer, ids, skip_ids=skipped) == ["a", "", "b", ""]
    assert spans(tokenizer, ids, skip_ids=skipped) == [(0, 1), (1, 1), (1, 2)]


def test_a_skipped_id_inside_a_character_does_not_break_it_t_08():
    tokenizer, ids = toy(PARROT[:2], "<eot>", PARROT[2:], markers=["<eot>"])
    skipped = {tokenizer.vocab["<eot>"]}
    assert texts(tokenizer, ids, skip_ids=skipped) == ["", "", "🦜", ""]
    assert spans(tokenizer, ids, skip_ids=skipped) == [(0, 0), (0, 0), (0, 1)]


def test_adjacent_markers_print_without_a_space_t_09():
    tokenizer = bundled.load(["<a>", "<b>"])
    assert texts(tokenizer, tokenizer.encode("<a><b>")) == ["<a>", "<b>", ""]


def test_a_leading_space_is_kept_in_context_t_10():
    tokenizer = sentencepiece_like()
    hello, world = tokenizer.vocab["▁Hello"], tokenizer.vocab["▁world"]
    assert tokenizer.token_text(world) == "world"
    assert texts(tokenizer, [hello, world]) == ["Hello", " world", ""]
    assert texts(tokenizer, [hello, world], prompt_ids=[hello]) == [" Hello", " world", ""]


def test_byte_fallback_pieces_are_held_too_t_02():
    tokenizer = sentencepiece_like()
    ids = [tokenizer.vocab[f"<0x{byte:02X}>"] for byte in PARROT]
    assert texts(tokenizer, [tokenizer.vocab["▁Hello"], *ids]) == ["Hello", "", "", "", "🦜", ""]


def test_without_the_hold_half_a_character_shows_at_once_t_41():
    tokenizer, ids = toy("a", PARROT[:2], PARROT[2:], "b")
    assert texts(tokenizer, ids, hold_bytes=False) == ["a", "\ufffd", "🦜", "b", ""]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(["\ufffd"] * 40, id="written replacement characters"),
        pytest.param([b"\xff"] * 40, id="broken bytes"),
        pytest.param([""] * 40, id="empty tokens"),
    ],
)
def test_what_is_held_stays_short(entries):
    tokenizer, ids = toy(*entries)
    detokenizer = IncrementalDetokenizer(tokenizer)
    for token_id in ids:
        detokenizer.push(token_id)
        assert len(detokenizer.held) <= 12


def test_many_skipped_ids_inside_a_character_are_not_all_held():
    tokenizer, ids = toy(PARROT[:2], *["<eot>"] * 40, "b", markers=["<eot>"])
    detokenizer = IncrementalDetokenizer(tokenizer, skip_ids={tokenizer.vocab["<eot>"]})
    assert "".join(detokenizer.push(token_id).text for token_id in ids) == "\ufffdb"
    assert detokenizer.held == ()


def test_a_character_after_many_broken_bytes_is_whole():
    tokenizer, ids = toy(*[b"\xff"] * 9, *(bytes([byte]) for byte in PARROT), "b")
    assert "".join(texts(tokenizer, ids)) == "\ufffd" * 9 + "🦜b"


def test_a_restored_detokenizer_goes_on_as_before():
    tokenizer, ids = toy("a", PARROT[:2], PARROT[2:], "b")
    detokenizer = IncrementalDetokenizer(tokenizer)
    detokenizer.push(ids[0])
    detokenizer.push(ids[1])
    state = detokenizer.snapshot()
    first = [detokenizer.push(ids[2]), detokenizer.push(ids[3])]
    detokenizer.restore(state)
    assert [detokenizer.push(ids[2]), detokenizer.push(ids[3])] == first
    assert first[0] == Released("🦜", ((1, 1), (1, 2)))


ENTRIES = st.lists(st.one_of(st.text(max_size=3), st.binary(max_size=3)), max_size=30)


@given(ENTRIES)
def test_the_text_is_that_of_all_ids_but_for_bytes_at_the_end(entries):
    tokenizer, ids = toy(*entries)
    released = "".join(texts(tokenizer, ids))
    whole = tokenizer.decode(ids)
    assert whole.startswith(released)
    assert released == whole or whole.endswith("\ufffd")


@given(ENTRIES)
def test_spans_tile_the_text(entries):
    tokenizer, ids = toy(*entries)
    edges = [(0, 0), *spans(tokenizer, ids)]
    length = len("".join(texts(tokenizer, ids)))
    assert len(edges) == len(ids) + 1
    assert all(before[1] == after[0] for before, after in pairwise(edges))
    assert edges[-1][1] == length


@given(st.text(max_size=60))
def test_text_of_whole_characters_comes_out_whole(text):
    tokenizer = bundled.load(["<think>"])
    assert "".join(texts(tokenizer, tokenizer.encode(text))) == text
