"""Thinking tags: card 03, rules L-10 … L-38. S and E are the markers' tokens, a letter is a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import TokenizerError
from parsers.legacy import switched
from parsers.legacy.base import ReasoningParser
from parsers.legacy.switched import DeepSeekV3Parser, Holo2Parser, IdentityParser
from parsers.legacy.think import DeepSeekR1Parser, ThinkingParser
from parsers.protocol import DeltaMessage
from parsers.tokens import bundled
from tests.legacy.classic import TOKENIZER, cut, fields, ids_of, stream, text_of

BOTH = {"thinking": True, "enable_thinking": True}


def base():
    return ThinkingParser(TOKENIZER)


def r1():
    return DeepSeekR1Parser(TOKENIZER)


def whole(word):
    return text_of(word), ids_of(word)


def words(parser, *deltas):
    """(reasoning, content) of each delta; None where the parser says nothing."""
    answers = stream(parser, *(whole(delta) if isinstance(delta, str) else delta for delta in deltas))
    return [answer and (answer.reasoning, answer.content) for answer in answers]


# --- construction ------------------------------------------------------------------------------------------------


class Unmarked(ThinkingParser):
    end = ""


@pytest.mark.parametrize(
    "make", [lambda: ThinkingParser(None), lambda: Unmarked(TOKENIZER)], ids=["tokenizer", "marker"]
)
def test_l10_no_tokenizer_and_no_marker_are_refused(make):
    with pytest.raises(ValueError, match="reasoning parser 'think'"):
        make()


def test_l10_a_marker_outside_the_vocabulary_is_told_with_parser_token_and_flag():
    with pytest.raises(TokenizerError, match=r"'deepseek_r1'.*'</think>'.*'bundled'.*--reasoning-parser"):
        DeepSeekR1Parser(bundled.load(("<think>",)))


# --- token view --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "ended"),
    [("", False), ("a", False), ("S", False), ("E", True), ("SaE", True), ("SaES", False), ("aE", True)],
)
def test_l11_the_last_marker_decides(word, ended):
    assert base().is_reasoning_end(ids_of(word)) is ended


@pytest.mark.parametrize(("word", "new", "ended"), [("SaE", "E", True), ("SaEb", "b", False), ("SaEb", "Eb", True)])
def test_l12_only_a_new_end_counts(word, new, ended):
    assert base().is_reasoning_end_streaming(ids_of(word), ids_of(new)) is ended


@pytest.mark.parametrize(
    ("word", "content"),
    [("aE", ""), ("SEa", "a"), ("EEa", "Ea"), ("EaE", "aE"), ("SaES", "S"), ("a", ""), ("", "")],
)
def test_l13_content_is_behind_the_first_end(word, content):
    assert base().extract_content_ids(ids_of(word)) == ids_of(content)


# --- text view ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "result"),
    [
        ("a", ("a", None)),
        ("xSaEb", ("a", "b")),
        ("Eb", ("", "b")),
        ("aEbEc", ("a", "b</think>c")),
        ("bS", ("", None)),
        ("SaE", ("a", None)),
    ],
)
def test_l14_the_text_is_cut_at_the_first_markers(word, result):
    assert base().extract_reasoning(text_of(word)) == result


def test_l15_without_an_end_all_is_reasoning():
    assert base().extract_reasoning(text_of("Sab")) == ("ab", None)


# --- streaming ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deltas", "last"),
    [
        pytest.param(["S", "aEb"], ("a", "b"), id="1-end"),
        pytest.param(["S", "aE"], ("a", None), id="1-end-without-content"),
        pytest.param(["SaE", "b"], (None, "b"), id="2-behind"),
        pytest.param(["S", "a"], ("a", None), id="3-inside"),
        pytest.param(["SaEb"], ("a", "b"), id="4-both"),
        pytest.param(["Sa"], ("a", None), id="5-start"),
        pytest.param(["a"], (None, "a"), id="6-none"),
        pytest.param(["S"], None, id="start-alone"),
        pytest.param(["Sa", "E"], None, id="end-alone"),
    ],
)
def test_l19_the_six_cases(deltas, last):
    assert words(base(), *deltas)[-1] == last


def test_l20_later_ends_are_content():
    assert words(base(), "S", "aEbEc") == [None, ("a", "b</think>c")]


def test_l21_the_start_marker_never_stays_in_the_reasoning():
    assert words(base(), "Sa") == [("a", None)] == words(base(), "S", "a")[1:]


def test_l21_text_before_the_start_marker_is_kept():
    assert words(base(), "xSa") == [("a", "x")]
    assert words(r1(), "xSa") == [("xa", None)]


def test_l22_an_end_whose_text_is_late_is_waited_for():
    parser = base()
    assert words(parser, "S", ("yz", ids_of("yzE"))) == [None, ("yz", None)]
    assert parser.awaits_text
    assert words(parser, ("</think>hello", ids_of("hello"))) == [(None, "hello")]
    assert not parser.awaits_text


def test_l22_an_end_whose_text_comes_in_parts_is_waited_for():
    assert words(base(), "S", ("y</th", ids_of("yE")), ("ink>b", ids_of("b"))) == [None, ("y", None), (None, "b")]


def test_l22_what_looked_like_a_marker_is_not_lost_at_the_end():
    parser = base()
    words(parser, "S", ("y</th", ids_of("yE")))
    assert parser.finish_streaming() == DeltaMessage(reasoning="</th")
    assert parser.finish_streaming() is None


def test_l22_a_special_marker_without_text_is_not_waited_for():
    parser = DeepSeekR1Parser(bundled.load(("<think>",), special=("</think>",)))
    end = [parser.end_id]
    assert words(parser, ("a", ids_of("a")), ("", end), ("b", ids_of("b"))) == [("a", None), None, (None, "b")]


def test_l23_text_that_comes_with_a_single_marker_is_kept():
    assert words(base(), "S", ("tail</think>", ids_of("E"))) == [None, ("tail", None)]


@pytest.mark.parametrize(
    ("deltas", "answers"),
    [
        (["SaE", "Sc"], [("a", None), (None, "<think>c")]),
        (["SaE", "S", "c"], [("a", None), (None, "<think>"), (None, "c")]),
        (["bEc"], [(None, "b</think>c")]),
        (["b", "E", "c"], [(None, "b"), (None, "</think>"), (None, "c")]),
    ],
    ids=["start-behind-the-end", "the-same-alone", "end-without-start", "the-same-by-token"],
)
def test_l24_a_marker_that_changes_nothing_is_text(deltas, answers):
    assert words(base(), *deltas) == answers


def test_l25_earlier_ids_are_not_searched():
    parser = base()
    words(parser, "Sa")
    answer = parser.extract_reasoning_streaming("", "", "b", [], [], ids_of("b"))
    assert answer == DeltaMessage(reasoning="b")


# --- R1 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deltas", "answers"),
    [
        (["a"], [("a", None)]),
        (["aEb"], [("a", "b")]),
        (["aE", "b"], [("a", None), (None, "b")]),
        (["E"], [None]),
        (["S", "a"], [None, ("a", None)]),
    ],
)
def test_l30_r1_needs_no_start(deltas, answers):
    assert words(r1(), *deltas) == answers


def test_l31_without_markers_r1_takes_an_answer_for_reasoning():
    assert fields(stream(r1(), whole("hi"))) == ("hi", None, [])
    assert r1().extract_reasoning("hi") == ("hi", None)


# --- counting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "count", "open_count"),
    [("SaE", 1, 1), ("SSaEbE", 2, 2), ("Ea", 0, 0), ("aE", 0, 1), ("Sa", 1, 1), ("SEaSbE", 1, 1), ("aEb", 0, 1)],
)
def test_l32_l33_depth_is_counted_from_the_prompt_on(word, count, open_count):
    assert base().count_reasoning_tokens(ids_of(word)) == count
    assert base().count_reasoning_tokens(ids_of(word), prompt_open=True) == open_count
    assert (base().starts_open, r1().starts_open) == (False, True)


# --- V3 and identity ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template_kwargs", "v3", "holo2"),
    [
        (None, IdentityParser, DeepSeekR1Parser),
        ({}, IdentityParser, DeepSeekR1Parser),
        ({"thinking": True}, DeepSeekR1Parser, DeepSeekR1Parser),
        ({"enable_thinking": True}, DeepSeekR1Parser, DeepSeekR1Parser),
        ({"thinking": False}, IdentityParser, IdentityParser),
        ({"enable_thinking": False}, IdentityParser, IdentityParser),
        ({"thinking": False, "enable_thinking": True}, DeepSeekR1Parser, DeepSeekR1Parser),
        ({"thinking": None, "enable_thinking": None}, IdentityParser, DeepSeekR1Parser),
    ],
)
def test_l35_l36_the_request_chooses(template_kwargs, v3, holo2):
    assert type(DeepSeekV3Parser(TOKENIZER, chat_template_kwargs=template_kwargs).inner) is v3
    assert type(Holo2Parser(TOKENIZER, chat_template_kwargs=template_kwargs).inner) is holo2


@pytest.mark.parametrize("thinking", [True, False])
def test_l03_the_inner_parser_is_given_all_that_the_outer_one_was(thinking, monkeypatch):
    seen = []

    class Noting(IdentityParser):
        def __init__(self, tokenizer, *args, **kwargs):
            super().__init__(tokenizer, *args, **kwargs)
            seen.append((args, kwargs))

    monkeypatch.setattr(switched, "DeepSeekR1Parser" if thinking else "IdentityParser", Noting)
    given = {"model_config": object(), "chat_template_kwargs": {"thinking": thinking}}
    DeepSeekV3Parser(TOKENIZER, "more", **given)
    assert seen == [(("more",), given)]


@pytest.mark.parametrize("make", [DeepSeekV3Parser, Holo2Parser])
def test_l35_every_question_reaches_the_inner_parser(make):
    parser, inner = make(TOKENIZER, chat_template_kwargs=BOTH), r1()
    ids = ids_of("SaEb")
    assert parser.count_reasoning_tokens(ids) == 1
    assert parser.count_reasoning_tokens(ids_of("aE"), prompt_open=True) == 1
    assert parser.is_reasoning_end(ids_of("SaES")) is False
    assert parser.is_reasoning_end_streaming(ids, ids[-1:]) is False
    assert parser.extract_content_ids(ids) == ids[3:]
    assert parser.find_reasoning_end(ids) == 3
    assert parser.extract_reasoning("a</think>b") == ("a", "b")
    assert parser.reasoning_end_token_ids == inner.reasoning_end_token_ids
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")
    assert parser.starts_open is True
    assert words(parser, ("a</th", ids_of("aE"))) == [("a", None)]
    assert parser.awaits_text is True
    assert parser.finish_streaming() == DeltaMessage(reasoning="</th")


@pytest.mark.parametrize("inner", [ThinkingParser, DeepSeekR1Parser, IdentityParser])
def test_l35_nothing_the_inner_parser_changes_is_left_at_the_default(inner):
    changed = {name for name in vars(ReasoningParser) if name[0] != "_" and name in vars(inner)}
    assert changed <= vars(DeepSeekV3Parser).keys() | {"STATE"}


def test_l36_the_callers_kwargs_stay_as_they_were():
    given = {"other": 1}
    Holo2Parser(TOKENIZER, chat_template_kwargs=given)
    assert given == {"other": 1}


def test_l37_identity_lets_everything_through():
    parser = IdentityParser(TOKENIZER)
    ids = ids_of("SaEb")
    assert parser.is_reasoning_end([])
    assert parser.is_reasoning_end_streaming(ids, ids)
    assert parser.extract_content_ids(ids) == ids
    assert parser.extract_reasoning(text_of("SaEb")) == (None, text_of("SaEb"))
    assert words(parser, "SaEb", ("", ids_of("a"))) == [(None, text_of("SaEb")), None]
    assert parser.count_reasoning_tokens(ids, prompt_open=True) == 0
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == (None, None)


def test_l37_identity_needs_a_tokenizer_all_the_same():
    with pytest.raises(ValueError, match="identity"):
        IdentityParser(None)


def test_l38_one_class_serves_both_requests():
    on, off = (DeepSeekV3Parser(TOKENIZER, chat_template_kwargs={"thinking": on}) for on in (True, False))
    assert (words(on, "a"), words(off, "a")) == ([("a", None)], [(None, "a")])


# --- laws --------------------------------------------------------------------------------------------------------

WORDS = st.text("SEab", max_size=12)
MAKERS = st.sampled_from([base, r1, lambda: IdentityParser(TOKENIZER)])


@given(WORDS, MAKERS, st.sets(st.integers(0, 12)))
def test_law_every_grouping_gives_the_same_fields(word, make, edges):
    assert fields(stream(make(), *map(whole, cut(word, edges)))) == fields(stream(make(), whole(word)))


@given(WORDS, MAKERS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=12))
def test_law_text_that_lags_behind_its_ids_changes_nothing(word, make, steps):
    text, ids, shown, deltas = text_of(word), ids_of(word), 0, []
    read = 0
    for more_ids, more_text in steps:
        new = ids[read : read + more_ids]
        read += len(new)
        until = min(shown + more_text, len(text_of(word[:read])))
        deltas.append((text[shown:until], new))
        shown = until
    deltas.append((text[shown:], ids[read:]))
    assert fields(stream(make(), *deltas)) == fields(stream(make(), whole(word)))


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_law_stream_and_text_view_agree_on_a_proper_turn(thought, answer):
    word = f"S{thought}E{answer}"
    reasoning, content, _ = fields(stream(base(), whole(word)))
    assert (reasoning or "", content) == base().extract_reasoning(text_of(word))


@given(WORDS, WORDS)
def test_law_a_snapshot_brings_everything_back(first, second):
    parser = r1()
    stream(parser, whole(first))
    kept = parser.snapshot()
    after = stream(parser, whole(second))
    parser.restore(kept)
    assert stream(parser, whole(second)) == after


# --- streams without ids ---------------------------------------------------------------------------------------------

SPELLED = {
    "both": ("<think>a</think>b", "a", "b"),
    "no start": ("a</think>b", "a", "b"),
    "repeated end": ("a</think>b</think>c", "a", "b</think>c"),
    "no end": ("<think>a</th", "a</th", None),
    "almost": ("a</thin>b</think>", "a</thin>b", None),
}


@pytest.mark.parametrize(("text", "reasoning", "content"), SPELLED.values(), ids=SPELLED)
def test_without_ids_markers_are_what_the_text_spells_at_every_cut(text, reasoning, content):
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            parser = r1()
            said = [
                parser.extract_reasoning_streaming("", "", piece, [], [], [])
                for piece in (text[:first], text[first:second], text[second:])
            ]
            said = [delta for delta in [*said, parser.finish_streaming()] if delta is not None]
            parts = ["".join(d.reasoning or "" for d in said), "".join(d.content or "" for d in said) or None]
            assert parts == [reasoning, content], (first, second)
            assert parser.ended_in_text == ("</think>" in text)


def test_without_ids_and_without_a_start_the_base_parser_reads_content():
    parser = base()
    assert parser.extract_reasoning_streaming("", "", "a</think>b", [], [], []) == DeltaMessage(content="a</think>b")
