"""Settings to traces, and a cursor over them (issue "Debug"; design.md, decisions 9 and 10)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.debug import session
from parsers.debug.session import RunSettings, Session, feed, prepare, record
from parsers.errors import CaseError, LimitError, RequestError, ToolsError, UnknownName
from parsers.files.limits import MAX_TEXT
from tests.debug.runs import CUT_OFF, JSON, ON_CLOSE, RUNS, SKIPPED, STOPPED, TEXT_ONLY, XML

THINKING = RunSettings("ok", "qwen3", "hermes", generation_prompt="<|im_start|>assistant\n<think>\n\n</think>\n\n")


# --- record -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_column_has_one_entry_a_delta(run):
    trace = record(run)
    deltas = len(trace.records)
    assert deltas == len(prepare(run).deltas) == len(trace.clients) == len(trace.detok)
    assert len(trace.tokens.first) == deltas + 1
    assert trace.tokens.first[-1] == len(trace.tokens.texts)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_tokens_tile_the_raw_text(run):
    trace = record(run)
    assert "".join(trace.raw[start:end] for start, end in trace.tokens.spans) == trace.raw


def test_ids_are_the_tokenizers_and_absent_in_a_text_only_stream():
    assert record(XML).tokens.ids == prepare(XML).stream.ids
    assert record(TEXT_ONLY).tokens.ids is None


def test_t_02_half_a_character_is_held_by_the_detokenizer():
    trace = record(XML)
    assert "\ufffd" in trace.detok
    assert all(not held or not step.delta.text for held, step in zip(trace.detok, trace.records, strict=True))


def test_t_15_a_possible_stop_string_is_held_by_the_detokenizer():
    trace = record(STOPPED)
    assert trace.detok[3].endswith("two")
    assert trace.detok[-1] == ""
    assert (trace.content, trace.meta.finish_reason) == ("one two", "stop")


def test_p_30_the_client_is_told_why_the_stream_ended():
    reasons = [record(run).meta.finish_reason for run in (XML, CUT_OFF, SKIPPED)]
    assert reasons == ["tool_calls", "length", "stop"]


def test_the_prompt_decides_where_the_parser_starts():
    trace = record(THINKING)
    assert (trace.start.state, trace.content, trace.records[0].gate.ended) == ("CONTENT", "ok", True)


def test_the_same_settings_have_the_same_trace_id_and_others_another():
    ids = [record(run).meta.trace_id for run in (XML, XML, JSON)]
    assert ids[0] == ids[1] != ids[2]


def test_calls_are_shown_although_no_tools_were_typed():
    trace = record(RunSettings(JSON.raw_output, "qwen3", "hermes"))
    assert any(client and client.tool_calls for client in trace.clients)


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"reasoning": "qwen4"}, UnknownName, "qwen4"),
        ({"tool": "herme"}, UnknownName, "hermes"),
        ({"tools_json": "[{]"}, ToolsError, "line 1"),
        ({"cuts": "sometimes"}, CaseError, "sometimes"),
        ({"stop": ("",)}, RequestError, "stop string"),
        ({"raw_output": "x" * (MAX_TEXT + 1)}, LimitError, "2,000,000"),
    ],
    ids=["reasoning", "tool", "tools", "cuts", "stop", "too long"],
)
def test_what_cannot_run_says_so_in_a_sentence(changes, error, says):
    with pytest.raises(error, match=says):
        record(RunSettings(**{"raw_output": "a", **changes}))


def test_too_many_deltas_are_refused_with_the_remedy(monkeypatch):
    monkeypatch.setattr(session, "MOST_DELTAS", 5)
    with pytest.raises(LimitError, match="choose coarser cuts"):
        record(RunSettings("one two three four five six seven"))
    assert record(RunSettings("one two three four five six seven", cuts="one")).content


def test_e_22_cuts_between_characters_are_compared_with_other_text_only_cuts():
    """A marker token inside a string is data by its id and a marker by its text: two different streams."""
    run = prepare(RunSettings(XML.raw_output, "qwen3", "qwen3_xml", cuts="char:0"))
    assert not any(delta.ids for strategy in session.OTHER_CUTS for delta in run.cut(strategy))


# --- Session ------------------------------------------------------------------------------------------


def test_a_session_walks_to_the_end_and_back():
    walk = Session(XML)
    records = list(walk.trace.records)
    assert walk.here is None
    forth = [walk.step() for _ in records]
    assert forth == records
    assert walk.step() is None
    back = [walk.back() for _ in records]
    assert back == [*reversed(records[:-1]), None]
    assert walk.back() is None
    assert walk.position == 0


def test_seeking_stays_inside_the_run():
    walk = Session(JSON)
    assert walk.seek(10_000) is walk.trace.records[-1]
    assert walk.seek(-3) is None


@pytest.mark.parametrize("run", [XML, JSON, ON_CLOSE, TEXT_ONLY, CUT_OFF], ids=["xml", "json", "close", "text", "cut"])
@settings(max_examples=15)
@given(data=st.data())
def test_the_parser_at_a_delta_goes_on_as_the_run_did(run, data):
    walk = Session(run, every=data.draw(st.integers(1, 40)))
    whole = [step.message for step in walk.trace.records]
    for _ in range(3):
        walk.seek(data.draw(st.integers(0, len(whole))))
        parser = walk.parser()
        assert parser.engine.machine.state == (walk.here.state if walk.here else walk.trace.start.state)
        assert [call.id for call in parser.calls] == [call.id for call in walk.trace.calls[: len(parser.calls)]]
        rest = feed(parser, walk.run.deltas[walk.position :])
        assert texts(rest) == texts(whole[walk.position :])


def test_what_is_fed_to_the_parser_of_a_session_is_taken_back():
    walk = Session(JSON)
    walk.seek(5)
    before = walk.parser().snapshot()
    walk.parser().parse_delta("something else", finished=True)
    assert walk.parser().snapshot() == before


def texts(messages):
    """What messages add, without the ids that every run makes anew."""
    found = []
    for message in messages:
        calls = [(c.index, c.function.name, c.function.arguments) for c in message.tool_calls] if message else []
        found.append((message.reasoning, message.content, calls) if message else None)
    return found
