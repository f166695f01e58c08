"""The one string-aware JSON walker: text in pieces of any size -> lexical steps, with depth and validity.

Laws: the steps cover the text exactly; the same text gives the same steps under every cut up to the splitting of STRING
and SCALAR runs; each character is looked at once, so the cost is linear. A walker never raises: a character that cannot
come here makes the walker `bad` and stays unread.

Source: RFC 8259; cards E-55, E-56, INDEX-1 feature 2. Raw control characters inside strings are accepted, as models
write them (json-objects.md, gigachat3); `escape_controls` makes them legal.
"""

from __future__ import annotations

import re
from enum import IntEnum

from parsers.state import Stateful

_SPACE = re.compile(r"[ \t\n\r]+")
_STRING_RUN = re.compile(r'[^"\\]+')
_SCALAR_RUN = re.compile(r"[-+.0-9A-Za-z]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_HEX = frozenset("0123456789abcdefABCDEF")


class Step(IntEnum):
    """What one step of the walker read."""

    SPACE = 0
    OPEN = 1
    CLOSE = 2
    COLON = 3
    COMMA = 4
    QUOTE = 5  # opens a string
    STRING = 6  # a run inside a string, escapes included
    UNQUOTE = 7  # closes a string
    SCALAR = 8  # a run of a number, true, false or null
    BAD = 9


class Expect(IntEnum):
    """What may come next outside a string."""

    VALUE = 0
    VALUE_OR_CLOSE = 1  # after "["
    KEY_OR_CLOSE = 2  # after "{"
    KEY = 3  # after "," in an object
    COLON = 4
    COMMA_OR_CLOSE = 5
    NOTHING = 6  # the value is complete


class JsonWalker(Stateful):
    """Reads one JSON value.

    Attributes:
        stack: open brackets, outermost first.
        expect: what may come next outside strings.
        in_string: inside a string, key or value.
        is_key: the string being read, or read last, is an object key.
        escape: characters of an escape still to come: 1 after a backslash, 4 to 1 of a hexadecimal one, else 0.
        scalar: text of an open number or word; it ends at the first character that cannot belong to it.
        bad: an impossible character was met.
    """

    STATE = ("stack", "expect", "in_string", "is_key", "escape", "unicode", "scalar", "bad")

    def __init__(self) -> None:
        self.stack = ""
        self.expect = Expect.VALUE
        self.in_string = False
        self.is_key = False
        self.escape = 0
        self.unicode = False
        self.scalar = ""
        self.bad = False

    @property
    def depth(self) -> int:
        """Number of open brackets."""
        return len(self.stack)

    @property
    def complete(self) -> bool:
        """The whole value was read (a bare number is complete only after `finish`)."""
        return self.expect is Expect.NOTHING and not self.scalar

    def step(self, text: str, pos: int) -> tuple[Step, int]:
        """Read one lexical element at `pos`; returns its kind and the position behind it (`pos` itself when BAD)."""
        if self.in_string:
            return self._in_string(text, pos)
        char = text[pos]
        if self.scalar or char in "-0123456789tfn":
            run = _SCALAR_RUN.match(text, pos)
            if run:
                return self._scalar(run.group(), run.end())
            if not self._end_scalar():
                return self._bad(pos)
        if char in " \t\n\r":
            run = _SPACE.match(text, pos)
            assert run is not None
            return Step.SPACE, run.end()
        return self._structure(char, pos)

    def finish(self) -> bool:
        """End of input: closes an open scalar; True when the value is complete and valid."""
        if self.scalar and not self._end_scalar():
            self.bad = True
        return self.complete and not self.bad

    def _in_string(self, text: str, pos: int) -> tuple[Step, int]:
        if self.escape:
            return self._in_escape(text, pos)
        run = _STRING_RUN.match(text, pos)
        if run:
            return Step.STRING, run.end()
        if text[pos] == "\\":
            self.escape, self.unicode = 1, False
            return Step.STRING, pos + 1
        self.in_string = False
        self.expect = Expect.COLON if self.is_key else self._after_value()
        return Step.UNQUOTE, pos + 1

    def _in_escape(self, text: str, pos: int) -> tuple[Step, int]:
        char = text[pos]
        if self.unicode:
            if char not in _HEX:
                return self._bad(pos)
            self.escape -= 1
        elif char == "u":
            self.escape, self.unicode = 4, True
        elif char in '"\\/bfnrt':
            self.escape = 0
        else:
            return self._bad(pos)
        return Step.STRING, pos + 1

    def _scalar(self, run: str, end: int) -> tuple[Step, int]:
        if not self.scalar and self.expect not in (Expect.VALUE, Expect.VALUE_OR_CLOSE):
            return self._bad(end - len(run))
        self.scalar += run
        return Step.SCALAR, end

    def _end_scalar(self) -> bool:
        word = self.scalar
        if not word:
            return True
        self.scalar = ""
        self.expect = self._after_value()
        return word in ("true", "false", "null") or _NUMBER.match(word) is not None

    def _structure(self, char: str, pos: int) -> tuple[Step, int]:
        expect = self.expect
        wants_value = expect in (Expect.VALUE, Expect.VALUE_OR_CLOSE)
        if char == '"' and (wants_value or expect in (Expect.KEY, Expect.KEY_OR_CLOSE)):
            self.in_string, self.is_key = True, not wants_value
            return Step.QUOTE, pos + 1
        if char in "{[" and wants_value:
            self.stack += char
            self.expect = Expect.KEY_OR_CLOSE if char == "{" else Expect.VALUE_OR_CLOSE
            return Step.OPEN, pos + 1
        if char == ":" and expect is Expect.COLON:
            self.expect = Expect.VALUE
            return Step.COLON, pos + 1
        if char == "," and expect is Expect.COMMA_OR_CLOSE:
            self.expect = Expect.KEY if self.stack[-1] == "{" else Expect.VALUE
            return Step.COMMA, pos + 1
        if self._closes(char):
            self.stack = self.stack[:-1]
            self.expect = self._after_value()
            return Step.CLOSE, pos + 1
        return self._bad(pos)

    def _closes(self, char: str) -> bool:
        if not self.stack or self.stack[-1] + char not in ("{}", "[]"):
            return False
        return self.expect in (Expect.COMMA_OR_CLOSE, Expect.KEY_OR_CLOSE, Expect.VALUE_OR_CLOSE)

    def _after_value(self) -> Expect:
        return Expect.COMMA_OR_CLOSE if self.stack else Expect.NOTHING

    def _bad(self, pos: int) -> tuple[Step, int]:
        self.bad = True
        return Step.BAD, pos


def escape_controls(text: str) -> str:
    """`text` from inside a JSON string with raw control characters escaped; unchanged (and cheap) without any."""
    return _CONTROL.sub(lambda m: _ESCAPES.get(m.group()) or f"\\u{ord(m.group()):04x}", text)
