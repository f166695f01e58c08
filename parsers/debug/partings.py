"""Two traces of one output -> where each stage of them parts, in raw characters and in deltas.

Each stage is written as a list of atoms that does not depend on the cuts: neighbouring pieces of one kind are joined,
and markers are told by their spelling, for two tables may call one marker by two names.

Source: issue "Debug"; design.md, section 1 (the stages).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from parsers.debug.compare import common_length
from parsers.debug.laws import quoted
from parsers.debug.stages import FieldPiece, Slot, Trace
from parsers.engine.config import OTHER
from parsers.engine.events import EventType
from parsers.engine.lexer import FRAMING, TEXT
from parsers.engine.lexicon import DROP

NOTHING = "nothing"
_JOINED_LEXEMES = frozenset({DROP, FRAMING, OTHER})
_JOINED_EVENTS = frozenset(
    {
        EventType.TEXT_CHUNK,
        EventType.REASONING_CHUNK,
        EventType.ARG_VALUE_CHUNK,
        EventType.TOOL_NAME,
    }
)
_FOR_THE_ACCOUNT = frozenset({EventType.MARKER, EventType.DROPPED})


@dataclass(frozen=True, slots=True)
class Parting:
    """The first place at which one stage of two runs differs.

    Attributes:
        stage: which one.
        at: raw characters both agree on.
        deltas: the delta (0-based) of each run in which it shows.
        has: what each has there, in words.
    """

    stage: str
    at: int
    deltas: tuple[int, int]
    has: tuple[str, str]


class _Atom(NamedTuple):
    kind: str
    text: str
    start: int
    joined: bool

    def words(self) -> str:
        return f"{self.kind} {quoted(self.text)}" if self.text else self.kind


_Found = tuple[int, str, str]


def partings(left: Trace, right: Trace) -> tuple[Parting, ...]:
    """Every stage that differs, the earliest place first; stages that part at one place stay in pipeline order.

    An engine that runs alone and one driven in phases do not see the same text, so their inner stages are not compared.
    """
    found = []
    alike = (left.delegating is None) == (right.delegating is None)
    for stage, first_difference in _STAGES.items():
        if stage in _INSIDE_THE_ENGINE and not alike:
            continue
        difference = first_difference(left, right)
        if difference is not None:
            at, one, other = difference
            found.append(Parting(stage, at, (delta_at(left, at), delta_at(right, at)), (one, other)))
    return tuple(sorted(found, key=lambda parting: parting.at))


def delta_at(trace: Trace, at: int) -> int:
    """The delta (0-based) that shows the raw character `at`; the last one behind the end."""
    shown = [record.shown for record in trace.records]
    return min(bisect_right(shown, at), len(shown) - 1)


# --- stages as atoms --------------------------------------------------------------------------------------------------


def _raw(trace: Trace) -> Iterator[_Atom]:
    yield _Atom("text", trace.raw, 0, True)


def _tokens(trace: Trace) -> Iterator[_Atom]:
    for text, (start, _) in zip(trace.tokens.texts, trace.tokens.spans, strict=True):
        yield _Atom("token", text, start, False)


def _scanned(trace: Trace) -> Iterator[_Atom]:
    for record in trace.records:
        for item in record.items:
            yield _Atom("marker" if item.terminal else "text", item.text, item.start, not item.terminal)


def _lexed(trace: Trace) -> Iterator[_Atom]:
    for record in trace.records:
        for lexeme in record.lexemes:
            if lexeme.name == TEXT or lexeme.name in _JOINED_LEXEMES:
                yield _Atom(lexeme.name.lower() or "text", lexeme.text, lexeme.start, True)
            else:
                yield _Atom("marker", lexeme.text, lexeme.start, False)


def _said(trace: Trace) -> Iterator[_Atom]:
    for record in trace.records:
        for event in record.events:
            if event.type in _FOR_THE_ACCOUNT:
                continue
            kind = event.type if event.tool_index < 0 else f"{event.type} of call {event.tool_index}"
            yield _Atom(kind, event.value, event.start, event.type in _JOINED_EVENTS)


def _join(atoms: Iterable[_Atom]) -> Iterator[_Atom]:
    """Join neighbours of one kind where the cuts alone keep them apart."""
    kind, start, joined = "", 0, False
    texts: list[str] = []
    for atom in atoms:
        if texts and not (joined and atom.joined and atom.kind == kind):
            yield _Atom(kind, "".join(texts), start, joined)
            texts = []
        if not texts:
            kind, start, joined = atom.kind, atom.start, atom.joined
        texts.append(atom.text)
    if texts:
        yield _Atom(kind, "".join(texts), start, joined)


def _by_atoms(atoms: Callable[[Trace], Iterator[_Atom]]) -> Callable[[Trace, Trace], _Found | None]:
    def first_difference(left: Trace, right: Trace) -> _Found | None:
        for one, other in zip_longest(_join(atoms(left)), _join(atoms(right))):
            if one != other:
                return _differ(one, other)
        return None

    return first_difference


def _differ(one: _Atom | None, other: _Atom | None) -> _Found:
    words = [atom.words() if atom else NOTHING for atom in (one, other)]
    if one and other and one.kind == other.kind and one.start == other.start and one.joined:
        same = common_length(one.text, other.text)
        return one.start + same, f"{one.kind} {_from(one.text, same)}", f"{one.kind} {_from(other.text, same)}"
    return min(atom.start for atom in (one, other) if atom), words[0], words[1]


def _from(text: str, same: int) -> str:
    return quoted(text[same:]) if same < len(text) else "ends"


def _token_difference(left: Trace, right: Trace) -> _Found | None:
    """Streams without ids have no tokens to compare."""
    if left.tokens.ids is None or right.tokens.ids is None:
        return None
    return _by_atoms(_tokens)(left, right)


# --- texts of fields --------------------------------------------------------------------------------------------------


def _by_pieces(*slots: Slot) -> Callable[[Trace, Trace], _Found | None]:
    def first_difference(left: Trace, right: Trace) -> _Found | None:
        one, other = _pieces(left, slots), _pieces(right, slots)
        found = [_text_difference(name, one.get(name, []), other.get(name, [])) for name in {**one, **other}]
        return min(filter(None, found), default=None)

    return first_difference


def _pieces(trace: Trace, slots: Sequence[Slot]) -> Mapping[str, list[FieldPiece]]:
    found: dict[str, list[FieldPiece]] = defaultdict(list)
    for record in trace.records:
        for piece in record.pieces:
            if piece.slot in slots and piece.text:
                found[f"{piece.slot} of call {piece.call}" if piece.call >= 0 else piece.slot].append(piece)
    return found


def _text_difference(name: str, one: Sequence[FieldPiece], other: Sequence[FieldPiece]) -> _Found | None:
    texts = ["".join(piece.text for piece in pieces) for pieces in (one, other)]
    if texts[0] == texts[1]:
        return None
    same = common_length(*texts)
    places = [place for place in (_raw_place(one, same), _raw_place(other, same)) if place is not None]
    words = [f"{name} {_from(text, same)}" if text else f"no {name}" for text in texts]
    return min(places), words[0], words[1]


def _raw_place(pieces: Sequence[FieldPiece], offset: int) -> int | None:
    """Raw place of a character of a field; None behind its end."""
    for piece in pieces:
        if offset < len(piece.text):
            exact = len(piece.text) == piece.end - piece.start
            return piece.start + offset if exact else piece.start
        offset -= len(piece.text)
    return None


# --- what a client has ------------------------------------------------------------------------------------------------


def _sent_difference(left: Trace, right: Trace) -> _Found | None:
    """The first raw place after which a client of both has got different lengths, where both have a delta ending."""
    one, other = _sent(left), _sent(right)
    for shown in sorted(one.keys() & other.keys()):
        if one[shown] != other[shown]:
            return max(shown - 1, 0), one[shown], other[shown]
    return None


def _sent(trace: Trace) -> Mapping[int, str]:
    """Raw length shown -> what the client has by then, in words."""
    sent, lengths = {}, Counter[str]()
    for record, message in zip(trace.records, trace.clients, strict=True):
        if message is not None:
            lengths["reasoning"] += len(message.reasoning or "")
            lengths["content"] += len(message.content or "")
            for call in message.tool_calls:
                lengths[f"call {call.index}"] += len(call.function.arguments or "") if call.function else 0
        words = ", ".join(f"{name} {size}" for name, size in lengths.items() if size or name.startswith("call"))
        sent[record.shown] = f"has received {words or NOTHING}"
    return sent


_STAGES: Mapping[str, Callable[[Trace, Trace], _Found | None]] = {
    "raw text": _by_atoms(_raw),
    "tokens": _token_difference,
    "scanner": _by_atoms(_scanned),
    "lexer": _by_atoms(_lexed),
    "machine": _by_atoms(_said),
    "codec": _by_pieces("arguments"),
    "fields": _by_pieces("reasoning", "content"),
    "client": _sent_difference,
}
"""The stages in pipeline order."""
_INSIDE_THE_ENGINE = frozenset({"scanner", "lexer", "machine"})
