"""A tokenizer made of given token texts, for cases that list their tokens and for toy vocabularies.

Turns entries, as logprobs list them, into ids and back: equal entries are one token, and an entry that spells
a marker whole is the marker's token, while the same letters spread over entries stay ordinary text. An entry
of bytes may hold part of a character; an entry may be empty.

Source: card 00 (C0-01: `tokens`, `chunks_utf8_hex`), card 06 (T-42).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from parsers.errors import CaseError
from parsers.tokens.base import Delta, clean_text
from parsers.tokens.chunks import cut, text_only
from parsers.tokens.stream import simulate

_FIRST_CHARACTER_ID = 1 << 24
"""Characters that are no entry get the id of their code point above this, out of reach of the entries."""


class TextTokenizer:
    """A `Tokenizer` whose vocabulary is the given entries. Immutable once built.

    Args:
        entries: token texts in order; bytes stand for part of a character.
        markers: texts that `encode` turns into one token, in the vocabulary even when no entry spells them.
        special: markers that `skip_special_tokens` removes.

    Attributes:
        ids: the id of each entry, in order.
        vocab: entries and markers -> id; bytes that are no text are spelled like `<0xF0><0x9F>`.
    """

    def __init__(
        self, entries: Iterable[str | bytes], markers: Iterable[str] = (), special: Iterable[str] = ()
    ) -> None:
        special = [text for text in special if text]
        markers = [text for text in dict.fromkeys([*markers, *special]) if text]
        pieces = [entry if isinstance(entry, bytes) else clean_text(entry).encode() for entry in entries]
        distinct = list(dict.fromkeys([*(marker.encode() for marker in markers), *pieces]))
        id_of = {piece: token_id for token_id, piece in enumerate(distinct)}
        self.name = "given tokens"
        self.special_tokens = frozenset(special)
        self.vocab: Mapping[str, int] = {_spelling(piece): token_id for piece, token_id in id_of.items()}
        self.ids = tuple(id_of[piece] for piece in pieces)
        self._pieces = distinct
        self._markers = _any_of(markers)

    def encode(self, text: str) -> list[int]:
        """Return the ids of any text: markers whole, everything else character by character."""
        ids: list[int] = []
        end = 0
        cleaned = clean_text(text)
        for match in self._markers.finditer(cleaned):
            ids += map(self._character_id, cleaned[end : match.start()])
            ids.append(self.vocab[match.group()])
            end = match.end()
        return [*ids, *map(self._character_id, cleaned[end:])]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; an id outside the vocabulary has no text (card T-07)."""
        return b"".join(map(self._piece, ids)).decode("utf-8", "replace")

    def token_text(self, token_id: int) -> str:
        r"""Return the text of one token alone, with "\ufffd" where it is part of a character."""
        return self.decode((token_id,))

    def _character_id(self, character: str) -> int:
        return self.vocab.get(character, _FIRST_CHARACTER_ID + ord(character))

    def _piece(self, token_id: int) -> bytes:
        if 0 <= token_id < len(self._pieces):
            return self._pieces[token_id]
        code_point = token_id - _FIRST_CHARACTER_ID
        return clean_text(chr(code_point)).encode() if 0 <= code_point <= 0x10FFFF else b""


def from_utf8_hex(chunks: Sequence[str]) -> list[Delta]:
    """Join byte pieces as a detokenizer does: a piece that ends inside a character waits for the next one.

    Args:
        chunks: bytes in hexadecimal, which need not end between characters.

    Returns:
        One text-only delta for each piece; bytes left at the end never come out (card T-04).

    Raises:
        CaseError: a piece that is not hexadecimal; names its place.
    """
    tokenizer = TextTokenizer(_bytes(index, chunk) for index, chunk in enumerate(chunks))
    return text_only(cut(simulate(tokenizer, tokenizer.ids), "token"))


def _bytes(index: int, chunk: str) -> bytes:
    try:
        return bytes.fromhex(chunk)
    except ValueError:
        raise CaseError(f"Entry {index} of chunks_utf8_hex is not hexadecimal: {chunk!r}.") from None


def _spelling(piece: bytes) -> str:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in piece)


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the longest of `texts` at each place, or nothing when there are none."""
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
