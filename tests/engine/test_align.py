"""Streams with ids and without places: T-40 by the texts of the tokens, whatever lags (E-22 to E-33, T-02 to T-20)."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.engine.align import Reading, owed_for
from parsers.protocol import Accumulator
from parsers.registry import build_parser, markers_of, special_of
from parsers.tokens.base import Delta
from parsers.tokens.chunks import cut_at
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer
from tests.failure_modes import without_ids

THINK_END = "</think>"


def tokenizer_of(entries, reasoning, tool, special=()):
    return TextTokenizer(entries, markers_of(reasoning, tool), {*special_of(reasoning, tool), *special})


def parsed(deltas, tokenizer, reasoning, tool):
    """What a client has in the end: reasoning, content, calls, number of reasoning tokens."""
    parser, client = build_parser(reasoning, tool, tokenizer), Accumulator()
    for delta in deltas:
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    calls = [(call.name, call.arguments) for call in client.calls]
    return client.reasoning, client.content, calls, parser.reasoning_tokens


def captured(*frames, reasoning="deepseek_r1", tool=None):
    """The outcome for frames of (text, token texts)."""
    tokenizer = tokenizer_of([entry for _, *entries in frames for entry in entries], reasoning, tool)
    ids = iter(tokenizer.ids)
    deltas = [Delta(text, tuple(next(ids) for _ in entries)) for text, *entries in frames]
    return parsed([*deltas[:-1], replace(deltas[-1], finished=True)], tokenizer, reasoning, tool)


# --- streams that a search in the text gets wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frames", "outcome"),
    [
        ([("ab", "a", "b", THINK_END)], ("ab", None, [], 2)),
        ([("ab</t", "a", "b", THINK_END)], ("ab", None, [], 2)),
        ([("", "a"), ("a", "b", THINK_END)], ("a", None, [], 1)),
    ],
    ids=["before the marker", "in the marker", "before earlier tokens"],
)
def test_t20_a_stop_string_cuts_the_marker_or_more(frames, outcome):
    assert captured(*frames) == outcome


def test_t20_a_cut_opener_of_calls_hides_nothing_and_leaks_nothing():
    assert captured(("hi", "hi", "<tool_call>"), reasoning=None, tool="hermes") == (None, "hi", [], 0)


@pytest.mark.parametrize(
    "frames",
    [
        [("HmHi", "Hm", THINK_END, "Hi")],
        [("Hm", "Hm"), ("", THINK_END), ("Hi", "Hi")],
        [("", "Hm", THINK_END, "Hi"), ("HmH",), ("i",)],
    ],
    ids=["one delta", "token by token", "late"],
)
def test_t08_a_special_token_left_out_stands_between_its_neighbours(frames):
    assert captured(*frames) == ("Hm", "Hi", [], 1)


@pytest.mark.parametrize(
    ("frames", "outcome"),
    [
        ([("Hm <", "Hm", THINK_END, " <")], ("Hm", " <", [], 1)),
        ([("Hm", "Hm"), (" ", THINK_END, " b")], ("Hm", " ", [], 1)),
        ([("Hm</", "Hm", THINK_END, "b")], ("Hm", None, [], 1)),
    ],
    ids=["left out", "left out, and the token behind it is cut", "cut"],
)
def test_t18_the_end_settles_whose_text_waits(frames, outcome):
    assert captured(*frames) == outcome


def test_e32_a_token_counts_where_its_text_is():
    assert captured(("hm</thi", "hm", THINK_END), ("nk>Hi", "Hi")) == ("hm", "Hi", [], 1)


def test_e31_a_marker_in_prose_stays_prose_when_the_real_one_is_late():
    frames = [("a </think></th", "a", " </thi", "nk>", THINK_END), ("ink>ok", "ok")]
    assert captured(*frames) == ("a </think>", "ok", [], 3)


@pytest.mark.parametrize("lag", [9, 40])
def test_t16_a_marker_waits_for_its_text_as_long_as_it_takes(lag):
    frames = [("", THINK_END), *[("", "x")] * lag, (THINK_END + "x" * lag,)]
    assert captured(*frames) == (None, "x" * lag, [], 0)


# --- split characters -------------------------------------------------------------------------------------------------

PARROT = (b"\xf0\x9f", b"\xa6", b"\x9c")


@pytest.mark.parametrize(
    "frames",
    [
        [("", PARROT[0]), ("", PARROT[1]), ("🦜", PARROT[2]), (THINK_END, THINK_END), ("ok", "ok")],
        [("", *PARROT, THINK_END, "ok"), ("🦜</thi",), ("nk>ok",)],
        [("🦜", *PARROT, THINK_END, "ok"), ("</think>ok",)],
        [("", *PARROT, THINK_END, "ok"), ("🦜ok",)],
    ],
    ids=["as they come", "late", "marker late", "marker left out"],
)
def test_t02_a_split_character_ends_where_the_next_token_begins(frames):
    assert captured(*frames) == ("🦜", "ok", [], 3)


def test_t02_neighbouring_split_characters_may_come_one_by_one():
    frames = [("🦜", *PARROT * 3), ("🦜", *PARROT), ("🦜🦜好" + THINK_END, "好", THINK_END)]
    assert captured(*frames) == ("🦜🦜🦜🦜好", None, [], 13)


def test_t03_broken_bytes_come_with_the_marker():
    frames = [("", b"\xf0\x9f"), ("\ufffd</think>", THINK_END), ("ok", "ok")]
    assert captured(*frames) == ("\ufffd", "ok", [], 1)


def test_t04_bytes_held_at_the_end_never_come():
    assert captured(("a", "a"), ("", b"\xf0\x9f")) == ("a", None, [], 1)


# --- texts that are not the tokens' -----------------------------------------------------------------------------------


def read(text, *tokens):
    """Places of tokens named (symbol, text), and how far the text is read; None when it is not theirs."""
    reading = Reading([item for token in tokens for item in owed_for(*token)], 0, text, 0)
    return ([(start, end) for _, start, end in reading.placed], reading.at) if reading.fits() else None


def test_t10_a_space_that_a_token_alone_does_not_show_goes_before_it():
    tokens = (None, "a"), (None, "b"), ("T", "</t>"), (None, "c")
    assert read(" a b</t> c", *tokens) == ([(0, 2), (2, 4), (4, 8), (8, 10)], 10)


def test_t09_a_space_before_a_special_token_is_not_part_of_it():
    assert read("a </t>", (None, "a"), ("T", "</t>")) == ([(0, 1), (2, 6)], 6)


def test_e30_text_beyond_all_tokens_belongs_to_none():
    assert read("abc", (None, "a")) == ([(0, 1)], 3)


@pytest.mark.parametrize(
    ("text", "token"),
    [("b", (None, "a")), ("held<t>", ("T", "<t>")), ("a", (None, "\ufffd"))],
    ids=["another token's", "before a special token", "no split character"],
)
def test_foreign_text_is_not_read(text, token):
    assert read("x" + text, (None, "x"), token) is None


def test_e29_places_are_exact_again_when_text_and_tokens_are_level():
    # The first text is the prompt's (T-06), so the marker is looked for; the second marker's text never comes.
    frames = [("prompt<think>", "<think>"), ("a", "a"), ("b", "b", THINK_END)]
    assert captured(*frames) == ("promptab", None, [], 2)


# --- law --------------------------------------------------------------------------------------------------------------

NAMES = [("deepseek_r1", None), ("qwen3", "hermes"), (None, "hermes")]
CALL = ("<tool_call>", '{"name": "f", "arguments": {"x": "🦜"}}', "</tool_call>")
PIECES = (
    ["a"], [" b"], ["好"], [""], ["</"], [THINK_END], [" </thi", "nk>"], ["<eos>"], ["<think>"], [*CALL],
    [*PARROT], [b" \xf0\x9f", b"\xa6\x9c!"], [b"\xe5", b"\xa5\xbd"],
)  # fmt: skip
SPECIAL = {THINK_END, "<eos>", "<tool_call>", "</tool_call>"}
STOPS = [(), ("☃",), ("☃☃☃☃",), ("☃" * 12,), ("☃" * 41,), (THINK_END,), ("nk>",), ("</",), ("b",)]


def is_ambiguous(entries, skips):
    """What the module's docstring names, and some more."""
    hidden = {"", *SPECIAL} if skips else {""}
    shown = [entry for entry in entries if entry not in hidden]
    is_behind_run = any(isinstance(one, bytes) and other == "好" for one, other in pairwise(shown))
    is_between_runs = any(one in hidden and isinstance(other, bytes) for one, other in pairwise(entries))
    is_spelled = any(str(entry).lstrip().startswith("<") for entry in shown)
    return is_behind_run or is_between_runs or (skips and not SPECIAL.isdisjoint(entries) and is_spelled)


