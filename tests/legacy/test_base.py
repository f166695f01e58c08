"""The contracts and their defaults: card 03, rules L-01 … L-07 and L-40 … L-48."""

import pytest

from parsers.legacy.base import ExtractedToolCalls, ReasoningParser, ToolParser, partial_marker, remainder
from parsers.legacy.envelope import HermesParser
from parsers.legacy.pycalls import PythonicParser
from parsers.legacy.registry import REASONING_PARSERS, TOOL_PARSERS
from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall, FunctionTool
from parsers.structured.levels import read_level
from tests.legacy.classic import TOKENIZER, ids_of

REQUEST = ChatRequest()


class Bare(ReasoningParser):
    """Only what a reasoning parser must have."""

    def is_reasoning_end(self, token_ids):
        return 1 in token_ids

    def extract_content_ids(self, token_ids):
        return []

    def extract_reasoning(self, text, request=None):
        return None, text

    def extract_reasoning_streaming(self, *delta):
        return None


class Keeping(Bare):
    """Keeps what it is made with."""

    def __init__(self, tokenizer, *args, **kwargs):
        super().__init__(tokenizer, *args, **kwargs)
        self.kwargs = kwargs


class NoCalls(ToolParser):
    """Only what a tool parser must have."""

    def extract_tool_calls(self, text, request=None):
        return ExtractedToolCalls(False, (), text)

    def extract_tool_calls_streaming(self, *delta, request=None):
        return None


class OwnMarkup(NoCalls):
    supports_required_and_named = False


class Tagged(NoCalls):
    supports_required_and_named = True
    structural_tag_model = "hermes"


# --- reasoning ---------------------------------------------------------------------------------------------------


def test_l01_every_reasoning_parser_has_both_views():
    for name in REASONING_PARSERS.names():
        parser = REASONING_PARSERS.get(name)(TOKENIZER, chat_template_kwargs={"thinking": True})
        ids = ids_of("SaEb")
        assert parser.extract_content_ids(ids) == ids[3:]
        assert parser.extract_reasoning("<think>a</think>b") == ("a", "b")


@pytest.mark.parametrize("missing", sorted(ReasoningParser.__abstractmethods__))
def test_l02_four_methods_are_required(missing):
    members = {name: getattr(Bare, name) for name in ReasoningParser.__abstractmethods__ if name != missing}
    with pytest.raises(TypeError, match=missing):
        type("Incomplete", (ReasoningParser,), members)(TOKENIZER)
    assert len(ReasoningParser.__abstractmethods__) == 4


def test_l02_the_defaults_do_nothing():
    parser = Bare(TOKENIZER)
    assert parser.is_reasoning_end_streaming([1, 2], [2]) is True
    assert parser.is_reasoning_end_streaming([2], [2]) is False
    assert parser.count_reasoning_tokens([5, 6]) == 0
    assert parser.adjust_request(REQUEST) is REQUEST
    assert parser.prepare_structured_tag("tag") == "tag"
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == (None, None)
    assert parser.has_engine_confirmed_reasoning_end() is False
    assert parser.engine_based_streaming is False


def test_l03_kwargs_reach_the_subclass_whole():
    given = {"model_config": object(), "chat_template_kwargs": {"thinking": True}}
    assert Keeping(TOKENIZER, **given).kwargs == given


@pytest.mark.parametrize("name", REASONING_PARSERS.names())
def test_l04_the_prompt_is_judged_by_its_ids_alone(name):
    parser = REASONING_PARSERS.get(name)(TOKENIZER, chat_template_kwargs={"thinking": True})
    before = parser.snapshot()
    assert [parser.is_reasoning_end(ids_of(word)) for word in ("SaE", "S", "SaE")] == [True, False, True]
    assert parser.snapshot() == before


def test_l05_the_prompt_hooks_change_nothing_by_default():
    parser = Bare(TOKENIZER)
    parser.set_prompt_token_ids([1])
    parser.adjust_initial_state_from_prompt([1])
    assert parser.is_reasoning_end([]) is False


def test_l06_the_optional_hooks_can_always_be_called():
    parser = Bare(TOKENIZER)
    assert parser.get_streaming_fallback_content("text", REQUEST) is None
    assert parser.finish_streaming() is None
    assert parser.find_reasoning_end([1]) is None
    assert (parser.awaits_text, parser.starts_open) == (False, False)
    assert (parser.reasoning_end_token_ids, parser.implicit_reasoning_end_token_ids) == ((), ())


def test_l07_two_instances_share_no_state():
    first, second = (HermesParser(TOKENIZER) for _ in range(2))
    text = '<tool_call>{"name": "f", "arguments": {}}'
    first.extract_tool_calls_streaming("", text, text, [], [], [])
    assert (first.current_tool_id, second.current_tool_id) == (0, -1)
    assert second.prev_tool_call_arr == second.streamed_args_for_tool == []


# --- tools -------------------------------------------------------------------------------------------------------


def test_l40_class_and_instance_defaults():
    parser = NoCalls(TOKENIZER)
    assert (NoCalls.supports_required_and_named, NoCalls.structural_tag_model) == (True, None)
    assert read_level(NoCalls.default_tool_strict_level) == 0
    assert NoCalls.engine_based_streaming is False
    assert (parser.prev_tool_call_arr, parser.streamed_args_for_tool) == ([], [])
    assert (parser.current_tool_id, parser.current_tool_name_sent) == (-1, False)
    assert parser.adjust_request(REQUEST) is REQUEST
    assert parser.finish_streaming() is None


