"""A run -> what the serving layer makes of it: the lines on the wire, token counts, leaks, and what was constrained.

`send` runs the rules of `serving` over the deltas as they come; `served` adds what can be said once all of them are
sent. Law: the lines joined are the body of one streamed response.

Source: card 01 (P-20 … P-51), card 05 (S-50 … S-53, S-70), card 07 (F-09, F-43).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from parsers.compose.start import THINK_TERMINALS
from parsers.debug.exchange import Exchange, findings_of, orders_of
from parsers.legacy.think import count_reasoning
from parsers.protocol import FinishReason, Usage
from parsers.serving.audit import LeakAudit, audit
from parsers.serving.chat import ChatChunk, ChatStreamProcessor, StreamParser
from parsers.serving.stream import ChatStream, ResponseHead, StreamedChoice
from parsers.serving.usage import ChoiceTokens, usage_of
from parsers.structured.lint import Finding
from parsers.structured.request import Prepared
from parsers.structured.timeline import Gate, TokenFreedom, constraint_start, timeline
from parsers.tokens.base import Delta

if TYPE_CHECKING:
    from parsers.debug.session import Run

HEAD = ResponseHead(id="chatcmpl-1", model="model", created=0)
"""The same for every response, so that equal runs give equal lines."""
SHORTEST_SECRET = 4
"""Characters of a hidden text that is searched for; a shorter one is in any text by chance."""


class CountingParser(StreamParser, Protocol):
    """What serving a run needs of its parser."""

    @property
    def reasoning_tokens(self) -> int:
        """Ordinary tokens that went to reasoning so far."""
        ...

    @property
    def reasoning_ended(self) -> bool:
        """Reasoning is over, or there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Sent:
    """What one response sent. Lines are server-sent events without the blank line that ends each.

    Attributes:
        opening: the lines before any delta.
        steps: the lines of each delta; () where nothing is sent.
        closing: the lines behind the last delta.
        chunks: what each delta gave; None for nothing.
        tokens: all counts.
    """

    opening: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    closing: tuple[str, ...]
    chunks: tuple[ChatChunk | None, ...]
    tokens: ChoiceTokens

    @property
    def finish_reason(self) -> FinishReason | None:
        """Why the stream ended for the client."""
        last = self.chunks[-1] if self.chunks else None
        return last.finish_reason if last else None


@dataclass(frozen=True, slots=True)
class ConstraintTimeline:
    """What the model could choose from.

    Attributes:
        tokens: one for each token of the output.
        start: the first token the grammar reads, 0-based; None when it never starts.
    """

    tokens: tuple[TokenFreedom, ...]
    start: int | None


@dataclass(frozen=True, slots=True)
class Served:
    """One run as a client, and whoever set up the server, sees it.

    Attributes:
        usage: the counts of the response, sent or not.
        generated_only: reasoning tokens as a counter finds them that sees the generated ids and not the prompt
            (P-38); None where no single tokens open and close thinking.
        hidden: the request asks for reasoning to be hidden.
        audit: what of it can be read all the same.
        prepared: what the engine was told, and why.
        timeline: None when nothing constrains the output, or there are no ids.
        findings: what about the configuration loses data.
    """

    sent: Sent
    usage: Usage
    generated_only: int | None
    hidden: bool
    audit: LeakAudit
    prepared: Prepared
    timeline: ConstraintTimeline | None
    findings: tuple[Finding, ...]


def send(run: Run, parser: CountingParser) -> Sent:
    """Serve a run: its deltas through this parser and the serving rules."""
    exchange = run.exchange
    processor = ChatStreamProcessor(
        parser, exchange.chat, exchange.asked.auto_tools, run.tokenizer.token_text, exchange.has_parser
    )
    choice = StreamedChoice(processor, None if exchange.reasoning is None else lambda: parser.reasoning_tokens)
    stream = ChatStream(HEAD, exchange.chat, [choice], _prompt_ids(exchange))
    opening = _lines(stream.opening())
    chunks, steps = [], []
    for delta in run.deltas:
        chunk = processor.step(delta, *_end(run, delta))
        chunks.append(chunk)
        steps.append(_lines([stream.send(0, chunk)]))
    return Sent(opening, tuple(steps), _lines(stream.closing()), tuple(chunks), choice.tokens)


def served(run: Run, sent: Sent, reasoning: str | None) -> Served:
    """Everything about a run that was served.

    Args:
        reasoning: what the parser took for reasoning, hidden or not.
    """
    exchange = run.exchange
    orders = orders_of(exchange)
    ids = [token_id for delta in run.deltas for token_id in delta.ids]
    hidden = not exchange.chat.include_reasoning
    secrets = [reasoning.strip()] if hidden and reasoning and len(reasoning.strip()) >= SHORTEST_SECRET else []
    return Served(
        sent=sent,
        usage=usage_of(len(_prompt_ids(exchange)), [sent.tokens]),
        generated_only=_generated_only(exchange, ids),
        hidden=hidden,
        audit=audit([chunk for chunk in sent.chunks if chunk], secrets, run.tokenizer.decode),
        prepared=orders.prepared,
        timeline=_timeline(run, ids, orders.gate) if orders.prepared.constrained and ids else None,
        findings=findings_of(exchange),
    )


def _prompt_ids(exchange: Exchange) -> list[int]:
    """The ids of the prompt, as far as it is known."""
    return exchange.tokenizer.encode(exchange.generation_prompt or "")


def _end(run: Run, delta: Delta) -> tuple[FinishReason | None, str | int | None]:
    if not delta.finished:
        return None, None
    return cast(FinishReason, run.stream.finish_reason), run.stream.stop_reason


def _lines(events: Iterable[str]) -> tuple[str, ...]:
    return tuple(event.removesuffix("\n\n") for event in events if event)


def _generated_only(exchange: Exchange, ids: Sequence[int]) -> int | None:
    terminals, vocab = exchange.config.terminals, exchange.tokenizer.vocab
    if exchange.reasoning is None or not terminals.keys() >= THINK_TERMINALS:
        return None
    start, end = (vocab.get(terminals[name].spellings[0]) for name in ("THINK_START", "THINK_END"))
    return None if start is None or end is None else count_reasoning(ids, start, end)


def _timeline(run: Run, ids: Sequence[int], gate: Gate) -> ConstraintTimeline:
    if gate.reasoning and not gate.ends.explicit and gate.is_end is None:
        thinking = _thinking_tokens(run)
        gate = replace(gate, is_end=lambda seen: len(seen) >= thinking)
    return ConstraintTimeline(tuple(timeline(ids, gate)), constraint_start(ids, gate).consumed_from)


def _thinking_tokens(run: Run) -> int:
    """How many tokens a parser without end tokens takes for thinking, the engine asks it the same (S-52).

    One more than there are when thinking never ends.
    """
    parser, taken = run.parser(), 0
    for delta in run.cut("token"):
        parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        taken += len(delta.ids)
        if parser.reasoning_ended:
            return taken
    return taken + 1