@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9),
    st.sets(st.integers(1, 24)),
    st.sampled_from(STOPS),
    st.booleans(),
)
def test_t40_without_places_a_stream_gives_what_it_gives_with_them(names, pieces, cuts, stop, skips):
    entries = [entry for piece in pieces for entry in piece]
    assume(not is_ambiguous(entries, skips))
    tokenizer = tokenizer_of(entries, *names, SPECIAL)
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(stop=stop, skip_special_tokens=skips))
    deltas = cut_at(stream, cuts)
    unplaced = [replace(delta, spans=None) for delta in deltas]
    assert parsed(unplaced, tokenizer, *names) == parsed(deltas, tokenizer, *names)


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6),
    st.sampled_from(STOPS),
    st.integers(0, 12),
)
def test_a_restored_parser_goes_on_as_it_did(pieces, stop, place):
    entries = [entry for piece in pieces for entry in piece]
    tokenizer = tokenizer_of(entries, "qwen3", "hermes", SPECIAL)
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(stop=stop))
    deltas = cut_at(stream, range(len(stream.ids)))
    parser = build_parser("qwen3", "hermes", tokenizer)

    def after(rest):
        messages = [parser.parse_delta(delta.text, delta.ids, None, delta.finished) for delta in rest]
        return [message and without_ids(message.as_json()) for message in messages], parser.reasoning_tokens

    after(deltas[:place])
    before = parser.snapshot()
    first = after(deltas[place:])
    parser.restore(before)
    assert after(deltas[place:]) == first