@pytest.mark.parametrize(
    ("parser", "strict", "plain"),
    [
        pytest.param(HermesParser, False, True, id="hermes"),
        pytest.param(Tagged, False, True, id="tag-beats-the-class-body"),
        pytest.param(PythonicParser, True, True, id="no-tag"),
        pytest.param(OwnMarkup, False, False, id="never"),
    ],
)
def test_l41_the_switch_is_asked_for_each_request(parser, strict, plain):
    assert [parser.reads_forced_calls_as_json(flag) for flag in (True, False, True)] == [strict, plain, strict]


def test_l42_only_function_tools_are_kept():
    tool = FunctionTool.model_validate({"function": {"name": "f"}})
    assert NoCalls(TOKENIZER, [tool, {"type": "custom"}]).tools == [tool]
    assert NoCalls(TOKENIZER, None).tools == []


@pytest.mark.parametrize(
    ("call", "streamed", "rest"),
    [
        pytest.param({"arguments": {"a": 1, "b": "é"}}, '{"a": 1', ', "b": "é"}', id="object"),
        pytest.param({"arguments": {"a": 1}}, '{"a":1', "", id="other-spacing"),
        pytest.param({}, "", "{}", id="no-arguments"),
        pytest.param({"arguments": '{"a":1}'}, '{"a":1', "}", id="text"),
        pytest.param({"arguments": {"a": 1}}, '{"a": 1}', "", id="all-sent"),
    ],
)
def test_l43_the_remainder_is_what_follows_the_streamed_text(call, streamed, rest):
    assert remainder(call, streamed) == rest


def half_sent(*streamed):
    parser = NoCalls(TOKENIZER)
    parser.prev_tool_call_arr = [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {"a": 1}}]
    parser.streamed_args_for_tool = list(streamed)
    return parser


def arguments(index, text, name=None):
    return DeltaToolCall(index, function=DeltaFunction(name, text))


@pytest.mark.parametrize(
    ("delta", "calls"),
    [
        pytest.param(None, [arguments(1, "1}")], id="no-delta"),
        pytest.param(DeltaMessage(content="x"), [arguments(1, "1}")], id="no-entry"),
        pytest.param(
            DeltaMessage(tool_calls=[DeltaToolCall(1)]), [DeltaToolCall(1), arguments(1, "1}")], id="no-function"
        ),
        pytest.param(DeltaMessage(tool_calls=[arguments(1, " ")]), [arguments(1, " 1}")], id="its-entry"),
        pytest.param(DeltaMessage(tool_calls=[arguments(1, None)]), [arguments(1, "1}")], id="empty-entry"),
    ],
)
def test_l44_the_remainder_is_never_lost(delta, calls):
    assert half_sent("{}", '{"a": ').with_remainder(delta).tool_calls == calls


def test_l44_content_of_the_final_delta_stays():
    assert half_sent("{}", '{"a": ').with_remainder(DeltaMessage(content="x")).content == "x"


@pytest.mark.parametrize("delta", [None, DeltaMessage(content="x")])
def test_l44_without_a_remainder_the_delta_stays_as_it_is(delta):
    assert half_sent("{}", '{"a": 1}').with_remainder(delta) is delta
    assert NoCalls(TOKENIZER).with_remainder(delta) is delta


def test_l45_another_calls_entry_is_left_alone():
    delta = half_sent("{}", '{"a": ').with_remainder(DeltaMessage(tool_calls=[arguments(0, "}")]))
    assert delta.tool_calls == [arguments(0, "}"), arguments(1, "1}")]


def test_l45_a_call_that_was_never_announced_is_announced():
    [other, call] = half_sent("{}").with_remainder(DeltaMessage(tool_calls=[arguments(0, "}")])).tool_calls
    assert other == arguments(0, "}")
    assert (call.index, call.type, call.function) == (1, "function", DeltaFunction("g", '{"a": 1}'))
    assert call.id


@pytest.mark.parametrize("text", ["", "{", "<tool_call>", '<tool_call>{"name": 1}', "[", "[f(", "[f(a=1+1)]", "[]"])
@pytest.mark.parametrize("name", TOOL_PARSERS.names())
def test_l46_what_cannot_be_read_is_content(name, text):
    result = TOOL_PARSERS.get(name)(TOKENIZER).extract_tool_calls(text)
    assert result == ExtractedToolCalls(False, (), text or None)


@pytest.mark.parametrize("name", TOOL_PARSERS.names())
def test_l47_nothing_new_is_none(name):
    parser = TOOL_PARSERS.get(name)(TOKENIZER)
    assert parser.extract_tool_calls_streaming("", "", "", [], [], []) is None


@pytest.mark.parametrize(
    ("text", "held"),
    [("abc<tool_", 6), ("abc", 0), ("", 0), ("<", 1), ("<tool_call>", 0), ("<<tool_call", 10), ("<tool_ <", 1)],
)
def test_l48_the_longest_beginning_of_the_marker_is_held(text, held):
    assert partial_marker(text, "<tool_call>") == held
