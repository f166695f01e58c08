"""The gpt-oss library as a peer: its vocabulary as a tokenizer for our parser, its messages as fields.

Source: harmony.md ("Classification of a finished header"); the library itself is `oss-harmony`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from openai_harmony import HarmonyEncoding, HarmonyEncodingName, Message, Role, load_harmony_encoding

PROMPT = "<|start|>assistant"
_FUNCTIONS = "functions."


class HarmonyTokenizer:
    """A `Tokenizer` over the vocabulary of gpt-oss; only special tokens have a spelling in `vocab`."""

    def __init__(self) -> None:
        self.encoding: HarmonyEncoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
        self.name = "gpt-oss"
        self.special_tokens = frozenset(self.encoding.special_tokens_set)

    @cached_property
    def vocab(self) -> dict[str, int]:
        """Special token -> id."""
        return {token: self.encode(token)[0] for token in self.special_tokens}

    def encode(self, text: str) -> list[int]:
        """Ids of framing: markers spelled in the text are control tokens."""
        return self.encoding.encode(text, allowed_special="all")

    def encode_data(self, text: str) -> list[int]:
        """Ids of what a model says: markers spelled in the text are ordinary tokens."""
        return self.encoding.encode(text, disallowed_special=())

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, special tokens spelled out."""
        return self.encoding.decode(ids)

    def token_text(self, token_id: int) -> str:
        """Text of one token alone."""
        return self.decode((token_id,))


def library_fields(
    encoding: HarmonyEncoding, ids: Sequence[int]
) -> tuple[str | None, str | None, list[tuple[str, str]]]:
    """Reasoning, content and calls (name, argument text) as the library reads the ids of an assistant's turn."""
    messages = encoding.parse_messages_from_completion_tokens(ids, role=Role.ASSISTANT)
    calls = [(_function(message), _text(message)) for message in messages if _function(message)]
    others = [message for message in messages if not message.recipient]
    reasoning = "".join(_text(message) for message in others if message.channel == "analysis")
    content = "".join(_text(message) for message in others if message.channel in ("commentary", "final"))
    return reasoning or None, content or None, calls


def _function(message: Message) -> str:
    recipient = message.recipient or ""
    return recipient.removeprefix(_FUNCTIONS) if recipient.startswith(_FUNCTIONS) else ""


def _text(message: Message) -> str:
    return "".join(str(part.to_dict()["text"]) for part in message.content)
