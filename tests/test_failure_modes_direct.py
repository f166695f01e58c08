"""Card 07: failure modes without a stream, and what more there is to say about some that have one.

Requests, configurations, counts, costs, and parsers on their own. A test is named for its mode.
"""

import pytest

from parsers.composition import ParserChoice, compose_parser
from parsers.errors import RequestError, TokenizerError
from parsers.files.case import Case
from parsers.legacy.envelope import HermesParser
from parsers.legacy.switched import DeepSeekV3Parser
from parsers.protocol import ChatMessage, ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall
from parsers.registry import build_parser, joined
from parsers.serving.audit import Leak, audit
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.serving.metadata import Metadata, TokenLogprob
from parsers.serving.usage import ReasoningCounts, reasoning_counts
from parsers.structured.facts import tool_facts
from parsers.structured.lint import Setup, lint
from parsers.structured.reasoning import engine_reasoning_kwargs, resolve_reasoning_ended
from parsers.structured.request import Asked, Server, prepare
from parsers.tokens import bundled
from parsers.tokens.base import Delta
from parsers.tokens.texts import TextTokenizer
from tests.failure_modes import SAMPLES, Opened, Outcome, Served
from tests.structured.builders import chat

THINK = bundled.load(("<think>", "</think>"))
START, END = THINK.vocab["<think>"], THINK.vocab["</think>"]
HERMES, PYTHONIC = tool_facts("hermes"), tool_facts("pythonic")
BOTH = Server(reasoning=True, tool=HERMES)


def findings(rule, request=None, server=BOTH, **fields):
    """The sentences of one rule about a configuration."""
    asked = Asked(request or chat())
    found = lint(Setup(asked, server, prepare(asked, server), **fields))
    return [finding.sentence for finding in found if finding.rule == rule]


# --- one request ------------------------------------------------------------------------------------------------------


def test_f09_hidden_thinking_is_readable_nowhere():
    opened = Opened(SAMPLES["F-09-hidden-thinking"])
    for label, deltas, reason in opened.groupings():
        report = audit(Served(opened, deltas, reason).sent, ["secret"], opened.tokenizer.decode)
        assert "logprobs.token" in report.checked
        assert report.leaks == (), label


def test_f09_without_a_parser_ids_spell_the_thinking_and_the_request_is_reported():
    request = ChatRequest(include_reasoning=False, return_token_ids=True)
    sent = [ChatStreamProcessor(None, request).step(Delta("secret", tuple(THINK.encode("secret")), finished=True))]
    assert Leak("token_ids", "secret") in audit(sent, ["secret"], THINK.decode).leaks
    assert findings("P-42", chat("none", include_reasoning=False), Server())


def test_f09_logprobs_left_beside_an_emptied_field_are_found():
    chunk = ChatChunk(DeltaMessage(), metadata=Metadata(logprobs=(TokenLogprob("sec"), TokenLogprob("ret"))))  # P-45
    assert {leak.field for leak in audit([chunk], ["secret"]).leaks} == {"logprobs.token", "logprobs.bytes"}


@pytest.mark.parametrize("kwargs", [{"thinking": True}, {}], ids=["on", "off"])
def test_f10_the_request_decides_whether_a_parser_thinks_whatever_came_before(kwargs):
    for before in ({"thinking": True}, {}):
        build_parser("deepseek_v3", None, THINK, template_kwargs=before).parse("other</think>stream")
        parsed = build_parser("deepseek_v3", None, THINK, template_kwargs=kwargs).parse("hm")
        assert (parsed.reasoning, parsed.content) == (("hm", None) if kwargs else (None, "hm"))


def test_f10_a_finished_choice_takes_no_second_stream():
    processor = ChatStreamProcessor(build_parser("deepseek_r1", None, THINK), ChatRequest())
    assert processor.step(Delta("think1</think>a", finished=True)).finish_reason == "stop"
    assert processor.step(Delta("think2")) is None


def test_f10_a_delegating_parser_refuses_a_second_stream():
    parser = compose_parser(ParserChoice("deepseek_r1", None, THINK), "delegating")
    parser.parse_delta("think1", THINK.encode("think1"), finished=True)
    with pytest.raises(RequestError, match="make a new one"):
        parser.parse_delta("think2", THINK.encode("think2"))


