"""One text through a parser in every way it can arrive; the ways must agree.

The helper every format test uses: whole, in one delta, token by token, character by character, at every two-way cut
with ids, and at every two-way cut of the bare text. Source: design.md "Laws" (cut invariance), E-94.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parsers.engine.gate import CallCommit
from parsers.protocol import Accumulator, FunctionTool
from parsers.registry import build_parser, markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.base import Delta, Tokenizer
from parsers.tokens.chunks import cut, two_way
from parsers.tokens.stream import StreamOptions, TokenStream, simulate


@dataclass(frozen=True)
class Fields:
    """What a client has in the end; arguments of complete calls as JSON values, of cut ones as text."""

    reasoning: str | None
    content: str | None
    calls: tuple[tuple[str, object], ...] = ()
    cut_calls: tuple[tuple[str, str], ...] = ()
    reasoning_tokens: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Setup:
    """A parser choice and its request."""

    reasoning: str | None = None
    tool: str | None = None
    tools: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prompt: str | None = None
    kwargs: Mapping[str, object] = field(default_factory=dict)
    call_commit: CallCommit = "incremental"

    def function_tools(self) -> list[FunctionTool]:
        """The request's tools: name -> properties."""
        return [
            FunctionTool.model_validate(
                {"function": {"name": name, "parameters": {"type": "object", "properties": dict(properties)}}}
            )
            for name, properties in self.tools.items()
        ]


def everywhere(setup: Setup, text: str, text_only: bool = True, stop: Sequence[str] = ()) -> Fields:
    """The fields of `text`, the same under every cut; raises AssertionError naming the first cut that differs.

    Args:
        text_only: also without ids, where the format can be told apart by its text alone.
    """
    tokenizer = bundled.load(markers_of(setup.reasoning, setup.tool), special_of(setup.reasoning, setup.tool))
    stream = simulate(tokenizer, tokenizer.encode(text), StreamOptions(stop=tuple(stop)))
    expected = run(setup, tokenizer, cut(stream, "token"))
    for label, deltas in ways(stream, text_only):
        got = run(setup, tokenizer if deltas[0].ids or deltas[-1].ids else None, deltas)
        assert got == expected, f"{label} differs from token by token:\n{got}\n{expected}"
        if got.reasoning_tokens is not None and any(d.ids for d in deltas):
            assert got.reasoning_tokens == expected.reasoning_tokens, label
    return expected


def ways(stream: TokenStream, text_only: bool) -> Iterator[tuple[str, list[Delta]]]:
    """Every way of feeding a stream, with a label."""
    for strategy in ("one", "every:2", "every:3", "rand:1:8", "rand:2:5"):
        yield strategy, cut(stream, strategy)
    for positions in two_way(len(stream.ids)):
        at = ",".join(map(str, positions))
        yield f"cuts:{at}", cut(stream, f"cuts:{at}")
    if text_only and stream.text:
        yield "char:0", cut(stream, "char:0")
        for at in range(1, len(stream.text)):
            yield f"text cut {at}", [Delta(stream.text[:at]), Delta(stream.text[at:], finished=True)]


def run(setup: Setup, tokenizer: Tokenizer | None, deltas: Sequence[Delta]) -> Fields:
    """The fields for one way of cutting."""
    parser = build_parser(
        setup.reasoning, setup.tool, tokenizer, tools=setup.function_tools(), generation_prompt=setup.prompt,
        template_kwargs=setup.kwargs, call_commit=setup.call_commit,
    )  # fmt: skip
    client = Accumulator()
    for delta in deltas:
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    complete = {call.index for call in parser.calls if call.complete}
    return Fields(
        client.reasoning,
        client.content,
        tuple((c.name or "", json.loads(c.arguments)) for c in client.calls if c.index in complete),
        tuple((c.name or "", c.arguments) for c in client.calls if c.index not in complete),
        parser.reasoning_tokens if tokenizer else None,
    )
