"""The laws, on generated outputs of every registered format: E-94, design.md section 5."""

import json
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from parsers.engine.config import ParserEngineConfig
from parsers.errors import RequestError
from parsers.names import REASONING, TOOLS
from parsers.protocol import Accumulator, FunctionTool
from parsers.registry import build_parser, joined
from parsers.tokens.base import Delta
from parsers.tokens.chunks import cut, cut_at, text_only
from tests.streams import Output, outputs

PAIRS = [("qwen3", "qwen3_xml"), ("qwen3", "hermes"), ("deepseek_r1", "hermes"), (None, "hermes")]
FORMATS = [
    *(pytest.param(name, name if name in TOOLS else None, id=f"reasoning-{name}") for name in REASONING),
    *(pytest.param(None, name, id=f"tool-{name}") for name in TOOLS),
]
COMMITS = ["incremental", "on_close"]
HOLDS = (0, 1, 3, 7, 11, 40)  # characters of lag, card T-16
TOOLS_OF_THE_REQUEST = [
    FunctionTool.model_validate(
        {"function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    )
    for name, properties in {
        "f": {
            "x": {"type": "integer"},
            "n": {"type": ["number", "null"]},
            "s": {"type": "string"},
            "l": {"type": "array"},
        },
        "g": {},
    }.items()
]


def examples(share: float) -> settings:
    """That share of the profile's examples."""
    return settings(max_examples=max(2, round(settings().max_examples * share)))


# --- runs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    """A parser choice."""

    reasoning: str | None
    tool: str | None
    call_commit: str
    output: Output

    @property
    def config(self) -> ParserEngineConfig:
        """The table."""
        return joined(self.reasoning, self.tool)

    def parser(self, with_ids=True, plain=True):
        """A fresh parser; `plain` allows the fast path."""
        parser = build_parser(
            self.reasoning,
            self.tool,
            self.output.tokenizer if with_ids else None,
            tools=TOOLS_OF_THE_REQUEST,
            call_commit=self.call_commit,
            template_kwargs={"thinking": True, "enable_thinking": True},
        )
        parser.use_plain = plain
        return parser


def feed(parser, deltas, client=None):
    """Deltas into a parser; returns the client that received what came out."""
    client = client or Accumulator()
    for delta in deltas:
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    return client


def fields(parser, client):
    """The answer: three fields, completeness of the calls, reasoning tokens."""
    complete = [call.complete for call in parser.calls]
    calls = [(call.name, call.arguments) for call in client.calls]
    return client.reasoning, client.content, list(zip(calls, complete, strict=True)), parser.reasoning_tokens


def answer(setup, deltas, **choices):
    parser = setup.parser(**choices)
    return fields(parser, feed(parser, deltas))


def some_cut(data, stream):
    return cut_at(stream, data.draw(st.lists(st.integers(1, max(1, len(stream.ids) - 1)), max_size=8), label="cuts"))


# --- laws -------------------------------------------------------------------------------------------------------------


def check_cuts_do_not_matter(setup, data):
    stream = setup.output.stream(data.draw(st.sampled_from(HOLDS), label="hold"))
    by_token = answer(setup, cut(setup.output.stream(), "token"))
    note(f"token by token: {by_token}")
    assert answer(setup, some_cut(data, stream)) == by_token
    assert answer(setup, cut(stream, "one")) == by_token
    assert answer(setup, cut(stream, "token"), plain=False) == by_token, "the fast path differs from the slow path"
    texts = text_only(some_cut(data, stream))
    assert answer(setup, texts, with_ids=False) == answer(setup, text_only(cut(stream, "one")), with_ids=False)


def check_a_parser_can_be_put_back(setup, data):
    deltas = cut(setup.output.stream(), "token")
    at = data.draw(st.integers(0, len(deltas) - 1), label="snapshot at")
    parser = setup.parser()
    client = feed(parser, deltas[:at])
    before = parser.snapshot()
    detour = data.draw(st.permutations(deltas[at:]), label="detour")[:3]
    feed(parser, [replace(delta, finished=False) for delta in detour])
    parser.restore(before)
    assert parser.snapshot() == before
    assert fields(parser, feed(parser, deltas[at:], client)) == answer(setup, deltas)


def check_empty_deltas_and_a_second_end_change_nothing_and_no_delta_follows(setup, data):
    deltas = cut(setup.output.stream(), "token")
    parser, at = setup.parser(), data.draw(st.integers(0, len(deltas) - 1), label="empty delta at")
    client = feed(parser, [*deltas[:at], Delta(""), *deltas[at:]])
    assert fields(parser, client) == answer(setup, deltas)
    assert parser.engine.finish() == []
    with pytest.raises(RequestError, match="finished"):
        parser.parse_delta("", (), None, False)


def check_what_a_client_receives(setup, data):
    parser, client = setup.parser(), Accumulator()
    longest = max((len(s) for t in setup.config.terminals.values() for s in t.spellings + t.followed_by), default=0)
    waits = any(row.unless for row in setup.config.rows)
    for delta in some_cut(data, setup.output.stream()):
        message = parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        for part in message.tool_calls if message else ():
            known = part.index < len(client.calls)
            assert part.index <= len(client.calls), "indexes rise by one"
            assert known == (part.id is None), "the id comes once, first"
            assert known == (part.function is None or part.function.name is None), "the name comes once, first"
            client.add(type(message)(None, None, None, [part]))
        held = parser.engine.lexer.held
        assert waits or len(held) <= 2 * longest + 600, "only what may become a marker is held"
        assert delta.finished <= (not held), "the end holds nothing back"
    for call, told in zip(client.calls, parser.calls, strict=True):
        assert call.name
        if told.complete:
            assert isinstance(json.loads(call.arguments), dict)
        call.arguments.encode()


LAWS = [
    check_cuts_do_not_matter,
    check_a_parser_can_be_put_back,
    check_empty_deltas_and_a_second_end_change_nothing_and_no_delta_follows,
    check_what_a_client_receives,
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__.removeprefix("check_"))
@pytest.mark.parametrize("call_commit", COMMITS)
@pytest.mark.parametrize(("reasoning", "tool"), PAIRS)
@examples(0.65)
@given(data=st.data())
def test_laws_of_pairs(reasoning, tool, call_commit, law, data):
    law(Setup(reasoning, tool, call_commit, data.draw(outputs(reasoning, tool), label="output")), data)


@pytest.mark.parametrize("call_commit", COMMITS)
@pytest.mark.parametrize(("reasoning", "tool"), FORMATS)
@examples(0.06)
@given(data=st.data())
def test_laws_of_every_format(reasoning, tool, call_commit, data):
    setup = Setup(reasoning, tool, call_commit, data.draw(outputs(reasoning, tool), label="output"))
    for law in LAWS:
        law(setup, data)


@pytest.mark.parametrize(("reasoning", "tool"), PAIRS)
@examples(0.65)
@given(data=st.data())
def test_captured_streams_without_spans_give_the_same_answer(reasoning, tool, data):
    output = data.draw(outputs(reasoning, tool, letters=False), label="output")
    setup = Setup(reasoning, tool, "incremental", output)
    captured = [Delta(d.text, d.ids, None, d.finished) for d in some_cut(data, output.stream())]
    assert answer(setup, captured)[:3] == answer(setup, cut(output.stream(), "token"))[:3]
