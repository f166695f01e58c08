"""Text with token characters -> lexemes: markers of the current state, and the text between them.

The state decides which markers count, so the lexer asks for it at every step. It holds back only a tail that may become
a marker. Laws (cards E-40 to E-49): lexemes do not depend on how the text was cut; the held tail is bounded by the
longest marker; every character comes out exactly once, with its place in the raw output.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from parsers.engine.alphabet import SYMBOL, Alphabet
from parsers.engine.config import OTHER
from parsers.engine.lexicon import Lexicon, Unless
from parsers.engine.scanner import Piece
from parsers.state import Snapshot, Stateful

if TYPE_CHECKING:
    from parsers.engine.patterns import Hit

_SPACE = re.compile(r"\s*")
_SWALLOW = {"newline": re.compile(r"\n?"), "newlines": re.compile(r"\n*"), "spaces": re.compile(r"\s*")}
TEXT = ""
FRAMING = "FRAMING"


class Lexeme(NamedTuple):
    """A piece of the stream.

    Attributes:
        name: terminal name, DROP, FRAMING (white space a marker swallows), OTHER, or TEXT ("").
        text: as the model wrote it, tokens spelled out.
        start, end: its half-open place in the raw output, in characters.
        by_id: it was recognised by a token id.
    """

    name: str
    text: str
    start: int
    end: int
    by_id: bool = False


class IncrementalLexer(Stateful):
    """Buffer and reading position.

    Attributes:
        buffer: text not turned into lexemes yet (from `pos` on); between deltas, the held tail.
        clear: up to here no closer of thinking follows the marker that waits for one.
    """

    STATE = ("buffer", "pos", "swallow", "clear", "_at", "_raw_at")

    def __init__(self, alphabet: Alphabet) -> None:
        self._texts = alphabet.texts
        self.buffer = ""
        self.pos = 0
        self.swallow = ""
        self.clear = 0
        self._at: list[int] = [0]  # buffer indices, ascending, where raw positions jump …
        self._raw_at: list[int] = [0]  # … and the raw position of each

    def snapshot(self) -> Snapshot:
        """The state without what was read already, so that equal futures have equal snapshots."""
        self._compact()
        return super().snapshot()

    @property
    def held(self) -> str:
        """The tail that waits, tokens spelled out."""
        return self._spelled(self.buffer[self.pos :])

    def push(self, pieces: Sequence[Piece]) -> None:
        """Append what the scanner found, in order."""
        self._compact()
        parts, size = [self.buffer], len(self.buffer)
        for piece in pieces:
            if self._raw_at[-1] + size - self._at[-1] != piece.start:
                self._mark(size, piece.start)
            parts.append(piece.symbol or piece.text)
            size += len(parts[-1])
            if piece.symbol:
                self._mark(size, piece.end)
        self.buffer = "".join(parts)

    def next(self, lexicon: Lexicon, final: bool) -> Lexeme | None:
        """The next lexeme in a state with these markers; None when the rest must wait or nothing is left."""
        if self.pos >= len(self.buffer):
            return None
        if self.swallow and (framing := self._swallowed()):
            return framing
        if lexicon.other:
            return self._next_marker(lexicon, final)
        if lexicon.first.search(self.buffer, self.pos) is None:
            return self._text(len(self.buffer))
        match = lexicon.pattern(final).search(self.buffer, self.pos)
        if match is None or not (match.group() or lexicon.zero_width):
            return self._text(len(self.buffer))
        if match.start() > self.pos:
            return self._text(match.start())
        if match.lastgroup == "wait":
            return None
        if lexicon.unless and (unless := lexicon.unless.get(lexicon.name(match.lastgroup or ""))):
            if self._follows(unless, match.end()):
                return self._text(match.end())
            if not final:
                return None
        return self._marker(match, lexicon)

    def _follows(self, unless: Unless, after: int) -> bool:
        """Whether the closer is in the buffer; each character is searched once."""
        if unless.pattern.search(self.buffer, max(after, self.clear)):
            self.clear = 0
            return True
        self.clear = max(after, len(self.buffer) - unless.margin)
        return False

    def unread(self, count: int) -> int:
        """Give back the last `count` characters of a lexeme; the next state reads them.

        Returns:
            How many of their first characters stay read: a token is one piece, so its tail alone cannot come back.
        """
        if SYMBOL.search(self.buffer, max(0, self.pos - count), self.pos) is None:
            self.pos -= count
            return 0
        while count > 0:
            size = len(self._texts.get(self.buffer[self.pos - 1], " "))
            if size > count:
                break
            self.pos -= 1
            count -= size
        return count

    def _next_marker(self, lexicon: Lexicon, final: bool) -> Lexeme | None:
        space = _SPACE.match(self.buffer, self.pos)
        assert space is not None
        at = space.end()
        if at == len(self.buffer):
            return self._text(at) if final else None
        match = lexicon.pattern(final).match(self.buffer, at)
        if match is None or not match.group():
            if final and lexicon.in_region and lexicon.pattern(False).match(self.buffer, at):
                return self._cut_marker()
            raw = self._raw(self.pos)
            return Lexeme(OTHER, "", raw, raw)
        if match.lastgroup == "wait":
            return None
        return self._text(at) if at > self.pos else self._marker(match, lexicon)

    def _cut_marker(self) -> Lexeme:
        """The rest of the stream is the beginning of a marker: markup of the state, not text of the next."""
        start, self.pos = self.pos, len(self.buffer)
        return Lexeme(TEXT, self._spelled(self.buffer[start:]), self._raw(start), self._raw_end(self.pos))

    def _marker(self, match: re.Match[str] | Hit, lexicon: Lexicon) -> Lexeme:
        assert match.lastgroup is not None
        start, symbols = self.pos, SYMBOL.search(match.group()) is not None
        self.pos = match.end()
        text, name = self._spelled(match.group()), lexicon.name(match.lastgroup)
        return Lexeme(name, text, self._raw(start), self._raw_end(self.pos), symbols)

    def _text(self, end: int) -> Lexeme:
        """Text up to `end`, at most up to the next token character, which is a piece of its own."""
        start = self.pos
        jump = bisect_right(self._at, start)
        if jump < len(self._at):
            end = min(end, self._at[jump])
        symbol = SYMBOL.search(self.buffer, start, end)
        if symbol:
            end = symbol.end() if symbol.start() == start else symbol.start()
        self.pos = end
        by_id = symbol is not None and symbol.start() == start
        return Lexeme(TEXT, self._spelled(self.buffer[start:end]), self._raw(start), self._raw_end(end), by_id)

    def _swallowed(self) -> Lexeme | None:
        run = _SWALLOW[self.swallow].match(self.buffer, self.pos)
        assert run is not None
        if run.end() < len(self.buffer) or (self.swallow == "newline" and run.group()):
            self.swallow = ""
        if not run.group():
            return None
        start, self.pos = self.pos, run.end()
        return Lexeme(FRAMING, run.group(), self._raw(start), self._raw_end(self.pos))

    def _spelled(self, text: str) -> str:
        return SYMBOL.sub(lambda m: self._texts[m.group()], text)

    def _raw(self, index: int) -> int:
        """Raw position of the character at a buffer index."""
        mark = bisect_right(self._at, index) - 1
        return self._raw_at[mark] + index - self._at[mark]

    def _raw_end(self, index: int) -> int:
        """Raw position behind the character before a buffer index."""
        mark = bisect_left(self._at, index)
        if mark == 0:
            return self._raw(index)
        if self.buffer[index - 1] in self._texts:
            return self._raw_at[mark]  # `push` marks the place behind every token: its text may be skipped
        return self._raw_at[mark - 1] + index - self._at[mark - 1]

    def _mark(self, index: int, raw: int) -> None:
        if self._at[-1] == index:
            self._raw_at[-1] = raw
        else:
            self._at.append(index)
            self._raw_at.append(raw)

    def _compact(self) -> None:
        if self.pos:
            first = bisect_right(self._at, self.pos)
            self._raw_at = [self._raw(self.pos), *self._raw_at[first:]]
            self._at = [0, *(at - self.pos for at in self._at[first:])]
            self.buffer = self.buffer[self.pos :]
            self.clear = max(0, self.clear - self.pos)
            self.pos = 0
        if not self.buffer:
            self._at, self._raw_at = [0], [0]  # the next piece brings its own place
