"""Traces as the browser gets them (design.md, decision 10; card ui, 3)."""

import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.debug.pack import columns, edges_of, pack, states_of, utf16_units
from parsers.debug.session import RunSettings, record
from tests.browser.synthetic import synthetic
from tests.debug.runs import HARMONY, JSON, RUNS, SKIPPED, TEXT_ONLY, XML

PROSE = RunSettings("The quick brown fox thinks about it for a while. " * 600, "qwen3")


def unpacked(settings):
    return json.loads(gzip.decompress(pack(record(settings))))


def utf16(text):
    return text.encode("utf-16-le")


def part(text, start, end):
    """A part of a text by UTF-16 units, as JavaScript cuts it."""
    return utf16(text)[2 * start : 2 * end].decode("utf-16-le")


def shape(value):
    """The keys and kinds of a JSON value; lists by their first entry."""
    if isinstance(value, dict):
        return {name: shape(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [shape(entry) for entry in value[:1]]
    return type(value).__name__


def test_the_shape_is_the_one_the_stepper_is_tested_with():
    ours, theirs = shape(unpacked(JSON)), shape(synthetic(200))
    for name in ("serving", "delegating"):
        ours.pop(name)  # absent from the stepper's own traces, which must open without it
    for name in ("codec", "message", "client", "detok", "buffer", "candidates", "deferred", "events", "items", "rows"):
        assert name in ours["steps"]
        ours["steps"].pop(name), theirs["steps"].pop(name)
    assert ours == theirs


def test_an_open_codec_has_the_keys_the_stepper_reads():
    ours = next(codec for codec in unpacked(JSON)["steps"]["codec"] if codec)
    theirs = next(codec for codec in synthetic(200)["steps"]["codec"] if codec)
    assert shape(ours) == shape(theirs)


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_every_column_is_as_long_as_the_stream(settings):
    trace = unpacked(settings)
    count = trace["meta"]["deltas"]
    assert {name: len(column) for name, column in trace["steps"].items()} == {
        name: count + (name == "tok") for name in trace["steps"]
    }


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_every_index_points_at_something(settings):
    trace = unpacked(settings)
    steps, states, rows = trace["steps"], range(len(trace["states"])), range(len(trace["rows"]))
    assert all(row["from"] in states and row["to"] in states for row in trace["rows"])
    assert all(state in states for state in steps["state"])
    assert all(row in rows for taken in steps["rows"] for row in taken)
    assert all(row == -1 or row in rows for *_, row in [*steps["gate"], *trace["account"]])
    assert all(why < len(trace["sentences"]) for why in steps["why"])
    assert all(call < len(trace["fields"]["calls"]) for call in steps["call"])
    assert all(kind in range(5) for kind in trace["tokens"]["kind"])


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_offsets_are_utf_16_units(settings):
    trace = unpacked(settings)
    raw, tokens = trace["raw"], trace["tokens"]
    spans = list(zip(tokens["start"], tokens["end"], tokens["text"], strict=True))
    assert all(part(raw, start, end) == text for start, end, text in spans if start < end)
    assert "".join(part(raw, start, end) for start, end, _, _ in trace["account"]) == raw
    assert trace["steps"]["shown"][-1:] == [len(utf16(raw)) // 2]
    assert trace["steps"]["r"][-1] == len(utf16(trace["fields"]["reasoning"] or "")) // 2
    assert trace["steps"]["a"][-1] == [len(utf16(call["arguments"])) // 2 for call in trace["fields"]["calls"]]


@pytest.mark.parametrize("settings", [XML, JSON, TEXT_ONLY], ids=["xml", "json", "text"])
def test_lengths_cut_each_output_as_it_was_sent(settings):
    trace = unpacked(settings)
    before = 0
    for message, length in zip(trace["steps"]["message"], trace["steps"]["r"], strict=True):
        assert part(trace["fields"]["reasoning"], before, length) == (message or {}).get("reasoning", "")
        before = length


def test_origin_pieces_of_equal_length_are_the_same_text():
    trace = unpacked(JSON)
    for call, pieces in zip(trace["fields"]["calls"], trace["origin"]["calls"], strict=True):
        for out_start, out_end, start, end, _ in pieces:
            if out_end - out_start == end - start:
                assert part(call["arguments"], out_start, out_end) == part(trace["raw"], start, end)


def test_the_codec_shows_raw_text_from_the_calls_beginning():
    codecs = [codec for codec in unpacked(JSON)["steps"]["codec"] if codec]
    assert all(codec["raw_len"] == len(utf16(codec["raw"])) // 2 for codec in codecs)
    assert codecs[2]["raw"].startswith("\n{")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("hm", 0), ("</think>", 3), ("\n", 4), ("ok", 1), ("Oslo", 2)],
    ids=["reasoning", "marker", "dropped", "content", "tool"],
)
def test_tokens_are_told_apart(text, kind):
    output = "hm</think>\nok<tool_call><function=book><parameter=city>Oslo</parameter></function></tool_call>"
    tokens = unpacked(replace(XML, raw_output=output))["tokens"]
    at = output.index(text)
    assert next(k for k, end in zip(tokens["kind"], tokens["end"], strict=True) if end > at) == kind


def test_a_skipped_token_counts_as_dropped():
    assert unpacked(SKIPPED)["tokens"]["kind"][-1] == 4


def test_a_header_row_is_one_edge_for_each_outcome():
    trace = record(HARMONY)
    edges = edges_of(trace.config)
    outcomes = {rule.next for rule in trace.config.headers}
    header = next(index for index, row in enumerate(trace.config.rows) if not row.next)
    assert {edge.state for edge in edges if edge.row == header} == outcomes
    assert all(state in states_of(trace.config, trace.start.state) for edge in edges for state in [edge.state])


def test_the_same_trace_gives_the_same_bytes():
    trace = record(XML)
    assert pack(trace) == pack(trace)


def test_only_what_a_run_makes_anew_differs_between_two_runs():
    first, second = columns(record(JSON)), columns(record(JSON))
    for packed in (first, second):
        packed["meta"].pop("parse_ms")
        for call in packed["fields"]["calls"]:
            call.pop("id")
        packed["steps"].pop("message"), packed["steps"].pop("client"), packed["serving"].pop("lines")
    assert first == second


def test_the_size_grows_with_the_stream_and_not_with_its_square():
    traces = [record(replace(PROSE, raw_output=PROSE.raw_output[:length])) for length in (7_000, None)]
    per_delta = [len(pack(trace)) / len(trace.records) for trace in traces]
    assert per_delta[1] < 1.2 * per_delta[0]
    assert per_delta[1] < 25


@given(st.text(st.sampled_from("aé東\U0001f327\U0001f5fc"), max_size=20))
def test_units_count_as_javascript_does(text):
    units = utf16_units(text)
    assert [units(at) for at in range(len(text) + 1)] == [len(utf16(text[:at])) // 2 for at in range(len(text) + 1)]
