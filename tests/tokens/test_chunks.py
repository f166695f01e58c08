import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import CaseError, LimitError
from parsers.tokens import bundled, chunks
from parsers.tokens.base import Delta
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer

PARROT = "🦜".encode()
TOKENIZER = TextTokenizer(
    ["I ", "think", "</think>", " ", "<call/>", PARROT[:2], PARROT[2:], "."], markers=["</think>", "<call/>"]
)
MARKER_IDS = {TOKENIZER.vocab["</think>"], TOKENIZER.vocab["<call/>"]}
STREAM = simulate(TOKENIZER, TOKENIZER.ids)
LAGGING = simulate(TOKENIZER, TOKENIZER.ids, StreamOptions(stop=("STOP",)))


def groups(deltas):
    return [len(delta.ids) for delta in deltas]


@pytest.mark.parametrize(
    ("strategy", "sizes"),
    [
        pytest.param("one", [8], id="one"),
        pytest.param("whole", [8], id="whole"),
        pytest.param("token", [1] * 8, id="token"),
        pytest.param("special", [2, 1, 1, 1, 3], id="special"),
        pytest.param("every:3", [3, 3, 2], id="every"),
        pytest.param("every:99", [8], id="every, longer than the stream"),
        pytest.param("interval:3", [1, 3, 3, 1], id="interval: first id at once"),
        pytest.param("cuts:2,5", [2, 3, 3], id="cuts"),
        pytest.param("cuts:5,2,5", [2, 3, 3], id="cuts in any order"),
        pytest.param("cuts:0,8,99", [8], id="cuts at the ends and beyond"),
        pytest.param("rand:1:1", [1] * 8, id="random groups of one"),
    ],
)
def test_strategies_c0_03(strategy, sizes):
    assert groups(chunks.cut(STREAM, strategy, MARKER_IDS)) == sizes


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_groups_are_those_of_python_c0_03(seed):
    generator = random.Random(seed)
    sizes = groups(chunks.cut(STREAM, f"rand:{seed}:3"))
    assert sizes[:-1] == [generator.randint(1, 3) for _ in sizes[:-1]]


def test_characters_one_by_one_are_text_only_c0_03():
    deltas = chunks.cut(STREAM, "char:0")
    assert [delta.text for delta in deltas] == list(STREAM.text)
    assert all(delta.ids == () and delta.spans is None for delta in deltas)


def test_characters_in_random_groups_c0_03():
    pieces = [delta.text for delta in chunks.cut(STREAM, "char:7")]
    assert "".join(pieces) == STREAM.text
    assert len({len(piece) for piece in pieces}) > 1


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        pytest.param("sometimes", "no strategy 'sometimes'", id="unknown"),
        pytest.param("every", "no strategy 'every'", id="number missing"),
        pytest.param("token:2", "no strategy 'token:2'", id="number too many"),
        pytest.param("every:0", "at least 1", id="number too small"),
        pytest.param("rand:1:0", "at least 1", id="group too small"),
        pytest.param("every:two", "'two' is not a whole number", id="not a number"),
        pytest.param("cuts:", "'' is not a whole number", id="no positions"),
        pytest.param("cuts:-1", "at least 0", id="negative position"),
        pytest.param("char", "'' is not a whole number", id="seed missing"),
    ],
)
def test_a_strategy_that_cannot_be_used_says_why(strategy, message):
    with pytest.raises(CaseError, match=message):
        chunks.cut(STREAM, strategy)


def test_an_unknown_strategy_lists_the_forms():
    with pytest.raises(CaseError, match=r"token, special, every:N"):
        chunks.cut(STREAM, "sometimes")


def test_kinds_of_frames_t_31():
    frames = [(delta.text, len(delta.ids)) for delta in chunks.cut(LAGGING, "token", finish_alone=True)]
    assert frames[0] == ("", 1)  # held text
    assert frames[2] == ("ink</thi", 1)  # text of older ids
    assert frames[-1] == ("🦜.".rjust(3, ">"), 0)  # released text only


def test_a_finish_may_come_alone_without_ids_t_28():
    assert chunks.cut(STREAM, "one", finish_alone=True)[-1] == Delta("", (), (), finished=True)
    assert chunks.cut(LAGGING, "one", finish_alone=True)[-1] == Delta(">🦜.", (), (), finished=True)


