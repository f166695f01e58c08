"""A Python string literal -> its text, as it arrives; adjacent literals are one.

A closing quote counts only when a separator, a bracket or another literal follows, so an apostrophe inside a string
does no harm; neither does a raw newline. Escapes are decoded, an unknown one keeps its backslash, surrogate pairs
become one character. Laws: the text does not depend on the cut; each character is looked at once.

Source: pythonic.md, "Grammar" and "lfm2 repairs" 1 and 2.
"""

from __future__ import annotations

import re

from parsers.state import Stateful
from parsers.tokens.base import clean_text

PREFIXES = frozenset({"", "r", "u", "f", "rf", "fr"})  # bytes have no JSON
_RUN = re.compile(r"[^\\'\"]+")
_FORMATTED_RUN = re.compile(r"[^\\'\"{}]+")
_SIMPLE = {
    "n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"',
    "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "",
}  # fmt: skip
_NUMBERED = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}")
_NUMBERED_SO_FAR = re.compile(r"x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-7]{1,2}")
_OCTAL = re.compile(r"[0-7]{1,3}")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]\\Z")
_SPACE = " \t\r\n"
_AFTER_STRING = ",)]}:"


class PythonString(Stateful):
    """One literal, from its first quote.

    Args:
        prefix: letters before the quote, lower case, one of PREFIXES.

    Attributes:
        done: the literal is over; the character that showed it is not used.
        bad: a placeholder in an f-string was met.
    """

    STATE = ("quote", "opening", "escape", "tail", "high", "raw", "formatted", "done", "bad")

    def __init__(self, prefix: str = "") -> None:
        self.raw, self.formatted = "r" in prefix, "f" in prefix
        self.opening = ""  # quotes read before the first character
        self.quote = ""  # what closes the literal: ' or " or three of them
        self.escape = ""  # what follows a backslash, with the backslash, while incomplete
        self.tail = ""  # a quote that may close, and white space behind it, until the next character decides
        self.high = ""  # first half of a surrogate pair
        self.done = False
        self.bad = False

    @property
    def open_data(self) -> bool:
        """Surely inside the quotes: a marker now is data."""
        if not self.quote:
            return len(self.opening) in (1, 3)
        return len(self.tail) < len(self.quote)

    @property
    def held(self) -> str:
        """Raw text that waits for its meaning."""
        return self.opening + self.escape + self.tail

    def feed(self, text: str, pos: int) -> tuple[str, int]:
        """Read from `pos`; returns decoded text and the position behind what was used."""
        parts = [self.high]
        while pos < len(text) and not self.done and not self.bad:
            part, pos = self._step(text, pos)
            parts.append(part)
        decoded = _PAIR.sub(_joined, "".join(parts))
        self.high = "" if self.done or not _HIGH_SURROGATE.search(decoded) else decoded[-1]
        return clean_text(decoded[: len(decoded) - len(self.high)]), pos

    def _step(self, text: str, pos: int) -> tuple[str, int]:
        char = text[pos]
        if not self.quote:
            return "", self._open(char, pos)
        if self.tail:
            return self._decide(char, pos)
        if self.escape:
            return self._escaped(char, pos)
        if char == self.quote[0]:
            self.tail = char
            return "", pos + 1
        if char == "\\":
            self.escape = char
            return "", pos + 1
        run = (_FORMATTED_RUN if self.formatted else _RUN).match(text, pos)
        if run is None and self.formatted and char in "{}":
            self.bad = True
            return "", pos
        end = run.end() if run else pos + 1
        return text[pos:end], end

    def _open(self, char: str, pos: int) -> int:
        """One quote, or three; two are an empty string."""
        quotes = self.opening
        if len(quotes) < 3 and (not quotes or char == quotes[0]):
            self.opening += char
            return pos + 1
        self.opening = ""
        if len(quotes) == 2:
            self.quote, self.tail = quotes[0], quotes[0]
        else:
            self.quote = quotes
        return pos

    def _decide(self, char: str, pos: int) -> tuple[str, int]:
        """After a quote that may close: another of three, white space, or what decides."""
        size = len(self.quote)
        if len(self.tail) < size:
            if char != self.quote[0]:
                return self._tail_is_data(), pos
            self.tail += char
            return "", pos + 1
        if char in _SPACE:
            self.tail += char
            return "", pos + 1
        if char in _AFTER_STRING:
            self.done, self.tail = True, ""
        elif char in "'\"" and (len(self.tail) > size or char != self.quote[0]):
            self.quote, self.tail, self.raw, self.formatted = "", "", False, False
        else:
            return self._tail_is_data(), pos
        return "", pos

    def _tail_is_data(self) -> str:
        text, self.tail = self.tail, ""
        return text

    def _escaped(self, char: str, pos: int) -> tuple[str, int]:
        """One more character of an escape."""
        sequence = self.escape[1:] + char
        if self.raw or sequence in _SIMPLE:
            self.escape = ""
            return "\\" + char if self.raw else _SIMPLE[sequence], pos + 1
        if _NUMBERED_SO_FAR.fullmatch(sequence):
            self.escape += char
            return "", pos + 1
        if _NUMBERED.fullmatch(sequence):
            self.escape = ""
            return _decoded(sequence), pos + 1
        sequence, self.escape = self.escape[1:], ""
        if not sequence:
            return "\\" + char, pos + 1
        return _decoded(sequence) if _OCTAL.fullmatch(sequence) else "\\" + sequence, pos


def _decoded(sequence: str) -> str:
    """The character of a numbered escape, given without its backslash."""
    number = int(sequence, 8) if _OCTAL.fullmatch(sequence) else int(sequence[1:], 16)
    return chr(number) if number <= 0x10FFFF else "\\" + sequence


def _joined(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le")
