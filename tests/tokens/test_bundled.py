from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.tokens import bundled

MARKERS = ["<think>", "</think>", "<tool_call>", "<tool", "<｜tool▁sep｜>", "«café»", "</think>\n\n"]


@given(st.text())
def test_any_text_survives(text):
    tokenizer = bundled.load(MARKERS)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_is_one_token_wherever_it_is_spelled_c0_02(marker):
    tokenizer = bundled.load(MARKERS)
    ids = tokenizer.encode(f"before{marker}after")
    assert ids.count(tokenizer.vocab[marker]) == 1
    assert tokenizer.token_text(tokenizer.vocab[marker]) == marker


def test_without_markers_a_tag_is_ordinary_text_t_12():
    tokenizer = bundled.load()
    assert len(tokenizer.encode("<tool_call>")) > 1
    assert "<tool_call>" not in tokenizer.vocab


def test_rare_characters_split_into_bytes_t_42():
    tokenizer = bundled.load()
    assert [tokenizer.token_text(token_id) for token_id in tokenizer.encode("🦜")] == ["\ufffd"] * 4


def test_common_words_and_json_are_few_tokens():
    tokenizer = bundled.load()
    text = 'The weather in Paris is good. {"name": "get_weather", "arguments": {"city": "Paris"}}'
    assert len(tokenizer.encode(text)) < len(text) / 3


def test_only_named_markers_are_special_t_08():
    tokenizer = bundled.load(["<think>", "<eot>"], special=["<eot>", "<eos>"])
    assert tokenizer.special_tokens == {"<eot>", "<eos>", bundled.END_OF_TEXT}
    assert tokenizer.special_tokens <= tokenizer.vocab.keys()


def test_empty_and_repeated_markers_add_nothing():
    assert bundled.load(["<a>", "", "<a>"], special=[""]).vocab == bundled.load(["<a>"]).vocab


def test_the_same_markers_share_one_tokenizer():
    assert bundled.load(["<a>", "<b>"]) is bundled.load(("<a>", "<b>"))


def test_lone_surrogates_are_replaced_at_the_door():
    tokenizer = bundled.load()
    assert tokenizer.decode(tokenizer.encode("a\ud800b")) == "a\ufffdb"


@pytest.mark.parametrize("token_id", [-1, 10**7, 2**40])
def test_an_id_outside_the_vocabulary_has_no_text_t_07(token_id):
    assert bundled.load().decode([token_id]) == ""


def test_the_merges_fit_in_the_wheel():
    merges = files("parsers.tokens").joinpath(bundled.MERGES_FILE).read_bytes()
    assert len(merges) < 200_000
    assert len(merges.splitlines()) == 4096
