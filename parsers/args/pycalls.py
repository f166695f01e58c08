"""Python calls -> call events: `[f(a=1, b='x'), g()]`, or one call a line, as they arrive.

Only keyword literals make a call; anything else (positional or starred arguments, names, arithmetic, calls
inside values, bytes) makes the body bad. Strings stream, decoded and escaped; any other value waits for its `,`
or `)`. A closing quote counts only when a separator, a bracket or another string follows, so an apostrophe inside
a string and a raw newline do no harm. Source: pythonic.md.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Literal

from parsers.args.schema import dump, escape
from parsers.args.sink import CallSink
from parsers.state import Stateful
from parsers.tokens.base import clean_text

_NAME = re.compile(r"[^\W\d][\w\-]*(?:\.[^\W\d][\w\-]*)*\Z")
_KEY = re.compile(r"[^\W\d]\w*\Z")
_RUN = re.compile(r"[^\\'\"]+")
_LEADING_ZEROS = re.compile(r"(?<![\w.])0+(?=[0-9]+(?![\w.]))")
_SPACE = " \t\r\n"
_SIMPLE = {
    "n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"',
    "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "",
}  # fmt: skip
_ESCAPE_SIZE = {"x": 2, "u": 4, "U": 8}
_CONSTANTS = {"true": "True", "false": "False", "null": "None"}
_WORD = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\W\d]\w*", re.DOTALL)
_AFTER_STRING = ",)]}:"
_OPEN, _CLOSE = "([{", ")]}"
_NOT_IN_A_NAME = "'\"[]{}<>*,:;+/\n"
_LONGEST_NAME = 256  # characters; a longer "name" is prose
_HEX = frozenset("0123456789abcdefABCDEF")

Layout = Literal["list", "lines"]


class PythonCalls(Stateful):
    """Codec of a tool region.

    Args:
        layout: "list" ends with its `]`; "lines" has no brackets and ends with the region.

    Attributes:
        calls: calls read.
        bad: the text is no list of keyword calls.
    """

    STATE = (
        "mode", "text", "calls", "bad", "complete", "keys", "key", "quote", "escape", "tail", "nesting",
        "inner_quote", "inner_escape", "opened",
    )  # fmt: skip

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.mode = "open" if layout == "list" else "name"
        self.text: list[str] = []  # name, key, number or other value read so far
        self.calls = 0
        self.opened = False  # a call was started
        self.bad = False
        self.complete = False
        self.keys: list[str] = []
        self.key = ""
        self.quote = ""  # delimiter of the string that streams: ' or " or three of them
        self.escape = ""  # a backslash and what follows it, while incomplete
        self.tail = ""  # a closing quote and white space behind it, until the next character decides
        self.nesting = ""
        self.inner_quote = ""
        self.inner_escape = False

    @property
    def open_data(self) -> bool:
        """Inside a string: a marker here is data."""
        return bool((self.quote and not self.tail) or self.inner_quote) and not self.bad

    @property
    def passes_text(self) -> bool:
        """Plain string text would be sent unchanged; an apostrophe decides itself, so never."""
        return False

    @property
    def held(self) -> str:
        """A value or name that is not finished."""
        return "".join(self.text) + self.escape + self.tail

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text; returns how much of it was used."""
        pos = 0
        while pos < len(text) and not self.bad and not self.complete:
            pos = self._step(text, pos, sink)
        return pos

    def close(self, sink: CallSink, at: int) -> bool:
        """The region's closer or the end; a call still open is not complete."""
        if self.opened:
            sink.end_call(at, complete=False)
            self.opened = False
        elif self._layout == "lines" and self.mode == "name" and not self.text:
            self.complete = self.calls > 0
        return self.complete and not self.bad

    def _step(self, text: str, pos: int, sink: CallSink) -> int:
        char = text[pos]
        match self.mode:
            case "string":
                return self._string(text, pos, sink)
            case "value":
                return self._value(text, pos, sink)
            case "name" | "key" if not self.text and char in _SPACE:
                sink.skip(pos + 1)
                return pos + 1
            case "open" | "between" | "after" if char in _SPACE:
                sink.skip(pos + 1)
                return pos + 1
            case "open":
                return self._punctuation(char, pos, sink, {"[": "name"})
            case "between":
                return self._between(char, pos, sink)
            case "after":
                return self._after(char, pos, sink)
            case "name":
                return self._name(char, pos, sink)
            case _:
                return self._key(char, pos, sink)

    def _punctuation(self, char: str, pos: int, sink: CallSink, modes: dict[str, str]) -> int:
        """Move to the mode `char` leads to; anything else is bad."""
        if char not in modes:
            self.bad = True
            return pos
        self.mode = modes[char]
        sink.skip(pos + 1)
        return pos + 1

    def _name(self, char: str, pos: int, sink: CallSink) -> int:
        if char == "]" and not self.text and self._layout == "list":
            self.complete = True
            sink.skip(pos + 1)
            return pos + 1
        if char != "(":
            self.text.append(char)
            self.bad = len(self.text) > _LONGEST_NAME or char in _NOT_IN_A_NAME
            return pos if self.bad else pos + 1
        name = "".join(self.text).rstrip()
        if not _NAME.match(name):
            self.bad = True
            return pos
        sink.start_call(pos - len(self.text) if pos >= len(self.text) else 0)
        sink.name_call(name, pos)
        self.text, self.keys, self.opened, self.mode = [], [], True, "key"
        sink.skip(pos + 1)
        return pos + 1

    def _key(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ")" and not self.text:
            return self._end_call(pos, sink)
        if char != "=":
            self.text.append(char)
            self.bad = len(self.text) > _LONGEST_NAME or char in _NOT_IN_A_NAME
            return pos if self.bad else pos + 1
        self.key = "".join(self.text).rstrip()
        if not _KEY.match(self.key) or self.key in self.keys:
            self.bad = True
            return pos
        lead = "{" if not self.keys else ", "
        self.keys.append(self.key)
        self.text, self.mode = [], "value"
        sink.append_arguments(f"{lead}{dump(self.key)}: ", pos + 1)
        return pos + 1

    def _value(self, text: str, pos: int, sink: CallSink) -> int:
        """A value up to its `,` or `)`; a plain string starts streaming instead."""
        char = text[pos]
        if self.inner_quote:
            self._inner_string(char)
        elif char in "'\"":
            if not self.nesting and not "".join(self.text).strip():
                return self._open_string(pos, sink)
            self.inner_quote = char
        elif char in _OPEN:
            self.nesting += char
        elif char in _CLOSE and self.nesting:
            self.bad = _OPEN.index(self.nesting[-1]) != _CLOSE.index(char)
            self.nesting = self.nesting[:-1]
        elif char in ",)" and not self.nesting:
            return self._end_value(pos, sink)
        self.text.append(char)
        return pos + 1

    def _inner_string(self, char: str) -> None:
        """Inside a string of a value that waits."""
        if self.inner_escape:
            self.inner_escape = False
        elif char == "\\":
            self.inner_escape = True
        elif char == self.inner_quote:
            self.inner_quote = ""

    def _end_value(self, pos: int, sink: CallSink) -> int:
        value = _literal("".join(self.text))
        if value is None:
            self.bad = True
            return pos
        self.text, self.mode = [], "after"
        sink.append_arguments(value, pos)
        return pos

    def _after(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ")":
            return self._end_call(pos, sink)
        return self._punctuation(char, pos, sink, {",": "key"})

    def _end_call(self, pos: int, sink: CallSink) -> int:
        sink.append_arguments("}" if self.keys else "{}", pos + 1)
        sink.end_call(pos + 1, complete=True)
        self.calls += 1
        self.opened = False
        self.mode = "between" if self._layout == "list" else "name"
        return pos + 1

    def _between(self, char: str, pos: int, sink: CallSink) -> int:
        if char == "]":
            self.complete = True
        return self._punctuation(char, pos, sink, {",": "name", "]": "between"})

    # --- strings that stream ---------------------------------------------------------------------------

    def _open_string(self, pos: int, sink: CallSink) -> int:
        self.mode, self.quote, self.tail, self.escape, self.text = "string", "", "", "", []
        sink.append_arguments('"', pos)
        return pos

    def _string(self, text: str, pos: int, sink: CallSink) -> int:
        char = text[pos]
        if not self.quote:
            return self._opening_quotes(char, pos, sink)
        if self.tail:
            return self._decide_tail(char, pos, sink)
        if self.escape:
            return self._escaped(char, pos, sink)
        if char == self.quote[0]:
            self.tail = char
            return pos + 1
        if char == "\\":
            self.escape = char
            return pos + 1
        run = _RUN.match(text, pos)
        end = run.end() if run else pos + 1
        sink.append_arguments(escape(text[pos:end]), end)
        return end

    def _opening_quotes(self, char: str, pos: int, sink: CallSink) -> int:
        """One quote, or three; two are an empty string."""
        quotes = "".join(self.text)
        if (not quotes or char == quotes[0]) and len(quotes) < 3:
            self.text.append(char)
            return pos + 1
        self.text = []
        if len(quotes) == 2:
            self.quote, self.tail = quotes[0], quotes[0]
        else:
            self.quote = quotes
        return pos

    def _decide_tail(self, char: str, pos: int, sink: CallSink) -> int:
        """After a quote that may close the string: another of three, white space, or what decides."""
        size = len(self.quote)
        if len(self.tail) < size:
            if char == self.quote[0]:
                self.tail += char
                return pos + 1
            return self._quote_is_data(pos, sink)
        if char in _SPACE:
            self.tail += char
            return pos + 1
        if char in _AFTER_STRING:
            return self._close_string(pos, sink)
        if char in "'\"" and (self.tail[size:] or char != self.quote[0]):
            self.quote, self.tail = "", ""  # 'adjacent' "strings" are one
            return pos
        return self._quote_is_data(pos, sink)

    def _quote_is_data(self, pos: int, sink: CallSink) -> int:
        text, self.tail = self.tail, ""
        sink.append_arguments(escape(text), pos)
        return pos

    def _close_string(self, pos: int, sink: CallSink) -> int:
        self.quote, self.tail, self.mode = "", "", "after"
        sink.append_arguments('"', pos)
        return pos

    def _escaped(self, char: str, pos: int, sink: CallSink) -> int:
        """What follows a backslash; an unknown escape keeps its backslash, as Python does."""
        sequence = self.escape + char
        kind = sequence[1]
        size = _ESCAPE_SIZE.get(kind)
        if size is not None and len(sequence) < 2 + size and (len(sequence) == 2 or char in _HEX):
            self.escape = sequence
            return pos + 1
        self.escape = ""
        sink.append_arguments(escape(_unescaped(sequence, size)), pos + 1)
        return pos + 1


def _unescaped(sequence: str, size: int | None) -> str:
    if size is None:
        return _SIMPLE.get(sequence[1], sequence)
    try:
        return clean_text(chr(int(sequence[2:], 16)))
    except (ValueError, OverflowError):
        return sequence


def _literal(text: str) -> str | None:
    """JSON text of a Python literal, else None; true, false, null and leading zeros are accepted."""
    python = _WORD.sub(lambda m: _CONSTANTS.get(m.group(), m.group()), text.strip())
    try:
        value = ast.literal_eval(_LEADING_ZEROS.sub("", python))
        return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _plain(value: object) -> object:
    """Tuples and sets as lists, keys as strings; anything JSON has no word for raises TypeError."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, set):
        return sorted((_plain(item) for item in value), key=str)
    if isinstance(value, dict):
        return {k if isinstance(k, str) else dump(_plain(k)): _plain(v) for k, v in value.items()}
    return value
