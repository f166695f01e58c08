"""The tokenizer that comes with the package: a small byte-level BPE, extended by the markers a format needs.

Turns text into ids and back without a network and without a model. Every byte is a token of its own, so any
text can be encoded, and rare characters split into pieces of a character as they do in real vocabularies.

The merges were learned by `tools/make_tokenizer.py` from text written for this purpose. Ids 0 to 255 are the
bytes, then comes one id per line of the merges file, then the end-of-text token, then the markers in order.

Source: card 00 (C0-02), card 06 (T-12, T-42).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from parsers.tokens.base import clean_text

if TYPE_CHECKING:
    import tokenizers

NAME = "bundled"
END_OF_TEXT = "<|end_of_stream|>"
MERGES_FILE = "bundled_merges.txt"
_CACHED_MARKER_SETS = 32


def load(markers: Sequence[str] = (), special: Sequence[str] = ()) -> BundledTokenizer:
    """Return the bundled tokenizer with every marker as one token.

    Args:
        markers: texts that become single tokens; repeated and empty ones count once and not at all.
        special: texts that `skip_special_tokens` removes; added as tokens even when absent from `markers`.
    """
    added = dict.fromkeys(text for text in (*markers, *special) if text)
    return _build(tuple(added), frozenset(special))


@lru_cache(maxsize=_CACHED_MARKER_SETS)
def _build(markers: tuple[str, ...], special: frozenset[str]) -> BundledTokenizer:
    return BundledTokenizer(_library_tokenizer(markers), (END_OF_TEXT, *markers), {END_OF_TEXT, *special})


class BundledTokenizer:
    """A `Tokenizer` over the bundled vocabulary. Immutable once built, so it may be shared.

    Decoding joins bytes itself: the library's byte-level decoder misreads added tokens whose letters belong
    to its own byte alphabet, such as a marker with an accented letter.
    """

    def __init__(self, library: tokenizers.Tokenizer, added: Iterable[str], special: Iterable[str]) -> None:
        self.name = NAME
        self.vocab: Mapping[str, int] = library.get_vocab(with_added_tokens=True)
        self.special_tokens = frozenset(special) - {""}
        self._library = library
        self._pieces = _piece_bytes(self.vocab, added)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`; markers spelled in it become their single id."""
        # The batch form skips the offsets, which nobody reads here, and takes half the time.
        [encoding] = self._library.encode_batch_fast([clean_text(text)], add_special_tokens=False)
        return list(encoding.ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; an id outside the vocabulary has no text (card T-07)."""
        pieces = self._pieces
        return b"".join([pieces.get(token_id, b"") for token_id in ids]).decode("utf-8", "replace")

    def token_text(self, token_id: int) -> str:
        r"""Return the text of one token alone, with "\ufffd" where it is part of a character."""
        return self.decode((token_id,))


def byte_alphabet() -> dict[int, str]:
    """Return the printable letter that stands for each byte in a byte-level vocabulary (a space is "Ġ")."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(0x100) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    return letters | {byte: chr(0x100 + offset) for offset, byte in enumerate(hidden)}


def _library_tokenizer(markers: Sequence[str]) -> tokenizers.Tokenizer:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    vocab, merges = _model()
    library = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_tokens([AddedToken(text, normalized=False) for text in (END_OF_TEXT, *markers)])
    return library


@lru_cache(maxsize=1)
def _model() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return vocabulary and merges; the vocabulary follows from the merges, so only those are stored."""
    lines = files("parsers.tokens").joinpath(MERGES_FILE).read_text(encoding="utf-8").splitlines()
    merges = [(left, right) for left, _, right in (line.partition(" ") for line in lines)]
    letters = byte_alphabet()
    texts = [*(letters[byte] for byte in range(0x100)), *(left + right for left, right in merges)]
    return {text: token_id for token_id, text in enumerate(dict.fromkeys(texts))}, merges


def _piece_bytes(vocab: Mapping[str, int], added: Iterable[str]) -> dict[int, bytes]:
    added_texts = frozenset(added)
    byte_of = {letter: byte for byte, letter in byte_alphabet().items()}
    return {
        token_id: text.encode() if text in added_texts else bytes(byte_of[letter] for letter in text)
        for text, token_id in vocab.items()
    }
