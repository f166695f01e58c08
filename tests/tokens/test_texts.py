import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import CaseError
from parsers.tokens.base import Delta
from parsers.tokens.stream import simulate
from parsers.tokens.texts import TextTokenizer, from_utf8_hex

PARROT = "🦜".encode()


def test_an_entry_that_spells_a_marker_whole_is_its_token_c0_01():
    tokenizer = TextTokenizer(["say ", "<t>", "<", "t", ">"], markers=["<t>"])
    marker = tokenizer.vocab["<t>"]
    assert [token_id == marker for token_id in tokenizer.ids] == [False, True, False, False, False]


def test_a_marker_no_entry_spells_is_in_the_vocabulary_too():
    tokenizer = TextTokenizer(["a"], markers=["<t>"])
    assert tokenizer.encode("<t>") == [tokenizer.vocab["<t>"]]


def test_equal_entries_are_one_token():
    first, second, third = TextTokenizer(["a", "b", "a"]).ids
    assert first == third != second


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        pytest.param(["a", ">hello", "b"], "a>hellob", id="marker tail and word"),
        pytest.param(["a", "", "b"], "ab", id="empty entry"),
        pytest.param([b" " + PARROT[:2], PARROT[2:], "!"], " 🦜!", id="character in two pieces"),
        pytest.param(["<t>", "</t>"], "<t></t>", id="markers side by side"),
    ],
)
def test_kinds_of_entries_t_42(entries, shown):
    tokenizer = TextTokenizer(entries, markers=["<t>", "</t>"])
    assert simulate(tokenizer, tokenizer.ids).text == shown
    assert len(tokenizer.ids) == len(entries)


@given(st.lists(st.text(max_size=4)), st.text())
def test_any_text_can_be_encoded_and_comes_back(entries, text):
    tokenizer = TextTokenizer(entries, markers=["<t>", "<t>>"])
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.lists(st.text(max_size=4)))
def test_the_ids_of_the_entries_decode_to_the_entries(entries):
    tokenizer = TextTokenizer(entries)
    assert [tokenizer.token_text(token_id) for token_id in tokenizer.ids] == entries


def test_special_entries_are_named_t_08():
    tokenizer = TextTokenizer(["<eos>"], special=["<eos>"])
    assert tokenizer.special_tokens == {"<eos>"}


def test_bytes_are_spelled_in_the_vocabulary():
    assert set(TextTokenizer([PARROT[:2]]).vocab) == {"<0xF0><0x9F>"}


@pytest.mark.parametrize("token_id", [-1, 99, 2**40])
def test_an_unknown_id_has_no_text_t_07(token_id):
    assert TextTokenizer(["a"]).decode([token_id]) == ""


def test_byte_pieces_wait_for_the_rest_of_a_character_t_02():
    assert from_utf8_hex(["6162", "f09f", "a69c21"]) == [Delta("ab"), Delta(""), Delta("🦜!", finished=True)]


def test_bytes_left_at_the_end_never_come_out_t_04():
    assert from_utf8_hex(["6162", "f09f"]) == [Delta("ab"), Delta("", finished=True)]


def test_no_byte_pieces_are_one_empty_delta():
    assert from_utf8_hex([]) == [Delta("", finished=True)]


def test_a_piece_that_is_not_hexadecimal_is_named():
    with pytest.raises(CaseError, match="Entry 1 of chunks_utf8_hex"):
        from_utf8_hex(["61", "xy"])
