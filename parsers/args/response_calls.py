"""The region of calls of a response template -> call events, all at once when the region closes.

The codec reads the opener too, because its named groups may hold the function's name, and looks for the closer itself.
A malformed region reports nothing. At the end of the stream the region closes as it is.
Source: response-template.md, "Delivery".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parsers.args.delimiters import Found, compiled, search
from parsers.args.response_fields import ResponseField
from parsers.args.response_values import cast_arguments, read_calls
from parsers.args.schema import ParameterTypes, dump
from parsers.args.sink import CallSink
from parsers.state import Stateful


@dataclass(frozen=True, slots=True, eq=False)
class CallRegion:
    """What a table says about the region.

    Attributes:
        field: the template's field.
        begun: text of the region that the prompt holds already, with the opener; "" mostly.
    """

    field: ResponseField
    begun: str = ""


class ResponseCalls(Stateful):
    """Codec of one region.

    Args:
        region: see above.
        types_of: tool name -> its parameter types.

    Attributes:
        complete: the closer was read.
        bad: never; a malformed region just holds no calls.
    """

    STATE = ("opener", "groups", "body", "tail", "complete")
    bad = False
    open_data = False
    passes_text = False

    def __init__(self, region: CallRegion, types_of: Callable[[str], ParameterTypes]) -> None:
        self._field, self._types_of = region.field, types_of
        self.opener = ""  # "" before it was read
        self.groups: Mapping[str, str] = {}
        self.body: list[str] = []  # text that surely holds no closer
        self.tail = ""  # text that may begin one
        self.complete = False
        if region.begun:
            self._open(region.begun)

    @property
    def begun(self) -> CallRegion:
        """The region so far, for a codec that goes on."""
        return CallRegion(self._field, self.opener + self.held)

    @property
    def held(self) -> str:
        """All of the region so far, less the opener."""
        return "".join(self.body) + self.tail

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text, first the opener; returns how much of it was used."""
        if not self.opener:
            self._open(text)
            sink.skip(len(text))
            return len(text)
        if self.complete:
            return 0
        before = len(self.tail)
        self.tail += text
        found = self._closer(final=False)
        if found is None:
            return len(text)
        used = max(0, found.end - before)
        sink.skip(used)
        self._close(found, sink, used)
        return used

    def close(self, sink: CallSink, at: int) -> bool:
        """The end of the stream, or a closer that was read."""
        if self.opener and not self.complete:
            self._close(self._closer(final=True), sink, at)
        return True

    def _open(self, text: str) -> None:
        """The opener and what may follow it already."""
        assert self._field.open is not None, "a region of calls has an opener"
        opener = compiled(self._field.open).match(text)
        groups = opener.groupdict() if opener else {}
        self.groups = {name: value for name, value in groups.items() if value is not None}
        end = opener.end() if opener else len(text)
        self.opener, self.tail = text[:end], text[end:]

    def _closer(self, final: bool) -> Found | None:
        """The closer, if it is sure; text in front of what may begin one moves to the body."""
        if self._field.close is None:
            self.body.append(self.tail)
            self.tail = ""
            return None
        found, waits = search((self._field.close,), self.tail, 0, final)
        if found is None:
            self.body.append(self.tail[:waits])
            self.tail = self.tail[waits:]
        return found

    def _close(self, found: Found | None, sink: CallSink, at: int) -> None:
        text = "".join(self.body) + (self.tail[: found.start] if found else self.tail)
        groups = {**self.groups, **(found.groups if found else {})}
        self.body, self.tail, self.complete = [], "", True
        for call in read_calls(self._field, text, groups) or ():
            sink.start_call(at)
            sink.name_call(call.name, at)
            arguments = cast_arguments(call.arguments, self._types_of(call.name).at(()))
            sink.append_arguments(dump(arguments), at)
            sink.end_call(at, complete=True)
