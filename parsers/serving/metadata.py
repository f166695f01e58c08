"""Token ids of one step to what a client may see of the tokens beside their text: logprobs and the ids themselves.

Laws: one logprobs entry for each id, never for each character (T-32); with reasoning hidden by a parser nothing is
shown, on any chunk, thinking or not (P-41), since one readable token would give the hidden text away.

Source: card 01 (P-41 … P-45), card 06 (T-32).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parsers.protocol import ChatRequest, JsonObject

UNKNOWN_LOGPROB = -9999.0
"""What a server sends for a token whose probability it does not know, as after a simulated stream."""

TokenText = Callable[[int], str]
"""A token id to the text of that token alone."""


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    r"""One sampled token as `logprobs` shows it.

    Attributes:
        token: its text alone; "\ufffd" stands for part of a character.
        logprob: natural logarithm of its probability.
        alternatives: the most likely tokens of this position, best first; () when none were asked for.
    """

    token: str
    logprob: float = UNKNOWN_LOGPROB
    alternatives: tuple[TokenLogprob, ...] = ()

    @property
    def utf8(self) -> bytes:
        """The token's text in UTF-8."""
        return self.token.encode("utf-8", errors="replace")

    def as_json(self) -> JsonObject:
        """Return the entry of the list `logprobs.content`."""
        return {**self._pair(), "top_logprobs": [other._pair() for other in self.alternatives]}

    def _pair(self) -> JsonObject:
        return {"token": self.token, "logprob": self.logprob, "bytes": list(self.utf8)}


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a chunk or a reply tells about its tokens.

    Attributes:
        logprobs: one entry for each id; None when not asked for or hidden.
        token_ids: the ids, in order; None when not asked for or hidden.
    """

    logprobs: tuple[TokenLogprob, ...] | None = None
    token_ids: tuple[int, ...] | None = None

    def __bool__(self) -> bool:
        """Tell whether there is a token to show, which is worth a chunk of its own (P-43)."""
        return bool(self.logprobs or self.token_ids)

    def as_json(self) -> JsonObject:
        """Return the fields of a choice: `logprobs` always, null without any; `token_ids` only when shown (P-41)."""
        shown: JsonObject = {"logprobs": None}
        if self.logprobs is not None:
            shown["logprobs"] = {"content": [entry.as_json() for entry in self.logprobs]}
        if self.token_ids is not None:
            shown["token_ids"] = list(self.token_ids)
        return shown


NO_METADATA = Metadata()


def hides_metadata(request: ChatRequest, has_parser: bool) -> bool:
    """Tell whether a request's tokens stay hidden.

    Without a parser nobody knows which tokens are thinking, so all of them are shown (P-42).
    """
    return has_parser and not request.include_reasoning


def metadata_of(
    ids: Sequence[int], request: ChatRequest, has_parser: bool, token_text: TokenText | None = None
) -> Metadata:
    """Return what the client may see of these tokens.

    Args:
        ids: generated ids, in order.
        request: the request being answered.
        has_parser: a parser separates the reasoning of this choice.
        token_text: spells a token; None when there is no tokenizer, and then there are no logprobs.
    """
    if hides_metadata(request, has_parser):
        return NO_METADATA
    logprobs = None
    if request.logprobs and token_text is not None:
        logprobs = tuple(_sampled(token_text(token_id), request.top_logprobs) for token_id in ids)
    return Metadata(logprobs, tuple(ids) if request.return_token_ids else None)


def _sampled(text: str, alternatives: int) -> TokenLogprob:
    # Of the alternatives only the sampled token is known.
    return TokenLogprob(text, alternatives=(TokenLogprob(text),) if alternatives else ())
