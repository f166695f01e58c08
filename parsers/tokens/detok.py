r"""From token ids to the text a server would show for them, one id at a time.

`IncrementalDetokenizer` turns ids into pieces of text and says which characters belong to which id. It
decodes each id in the context of the text before it, since many decoders drop a leading space otherwise
(T-10), and holds an id back while its text ends inside a character (T-02).

Laws:
    The pieces joined are the text of all ids, but for bytes held at the end, which never come out (T-04).
    The spans of all ids, in order, tile that text: each starts where the one before ends.
    The cost of one id does not depend on how many went before.

Source: card 06 (T-01 to T-10).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parsers.tokens.base import REPLACEMENT, Span, Tokenizer

_PROMPT_CONTEXT = 7
"""Prompt ids that the first generated id is decoded after (T-01)."""

_HELD_LIMIT = 8
"""Ids held before the whole characters among them are let go; a real character needs at most four."""

_LONGEST_CHARACTER = 4
"""Bytes, and so tokens at most, of one UTF-8 character."""


@dataclass(frozen=True, slots=True)
class Released:
    """What one step of the detokenizer lets go.

    Attributes:
        text: new characters; "" while ids are held back.
        spans: spans of the ids this text belongs to, in order: first the ids held so far, then the new
            one. () while ids are held back.
    """

    text: str
    spans: tuple[Span, ...]


_NOTHING = Released("", ())


@dataclass(frozen=True, slots=True)
class DetokenizerState:
    """A point to go back to. `context` and `held` are ids, `position` counts the characters released."""

    context: tuple[int, ...]
    held: tuple[int, ...]
    position: int


class IncrementalDetokenizer:
    r"""Turns ids into text as they come. One per stream.

    Args:
        tokenizer: decodes the ids.
        prompt_ids: ids before the generated ones; they give context, their text is never released.
        skip_ids: ids that show no text (T-08: special tokens when `skip_special_tokens` is on).
        hold_bytes: hold ids back while their text ends inside a character; off shows "\ufffd" at once.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        prompt_ids: Sequence[int] = (),
        skip_ids: Collection[int] = (),
        hold_bytes: bool = True,
    ) -> None:
        self._tokenizer = tokenizer
        self._skip_ids = frozenset(skip_ids)
        self._hold_bytes = hold_bytes
        self._held: list[int] = []
        self._position = 0
        self._text_alone: dict[int, str] = {}
        self._set_context(self._without_skipped(prompt_ids[-_PROMPT_CONTEXT:]))

    @property
    def held(self) -> tuple[int, ...]:
        """Ids whose text is held back."""
        return tuple(self._held)

    @property
    def position(self) -> int:
        """Characters released so far."""
        return self._position

    def push(self, token_id: int) -> Released:
        """Take one id and return the text that it completes."""
        if token_id in self._skip_ids and not self._held:
            return Released("", ((self._position, self._position),))
        self._held.append(token_id)
        text = self._new_text(self._held)
        if text and not (self._hold_bytes and text.endswith(REPLACEMENT)):
            return self._release(len(self._held), text)
        return self._release_whole_characters() if len(self._held) > _HELD_LIMIT else _NOTHING

    def finish(self) -> Released:
        r"""Return what is left: a "\ufffd" that the model wrote as such; half a character is lost (T-04)."""
        text = self._new_text(self._held)
        if text and self._tokenizer.encode(text) == list(self._without_skipped(self._held)):
            return self._release(len(self._held), text)
        spans = ((self._position, self._position),) * len(self._held)
        self._held = []
        return Released("", spans)

    def snapshot(self) -> DetokenizerState:
        """Return the present state; it stays valid whatever is pushed later."""
        return DetokenizerState(self._context, tuple(self._held), self._position)

    def restore(self, state: DetokenizerState) -> None:
        """Go back to a state taken from this detokenizer or from one built with the same arguments."""
        self._set_context(state.context)
        self._held = list(state.held)
        self._position = state.position

    def _set_context(self, ids: Sequence[int]) -> None:
        self._context = tuple(ids)
        self._context_text = self._decode_alone(ids[0]) if len(ids) == 1 else self._tokenizer.decode(ids)

    def _decode_alone(self, token_id: int) -> str:
        """Return the text of one id, remembered, for nearly every context is a single id."""
        text = self._text_alone.get(token_id)
        if text is None:
            text = self._text_alone[token_id] = self._tokenizer.decode((token_id,))
        return text

    def _new_text(self, ids: Sequence[int]) -> str:
        """Return the text of `ids` after the context.

        A prompt that ends inside a character changes when the rest comes; only the change is new (T-06).
        """
        whole = self._tokenizer.decode([*self._context, *self._without_skipped(ids)])
        return whole[_common_length(self._context_text, whole) :]

    def _without_skipped(self, ids: Sequence[int]) -> Sequence[int]:
        return [token_id for token_id in ids if token_id not in self._skip_ids] if self._skip_ids else ids

    def _release(self, count: int, text: str) -> Released:
        """Let the first `count` held ids go, whose text is `text`; they are the context of what follows."""
        spans = self._spans(self._held[:count], text)
        self._set_context(self._without_skipped(self._held[:count]))
        self._held = self._held[count:]
        self._position += len(text)
        return Released(text, spans)

    def _spans(self, ids: Sequence[int], text: str) -> tuple[Span, ...]:
        """Give each id the characters of `text` that it completes; the last one gets the rest."""
        if len(ids) == 1:
            return ((self._position, self._position + len(text)),)
        ends = [_common_length(self._new_text(ids[:count]), text) for count in range(1, len(ids))]
        edges = [self._position, *(self._position + end for end in ends), self._position + len(text)]
        return tuple(pairwise(edges))

    def _release_whole_characters(self) -> Released:
        """Let go what cannot be part of a character still to come.

        Only text with many broken characters or many empty tokens gets here. A place between two characters
        is one where both sides decode to the same text apart as together. Without one, all ids stay held.
        """
        whole = self._new_text(self._held)
        for count in range(len(self._held) - 1, len(self._held) - 1 - _LONGEST_CHARACTER, -1):
            text = self._new_text(self._held[:count])
            if text + self._tokenizer.decode(self._without_skipped(self._held[count:])) == whole:
                return self._release(count, text)
        return _NOTHING


def _common_length(first: str, second: str) -> int:
    """Return how many characters the two texts share at their start."""
    if second.startswith(first):
        return len(first)
    pairs = zip(first, second, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
