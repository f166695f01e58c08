"""The neutral suite `canitoolcall`: its fixtures as cases, run through our parsers, judged by its own checks.

A fixture becomes a case with the parser names its model card tells a server to use. Each case is parsed whole and
under the suite's eight cuts, as a client would receive it, and its verdict is the worst of the suite's checks: pass,
soft pass (only outer white space differs) or fail.

Ids come from the bundled tokenizer with the markers of the chosen formats. Where exact token texts are at hand they
are used instead: marker letters spread over ordinary tokens are data, which only the tokens can tell.

Source: canitoolcall 0.1.1 (its README and `checks`), card 00 (C0-01 … C0-03).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from canitoolcall.checks import case_status, run_checks
from canitoolcall.chunking import DEFAULT_STRATEGIES
from canitoolcall.fixtures import Family, Fixture, load_families, load_fixtures
from canitoolcall.results import CheckResult, Observation, ParsedToolCall, ParseResult, Status

from parsers.debug.replay import WHOLE, CallCommit, ReplayOptions, replay_case
from parsers.files.case import Case
from parsers.files.result import Result

STRATEGIES = (WHOLE, *(strategy.id for strategy in DEFAULT_STRATEGIES))
TOKEN_TEXTS = Path(__file__).with_name("token_texts.jsonl")

Tokens = Mapping[str, Sequence[str]]  # fixture id -> exact token texts


class Verdict(StrEnum):
    """What becomes of a fixture."""

    PASS = "pass"
    SOFT = "soft pass"
    FAIL = "fail"


_VERDICTS = {Status.PASS: Verdict.PASS, Status.SOFT_PASS: Verdict.SOFT}

# (pattern found in the model's name, reasoning parser, tool parser): the first that fits, from the model cards.
PARSERS: tuple[tuple[str, str | None, str | None], ...] = (
    (r"Qwen3-.*Instruct-2507", None, "hermes"),
    (r"Qwen3-.*Thinking-2507", "deepseek_r1", "hermes"),
    (r"Qwen3-Coder", None, "qwen3_coder"),
    (r"Qwen3\.[5-9]", "qwen3", "qwen3_coder"),
    (r"Qwen3-", "qwen3", "hermes"),
    (r"gpt-oss", "openai_gptoss", "openai"),
    (r"DeepSeek-V4\.1", "deepseek_v41", "deepseek_v41"),
    (r"DeepSeek-V4", "deepseek_v4", "deepseek_v4"),
    (r"DeepSeek-V3\.2", "deepseek_v3", "deepseek_v32"),
    (r"DeepSeek-V3\.1", "deepseek_v3", "deepseek_v31"),
    (r"DeepSeek-V3", None, "deepseek_v3"),
    (r"Kimi-K3", "kimi_k3", "kimi_k3"),
    (r"Kimi-K2-Instruct", None, "kimi_k2"),
    (r"Kimi-K2", "kimi_k2", "kimi_k2"),
    (r"GLM-4\.[56]", "glm45", "glm45"),
    (r"GLM-", "glm47", "glm47"),
    (r"Llama-4", None, "llama4_pythonic"),
    (r"Llama-3", None, "llama3_json"),
    (r"Magistral|Ministral-3-.*Reasoning", "mistral", "mistral"),
    (r"Mistral|Ministral|Devstral", None, "mistral"),
    (r"gemma-4", "gemma4", "gemma4"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A fixture and what our parsers made of it.

    Attributes:
        rows: the suite's checks, one row each.
        results: our result under each strategy.
    """

    fixture: Fixture
    verdict: Verdict
    rows: Sequence[CheckResult]
    results: Sequence[Result]

    @property
    def cut_inside_call(self) -> bool:
        """A call's end never came, and a client of an incremental stream has its beginning."""
        return any(not call.complete for result in self.results for call in result.tool_calls)

    @property
    def problems(self) -> list[str]:
        """One line for each distinct complaint, under the first strategy that has it."""
        told: dict[str, str] = {}
        for row in self.rows:
            if row.status is not Status.PASS and row.detail is not None:
                told.setdefault(row.detail, f"{row.check} [{row.strategy}]: {row.detail}")
        return list(told.values())


