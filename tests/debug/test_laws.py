"""The laws: they hold for every run, and each breaks where it should (design.md, section 5)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.schema import ParameterTypes
from parsers.debug import laws
from parsers.debug.origin import origin_of
from parsers.debug.session import RunSettings, prepare, record, record_run
from parsers.debug.stages import FieldCall, Fields
from parsers.engine.events import EventType
from parsers.names import REASONING, TOOLS
from parsers.protocol import DeltaFunction, DeltaMessage, DeltaToolCall
from parsers.tokens.base import Delta
from tests.debug.runs import RUNS, XML
from tests.debug.runs import TOOLS as BOOK_TOOLS
from tests.streams import outputs

PAIRS = [
    ("qwen3", "qwen3_xml"),
    ("qwen3", "hermes"),
    ("openai_gptoss", "openai"),
    (None, "pythonic"),
    ("minicpmv", None),
]
ANSWER = Fields("thought", "answer", (FieldCall("f", '{"a": 1}', True),))


def message(**fields):
    return DeltaMessage(**fields)


def call(index, name=None, arguments=None, call_id=None):
    kind = "function" if name else None
    return message(tool_calls=[DeltaToolCall(index, call_id, kind, DeltaFunction(name, arguments))])


BEGUN = call(0, "f", call_id="x")


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_law_holds(run):
    assert [report for report in record(run).laws if not report.ok] == []


@pytest.mark.parametrize(("reasoning", "tool"), PAIRS, ids=[f"{r}+{t}" for r, t in PAIRS])
@settings(max_examples=25)
@given(data=st.data())
def test_every_law_holds_on_generated_outputs(reasoning, tool, data):
    text = data.draw(outputs(reasoning, tool, letters=False)).text
    cuts = data.draw(st.sampled_from(["token", "one", "rand:7:5", "char:0"]))
    run = RunSettings(text, reasoning, tool, tools_json=BOOK_TOOLS, cuts=cuts, text_only=cuts == "char:0")
    assert [report for report in record(run).laws if not report.ok] == []


@pytest.mark.parametrize("name", sorted({*REASONING, *TOOLS}))
@settings(max_examples=2)
@given(data=st.data())
def test_the_account_of_every_format_is_complete(name, data):
    pair = (name if name in REASONING else None, name if name in TOOLS else None)
    text = data.draw(outputs(*pair, letters=False)).text
    reports = record(RunSettings(text, *pair, tools_json=BOOK_TOOLS)).laws
    assert [report for report in reports if not report.ok] == []


def test_reports_are_one_for_each_law_in_order():
    reports = laws.reports({laws.JSON: ["first", "second"]})
    assert [report.law for report in reports] == list(laws.LAWS)
    assert [(report.law, report.detail) for report in reports if not report.ok] == [("JSON", "first")]


# --- Cut invariance, Growth ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"reasoning": "thoughts"}, "reasoning is 'thoughts', not 'thought'"),
        ({"content": None}, "content is absent, not 'answer'"),
        ({"calls": ()}, "0 calls, not 1"),
        ({"calls": (FieldCall("f", '{"a": 2}', True),)}, "call 0 is f('{\"a\": 2}'), not"),
        ({"calls": (FieldCall("f", '{"a": 1}', False),)}, "cut off"),
    ],
)
def test_a_cut_that_changes_a_field_is_named(changes, says):
    (sentence,) = laws.cut_invariance(ANSWER, {"same": ANSWER, "token": replace(ANSWER, **changes)})
    assert sentence.startswith("cut 'token': ")
    assert says in sentence


def test_equal_answers_keep_cut_invariance():
    assert list(laws.cut_invariance(ANSWER, {"one": replace(ANSWER)})) == []


def test_growth_holds_for_pieces_of_the_answer():
    messages = [message(reasoning="thou"), None, message(reasoning="ght", content="ans"), BEGUN, call(0, None, '{"a"')]
    assert list(laws.growth(messages, ANSWER)) == []


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([message(content="ans"), message(content="awer")], "delta 2: 'awer' does not continue the content"),
        ([message(reasoning="x")], "delta 1: 'x' does not continue the reasoning"),
        ([call(0, None, '{"b"')], "does not continue the arguments of call 0"),
        ([call(1, None, "{")], "does not continue the arguments of call 1"),
    ],
    ids=["content", "reasoning", "arguments", "unknown call"],
)
def test_growth_breaks_where_a_delta_leads_elsewhere(messages, says):
    (sentence,) = laws.growth(messages, ANSWER)
    assert says in sentence


# --- JSON ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [('{"a": 1', "are not JSON"), ("[1]", "are no object"), ('{"n": "5"}', "n is the text '5'")],
)
def test_arguments_of_a_complete_call_are_a_typed_object(arguments, says):
    types = {"f": ParameterTypes({"properties": {"n": {"type": "integer"}}})}
    (sentence,) = laws.json_arguments([FieldCall("f", arguments, True)], types)
    assert says in sentence


@pytest.mark.parametrize("arguments", ['{"n": 5}', '{"n": "five"}', '{"other": "5"}'])
def test_text_that_fits_no_declared_type_may_stay_text(arguments):
    types = {"f": ParameterTypes({"properties": {"n": {"type": "integer"}}})}
    assert list(laws.json_arguments([FieldCall("f", arguments, True)], types)) == []


def test_a_call_that_was_cut_off_may_be_no_json():
    assert list(laws.json_arguments([FieldCall("f", '{"a": 1', False)])) == []


# --- Order --------------------------------------------------------------------------------------------


def test_p_54_calls_in_order_are_in_order():
    messages = [BEGUN, call(0, None, "{}"), None, call(1, "g", "{}", "y"), message(content="x")]
    assert list(laws.order(messages)) == []


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([call(0, None, "{}")], "begins without id, type or name"),
        ([call(0, "f")], "begins without id, type or name"),
        ([call(1, "f", call_id="x")], "call 1 comes before call 0"),
        ([BEGUN, BEGUN], "tells id, type or name again"),
        ([BEGUN, call(1, "g", call_id="y"), call(0, None, "{}")], "call 0 goes on after call 1 has begun"),
    ],
    ids=["no name", "no id", "skips an index", "name twice", "interleaved"],
)
def test_p_04_calls_out_of_order_are_noticed(messages, says):
    found = list(laws.order(messages))
    assert len(found) == 1
    assert says in found[0]


def test_p_33_nothing_follows_the_end():
    records = record(XML).records
    assert list(laws.nothing_after_the_end(records)) == []
    early = [replace(records[0], delta=Delta("a", finished=True)), *records[1:]]
    assert list(laws.nothing_after_the_end(early)) == [f"delta 1 finishes the stream, but {len(records) - 1} follow"]


# --- No leak ------------------------------------------------------------------------------------------


def leaks(text, **options):
    """The leaks of a run whose lexer finds no marker at all, although it should."""
    run = prepare(RunSettings(text, "qwen3", "hermes", **options))
    trace = record_run(run)
    blind = [replace(step, lexemes=()) for step in trace.records]
    # All raw text becomes content, as it would in a parser that looks away.
    event = trace.records[-1].events[0]._replace(
        type=EventType.TEXT_CHUNK, value=trace.raw, start=0, end=len(trace.raw), rule="text in CONTENT"
    )
    piece = trace.records[0].pieces[0]._replace(
        slot="content", text=trace.raw, start=0, end=len(trace.raw), rule="text in CONTENT"
    )
    blind = [replace(step, events=(), pieces=()) for step in blind]
    blind[-1] = replace(blind[-1], events=(event,), pieces=(piece,))
    return list(laws.no_leak(trace.config, trace.by_id, blind, origin_of(trace.config, blind)))


def test_e_51_a_marker_token_with_a_row_is_not_content():
    assert leaks("hm<tool_call>") == ["content holds the token '<tool_call>' of CONTENT (raw 2)"]


def test_a_marker_spelled_in_a_text_only_stream_is_not_content():
    assert leaks("hm<tool_call>", text_only=True) == ["content holds the marker '<tool_call>' of CONTENT (raw 2)"]


def test_text_without_a_marker_leaks_nothing():
    assert leaks("hm") == []


def test_p_40_hidden_reasoning_is_not_sent():
    assert list(laws.no_hidden_reasoning(True, [message(reasoning="x")])) == []
    assert list(laws.no_hidden_reasoning(False, [message(content="x"), None])) == []
    assert len(list(laws.no_hidden_reasoning(False, [message(reasoning="x")]))) == 1


# --- Table --------------------------------------------------------------------------------------------


def test_an_unsound_table_is_noticed():
    config = record(XML).config
    assert laws.table(config) == ()
    assert laws.table(config.but(rows=(*config.rows, replace(config.rows[0], next="NOWHERE"))))


def test_long_text_is_cut_in_sentences():
    assert laws.quoted("x" * 100) == repr("x" * 20 + "…" + "x" * 20)
