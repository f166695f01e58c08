"""What a format may depend on besides its name: the tokenizer and the request -> its table.

Most formats are one table. A few choose between tables, or build one: by a vocabulary (mistral's
dialects), by a marker suffix (hy_v3, hy_v4), by the response template a tokenizer carries (hf), by a
template argument. Their attribute in `names` is a function of a RunContext. It must return the same
object for the same choice, because compiled lexicons and joined tables are shared by identity. Source:
INDEX-2 features 15 to 19.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from parsers.engine.config import ParserEngineConfig
from parsers.tokens.base import Tokenizer


@dataclass(frozen=True, slots=True)
class RunContext:
    """One request, as far as a format may ask about it.

    Attributes:
        vocab: token text -> id; empty for a text-only stream.
        special_tokens: texts the tokenizer calls special.
        tokenizer_settings: the tokenizer's own configuration (`token_suffix`, `response_template` …), may be
            empty.
        template_kwargs: arguments of the chat template.
        generation_prompt: end of the rendered prompt, None when unknown.
        reasoning, tool: the names that were chosen, None for no parser.
    """

    vocab: Mapping[str, int] = field(default_factory=dict)
    special_tokens: frozenset[str] = frozenset()
    tokenizer_settings: Mapping[str, object] = field(default_factory=dict)
    template_kwargs: Mapping[str, object] = field(default_factory=dict)
    generation_prompt: str | None = None
    reasoning: str | None = None
    tool: str | None = None


NO_CONTEXT = RunContext()
Format = ParserEngineConfig | Callable[[RunContext], ParserEngineConfig]


@runtime_checkable
class ConfiguredTokenizer(Protocol):
    """A tokenizer that knows its own configuration file."""

    @property
    def settings(self) -> Mapping[str, object]:
        """Entries of the tokenizer's configuration, by name."""
        ...


def run_context(
    tokenizer: Tokenizer | None, generation_prompt: str | None, template_kwargs: Mapping[str, object]
) -> RunContext:
    """The context of a request; None stands for a stream without ids."""
    if tokenizer is None:
        return RunContext(template_kwargs=template_kwargs, generation_prompt=generation_prompt)
    settings = tokenizer.settings if isinstance(tokenizer, ConfiguredTokenizer) else {}
    return RunContext(tokenizer.vocab, tokenizer.special_tokens, settings, template_kwargs, generation_prompt)


def table(chosen: Format, context: RunContext) -> ParserEngineConfig:
    """The table of a format for one request."""
    return chosen if isinstance(chosen, ParserEngineConfig) else chosen(context)
