"""Gemma's object notation -> JSON, as it arrives: `city:<|"|>Oslo<|"|>,opts:{deep:true},ids:[1,2]}`.

The notation carries types: a delimited value is a string whatever it holds, a bare one is a JSON literal, else a
string; the tool's schema only repairs a bare value at the top (a bare `5` for a string parameter). Strings stream;
a bare value waits for what ends it. The opening bracket was read by the table; the body ends with the bracket that
closes it. A repeated key is dropped, the first wins. Source: gemma.md.
"""

from __future__ import annotations

from parsers.args.schema import ParameterTypes, dump, escape, free_value
from parsers.args.sink import CallSink
from parsers.state import Stateful

_SPACE = " \t\r\n"
_CLOSERS = {"{": "})", "[": "]"}


class NotationCodec(Stateful):
    """One call's fields.

    Args:
        types: the tool's parameters.
        delimiter: the marker at both ends of a string.

    Attributes:
        bad: the text is not in the notation.
    """

    STATE = ("stack", "keys", "mode", "text", "partial", "key", "skip", "bad", "complete", "count")

    def __init__(self, types: ParameterTypes, delimiter: str) -> None:
        self._types, self._delimiter = types, delimiter
        self.stack = "{"  # open brackets, outermost first
        self.keys: list[list[str]] = [[]]  # keys met, per open bracket
        self.count: list[int] = [0]  # entries written, per open bracket
        self.mode = "key"  # key, quoted key, colon, value, string, bare, after
        self.text: list[str] = []  # key or bare value read so far
        self.partial = ""  # tail that may become a delimiter
        self.key = ""
        self.skip = 0  # depth of the value being dropped because its key is a repetition, 0 for none
        self.bad = False
        self.complete = False

    @property
    def open_data(self) -> bool:
        """Inside a string: only its delimiter counts."""
        return self.mode in ("string", "quoted key") and not self.bad

    @property
    def passes_text(self) -> bool:
        """Never: the delimiter may begin anywhere in a string."""
        return False

    @property
    def held(self) -> str:
        """A key or bare value that is not finished, and the beginning of a delimiter."""
        return "".join(self.text) + self.partial

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text; returns how much of it was used."""
        offset, text, self.partial = len(self.partial), self.partial + text, ""
        pos = 0
        while pos < len(text) and not self.complete and not self.bad:
            if self.mode in ("string", "quoted key", "key", "value") and self._may_be_delimiter(text, pos):
                self.partial = text[pos:]
                return len(text) - offset
            pos = self._step(text, pos, max(0, pos - offset), offset, sink)
        return max(0, pos - offset)

    def close(self, sink: CallSink, at: int) -> bool:
        """The call's closer; True when the object was closed before."""
        return self.complete and not self.bad

    def _may_be_delimiter(self, text: str, pos: int) -> bool:
        rest = text[pos : pos + len(self._delimiter)]
        return len(rest) < len(self._delimiter) and self._delimiter.startswith(rest)

    def _step(self, text: str, pos: int, at: int, offset: int, sink: CallSink) -> int:
        if self.mode in ("string", "quoted key"):
            return self._string(text, pos, offset, sink)
        char = text[pos]
        if char in _SPACE and self.mode != "bare" and not (self.mode == "key" and self.text):
            sink.skip(at + 1)
            return pos + 1
        if self.mode in ("key", "value") and not self.text and text.startswith(self._delimiter, pos):
            end = pos + len(self._delimiter)
            self._open_string(max(0, end - offset), sink)
            return end
        handler = {
            "key": self._key, "colon": self._colon, "value": self._value, "bare": self._bare, "after": self._after,
        }  # fmt: skip
        return pos + handler[self.mode](char, at, sink)

    def _string(self, text: str, pos: int, offset: int, sink: CallSink) -> int:
        """A run of a string, up to its delimiter or what may begin one."""
        end = text.find(self._delimiter, pos)
        if end < 0:
            end = self._safe_end(text, pos)
            self._string_text(text[pos:end], max(0, end - offset), sink)
            return end
        self._string_text(text[pos:end], max(0, end - offset), sink)
        after = end + len(self._delimiter)
        if self.mode == "quoted key":
            self.mode = "colon"
            sink.skip(max(0, after - offset))
        else:
            self._write('"', max(0, after - offset), sink)
            self._ended()
        return after

    def _safe_end(self, text: str, pos: int) -> int:
        """Where a tail that may begin the delimiter starts."""
        first = max(pos, len(text) - len(self._delimiter) + 1)
        return next((i for i in range(first, len(text)) if self._may_be_delimiter(text, i)), len(text))

    def _string_text(self, text: str, at: int, sink: CallSink) -> None:
        if self.mode == "quoted key":
            self.text.append(text)
            sink.skip(at)
        elif text:
            self._write(escape(text), at, sink)

    def _open_string(self, at: int, sink: CallSink) -> None:
        if self.mode == "key":
            self.mode = "quoted key"
            sink.skip(at)
            return
        self._begin_value(at, sink)
        self._write('"', at, sink)
        self.mode = "string"

    def _key(self, char: str, at: int, sink: CallSink) -> int:
        if char == ":":
            return self._colon(char, at, sink)
        if char in _CLOSERS["{"] and not "".join(self.text).strip():
            return self._close_bracket(char, at, sink)
        if char in ",}]{[":
            self.bad = True
            return 0
        self.text.append(char)
        sink.skip(at + 1)
        return 1

    def _colon(self, char: str, at: int, sink: CallSink) -> int:
        if char != ":":
            self.bad = True
            return 0
        self.key, self.text, self.mode = "".join(self.text).strip(), [], "value"
        if self.key in self.keys[-1] and not self.skip:
            self.skip = len(self.stack)
        self.keys[-1].append(self.key)
        sink.skip(at + 1)
        return 1

    def _value(self, char: str, at: int, sink: CallSink) -> int:
        if char in "{[":
            self._begin_value(at + 1, sink)
            self._write(char, at + 1, sink)
            self.stack += char
            self.keys.append([])
            self.count.append(0)
            self.mode = "key" if char == "{" else "value"
            return 1
        if char == "]" and self.stack[-1] == "[" and not self.count[-1]:
            return self._close_bracket(char, at, sink)
        if char in ",]}":
            self.bad = True
            return 0
        self.mode = "bare"
        return 0

    def _bare(self, char: str, at: int, sink: CallSink) -> int:
        if char in ",]}" or (char == ")" and len(self.stack) == 1):
            text = "".join(self.text).strip()
            self.text = []
            self._begin_value(at, sink)
            self._write(dump(self._bare_value(text)), at, sink)
            self._ended()
            return 0
        self.text.append(char)
        return 1

    def _bare_value(self, text: str) -> object:
        value = free_value(text)
        if len(self.stack) > 1 or not self._types.declared(self.key):
            return value
        return self._types.value(self.key, text)

    def _after(self, char: str, at: int, sink: CallSink) -> int:
        if char == ",":
            self.mode = "key" if self.stack[-1] == "{" else "value"
            sink.skip(at + 1)
            return 1
        return self._close_bracket(char, at, sink)

    def _close_bracket(self, char: str, at: int, sink: CallSink) -> int:
        opener = self.stack[-1]
        if char not in _CLOSERS[opener] or (char == ")" and len(self.stack) > 1):
            self.bad = True
            return 0
        if len(self.stack) == 1 and not self.count[0]:
            self._write("{", at, sink)
        self._write("}" if opener == "{" else "]", at + 1, sink)
        self.stack = self.stack[:-1]
        self.keys.pop()
        self.count.pop()
        self.complete = not self.stack
        if self.stack:
            self._ended()
        return 1

    def _begin_value(self, at: int, sink: CallSink) -> None:
        """The comma and key before a value."""
        lead = ("{" if len(self.stack) == 1 else "") if not self.count[-1] else ", "
        key = f"{dump(self.key)}: " if self.stack[-1] == "{" else ""
        if not self.skip:
            self.count[-1] += 1
        self._write(lead + key, at, sink)

    def _ended(self) -> None:
        self.mode = "after"
        if self.skip >= len(self.stack):
            self.skip = 0

    def _write(self, text: str, at: int, sink: CallSink) -> None:
        if self.skip:
            sink.skip(at)
        else:
            sink.append_arguments(text, at)
