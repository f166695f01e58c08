"""Deltas of (text, ids) -> pieces: plain text and token characters, each with its place in the raw output.

Text and ids of a delta need not line up: bytes, stop strings and special tokens are held back by the detokenizer. With
known spans a token is placed exactly (card T-40). Without them it is looked for in the text (E-24 to E-33): a token
whose text has not come yet is deferred, and all that follows waits with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from parsers.engine.alphabet import Alphabet, is_drop
from parsers.state import Stateful

_PATIENCE = 8  # deltas a token waits for its text before it is placed without (card E-26)
_NOWHERE = -1


class Piece(NamedTuple):
    """Plain text, or a token when `symbol` is set; `start` and `end` are raw positions in characters."""

    text: str
    symbol: str
    start: int
    end: int


class Deferred(NamedTuple):
    """A marker or dropped token whose text is not shown yet; `start` is -1 while unknown."""

    symbol: str
    start: int
    end: int


class TokenIDScanner(Stateful):
    """Places tokens in the text.

    Attributes:
        shown: raw characters received.
        waiting: the last of them that are kept until a deferred token is placed.
        ids_seen: this stream carries ids, so marker tokens count only by id (E-22).
        counts: raw start of each ordinary token not accounted to an event yet.
    """

    STATE = ("shown", "waiting", "deferred", "ids_seen", "counts", "patience")

    def __init__(self, alphabet: Alphabet, token_text: Callable[[int], str]) -> None:
        self._alphabet, self._token_text = alphabet, token_text
        self.shown = 0
        self.waiting = ""
        self.deferred: list[Deferred] = []
        self.ids_seen = False
        self.counts: list[int] = []
        self.patience = 0

    @property
    def idle(self) -> bool:
        """Nothing waits."""
        return not self.deferred and not self.waiting

    def scan(self, text: str, ids: Sequence[int], spans: Sequence[tuple[int, int]] | None) -> list[Piece]:
        """Take one delta; returns what can be placed now."""
        if not text and not ids:
            return []  # an empty delta is no delta a token has waited through (E-26, E-94)
        base = self.shown - len(self.waiting)
        text, self.waiting = self.waiting + text, ""
        self.shown = base + len(text)
        self.ids_seen = self.ids_seen or bool(ids)
        if spans is None and (ids or self._lost()):
            spans = self._locate(ids, text, base)
        if spans:
            self._note(ids, spans)
        return self._place(text, base)

    def flush(self) -> list[Piece]:
        """End of the stream: waiting text first unless its token starts it, then deferred tokens (E-33)."""
        base = self.shown - len(self.waiting)
        text, self.waiting = self.waiting, ""
        low, high = base, self.shown
        symbols = [d._replace(start=_clip(d.start, low, high), end=_clip(d.end, low, high)) for d in self.deferred]
        self.deferred = []
        return self._cut(text, base, symbols)

    def _note(self, ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> None:
        for token_id, (start, end) in zip(ids, spans, strict=True):
            symbol = self._alphabet.symbol(token_id)
            if symbol is None:
                self.counts.append(start if start != _NOWHERE else self.shown)
            else:
                self.deferred.append(Deferred(symbol, start, end))

    def _place(self, text: str, base: int) -> list[Piece]:
        """Everything up to the first token whose text is not here yet."""
        ready = 0
        while ready < len(self.deferred) and _NOWHERE != self.deferred[ready].end <= self.shown:
            ready += 1
        symbols, self.deferred = self.deferred[:ready], self.deferred[ready:]
        self.patience = self.patience + 1 if self._lost() else 0
        if self.patience > _PATIENCE:
            self._give_up(base)
            return self._place(text, base)
        if not self.deferred:
            return self._cut(text, base, symbols)
        start = self.deferred[0].start
        if start == _NOWHERE:
            start = symbols[-1].end if symbols else base
        keep = max(0, min(start - base, len(text)))
        self.waiting = text[keep:]
        return self._cut(text[:keep], base, symbols)

    def _lost(self) -> bool:
        return bool(self.deferred) and self.deferred[0].start == _NOWHERE

    def _give_up(self, base: int) -> None:
        """Place a token whose text never came before the text that waited for it (E-26)."""
        self.patience = 0
        self.deferred[0] = self.deferred[0]._replace(start=base, end=base)

    def _cut(self, text: str, base: int, symbols: Sequence[Deferred]) -> list[Piece]:
        pieces, at = [], base
        for symbol, start, end in symbols:
            if start > at:
                pieces.append(Piece(text[at - base : start - base], "", at, start))
            pieces.append(Piece(text[start - base : end - base], symbol, start, end))
            at = end
        if base + len(text) > at:
            pieces.append(Piece(text[at - base :], "", at, base + len(text)))
        return pieces

    # --- streams without spans -------------------------------------------------------------------------------------

    def _locate(self, ids: Sequence[int], text: str, base: int) -> list[tuple[int, int]]:
        """Spans for the ids of this delta, and for deferred tokens whose text came; (-1, -1) while unknown."""
        texts = [self._token_text(token_id) for token_id in ids]
        at = text.rfind("".join(texts))
        if at >= 0 and not self.deferred:  # E-29: text before is held-back text of earlier ids
            spans, start = [], base + at
            for piece in texts:
                spans.append((start, start + len(piece)))
                start += len(piece)
            return spans
        symbols = [self._alphabet.symbol(i) for i in ids]
        wanted = [self._wanted(symbol, text) for symbol in [*(d.symbol for d in self.deferred), *symbols]]
        found = _anchors(text, wanted, base)
        self._settle(found[: len(self.deferred)])
        placed = found[len(found) - len(ids) :]
        return [self._span(symbol, span) for symbol, span in zip(symbols, placed, strict=True)]

    def _wanted(self, symbol: str | None, text: str) -> str:
        """The text to look for; nothing for ordinary tokens and for a vanishing token that did not come (E-28)."""
        spelling = self._alphabet.texts[symbol] if symbol else ""
        return "" if symbol and is_drop(symbol) and spelling not in text else spelling

    def _span(self, symbol: str | None, span: tuple[int, int]) -> tuple[int, int]:
        if symbol is not None and span[0] == _NOWHERE and is_drop(symbol):
            return self.shown, self.shown  # E-27: nothing waits for a token that vanishes
        return span

    def _settle(self, spans: Sequence[tuple[int, int]]) -> None:
        self.deferred = [
            d if d.start != _NOWHERE else d._replace(start=start, end=end)
            for d, (start, end) in zip(self.deferred, spans, strict=True)
        ]


def _anchors(text: str, wanted: Sequence[str], base: int) -> list[tuple[int, int]]:
    """Where each wanted text stands, right to left, each at the rightmost place before the next (E-31).

    Only as many as fit in order count; the rest, and empty ones, are (-1, -1).
    """
    at, fits = 0, 0
    for fits, piece in enumerate(wanted):  # noqa: B007 - the count is the result
        found = text.find(piece, at)
        if found < 0:
            break
        at = found + len(piece)
    else:
        fits = len(wanted)
    spans, limit = [(_NOWHERE, _NOWHERE)] * len(wanted), len(text)
    for index in range(fits - 1, -1, -1):
        if wanted[index]:
            limit = text.rfind(wanted[index], 0, limit)
            spans[index] = (base + limit, base + limit + len(wanted[index]))
    return spans


def _clip(position: int, low: int, high: int) -> int:
    return low if position == _NOWHERE else max(low, min(position, high))
