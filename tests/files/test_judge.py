"""Comparison of answers: card 00, C0-01 `compare`, `also_accept`, `stream_checks` and C0-04."""

import pytest

from parsers.files.case import Case, Expected, StreamCheck
from parsers.files.judge import differences, judge, stream_differences
from parsers.files.result import Result, ResultCall
from parsers.protocol import Accumulator, DeltaFunction, DeltaMessage, DeltaToolCall


def result(**fields):
    return Result(id="a", strategy="one", **fields)


def call(name="f", arguments="{}", complete=True, index=0):
    return ResultCall(index=index, id="x", name=name, arguments=arguments, complete=complete)


def same(expected, got, compare="strip"):
    return not differences(Expected.model_validate(expected), got, compare)


@pytest.mark.parametrize(
    ("compare", "expected", "got", "equal"),
    [
        pytest.param("exact", "a", "a", True, id="exact"),
        pytest.param("exact", "a", "a\n", False, id="exact-space"),
        pytest.param("exact", None, "", False, id="exact-null"),
        pytest.param("strip", " a ", "a\n", True, id="strip-outer"),
        pytest.param("strip", "a  b", "a b", False, id="strip-inner"),
        pytest.param("strip", None, " \n", True, id="strip-null"),
        pytest.param("collapse-ws", "a  b", "a\nb ", True, id="collapse"),
        pytest.param("collapse-ws", "a b", "ab", False, id="collapse-keeps-words"),
        pytest.param("collapse-ws", None, " ", True, id="collapse-null"),
    ],
)
@pytest.mark.parametrize("name", ["reasoning", "content"])
def test_text_is_compared_as_the_case_says(name, compare, expected, got, equal):
    assert same({name: expected}, result(**{name: got}), compare) is equal


def test_absent_fields_are_not_compared():
    assert same({}, result(reasoning="r", content="c", tool_calls=[call()], finish_reason="length"))


@pytest.mark.parametrize(
    ("calls", "equal"),
    [
        pytest.param([call(arguments='{"b": 2.0, "a": 1}')], True, id="same-value"),
        pytest.param([call(arguments='{"a": "1", "b": 2}')], False, id="type"),
        pytest.param([call(arguments='{"a": 1, "b": 2, "b": 2}')], False, id="duplicate-key"),
        pytest.param([call(arguments='{"a": 1, "b": 2')], False, id="cut-json"),
        pytest.param([call("g", '{"a": 1, "b": 2}')], False, id="name"),
        pytest.param([], False, id="missing"),
        pytest.param([call(arguments='{"a": 1, "b": 2}'), call(index=1)], False, id="one-too-many"),
        pytest.param(
            [call(arguments='{"a": 1, "b": 2}'), call(complete=False, index=1)],
            True,
            id="cut-call-is-no-answer",
        ),
    ],
)
def test_c0_04_calls_are_compared_by_name_and_json_value(calls, equal):
    assert (
        same({"tool_calls": [{"name": "f", "arguments": {"a": 1, "b": 2}}]}, result(tool_calls=calls))
        is equal
    )


def test_finish_reason_is_compared():
    assert not same({"finish_reason": "stop"}, result(finish_reason="length"))


def test_any_accepted_answer_matches():
    case = Case(id="a", raw_output="", expected=Expected(content="x"), also_accept=[Expected(content="y")])
    assert judge(case, result(content="x")) == []
    assert judge(case, result(content="y")) == []
    assert judge(case, result(content="z")) == ["content: expected 'x', got 'z'"]


def test_without_expectation_there_is_no_judgement():
    assert judge(Case(id="a", raw_output=""), result(content="x")) is None


RECEIVED = Accumulator()
RECEIVED.add(
    DeltaMessage(content="abc", tool_calls=[DeltaToolCall(0, "x", "function", DeltaFunction("f", '{"a"'))])
)


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        pytest.param({"content_at_least": "ab"}, True, id="at-least"),
        pytest.param({"content_at_least": "abcd"}, False, id="held-back-too-long"),
        pytest.param({"content_at_most": "abcd"}, True, id="at-most"),
        pytest.param({"content_at_most": "ab"}, False, id="sent-too-early"),
        pytest.param({"tool_name": "f"}, True, id="name"),
        pytest.param({"tool_name": "g"}, False, id="name-missing"),
        pytest.param({"tool_name": "f", "arguments_at_least": '{"'}, True, id="arguments"),
        pytest.param({"arguments_at_least": '{"a":'}, False, id="arguments-held"),
        pytest.param({"tool_name": "g", "arguments_at_least": "{"}, False, id="arguments-of-another-call"),
    ],
)
def test_stream_checks_hold_by_prefix(check, holds):
    failures = stream_differences(StreamCheck(after_chunk=3, **check), RECEIVED)
    assert (failures == []) is holds
    assert all(failure.startswith("after chunk 3: ") for failure in failures)
