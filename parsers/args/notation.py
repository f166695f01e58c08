"""Gemma's object notation -> JSON, as it arrives: `{city:<|"|>Oslo<|"|>,opts:{deep:true},ids:[1,2]}`.

The notation carries types: a delimited value is a string whatever it holds, a bare one is a JSON literal, else a
string. The tool's schema only repairs bare values, such as a bare `5` for a string parameter. Strings stream; a bare
value waits for what ends it, and the last bracket for the end of the call. A repeated key is dropped, the first wins.
The delimiter is a marker of the table, so letters that merely spell it are data.

Source: gemma.md; C-DUP and C-STREAM in common-1.md.
"""

from __future__ import annotations

from enum import StrEnum

from parsers.args.schema import ParameterTypes, dump, escape, free_value
from parsers.args.sink import CallSink
from parsers.state import Stateful

_SPACE = " \t\r\n"
_CLOSERS = {"{": "}", "(": ")", "[": "]"}  # round brackets are a slip of the model's for the outermost pair
_ENDS_BARE = ",]}"
_NOT_IN_A_KEY = ",{}[]"


class Mode(StrEnum):
    """What comes next."""

    OPEN = "the outermost bracket"
    KEY = "a key"
    QUOTED_KEY = "the rest of a delimited key"
    COLON = "a colon"
    VALUE = "a value"
    STRING = "the rest of a string"
    BARE = "the rest of a bare value"
    AFTER = "a comma or a closing bracket"


