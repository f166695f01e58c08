"""From token ids to a finished stream: which text a server shows after each id, and why the stream ends.

Plays the part of a serving engine: stop strings with the text they hold back, stop tokens, length limits,
special tokens that are skipped. Frames are cut afterwards (`tokens/chunks`), so every cut of a stream tells
the same story (T-33).

Laws (T-43):
    The text shown only grows, and all of `text` is shown at the end.
    No text follows a stop string.
    Text lags its ids by at most the longest stop string less one character, and by bytes held back.

Source: card 06 (T-15 to T-28, T-40 to T-44).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Literal

from parsers.errors import RequestError
from parsers.tokens.base import REPLACEMENT, Span, Tokenizer
from parsers.tokens.detok import IncrementalDetokenizer, Released

Withheld = Literal["bytes", "stop", "special"]
"""Why an id's text is not shown with it: half a character, a possible stop string, a token without text."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How the serving engine treats the ids.

    Attributes:
        stop: stop strings, none empty.
        include_stop: keep the text of the stop string or stop token that ended the stream.
        eos_id: the id that ends a stream with no stop reason; None when there is none or it is never sampled.
        stop_token_ids: ids that end a stream and are its stop reason.
        ignore_eos: treat `eos_id` as an ordinary token (T-22).
        skip_special_tokens: show no text for the tokenizer's special tokens (T-08).
        min_tokens: stop strings completed within this many ids do not count (T-19).
        max_tokens: end with "length" after this many ids; None is no limit.
        hold_bytes: hold text back that ends inside a character (T-02).
        prompt_ids: ids before the stream, as context for decoding (T-01).
        finish_reason: what to report when the ids run out: "stop", "length", "abort", "error" or
            "repetition".
    """

    stop: tuple[str, ...] = ()
    include_stop: bool = False
    eos_id: int | None = None
    stop_token_ids: frozenset[int] = frozenset()
    ignore_eos: bool = False
    skip_special_tokens: bool = False
    min_tokens: int = 0
    max_tokens: int | None = None
    hold_bytes: bool = True
    prompt_ids: tuple[int, ...] = ()
    finish_reason: str = "stop"

    def __post_init__(self) -> None:
        if "" in self.stop:
            raise RequestError("A stop string is empty; leave it out or write the text to stop at.")

    @property
    def hold(self) -> int:
        """Characters kept back at the end of the text while a stop string may be forming (T-15)."""
        return 0 if self.include_stop else max(map(len, self.stop), default=1) - 1

    @property
    def only_shows(self) -> bool:
        """Nothing but a limit can stop the stream, and nothing is skipped or decoded behind a prompt."""
        stops = self.stop or self.stop_token_ids or self.eos_id is not None or self.max_tokens == 0
        return not (stops or self.skip_special_tokens or self.prompt_ids)

    def is_eos(self, token_id: int) -> bool:
        """Tell whether this id ends the stream as the end of text."""
        return token_id == self.eos_id and not self.ignore_eos

    def is_stop_token(self, token_id: int) -> bool:
        """Tell whether this id ends the stream."""
        return token_id in self.stop_token_ids or self.is_eos(token_id)


@dataclass(frozen=True, slots=True)
class TokenStream:
    """A whole stream, before it is cut into deltas. Positions are characters of `text`, 0-based.

    Attributes:
        text: all text the stream shows.
        ids: the ids it is made of, in order, up to and including the one that ended it.
        spans: the span of each id in `text`; they tile it. Empty for an id without text.
        shown: how many characters are visible after the first k ids, for k from 0 to len(ids); the last entry
            is what is visible before the finish releases the rest.
        withheld: for each id why its text is not all visible right after it; None when it is.
        finish_reason: "stop", "length", or as the options say.
        stop_reason: the stop string or stop token id that ended the stream; None for any other end.
    """

    text: str
    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    shown: tuple[int, ...]
    withheld: tuple[Withheld | None, ...]
    finish_reason: str
    stop_reason: str | int | None


def special_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """Return the ids of the tokenizer's special tokens."""
    vocab = tokenizer.vocab
    return frozenset(vocab[text] for text in tokenizer.special_tokens if text in vocab)


def simulate(tokenizer: Tokenizer, ids: Sequence[int], options: StreamOptions | None = None) -> TokenStream:
    """Return the stream that a server makes of these generated ids; linear in their number.

    Raises:
        RequestError: an empty stop string (the caller's fault, raised by `StreamOptions`).
    """
    options = options or StreamOptions()
    return _plain_stream(tokenizer, ids, options) or step_by_step(tokenizer, ids, options)


def step_by_step(tokenizer: Tokenizer, ids: Sequence[int], options: StreamOptions) -> TokenStream:
    """The same, for any ids and options, one id at a time."""
    simulation = _Simulation(tokenizer, options)
    for token_id in ids:
        simulation.step(token_id)
        if simulation.finish_reason:
            break
    return simulation.result()


