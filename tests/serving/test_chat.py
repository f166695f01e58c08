"""Streaming rules of the serving layer: card 01, P-20 … P-43."""

import pytest

from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall
from parsers.serving.chat import ChatStreamProcessor
from parsers.tokens.base import Delta

CALL = DeltaToolCall(0, "x", "function", DeltaFunction("f", "{}"))
TOOL = {"type": "function", "function": {"name": "f"}}
SECOND_CALL = DeltaToolCall(1, "y", "function", DeltaFunction("g", "{}"))


class ScriptedParser:
    """Returns prepared messages and remembers what it was given."""

    def __init__(self, *messages):
        self.messages = list(messages)
        self.fed = []

    def parse_delta(self, text, ids=(), spans=None, finished=False):
        self.fed.append((text, tuple(ids), finished))
        return self.messages.pop(0)


def chunks(messages, engine_reason="stop", **request):
    """Run the messages as one stream and return what each step sends."""
    processor = ChatStreamProcessor(ScriptedParser(*messages), ChatRequest.model_validate(request))
    last = len(messages) - 1
    steps = [Delta("t", (1,), finished=number == last) for number in range(len(messages))]
    return [processor.step(delta, engine_reason if delta.finished else None) for delta in steps]


def test_p20_prompt_reading_steps_do_not_reach_the_parser():
    parser = ScriptedParser(DeltaMessage(content="a"), None)
    processor = ChatStreamProcessor(parser, ChatRequest())
    assert processor.step(Delta("")) is None
    assert processor.step(Delta("a", (1,))).delta.content == "a"
    assert processor.step(Delta("")) is None
    assert parser.fed == [("a", (1,), False), ("", (), False)]


def test_p20_without_a_parser_text_is_content():
    processor = ChatStreamProcessor(None, ChatRequest())
    assert processor.step(Delta("<think>", (1,))).delta == DeltaMessage(content="<think>")


def test_p20_text_without_ids_is_no_reading_of_the_prompt():
    parser = ScriptedParser(DeltaMessage(content="a"))
    assert ChatStreamProcessor(parser, ChatRequest()).step(Delta("a")).delta.content == "a"


def test_p22_nothing_yet_may_come_with_a_finish_reason():
    (chunk,) = chunks([None])
    assert (chunk.delta.as_json(), chunk.finish_reason) == ({}, "stop")


def test_p20_the_parser_is_told_of_the_end_even_when_there_is_nothing_else():
    parser = ScriptedParser(None)
    processor = ChatStreamProcessor(parser, ChatRequest())
    assert processor.step(Delta("", finished=True)).finish_reason == "stop"
    assert parser.fed == [("", (), True)]


def test_p20_calls_are_gated_and_filtered_before_the_finish_reason_is_chosen():
    both = DeltaMessage(tool_calls=[SECOND_CALL, CALL])
    kept, dropped = (
        chunks([both], tools=[TOOL], tool_choice=choice, parallel_tool_calls=False)[-1] for choice in ("auto", "none")
    )
    assert ([call.index for call in kept.delta.tool_calls], kept.finish_reason) == ([0], "tool_calls")
    assert (dropped.delta.tool_calls, dropped.finish_reason) == ([], "stop")


def test_p20_ids_are_counted_even_when_nothing_is_sent():
    processor = ChatStreamProcessor(ScriptedParser(None, None), ChatRequest())
    assert [processor.step(Delta("", (1, 2))), processor.step(Delta("", (3,)))] == [None, None]
    assert processor.output_tokens == 3


@pytest.mark.parametrize("choice", ["none", None], ids=["none", "p25-null"])
def test_p24_calls_that_cannot_be_kept_are_cleared_and_the_text_stays(choice):
    both = DeltaMessage(content="c", tool_calls=[CALL])
    lone, mixed, last = chunks([DeltaMessage(tool_calls=[CALL]), both, None], tools=[TOOL], tool_choice=choice)
    assert lone is None
    assert mixed.delta == DeltaMessage(content="c")
    assert last.finish_reason == "stop"
    assert both.tool_calls == [CALL]


def test_p26_only_index_zero_passes_when_parallel_calls_are_off():
    first, second, _ = chunks(
        [DeltaMessage(tool_calls=[CALL]), DeltaMessage(tool_calls=[SECOND_CALL]), None],
        parallel_tool_calls=False,
    )
    assert [call.index for call in first.delta.tool_calls] == [0]
    assert second is None


@pytest.mark.parametrize("parallel", [None, True], ids=["unset", "on"])
def test_p26_all_calls_pass_otherwise(parallel):
    first, _ = chunks([DeltaMessage(tool_calls=[CALL, SECOND_CALL]), None], parallel_tool_calls=parallel)
    assert len(first.delta.tool_calls) == 2


@pytest.mark.parametrize(
    ("messages", "engine_reason", "told"),
    [
        pytest.param([DeltaMessage(tool_calls=[CALL]), None], "stop", "tool_calls", id="earlier-call"),
        pytest.param([DeltaMessage(tool_calls=[CALL])], "stop", "tool_calls", id="call-in-last-delta"),
        pytest.param([DeltaMessage(tool_calls=[CALL]), None], "length", "length", id="cut"),
        pytest.param([DeltaMessage(content="a"), None], "stop", "stop", id="no-call"),
    ],
)
def test_p30_finish_reason_counts_calls_that_were_sent(messages, engine_reason, told):
    assert chunks(messages, engine_reason)[-1].finish_reason == told


def test_p31_calls_that_were_filtered_out_do_not_count():
    sent = chunks([DeltaMessage(tool_calls=[SECOND_CALL]), None], parallel_tool_calls=False)
    assert sent[-1].finish_reason == "stop"


def test_p33_nothing_follows_the_finishing_chunk():
    processor = ChatStreamProcessor(ScriptedParser(None), ChatRequest())
    assert processor.step(Delta("", finished=True)).finish_reason == "stop"
    assert processor.step(Delta("more", (1,))) is None


def test_p40_hidden_reasoning_sends_no_frame_and_leaves_the_parsers_delta_alone():
    thinking = DeltaMessage(reasoning="r")
    both = DeltaMessage(reasoning="r", content="c")
    silent, spoken, _ = chunks([thinking, both, None], include_reasoning=False)
    assert silent is None
    assert spoken.delta == DeltaMessage(content="c")
    assert (thinking.reasoning, both.reasoning) == ("r", "r")


@pytest.mark.parametrize(("has_parser", "ids"), [(True, None), (False, (1,))])
def test_p42_tokens_stay_visible_where_no_parser_is_named(has_parser, ids):
    request = ChatRequest(include_reasoning=False, return_token_ids=True)
    processor = ChatStreamProcessor(ScriptedParser(DeltaMessage(content="a")), request, has_parser=has_parser)
    assert processor.step(Delta("a", (1,))).metadata.token_ids == ids


def test_p27_p43_an_empty_delta_is_sent_only_to_finish():
    sent = chunks([DeltaMessage(content=""), DeltaMessage(), None])
    assert [chunk is None for chunk in sent] == [True, True, False]
