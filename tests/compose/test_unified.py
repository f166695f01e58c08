"""The default composition: one pass, the same answer whole and streamed; P-23, E-11, E-13, E-80."""

import pytest

from parsers.registry import build_parser, markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate

TOKENIZER = bundled.load(markers_of("qwen3", "hermes"), special_of("qwen3", "hermes"))
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


def parser(**choices):
    return build_parser("qwen3", "hermes", TOKENIZER, **choices)


def deltas_of(text):
    return cut(simulate(TOKENIZER, TOKENIZER.encode(text)), "token")


def feed(a_parser, deltas):
    return [a_parser.parse_delta(d.text, d.ids, d.spans, d.finished) for d in deltas]


def test_parse_gives_the_three_fields():
    parsed = parser().parse(f"a</think>b{CALL}")
    assert (parsed.reasoning, parsed.content) == ("a", "b")
    assert [(c.function.name, c.function.arguments) for c in parsed.tool_calls] == [("f", '{"a": 1}')]


@pytest.mark.parametrize("call_commit", ["incremental", "on_close"])
def test_t_fix_a_whole_answer_has_complete_calls_only(call_commit):
    parsed = parser(call_commit=call_commit).parse(f"</think>{CALL}{CALL[:-15]}")
    assert len(parsed.tool_calls) == 1


def test_plain_text_is_sent_at_once_and_unchanged():
    stream = parser()
    stream.parse_delta("thinking")
    assert stream.parse_delta(" of it").reasoning == " of it"
    stream.parse_delta("</think>ok")
    assert stream.parse_delta(" then").content == " then"


def test_e11_nothing_overtakes_a_marker_that_waits_for_its_text():
    stream = parser()
    think_end = TOKENIZER.vocab["</think>"]
    stream.parse_delta("Hm", TOKENIZER.encode("Hm"))
    assert stream.parse_delta("", [think_end]) is None
    delta = stream.parse_delta("</think>Hi", TOKENIZER.encode("Hi"))
    assert (delta.reasoning, delta.content) == (None, "Hi")


def test_e80_tokens_of_reasoning_do_not_depend_on_the_cuts():
    text = "thinking about 🧭 it</think>b"
    counts = set()
    for strategy in ("token", "one", "every:3"):
        stream = parser()
        feed(stream, cut(simulate(TOKENIZER, TOKENIZER.encode(text)), strategy))
        counts.add(stream.reasoning_tokens)
    assert counts == {len(TOKENIZER.encode("thinking about 🧭 it"))}


def test_e80_a_token_whose_text_is_not_shown_yet_is_not_counted_with_the_text_before_it():
    stream = simulate(TOKENIZER, TOKENIZER.encode("Hm, <tool"), StreamOptions(stop=("☃☃",)))
    one, many = parser(), parser()
    feed(many, cut(stream, "token"))
    feed(one, cut(stream, "cuts:1,4"))
    assert one.reasoning_tokens == many.reasoning_tokens == len(stream.ids)


def test_e91_reasoning_ends_when_its_end_is_delivered():
    stream = parser()
    stream.parse_delta("a", [TOKENIZER.encode("a")[0]])
    assert not stream.reasoning_ended
    stream.parse_delta("</think>", [TOKENIZER.vocab["</think>"]])
    assert stream.reasoning_ended


def test_p23_two_parsers_share_nothing_that_changes():
    one, other = parser(), parser()
    feed(one, deltas_of("a</think>b"))
    assert other.parse_delta("c").reasoning == "c"
    assert one.engine.config is other.engine.config


def test_ids_are_unique_and_arguments_follow_their_call():
    stream = parser()
    feed(stream, deltas_of(f"</think>{CALL}{CALL}"))
    assert len({call.id for call in stream.calls}) == 2
    assert [call.index for call in stream.calls] == [0, 1]


def test_a_restored_parser_may_take_the_plain_path_again():
    stream = parser()
    stream.parse_delta("thinking")
    before = stream.snapshot()
    stream.parse_delta("</think>b<tool_")
    stream.restore(before)
    assert stream.parse_delta(" on").reasoning == " on"
