"""A watched delegating parser: what it says, where it comes from, what its phases did (card 04)."""

from dataclasses import replace

import pytest

from parsers.debug.explain import explain
from parsers.debug.pack import columns
from parsers.debug.phases import FIELDS, PHASES
from parsers.debug.session import MOST_READ_AGAIN, RunSettings, Session, prepare, record
from parsers.errors import LimitError

XML = "hm\n</think>\n\nok <tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call> bye"
JSON = 'hm</think>ok <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call> bye'
PAIRS = {
    "engine and engine": RunSettings(XML, "qwen3", "qwen3_xml", composition="delegating"),
    "engine and classic": RunSettings(JSON, "qwen3", "hermes", composition="delegating"),
    "classic and engine": RunSettings(XML, "deepseek_r1", "qwen3_xml", composition="delegating"),
    "classic and classic": RunSettings(JSON, "deepseek_r1", "hermes", composition="delegating"),
    "engine alone": RunSettings(JSON, "qwen3", composition="delegating"),
    "classic alone": RunSettings(JSON, "deepseek_r1", composition="delegating"),
    "engine calls alone": RunSettings(XML, None, "qwen3_xml", composition="delegating"),
    "classic calls alone": RunSettings(JSON, None, "hermes", composition="delegating"),
}


@pytest.mark.parametrize("settings", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("cuts", ["token", "one", "every:3"])
def test_no_law_is_broken_and_watching_changes_nothing(settings, cuts):
    trace = record(replace(settings, cuts=cuts))
    assert [(law.law, law.detail) for law in trace.laws if not law.ok] == []
    assert len(trace.records) == len(trace.delegating or ()) == len(list(explain(trace)))


@pytest.mark.parametrize("settings", PAIRS.values(), ids=PAIRS)
def test_a_session_rebuilds_the_parser_of_any_delta(settings):
    session = Session(settings, every=4)
    whole = session.trace.records
    for position in (0, 3, len(whole) // 2, len(whole) - 1, 1):
        session.seek(position)
        delta = whole[position].delta
        message = session.parser().parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        expected = whole[position].message
        assert _text(message) == _text(expected), position


def test_an_engine_pair_says_what_one_engine_says():
    settings = PAIRS["engine and engine"]
    both = record(settings), record(replace(settings, composition="unified"))
    one, other = [[_text(step.message) for step in trace.records] for trace in both]
    assert one == other


def test_the_switch_shows_in_the_phases_and_the_state():
    trace = record(PAIRS["engine and engine"])
    switches = [number for number, step in enumerate(trace.delegating) if any(p == 3 for p, _ in step.phases)]
    assert [trace.records[number].delta.text for number in switches] == ["</think>"]
    step = trace.delegating[switches[0]]
    changed = {field for field, old, new in zip(FIELDS, step.before, step.after, strict=True) if old != new}
    assert changed == {"reasoning_ended", "tool_call_text_started"}
    assert [PHASES[number] for number, _ in step.phases] == ["advance", "reason", "switch", "prepare", "call_tools"]


def test_a_classic_pair_reads_all_text_again():
    trace = record(PAIRS["classic and classic"])
    told = [dict(step.phases)[1] for step in trace.delegating]
    assert told[0].startswith("all the text so far")
    assert told[-1].startswith("all the text so far")
    previous = FIELDS.index("previous_text")
    assert trace.delegating[-1].before[previous] != ""


def test_text_no_engine_read_is_found_in_the_raw_output():
    trace = record(PAIRS["classic and classic"])
    pieces = [piece for step in trace.records for piece in step.pieces if piece.slot != "nowhere"]
    assert "".join(p.text for p in pieces if p.slot == "reasoning") == "hm"
    assert all(trace.raw[piece.start : piece.end] == piece.text for piece in pieces)


def test_the_pack_carries_phases_and_state_and_none_for_one_engine():
    packed = columns(record(PAIRS["engine and classic"]))["delegating"]
    assert tuple(packed["phases"]) == PHASES
    assert tuple(packed["fields"]) == FIELDS
    assert all(len(step["before"]) == len(step["after"]) == len(FIELDS) for step in packed["steps"])
    assert columns(record(RunSettings(JSON, "qwen3", "hermes")))["delegating"] is None


def test_long_state_is_shown_by_its_end():
    trace = record(replace(PAIRS["classic and classic"], raw_output="a " * 400 + JSON))
    longest = max(len(str(value)) for step in trace.delegating for value in step.after)
    assert longest < 100


def test_hours_of_reading_again_are_refused_with_the_remedy():
    long = replace(PAIRS["classic and classic"], raw_output="word " * 6000 + JSON)
    assert len(long.raw_output) * 6000 > MOST_READ_AGAIN
    with pytest.raises(LimitError, match="every:32"):
        prepare(long)
    prepare(replace(long, composition="unified"))
    prepare(replace(long, tool="qwen3_xml"))


@pytest.mark.parametrize("change", [{"text_only": True}, {"cuts": "char:0"}, {"cuts": "char:3"}], ids=str)
@pytest.mark.parametrize("settings", PAIRS.values(), ids=PAIRS)
def test_a_stream_without_ids_gives_the_same_fields(settings, change):
    with_ids, without = record(settings), record(replace(settings, **change))
    assert (with_ids.reasoning, with_ids.content) == (without.reasoning, without.content)
    assert [call.arguments for call in with_ids.calls] == [call.arguments for call in without.calls]
    assert all(law.ok for law in without.laws)


def _text(message):
    if message is None:
        return None
    calls = [(c.index, c.function.name, c.function.arguments) for c in message.tool_calls if c.function]
    return message.reasoning, message.content, calls