def test_f11_the_retired_field_name_is_read_and_never_written():
    sent = DeltaMessage(reasoning="hm").as_json()
    assert (sent.get("reasoning_content"), sent["reasoning"]) == (None, "hm")
    assert ChatMessage.model_validate({"role": "assistant", "reasoning_content": "hm"}).reasoning == "hm"


def forced_array(*tokens, **fields):
    """Calls that a schema forced to be a JSON array."""
    request = {"tool_choice": "required"}
    tools = [{"type": "function", "function": {"name": name}} for name in "fg"]
    case = {"id": "x", "tool_parser": "pythonic", "request": request, "tools": tools, "tokens": tokens, **fields}
    return Opened(Case.model_validate(case), "delegating")


def test_f07_two_calls_of_a_forced_array_may_come_in_one_delta():
    opened = forced_array('[{"name": "f", ', '"parameters": {}}', ", ", '{"parameters": {"a": "}]"}, "name": "g"}', "]")
    for label, deltas, reason in opened.groupings():
        served = Served(opened, deltas, reason)
        assert served.outcome(counted=False).calls == (("f", "{}"), ("g", '{"a": "}]"}')), label
        assert len({call.id for call in served.received.calls}) == 2
    assert opened.whole().calls == (("f", "{}"), ("g", '{"a": "}]"}'))


@pytest.mark.parametrize(
    ("tokens", "cut_calls", "content"),
    [
        pytest.param(['[{"name', '": "f"', ","], (), '[{"name": "f",', id="before-a-call"),
        pytest.param(['[{"name": "f", ', '"parameters": ', '{"a": 1'], (("f", '{"a": 1'),), None, id="inside-a-call"),
    ],
)
def test_f41_a_forced_array_that_is_cut_is_not_lost(tokens, cut_calls, content):
    opened = forced_array(*tokens, engine_finish_reason="length")
    outcomes = {Served(opened, deltas, reason).outcome(counted=False) for _, deltas, reason in opened.groupings()}
    assert outcomes == {Outcome(None, content, (), cut_calls, "length")}
    assert opened.whole() == Outcome(None, "".join(tokens), (), (), "length")


def test_f40_without_the_auto_switch_a_delegating_server_has_no_tool_parser():
    case = SAMPLES["F-40-auto-switched-off"]
    opened = Opened(case, "delegating")
    contents = {Served(opened, deltas, reason).received.content for _, deltas, reason in opened.groupings()}
    assert contents == {opened.whole().content} == {"".join(case.tokens)}  # D-55, L-56


def test_f40_a_null_tool_choice_is_reported():
    assert findings("F-40", chat(None))


def test_f43_the_count_is_told_with_and_without_the_prompt():
    ids = [*THINK.encode("ab"), END]
    counted = len(ids) - 1
    assert reasoning_counts(ids, START, END, prompt_open=True) == ReasoningCounts(0, counted)
    assert reasoning_counts([START, *ids], START, END, prompt_open=False) == ReasoningCounts(counted, counted)


# --- configuration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "fields", "words"),
    [
        pytest.param(Server(reasoning=True), {}, "no tool parser", id="only-a-reasoning-parser"),
        pytest.param(Server(tool=HERMES), {"thinks": True}, "no reasoning parser", id="only-a-tool-parser"),
        pytest.param(Server(tool=HERMES, auto_tools=False), {}, "auto tool choice", id="auto-switched-off"),
        pytest.param(BOTH, {"config": joined("deepseek_r1", None), "vocab": {}}, "lacks", id="no-marker"),
    ],
)
def test_f21_half_a_configuration_is_reported(server, fields, words):
    (sentence,) = findings("F-21", server=server, **fields)
    assert words in sentence


def test_f21_a_tokenizer_without_the_marker_is_refused_at_the_start():
    with pytest.raises(TokenizerError, match="'deepseek_r1' needs the token '<think>'"):
        build_parser("deepseek_r1", None, TextTokenizer(["a"]))