class NotationCodec(Stateful):
    """One call's arguments.

    Args:
        types: the tool's parameters.

    Attributes:
        bad: the text is not in the notation.
        complete: the outermost bracket is closed.
    """

    STATE = ("mode", "stack", "keys", "key", "text", "skipping", "bad", "complete")

    def __init__(self, types: ParameterTypes) -> None:
        self._types = types
        self.mode = Mode.OPEN
        self.stack = ""  # open brackets, outermost first
        self.keys: list[list[str | None]] = []  # for each of them the keys met, or None for each item of a list
        self.key = ""  # key of the value being read
        self.text: list[str] = []  # the key or bare value read so far
        self.skipping = 0  # number of open brackets around a repeated key whose value is dropped; 0 for none
        self.bad = False
        self.complete = False

    @property
    def open_data(self) -> bool:
        """Inside delimiters: every other marker is data."""
        return self.mode in (Mode.STRING, Mode.QUOTED_KEY) and not self.bad

    @property
    def passes_text(self) -> bool:
        """Plain text would be appended unchanged."""
        return self.mode is Mode.STRING and not self.skipping and not self.bad

    @property
    def held(self) -> str:
        """A key or bare value that is not finished."""
        return "".join(self.text)

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text between delimiters; returns how much of it was used."""
        pos = 0
        while pos < len(text) and not self.complete and not self.bad:
            pos = self._step(text, pos, sink)
        return pos

    def delimit(self, sink: CallSink) -> None:
        """Read a delimiter: it opens or closes a string or a key."""
        if self.mode is Mode.STRING:
            self._write('"', 0, sink)
            self._value_ended()
        elif self.mode is Mode.QUOTED_KEY:
            self.mode = Mode.COLON
        elif self.mode is Mode.KEY and not self.text:
            self.mode = Mode.QUOTED_KEY
        elif self.mode is Mode.VALUE:
            self._begin_value('"', 0, sink)
            self.mode = Mode.STRING
        else:
            self.bad = True

    def close(self, sink: CallSink, at: int) -> bool:
        """The call's closer; True when the object was closed before."""
        if self.complete and not self.bad:
            sink.append_arguments("}", at)
        return self.complete and not self.bad

    def _step(self, text: str, pos: int, sink: CallSink) -> int:
        if self.mode is Mode.STRING:
            self._write(escape(text[pos:]), len(text), sink)
            return len(text)
        if self.mode is Mode.QUOTED_KEY:
            return self._keep(text[pos:], len(text), sink)
        if text[pos] in _SPACE and not self.text:
            sink.skip(pos + 1)
            return pos + 1
        match self.mode:
            case Mode.OPEN:
                return self._open(text[pos], pos, sink)
            case Mode.KEY:
                return self._key(text[pos], pos, sink)
            case Mode.COLON:
                return self._colon(text[pos], pos, sink)
            case Mode.VALUE:
                return self._value(text[pos], pos, sink)
            case Mode.BARE:
                return self._bare(text[pos], pos, sink)
            case _:
                return self._after(text[pos], pos, sink)

    def _keep(self, text: str, end: int, sink: CallSink) -> int:
        self.text.append(text)
        sink.skip(end)
        return end

    def _refuse(self, pos: int) -> int:
        self.bad = True
        return pos

    def _open(self, char: str, pos: int, sink: CallSink) -> int:
        if char not in "{(":
            return self._refuse(pos)
        self._push(char, pos + 1, sink)
        return pos + 1

    def _key(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ":":
            return self._key_ended(self.held.rstrip(), pos + 1, sink)
        if not self.text and char == _CLOSERS[self.stack[-1]]:
            return self._pop(pos, sink)
        return self._refuse(pos) if char in _NOT_IN_A_KEY else self._keep(char, pos + 1, sink)

    def _colon(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ":":
            return self._key_ended(self.held, pos + 1, sink)
        return pos + 1 if char in _SPACE else self._refuse(pos)

    def _key_ended(self, key: str, end: int, sink: CallSink) -> int:
        if key in self.keys[-1] and not self.skipping:
            self.skipping = len(self.stack)
        self.keys[-1].append(key)
        self.key, self.text, self.mode = key, [], Mode.VALUE
        sink.skip(end)
        return end

    def _value(self, char: str, pos: int, sink: CallSink) -> int:
        if char in "{[":
            self._begin_value("", pos, sink)
            self._push(char, pos + 1, sink)
            return pos + 1
        if char == "]" and self.stack[-1] == "[":
            return self._pop(pos, sink)
        if char in _ENDS_BARE:
            return self._refuse(pos)
        self.mode = Mode.BARE
        return self._keep(char, pos + 1, sink)

    def _bare(self, char: str, pos: int, sink: CallSink) -> int:
        if char not in _ENDS_BARE and char != _CLOSERS[self.stack[-1]]:
            self.text.append(char)
            return pos + 1
        value, self.text = self._bare_value(self.held.rstrip()), []
        self._begin_value(dump(value), pos, sink)
        self._value_ended()
        return pos

    def _bare_value(self, text: str) -> object:
        place = self._types.at([keys[-1] if keys else None for keys in self.keys])
        return place.value(text) if place.types() else free_value(text)

    def _after(self, char: str, pos: int, sink: CallSink) -> int:
        if char == ",":
            self.mode = Mode.VALUE if self.stack[-1] == "[" else Mode.KEY
            sink.skip(pos + 1)
            return pos + 1
        if char == _CLOSERS[self.stack[-1]]:
            return self._pop(pos, sink)
        return self._refuse(pos)

    def _push(self, char: str, at: int, sink: CallSink) -> None:
        self.stack += char
        self.keys.append([])
        self.mode = Mode.VALUE if char == "[" else Mode.KEY
        self._write("[" if char == "[" else "{", at, sink)

    def _pop(self, pos: int, sink: CallSink) -> int:
        closer = "]" if self.stack[-1] == "[" else "}"
        self.stack, self.text = self.stack[:-1], []
        self.keys.pop()
        if self.stack:
            self._write(closer, pos + 1, sink)
            self._value_ended()
        else:
            self.complete = True
            sink.skip(pos + 1)
        return pos + 1

    def _begin_value(self, text: str, at: int, sink: CallSink) -> None:
        """What comes before a value in JSON, then the first text of the value."""
        if self.stack[-1] == "[":
            self.keys[-1].append(None)
            key = ""
        else:
            key = f"{dump(self.key)}: "
        lead = ", " if len(self.keys[-1]) > 1 else ""
        self._write(lead + key + text, at, sink)

    def _value_ended(self) -> None:
        self.mode = Mode.AFTER
        if self.skipping >= len(self.stack):
            self.skipping = 0

    def _write(self, text: str, at: int, sink: CallSink) -> None:
        if self.skipping:
            sink.skip(at)
        else:
            sink.append_arguments(text, at)
