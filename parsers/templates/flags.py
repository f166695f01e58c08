"""Parser names -> flags to copy, as the servers' command lines know them.

vLLM's names are ours; SGLang's are in `aliases`. Source: the two servers' documentation.
"""

from __future__ import annotations

from collections.abc import Mapping

from parsers.aliases import SGLANG_REASONING, SGLANG_TOOLS
from parsers.names import Kind

SAME_IN_SGLANG: Mapping[str, str] = {
    "llama4_json": "llama3", "llama4_pythonic": "pythonic", "qwen3_json": "qwen25", "qwen3_xml": "qwen3_coder",
    "granite4": "hermes",
}  # fmt: skip
"""Tool names of ours without a name of their own there -> the SGLang parser of the same format."""


def sglang_name(kind: Kind, name: str) -> str | None:
    """SGLang's name for one of ours; None where it has no such format."""
    table = SGLANG_REASONING if kind == "reasoning" else SGLANG_TOOLS
    names = [theirs for theirs, ours in table.items() if ours == name]
    if kind == "tool" and not names and name in SAME_IN_SGLANG:
        return SAME_IN_SGLANG[name]
    return name if name in names else next(iter(names), None)


def vllm_flags(reasoning: str | None, tool: str | None) -> str:
    """Flags of `vllm serve`; "" when no parser is needed."""
    parts = [f"--reasoning-parser {reasoning}"] if reasoning else []
    parts += [f"--enable-auto-tool-choice --tool-call-parser {tool}"] if tool else []
    return " ".join(parts)


def sglang_flags(reasoning: str | None, tool: str | None) -> str | None:
    """Flags of SGLang's server; None when it lacks one of the formats."""
    names = {
        "--reasoning-parser": reasoning and sglang_name("reasoning", reasoning),
        "--tool-call-parser": tool and sglang_name("tool", tool),
    }
    if (reasoning and not names["--reasoning-parser"]) or (tool and not names["--tool-call-parser"]):
        return None
    return " ".join(f"{flag} {name}" for flag, name in names.items() if name)
