"""Wire types and the accumulator: card 01, rules P-01 … P-14 and P-25."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from parsers.protocol import (
    Accumulator,
    ChatMessage,
    ChatRequest,
    DeltaFunction,
    DeltaMessage,
    DeltaToolCall,
    FunctionTool,
)


def call_delta(index, *, id=None, name=None, arguments=None):
    type_ = "function" if id is not None else None
    return DeltaToolCall(index, id, type_, DeltaFunction(name, arguments))


def summed(*deltas):
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.add(delta)
    return accumulator


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        pytest.param(DeltaMessage(), {}, id="nothing"),
        pytest.param(DeltaMessage(content=""), {"content": ""}, id="empty-text-is-present"),
        pytest.param(
            DeltaMessage("assistant", "r", "c"),
            {"role": "assistant", "reasoning": "r", "content": "c"},
            id="all",
        ),
        pytest.param(
            DeltaMessage(tool_calls=[call_delta(1, arguments='{"')]),
            {"tool_calls": [{"index": 1, "function": {"arguments": '{"'}}]},
            id="later-delta-of-a-call",
        ),
        pytest.param(
            DeltaMessage(tool_calls=[call_delta(0, id="x", name="f")]),
            {"tool_calls": [{"index": 0, "id": "x", "type": "function", "function": {"name": "f"}}]},
            id="first-delta-of-a-call",
        ),
    ],
)
def test_p01_absent_fields_and_empty_call_lists_are_not_serialised(delta, expected):
    assert delta.as_json() == expected


def test_deltas_do_not_share_their_call_list():
    DeltaMessage().tool_calls.append(DeltaToolCall(0))
    assert DeltaMessage().tool_calls == []


@pytest.mark.parametrize(
    ("given_fields", "reasoning"),
    [
        pytest.param({"reasoning_content": "old"}, "old", id="retired-only"),
        pytest.param({"reasoning_content": "old", "reasoning": "new"}, "new", id="both"),
        pytest.param({"reasoning_content": "old", "reasoning": None}, "old", id="current-is-null"),
        pytest.param({"reasoning_content": None}, None, id="retired-is-null"),
    ],
)
def test_p02_retired_reasoning_name_is_read_and_never_written(given_fields, reasoning):
    message = ChatMessage.model_validate({"role": "assistant", **given_fields})
    assert message.reasoning == reasoning
    assert "reasoning_content" not in message.model_dump()


@pytest.mark.parametrize(
    "first_arguments", [None, "", '{"a": 1}'], ids=["name-only", "empty-arguments", "whole-arguments"]
)
def test_p05_first_delta_of_a_call_may_carry_any_arguments(first_arguments):
    (call,) = summed(
        DeltaMessage(tool_calls=[call_delta(0, id="x", name="f", arguments=first_arguments)])
    ).calls
    assert (call.id, call.name, call.arguments) == ("x", "f", first_arguments or "")


def test_p06_entries_of_one_index_in_one_delta_merge():
    delta = DeltaMessage(tool_calls=[call_delta(0, id="x", name="f"), call_delta(0, arguments="{}")])
    (call,) = summed(delta).calls
    assert (call.id, call.type, call.name, call.arguments) == ("x", "function", "f", "{}")


def test_p06_first_id_and_name_win():
    (call,) = summed(
        DeltaMessage(tool_calls=[call_delta(0, id="x", name="f")]),
        DeltaMessage(tool_calls=[call_delta(0, id="y", name="g")]),
    ).calls
    assert (call.id, call.name) == ("x", "f")


def test_p10_fields_start_absent_and_may_be_present_but_empty():
    assert summed().content is None
    total = summed(DeltaMessage(content=""), None, DeltaMessage(reasoning="a"), DeltaMessage(reasoning="b"))
    assert (total.reasoning, total.content) == ("ab", "")


def test_p11_calls_are_keyed_by_index_and_not_by_position():
    total = summed(
        DeltaMessage(
            tool_calls=[call_delta(0, id="x", arguments="{"), call_delta(1, id="y", arguments="[]")]
        ),
        DeltaMessage(tool_calls=[call_delta(0, arguments="}")]),
    )
    assert [call.arguments for call in total.calls] == ["{}", "[]"]


@given(st.lists(st.tuples(st.integers(0, 3), st.text())))
def test_p12_arguments_are_the_fragments_of_their_index_in_order(fragments):
    deltas = [DeltaMessage(tool_calls=[call_delta(index, arguments=text)]) for index, text in fragments]
    calls = {call.index: call.arguments for call in summed(*deltas).calls}
    assert calls == {i: "".join(text for j, text in fragments if j == i) for i in {i for i, _ in fragments}}


def test_a_call_is_complete_only_when_told():
    total = summed(DeltaMessage(tool_calls=[call_delta(0, id="x"), call_delta(1, id="y")]))
    total.mark(1, complete=True)
    total.mark(7, complete=True)
    assert [call.complete for call in total.calls] == [None, True]


TOOL = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("fields", "choice"),
    [
        pytest.param({"tools": [TOOL]}, "auto", id="absent-with-tools"),
        pytest.param({}, "none", id="absent-without-tools"),
        pytest.param({"tools": [TOOL], "tool_choice": None}, None, id="explicit-null"),
        pytest.param({"tools": [TOOL], "tool_choice": "required"}, "required", id="given"),
    ],
)
def test_p25_tool_choice_defaults_by_tools_and_keeps_null(fields, choice):
    assert ChatRequest.model_validate(fields).tool_choice == choice


def test_d70_calls_of_earlier_assistant_messages_are_counted():
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [TOOL, TOOL]},
        {"role": "assistant", "content": "ok", "tool_calls": None},
        {"role": "assistant", "tool_calls": [TOOL]},
    ]
    assert ChatRequest.model_validate({"messages": history}).history_calls == 3


def test_named_tool_choice_is_read():
    choice = {"type": "function", "function": {"name": "f"}}
    request = ChatRequest.model_validate({"tools": [TOOL], "tool_choice": choice})
    assert request.tool_choice.function.name == "f"


def test_unknown_tool_choice_is_rejected():
    with pytest.raises(ValidationError, match="tool_choice"):
        ChatRequest.model_validate({"tools": [TOOL], "tool_choice": "maybe"})


@pytest.mark.parametrize(
    ("stop", "stops"), [(None, []), ("a", ["a"]), (["a", "b"], ["a", "b"])], ids=["null", "one", "list"]
)
def test_stop_is_always_a_list(stop, stops):
    assert ChatRequest.model_validate({"stop": stop}).stop == stops


def test_unknown_request_fields_are_ignored():
    assert not hasattr(ChatRequest.model_validate({"temperature": 0.5}), "temperature")


def test_a_tool_without_parameters_has_an_empty_schema():
    tool = FunctionTool.model_validate(TOOL)
    assert (tool.name, tool.parameters) == ("f", {})


@pytest.mark.parametrize(
    ("calls", "count"), [(None, 0), ([], 0), ([{}, {}], 2), ({"id": "a"}, 1), ('{"id": "a"}', 1)], ids=str
)
def test_d70_calls_of_the_conversation_are_counted_however_they_are_written(calls, count):
    messages = [{"role": "assistant", "tool_calls": calls}, {"role": "user", "tool_calls": [{}]}]
    assert ChatRequest.model_validate({"messages": messages}).history_calls == count
