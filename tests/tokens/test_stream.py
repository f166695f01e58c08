import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import RequestError
from parsers.tokens import bundled
from parsers.tokens.stream import StreamOptions, simulate, special_ids, step_by_step
from parsers.tokens.texts import TextTokenizer

PARROT = "🦜".encode()


def run(*entries, markers=("</think>", "<tool_call>", "<call/>"), special=(), **options):
    tokenizer = TextTokenizer(entries, markers, special)
    return simulate(tokenizer, tokenizer.ids, StreamOptions(**options))


def frames(stream):
    """Return the text that arrives with each id; the last one brings everything left."""
    edges = [*stream.shown[:-1], len(stream.text)]
    return [stream.text[start:end] for start, end in pairwise(edges)]


def test_with_any_stop_string_text_lags_all_along_t_15():
    stream = run("ab", "</think>", "cd", " ef", " gh", " ij", " kl", stop=("STOPSTOP",))
    assert frames(stream)[:4] == ["", "ab<", "/t", "hin"]
    assert stream.text == "ab</think>cd ef gh ij kl"


def test_an_included_stop_string_holds_nothing_t_15():
    stream = run("ab", "cd", stop=("STOPSTOP",), include_stop=True)
    assert frames(stream) == ["ab", "cd"]


@pytest.mark.parametrize("lag", [0, 3, 7, 11, 40])
def test_spans_do_not_depend_on_the_lag_t_16(lag):
    entries = ["ab", " ", "</think>", " ok", " then", " ", "<call/>", " bye"]
    stream = run(*entries, stop=("\0" * (lag + 1),))
    assert stream.spans == run(*entries).spans
    assert max(end - shown for (_, end), shown in zip(stream.spans, stream.shown[1:], strict=True)) <= lag


@pytest.mark.parametrize(
    ("stops", "reason", "text"),
    [
        pytest.param(("XYZ", "bc"), "bc", "a", id="the one completed first"),
        pytest.param(("bcX", "X"), "bcX", "a", id="completed together: list order"),
        pytest.param(("X", "bcX"), "X", "abc", id="completed together: other order"),
        pytest.param(("none",), None, "abcXYZ", id="no match"),
        pytest.param(("cXYZ",), "cXYZ", "ab", id="across tokens"),
    ],
)
def test_which_stop_string_wins_t_17(stops, reason, text):
    stream = run("a", "b", "cX", "Y", "Z", stop=stops)
    assert (stream.stop_reason, stream.text, stream.finish_reason) == (reason, text, "stop")


def test_a_stop_string_cuts_the_text_and_keeps_the_ids_t_18():
    stream = run("hel", "lo", " END", " more", stop=("END",))
    assert stream.text == "hello "
    assert len(stream.ids) == 3
    assert stream.spans == ((0, 3), (3, 5), (5, 6))
    assert stream.stop_reason == "END"


def test_an_included_stop_string_may_end_inside_a_token_t_18():
    stream = run("a", " ENDing", "b", stop=("END",), include_stop=True)
    assert stream.text == "a END"


@pytest.mark.parametrize(
    ("min_tokens", "text"),
    [
        pytest.param(0, "a", id="no minimum"),
        pytest.param(1, "a", id="completed by the first token that counts"),
        pytest.param(2, "abcabX", id="completed too early, never fires later"),
    ],
)
def test_stop_strings_below_min_tokens_do_not_count_t_19(min_tokens, text):
    stream = run("ab", "c", "ab", "X", stop=("bc",), min_tokens=min_tokens)
    assert stream.text == text


@pytest.mark.parametrize(
    ("stop", "text", "last_span"),
    [
        pytest.param("<", "hi ", (3, 3), id="shares a prefix with the marker"),
        pytest.param("<tool_call>", "hi ", (3, 3), id="is the marker"),
    ],
)
def test_a_stop_inside_a_marker_leaves_its_id_without_text_t_20(stop, text, last_span):
    stream = run("hi ", "<tool_call>", stop=(stop,))
    assert (stream.text, len(stream.ids), stream.spans[-1]) == (text, 2, last_span)
    assert stream.finish_reason == "stop"


def test_end_of_text_stays_in_the_ids_without_text_t_21():
    tokenizer = TextTokenizer(["ab", "<eos>"], special=["<eos>"])
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(eos_id=tokenizer.vocab["<eos>"]))
    assert (stream.text, stream.spans) == ("ab", ((0, 2), (2, 2)))
    assert (stream.finish_reason, stream.stop_reason, stream.withheld[-1]) == ("stop", None, "special")


def test_a_stop_token_is_the_stop_reason_t_25():
    tokenizer = TextTokenizer(["ab", "<x>", "cd"])
    stop = tokenizer.ids[1]
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(stop_token_ids=frozenset({stop})))
    assert (stream.text, stream.ids, stream.stop_reason) == ("ab", tokenizer.ids[:2], stop)


def test_an_included_stop_token_shows_its_text_t_21():
    tokenizer = TextTokenizer(["ab", "<eos>"])
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(eos_id=tokenizer.ids[1], include_stop=True))
    assert stream.text == "ab<eos>"


def test_bytes_held_before_a_stop_token_are_lost_t_04():
    tokenizer = TextTokenizer(["ab", PARROT[:2], "<eos>"])
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(eos_id=tokenizer.ids[2]))
    assert (stream.text, stream.spans) == ("ab", ((0, 2), (2, 2), (2, 2)))


def test_an_ignored_end_of_text_is_an_ordinary_token_t_22():
    tokenizer = TextTokenizer(["ab", "<eos>", "cd"])
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions(eos_id=tokenizer.ids[1], ignore_eos=True))
    assert stream.text == "ab<eos>cd"


