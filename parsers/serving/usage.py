"""Generated ids to the token counts of a response.

Laws: ids are counted, never text; hiding reasoning removes its text, not its count (P-35); a marker is neither
reasoning nor content (P-39).

Source: card 01 (P-35 … P-39), card 03 (L-32, L-33).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parsers.legacy.think import count_reasoning
from parsers.protocol import ChatRequest, CompletionTokensDetails, Usage


@dataclass(frozen=True, slots=True)
class ChoiceTokens:
    """Tokens of one choice so far.

    Attributes:
        completion: all generated ids.
        reasoning: those that were reasoning; None when no reasoning parser is named.
    """

    completion: int
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class ReasoningCounts:
    """How many tokens were reasoning, counted two ways (P-38).

    Attributes:
        generated_only: by the generated ids alone; 0 when the prompt has opened the thinking.
        with_prompt: with the thinking the prompt left open.
    """

    generated_only: int
    with_prompt: int


def usage_of(prompt_tokens: int, choices: Iterable[ChoiceTokens]) -> Usage:
    """Return the counts of a response: the prompt once, the choices summed (P-36).

    The details are there when any choice has a reasoning count, be it 0 (P-35).
    """
    tokens = list(choices)
    completion = sum(choice.completion for choice in tokens)
    reasoning = [choice.reasoning for choice in tokens if choice.reasoning is not None]
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion,
        total_tokens=prompt_tokens + completion,
        completion_tokens_details=CompletionTokensDetails(reasoning_tokens=sum(reasoning)) if reasoning else None,
    )


def reasoning_counts(ids: Sequence[int], start_id: int, end_id: int, prompt_open: bool) -> ReasoningCounts:
    """Return both numbers, so that a difference can be shown (L-33); they agree unless the prompt is open."""
    return ReasoningCounts(count_reasoning(ids, start_id, end_id), count_reasoning(ids, start_id, end_id, prompt_open))


def sends_usage(request: ChatRequest, forced: bool = False) -> bool:
    """Tell whether a stream ends with a usage chunk.

    Args:
        request: the request being answered.
        forced: the server adds usage to every stream.
    """
    return forced or request.stream_options.include_usage


def sends_continuous_usage(request: ChatRequest, forced: bool = False) -> bool:
    """Tell whether every chunk carries the counts so far; `continuous_usage_stats` alone does nothing (P-36)."""
    return forced or (request.stream_options.include_usage and request.stream_options.continuous_usage_stats)
