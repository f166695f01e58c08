"""Python calls -> call events: `[f(a=1, b='x'), g()]`, or one call a line, as they arrive.

Only keyword literals make a call; anything else (positional or starred arguments, names, arithmetic, calls inside
values, bytes) makes the body bad. A call is reported with its first keyword, or its empty brackets. A string streams;
any other value waits for its `,` or `)`, with the strings inside it read by the same rules. Source: pythonic.md.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Literal

from parsers.args.pystrings import PREFIXES, PythonString
from parsers.args.schema import dump, escape
from parsers.args.sink import CallSink
from parsers.state import Stateful

_NAME = re.compile(r"[^\W\d][\w\-]*(?:\.[^\W\d][\w\-]*)*\Z")
_KEY = re.compile(r"[^\W\d]\w*\Z")
_PREFIX = re.compile(r"[A-Za-z]*\Z")
_ZEROS = re.compile(r'("(?:[^"\\]|\\.)*")|(?<![\w.])0+(?=[0-9]+(?![\w.]))', re.DOTALL)
_SPACE = " \t\r\n"
_WORDS = {"true": True, "false": False, "null": None}
_OPEN, _CLOSE = "([{", ")]}"
_NOT_IN_A_NAME = "'\"[]{}<>*,:;+/\n"
_LONGEST_NAME = 256  # characters; a longer "name" is prose
_LONGEST_PREFIX = 2
_EARLIER = (0, 0)

Layout = Literal["list", "lines"]


class PythonCalls(Stateful):
    """Codec of a tool region.

    Args:
        layout: "list" ends with its `]`; "lines" has no brackets and ends with the region.

    Attributes:
        calls: calls read.
        bad: the text is no list of keyword calls.
    """

    STATE = ("mode", "text", "calls", "bad", "closed", "name", "keys", "string", "nesting", "opened")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.mode = "open" if layout == "list" else "name"  # then name, key, value, after (a value), between (calls)
        self.text: list[str] = []  # name, key or value read so far, its strings as JSON
        self.calls = 0
        self.opened = False  # a call is open
        self.bad = False
        self.closed = False
        self.name = ""
        self.keys: list[str] = []
        self.string: PythonString | None = None
        self.nesting = ""  # open brackets of the value
        self._name_at = _EARLIER  # where the name of the coming call stands in the text being fed

    @property
    def complete(self) -> bool:
        """The list is closed; lines that hold only whole calls may go on all the same."""
        whole_lines = self._layout == "lines" and self.calls > 0 and self.mode == "name" and not self.text
        return (self.closed or whole_lines) and not self.bad

    @property
    def open_data(self) -> bool:
        """Inside a string: a marker here is data."""
        return self.string is not None and self.string.open_data and not self.bad

    @property
    def passes_text(self) -> bool:
        """Never: an apostrophe, and every bracket behind one, decides something."""
        return False

    @property
    def held(self) -> str:
        """A name, key or value that is not finished."""
        return "".join(self.text) + (self.string.held if self.string else "")

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text; returns how much of it was used."""
        pos, self._name_at = 0, _EARLIER
        while pos < len(text) and not self.bad and not self.closed:
            pos = self._step(text, pos, sink)
        return pos

    def close(self, sink: CallSink, at: int) -> bool:
        """The region's closer or the end; a call still open is not complete."""
        if self.opened:
            sink.end_call(at, complete=False)
            self.opened = False
        return self.complete

    def _step(self, text: str, pos: int, sink: CallSink) -> int:
        char = text[pos]
        if self.mode == "value":
            return self._value(text, pos, sink)
        if char in _SPACE and not self.text:
            return pos + 1
        match self.mode:
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
            return self._refuse(pos)
        self.mode = modes[char]
        sink.skip(pos + 1)
        return pos + 1

    def _refuse(self, pos: int) -> int:
        self.bad = True
        return pos

    def _word(self, char: str, pos: int) -> int:
        """One more character of a name or key."""
        if len(self.text) == _LONGEST_NAME or char in _NOT_IN_A_NAME:
            return self._refuse(pos)
        self.text.append(char)
        return pos + 1

    def _take_text(self) -> str:
        text, self.text = "".join(self.text).rstrip(), []
        return text

    # --- calls ---------------------------------------------------------------------------------------------

    def _name(self, char: str, pos: int, sink: CallSink) -> int:
        if char == "]" and not self.text and self._layout == "list":
            return self._end_list(pos, sink)
        if char != "(":
            return self._word(char, pos)
        self._name_at = (max(0, pos - len(self.text)), pos)
        self.name = self._take_text()
        if not _NAME.match(self.name):
            return self._refuse(pos)
        self.keys, self.mode = [], "key"
        return pos + 1

    def _key(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ")" and not self.text:
            return self._end_call(pos, sink)
        if char != "=":
            return self._word(char, pos)
        key = self._take_text()
        if not _KEY.match(key) or key in self.keys:
            return self._refuse(pos)
        self._announce(sink)
        lead = ", " if self.keys else "{"
        self.keys.append(key)
        self.mode = "value"
        sink.append_arguments(f"{lead}{dump(key)}: ", pos + 1)
        return pos + 1

    def _announce(self, sink: CallSink) -> None:
        if not self.opened:
            self.opened = True
            start, end = self._name_at
            sink.start_call(start)
            sink.name_call(self.name, end)

    def _end_call(self, pos: int, sink: CallSink) -> int:
        self._announce(sink)
        sink.append_arguments("}" if self.keys else "{}", pos + 1)
        sink.end_call(pos + 1, complete=True)
        self.calls += 1
        self.opened = False
        self.mode = "between" if self._layout == "list" else "name"
        return pos + 1

    def _after(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ")":
            return self._end_call(pos, sink)
        return self._punctuation(char, pos, sink, {",": "key"})

    def _between(self, char: str, pos: int, sink: CallSink) -> int:
        if char == "]":
            return self._end_list(pos, sink)
        return self._punctuation(char, pos, sink, {",": "name"})

    def _end_list(self, pos: int, sink: CallSink) -> int:
        if not self.calls:
            return self._refuse(pos)
        self.closed = True
        sink.skip(pos + 1)
        return pos + 1

    # --- values --------------------------------------------------------------------------------------------

    def _value(self, text: str, pos: int, sink: CallSink) -> int:
        """A value up to its `,` or `)`; a string that is the whole value streams."""
        if self.string:
            return self._string(self.string, text, pos, sink)
        char = text[pos]
        if char in "'\"":
            return self._open_string(pos, sink)
        if char in ",)" and not self.nesting:
            return self._end_value(pos, sink)
        if char in _OPEN:
            self.nesting += char
        elif char in _CLOSE:
            if not self.nesting or _OPEN.index(self.nesting[-1]) != _CLOSE.index(char):
                return self._refuse(pos)
            self.nesting = self.nesting[:-1]
        if self.text or char not in _SPACE:
            self.text.append(char)
        return pos + 1

    def _open_string(self, pos: int, sink: CallSink) -> int:
        prefix = _PREFIX.search("".join(self.text[-_LONGEST_PREFIX - 1 :]))
        letters = prefix.group() if prefix else ""
        if letters.lower() not in PREFIXES:
            return self._refuse(pos)
        del self.text[len(self.text) - len(letters) :]
        self.string = PythonString(letters.lower())
        self._string_text('"', pos, sink)
        return pos

    def _string(self, string: PythonString, text: str, pos: int, sink: CallSink) -> int:
        decoded, end = string.feed(text, pos)
        self._string_text(escape(decoded), end, sink)
        self.bad = string.bad
        if string.done:
            self._string_text('"', end, sink)
            self.string = None
            self.mode = "value" if self.text else "after"
        return end

    def _string_text(self, text: str, at: int, sink: CallSink) -> None:
        """JSON text of a string: kept inside a value that waits, else sent."""
        if self.text:
            self.text.append(text)
        elif text:
            sink.append_arguments(text, at)

    def _end_value(self, pos: int, sink: CallSink) -> int:
        value = _json(self._take_text())
        if value is None:
            return self._refuse(pos)
        self.mode = "after"
        sink.append_arguments(value, pos)
        return pos


def _json(text: str) -> str | None:
    """JSON text of a Python literal whose strings are JSON already, else None."""
    try:
        return dump(_plain(_parsed(text).body))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _parsed(text: str) -> ast.Expression:
    """The syntax tree; numbers may begin with zeros, which Python does not allow."""
    try:
        return ast.parse(text, mode="eval")
    except SyntaxError:
        return ast.parse(_ZEROS.sub(lambda m: m.group(1) or "", text), mode="eval")


def _plain(node: ast.expr) -> object:
    """The value of a literal, lists for all sequences; raises ValueError for what JSON has no word for."""
    match node:
        case ast.Constant(value=float() as value) if math.isfinite(value):
            return value
        case ast.Constant(value=bool() | int() | str() | None as value):
            return value
        case ast.Name(id=word) if word in _WORDS:
            return _WORDS[word]
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_plain(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_plain_key(key): _plain(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant() as operand):
            number = _plain(operand)
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                return -number if isinstance(sign, ast.USub) else number
    raise ValueError(f"no JSON for {ast.dump(node)}")


def _plain_key(node: ast.expr | None) -> str:
    value = _plain(node) if node is not None else []
    if isinstance(value, (list, dict)):
        raise ValueError("a key that is no literal")
    return value if isinstance(value, str) else dump(value)