def _plain_stream(tokenizer: Tokenizer, ids: Sequence[int], options: StreamOptions) -> TokenStream | None:
    """The stream of tokens that each show their own text at once; None where one may not, or where something may stop.

    Most streams are like that, and need not be taken step by step.
    """
    if not options.only_shows:
        return None
    ids = ids[: options.max_tokens]
    alone = {token_id: tokenizer.decode((token_id,)) for token_id in set(ids)}
    texts = [alone[token_id] for token_id in ids]
    text = "".join(texts)
    if REPLACEMENT in text or "" in alone.values() or tokenizer.decode(ids) != text:
        return None
    shown = tuple(accumulate(map(len, texts), initial=0))
    return TokenStream(
        text=text,
        ids=tuple(ids),
        spans=tuple(pairwise(shown)),
        shown=shown,
        withheld=(None,) * len(ids),
        finish_reason="length" if ids and len(ids) == options.max_tokens else options.finish_reason,
        stop_reason=None,
    )


class _Simulation:
    """The state of one stream while ids come in."""

    def __init__(self, tokenizer: Tokenizer, options: StreamOptions) -> None:
        skip_ids = special_ids(tokenizer) if options.skip_special_tokens else frozenset[int]()
        self.options = options
        self.skip_ids = skip_ids
        self.detokenizer = IncrementalDetokenizer(tokenizer, options.prompt_ids, skip_ids, options.hold_bytes)
        self.search = _StopSearch(options.stop)
        self.ids: list[int] = []
        self.texts: list[str] = []
        self.spans: list[Span] = []
        self.shown = [0]
        self.withheld: list[Withheld | None] = []
        self.text_end: int | None = None
        self.finish_reason: str | None = None
        self.stop_reason: str | int | None = None

    def step(self, token_id: int) -> None:
        """Take one id and apply the checks in the engine's order: stop token, stop string, length (T-25)."""
        self.ids.append(token_id)
        if self.options.is_stop_token(token_id):
            self._stop_at_token(token_id)
        else:
            self._match_stop_string(self._show(token_id))
        self.shown.append(max(0, self.detokenizer.position - self.options.hold))
        self.withheld.append(self._why_withheld(token_id))
        if not self.finish_reason and len(self.ids) == self.options.max_tokens:
            self.finish_reason = "length"

    def result(self) -> TokenStream:
        """Close the stream. Text and spans end at the stop string, if there was one."""
        self._take(self.detokenizer.finish())
        text = "".join(self.texts)[: self.text_end]
        length = len(text)
        unseen = [(length, length)] * (len(self.ids) - len(self.spans))
        return TokenStream(
            text=text,
            ids=tuple(self.ids),
            spans=tuple([(min(start, length), min(end, length)) for start, end in chain(self.spans, unseen)]),
            shown=tuple([min(shown, length) for shown in self.shown]),
            withheld=tuple(self.withheld),
            finish_reason=self.finish_reason or self.options.finish_reason,
            stop_reason=self.stop_reason,
        )

    def _show(self, token_id: int) -> str:
        released = self.detokenizer.push(token_id)
        self._take(released)
        return released.text

    def _take(self, released: Released) -> None:
        self.texts.append(released.text)
        self.spans.extend(released.spans)

    def _stop_at_token(self, token_id: int) -> None:
        """End the stream; the token's text is left out, its id is not (T-21)."""
        self.finish_reason = "stop"
        self.stop_reason = None if self.options.is_eos(token_id) else token_id
        if self.options.include_stop:
            self._show(token_id)

    def _match_stop_string(self, new_text: str) -> None:
        found = self.search.feed(new_text)
        if found is None or len(self.ids) <= self.options.min_tokens:
            return
        self.finish_reason, self.stop_reason = "stop", found.text
        self.text_end = found.end if self.options.include_stop else found.end - len(found.text)

    def _why_withheld(self, token_id: int) -> Withheld | None:
        if token_id in self.skip_ids or (self.finish_reason and self.options.is_stop_token(token_id)):
            return "special"
        if self.detokenizer.held:
            return "bytes"
        return "stop" if self.shown[-1] < self.detokenizer.position else None


@dataclass(frozen=True, slots=True)
class _Stop:
    """A stop string found in the text, and the position after its last character."""

    text: str
    end: int


class _StopSearch:
    """Looks for stop strings in the new text and just enough of the text before it."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._overlap = max(map(len, stops), default=1) - 1
        self._tail = ""
        self._position = 0

    def feed(self, new_text: str) -> _Stop | None:
        """Return the stop string completed first in `new_text`; of two, the one listed first (T-17)."""
        window = self._tail + new_text
        origin = self._position - len(self._tail)
        found = [_Stop(stop, origin + end) for stop in self._stops if (end := self._first_end(window, stop))]
        self._position += len(new_text)
        self._tail = window[-self._overlap :] if self._overlap else ""
        return min(found, key=lambda stop: stop.end, default=None)

    def _first_end(self, window: str, stop: str) -> int:
        """Return where `stop` first ends in the new text of the window; 0 when it does not."""
        index = window.find(stop, max(0, len(self._tail) + 1 - len(stop)))
        return index + len(stop) if index >= 0 else 0
