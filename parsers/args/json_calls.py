"""Bodies made of call objects: `{"name": …, "arguments": {…}}`, alone or in an array, keys in any order.

Only keys of the call object itself count. Arguments are passed through verbatim as they arrive once the name is known,
and are kept until then. A string that spells an object is used as that object, `null` and a missing value are `{}`.

Source: formats/common-1.md (SK-JSON, SK-ARRAY), hermes.md, json-lists.md, INDEX-2 features 17 and 18.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parsers.args.schema import dump, json_object, parse_json
from parsers.args.sink import CallSink
from parsers.args.walk import JsonWalker, Step, escape_controls
from parsers.state import Stateful
from parsers.tokens.base import clean_text

Shape = Literal["object", "array", "either"]


@dataclass(frozen=True, slots=True)
class CallKeys:
    """Which keys of a call object mean what.

    Attributes:
        name, arguments, id: accepted spellings; the first key met wins.
        single: the object is `{NAME: ARGUMENTS}` instead.
        arguments_required: an object without arguments is not a call.
    """

    name: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    id: tuple[str, ...] = ()
    single: bool = False
    arguments_required: bool = False


class JsonCalls(Stateful):
    """Codec of a whole tool region.

    Attributes:
        complete: the outer value is closed and held at least one call, or was an array without objects.
        bad: the text is not JSON of the wanted shape, or held no call.
    """

    STATE = (
        "walker", "base", "calls", "items", "bad", "name", "announced", "identified", "sent", "kept", "refused", "key",
        "role", "raw", "streaming",
    )  # fmt: skip

    def __init__(self, keys: CallKeys, shape: Shape = "object", calls_required: bool = False) -> None:
        self._keys, self._shape, self._calls_required = keys, shape, calls_required
        self.walker = JsonWalker()
        self.base = 0
        self.calls = 0
        self.items = 0
        self.bad = False
        self._new_item()

    def _new_item(self) -> None:
        self.name: str | None = None
        self.announced = False
        self.identified = False  # the id was read, or will not come
        self.sent = False  # arguments were sent or are streaming
        self.kept = ""  # whole arguments that wait for the name
        self.refused = False
        self.key: str = ""
        self.role = ""  # "", "key", "name", "arguments", "id" or "other": what the text being read belongs to
        self.raw: list[str] = []
        self.streaming = False

    @property
    def open_data(self) -> bool:
        """Inside a JSON string: a marker here is data."""
        return self.walker.in_string and not self.bad

    @property
    def passes_text(self) -> bool:
        """Plain string text would be appended to the arguments unchanged."""
        return self.streaming and self.walker.in_string and not self.walker.escape and not self.bad

    @property
    def complete(self) -> bool:
        """The outer value is closed."""
        return self.walker.complete and not self.bad

    @property
    def held(self) -> str:
        """Argument text that waits for the call's name."""
        return self.kept or ("".join(self.raw) if self.role in ("name", "arguments") else "")

    def feed(self, text: str, sink: CallSink) -> int:
        """Read `text`; returns how much of it was used: all of it unless the value closed or went bad before."""
        pos = 0
        while pos < len(text) and not self.bad and not self.complete:
            if self.streaming:
                pos = self._stream(text, pos, sink)
            else:
                step, end = self.walker.step(text, pos)
                self._take(step, text, pos, end, sink)
                pos = pos if self.bad else end
        if self.complete and not self.calls and (self.items or not self.base or self._calls_required):
            self.bad = True
        return pos

    def close(self, sink: CallSink, at: int) -> bool:
        """The region's closer or the end: an item still open is not complete."""
        if self.walker.depth > self.base or self.bad:
            sink.end_call(at, complete=False)
        return self.complete

    def _take(self, step: Step, text: str, pos: int, end: int, sink: CallSink) -> None:
        walker, inside = self.walker, self.walker.depth - self.base
        if step is Step.BAD or not self._shaped(step, text[pos]):
            self.bad = True
            return
        if step is Step.OPEN and inside == 1 and text[pos] == "{" and not self.role:
            self.items += 1
            self._new_item()
            sink.start_call(end)
        elif step is Step.QUOTE and walker.is_key and inside == 1:
            self.role, self.raw = "key", []
        elif step is Step.COLON and inside == 1:
            self._open_value()
        elif self.role == "key" and step is Step.STRING:
            self.raw.append(text[pos:end])
        elif self.role == "key" and step is Step.UNQUOTE:
            self.key, self.raw, self.role = _string("".join(self.raw)), [], "other"
        elif inside == 0 and step is Step.CLOSE and self.items and text[pos] == "}":
            self._end_value(sink, pos)
            self._end_item(sink, end)
        elif inside == 1 and step is Step.COMMA:
            self._end_value(sink, pos)
        elif self.role in ("name", "arguments", "id"):
            self._value(step, text, pos, end, sink)
        spells_name = self.role == "name" or (self.role == "key" and self._keys.single)
        sink.skip(end, is_name=spells_name and step is Step.STRING)

    def _shaped(self, step: Step, char: str) -> bool:
        """The outermost bracket fits the wanted shape; in an array only objects can be calls."""
        if step is Step.OPEN and self.walker.depth == 1 and not self.items and not self.base:
            if char == "[" and self._shape != "object":
                self.base = 1
                return True
            return char == "{" and self._shape != "array"
        return step in (Step.SPACE, Step.CLOSE, Step.COMMA) or self.walker.depth > 0 or self.items > 0

    def _open_value(self) -> None:
        keys = self._keys
        self.raw = []
        if keys.single:
            self.role = "arguments" if self.name is None else "other"
            self.refused = self.refused or self.name is not None
            self.name = self.name if self.name is not None else self.key
        elif self.key in keys.name and self.name is None:
            self.role = "name"
        elif self.key in keys.arguments and not self.sent and not self.kept:
            self.role = "arguments"
        else:
            self.role = "id" if self.key in keys.id else "other"

    def _value(self, step: Step, text: str, pos: int, end: int, sink: CallSink) -> None:
        if step is Step.SPACE and not self.raw:
            return
        opens = self.role == "arguments" and step is Step.OPEN and not self.raw and text[pos] == "{"
        if opens and self._announce(sink, pos):
            self.streaming = self.sent = True
            sink.append_arguments("{", end)
            return
        piece = text[pos:end]
        self.raw.append(escape_controls(piece) if step is Step.STRING else piece)
        if step is Step.UNQUOTE and self.walker.depth - self.base == 1:
            if self.role == "name":
                sink.skip(end)
            self._end_value(sink, end)

    def _stream(self, text: str, pos: int, sink: CallSink) -> int:
        """Pass argument text through until the object closes."""
        mark = pos
        while pos < len(text):
            step, end = self.walker.step(text, pos)
            if step is Step.BAD:
                self.bad = True
                break
            if step is Step.STRING and (clean := escape_controls(text[pos:end])) != text[pos:end]:
                _send(text, mark, pos, sink)
                sink.append_arguments(clean, end)
                mark = end
            pos = end
            if step is Step.CLOSE and self.walker.depth - self.base == 1:
                self.streaming, self.role = False, "other"
                break
        _send(text, mark, pos, sink)
        return pos

    def _end_value(self, sink: CallSink, at: int) -> None:
        role, raw = self.role, "".join(self.raw).strip()
        if role == "name":
            value = parse_json(raw)
            self.name = clean_text(value) if isinstance(value, str) and value else None
            self.refused = self.refused or self.name is None
            self.raw = []
        elif role == "id" and raw:
            value = parse_json(raw)
            if isinstance(value, (str, int)):
                self.identified = True
                sink.identify_call(clean_text(str(value)), at)
        elif role == "arguments" and raw:
            self._keep_arguments(raw)
        if role in ("name", "id", "arguments"):
            self.role = "other"
            if not self._keys.arguments_required:
                self._announce(sink, at)
            self._release(sink, at)

    def _keep_arguments(self, raw: str) -> None:
        """A whole value that could not stream: an object, a string that spells one, or null."""
        if raw.startswith('"'):
            text = parse_json(raw)
            inner = json_object(text) if isinstance(text, str) else None
            raw = raw if inner is None else dump(inner)  # written anew: the inner text may hold raw line ends
        self.kept = "{}" if raw == "null" else raw
        self.refused = self.refused or json_object(self.kept) is None

    def _announce(self, sink: CallSink, at: int) -> bool:
        if self.name is None or self.refused:
            return False
        if self._keys.id and not self.identified:
            return False  # the id comes first in the deltas, wherever the model writes it
        if not self.announced:
            self.announced = True
            sink.name_call(self.name, at)
        return True

    def _release(self, sink: CallSink, at: int) -> None:
        if self.kept and self._announce(sink, at) and not self.sent:
            sink.append_arguments(self.kept, at)
            self.sent, self.kept = True, ""

    def _end_item(self, sink: CallSink, at: int) -> None:
        self.identified = True
        self._release(sink, at)
        good = not self.refused and self.name is not None and (self.sent or not self._keys.arguments_required)
        if good and self._announce(sink, at):
            if not self.sent:
                sink.append_arguments("{}", at)
            self.calls += 1
        sink.end_call(at, complete=good)
        self._new_item()


def _send(text: str, start: int, end: int, sink: CallSink) -> None:
    if end > start:
        sink.append_arguments(text[start:end], end)


def _string(raw: str) -> str:
    value = parse_json(f'"{raw}"')
    return value if isinstance(value, str) else raw
