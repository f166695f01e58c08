"""What a client received and what it must not see to the places where it can be read all the same.

Hidden reasoning is gone from its own field, yet its tokens can be spelled by `logprobs` or decoded from `token_ids`.
The audit reads every field a client could read, joined over the whole stream, since no single chunk need hold
enough to recognise.

Source: card 01 (P-42 … P-45), card 07 (F-09).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from parsers.protocol import Accumulator
from parsers.serving.chat import ChatChunk
from parsers.serving.metadata import TokenLogprob

NEVER_HIDDEN = ("prompt_token_ids", "stop_reason", "usage", "time of each chunk")
"""What a server sends even when reasoning is hidden (P-44): it tells that and how long a model thought, not what."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A hidden text that can be read in a field.

    Attributes:
        field: as `LeakAudit.checked` names it.
        text: the hidden text found.
    """

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class LeakAudit:
    """The outcome of an audit.

    Attributes:
        checked: the fields that were read, those without any text included.
        leaks: what was found, by field.
        unreadable: fields that carry tokens nobody could decode, as no `decode` was given.
    """

    checked: tuple[str, ...]
    leaks: tuple[Leak, ...]
    unreadable: tuple[str, ...] = ()


def audit(
    chunks: Iterable[ChatChunk],
    hidden_texts: Sequence[str],
    decode: Callable[[Sequence[int]], str] | None = None,
) -> LeakAudit:
    """Search everything sent for one choice for texts that were to stay hidden.

    Args:
        chunks: what was sent, in order.
        hidden_texts: whole reasoning, or pieces of it too long to occur by chance; "" is ignored.
        decode: spells token ids; without it ids are not read.
    """
    sent = list(chunks)
    readable = dict(_texts(sent))
    ids = [token_id for chunk in sent for token_id in chunk.metadata.token_ids or ()]
    if decode is not None:
        readable["token_ids"] = decode(ids)
    leaks = [Leak(name, text) for name, read in readable.items() for text in hidden_texts if text and text in read]
    return LeakAudit(tuple(readable), tuple(leaks), ("token_ids",) if ids and decode is None else ())


def _texts(sent: Sequence[ChatChunk]) -> Iterator[tuple[str, str]]:
    received = Accumulator()
    for chunk in sent:
        received.add(chunk.delta)
    yield "reasoning", received.reasoning or ""
    yield "content", received.content or ""
    yield "tool_calls", "\n".join(f"{call.name or ''}\n{call.arguments}" for call in received.calls)
    entries = [entry for chunk in sent for entry in chunk.metadata.logprobs or ()]
    yield "logprobs.token", "".join(entry.token for entry in entries)
    yield "logprobs.bytes", _spelled(entries)
    yield "top_logprobs", "\n".join(map(_spelled, _by_rank(entries)))


def _by_rank(entries: Sequence[TokenLogprob]) -> Iterator[list[TokenLogprob]]:
    """The most likely alternatives of all positions, then the second most likely, and so on."""
    for rank in zip_longest(*(entry.alternatives for entry in entries)):
        yield [entry for entry in rank if entry is not None]


def _spelled(entries: Iterable[TokenLogprob]) -> str:
    return b"".join(entry.utf8 for entry in entries).decode("utf-8", errors="replace")
