"""How fast `parse_delta` is with one token a delta: `python -m benchmarks.parse [REASONING+TOOL …]`.

For each pair of names: prose of 1,000, 10,000 and 40,000 tokens, and calls with an argument of 20,000; then a shorter
call for parsers driven in phases, engine pairs and classic ones, whose cost grows (F-24). Prints tokens per second, the
cost of a delta in the last tenth of the stream against the first (flat means linear), and the slowest single delta.
Each figure is the best of several runs, with the garbage collector off.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from parsers.composition import Composition, Parser, ParserChoice, compose_parser
from parsers.names import REASONING, TOOLS
from parsers.registry import markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.base import Delta, Tokenizer
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate

PAIRS = (
    ("qwen3", "qwen3_xml"), ("deepseek_r1", "hermes"), ("openai_gptoss", "openai"), ("kimi_k2", "kimi_k2"),
    ("glm45", "glm45"),
)  # fmt: skip
PROSE = "The quick brown fox jumps over the lazy dog and then, at 7 o'clock, it goes home. "
PROSE_TOKENS = (1_000, 10_000, 40_000)
ARGUMENT_TOKENS = 20_000
RUNS = 3
PHASED = (("qwen3", "qwen3_xml"), ("deepseek_r1", "qwen3_xml"), ("deepseek_r1", "hermes"))
PHASED_TOKENS = 4_000
_OPENINGS = {"openai_gptoss": "<|channel|>final<|message|>"}
_CALLS = {
    "qwen3_xml": ("</think><tool_call>\n<function=f>\n<parameter=x>\n", "\n</parameter>\n</function>\n</tool_call>"),
    "hermes": ('</think><tool_call>\n{"name": "f", "arguments": {"x": "', '"}}\n</tool_call>'),
    "openai": (
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"x\": \"", '"}<|call|>'
    ),
    "kimi_k2": (
        "</think><|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"x\": \"",
        '"}<|tool_call_end|><|tool_calls_section_end|>',
    ),
    "glm45": ("</think><tool_call>f\n<arg_key>x</arg_key>\n<arg_value>", "</arg_value>\n</tool_call>"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figures:
    """One stream's figures.

    Attributes:
        tokens: deltas fed.
        per_second: tokens per second over the whole stream.
        growth: cost of a delta in the last tenth over that in the first.
        slowest: the slowest single delta, in microseconds.
    """

    tokens: int
    per_second: float
    growth: float
    slowest: float


@dataclass(frozen=True, slots=True)
class Workload:
    """A stream of one-token deltas for a pair of names and a composition."""

    reasoning: str
    tool: str
    name: str
    tokenizer: Tokenizer
    deltas: Sequence[Delta]
    composition: Composition = "unified"

    def parser(self) -> Parser:
        """A fresh parser."""
        return compose_parser(ParserChoice(self.reasoning, self.tool, self.tokenizer), self.composition)


def prose(tokenizer: Tokenizer, count: int) -> str:
    """About `count` tokens of text without markers."""
    return PROSE * max(1, round(count / len(tokenizer.encode(PROSE))))


def workloads(reasoning: str, tool: str) -> Iterator[Workload]:
    """The streams of a pair."""
    tokenizer = tokenizer_of(reasoning, tool)
    opening = _OPENINGS.get(reasoning, "")
    texts = {f"prose {count:,}": opening + prose(tokenizer, count) for count in PROSE_TOKENS}
    before, after = _CALLS.get(tool, ("", ""))
    if before:
        texts[f"argument {ARGUMENT_TOKENS:,}"] = before + prose(tokenizer, ARGUMENT_TOKENS) + after
    for name, text in texts.items():
        yield Workload(reasoning, tool, name, tokenizer, cut(simulate(tokenizer, tokenizer.encode(text)), "token"))


def phased(reasoning: str, tool: str) -> Workload:
    """A call with a long argument, read by parsers that are driven in phases."""
    tokenizer = tokenizer_of(reasoning, tool)
    before, after = _CALLS[tool]
    ids = tokenizer.encode(before + prose(tokenizer, PHASED_TOKENS) + after)
    deltas = cut(simulate(tokenizer, ids), "token")
    return Workload(reasoning, tool, f"phases {PHASED_TOKENS:,}", tokenizer, deltas, "delegating")


def tokenizer_of(reasoning: str, tool: str) -> Tokenizer:
    """The bundled tokenizer with a pair's markers."""
    return bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))


def measure(work: Workload, runs: int = RUNS) -> Figures:
    """Feed a stream several times."""
    with _no_collector():
        total = min(_feed(work) for _ in range(runs))
        costs = [_costs(work) for _ in range(runs)]
    best = [min(delta) for delta in zip(*costs, strict=True)]  # without the pauses a busy machine makes
    tenth = max(1, len(best) // 10)
    return Figures(len(best), len(best) / total, sum(best[-tenth:]) / sum(best[:tenth]), max(best) * 1e6)


def _feed(work: Workload) -> float:
    """Seconds for the whole stream."""
    parser = work.parser()
    start = time.perf_counter()
    for delta in work.deltas:
        parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
    return time.perf_counter() - start


def _costs(work: Workload) -> list[float]:
    """Seconds of each delta."""
    parser, costs = work.parser(), []
    for delta in work.deltas:
        start = time.perf_counter()
        parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        costs.append(time.perf_counter() - start)
    return costs


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def main(arguments: Sequence[str]) -> None:
    """Print a table for the pairs asked for, or for the usual ones."""
    pairs = [tuple(pair.split("+", 1)) for pair in arguments] or list(PAIRS)
    print(f"{'pair':24} {'stream':16} {'tokens':>7} {'tokens/s':>10} {'last/first tenth':>17} {'slowest delta':>14}")
    known = [(reasoning, tool) for reasoning, tool in pairs if reasoning in REASONING and tool in TOOLS]
    works = [work for pair in known for work in workloads(*pair)]
    for work in [*works, *(phased(*pair) for pair in PHASED if not arguments)]:
        found = measure(work)
        print(
            f"{work.reasoning + '+' + work.tool:24} {work.name:16} {found.tokens:7,} {found.per_second:10,.0f} "
            f"{found.growth:17.2f} {found.slowest:11,.0f} µs"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