def test_f22_a_tag_of_another_format_is_reported():
    server = Server(reasoning=True, tool=tool_facts("qwen3_xml"))
    assert findings("F-22", server=server, tag_key="hermes")
    assert findings("F-22", server=server, tag_key="qwen_3_coder") == []


def test_f23_api_and_engine_must_build_the_parser_alike():
    kwargs = {"thinking": True}
    assert engine_reasoning_kwargs(True, kwargs) == {"chat_template_kwargs": kwargs}
    assert findings("F-23", api_kwargs=kwargs, engine_kwargs=kwargs) == []
    assert findings("F-23", api_kwargs=kwargs, engine_kwargs={})


def test_f23_parsers_built_alike_agree_after_every_id():
    ids = [START, *THINK.encode("ab"), END, *THINK.encode("c")]
    api, engine, other = (
        DeepSeekV3Parser(THINK, chat_template_kwargs=kwargs) for kwargs in ({"thinking": True}, {"thinking": True}, {})
    )
    prefixes = [ids[:count] for count in range(len(ids) + 1)]
    assert [api.is_reasoning_end(prefix) for prefix in prefixes] == [engine.is_reasoning_end(p) for p in prefixes]
    assert api.is_reasoning_end([START]) is not other.is_reasoning_end([START])


def test_f41_required_calls_as_one_array_are_reported():
    assert findings("F-41", chat("required"), Server(tool=PYTHONIC))


def test_f42_a_tool_parser_that_may_never_start_is_reported():
    assert findings("F-42", server=Server(tool=HERMES), prompt_known=False)


def test_f46_hidden_thinking_under_a_grammar_is_reported():
    request = chat("required", include_reasoning=False)
    ended = resolve_reasoning_ended(prepare(Asked(request), BOTH), include_reasoning=False, prompt_ended=False)
    assert (ended.ended, ended.rule) == (True, "S-42")
    assert findings("F-46", request)


def test_f49_a_tool_parser_for_a_request_without_tools_is_reported():
    assert findings("F-49", chat("none", tools=[]))


def test_a_sound_configuration_has_none_of_these_findings():
    assert lint(Setup(Asked(chat()), BOTH, prepare(Asked(chat()), BOTH))) == []


# --- parsers on their own ---------------------------------------------------------------------------------------------


class CountingHermes(HermesParser):
    """Counts the characters it reads at each delta."""

    def __init__(self):
        super().__init__(THINK)
        self.read = []

    def find(self, text):
        self.read.append(len(text))
        return super().find(text)


def classic_work(words):
    """Characters that a classic parser reads at each delta."""
    parser, text = CountingHermes(), ""
    for word in words:
        parser.extract_tool_calls_streaming(text, text + word, word, [], [], [])
        text += word
    return parser.read


def engine_work(words):
    """Characters in the lexer's hands at each delta: those it held and those that came."""
    parser = build_parser("qwen3", "hermes", None, generation_prompt="<think>\n")
    parser.use_plain = False
    lexer, work = parser.engine.lexer, []
    for word in words:
        work.append(len(lexer.buffer) - lexer.pos + len(word))
        parser.parse_delta(word)
    return work


def test_f24_a_classic_parser_reads_everything_again_and_an_engine_only_what_is_new():
    words = ["think", " a", " < b", "\n", "</th"] * 400
    assert classic_work(words)[-1] == len("".join(words))
    assert sum(classic_work(words + words)) > 3.9 * sum(classic_work(words))
    assert sum(engine_work(words + words)) < 2.1 * sum(engine_work(words))
    assert max(engine_work(words)) == max(engine_work(words[:10]))


@pytest.mark.parametrize("last", [None, DeltaMessage(content="x")], ids=["nothing", "no-call-entry"])
def test_f45_the_rest_of_the_arguments_comes_with_any_final_delta(last):
    parser = HermesParser(THINK)
    parser.prev_tool_call_arr = [{"name": "f", "arguments": {"a": 1}}]
    parser.streamed_args_for_tool = ['{"a"']
    assert parser.with_remainder(last).tool_calls == [DeltaToolCall(0, function=DeltaFunction(arguments=": 1}"))]
