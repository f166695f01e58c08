"""Thinking that a request switches on or off: one of two inner parsers, chosen for each request.

Off means identity: nothing is reasoning and markers are text. On means the R1 parser of `think`.

Law: every hook is the inner parser's, so an instance is never shared between requests (L-35, L-38).

Source: card 03 (L-35 … L-38).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.legacy.base import ReasoningParser
from parsers.legacy.think import DeepSeekR1Parser, require_tokenizer
from parsers.protocol import ChatRequest, DeltaMessage
from parsers.tokens.base import Tokenizer


class IdentityParser(ReasoningParser):
    """No reasoning: everything is content, and markers are text (L-37)."""

    def __init__(self, tokenizer: Tokenizer, *args: object, **kwargs: object) -> None:
        """Keep the tokenizer.

        Raises:
            ValueError: no tokenizer; nothing needs it, but a server asks for one in any case.
        """
        super().__init__(tokenizer, *args, **kwargs)
        require_tokenizer("identity", tokenizer)

    def is_reasoning_end(self, token_ids: Sequence[int]) -> bool:
        """Always: there is none."""
        return True

    def extract_content_ids(self, token_ids: Sequence[int]) -> list[int]:
        """All of them."""
        return list(token_ids)

    def extract_reasoning(self, text: str, request: ChatRequest | None = None) -> tuple[str | None, str | None]:
        """No reasoning, all content."""
        return None, text

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """The new text as content."""
        return DeltaMessage(content=delta_text) if delta_text else None


class DeepSeekV3Parser(ReasoningParser):
    """R1 when the request switches thinking on, identity when not; so the instance is never shared (L-35, L-38).

    Attributes:
        default_thinking: what holds when the request says nothing.
        inner: the parser that does the work.
    """

    STATE = ("inner",)

    default_thinking: ClassVar[bool] = False

    def __init__(self, tokenizer: Tokenizer, *args: object, **kwargs: object) -> None:
        """Choose the inner parser.

        Args:
            args: passed on.
            kwargs: passed on whole; `chat_template_kwargs` is a mapping or None, and is read, not changed.
        """
        super().__init__(tokenizer, *args, **kwargs)
        given = kwargs.get("chat_template_kwargs")
        thinking = is_thinking(given if isinstance(given, Mapping) else {}, self.default_thinking)
        self.inner: ReasoningParser = (DeepSeekR1Parser if thinking else IdentityParser)(tokenizer, *args, **kwargs)

    def is_reasoning_end(self, token_ids: Sequence[int]) -> bool:
        """As the inner parser."""
        return self.inner.is_reasoning_end(token_ids)

    def is_reasoning_end_streaming(self, token_ids: Sequence[int], delta_ids: Sequence[int]) -> bool:
        """As the inner parser."""
        return self.inner.is_reasoning_end_streaming(token_ids, delta_ids)

    def extract_content_ids(self, token_ids: Sequence[int]) -> list[int]:
        """As the inner parser."""
        return self.inner.extract_content_ids(token_ids)

    def count_reasoning_tokens(self, token_ids: Sequence[int], prompt_open: bool = False) -> int:
        """As the inner parser."""
        return self.inner.count_reasoning_tokens(token_ids, prompt_open)

    def find_reasoning_end(self, token_ids: Sequence[int]) -> int | None:
        """As the inner parser."""
        return self.inner.find_reasoning_end(token_ids)

    def extract_reasoning(self, text: str, request: ChatRequest | None = None) -> tuple[str | None, str | None]:
        """As the inner parser."""
        return self.inner.extract_reasoning(text, request)

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """As the inner parser."""
        return self.inner.extract_reasoning_streaming(
            previous_text, current_text, delta_text, previous_token_ids, current_token_ids, delta_token_ids
        )

    def finish_streaming(self) -> DeltaMessage | None:
        """As the inner parser."""
        return self.inner.finish_streaming()

    @property
    def ended_in_text(self) -> bool:
        """As the inner parser."""
        return self.inner.ended_in_text

    @property
    def awaits_text(self) -> bool:
        """As the inner parser."""
        return self.inner.awaits_text

    @property
    def starts_open(self) -> bool:
        """As the inner parser."""
        return self.inner.starts_open

    @property
    def reasoning_end_token_ids(self) -> tuple[int, ...]:
        """As the inner parser."""
        return self.inner.reasoning_end_token_ids

    @property
    def reasoning_start_str(self) -> str | None:
        """As the inner parser."""
        return self.inner.reasoning_start_str

    @property
    def reasoning_end_str(self) -> str | None:
        """As the inner parser."""
        return self.inner.reasoning_end_str


class Holo2Parser(DeepSeekV3Parser):
    """Thinks unless the request says otherwise (L-36)."""

    default_thinking = True


def is_thinking(template_kwargs: Mapping[str, object], default: bool) -> bool:
    """Whether a request switches thinking on: either key does; the default holds only when both are absent or None."""
    given = [template_kwargs.get(key) for key in ("thinking", "enable_thinking")]
    return default if given == [None, None] else any(given)
