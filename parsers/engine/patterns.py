"""A state's markers where some are regular expressions: the same questions as `Lexicon`, answered by a slower search.

Only formats that a tokenizer brings along need it (response-template.md), so it is imported when such a table runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from parsers.args.delimiters import Delimiter, Found, compiled, search
from parsers.engine.alphabet import DROP_CLASS
from parsers.engine.config import Terminal
from parsers.engine.lexicon import Lexicon

_DROP = re.compile(DROP_CLASS)


class Hit(NamedTuple):
    """What a search found, shaped like a match of `re`.

    Attributes:
        lastgroup: the marker's group, "wait" for text that may become one, or "drop".
    """

    lastgroup: str
    text: str
    place: tuple[int, int]

    def group(self) -> str:
        """See `re.Match`."""
        return self.text

    def start(self) -> int:
        """See `re.Match`."""
        return self.place[0]

    def end(self) -> int:
        """See `re.Match`."""
        return self.place[1]


class Finder:
    """Shaped like a pattern of `re`."""

    def __init__(self, delimiters: tuple[Delimiter, ...], final: bool) -> None:
        self._delimiters, self._final = delimiters, final

    def search(self, text: str, pos: int) -> Hit | None:
        """The first marker, dropped token, or beginning of a marker."""
        found, waits = search(self._delimiters, text, pos, self._final)
        drop = _DROP.search(text, pos)
        if drop and drop.start() < (found.start if found else waits):
            return Hit("drop", drop.group(), drop.span())
        if found:
            return Hit(self._group(found), text[found.start : found.end], (found.start, found.end))
        if waits < len(text) and not self._final:
            return Hit("wait", text[waits:], (waits, len(text)))
        return None

    def match(self, text: str, pos: int) -> Hit | None:
        """The same, if it stands at `pos`."""
        hit = self.search(text, pos)
        return hit if hit and hit.start() == pos else None

    def _group(self, found: Found) -> str:
        return f"t{self._delimiters.index(found.delimiter)}"


class PatternLexicon(Lexicon):
    """The markers of one state."""

    zero_width = True

    def __init__(self, terminals: Mapping[str, Terminal], other: bool, in_region: bool) -> None:
        self.other, self.in_region = other, in_region
        self.unless = {}
        self.names = list(terminals)
        self._delimiters = tuple(
            terminal.delimiter or Delimiter(terminal.spellings) for terminal in terminals.values()
        )
        self._finders = Finder(self._delimiters, False), Finder(self._delimiters, True)
        self.first = re.compile("")  # any text may begin a marker

    def pattern(self, final: bool) -> Finder:
        """See `Lexicon`."""
        return self._finders[final]

    def candidates(self, held: str) -> list[str]:
        """See `Lexicon`."""
        return [
            name
            for name, delimiter in zip(self.names, self._delimiters, strict=True)
            if compiled(delimiter).match(held, partial=True)
        ]
