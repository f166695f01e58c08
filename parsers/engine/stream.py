"""The pipeline of one stream: deltas in, semantic events out.

Scanner, lexer, machine and gate in a row, each with its own state; this module only passes things on. `parse_delta`'s
speed comes from the plain path: text that can contain no marker, in a state that passes text through, becomes its
event at once. Laws: fast path and slow path give the same events up to their splitting (E-11, E-13); feeding a stream
in any pieces gives the same fields; `finish` twice is harmless (E-83).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache

from parsers.args.params import EDGES
from parsers.args.schema import ParameterTypes
from parsers.engine.alphabet import SYMBOL, Alphabet
from parsers.engine.config import FEED, ParserEngineConfig, Sink
from parsers.engine.events import EventType, SemanticEvent
from parsers.engine.gate import CallCommit, CommitGate
from parsers.engine.lexer import TEXT, IncrementalLexer, Lexeme
from parsers.engine.lexicon import Lexicon, Lexicons, text_lexicons
from parsers.engine.machine import Machine
from parsers.engine.scanner import Piece, TokenIDScanner
from parsers.state import Stateful

_ARGUMENT_BREAKS = r"[\"\\\x00-\x1f]"


class StreamingParserEngine(Stateful):
    """One request's engine.

    Args:
        config: the table.
        alphabet: what ids mean; one built from an empty vocabulary for text-only streams.
        token_text: one token's text alone, for streams without spans.
        start: first state.
        types_of: tool name -> its parameter types.
        known: tool name -> the request has it.
        call_commit: when a call becomes visible.

    Attributes:
        reasoning_tokens: ordinary tokens whose text went to reasoning, markers excluded (E-80).
        finished: `finish` was called.
        plain: pattern that must not occur in a delta for the plain path, or None when only the slow path is right.
        plain_type: event type of the plain path.
    """

    STATE = ("scanner", "lexer", "machine", "gate", "reasoning_tokens", "finished")

    def __init__(
        self,
        config: ParserEngineConfig,
        alphabet: Alphabet,
        token_text: Callable[[int], str],
        start: str,
        types_of: Callable[[str], ParameterTypes],
        known: Callable[[str], bool],
        call_commit: CallCommit = "incremental",
    ) -> None:
        self.config, self.alphabet = config, alphabet
        self.scanner = TokenIDScanner(alphabet, token_text)
        self.lexer = IncrementalLexer(alphabet)
        whole = config.whole_regions or (config.whole_lists and call_commit == "on_close")
        self.gate = CommitGate(call_commit, config.unknown_names, known, whole)
        self.machine = Machine(config, start, self.gate, types_of)
        self._id_lexicons: Lexicons | None = None
        self.reasoning_tokens = 0
        self.finished = False
        self.plain: re.Pattern[str] | None = None
        self.plain_type = EventType.TEXT_CHUNK

    @property
    def lexicon(self) -> Lexicon:
        """The markers of the current state."""
        return self._lexicons[self.machine.state]

    def feed(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[tuple[int, int]] | None = None
    ) -> list[SemanticEvent]:
        """Take one delta; returns what happened, in order."""
        pieces = self.scan(text, ids, spans)
        self.lex(pieces, final=False)
        return self._take()

    def finish(self) -> list[SemanticEvent]:
        """End of the stream; returns what was still to come."""
        if self.finished:
            return []
        self.finished = True
        self.lex(self.scanner.flush(), final=True)
        self.machine.finish(self.scanner.shown)
        return self._take()

    def scan(self, text: str, ids: Sequence[int], spans: Sequence[tuple[int, int]] | None) -> list[Piece]:
        """Stage 1: place tokens in the text."""
        return self.scanner.scan(text, ids, spans)

    def lex(self, pieces: Sequence[Piece], final: bool) -> None:
        """Stages 2 and 3: lexemes of the current state, one at a time, into the machine."""
        lexer, machine = self.lexer, self.machine
        lexer.push(pieces)
        while not machine.is_over:
            place, taken = lexer.pos, len(machine.taken)
            lexeme = lexer.next(self.lexicon, final)
            if lexeme is None:
                break
            unused = machine.handle(lexeme)
            if machine.handed_over == "before":
                lexer.pos = place
            elif unused:
                self._unread(lexeme, unused)
            elif lexeme.name != TEXT and len(machine.taken) > taken:
                lexer.swallow = self._swallow(lexeme.name, machine.taken[-1])

    def _unread(self, lexeme: Lexeme, unused: int) -> None:
        """The body ended inside a lexeme; what follows is read again, but the tail of a token is text as it stands."""
        tail = self.lexer.unread(unused)
        at = lexeme.end - unused
        while tail:
            start = at - lexeme.end + len(lexeme.text)
            unused = self.machine.handle(Lexeme(TEXT, lexeme.text[start : start + tail], at, at + tail))
            at, tail = at + tail - unused, unused

    def _swallow(self, name: str, row: int) -> str:
        """White space that is framing behind a marker; a marker that is text after all has none."""
        terminal = self.config.terminals.get(name)
        return terminal.swallow if terminal and FEED not in self.config.rows[row].events else ""

    def _take(self) -> list[SemanticEvent]:
        events = self.gate.take()
        self._count(events)
        self.find_plain()
        return events

    def _count(self, events: Sequence[SemanticEvent]) -> None:
        """Tokens whose text begins inside reasoning chunks; the rest is forgotten once it is behind an event."""
        starts = self.scanner.counts
        if not starts:
            return
        done = 0
        for event in events:
            upto = bisect_left(starts, event.end, done)
            if event.type is EventType.REASONING_CHUNK:
                self.reasoning_tokens += upto - done
            done = upto
        del starts[:done]

    @property
    def _lexicons(self) -> Lexicons:
        if not self.scanner.ids_seen:
            return text_lexicons(self.config)
        if self._id_lexicons is None:
            self._id_lexicons = id_lexicons(self.config, self.alphabet)
        return self._id_lexicons

    @property
    def unread(self) -> str:
        """Raw text behind the place where this half of a table handed over, or that waits for more."""
        return "".join(self.machine.pending) + self.lexer.held + self.scanner.waiting

    def continue_from(self, half: StreamingParserEngine) -> None:
        """Read on where another engine stopped, which has the same alphabet and runs a half of this one's table."""
        self.scanner.restore(half.scanner.snapshot())
        self.lexer.restore(half.lexer.snapshot())
        self.machine.continue_from(half.machine)
        self.reasoning_tokens = half.reasoning_tokens
        self.gate.take()  # the half has said what stands at the beginning
        self.find_plain()

    def find_plain(self) -> None:
        """Decide whether the next delta may take the plain path, and what it must not contain."""
        self.plain = None
        machine, lexer = self.machine, self.lexer
        held = lexer.pos < len(lexer.buffer) or lexer.swallow or not self.scanner.idle or self.scanner.counts
        over = self.finished or machine.is_over
        if held or over or self.lexicon.other or (self.gate.region and not self.gate.passing):
            return
        sink = machine.sink
        if sink is Sink.TEXT or sink is Sink.REASONING:
            trim = self.config.content_trim if sink is Sink.TEXT else self.config.reasoning_trim
            self.plain = _plain_pattern(self.lexicon, trim.trail, False)
            self.plain_type = EventType.TEXT_CHUNK if sink is Sink.TEXT else EventType.REASONING_CHUNK
        elif self._argument_passes(sink):
            edge = EDGES if sink is Sink.VALUE and self.config.values.strip else ""
            self.plain = _plain_pattern(self.lexicon, edge, True)
            self.plain_type = EventType.ARG_VALUE_CHUNK

    def _argument_passes(self, sink: Sink) -> bool:
        machine = self.machine
        if sink is Sink.VALUE:
            return machine.params is not None and machine.params.passes_text
        return sink is Sink.BODY and machine.body is not None and machine.body.passes_text


@lru_cache(maxsize=64)
def id_lexicons(config: ParserEngineConfig, alphabet: Alphabet) -> Lexicons:
    """Lexicons for streams with ids, shared between parsers with the same alphabet."""
    return Lexicons(config, alphabet)


@lru_cache(maxsize=1024)
def _plain_pattern(lexicon: Lexicon, trail: str, argument: bool) -> re.Pattern[str]:
    """What plain text must not contain in a state: beginnings of markers, token characters, held white space."""
    parts = [lexicon.first.pattern, SYMBOL.pattern]
    if trail:
        parts.append(f"[{re.escape(trail)}]\\Z")
    if argument:
        parts.append(_ARGUMENT_BREAKS)
    return re.compile("|".join(parts))
