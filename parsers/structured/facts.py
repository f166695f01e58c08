"""Tool parser name -> what structured output needs to know of it.

A literal table: one row a name, defaults left out. Whether "required" and named choices go through JSON depends on a
server switch as well, so it is worked out at lookup (S-36), never stored.

Source: card S-01, S-03, S-22, S-29, L-41; INDEX-2 "Flags that differ", the flags section of each format.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from parsers.errors import UnknownName
from parsers.structured.levels import ToolStrictLevel

KeepsSpecial = Literal["always", "with tools", "never"]
"""When a parser switches `skip_special_tokens` off, so that its markers reach the text (S-03)."""

OwnGrammar = Literal["none", "after thinking", "with thinking"]


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """One tool parser.

    Attributes:
        key: the structural tag that spells its format; None when there is none.
        json_route: its class reads "required" and named output as JSON; False always reads its own markup.
        level: its own strict level.
        own_grammar: whether it brings a grammar of its own, so that forced choices hold without key or schema; one
            "with thinking" covers that too and starts with the first token (S-40).
        forced_only: the tag applies to "required" and named choices only.
        keeps_special: when it asks for special tokens in the text.
    """

    key: str | None = None
    json_route: bool = True
    level: ToolStrictLevel = ToolStrictLevel.AUTO
    own_grammar: OwnGrammar = "none"
    forced_only: bool = False
    keeps_special: KeepsSpecial = "always"

    def supports_required_and_named(self, strict_calling: bool) -> bool:
        """Whether "required" and named choices are forced and read as JSON, rather than in the parser's markup.

        A tag spells the markup, so with strict calling a parser with a key reads markup; without it no tag is made
        and JSON is what can still be forced (S-36, L-41).
        """
        return self.json_route and not (self.key is not None and strict_calling)


_FUNCTION = ToolStrictLevel.FUNCTION

TOOL_FACTS: dict[str, ToolFacts] = {
    "apertus": ToolFacts(),
    "beam": ToolFacts(json_route=False, own_grammar="with thinking"),
    "cohere_command3": ToolFacts(own_grammar="after thinking"),
    "cohere_command4": ToolFacts(own_grammar="after thinking"),
    "deepseek_v3": ToolFacts("deepseek_r1"),
    "deepseek_v31": ToolFacts("deepseek_v3_1"),
    "deepseek_v32": ToolFacts("deepseek_v3_2"),
    "deepseek_v4": ToolFacts("deepseek_v4"),
    "deepseek_v41": ToolFacts("deepseek_v4_1"),
    "dots": ToolFacts(json_route=False),
    "ernie45": ToolFacts(),
    "functiongemma": ToolFacts(),
    "gemma4": ToolFacts(json_route=False),
    "gigachat3": ToolFacts(),
    "glm45": ToolFacts("glm_4_7", json_route=False, level=_FUNCTION),
    "glm47": ToolFacts("glm_4_7", json_route=False, level=_FUNCTION),
    "granite": ToolFacts(),
    "granite-20b-fc": ToolFacts(),
    "granite4": ToolFacts(),
    "hermes": ToolFacts("hermes", keeps_special="with tools"),
    "hf": ToolFacts(json_route=False),
    "hunyuan_a13b": ToolFacts(),
    "hy_v3": ToolFacts(),
    "hy_v4": ToolFacts("hy_v4", json_route=False, forced_only=True),
    "inkling": ToolFacts(json_route=False),
    "internlm": ToolFacts(),
    "jamba": ToolFacts(),
    "k2_horizon": ToolFacts(json_route=False),
    "kimi_k2": ToolFacts("kimi", json_route=False, keeps_special="with tools"),
    "kimi_k3": ToolFacts("kimi_k3", json_route=False),
    "lfm2": ToolFacts(),
    "ling3": ToolFacts("glm_4_7", json_route=False),
    "llama3_json": ToolFacts("llama"),
    "llama4_json": ToolFacts("llama"),
    "llama4_pythonic": ToolFacts(),
    "longcat": ToolFacts("longcat", keeps_special="with tools"),
    "mimo": ToolFacts("mimo"),
    "minicpm5": ToolFacts(),
    "minimax_m2": ToolFacts("minimax"),
    "minimax_m3": ToolFacts(json_route=False),
    "mistral": ToolFacts(json_route=False, own_grammar="with thinking"),
    "muse": ToolFacts(json_route=False),
    "muse_glimmer": ToolFacts(json_route=False),
    "musespark1x": ToolFacts(json_route=False),
    "olmo3": ToolFacts(),
    "openai": ToolFacts("harmony"),
    "phi4_mini_json": ToolFacts(),
    "plamo3": ToolFacts("plamo3", json_route=False),
    "poolside_v1": ToolFacts(json_route=False),
    "pythonic": ToolFacts(),
    "qwen3_coder": ToolFacts("qwen_3_coder"),
    "qwen3_json": ToolFacts("hermes", keeps_special="with tools"),
    "qwen3_xml": ToolFacts("qwen_3_coder"),
    "seed_oss": ToolFacts(),
    "step3": ToolFacts(),
    "step3p5": ToolFacts("qwen_3_coder"),
    "step5": ToolFacts("qwen_3_coder"),
    "xlam": ToolFacts(),
}

REASONING_THAT_NEVER_KEEPS_SPECIAL = frozenset({
    "deepseek_r1", "deepseek_v3", "granite", "holo2", "olmo3", "poolside_v1", "step3", "step5",
})  # fmt: skip
"""Reasoning parsers that read the decoded text and leave `skip_special_tokens` as it is (S-03)."""


def tool_facts(name: str) -> ToolFacts:
    """The row of a tool parser.

    Raises:
        UnknownName: the table has no such name.
    """
    facts = TOOL_FACTS.get(name)
    if facts is None:
        raise UnknownName("tool", name, difflib.get_close_matches(name, TOOL_FACTS, n=3, cutoff=0.5))
    return facts


def reads_strict_calling(value: str | None) -> bool:
    """The switch for strict tool calling as a server reads it: unset is on, else only "true" and "1" are (S-35)."""
    return value is None or value.strip().lower() in ("true", "1")
