"""What every tokenizer offers and what one step of input to a parser looks like.

These are the two shapes that the rest of `tokens/` produces and the engine consumes.

Source: card 06 (T-30, T-40), design decision 6.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Span = tuple[int, int]
"""Half-open range of characters, 0-based, counted from the start of the whole visible text of a stream."""

REPLACEMENT = "\ufffd"
"""Stands for bytes that are no character (yet)."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    r"""Return `text` with lone surrogates, which no tokenizer accepts, replaced by "\ufffd"; same length."""
    return _SURROGATES.sub(REPLACEMENT, text)


@dataclass(frozen=True, slots=True)
class Delta:
    """One step of input to a parser. Text and ids need not line up: text may lag behind its ids.

    Attributes:
        text: new visible characters; "" while bytes or a possible stop string are held back.
        ids: new token ids, in order; () for a text-only stream or a delta that only releases held text.
        spans: for each id the span of its text in the whole stream, possibly beyond the text shown so far. A
            skipped or empty token has start == end; so has a token that holds part of a character, at the
            position where that character will appear. None means unknown (a captured stream, or text only),
            () that there are no ids.
        finished: true on the last delta of a stream and only there.
    """

    text: str
    ids: tuple[int, ...] = ()
    spans: tuple[Span, ...] | None = None
    finished: bool = False


class Tokenizer(Protocol):
    """Text to token ids and back."""

    @property
    def name(self) -> str:
        """How messages call this tokenizer."""
        ...

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token text as the vocabulary spells it -> id, added tokens included; read only."""
        ...

    @property
    def special_tokens(self) -> frozenset[str]:
        """The texts that `skip_special_tokens` removes (end of text, turn tokens)."""
        ...

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; an added token spelled in the text becomes its single id."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids` with special tokens spelled out."""
        ...

    def token_text(self, token_id: int) -> str:
        r"""Return the text of one token alone, with "\ufffd" where it is part of a character."""
        ...