def test_ids_come_with_their_spans_t_40():
    first, second = chunks.cut(STREAM, "cuts:6")
    assert second.text == "🦜."
    assert second.spans == ((23, 24), (24, 25))
    assert first.spans is not None
    assert first.spans[5] == (23, 23)


def test_a_stream_without_ids_is_one_empty_delta():
    empty = simulate(TOKENIZER, [])
    assert chunks.cut(empty, "token") == [Delta("", (), (), finished=True)]
    assert chunks.cut(empty, "char:0") == [Delta("", finished=True)]


def test_text_only_drops_ids_and_spans_and_keeps_the_steps():
    deltas = chunks.cut(STREAM, "token")
    plain = chunks.text_only(deltas)
    assert [delta.text for delta in plain] == [delta.text for delta in deltas]
    assert all(delta.ids == () and delta.spans is None for delta in plain)
    assert plain[-1].finished


@pytest.mark.parametrize("count", range(13))
def test_all_groupings_are_each_once_t_33(count):
    groupings = list(chunks.all_groupings(count))
    assert len(groupings) == len(set(groupings)) == 2 ** max(count - 1, 0)


def test_all_groupings_of_a_long_stream_are_refused():
    with pytest.raises(LimitError, match="up to 12 tokens, not 13"):
        chunks.all_groupings(13)


def test_two_way_cuts():
    assert list(chunks.two_way(4)) == [(1,), (2,), (3,)]


class TestGiven:
    tokenizer = bundled.load(["<think>", "</think>"])

    def test_pieces_between_tokens_get_ids_and_spans_c0_02(self):
        deltas = chunks.given(["<think>", "Hello", " world", "</think>"], tokenizer=self.tokenizer)
        assert [delta.text for delta in deltas] == ["<think>", "Hello", " world", "</think>"]
        assert deltas[0] == Delta("<think>", (self.tokenizer.vocab["<think>"],), ((0, 7),))
        assert [delta.finished for delta in deltas] == [False, False, False, True]

    def test_a_marker_cut_in_two_makes_all_pieces_text_only_c0_02(self):
        deltas = chunks.given(["a</thi", "nk>b"], tokenizer=self.tokenizer)
        assert deltas == [Delta("a</thi"), Delta("nk>b", finished=True)]

    def test_ids_that_came_with_the_chunks_are_kept_c0_01(self):
        deltas = chunks.given(["", "ab"], ids=[[5], [6, 7]])
        assert deltas == [Delta("", (5,)), Delta("ab", (6, 7), finished=True)]

    def test_a_missing_list_of_ids_is_named(self):
        with pytest.raises(CaseError, match="1 lists for 2 chunks"):
            chunks.given(["a", "b"], ids=[[5]])

    def test_without_a_tokenizer_pieces_are_text_only(self):
        assert chunks.given(["a", "b"]) == [Delta("a"), Delta("b", finished=True)]

    @pytest.mark.parametrize("ids", [None, []])
    def test_no_chunks_are_one_empty_delta(self, ids):
        assert chunks.given([], ids, self.tokenizer) == [Delta("", finished=True)]

    @given(st.lists(st.text(max_size=5)))
    def test_the_pieces_are_never_changed(self, pieces):
        deltas = chunks.given(pieces, tokenizer=self.tokenizer)
        assert [delta.text for delta in deltas] == (pieces or [""])


PIECES = st.lists(st.one_of(st.text(max_size=3), st.binary(max_size=2)))
STRATEGIES = st.sampled_from(["one", "token", "every:2", "interval:2", "rand:1:3", "cuts:1,3", "special"])


@given(PIECES, STRATEGIES, st.sampled_from([(), ("ab",), ("never there",)]), st.booleans())
def test_every_cut_tells_the_same_story_t_43(entries, strategy, stop, finish_alone):
    tokenizer = TextTokenizer(entries)
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(stop=stop))
    deltas = chunks.cut(stream, strategy, tokenizer.ids[:1], finish_alone)
    assert "".join(delta.text for delta in deltas) == stream.text
    assert tuple(token_id for delta in deltas for token_id in delta.ids) == stream.ids
    assert tuple(span for delta in deltas for span in delta.spans or ()) == stream.spans
    assert [delta.finished for delta in deltas] == [False] * (len(deltas) - 1) + [True]
