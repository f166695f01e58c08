"""JSON behind a marker: card 03, rules L-44 … L-49, and formats/hermes.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.legacy.envelope import HermesParser, LongcatParser
from parsers.protocol import ChatRequest
from tests.legacy.classic import TOKENIZER, calls_stream, cut, fields

TOOLS = [{"type": "function", "function": {"name": "f"}}]
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
SENT = ("f", '{"a": 1}')


def whole(text, parser=HermesParser):
    result = parser(TOKENIZER).extract_tool_calls(text)
    return result.content, [(call.function.name, call.function.arguments) for call in result.tool_calls]


def streamed(*pieces):
    _, content, calls = fields(calls_stream(HermesParser(TOKENIZER), pieces))
    return content, calls


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        pytest.param("hi", "hi", [], id="no-call"),
        pytest.param(f"Ok.\n{CALL}", "Ok.\n", [SENT], id="content-as-it-stands"),
        pytest.param(f"{CALL}\n{CALL}", None, [SENT, SENT], id="two-calls"),
        pytest.param(f"{CALL} bye", None, [SENT], id="text-behind-a-call-is-dropped"),
        pytest.param(f"{CALL} bye {CALL}", None, [SENT, SENT], id="text-between-calls-is-dropped"),
        pytest.param(CALL.removesuffix("</tool_call>"), None, [SENT], id="no-closer"),
        pytest.param('<tool_call>{"name": "f"}</tool_call>', None, [("f", "{}")], id="no-arguments"),
        pytest.param('<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>', None, [SENT], id="arguments-first"),
        pytest.param(
            '<tool_call>{"name": "f", "arguments": {"a": "</tool_call><tool_call>}"}}</tool_call>',
            None,
            [("f", '{"a": "</tool_call><tool_call>}"}')],
            id="markers-in-a-string",
        ),
        pytest.param("<tool_call>no JSON</tool_call>", "<tool_call>no JSON</tool_call>", [], id="no-json"),
        pytest.param(f"a<tool_call>[1]{CALL}", "a<tool_call>[1]", [SENT], id="good-behind-bad"),
        pytest.param("a <tool_c", "a <tool_c", [], id="half-an-opener-at-the-end"),
    ],
)
def test_l49_stream_and_whole_text_agree(text, content, calls):
    assert whole(text) == (content, calls)
    assert streamed(text) == (content, calls)
    assert streamed(*text) == (content, calls)


def test_l49_longcat_differs_in_its_tags_alone():
    text = '<longcat_tool_call>{"arguments": {}, "name": "now"}</longcat_tool_call>'
    assert whole(text, LongcatParser) == (None, [("now", "{}")])
    assert whole(CALL, LongcatParser) == (CALL, [])


def test_l46_a_truncated_body_is_content():
    text = CALL[: CALL.index("}")]
    assert whole(text) == (text, [])


def test_l49_the_outer_brace_is_never_an_argument():
    parser = HermesParser(TOKENIZER)
    answers = calls_stream(parser, ['<tool_call>{"name": "f", "arguments": {"a": 1}', "}", "</tool_call>"])
    assert answers[1:] == [None, None, None]
    assert parser.streamed_args_for_tool == ['{"a": 1}']


def test_l43_what_was_streamed_leaves_no_remainder():
    parser = HermesParser(TOKENIZER)
    calls_stream(parser, [CALL, CALL[:-20]])
    assert parser.prev_tool_call_arr[0] == {"name": "f", "arguments": '{"a": 1}'}
    assert parser.with_remainder(None) is None


def test_l40_the_streaming_state_follows_the_calls():
    parser = HermesParser(TOKENIZER)
    first, second, *_ = calls_stream(parser, ['<tool_call>{"name": "f", "arguments": {"a"', ": 1}}"])
    [opening], [more] = first.tool_calls, second.tool_calls
    assert (opening.index, opening.type, opening.function.name, opening.function.arguments) == (
        0,
        "function",
        "f",
        '{"a"',
    )
    assert opening.id
    assert (more.id, more.type, more.function.name, more.function.arguments) == (None, None, None, ": 1}")
    assert (parser.current_tool_id, parser.current_tool_name_sent) == (0, True)


def test_l48_the_beginning_of_an_opener_is_held():
    answers = calls_stream(HermesParser(TOKENIZER), ["abc<tool_", "x"])
    assert [answer and answer.content for answer in answers] == ["abc", "<tool_x", None]


@pytest.mark.parametrize(
    ("asked", "skips"),
    [({"tools": TOOLS}, False), ({}, True), ({"tools": TOOLS, "tool_choice": "none"}, True)],
    ids=["tools", "no-tools", "choice-none"],
)
def test_hermes_keeps_special_tokens_while_tools_are_in_play(asked, skips):
    request = ChatRequest.model_validate(asked)
    assert HermesParser(TOKENIZER).adjust_request(request).skip_special_tokens is skips
    assert request.skip_special_tokens is True


PARTS = [
    "<tool_call>",
    "</tool_call>",
    "<tool_c",
    '{"name": "f", ',
    '"arguments": {"a": ',
    '"x}"',
    "1",
    "}",
    "}}",
    "text",
]
TEXTS = st.lists(st.sampled_from([*PARTS, CALL]), max_size=8).map("".join)


@given(TEXTS, st.sets(st.integers(0, 120), max_size=8))
def test_law_every_grouping_gives_the_same_fields(text, edges):
    assert streamed(*cut(text, {min(edge, len(text)) for edge in edges})) == streamed(text) == streamed(*text)


@given(TEXTS)
def test_law_the_calls_of_a_whole_text_are_streamed_too(text):
    content, calls = whole(text)
    stream_content, stream_calls = streamed(*text)
    assert [call for call in stream_calls if call in calls] == calls
    assert not calls or content == stream_content


@given(TEXTS, TEXTS)
def test_law_a_snapshot_brings_everything_back(first, second):
    def rest():
        answers = [parser.extract_tool_calls_streaming(first, first + second, second, [], [], [])]
        return fields([*answers, parser.finish_streaming()])

    parser = HermesParser(TOKENIZER)
    parser.extract_tool_calls_streaming("", first, first, [], [], [])
    kept = parser.snapshot()
    after = rest()
    parser.restore(kept)
    assert rest() == after
