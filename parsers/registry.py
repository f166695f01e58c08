"""Names -> a parser for one request. Formats are imported late, joined once, and shared.

A name is a plugin's, ours or another server's (`aliases`), in that order.

Errors name the parser and the remedy: an unknown name with close matches, a tokenizer without a marker the format
needs.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from parsers.aliases import SGLANG_REASONING, SGLANG_TOOLS
from parsers.compose.start import Start, decide_start
from parsers.compose.unified import UnifiedParser
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import ParserEngineConfig
from parsers.engine.gate import CallCommit
from parsers.engine.lint import faults
from parsers.errors import FormatError, TokenizerError, UnknownName
from parsers.formats.context import NO_CONTEXT, Format, RunContext, run_context, table
from parsers.formats.join import join
from parsers.names import REASONING, TOOLS, Kind, NameRow
from parsers.protocol import FunctionTool
from parsers.tokens.base import Tokenizer

_PLUGINS: dict[Kind, dict[str, Format]] = {"reasoning": {}, "tool": {}}


def reasoning_names() -> list[str]:
    """Names for `--reasoning-parser`, sorted; those of plugins included."""
    return sorted({*REASONING, *_PLUGINS["reasoning"]})


def tool_names() -> list[str]:
    """Names for `--tool-call-parser`, sorted; those of plugins included."""
    return sorted({*TOOLS, *_PLUGINS["tool"]})


def register(kind: Kind, name: str, chosen: Format) -> None:
    """Add a name, or replace it: a table, or a function of a RunContext."""
    _PLUGINS[kind][name] = chosen


def reasoning_format(name: str, context: RunContext = NO_CONTEXT) -> ParserEngineConfig:
    """The table of a reasoning name."""
    return table(_chosen("reasoning", name), context)


def tool_format(name: str, context: RunContext = NO_CONTEXT) -> ParserEngineConfig:
    """The table of a tool name."""
    return table(_chosen("tool", name), context)


def joined(reasoning: str | None, tool: str | None, context: RunContext = NO_CONTEXT) -> ParserEngineConfig:
    """The one table of a pair; None stands for no parser. The same object for the same choice.

    Raises:
        UnknownName: nobody registered the name.
        FormatError: the two formats give one marker two meanings, or a table cannot work; names the row.
    """
    context = replace(context, reasoning=reasoning, tool=tool)
    return _checked_join(
        reasoning_format(reasoning, context) if reasoning else None,
        tool_format(tool, context) if tool else None,
    )


def markers_of(reasoning: str | None, tool: str | None, context: RunContext = NO_CONTEXT) -> tuple[str, ...]:
    """Spellings that are single tokens in the real models of a pair."""
    config = joined(reasoning, tool, context)
    return tuple(dict.fromkeys(config.tokens + config.special))


def special_of(reasoning: str | None, tool: str | None, context: RunContext = NO_CONTEXT) -> tuple[str, ...]:
    """Those that a tokenizer lists as special: they vanish from the text."""
    return joined(reasoning, tool, context).special


def start_of(reasoning: str | None, tool: str | None, context: RunContext) -> Start:
    """Table, first state and reason for one request."""
    return decide_start(joined(reasoning, tool, context), context.generation_prompt, context.template_kwargs)


def build_parser(
    reasoning: str | None,
    tool: str | None,
    tokenizer: Tokenizer | None,
    *,
    tools: Sequence[FunctionTool] = (),
    generation_prompt: str | None = None,
    template_kwargs: Mapping[str, object] | None = None,
    call_commit: CallCommit = "incremental",
    history_calls: int = 0,
) -> UnifiedParser:
    """A parser for one choice of one request.

    Args:
        tokenizer: None for text-only streams.
        generation_prompt: the end of the rendered prompt; None when unknown.

    Raises:
        UnknownName: nobody registered the name.
        FormatError: the pair does not go together.
        TokenizerError: the tokenizer lacks a token that one of the formats needs.
    """
    start = start_of(reasoning, tool, run_context(tokenizer, generation_prompt, template_kwargs or {}))
    if tokenizer is not None:
        check_tokens({"reasoning": reasoning, "tool": tool}, start.config, tokenizer)
    token_text = no_text if tokenizer is None else tokenizer.token_text
    return UnifiedParser(start, alphabet_of(start.config, tokenizer), token_text, tools, call_commit, history_calls)


def no_text(token_id: int) -> str:
    """The spelling of a token where there is no tokenizer."""
    return ""


def canonical_name(kind: Kind, name: str) -> str:
    """Our name for one that another server uses; any other name as it is."""
    if name in _PLUGINS[kind]:
        return name
    rows, aliases = (REASONING, SGLANG_REASONING) if kind == "reasoning" else (TOOLS, SGLANG_TOOLS)
    return name if name in rows else aliases.get(name, name)


def alphabet_of(config: ParserEngineConfig, tokenizer: Tokenizer | None) -> Alphabet:
    """What a tokenizer's ids mean to a table, the same object for the same two; none without a tokenizer."""
    if tokenizer is None:
        return Alphabet(config, {})
    return _alphabets(config, _Identity(tokenizer))


class _Identity:
    """A tokenizer as a cache key: the object itself, whatever its equality."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    def __hash__(self) -> int:
        return id(self.tokenizer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.tokenizer is self.tokenizer


@lru_cache(maxsize=64)
def _alphabets(config: ParserEngineConfig, key: _Identity) -> Alphabet:
    return Alphabet(config, key.tokenizer.vocab, key.tokenizer.special_tokens)


def _chosen(kind: Kind, name: str) -> Format:
    if name in _PLUGINS[kind]:
        return _PLUGINS[kind][name]
    rows, aliases = (REASONING, SGLANG_REASONING) if kind == "reasoning" else (TOOLS, SGLANG_TOOLS)
    row = rows.get(canonical_name(kind, name))
    if row is None:
        known = {*_PLUGINS[kind], *rows, *aliases}
        raise UnknownName(kind, name, difflib.get_close_matches(name, known, n=3, cutoff=0.5))
    return _load(row)


@lru_cache(maxsize=512)
def _checked_join(reasoning: ParserEngineConfig | None, tools: ParserEngineConfig | None) -> ParserEngineConfig:
    config = join(reasoning, tools)
    wrong = faults(config)
    if wrong:
        raise FormatError(f"The format {config.name} cannot be used. {wrong[0]}")
    return config


def check_tokens(names: Mapping[str, str | None], config: ParserEngineConfig, tokenizer: Tokenizer) -> None:
    """Refuse a tokenizer without a token that a table needs.

    Raises:
        TokenizerError: names the parser, the token and the remedy.
    """
    missing = next((marker for marker in config.required if marker not in tokenizer.vocab), None)
    if missing is not None:
        parser = " with ".join(f"{kind} parser {name!r}" for kind, name in names.items() if name)
        raise TokenizerError(
            f"The {parser} needs the token {missing!r}, which the tokenizer {tokenizer.name!r} does not have; "
            "choose the model's own tokenizer, or feed text without ids."
        )


def _load(row: NameRow) -> Format:
    chosen = getattr(importlib.import_module(f"parsers.formats.{row.module}"), row.attribute)
    assert isinstance(chosen, ParserEngineConfig) or callable(chosen)
    return chosen  # type: ignore[no-any-return]
