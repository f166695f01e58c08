"""Deltas of (text, ids) -> pieces: plain text and token characters, each with its place in the raw output.

Text and ids of a delta need not line up: bytes, stop strings and special tokens are held back by the detokenizer. With
known spans a token is placed exactly (card T-40); without them just as exactly as long as the tokens spell the text
(`align`). Where they do not, a token is looked for in the text (E-24 to E-33) until both are level again. A token whose
text has not come yet is deferred, and all that follows waits with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from parsers.engine.align import Owed, Placed, Reading, owed_for, settle
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
        is_unplaced: its ids come without spans, so every delta must be read.
        owed: then, what its tokens have still to show; empty when text and tokens are level.
        spare: how many more characters the last split one may turn out to be.
        is_lost: its tokens do not spell the text, so markers are looked for.
        counts: raw start of each ordinary token not accounted to an event yet.
    """

    STATE = (
        "shown", "waiting", "late", "ids_seen", "is_unplaced", "owed", "spare", "is_lost", "counts", "patience",
    )  # fmt: skip

    def __init__(self, alphabet: Alphabet, token_text: Callable[[int], str]) -> None:
        self._alphabet, self._token_text = alphabet, token_text
        self.shown = 0
        self.waiting = ""
        self.late: list[Deferred] = []
        self.owed: list[Owed] = []
        self.spare = 0
        self.ids_seen = self.is_unplaced = self.is_lost = False
        self.counts: list[int] = []
        self.patience = 0

    @property
    def idle(self) -> bool:
        """Nothing waits, and the next delta need not be read to know where its tokens are."""
        began = self.shown > 0 or self.ids_seen
        return began and not (self.late or self.waiting or self.is_unplaced)

    @property
    def deferred(self) -> list[Deferred]:
        """Markers and dropped tokens that are not placed yet."""
        owed = [Deferred(item.symbol, _NOWHERE, _NOWHERE) for item in self.owed if item.symbol is not None]
        return [*self.late, *owed]

    def scan(self, text: str, ids: Sequence[int], spans: Sequence[tuple[int, int]] | None) -> list[Piece]:
        """Take one delta; returns what can be placed now."""
        if not text and not ids:
            return []  # an empty delta is no delta a token has waited through (E-26, E-94)
        base = self.shown - len(self.waiting)
        text, self.waiting = self.waiting + text, ""
        self.shown = base + len(text)
        self.ids_seen = self.ids_seen or bool(ids)
        self.is_unplaced = self.is_unplaced or (spans is None and bool(ids))
        if self.is_unplaced:
            return self._scan_unplaced(text, ids, base)
        if spans:
            self._note(map(self._alphabet.symbol, ids), spans)
        return self._place(text, base)

    def flush(self) -> list[Piece]:
        """End of the stream: waiting text first unless its token starts it, then deferred tokens (E-33)."""
        base = self.shown - len(self.waiting)
        text, self.waiting = self.waiting, ""
        low, high = base, self.shown
        symbols = [d._replace(start=_clip(d.start, low, high), end=_clip(d.end, low, high)) for d in self.late]
        settled = self._account(settle(self.owed, text, base))
        self.late, self.owed = [], []
        return self._cut(text, base, [*symbols, *settled])

    def _note(self, symbols: Iterable[str | None], spans: Sequence[tuple[int, int]]) -> None:
        for symbol, (start, end) in zip(symbols, spans, strict=True):
            if symbol is None:
                self.counts.append(start if start != _NOWHERE else self.shown)
            else:
                self.late.append(Deferred(symbol, start, end))

    def _place(self, text: str, base: int) -> list[Piece]:
        """Everything up to the first token whose text is not here yet."""
        ready = 0
        while ready < len(self.late) and _NOWHERE != self.late[ready].end <= self.shown:
            ready += 1
        symbols, self.late = self.late[:ready], self.late[ready:]
        self.patience = self.patience + 1 if self._lost() else 0
        if self.patience > _PATIENCE:
            self._give_up(base)
            return self._place(text, base)
        if not self.late:
            return self._cut(text, base, symbols)
        start = self.late[0].start
        if start == _NOWHERE:
            start = symbols[-1].end if symbols else base
        keep = max(0, min(start - base, len(text)))
        self.waiting = text[keep:]
        return self._cut(text[:keep], base, symbols)

    def _lost(self) -> bool:
        return bool(self.late) and self.late[0].start == _NOWHERE

    def _give_up(self, base: int) -> None:
        """Place a token whose text never came before the text that waited for it (E-26)."""
        self.patience = 0
        self.late[0] = self.late[0]._replace(start=base, end=base)

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

    def _scan_unplaced(self, text: str, ids: Sequence[int], base: int) -> list[Piece]:
        tokens = [(self._alphabet.symbol(token_id), self._token_text(token_id)) for token_id in ids]
        known = len(self.owed)
        for symbol, alone in tokens:
            self.owed += owed_for(symbol, alone)
        reading = Reading(self.owed, self.spare, text, base)
        if self.is_lost or self.late or not reading.fits():
            del self.owed[known:]
            return self._search(tokens, text, base)
        del self.owed[: reading.taken]
        self.spare, self.waiting = reading.spare, text[reading.at :]
        return self._cut(text[: reading.at], base, self._account(reading.placed))

    def _account(self, placed: Sequence[Placed]) -> list[Deferred]:
        """Count the ordinary tokens; returns the others."""
        self.counts += [start for symbol, start, _ in placed if symbol is None]
        return [Deferred(symbol, start, end) for symbol, start, end in placed if symbol is not None]

    def _search(self, tokens: Sequence[tuple[str | None, str]], text: str, base: int) -> list[Piece]:
        unknown = [Placed(item.symbol, base, base) for item in self.owed if not item.begun]
        self.late += [Deferred(symbol, _NOWHERE, _NOWHERE) for symbol, *_ in self._account(unknown)]
        self.owed, self.spare = [], 0
        symbols, joined = [symbol for symbol, _ in tokens], "".join(alone for _, alone in tokens)
        if tokens or self._lost():
            self._note(symbols, self._locate(tokens, text, base))
        pieces = self._place(text, base)
        is_level = not self.late and joined != "" and text.endswith(joined)
        self.is_lost = not is_level
        return pieces

    def _locate(self, tokens: Sequence[tuple[str | None, str]], text: str, base: int) -> list[tuple[int, int]]:
        """Spans for the tokens of this delta, and for deferred ones whose text came; (-1, -1) while unknown."""
        at = text.rfind("".join(alone for _, alone in tokens))
        if at >= 0 and not self.late:  # E-29: text before is held-back text of earlier ids
            edges = accumulate((len(alone) for _, alone in tokens), initial=base + at)
            return list(pairwise(edges))
        symbols = [symbol for symbol, _ in tokens]
        wanted = [self._wanted(symbol, text) for symbol in [*(d.symbol for d in self.late), *symbols]]
        found = _anchors(text, wanted, base)
        self._settle(found[: len(self.late)])
        placed = found[len(found) - len(tokens) :]
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
        self.late = [
            d if d.start != _NOWHERE else d._replace(start=start, end=end)
            for d, (start, end) in zip(self.late, spans, strict=True)
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
