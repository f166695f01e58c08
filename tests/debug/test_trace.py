"""Wrappers on one parser: they see every stage and change nothing (design.md, decision 9; E-11, E-13)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.debug.session import RunSettings, feed, prepare, record
from parsers.debug.trace import HELD_SHOWN, attach, rows_taken, tail
from parsers.engine.config import ParserEngineConfig, Row
from tests.debug.runs import CUT_OFF, HARMONY, JSON, ON_CLOSE, RUNS, SKIPPED, STOPPED, TOOLS, XML
from tests.streams import outputs


def said(messages):
    """Messages without the ids that every run makes anew."""
    found = []
    for message in messages:
        shown = message.as_json() if message else None
        for call in (shown or {}).get("tool_calls", []):
            call.pop("id", None)
        found.append(shown)
    return found


def step_with(settings, text):
    """The first record of a run whose delta is `text`."""
    return next(step for step in record(settings).records if step.delta.text == text)


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_e_13_a_watched_parser_says_what_an_unwatched_one_says(settings):
    run = prepare(settings)
    parser = run.parser()
    tracer = attach(parser)
    watched = feed(parser, run.deltas)
    assert said(watched) == said(feed(run.parser(), run.deltas))
    assert [step.message for step in tracer.records] == watched


@given(outputs("qwen3", "qwen3_xml", letters=False), st.booleans())
def test_e_13_holds_on_generated_outputs(output, text_only):
    settings = RunSettings(output.text, "qwen3", "qwen3_xml", tools_json=TOOLS, text_only=text_only)
    run = prepare(settings)
    parser = run.parser()
    attach(parser)
    assert said(feed(parser, run.deltas)) == said(feed(run.parser(), run.deltas))


@pytest.mark.parametrize("settings", [XML, JSON], ids=["xml", "json"])
def test_wrappers_go_on_and_off_anywhere_without_a_trace(settings):
    run = prepare(settings)
    parser = run.parser()
    stages = [parser, parser.slots, parser.engine.scanner, parser.engine.machine, parser.engine.gate]
    before = [set(vars(stage)) for stage in stages]
    third = len(run.deltas) // 3
    messages = feed(parser, run.deltas[:third])
    tracer = attach(parser)
    messages += feed(parser, run.deltas[third : 2 * third])
    tracer.detach()
    messages += feed(parser, run.deltas[2 * third :])
    assert said(messages) == said(feed(run.parser(), run.deltas))
    assert len(tracer.records) == third
    assert [set(vars(stage)) for stage in stages] == before
    assert parser.use_plain


def test_another_parser_is_not_watched():
    run = prepare(XML)
    parser, other = run.parser(), run.parser()
    tracer = attach(parser)
    feed(other, run.deltas)
    assert tracer.records == []


def test_e_41_a_held_beginning_shows_with_the_markers_it_may_become():
    held = step_with(XML, "<")
    assert (held.buffer, held.candidates, held.events) == ("\n<", ("FUNC_START",), ())


def test_a_marker_shows_as_item_lexeme_row_and_event():
    step = step_with(XML, "</think>")
    assert [(item.terminal, item.text) for item in step.items] == [("THINK_END", "</think>")]
    assert [lexeme.name for lexeme in step.lexemes] == ["THINK_END"]
    assert [(row.row, row.state) for row in step.rows] == [(0, "CONTENT")]
    assert (step.before, step.state) == ("REASONING", "CONTENT")
    assert [event.type for event in step.events] == ["REASONING_END", "MARKER"]


def test_e_91_the_reasoning_gate_tells_since_when_and_by_which_row():
    records = record(XML).records
    end = next(number for number, step in enumerate(records) if step.delta.text == "</think>")
    assert [step.gate.ended for step in records] == [number >= end for number in range(len(records))]
    assert {(step.gate.since, step.gate.row) for step in records[end:]} == {(end, 0)}
    assert {(step.gate.since, step.gate.row) for step in records[:end]} == {(-1, -1)}


def test_e_24_a_marker_whose_text_is_late_is_deferred():
    run = prepare(XML)
    marker = run.tokenizer.vocab["</think>"]
    parser = run.parser()
    tracer = attach(parser)
    parser.parse_delta("hm", (marker,))
    parser.parse_delta("</think>ok")
    assert [step.deferred for step in tracer.records] == [("THINK_END",), ()]
    assert [step.state for step in tracer.records] == ["REASONING", "CONTENT"]


def test_the_codec_shows_what_it_read_let_go_and_holds():
    raw = record(XML).raw
    city = step_with(XML, "ã").codec
    assert (city.kind, raw[city.start : city.end]) == ("params", "\n<parameter=city>\nSã")
    assert (city.depth, city.in_string, city.held) == (1, True, "")
    assert city.json_len == len('{"city": "Sã')
    seats = step_with(XML, "2").codec
    assert (seats.in_string, seats.held) == (False, "2")


def test_a_json_body_counts_its_brackets():
    depths = [step.codec.depth for step in record(JSON).records if step.codec]
    assert max(depths) == 2
    assert depths[-1] == 0


def test_the_end_of_an_object_is_held_until_it_is_certain():
    assert [(step.codec.held, step.codec.depth) for step in record(HARMONY).records[-2:]] == [("}", 0), ("", 0)]


def texts(settings):
    return [step.delta.text for step in record(settings).records]


def test_on_close_events_wait_and_come_together():
    records = record(ON_CLOSE).records
    named = next(number for number, step in enumerate(records) if any(e.type == "TOOL_NAME" for e in step.events))
    assert any(event.type == "TOOL_CALL_END" for event in records[named].events)
    assert all(step.waiting for step in records[named - 20 : named])
    assert records[named].waiting == 0


@pytest.mark.parametrize("settings", [XML, JSON, ON_CLOSE, CUT_OFF], ids=["xml", "json", "on_close", "cut_off"])
def test_lengths_are_those_of_the_messages(settings):
    trace = record(settings)
    last = trace.records[-1]
    assert last.lengths == (len(trace.reasoning or ""), len(trace.content or ""))
    assert last.arguments == tuple(len(call.arguments) for call in trace.calls)


def test_calls_are_counted_as_the_client_counts_them():
    """A region that turns out to be text does not use up an index (P-54)."""
    broken = "a</think><tool_call>{no</tool_call><tool_call>\n<function=ping>\n</function>\n</tool_call>"
    records = record(RunSettings(broken, "qwen3", "qwen3_xml", tools_json=TOOLS)).records
    assert {e.tool_index for step in records for e in step.events if e.type == "TOOL_NAME"} == {0}


def test_skipped_and_stopped_text_is_seen_as_the_client_sees_it():
    assert record(SKIPPED).records[-1].items[-1].text == ""
    assert "".join(texts(STOPPED)) == "hm</think>one two "


@pytest.mark.parametrize(
    "text",
    ["<tool_call>\n<function=book>\n<parameter=city>\n{}\n", "<tool_call>\n<function=book>\n<parameter=when>\n{}\n"],
    ids=["streams", "held"],
)
def test_a_record_does_not_grow_with_the_stream(text):
    """The cost of a delta must not depend on what went before."""
    filled = "a</think>" + text.format("word " * 3000)
    for step in record(RunSettings(filled, "qwen3", "qwen3_xml", tools_json=TOOLS)).records[:-1]:
        texts_kept = [step.buffer, step.codec.held if step.codec else "", *(event.value for event in step.events)]
        assert sum(map(len, texts_kept)) < 2 * HELD_SHOWN


def test_rows_tell_the_state_a_header_chose():
    rows = (Row("START", "A", ""), Row("CONTENT", "B", "IGNORE"))
    taken = rows_taken(ParserEngineConfig("x", rows=rows), [0, 1], "IGNORE")
    assert [(row.row, row.state) for row in taken] == [(0, "CONTENT"), (1, "IGNORE")]
    assert rows_taken(ParserEngineConfig("x", rows=rows), [], "IGNORE") == ()


@given(st.lists(st.text(max_size=300), max_size=8))
def test_a_tail_is_the_end_of_all_pieces(pieces):
    assert tail(pieces) == "".join(pieces)[-HELD_SHOWN:]


def test_a_header_that_ends_the_stream_shows_what_it_opened():
    """The end of the stream leaves every state; the row before it still tells where it led."""
    text = "<|channel|>commentary to=functions.book <|constrain|>json<|message|>"
    last = record(RunSettings(text, "openai_gptoss", "openai", tools_json=TOOLS)).records[-1]
    assert (last.rows[-1].state, last.state) == ("TOOL_ARGS", "CONTENT")
