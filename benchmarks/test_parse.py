"""Parsing stays linear and fast; the full table is printed by `python -m benchmarks.parse`."""

import pytest

from benchmarks.parse import PAIRS, measure, phased, workloads
from parsers.names import REASONING, TOOLS

ENOUGH_PER_SECOND = 20_000  # far below what a free machine does, far above what quadratic cost allows
FLAT = 3.0  # the last tenth of a stream may cost this much more than the first: noise, not growth

STREAMS = [
    pytest.param(work, id=f"{reasoning}+{tool}-{work.name.replace(' ', '-')}")
    for reasoning, tool in PAIRS
    if reasoning in REASONING and tool in TOOLS
    for work in workloads(reasoning, tool)
]


@pytest.mark.benchmark
@pytest.mark.parametrize("work", STREAMS)
def test_one_token_deltas(work):
    found = measure(work)
    print(
        f"\n{work.reasoning}+{work.tool} {work.name}: {found.per_second:,.0f} tokens/s, slowest {found.slowest:,.0f} µs"
    )
    assert found.per_second > ENOUGH_PER_SECOND
    assert found.growth < FLAT


@pytest.mark.benchmark
def test_f24_an_engine_pair_driven_in_phases_stays_flat_and_a_classic_tool_parser_grows():
    engines, classic = measure(phased("qwen3", "qwen3_xml")), measure(phased("deepseek_r1", "hermes"))
    assert engines.growth < classic.growth
    assert classic.per_second < engines.per_second / 4
