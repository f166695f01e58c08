"""An engine format behind the two classic contracts.

A reasoning adapter runs the reasoning half of a table (`half.reasoning_half`), a tool adapter the whole table or the
tool format alone. Side by side they read one stream, each its own part: the tool adapter goes on where the reasoning
adapter stopped, with the tokens that were placed and the text that was not read, so nothing has to be found twice.

Laws: the end of reasoning is confirmed by the machine, never by an id whose text is still to come (D-26); a pair of
adapters gives the fields of the unified parser.

Source: card 02 (E-75 … E-93), card 04 (D-05, D-07, D-26 … D-30, D-62, D-72).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from parsers.compose.merge import joined
from parsers.compose.unified import UnifiedParser
from parsers.engine.config import ParserEngineConfig, ParserState
from parsers.engine.ends import end_tokens
from parsers.legacy.base import ExtractedToolCalls, ReasoningParser, ToolParser
from parsers.protocol import ChatRequest, DeltaMessage
from parsers.state import Snapshot
from parsers.tokens.base import Span, Tokenizer

HalfMaker = Callable[[str | None], UnifiedParser]
"""Makes a fresh parser of a half; the argument is its first state, None for the one the request decides."""


class EngineReasoningParser(ReasoningParser):
    """The reasoning half of a format.

    Args:
        table: the whole table, whose rows tell by which tokens thinking ends.
        make_half: makes the parser that runs the half.

    Attributes:
        half: the parser at work.
        given_out: the text behind reasoning was handed to somebody.
    """

    STATE = ("half", "given_out")
    engine_based_streaming: ClassVar[bool] = True

    def __init__(self, tokenizer: Tokenizer, table: ParserEngineConfig, make_half: HalfMaker) -> None:
        super().__init__(tokenizer)
        self._make_half = make_half
        self._ends = end_tokens(table, tokenizer.vocab)
        self.half = make_half(None)
        start = self.half.start
        self._nothing_to_read = start.ended or start.config.is_tool_state(start.state)
        if self._nothing_to_read:
            self.half.engine.machine.handed_over = "behind"
        self.given_out = False
        self._ids: Sequence[int] = ()
        self._spans: Sequence[Span] | None = None

    def snapshot(self) -> Snapshot:
        """A half that has given out its rest is never read again: only its count matters then."""
        return ("over", self.half.reasoning_tokens) if self.given_out else super().snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Put back what `snapshot` returned."""
        if snapshot[0] == "over":
            self.given_out, self.half.engine.reasoning_tokens = True, snapshot[1]
        else:
            super().restore(snapshot)

    # --- token view ------------------------------------------------------------------------------------------

    def is_reasoning_end(self, token_ids: Sequence[int]) -> bool:
        """Whether the last marker of the current turn is an end; without one, whether the request has no thinking.

        The search stops at what begins a turn: an end of an earlier one says nothing (D-13).
        """
        ends, vocab, config = self._ends, self.tokenizer.vocab, self.half.start.config
        starts = {vocab[text] for text in config.prompt_open if text in vocab}
        turns = {vocab[text] for text in config.turn_boundaries if text in vocab}
        for token in reversed(token_ids):
            if token in ends.explicit or token in starts:
                return token in ends.explicit
            if token in turns:
                break
        return self._nothing_to_read and not config.content_prefix  # said before the first token, so it is asked

    def extract_content_ids(self, token_ids: Sequence[int]) -> list[int]:
        """The ids behind the last end of reasoning, a tool opener that ends it included; all where there is none."""
        if self._nothing_to_read:
            return list(token_ids)
        end = self.find_reasoning_end(token_ids)
        return [] if end is None else list(token_ids[end:])

    def find_reasoning_end(self, token_ids: Sequence[int]) -> int | None:
        """The position behind the last closer, or else of the first tool opener; None without either."""
        ends = self._ends
        closers = [at + 1 for at, token in enumerate(token_ids) if token in ends.explicit]
        if closers:
            return closers[-1]
        return next((at for at, token in enumerate(token_ids) if token in ends.implicit), None)

    def count_reasoning_tokens(self, token_ids: Sequence[int], prompt_open: bool = False) -> int:
        """Ids whose text goes to reasoning, read again by a fresh half (P-39)."""
        half = self._make_half(ParserState.REASONING if prompt_open else None)
        half.parse_delta(self.tokenizer.decode(token_ids), token_ids, finished=True)
        return half.reasoning_tokens

    @property
    def running_reasoning_tokens(self) -> int:
        """The half's count."""
        return self.half.reasoning_tokens

    @property
    def starts_open(self) -> bool:
        """The first state is reasoning."""
        return self.half.start.state == ParserState.REASONING

    @property
    def reasoning_end_token_ids(self) -> tuple[int, ...]:
        """Ids of the closers."""
        return tuple(sorted(self._ends.explicit))

    @property
    def implicit_reasoning_end_token_ids(self) -> tuple[int, ...]:
        """Ids of tool openers that end reasoning."""
        return tuple(sorted(self._ends.implicit))

    # --- text view -------------------------------------------------------------------------------------------

    def note_tokens(self, token_ids: Sequence[int], spans: Sequence[Span] | None) -> None:
        """Keep the tokens of the text to come."""
        self._ids, self._spans = token_ids, spans

    def extract_reasoning(self, text: str, request: ChatRequest | None = None) -> tuple[str | None, str | None]:
        """Reasoning, and the text behind it as it stands."""
        delta = self.half.parse_delta(text, self._ids, self._spans) or DeltaMessage()
        rest = self.finish_streaming() or DeltaMessage()
        return joined(delta.reasoning, rest.reasoning), joined(delta.content, rest.content)

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """What one delta adds before reasoning ends; what stands behind its end waits for `finish_streaming`."""
        return self.half.parse_delta(delta_text, delta_token_ids, self._spans)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """The machine has read the end, or there was no thinking to end (E-91)."""
        return self.half.engine.machine.is_over

    def finish_streaming(self) -> DeltaMessage | None:
        """What is still held: text behind the end of reasoning as it stands, or the last of a cut stream (D-27)."""
        if not self.has_engine_confirmed_reasoning_end():
            return self.half.parse_delta("", finished=True)
        if self.given_out:
            return None
        self.given_out = True
        held = "".join(text for text, _, _ in self.half.slots.content.held)
        rest = held + self.half.engine.unread
        thought = "".join(text for text, _, _ in self.half.slots.waiting or ())  # nobody waits for an answer now
        return DeltaMessage(reasoning=thought or None, content=rest or None) if rest or thought else None

    @property
    def reasoning_start_str(self) -> str | None:
        """How a prompt leaves thinking open."""
        return next(iter(self.half.start.config.prompt_open), None)

    @property
    def reasoning_end_str(self) -> str | None:
        """How a prompt closes thinking."""
        return next(iter(self.half.start.config.prompt_closed), None)


