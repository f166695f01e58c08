"""The default composition: one engine pass for both fields.

`parse_delta` for a stream and `parse` for a whole output are the same code, fed differently, so they cannot disagree
(design.md, decision 2). A parser serves one choice of one request (P-23).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from parsers.args.schema import ParameterTypes
from parsers.compose.ids import id_maker
from parsers.compose.slots import CallState, Slots
from parsers.compose.start import Start
from parsers.engine.alphabet import Alphabet
from parsers.engine.events import EventType
from parsers.engine.gate import CallCommit
from parsers.engine.stream import StreamingParserEngine
from parsers.errors import RequestError
from parsers.protocol import (
    Accumulator,
    DeltaFunction,
    DeltaMessage,
    DeltaToolCall,
    FunctionCall,
    FunctionTool,
    ParsedMessage,
    ToolCall,
)  # fmt: skip
from parsers.state import Stateful

SINGLE_USE = "This parser has finished its stream; make a new one for the next (D-06)."


class UnifiedParser(Stateful):
    """Turns deltas into client-shaped DeltaMessages.

    Args:
        start: table and first state.
        alphabet: what ids mean, built for `start.config`.
        token_text: one token's text alone.
        tools: the request's functions; without any, no name counts as unknown.
        call_commit: when a call becomes visible.
        history_calls: tool calls already in the conversation, for ids that count them.

    Attributes:
        use_plain: allow the plain path; the trace switches it off to see every stage.
    """

    STATE = ("engine", "slots")

    def __init__(
        self,
        start: Start,
        alphabet: Alphabet,
        token_text: Callable[[int], str],
        tools: Sequence[FunctionTool] = (),
        call_commit: CallCommit = "incremental",
        history_calls: int = 0,
    ) -> None:
        config = start.config
        schemas = {tool.name: tool.parameters for tool in tools}
        self.start, self.alphabet, self.use_plain = start, alphabet, True
        self._types: dict[str, ParameterTypes] = {}
        self._schemas = schemas
        self.engine = StreamingParserEngine(
            config, alphabet, token_text, start.state, self._types_of, self._known, call_commit
        )
        self.slots = Slots(
            config.content_trim, config.reasoning_trim, id_maker(config.call_ids, history_calls), start.ended,
            config.escaped_newlines, config.never_empty,
        )  # fmt: skip
        self._plain: re.Pattern[str] | None = None

    @property
    def reasoning_ended(self) -> bool:
        """A reasoning end was delivered, or there is no reasoning."""
        return self.slots.reasoning_ended

    @property
    def reasoning_tokens(self) -> int:
        """Ordinary tokens that went to reasoning."""
        return self.engine.reasoning_tokens

    @property
    def calls(self) -> list[CallState]:
        """Announced calls."""
        return self.slots.calls

    def parse_delta(
        self,
        text: str,
        ids: Sequence[int] = (),
        spans: Sequence[tuple[int, int]] | None = None,
        finished: bool = False,
    ) -> DeltaMessage | None:
        """Take one delta (see `tokens.base.Delta`); returns what the client gets for it, None for nothing yet.

        Raises:
            RequestError: the stream has finished; another one needs a parser of its own (D-06, L-07).
        """
        plain = self._plain
        if plain is not None and text and not finished:
            shown_whole = not spans or spans[-1][1] <= self.engine.scanner.shown + len(text)
            if shown_whole and plain.search(text) is None and self.alphabet.ids.isdisjoint(ids):
                return self._plain_delta(text, len(ids))
        if self.engine.finished:
            raise RequestError(SINGLE_USE)
        events = self.engine.feed(text, ids, spans)
        if finished:
            events += self.engine.finish()
        delta = self.slots.convert(events, finished)
        self._find_plain()
        return delta

    def parse(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[tuple[int, int]] | None = None
    ) -> ParsedMessage:
        """A whole output at once; calls that are not complete are dropped."""
        delta = self.parse_delta(text, ids, spans, finished=True)
        accumulator = Accumulator()
        accumulator.add(delta)
        complete = {call.index for call in self.calls if call.complete}
        return ParsedMessage(
            reasoning=accumulator.reasoning,
            content=accumulator.content,
            tool_calls=[
                ToolCall(id=call.id or "", function=FunctionCall(name=call.name or "", arguments=call.arguments))
                for call in accumulator.calls
                if call.index in complete
            ],
        )

    def continue_from(self, half: UnifiedParser) -> None:
        """Read on where a parser that runs a half of this one's table handed over; both share one alphabet."""
        self.engine.continue_from(half.engine)
        self.slots.continue_from(half.slots)
        self._find_plain()

    def restore(self, snapshot: tuple[object, ...]) -> None:
        """Put back an earlier state."""
        super().restore(snapshot)
        self.engine.find_plain()
        self._find_plain()

    def _plain_delta(self, text: str, count: int) -> DeltaMessage:
        engine = self.engine
        kind = engine.plain_type
        engine.scanner.shown += len(text)
        if kind is EventType.TEXT_CHUNK:
            return DeltaMessage(None, None, text, [])
        if kind is EventType.REASONING_CHUNK:
            engine.reasoning_tokens += count
            return DeltaMessage(None, text, None, [])
        index = len(self.slots.calls) - 1
        return DeltaMessage(None, None, None, [DeltaToolCall(index, None, None, DeltaFunction(None, text))])

    def _find_plain(self) -> None:
        engine = self.engine
        usable = self.use_plain and engine.plain is not None and self.slots.passes(engine.plain_type)
        self._plain = engine.plain if usable else None

    def _known(self, name: str) -> bool:
        return not self._schemas or name in self._schemas

    def _types_of(self, name: str) -> ParameterTypes:
        types = self._types.get(name)
        if types is None:
            types = self._types[name] = ParameterTypes(self._schemas.get(name), self.engine.config.untyped)
        return types


