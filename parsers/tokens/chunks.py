"""From a finished stream to the deltas a parser receives: every way to cut it.

The same stream may arrive one token at a time, in groups, or all at once; no answer may depend on which
(T-33). A strategy is a short text, as in case files and on the command line:

    one, whole         everything in one delta
    token              one id a delta
    special            each special id alone, the runs between them whole
    every:N            N ids a delta
    interval:N         the first id at once, then N ids a delta
    rand:SEED:MAX      groups of 1 to MAX ids from Python's random.Random(SEED)
    cuts:i,j,...       before the ids at these positions
    char:SEED          text only; SEED 0 is one character a delta, any other groups of 1 to 8

Laws: the texts joined are the stream's text, the ids joined its ids, and the last delta alone is finished.

Source: card 00 (C0-02, C0-03), card 06 (T-30, T-31, T-41).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, combinations, pairwise, takewhile

from parsers.errors import CaseError, LimitError
from parsers.tokens.base import Delta, Tokenizer, clean_text
from parsers.tokens.stream import TokenStream, simulate

FORMS = "one, token, special, every:N, interval:N, rand:SEED:MAX, cuts:i,j,... or char:SEED"
MAX_GROUPED = 12
_LONGEST_TEXT_PIECE = 8


def cut(
    stream: TokenStream, strategy: str, special_ids: Collection[int] = (), finish_alone: bool = False
) -> list[Delta]:
    """Cut a stream by a strategy.

    Args:
        stream: what the server shows.
        strategy: one of the forms in the module docstring.
        special_ids: the ids that strategy `special` sets apart.
        finish_alone: let the finish arrive in a delta of its own, with the text held until then and no
            ids (T-28).

    Raises:
        CaseError: an unknown strategy, or numbers it cannot use.
    """
    kind, _, seed = strategy.partition(":")
    if kind == "char":
        return text_deltas(_text_pieces(stream.text, _number(seed, strategy)))
    return cut_at(stream, _positions(stream, strategy, special_ids), finish_alone)


def cut_at(stream: TokenStream, positions: Iterable[int], finish_alone: bool = False) -> list[Delta]:
    """Cut before the ids at `positions` (0-based, in any order); positions outside the stream cut nothing."""
    count = len(stream.ids)
    inside = sorted({position for position in positions if 0 < position < count})
    edges = [0, *inside, count]
    deltas = [_delta(stream, start, end) for start, end in pairwise(edges)]
    return _finish(deltas, stream.text[stream.shown[-1] :], finish_alone)


def text_only(deltas: Iterable[Delta]) -> list[Delta]:
    """Return the same deltas as a text-only stream would bring them: no ids, no spans."""
    return [Delta(delta.text, finished=delta.finished) for delta in deltas]


def text_deltas(pieces: Iterable[str]) -> list[Delta]:
    """Return one text-only delta for each piece; one empty delta when there are none."""
    deltas = [Delta(clean_text(piece)) for piece in pieces] or [Delta("")]
    return [*deltas[:-1], replace(deltas[-1], finished=True)]


def given(
    pieces: Sequence[str], ids: Sequence[Sequence[int]] | None = None, tokenizer: Tokenizer | None = None
) -> list[Delta]:
    """Return a case's own chunks as deltas (C0-02).

    With `ids` they are captured and their spans unknown. Without, each piece gets ids when the cuts fall
    between tokens of the whole text; else all pieces are text only, for a token cut in two has no id.

    Raises:
        CaseError: not one list of ids for each piece.
    """
    if ids is not None:
        return _captured(pieces, ids)
    cleaned = [clean_text(piece) for piece in pieces]
    encoded = [tokenizer.encode(piece) for piece in cleaned] if tokenizer else []
    joined = list(chain.from_iterable(encoded))
    if not tokenizer or not joined or tokenizer.encode("".join(cleaned)) != joined:
        return text_deltas(cleaned)
    return _with_ids(cleaned, encoded, simulate(tokenizer, joined))


def two_way(count: int) -> Iterator[tuple[int, ...]]:
    """Yield every cut of `count` ids into two deltas, as positions for `cut_at`."""
    return ((position,) for position in range(1, count))


def all_groupings(count: int) -> Iterator[tuple[int, ...]]:
    """Yield every cut of `count` ids, fewest deltas first, as positions for `cut_at`.

    There are 2 to the power `count` - 1.

    Raises:
        LimitError: more than 12 ids.
    """
    if count > MAX_GROUPED:
        raise LimitError(f"All groupings work for up to {MAX_GROUPED} tokens, not {count}; use two-way cuts.")
    places = range(1, count)
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))


def _delta(stream: TokenStream, start: int, end: int) -> Delta:
    text = stream.text[stream.shown[start] : stream.shown[end]]
    return Delta(text, stream.ids[start:end], stream.spans[start:end])


def _finish(deltas: list[Delta], rest: str, alone: bool) -> list[Delta]:
    """Release the rest of the text with the last delta, or in one of its own."""
    if alone:
        return [*deltas, Delta(rest, (), (), finished=True)]
    last = deltas[-1]
    return [*deltas[:-1], replace(last, text=last.text + rest, finished=True)]


def _captured(pieces: Sequence[str], ids: Sequence[Sequence[int]]) -> list[Delta]:
    if len(ids) != len(pieces):
        raise CaseError(f"chunk_token_ids has {len(ids)} lists for {len(pieces)} chunks; give one for each.")
    deltas = text_deltas(pieces)
    return [replace(delta, ids=tuple(group)) for delta, group in zip(deltas, [*ids] or [()], strict=True)]


def _with_ids(pieces: Sequence[str], encoded: Sequence[Sequence[int]], stream: TokenStream) -> list[Delta]:
    edges = [0, *accumulate(len(group) for group in encoded)]
    return [
        replace(delta, ids=stream.ids[start:end], spans=stream.spans[start:end])
        for delta, (start, end) in zip(text_deltas(pieces), pairwise(edges), strict=True)
    ]


def _positions(stream: TokenStream, strategy: str, special_ids: Collection[int]) -> Iterable[int]:
    """Return where a strategy cuts, as positions before ids."""
    count = len(stream.ids)
    match strategy.split(":"):
        case ["one" | "whole"]:
            return ()
        case ["token"]:
            return range(1, count)
        case ["special"]:
            return _around(stream.ids, special_ids)
        case ["every", size]:
            return range(0, count, _number(size, strategy, at_least=1))
        case ["interval", size]:
            return range(1, count, _number(size, strategy, at_least=1))
        case ["rand", seed, longest]:
            return _random_edges(count, _number(seed, strategy), _number(longest, strategy, at_least=1))
        case ["cuts", positions]:
            return [_number(position, strategy, at_least=0) for position in positions.split(",")]
    raise CaseError(f"There is no strategy {strategy!r}; write {FORMS}.")


def _number(text: str, strategy: str, at_least: int | None = None) -> int:
    try:
        number = int(text)
    except ValueError:
        raise CaseError(f"In strategy {strategy!r}, {text!r} is not a whole number; write {FORMS}.") from None
    if at_least is not None and number < at_least:
        raise CaseError(f"In strategy {strategy!r}, {text} is too small; it must be at least {at_least}.")
    return number


def _around(ids: Sequence[int], special_ids: Collection[int]) -> Iterator[int]:
    apart = frozenset(special_ids)
    return chain.from_iterable((index, index + 1) for index, token_id in enumerate(ids) if token_id in apart)


def _random_edges(count: int, seed: int, longest: int) -> Iterator[int]:
    """Yield the edges of random groups of 1 to `longest` things, inside `count` things."""
    generator = random.Random(seed)
    edges = accumulate(generator.randint(1, longest) for _ in range(count))
    return takewhile(lambda edge: edge < count, edges)


def _text_pieces(text: str, seed: int) -> Iterable[str]:
    if seed == 0:
        return text
    edges = [0, *_random_edges(len(text), seed, _LONGEST_TEXT_PIECE), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]