def test_an_empty_stop_string_is_rejected_t_23():
    with pytest.raises(RequestError, match="stop string is empty"):
        StreamOptions(stop=("a", ""))


@pytest.mark.parametrize(
    ("max_tokens", "reason", "count"),
    [
        pytest.param(1, "length", 1, id="cut"),
        pytest.param(2, "stop", 2, id="end of text on the very last token"),
        pytest.param(None, "stop", 2, id="no limit"),
    ],
)
def test_length_comes_after_end_of_text_t_25(max_tokens, reason, count):
    tokenizer = TextTokenizer(["ab", "<eos>", "cd"])
    options = StreamOptions(eos_id=tokenizer.ids[1], max_tokens=max_tokens)
    stream = simulate(tokenizer, tokenizer.ids, options)
    assert (stream.finish_reason, len(stream.ids)) == (reason, count)


def test_a_stop_string_on_the_last_token_beats_length_t_25():
    stream = run("ab", "END", stop=("END",), max_tokens=2)
    assert (stream.finish_reason, stream.stop_reason) == ("stop", "END")


@pytest.mark.parametrize("reason", ["stop", "length", "abort", "error", "repetition"])
def test_the_engine_may_report_any_end_when_the_ids_run_out(reason):
    assert run("ab", finish_reason=reason).finish_reason == reason


def test_skipped_special_tokens_stay_in_the_ids_t_08():
    stream = run("a", "<eot>", "<think>", "b", special=["<eot>"], skip_special_tokens=True)
    assert (stream.text, len(stream.ids)) == ("a<think>b", 4)
    assert stream.spans[1] == (1, 1)


def test_why_text_is_withheld_t_44():
    stream = run("a", PARROT[:2], PARROT[2:], "<eot>", special=["<eot>"], skip_special_tokens=True)
    assert stream.withheld == (None, "bytes", None, "special")
    assert run("a", "b", stop=("ENDING",)).withheld == ("stop", "stop")


def test_special_ids_are_those_of_the_special_tokens():
    tokenizer = bundled.load(["<a>"], special=["<b>"])
    assert special_ids(tokenizer) == {tokenizer.vocab["<b>"], tokenizer.vocab[bundled.END_OF_TEXT]}


def test_no_ids_are_an_empty_stream():
    stream = run()
    assert (stream.text, stream.ids, stream.shown, stream.finish_reason) == ("", (), (0,), "stop")


STOP_TEXTS = st.sampled_from(["ab", "ba", "aba", "b</", ">"])
PIECES = st.lists(
    st.one_of(st.sampled_from(["a", "b", "ab", "", "</think>", b"\xf0\x9f"]), st.text(max_size=2))
)
STOPS = st.lists(STOP_TEXTS, max_size=2).map(tuple)


@given(PIECES, st.sampled_from([None, 1, 2, 5]), st.booleans())
def test_a_stream_that_only_shows_is_what_it_is_step_by_step(entries, max_tokens, hold_bytes):
    tokenizer = TextTokenizer(entries, ("</think>",), ())
    options = StreamOptions(max_tokens=max_tokens, hold_bytes=hold_bytes)
    assert simulate(tokenizer, tokenizer.ids, options) == step_by_step(tokenizer, tokenizer.ids, options)


@given(st.text(max_size=60))
def test_the_bundled_tokenizer_shows_the_same_step_by_step(text):
    tokenizer = bundled.load(("</think>",), ())
    ids = tokenizer.encode(text)
    assert simulate(tokenizer, ids) == step_by_step(tokenizer, ids, StreamOptions())


@given(PIECES, STOPS, st.booleans(), st.integers(0, 4))
def test_laws_of_a_stream_t_43(entries, stop, include_stop, min_tokens):
    stream = run(*entries, stop=stop, include_stop=include_stop, min_tokens=min_tokens)
    assert list(stream.shown) == sorted(stream.shown)
    assert stream.shown[-1] <= len(stream.text)
    assert len(stream.spans) == len(stream.ids) == len(stream.withheld) == len(stream.shown) - 1
    edges = [(0, 0), *stream.spans, (len(stream.text), len(stream.text))]
    assert all(before[1] == after[0] for before, after in pairwise(edges))


@given(PIECES, STOPS)
def test_lag_is_never_more_than_the_hold_and_held_bytes_t_43(entries, stop):
    options = StreamOptions(stop=stop)
    stream = run(*entries, stop=stop)
    for (_, end), shown, why in zip(stream.spans, stream.shown[1:], stream.withheld, strict=True):
        assert why == "bytes" or end - shown <= options.hold


@given(PIECES, st.lists(STOP_TEXTS, min_size=1, max_size=2).map(tuple))
def test_no_text_after_a_stop_string_t_43(entries, stop):
    excluded = run(*entries, stop=stop)
    included = run(*entries, stop=stop, include_stop=True)
    if excluded.stop_reason is None:
        assert not any(text in excluded.text for text in stop)
        return
    assert included.text == excluded.text + str(excluded.stop_reason)
    assert not any(text in included.text[:-1] for text in stop)


def test_time_grows_with_the_length_only():
    tokenizer = bundled.load()
    ids = tokenizer.encode("The weather is good today. ") * 500
    options = StreamOptions(stop=("STOP", "another stop string"))

    def seconds(count):
        started = time.process_time()
        simulate(tokenizer, ids[:count], options)
        return time.process_time() - started

    seconds(300)
    assert seconds(3000) < 60 * max(seconds(300), 0.001)
