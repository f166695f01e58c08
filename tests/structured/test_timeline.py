"""The constraint timeline: card S-50 … S-53, S-70."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.registry import joined, markers_of
from parsers.structured.reasoning import resolve_reasoning_ended
from parsers.structured.request import Asked, prepare, server_of
from parsers.structured.timeline import (
    EndTokens,
    Freedom,
    Gate,
    constraint_start,
    end_tokens,
    first_end_in_batch,
    gate_of,
    timeline,
)
from parsers.tokens import bundled
from tests.structured.builders import chat

THINK, CLOSE, CALL, WORD = 1, 2, 3, 4
ENDS = EndTokens(frozenset({CLOSE}), frozenset({CALL}))
THINKING = Gate(constrained=True, reasoning=True, reasoning_ended=False, ends=ENDS, grammar_starts=frozenset({CALL}))
LETTERS = {Freedom.FREE: "f", Freedom.MASKED: "m", Freedom.GRAMMAR: "g"}
IDS = st.lists(st.sampled_from([THINK, CLOSE, CALL, WORD]), max_size=8)


def drawn(ids, gate):
    return "".join(LETTERS[token.freedom] for token in timeline(ids, gate))


@pytest.mark.parametrize(
    ("changes", "expected", "why"),
    [
        ({}, "ffg", "reasoning has ended"),
        ({"constrained": False}, "fff", "the request has no constraint"),
        ({"in_reasoning": True}, "ggg", "the server constrains thinking too"),
        ({"reasoning_ended": True}, "ggg", "the API said that reasoning is over"),
        ({"reasoning": False}, "ggg", "there is no reasoning parser"),
        ({"reasoning_ended": None, "prompt_ended": True}, "ggg", "the prompt has closed thinking"),
        ({"reasoning_ended": None}, "ffg", "reasoning has ended"),
        ({"prompt_ended": True}, "ffg", "reasoning has ended"),
    ],
    ids=["thinking", "free", "in reasoning", "ended", "no parser", "asks the prompt", "prompt open", "API said no"],
)
def test_s50_where_the_grammar_starts(changes, expected, why):
    gate = replace(THINKING, **changes)
    assert drawn([WORD, CLOSE, WORD], gate) == expected
    assert constraint_start([WORD, CLOSE, WORD], gate).why == why


@pytest.mark.parametrize(
    ("ids", "consumed", "masked", "expected"),
    [
        ([WORD, CLOSE, WORD], 2, 2, "ffg"),
        ([WORD, CALL, WORD], 1, 2, "ffg"),
        ([WORD, WORD], None, None, "ff"),
        ([WORD, CLOSE], 2, 2, "ff"),
        ([], None, None, ""),
    ],
    ids=["closer: behind it", "call: reads it, limits what follows", "no end", "end at the end", "no tokens"],
)
def test_s50_the_grammar_reads_an_implicit_end_but_not_a_closer(ids, consumed, masked, expected):
    start = constraint_start(ids, THINKING)
    assert (start.consumed_from, start.masked_from) == (consumed, masked)
    assert drawn(ids, THINKING) == expected


def test_s51_a_call_the_grammar_cannot_start_with_may_not_end_thinking():
    gate = replace(THINKING, grammar_starts=frozenset())
    assert drawn([WORD, CALL, CLOSE, WORD], gate) == "mmmg"
    assert timeline([WORD, CALL], gate)[1].why == "with this request the model could not have chosen this token"
    assert {token.rule for token in timeline([WORD, CALL], gate)} == {"S-51"}


@pytest.mark.parametrize(
    ("seen", "batch", "expected"),
    [
        ([WORD], [WORD, WORD], None),
        ([WORD], [WORD, CLOSE, WORD], 1),
        ([WORD], [CLOSE, CLOSE], 0),
        ([], [WORD, CLOSE], 1),
        ([CLOSE], [WORD, WORD], 0),
    ],
    ids=["no end", "walks back to it", "the first of two", "at the end", "ended before"],
)
def test_s52_parsers_without_id_sets_are_asked_backwards_through_a_batch(seen, batch, expected):
    assert first_end_in_batch(seen, batch, lambda ids: CLOSE in ids) == expected


@given(IDS)
def test_s52_asking_the_parser_gives_the_same_as_its_id_set(ids):
    by_ids = replace(THINKING, ends=EndTokens(frozenset({CLOSE})))
    by_asking = replace(THINKING, ends=EndTokens(), is_end=lambda seen: CLOSE in seen)
    assert drawn(ids, by_asking) == drawn(ids, by_ids)


@given(IDS, st.booleans())
def test_s53_an_end_once_accepted_is_never_taken_back(ids, asked):
    forgetful = (lambda seen: bool(seen) and seen[-1] == CLOSE) if asked else None
    gate = replace(THINKING, is_end=forgetful)
    assert drawn(ids, gate) == "".join(sorted(drawn(ids, gate)))  # f sorts before g


@given(IDS, IDS)
def test_s53_what_follows_changes_nothing_before(ids, more):
    assert drawn(ids + more, THINKING).startswith(drawn(ids, THINKING))


def test_s70_every_token_has_a_freedom_a_rule_and_a_reason():
    tokens = timeline([WORD, CLOSE, WORD], THINKING)
    assert [(token.freedom, token.rule) for token in tokens] == [
        (Freedom.FREE, "S-50"),
        (Freedom.FREE, "S-50"),
        (Freedom.GRAMMAR, "S-50"),
    ]
    assert [token.why for token in tokens] == ["thinking is not constrained"] * 2 + ["reasoning has ended"]


@pytest.mark.parametrize(
    ("reasoning", "tool", "explicit", "implicit"),
    [
        ("qwen3", "qwen3_xml", {"</think>"}, {"<tool_call>"}),
        ("kimi_k2", "kimi_k2", {"</think>"}, {"<|tool_calls_section_begin|>"}),
        ("mistral", "mistral", {"[/THINK]"}, set()),  # its opener looks ahead for the closer
        ("minimax_m2", None, {"</think>"}, set()),
        (None, "hermes", set(), set()),
    ],
)
def test_s50_the_ends_of_a_format_are_read_from_its_table(reasoning, tool, explicit, implicit):
    vocab = bundled.load(markers_of(reasoning, tool)).vocab
    ends = end_tokens(joined(reasoning, tool), vocab)
    assert ends.explicit == {vocab[text] for text in explicit}
    assert ends.implicit == {vocab[text] for text in implicit}


OUTPUT = "why<tool_call>a</think>b"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Asked(chat("required")), "fg"),
        (Asked(chat("auto")), "f"),
        (Asked(chat("auto"), {"type": "json_object"}), "mg"),
        (Asked(chat("required", include_reasoning=False)), "g"),
        (Asked(chat("none", tools=[])), "f"),
    ],
    ids=["tag: the call ends thinking", "no constraint", "json: no call may", "hidden: at once", "no tools"],
)
def test_s70_the_timeline_of_a_request(asked, expected):
    tokenizer = bundled.load(markers_of("qwen3", "hermes"))
    prepared = prepare(asked, server_of("qwen3", "hermes"))
    answer = resolve_reasoning_ended(prepared, asked.chat.include_reasoning, prompt_ended=False)
    gate = gate_of(prepared, answer, joined("qwen3", "hermes"), tokenizer.vocab, engine_prompt_ended=False)
    freedoms = drawn(tokenizer.encode(OUTPUT), gate)
    assert "".join(dict.fromkeys(freedoms)) == expected
    if "g" in freedoms and not answer.ended:
        ends_thinking = "<tool_call>" if expected == "fg" else "</think>"
        behind = len(tokenizer.encode(OUTPUT[: OUTPUT.index(ends_thinking) + len(ends_thinking)]))
        assert freedoms.index("g") == behind


def test_s50_a_table_without_thinking_is_no_reasoning_parser():
    prepared = prepare(Asked(chat("required")), server_of(None, "hermes"))
    answer = resolve_reasoning_ended(prepared, True, None)
    assert drawn([WORD], gate_of(prepared, answer, joined(None, "hermes"), {})) == "g"
