"""Token ids -> for each, whether the model was free, could not end thinking by a call, or had to obey the grammar.

A simulation of what a grammar engine does around thinking. Laws: the timeline has one entry a token; once the grammar
has started it never stops (S-53); where a stream is cut into batches changes nothing.

Source: card S-50 … S-53, S-70.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from parsers.engine.config import ParserEngineConfig
from parsers.engine.ends import EndTokens, end_tokens
from parsers.structured.begins import may_begin_with
from parsers.structured.reasoning import ReasoningEnded
from parsers.structured.request import Prepared


class Freedom(StrEnum):
    """What the model could choose from for one token."""

    FREE = "free"
    MASKED = "free, but no call may end thinking"
    GRAMMAR = "grammar"


@dataclass(frozen=True, slots=True)
class TokenFreedom:
    """One token of the timeline: what was allowed, the card rule that says so, and a clause why."""

    freedom: Freedom
    rule: str
    why: str


IsEnd = Callable[[Sequence[int]], bool]
"""Whether thinking is over after these ids: what a parser without id sets is asked (S-52)."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What decides when the grammar starts.

    Attributes:
        constrained: there is a grammar.
        reasoning: the engine has a reasoning parser.
        in_reasoning: the server constrains thinking as well.
        reasoning_ended: the API's answer, see `reasoning.ReasoningEnded`.
        prompt_ended: what the engine's own parser makes of the prompt.
        ends: ids that end thinking.
        is_end: asked instead where the parser has no id sets; None where it has.
        grammar_starts: ids the grammar can begin with.
    """

    constrained: bool
    reasoning: bool
    in_reasoning: bool = False
    reasoning_ended: bool | None = None
    prompt_ended: bool = False
    ends: EndTokens = field(default_factory=EndTokens)
    is_end: IsEnd | None = None
    grammar_starts: frozenset[int] = frozenset()

    @property
    def masked(self) -> frozenset[int]:
        """Ids that may not be chosen while thinking (S-51)."""
        return self.ends.implicit - self.grammar_starts


@dataclass(frozen=True, slots=True)
class ConstraintStart:
    """Where the grammar starts.

    Attributes:
        consumed_from: index of the first token the grammar reads, 0-based; None when it never starts.
        masked_from: index of the first token whose choice it limits; one later when the token before ended thinking
            by beginning a call.
    """

    consumed_from: int | None
    masked_from: int | None
    rule: str
    why: str


def gate_of(
    prepared: Prepared,
    answer: ReasoningEnded,
    config: ParserEngineConfig | None,
    vocab: Mapping[str, int],
    engine_prompt_ended: bool | None = None,
) -> Gate:
    """The gate of a request.

    Args:
        answer: what the API hands to the engine.
        config: the joined table; None or one without thinking stands for no reasoning parser.
        vocab: token text -> id.
        engine_prompt_ended: see `reasoning.prompt_ended`, asked in the engine.
    """
    if config is None or config.switch is None:
        return Gate(prepared.constrained, reasoning=False, reasoning_ended=answer.ended)
    ends = end_tokens(config, vocab)
    return Gate(
        prepared.constrained,
        reasoning=True,
        reasoning_ended=answer.ended,
        prompt_ended=engine_prompt_ended is True,
        ends=ends,
        grammar_starts=_grammar_starts(prepared, ends, vocab),
    )


def _grammar_starts(prepared: Prepared, ends: EndTokens, vocab: Mapping[str, int]) -> frozenset[int]:
    constraint = prepared.constraint
    if constraint is None:  # the parser's own grammar, made of its own markers
        return ends.implicit
    return frozenset(id_ for text, id_ in vocab.items() if id_ in ends.implicit and may_begin_with(constraint, text))


def constraint_start(ids: Sequence[int], gate: Gate) -> ConstraintStart:
    """Where the grammar starts in a whole output (S-50, S-52)."""
    if not gate.constrained:
        return ConstraintStart(None, None, "S-50", "the request has no constraint")
    at_once = _starts_at_once(gate)
    if at_once:
        return ConstraintStart(0, 0, "S-50", at_once)
    at = _first_end(ids, gate)
    if at is None:
        return ConstraintStart(None, None, "S-50", "reasoning has not ended")
    if ids[at] in gate.ends.implicit:
        return ConstraintStart(at, at + 1, "S-50", "a call ended reasoning, and the grammar reads its opener")
    return ConstraintStart(at + 1, at + 1, "S-50" if gate.is_end is None else "S-52", "reasoning has ended")


def timeline(ids: Sequence[int], gate: Gate) -> list[TokenFreedom]:
    """What was allowed for each token of an output."""
    start = constraint_start(ids, gate)
    free_until = len(ids) if start.masked_from is None else min(start.masked_from, len(ids))
    ruled = TokenFreedom(Freedom.GRAMMAR, start.rule, start.why)
    return [_before(token, gate, start) for token in ids[:free_until]] + [ruled] * (len(ids) - free_until)


def first_end_in_batch(seen: Sequence[int], batch: Sequence[int], is_end: IsEnd) -> int | None:
    """Index in a speculative batch of the token that ended thinking; None when none did (S-52).

    Asks about the whole batch first and walks back only on a yes.
    """
    if not is_end([*seen, *batch]):
        return None
    at = len(batch) - 1
    while at > 0 and is_end([*seen, *batch[:at]]):
        at -= 1
    return at


def _starts_at_once(gate: Gate) -> str:
    """Why the grammar applies from the first token; "" when it waits."""
    if gate.in_reasoning:
        return "the server constrains thinking too"
    if not gate.reasoning:
        return "there is no reasoning parser"
    if gate.reasoning_ended is True:
        return "the API said that reasoning is over"
    if gate.reasoning_ended is None and gate.prompt_ended:
        return "the prompt has closed thinking"
    return ""


def _first_end(ids: Sequence[int], gate: Gate) -> int | None:
    if gate.is_end is not None:
        seen: list[int] = []
        for at, token in enumerate(ids):
            seen.append(token)
            if gate.is_end(seen):
                return at
        return None
    ends = gate.ends.explicit | (gate.ends.implicit - gate.masked)
    return next((at for at, token in enumerate(ids) if token in ends), None)


def _before(token: int, gate: Gate, start: ConstraintStart) -> TokenFreedom:
    """What was allowed before the grammar limits anything."""
    if not gate.constrained:
        return TokenFreedom(Freedom.FREE, start.rule, start.why)
    if token in gate.masked:
        return TokenFreedom(Freedom.MASKED, "S-51", "with this request the model could not have chosen this token")
    if gate.masked:
        return TokenFreedom(Freedom.MASKED, "S-51", "the grammar cannot start with a tool opener")
    return TokenFreedom(Freedom.FREE, "S-50", "thinking is not constrained")
