"""When constraints start: may the grammar apply from the first token, or only after thinking?

The API process and the engine process each build a parser of the same class; they agree as long as both get the same
template arguments (S-44).

Source: card S-40 … S-45, S-60.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

from parsers.compose.start import decide_start
from parsers.engine.config import ParserEngineConfig
from parsers.protocol import JsonObject
from parsers.structured.request import Prepared

TagHook = Callable[[JsonObject | None, str | None], JsonObject | None]
"""Last word on a structural tag: (tag, name of the tool server) -> tag; None stands for none."""


@dataclass(frozen=True, slots=True)
class ReasoningEnded:
    """The answer handed to the engine.

    Attributes:
        ended: True constrains from the first token, False after reasoning, None lets the engine ask its own parser.
        rule: card rule.
        why: one clause.
    """

    ended: bool | None
    rule: str
    why: str


def resolve_reasoning_ended(
    prepared: Prepared, include_reasoning: bool, prompt_ended: bool | None
) -> ReasoningEnded:
    """Decide for one request; the argument shows why this comes after `prepare` (S-41).

    Args:
        prepared: the adjusted request, which knows whether the parser brings a grammar.
        prompt_ended: the reasoning parser's view of the prompt; None without a reasoning parser.
    """
    if not include_reasoning:
        return ReasoningEnded(True, "S-42", "hidden reasoning is not waited for")
    if prepared.parser_grammar == "with thinking":
        return ReasoningEnded(True, "S-40", "the parser's own grammar covers thinking")
    if prompt_ended is None:
        return ReasoningEnded(None, "S-40", "there is no reasoning parser to ask")
    return ReasoningEnded(prompt_ended, "S-40", f"the prompt has {'closed' if prompt_ended else 'not closed'} thinking")


def for_responses(answer: ReasoningEnded) -> ReasoningEnded:
    """The answer as the Responses route hands it on, which never says "not yet" (S-43)."""
    return answer if answer.ended else ReasoningEnded(None, "S-43", "the Responses route leaves it to the engine")


def prompt_ended(
    config: ParserEngineConfig | None, prompt: str | None, template_kwargs: Mapping[str, object]
) -> bool | None:
    """Whether reasoning is over when generation starts; None without a reasoning format.

    Args:
        prompt: the end of the rendered prompt; None counts as an empty one (S-43).
    """
    if config is None or config.switch is None:
        return None
    return decide_start(config, prompt, template_kwargs).ended


def engine_reasoning_kwargs(
    reasoning: bool,
    template_kwargs: Mapping[str, object],
    narrow: Callable[[Mapping[str, object]], Mapping[str, object]] = dict,
) -> dict[str, dict[str, object]] | None:
    """Arguments for the parser in the engine process; None without a reasoning parser (S-44).

    Args:
        narrow: chooses which arguments cross to the engine; works on a copy (S-45).
    """
    if not reasoning:
        return None
    return {"chat_template_kwargs": dict(narrow(deepcopy(dict(template_kwargs))))}


def keep_tag(tag: JsonObject | None, tool_server: str | None) -> JsonObject | None:
    """The hook that changes nothing; what a parser has unless it brings its own (S-60)."""
    return tag


def calls_tag_hook(api: Literal["chat", "responses"], prepared: Prepared) -> bool:
    """Whether a request reaches the hook: the Responses route, with nothing but a structural tag to prepare (S-60)."""
    only_tag = prepared.constraint is None or prepared.constraint.kind == "structural_tag"
    return api == "responses" and only_tag and prepared.constraint is not None


def prepare_structured_tag(
    tag: JsonObject | None, tool_server: str | None = None, hook: TagHook = keep_tag
) -> JsonObject | None:
    """Let a parser's hook have the last word on a tag; the hook gets a copy (S-60)."""
    return hook(deepcopy(tag), tool_server)
