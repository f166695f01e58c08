"""Marker tokens as single private characters, so that text and tokens are one string to the lexer.

Once a stream carries ids, a marker that is a token of the vocabulary counts only by its id (card E-22). Each such token
becomes one lone surrogate, which decoded text can never contain; a composite marker such as `<|close|>argument<|sep|>`
is then an ordinary literal over that alphabet. Other special tokens of the tokenizer become characters of a second
range and vanish (E-20, E-21).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from parsers.engine.config import ParserEngineConfig

_FIRST_MARKER, _FIRST_DROP, _END = 0xD800, 0xDC00, 0xE000
SYMBOL = re.compile(f"[{chr(_FIRST_MARKER)}-{chr(_END - 1)}]")
DROP_CLASS = f"[{chr(_FIRST_DROP)}-{chr(_END - 1)}]"


class Alphabet:
    """What the ids of one vocabulary mean to one format. Immutable after construction.

    Args:
        config: the format.
        vocab: token text -> id; empty for text-only streams.
        special_tokens: texts the tokenizer calls special.
    """

    def __init__(
        self, config: ParserEngineConfig, vocab: Mapping[str, int], special_tokens: frozenset[str] = frozenset()
    ) -> None:
        self.markers = {
            text: chr(_FIRST_MARKER + i) for i, text in enumerate(config.tokens) if text in vocab
        }
        declared = {t for terminal in config.terminals.values() for t in terminal.spellings} | set(config.tokens)
        dropped = sorted((special_tokens | set(config.special)) - declared - set(config.visible))[: _END - _FIRST_DROP]
        self.drops = {text: chr(_FIRST_DROP + i) for i, text in enumerate(dropped)}
        self._symbols = {vocab[t]: s for t, s in (self.markers | self.drops).items() if t in vocab}
        self.ids = frozenset(self._symbols)
        self.texts = {symbol: text for text, symbol in (self.markers | self.drops).items()}

    def symbol(self, token_id: int) -> str | None:
        """The character for a marker or dropped token, None for an ordinary token."""
        return self._symbols.get(token_id)

    def encode(self, spelling: str) -> str:
        """A spelling with the vocabulary's marker tokens replaced by their characters."""
        for text in sorted(self.markers, key=len, reverse=True):
            spelling = spelling.replace(text, self.markers[text])
        return spelling


def is_drop(symbol: str) -> bool:
    """The character stands for a token that vanishes."""
    return symbol >= chr(_FIRST_DROP)
