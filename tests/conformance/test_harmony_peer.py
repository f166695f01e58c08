"""gpt-oss' own library, vocabulary included, reads every well-formed turn as our harmony format does."""

import json

import pytest
from canitoolcall.fixtures import load_fixtures
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.protocol import Accumulator
from parsers.registry import build_parser, reasoning_names, tool_names
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate
from tests.conformance.harmony import PROMPT, HarmonyTokenizer, library_fields

if "openai_gptoss" not in reasoning_names() or "openai" not in tool_names():
    pytest.skip("harmony is not registered", allow_module_level=True)

TOKENIZER = HarmonyTokenizer()
NAMES = ("tides", "get_weather", "x-1")
MARKERS = ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>", "<|return|>")

said = st.lists(st.sampled_from((*MARKERS, "analysis", " to=functions.f", "\n\n", "naïve", "🦜", '{"a": 1}', " "))).map(
    "".join
) | st.text(max_size=30)
function_headers = st.builds(
    str.format,
    st.sampled_from(
        (
            " to=functions.{0}<|channel|>commentary <|constrain|>json<|message|>",
            " to=functions.{0}<|channel|>commentary<|message|>",
            "<|channel|>commentary to=functions.{0} <|constrain|>json<|message|>",
            "<|channel|>commentary to=functions.{0}<|constrain|>json<|message|>",
            "<|channel|>commentary to=functions.{0} json<|message|>",
            "<|channel|>analysis to=functions.{0} <|constrain|>json<|message|>",
        )
    ),
    st.sampled_from(NAMES),
)
text_headers = st.sampled_from(("analysis", "commentary", "final")).map("<|channel|>{}<|message|>".format)
arguments = st.dictionaries(st.text(max_size=5), said | st.integers() | st.none(), max_size=3).map(json.dumps)
messages = st.tuples(text_headers, said) | st.tuples(function_headers, arguments)


def turn_ids(turn, last_closer):
    """Ids of a turn: framing as control tokens, bodies as ordinary ones."""
    ids = []
    for number, (header, body) in enumerate(turn):
        framing = header if number == 0 else f"<|end|>{PROMPT}{header}"
        ids += TOKENIZER.encode(framing) + TOKENIZER.encode_data(body)
    return ids + TOKENIZER.encode(last_closer)


def our_fields(ids, strategy, call_commit="on_close"):
    """Reasoning, content and calls as a client of our parser has them."""
    parser = build_parser("openai_gptoss", "openai", TOKENIZER, generation_prompt=PROMPT, call_commit=call_commit)
    client = Accumulator()
    for delta in cut(simulate(TOKENIZER, ids), strategy):
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    return client.reasoning, client.content, [(call.name, call.arguments) for call in client.calls]


@settings(max_examples=150, deadline=None)
@given(st.lists(messages, min_size=1, max_size=5), st.sampled_from(("", "<|call|>", "<|return|>", "<|end|>")))
def test_same_fields_as_the_library_on_well_formed_turns(turn, last_closer):
    """harmony.md "Grammar": a stop token may end the last message or be cut off."""
    ids = turn_ids(turn, last_closer)
    expected = library_fields(TOKENIZER.encoding, ids)
    for strategy in ("one", "token", "rand:1:8", "rand:2:3"):
        assert our_fields(ids, strategy) == expected, strategy


@pytest.mark.parametrize("fixture", load_fixtures(families=["gpt-oss"]), ids=lambda fixture: fixture.id)
def test_real_ids_of_the_suite(fixture):
    """The suite's outputs in the real vocabulary, one id a delta, against the suite's answers."""
    expected = fixture.expected
    if expected is None:
        assert our_fields(fixture.output_token_ids, "token")[2] == []
        return
    reasoning, content, calls = our_fields(fixture.output_token_ids, "token")
    assert (reasoning, content) == (expected.reasoning_content, expected.content)
    assert [(name, json.loads(text)) for name, text in calls] == [
        (c.name, dict(c.arguments)) for c in expected.tool_calls
    ]
