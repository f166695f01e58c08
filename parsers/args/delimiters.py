"""Delimiters that are literals or regular expressions: text -> the first of them, or the place where one may begin.

The earliest match wins, then the longest, then an opener before a closer. What may still become a match, or a longer
one, waits: the beginning of a match, a pattern's match at the edge of the text, a literal that begins another. Laws:
the result does not depend on the cut; text before the place that waits holds no delimiter.

Source: response-template.md, "Region machine".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from parsers.errors import FormatError

_UNLIKE_THE_END = "\x00"  # a character that is neither the end of the text nor a newline


@dataclass(frozen=True, slots=True)
class Delimiter:
    """What opens or closes a region.

    Attributes:
        literals: any of these texts; empty when `pattern` says it.
        pattern: a regular expression whose dot matches newlines.
        closes: it closes a region; it may then match nothing, in front of something or at the end.
        ended_by: a text; at the end of the stream, the beginning of a literal that ends with it is the whole.
    """

    literals: tuple[str, ...] = ()
    pattern: str = ""
    closes: bool = False
    ended_by: str = ""

    @property
    def spelling(self) -> str:
        """How people call it."""
        return self.pattern or self.literals[0]


class Found(NamedTuple):
    """A delimiter at `start` to `end`, with its named groups that took part."""

    delimiter: Delimiter
    start: int
    end: int
    groups: Mapping[str, str]


def search(delimiters: Sequence[Delimiter], text: str, pos: int, final: bool) -> tuple[Found | None, int]:
    """The first delimiter at or behind `pos`, and where the text that waits begins.

    Args:
        final: the text is complete; nothing waits.

    Returns:
        A delimiter that is sure, if there is one; else the text up to the position is sure to hold none.
    """
    best: Found | None = None
    waits = len(text)
    for delimiter in delimiters:
        match = compiled(delimiter, final).search(text, pos, partial=not final)
        if match is None or (match.start() == match.end() and not delimiter.closes):
            continue
        if not final and (match.partial or _may_change(delimiter, match, text)):
            waits = min(waits, match.start())
            continue
        groups = {name: value for name, value in match.groupdict().items() if value is not None}
        found = Found(delimiter, match.start(), match.end(), groups)
        best = found if best is None else min(best, found, key=_rank)
    return (None if best is not None and not final and best.start >= waits else best), waits


def _rank(found: Found) -> tuple[int, int, bool]:
    return found.start, found.start - found.end, found.delimiter.closes


def _may_change(delimiter: Delimiter, match: regex.Match[str], text: str) -> bool:
    """A complete match could become another one with more text."""
    if match.end() < len(text):
        if delimiter.literals:
            return False
        again = match.re.match(text + _UNLIKE_THE_END, match.start())
        return again is None or (again.span(), again.groupdict()) != (match.span(), match.groupdict())
    if delimiter.literals:
        return any(other != match.group() and other.startswith(match.group()) for other in delimiter.literals)
    return True


@lru_cache(maxsize=256)
def compiled(delimiter: Delimiter, final: bool = False) -> regex.Pattern[str]:
    """The regular expression of a delimiter.

    Raises:
        FormatError: the pattern is none.
    """
    if delimiter.pattern:
        try:
            return regex.compile(delimiter.pattern, regex.DOTALL)
        except regex.error as error:
            raise FormatError(f"{delimiter.pattern!r} is not a regular expression: {error}.") from error
    longest_first = sorted(delimiter.literals, key=len, reverse=True)
    alternatives = [regex.escape(literal) for literal in longest_first]
    if final and delimiter.ended_by:
        alternatives += [_cut_short(text) for text in longest_first if text.endswith(delimiter.ended_by)]
    return regex.compile("|".join(alternatives), regex.DOTALL)


def _cut_short(literal: str) -> str:
    """A beginning of the literal at the end of the text."""
    beginnings = (regex.escape(literal[:size]) for size in range(len(literal) - 1, 0, -1))
    return rf"(?:{'|'.join(beginnings)})\Z"
