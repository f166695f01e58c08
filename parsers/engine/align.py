r"""Texts of tokens against the text shown: where each token stands in a stream that does not say so.

Law: while the text shown is the beginning of all token texts joined, or of that join without some of the special
tokens, every place is the exact one, however late the text comes and in whatever pieces. A tokenizer that drops the
space before a token spelled alone (T-10) changes nothing. Part of a character is spelled "\ufffd" alone; a run of parts
stands for characters outside ASCII, at least one and no more than there are parts, and ends where the text of the next
token begins. The tokens of a run all stand at its first character.

Ambiguous, and read in the first way that fits: a special token left out right before text that begins as it is
spelled, with a space before it or without; one left out behind a run, before characters outside ASCII; a run right
before a token that begins with one of its characters; a token without text between two runs.

Source: cards T-01 to T-16 (what a server shows for tokens), T-40, E-24 to E-32; the method is ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

_PART = "\ufffd"
_PARTS = re.compile(f"{_PART}+|[^{_PART}]+")
_LAST_ASCII = "\x7f"


class Placed(NamedTuple):
    """A token with its half-open raw position in characters; `symbol` is None for an ordinary token.

    The text of an ordinary token may not all be shown.
    """

    symbol: str | None
    start: int
    end: int


class Owed(NamedTuple):
    """Text still to be shown: of a token, or, when `begun`, the rest of an ordinary one that has its place."""

    symbol: str | None
    text: str
    begun: bool = False

    @property
    def is_run(self) -> bool:
        """Parts of characters."""
        return self.symbol is None and self.text.startswith(_PART)


def owed_for(symbol: str | None, text: str) -> list[Owed]:
    """What a token owes that is spelled `text` alone; an ordinary one in pieces that are a run of parts, or none."""
    pieces = [text] if symbol else _PARTS.findall(text) or [""]
    return [Owed(symbol, piece, begun=number > 0) for number, piece in enumerate(pieces)]


def settle(owed: Sequence[Owed], text: str, base: int) -> list[Placed]:
    """Place all tokens left at the end of the stream, where text may be cut off (T-18).

    Args:
        owed: what was still to be shown.
        text: shown and not read so far; that of ordinary tokens if they spell it, or else the beginning of a special
            one.
        base: its raw position.
    """
    is_left_out = "".join(item.text for item in owed if item.symbol is None).startswith(text)
    placed, at, end = [], base, base + len(text)
    for symbol, wanted, begun in owed:
        start, has_text = at, (symbol is None) is is_left_out
        at = min(at + len(wanted), end) if has_text else at
        if not begun:
            placed.append(Placed(symbol, start, at))
    return placed


class Reading:
    """One try to read a text as that of tokens.

    Args:
        owed: what is to be shown, in order; changed only when `fits` says so, where the text ends in an ordinary token.
        spare: how many more characters the last run may turn out to be.
        text: shown and not read so far.
        base: its raw position.

    Attributes:
        at: how much of the text is read, in characters; what follows may be the beginning of a special token.
        taken: how many of the owed are read.
        placed: the tokens whose place is known now.
        waits: the text ends before the next one does.
        guessed: a special token was taken for left out, and nothing has been read since.
    """

    def __init__(self, owed: list[Owed], spare: int, text: str, base: int) -> None:
        self.owed, self.spare, self.text, self.base = owed, spare, text, base
        self.at = self.taken = 0
        self.waits = self.guessed = False
        self.placed: list[Placed] = []

    def fits(self) -> bool:
        """Read as far as the text goes; False when it says something else. Text beyond all tokens is no token's."""
        while self.taken < len(self.owed) and not self.waits:
            item = self.owed[self.taken]
            if not (self._read_run() if item.is_run else self._read(item)):
                return False
        if self.waits:
            return True
        self._pass_spare()
        beyond = self.at < len(self.text)
        self.at = len(self.text)
        return not (beyond and self.guessed)

    def _read(self, item: Owed) -> bool:
        self._pass_spare()
        wanted = self._as_shown(item.text)
        shown = self.text[self.at : self.at + len(wanted)]
        if shown == wanted:
            self._take(item, len(wanted))
        elif wanted.startswith(shown):
            self._wait(item, wanted, len(shown))
        elif item.symbol is not None:
            self._leave_out(item)
        else:
            return False
        return True

    def _read_run(self) -> bool:
        """Characters of a run: the first now, the others when it is clear that no token begins with them."""
        self.at += self.text.startswith(" ", self.at)
        self.waits = self.at == len(self.text)
        if self.waits or self.text[self.at] <= _LAST_ASCII:
            return self.waits
        start = self.at
        self._advance(1, spare=self.spare - 1)
        while self.taken < len(self.owed) and self.owed[self.taken].is_run:
            item = self.owed[self.taken]
            self.spare += len(item.text)
            self._place(item, start, self.at)
        return True

    def _take(self, item: Owed, size: int) -> None:
        start = self.at if item.symbol is None else self.at + size - len(item.text)
        self._place(item, start, self.at + size)
        if size:
            self._advance(size)

    def _wait(self, item: Owed, wanted: str, size: int) -> None:
        """The text ends in this one: a special token may still be left out, an ordinary one has begun."""
        self.waits = True
        if item.symbol is None and size:
            self._place(item, self.at, self.at + len(wanted))
            self._advance(size)
            self.taken -= 1
            self.owed[self.taken] = Owed(None, wanted[size:], begun=True)

    def _leave_out(self, item: Owed) -> None:
        self._place(item, self.at, self.at)
        self.guessed = True

    def _place(self, item: Owed, start: int, end: int) -> None:
        if not item.begun:
            self.placed.append(Placed(item.symbol, self.base + start, self.base + end))
        self.taken += 1

    def _advance(self, size: int, spare: int = 0) -> None:
        self.at += size
        self.spare, self.guessed = spare, False

    def _as_shown(self, alone: str) -> str:
        """With the space that is shown before it, and not in it when it is spelled alone."""
        is_dropped = alone and alone[0] != " " and self.text.startswith(" ", self.at)
        return " " + alone if is_dropped else alone

    def _pass_spare(self) -> None:
        while self.spare and self.text[self.at : self.at + 1] > _LAST_ASCII and not self._is_next():
            self.at += 1
            self.spare -= 1

    def _is_next(self) -> bool:
        """The text goes on with the next token."""
        ahead = islice(self.owed, self.taken, None)
        wanted = next((item.text for item in ahead if item.text), "")
        return wanted != "" and wanted.startswith(self.text[self.at : self.at + len(wanted)])