class EngineToolParser(ToolParser):
    """A format's calls and the text around them.

    Attributes:
        inner: the parser at work.
        continued: it reads on where a reasoning adapter stopped.
    """

    STATE = (*ToolParser.STATE, "inner", "continued")
    engine_based_streaming: ClassVar[bool] = True

    def __init__(self, tokenizer: Tokenizer, inner: UnifiedParser, tools: Sequence[object] | None = None) -> None:
        super().__init__(tokenizer, tools)
        self.inner = inner
        self.continued = False
        self._ids: Sequence[int] = ()
        self._spans: Sequence[Span] | None = None

    def adjust_request(self, request: ChatRequest) -> ChatRequest:
        """Keep special tokens in the text: markers may be some (S-03)."""
        return request.model_copy(update={"skip_special_tokens": False})

    def note_tokens(self, token_ids: Sequence[int], spans: Sequence[Span] | None) -> None:
        """Keep the tokens of the text to come."""
        self._ids, self._spans = token_ids, spans

    def start_at(self, position: int) -> None:
        """Count raw positions from there, as the spans of tokens do."""
        self.inner.engine.scanner.shown = position

    def continue_from(self, reasoning: ReasoningParser) -> bool:
        """Take the stream over from a reasoning adapter of the same pair that has read the end of reasoning."""
        if not isinstance(reasoning, EngineReasoningParser) or not reasoning.has_engine_confirmed_reasoning_end():
            return False
        if reasoning.half.alphabet is not self.inner.alphabet:
            return False
        self.inner.continue_from(reasoning.half)
        self.continued = reasoning.given_out = True
        return True

    @property
    def running_reasoning_tokens(self) -> int | None:
        """The count of a pair, once this half has taken over."""
        return self.inner.reasoning_tokens if self.continued else None

    def complete_calls(self) -> frozenset[int]:
        """Indexes of the calls whose end was read."""
        return frozenset(call.index for call in self.inner.calls if call.complete)

    def extract_tool_calls(self, text: str, request: ChatRequest | None = None) -> ExtractedToolCalls:
        """The complete calls; half markup is in no field (D-54)."""
        message = self.inner.parse("" if self.continued else text, self._ids, self._spans)
        return ExtractedToolCalls(
            bool(message.tool_calls), tuple(message.tool_calls), message.content, message.reasoning
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: ChatRequest | None = None,
    ) -> DeltaMessage | None:
        """What one delta adds."""
        return self.inner.parse_delta(delta_text, delta_token_ids, self._spans)

    def finish_streaming(self) -> DeltaMessage | None:
        """What the engine still holds."""
        return self.inner.parse_delta("", finished=True)
