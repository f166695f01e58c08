"""Laws of the delegating composition on generated outputs: card 04 (D-07, D-15, D-62), card 07 (F-50), L-22."""

from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parsers.composition import ParserChoice, compose_parser
from parsers.protocol import Accumulator, FunctionTool
from parsers.registry import markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.base import Delta
from parsers.tokens.chunks import cut, cut_at
from parsers.tokens.stream import StreamOptions, simulate
from tests.streams import outputs

ENGINES = [
    ("qwen3", "qwen3_xml"),
    ("kimi_k2", "kimi_k2"),
    ("openai_gptoss", "openai"),
    ("cohere_command3", "cohere_command3"),
    ("granite", "granite"),
    ("muse", "muse"),
    ("minimax_m2_append_think", "minimax_m2"),
    ("nemotron_v3", "qwen3_coder"),
]
CLASSIC = [("deepseek_r1", "hermes"), ("deepseek_v3", "hermes"), ("deepseek_r1", None), (None, "pythonic")]
MIXED = [("qwen3", "hermes"), ("deepseek_r1", "qwen3_xml"), ("kimi_k2", "pythonic")]
HOLDS = (0, 1, 3, 7, 11, 40)  # characters of lag, card T-16
ON = {"thinking": True, "enable_thinking": True}
END = "</think>"
TOOLS = [
    FunctionTool.model_validate({"function": {"name": name, "parameters": {"type": "object", "properties": fields}}})
    for name, fields in {"f": {"x": {"type": "integer"}, "s": {"type": "string"}}, "g": {}}.items()
]


def each(pairs):
    return pytest.mark.parametrize(("reasoning", "tool"), pairs, ids=[f"{one}+{other}" for one, other in pairs])


def examples(share):
    """That share of the profile's examples."""
    return settings(max_examples=max(2, round(settings().max_examples * share)))


def make(reasoning, tool, tokenizer=None, composition="delegating", prompt=None, **arguments):
    """A fresh parser; without a tokenizer it gets one that knows its markers."""
    tokenizer = tokenizer or bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))
    return compose_parser(ParserChoice(reasoning, tool, tokenizer, TOOLS, prompt, ON | arguments), composition)


def feed(parser, deltas):
    """What a client has in the end, ids apart, and which calls are complete."""
    client = Accumulator()
    for delta in deltas:
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    calls = [(call.index, call.name, call.arguments) for call in client.calls]
    return client.reasoning, client.content, calls, [call.index for call in parser.calls if call.complete]


def steps(parser, deltas):
    """What a parser says to each delta, ids apart."""
    return [feed(parser, [delta]) for delta in deltas]


@st.composite
def cuts(draw, stream):
    """Any grouping of a stream's tokens, the end of the stream sometimes by itself."""
    positions = draw(st.lists(st.integers(0, len(stream.ids)), max_size=8))
    return cut_at(stream, positions, finish_alone=draw(st.booleans()))


def spells_an_end(output):
    """Ordinary tokens spell the end marker, which a classic parser takes for it in the delta of the real one (L-22)."""
    return output.text.count(END) != output.ids().count(output.tokenizer.vocab.get(END, -1))


@each(ENGINES)
@examples(0.5)
@given(data=st.data())
def test_d07_an_engine_pair_gives_the_answer_of_one_table_however_it_is_cut(reasoning, tool, data):
    output = data.draw(outputs(reasoning, tool))
    deltas = data.draw(cuts(output.stream(data.draw(st.sampled_from(HOLDS)))))
    unified = feed(make(reasoning, tool, output.tokenizer, "unified"), deltas)
    assert feed(make(reasoning, tool, output.tokenizer), deltas) == unified
    assert feed(make(reasoning, tool, output.tokenizer), cut(output.stream(), "one")) == unified


@each(CLASSIC + MIXED)
@examples(0.5)
@given(data=st.data())
def test_f50_l22_any_grouping_and_lag_gives_the_same_fields_with_classic_parsers_too(reasoning, tool, data):
    output = data.draw(outputs(reasoning, tool))
    assume(not spells_an_end(output))
    deltas = data.draw(cuts(output.stream(data.draw(st.sampled_from(HOLDS)))))
    one_by_one = feed(make(reasoning, tool, output.tokenizer), cut(output.stream(), "token"))
    assert feed(make(reasoning, tool, output.tokenizer), deltas) == one_by_one


