"""All two-way cuts of a stream (design.md, decision 11; E-94)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.debug.laws import differences
from parsers.debug.session import RunSettings, feed, prepare
from parsers.debug.stages import Fields
from parsers.debug.sweep import STRIDE, sweep
from parsers.debug.trace import complete_calls
from parsers.tokens.base import Delta
from tests.debug.runs import JSON, RUNS, TOOLS, XML
from tests.streams import outputs

MARKED = "a</think>b</think>c"


def impatient(parser):
    """Break a parser: its lexer never waits for the rest of a marker."""
    lexer = parser.engine.lexer
    whole = lexer.next
    lexer.next = lambda lexicon, final: whole(lexicon, True)
    return parser


def fields_of(parser, deltas):
    messages = feed(parser, deltas)
    return Fields.of(messages, complete_calls(parser))


def text_run(text):
    return prepare(RunSettings(text, "qwen3", "hermes", cuts="char:0", text_only=True))


def bad_cuts(run, breaking=lambda parser: parser):
    return [cut.position for cut in sweep(breaking(run.parser()), run.deltas).bad]


@pytest.mark.parametrize("run_settings", RUNS.values(), ids=RUNS)
def test_e_94_no_cut_changes_an_answer(run_settings):
    run = prepare(replace(run_settings, cuts="char:0" if run_settings.text_only else "token"))
    swept = sweep(run.parser(), run.deltas)
    assert (swept.cuts, swept.bad) == (len(run.deltas) - 1, ())
    assert swept.fields == fields_of(run.parser(), run.deltas)


@settings(max_examples=40)
@given(outputs("qwen3", "qwen3_xml", letters=False), st.booleans())
def test_e_94_holds_on_generated_outputs(output, text_only):
    cuts = "char:0" if text_only else "token"
    run = prepare(RunSettings(output.text, "qwen3", "qwen3_xml", tools_json=TOOLS, cuts=cuts, text_only=text_only))
    assert bad_cuts(run) == []


def brute_force(run, breaking):
    """Positions of the cuts that change the answer, tried one after another in full."""
    text = "".join(delta.text for delta in run.deltas)
    finest = fields_of(breaking(run.parser()), run.deltas)
    cut = {at: [Delta(text[:at]), Delta(text[at:], finished=True)] for at in range(1, len(text))}
    return [at for at, deltas in cut.items() if list(differences(finest, fields_of(breaking(run.parser()), deltas)))]


@pytest.mark.parametrize("text", [MARKED, "hm</think>ok", "<think>x", "no marker", "", "a"])
def test_exactly_the_cuts_that_change_the_answer_are_found(text):
    run = text_run(text)
    assert bad_cuts(run, impatient) == brute_force(run, impatient)


def test_a_broken_parser_is_caught_with_what_differs():
    run = text_run("hm</think>ok")
    (first, *_) = sweep(impatient(run.parser()), run.deltas).bad
    assert first.position == 1
    assert any("content" in difference for difference in first.differences)


def test_a_cut_far_from_both_ends_is_found():
    """The parser forgets a marker that is the first thing in a delta, far into the stream."""

    def forgetful(parser):
        whole = parser.parse_delta

        def parse_delta(text, ids=(), spans=None, finished=False):
            return whole(text.removeprefix("<tool_call>"), ids, spans, finished)

        parser.parse_delta = parse_delta
        return parser

    filler = "word " * 3 * STRIDE
    text = f"a</think>{filler}<tool_call>{filler}"
    assert bad_cuts(text_run(text), forgetful) == [text.index("<tool_call>")]


@pytest.mark.parametrize("size", [400, 1600])
def test_the_cost_of_a_cut_does_not_grow_with_the_stream(size):
    run = prepare(RunSettings("a</think>" + "word and word. " * (size // 4), "qwen3", "hermes"))
    parser = run.parser()
    fed = 0
    whole = parser.parse_delta

    def counting(text, ids=(), spans=None, finished=False):
        nonlocal fed
        fed += len(ids)
        return whole(text, ids, spans, finished)

    parser.parse_delta = counting
    swept = sweep(parser, run.deltas)
    assert swept.bad == ()
    assert fed <= 5 * STRIDE * len(run.deltas)


def test_nothing_to_cut_in_a_stream_of_one_delta():
    run = prepare(RunSettings("", "qwen3"))
    assert (sweep(run.parser(), run.deltas).cuts, bad_cuts(run)) == (0, [])


def test_calls_and_commit_policy_do_not_matter():
    for run_settings in (JSON, replace(XML, call_commit="on_close")):
        run = prepare(run_settings)
        assert len(sweep(run.parser(), run.deltas).fields.calls) == len(fields_of(run.parser(), run.deltas).calls)
        assert bad_cuts(run) == []
