"""Every two-way cut of a stream, cheaply: which cuts change the answer?

A cut only matters near it: two runs in the same state at the same place have the same future. So a cut is tried from a
state that the finest cut had at least `STRIDE` deltas before it, with all deltas up to the cut joined to one and those
behind it to another, until the state is again that of the finest cut; only a cut whose effect lasts is followed to the
end. All cuts of a text then cost about as much as its length.

Law: a cut that is followed to the end is reported exactly when its fields differ from those of the finest cut.

Source: design.md, decision 11; E-94.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from parsers.composition import Parser, engines_of
from parsers.debug.laws import differences
from parsers.debug.stages import FieldCall, Fields
from parsers.protocol import DeltaMessage
from parsers.state import Snapshot
from parsers.tokens.base import Delta

STRIDE = 32
"""Deltas that are joined on either side of a cut, at least: more than any marker has tokens."""


@dataclass(frozen=True, slots=True)
class BadCut:
    """A cut that changes the answer.

    Attributes:
        position: deltas of the finest cut before it.
        differences: how its fields differ, one sentence each.
    """

    position: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """All two-way cuts of one stream.

    Attributes:
        cuts: how many were tried.
        bad: those that change the answer, in order.
        fields: the answer of the finest cut.
    """

    cuts: int
    bad: tuple[BadCut, ...]
    fields: Fields


def sweep(parser: Parser, deltas: Sequence[Delta]) -> Sweep:
    """Try every cut of a stream into two deltas.

    Args:
        parser: a fresh parser.
        deltas: the finest cut of the stream, such as token by token or character by character.
    """
    stream = _Stream(deltas)
    reference = _Reference(parser, stream)
    bad = []
    for position in range(1, len(deltas)):
        fields = reference.cut_at(position)
        if fields is not None and (found := tuple(differences(reference.fields, fields))):
            bad.append(BadCut(position, found))
    return Sweep(max(len(deltas) - 1, 0), tuple(bad), reference.fields)


class _Stream:
    """Deltas that can be joined in runs."""

    def __init__(self, deltas: Sequence[Delta]) -> None:
        self.count = len(deltas)
        self._text = "".join(delta.text for delta in deltas)
        self._ids = tuple(chain.from_iterable(delta.ids for delta in deltas))
        known = all(delta.spans is not None for delta in deltas)
        self._spans = tuple(chain.from_iterable(delta.spans or () for delta in deltas)) if known else None
        self._chars = [0, *accumulate(len(delta.text) for delta in deltas)]
        self._tokens = [0, *accumulate(len(delta.ids) for delta in deltas)]

    def joined(self, start: int, end: int) -> Delta:
        """Deltas `start` to `end` as one."""
        tokens = slice(self._tokens[start], self._tokens[end])
        return Delta(
            self._text[self._chars[start] : self._chars[end]],
            self._ids[tokens],
            None if self._spans is None else self._spans[tokens],
            finished=end == self.count,
        )


class _Output:
    """What some deltas add to the fields."""

    def __init__(self) -> None:
        self.texts: dict[str | int, str] = {}

    def add(self, message: DeltaMessage | None) -> None:
        if message is None:
            return
        self._append("reasoning", message.reasoning)
        self._append("content", message.content)
        for call in message.tool_calls:
            self._append(call.index, (call.function.arguments or "") if call.function else None)

    def lengths(self) -> dict[str | int, int]:
        return {field: len(text) for field, text in self.texts.items()}

    def _append(self, field: str | int, text: str | None) -> None:
        if text is not None:
            self.texts[field] = self.texts.get(field, "") + text


class _Reference:
    """The uncut run: its state and how long its fields are at every `STRIDE`-th delta."""

    def __init__(self, parser: Parser, stream: _Stream) -> None:
        self._parser, self._stream = parser, stream
        output = _Output()
        self._states = [_state(parser)]
        self._lengths = [output.lengths()]
        for start in range(stream.count):
            output.add(self._feed(start, start + 1))
            if (start + 1) % STRIDE == 0 or start + 1 == stream.count:
                self._states.append(_state(parser))
                self._lengths.append(output.lengths())
        self._texts = output.texts
        self.fields = self._fields(output.texts)

    def cut_at(self, position: int) -> Fields | None:
        """The fields with a cut at `position`; None when the run has become the uncut one again."""
        first = max((position - 1) // STRIDE - 1, 0)
        self._parser.restore(self._states[first])
        output = _Output()
        output.add(self._feed(first * STRIDE, position))
        at = position
        for mark in self._marks(position // STRIDE + 2):
            end = min(mark * STRIDE, self._stream.count)
            output.add(self._feed(at, end))
            at = end
            if self._is_as_before(output, first, mark):
                return None
        before = {field: self._texts[field][:size] for field, size in self._lengths[first].items()}
        fields = dict.fromkeys([*before, *output.texts])
        return self._fields({field: before.get(field, "") + output.texts.get(field, "") for field in fields})

    def _marks(self, mark: int) -> Iterator[int]:
        """Numbers of the kept states to compare with: ever further apart, up to the last."""
        last, step = len(self._states) - 1, 1
        while mark < last:
            yield mark
            mark, step = mark + step, step * 2
        yield last

    def _is_as_before(self, output: _Output, first: int, mark: int) -> bool:
        if _state(self._parser) != self._states[mark]:
            return False
        begin, end = self._lengths[first], self._lengths[mark]
        expected = {field: self._texts[field][begin.get(field, 0) : size] for field, size in end.items()}
        fields = [field for field in end if field not in begin or expected[field]]
        return output.texts == {field: expected[field] for field in fields}

    def _feed(self, start: int, end: int) -> DeltaMessage | None:
        delta = self._stream.joined(start, end)
        return self._parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)

    def _fields(self, texts: dict[str | int, str]) -> Fields:
        calls = [FieldCall(call.name, texts.get(call.index, ""), call.complete) for call in self._parser.calls]
        reasoning, content = texts.get("reasoning"), texts.get("content")
        return Fields(reasoning, content, tuple(calls))


def _state(parser: Parser) -> Snapshot:
    """The state, without what differs between equal runs: made-up ids, and the rows a trace would collect."""
    for engine in engines_of(parser):
        engine.machine.taken.clear()
    for call in parser.calls:
        call.id = ""
    return parser.snapshot()
