"""What a correct client makes of whole streams: card 01, P-03, P-04, P-07, P-12 … P-15, P-21 and P-23."""

import json

import pytest

from parsers.protocol import Accumulator, ChatRequest
from parsers.registry import build_parser, markers_of, special_of
from parsers.serving.message import assemble_reply
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate
from tests.serving.served import CALL_F, CALL_G, parser_for, serve

CLOSED = "<think>\n\n</think>\n\n"
CUTS = ["one", "token", "rand:1:8", "rand:7:3"]


def whole(text):
    """The message of a reply that does not stream."""
    stream = serve(text).stream
    return assemble_reply(
        parser_for(CLOSED).parse(stream.text, stream.ids, stream.spans), ChatRequest(), "stop"
    ).message


def xml_fields(text, strategy):
    """Content and arguments in a format whose arguments are tags: of a stream, or of the whole for None."""
    tokenizer = bundled.load(markers_of(None, "qwen3_coder"), special_of(None, "qwen3_coder"))
    stream = simulate(tokenizer, tokenizer.encode(text))
    parser = build_parser(None, "qwen3_coder", tokenizer)
    if strategy is None:
        parsed = parser.parse(stream.text, stream.ids, stream.spans)
        return parsed.content, [call.function.arguments for call in parsed.tool_calls]
    received = Accumulator()
    for delta in cut(stream, strategy):
        received.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    complete = [call.index for call in parser.calls if call.complete]
    return received.content, [call.arguments for call in received.calls if call.index in complete]


@pytest.mark.parametrize("strategy", CUTS)
def test_p03_an_entry_has_an_index_and_only_what_is_new(strategy):
    deltas = [chunk.delta.as_json() for chunk in serve(CALL_F + CALL_G, strategy).chunks]
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    first = {call["index"]: call for call in reversed(calls)}
    assert sorted(first) == [0, 1]
    assert all(call["type"] == "function" for call in first.values())
    for call in calls:
        added = {"function"} if call is not first[call["index"]] else {"id", "type", "function"}
        assert set(call) == {"index", *added}
        assert set(call["function"]) <= {"name", "arguments"}


@pytest.mark.parametrize("strategy", CUTS)
def test_p04_id_type_and_name_come_once_and_first(strategy):
    entries = [call for chunk in serve(CALL_F + CALL_G, strategy).chunks for call in chunk.delta.tool_calls]
    for index in (0, 1):
        first, *later = [call for call in entries if call.index == index]
        assert first.id
        assert (first.type, first.function.name) == ("function", "fg"[index])
        assert all((call.id, call.type, call.function.name) == (None, None, None) for call in later)


def test_p07_one_delta_may_fill_all_three_fields():
    (chunk,) = serve(f"<think>r</think>c{CALL_F}", "one").chunks
    assert set(chunk.delta.as_json()) == {"reasoning", "content", "tool_calls"}


@pytest.mark.parametrize("strategy", CUTS)
def test_p12_arguments_are_what_the_model_wrote_byte_for_byte(strategy):
    written = '{"a":  1,"b" : "\\u00e9"}'
    served = serve(f'<tool_call>\n{{"name": "f", "arguments": {written}}}\n</tool_call>', strategy)
    assert served.received.calls[0].arguments == written


def test_p13_arguments_of_a_call_cut_by_length_may_not_be_json():
    served = serve('<tool_call>\n{"name": "f", "arguments": {"a": "un', engine_reason="length")
    assert served.chunks[-1].finish_reason == "length"
    with pytest.raises(json.JSONDecodeError):
        json.loads(served.received.calls[0].arguments)


@pytest.mark.parametrize("strategy", CUTS)
def test_p14_streamed_and_whole_arguments_are_equal_as_json(strategy):
    streamed = [json.loads(call.arguments) for call in serve(CALL_F + CALL_G, strategy).received.calls]
    assert streamed == [json.loads(call.function.arguments) for call in whole(CALL_F + CALL_G).tool_calls]


@pytest.mark.parametrize("strategy", CUTS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{CALL_F}after", id="a-text-after-a-call"),
        pytest.param(f"A{CALL_F}B{CALL_G}C", id="d-text-between-calls"),
        pytest.param(f"  A  {CALL_F}  B  ", id="e-white-space-around-content"),
    ],
)
def test_p15_a_stream_keeps_the_same_content_as_a_whole_reply(text, strategy):
    streamed = serve(text, strategy, CLOSED).received.content
    assert streamed == whole(text).content
    assert "".join(streamed.split()) == "".join(text.replace(CALL_F, "").replace(CALL_G, "").split())


@pytest.mark.parametrize("strategy", CUTS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<tool_call>\n<function=f>\n<parameter=s>\nhel", id="b-cut-argument"),
        pytest.param(
            "<tool_call>\n<function=f>\n<parameter=s>\nx\n</parameter>\n<parameter=s>\ny\n</parameter>\n"
            "</function>\n</tool_call>",
            id="c-repeated-parameter",
        ),
    ],
)
def test_p15_tagged_arguments_are_the_same_streamed_and_whole(text, strategy):
    assert xml_fields(text, strategy) == xml_fields(text, None)


@pytest.mark.parametrize(
    ("prompt", "reasoning", "content"),
    [("<think>", "some words", None), (CLOSED, None, "some words")],
    ids=["open", "closed"],
)
def test_p21_the_prompt_decides_once_where_the_stream_starts(prompt, reasoning, content):
    received = serve("some words", prompt=prompt).received
    assert (received.reasoning, received.content) == (reasoning, content)


def test_p23_choices_do_not_share_state():
    first, second = parser_for(), parser_for()
    first.parse_delta("<think>")
    first.parse_delta(CALL_F)
    assert serve(CALL_F, parser=second).received.calls[0].index == 0
    assert len(second.calls) == 1