def run_suite(
    families: Sequence[str] = (), call_commit: CallCommit = "incremental", tokens: Tokens | None = None
) -> Iterator[Outcome]:
    """Run the fixtures of some families, or of all.

    Args:
        families: names of the suite's families; empty means all.
        call_commit: when a call becomes visible.
        tokens: exact token texts by fixture id; None means those kept with the tests.
    """
    known = read_tokens(TOKEN_TEXTS) if tokens is None else tokens
    options = ReplayOptions(call_commit=call_commit)
    for fixture in load_fixtures(families=families or None):
        yield run_fixture(fixture, options, known)


def run_fixture(fixture: Fixture, options: ReplayOptions, tokens: Tokens) -> Outcome:
    """Run one fixture."""
    case = case_of(fixture, tokens.get(fixture.id))
    results = replay_case(case, STRATEGIES, options)
    observed = {result.strategy: _observed(result) for result in results}
    whole = observed.pop(WHOLE)
    rows = run_checks(fixture, _families()[fixture.family], Observation(whole, observed))
    return Outcome(fixture, _VERDICTS.get(case_status(rows), Verdict.FAIL), rows, results)


def case_of(fixture: Fixture, tokens: Sequence[str] | None = None) -> Case:
    """The fixture as a case file would hold it, with its expected answer."""
    reasoning, tool = parsers_of(fixture)
    return Case.model_validate(
        {
            "id": fixture.id,
            "family": fixture.family,
            "reasoning_parser": reasoning,
            "tool_parser": tool,
            "raw_output": fixture.raw_output,
            "tokens": tokens,
            "generation_prompt": _prompt_of(fixture),
            "tools": list(fixture.tools),
            "request": {"chat_template_kwargs": _thinking(fixture)},
            "engine_finish_reason": "length" if fixture.truncated else "stop",
            "expected": _expected(fixture),
            "compare": "exact",
        }
    )


def parsers_of(fixture: Fixture) -> tuple[str | None, str | None]:
    """Reasoning and tool parser for the fixture's model.

    Raises:
        LookupError: a model the table does not know.
    """
    for pattern, reasoning, tool in PARSERS:
        if re.search(pattern, fixture.reference_model):
            return reasoning, tool
    raise LookupError(f"{fixture.id}: no parser names for {fixture.reference_model}")


def read_tokens(path: Path) -> dict[str, list[str]]:
    """Token texts by fixture id, from JSON Lines with the fields `id` and `tokens`; a line may have no tokens."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["tokens"] for row in rows if row.get("tokens") is not None}


def by_family(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes grouped by family, families in order."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.fixture.family, []).append(outcome)
    return dict(sorted(groups.items()))


def count(outcomes: Iterable[Outcome], verdict: Verdict) -> int:
    """Number of outcomes with a verdict."""
    return sum(outcome.verdict is verdict for outcome in outcomes)


@cache
def _families() -> dict[str, Family]:
    return load_families()


def _prompt_of(fixture: Fixture) -> str | None:
    """The prompt's end; a fixture without one was written after its model's usual prompt."""
    model = _families()[fixture.family].reference_for(fixture.reference_model)
    return fixture.generation_prompt or (model.default_generation_prompt if model else None)


def _thinking(fixture: Fixture) -> dict[str, bool]:
    """Both spellings that chat templates know; nothing when the request left it to the template."""
    return {} if fixture.thinking is None else {"enable_thinking": fixture.thinking, "thinking": fixture.thinking}


def _expected(fixture: Fixture) -> dict[str, object] | None:
    expected = fixture.expected
    if expected is None:
        return None
    calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in expected.tool_calls]
    return {"reasoning": expected.reasoning_content, "content": expected.content, "tool_calls": calls}


def _observed(result: Result) -> ParseResult:
    error = result.error
    return ParseResult(
        content=result.content or None,
        reasoning_content=result.reasoning or None,
        tool_calls=tuple(ParsedToolCall(call.name, call.arguments) for call in result.tool_calls),
        exception=f"{error.type}: {error.message}" if error else None,
    )