@each(ENGINES + CLASSIC + MIXED)
@examples(0.25)
@given(data=st.data())
def test_a_snapshot_taken_behind_any_delta_leads_to_the_same_rest(reasoning, tool, data):
    """D-01: whatever a choice remembers is in its state, and its parsers'."""
    output = data.draw(outputs(reasoning, tool))
    deltas = cut(output.stream(data.draw(st.sampled_from(HOLDS))), "token")
    parser, later = make(reasoning, tool, output.tokenizer), iter(deltas)
    steps(parser, islice(later, data.draw(st.integers(0, len(deltas) - 1))))
    rest, before = list(later), parser.snapshot()
    first = steps(parser, rest)
    parser.restore(before)
    assert steps(parser, rest) == first


@each(ENGINES)
@examples(0.25)
@given(data=st.data())
def test_d62_a_whole_text_with_ids_has_the_fields_of_its_stream(reasoning, tool, data):
    output = data.draw(outputs(reasoning, tool))
    stream = output.stream()
    parsed = make(reasoning, tool, output.tokenizer).parse(stream.text, stream.ids, stream.spans)
    streamed = feed(make(reasoning, tool, output.tokenizer), cut(stream, "token"))
    whole_calls = [(name, arguments) for index, name, arguments in streamed[2] if index in streamed[3]]
    assert (parsed.reasoning, parsed.content or None) == (streamed[0], streamed[1] or None)
    assert [(call.function.name, call.function.arguments) for call in parsed.tool_calls] == whole_calls


@each(ENGINES + CLASSIC + MIXED)
@examples(0.25)
@given(data=st.data())
def test_d15_an_empty_delta_changes_nothing_wherever_it_comes(reasoning, tool, data):
    output = data.draw(outputs(reasoning, tool))
    deltas = cut(output.stream(data.draw(st.sampled_from(HOLDS))), "token")
    at = data.draw(st.integers(0, len(deltas) - 1))
    with_one = [*deltas[:at], Delta(""), *deltas[at:]]
    assert feed(make(reasoning, tool, output.tokenizer), with_one) == feed(
        make(reasoning, tool, output.tokenizer), deltas
    )


# --- outputs that once went wrong ------------------------------------------------------------------------------------


def stream_of(parser, text, hold=0):
    """A stream of the text as the parser's tokenizer writes it; the text lags by `hold` characters."""
    tokenizer = parser.reasoning.tokenizer
    return simulate(tokenizer, tokenizer.encode(text), StreamOptions(stop=("☃" * (hold + 1),) if hold else ()))


@pytest.mark.parametrize("strategy", ["one", "token", "cuts:3"])
@pytest.mark.parametrize("hold", HOLDS)
def test_l22_d27_an_engine_behind_a_classic_parser_knows_where_late_text_belongs(hold, strategy):
    parser = make("deepseek_r1", "qwen3_xml")
    text = "a</think>b<tool_call>\n<function=g>\n</function>\n</tool_call>"
    assert feed(parser, cut(stream_of(parser, text, hold), strategy)) == ("a", "b", [(0, "g", "{}")], [0])


@pytest.mark.parametrize("tool", [None, "hermes", "qwen3_coder"])
@pytest.mark.parametrize("strategy", ["one", "token"])
def test_d28_thinking_that_waits_for_an_answer_is_not_lost_at_the_switch(tool, strategy):
    parser = make("nemotron_v3", tool, force_nonempty_content=True)
    assert feed(parser, cut(stream_of(parser, "why</think>yes"), strategy)) == ("why", "yes", [], [])


@pytest.mark.parametrize("tool", [None, "hermes", "minimax_m2"])
@pytest.mark.parametrize("prompt", [None, "]~b]ai\n<think>\n"], ids=["unknown", "known"])
@pytest.mark.parametrize("strategy", ["one", "token"])
def test_d10_text_that_the_prompt_ends_with_begins_the_content(tool, prompt, strategy):
    parser = make("minimax_m2_append_think", tool, prompt=prompt)
    assert feed(parser, cut(stream_of(parser, "a</think>b"), strategy)) == (None, "<think>a</think>b", [], [])


@pytest.mark.parametrize("composition", ["unified", "delegating"])
def test_d15_e26_no_number_of_empty_deltas_makes_a_late_marker_be_placed_without_its_text(composition):
    tokenizer = bundled.load(markers_of("qwen3", "qwen3_xml"), special_of("qwen3", "qwen3_xml"))
    parser = make("qwen3", "qwen3_xml", tokenizer, composition)
    late = [Delta("a", (tokenizer.vocab["a"],)), Delta("", (tokenizer.vocab[END],)), *[Delta("")] * 20]
    deltas = [*late, Delta(f"{END}b", (tokenizer.vocab["b"],)), Delta("", finished=True)]
    assert feed(parser, deltas) == ("a", "b", [], [])
