r"""Escaped line ends in prose -> line ends: models trained on escaped text write the two letters `\n` for a newline.

`\n`, `\r` and `\r\n` become one newline. Runs of two or more backslashes are left alone, and so is everything inside
code (between equal runs of backticks) and formulas (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`), where `\n` means something else.
A tail that may become an escape or a longer run waits. Laws: the same text under every cut; linear.

Source: qwen3-variants.md (minicpmv).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.state import Stateful

Piece = tuple[str, int, int]  # text and its raw span

_WAITS = r"(?P<wait>(?:\\r\\?|\\+|`+|\$+)\Z)|"
_OUTSIDE = r"(?P<kept>\\{2,})|(?P<newline>\\r\\n|\\[nr])|(?P<opens>\\[(\[]|`+|\$+)"
_RUN = r"(?P<run>\\\\|\\[)\]]|`+|\$+)"
_OPEN = re.compile(_WAITS + _OUTSIDE)
_OPEN_AT_END = re.compile(_OUTSIDE)
_INSIDE = re.compile(_WAITS + _RUN)
_INSIDE_AT_END = re.compile(_RUN)
_CLOSERS = {r"\(": r"\)", r"\[": r"\]"}  # a run of backticks or dollars closes itself


class EscapedNewlines(Stateful):
    """The filter of one field.

    Attributes:
        held: text that waits, as pieces.
        closer: what ends the code or formula the text is in; "" outside.
    """

    STATE = ("held", "closer")

    def __init__(self) -> None:
        self.held: list[Piece] = []
        self.closer = ""

    def feed(self, piece: Piece) -> list[Piece]:
        """Take text; returns the pieces that are sure. Letters with something between them are no escape."""
        apart = bool(self.held) and self.held[-1][2] != piece[1]
        pieces, self.held = self.held, []
        before = list(self._filtered(pieces, final=True)) if apart else []
        return [*before, *self._filtered([piece] if apart else [*pieces, piece], final=False)]

    def end(self) -> list[Piece]:
        """The field or block is over; what waits is text as it stands."""
        pieces, self.held = self.held, []
        done = list(self._filtered(pieces, final=True)) if pieces else []
        self.closer = ""
        return done

    def _filtered(self, pieces: list[Piece], final: bool) -> Iterator[Piece]:
        text = "".join(piece[0] for piece in pieces)
        at = mark = 0
        while match := self._pattern(final).search(text, at):
            at = match.end()
            if match.lastgroup == "wait":
                self.held = list(_cut(pieces, match.start(), at))
                yield from _cut(pieces, mark, match.start())
                return
            if match.lastgroup == "newline":
                yield from _cut(pieces, mark, match.start())
                yield "\n", *_span(pieces, match.start(), at)
                mark = at
            else:
                self._bracket(match)
        yield from _cut(pieces, mark, len(text))

    def _pattern(self, final: bool) -> re.Pattern[str]:
        if self.closer:
            return _INSIDE_AT_END if final else _INSIDE
        return _OPEN_AT_END if final else _OPEN

    def _bracket(self, match: re.Match[str]) -> None:
        if match.lastgroup == "opens":
            self.closer = _CLOSERS.get(match.group(), match.group())
        elif match.group() == self.closer:
            self.closer = ""


def _cut(pieces: list[Piece], start: int, end: int) -> Iterator[Piece]:
    """The part of joined pieces between two positions, as pieces."""
    at = 0
    for text, raw_start, raw_end in pieces:
        low, high = max(start - at, 0), min(end - at, len(text))
        if low < high:
            exact = raw_end - raw_start == len(text)
            yield text[low:high], raw_start + low if exact else raw_start, raw_start + high if exact else raw_end
        at += len(text)


def _span(pieces: list[Piece], start: int, end: int) -> tuple[int, int]:
    """Raw span of a part of joined pieces."""
    parts = list(_cut(pieces, start, end))
    return parts[0][1], parts[-1][2]
