"""Parser names as the servers' command lines know them: flags to copy, and other servers' names as aliases.

vLLM's names are ours. SGLang has its own for many formats and none for others. Source: the tables of SGLang's
FunctionCallParser and ReasoningParser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from parsers.names import REASONING, TOOLS

Kind = Literal["reasoning", "tool"]

SGLANG_TOOLS: Mapping[str, str] = {
    "apertus2509": "apertus",
    "cohere_command4": "cohere_command4",
    "deepseekv3": "deepseek_v3",
    "deepseekv31": "deepseek_v31",
    "deepseekv32": "deepseek_v32",
    "deepseekv4": "deepseek_v4",
    "dots": "dots",
    "gemma4": "gemma4",
    "gigachat3": "gigachat3",
    "glm": "glm45",
    "glm45": "glm45",
    "glm47": "glm47",
    "gpt-oss": "openai",
    "hermes": "hermes",
    "hunyuan": "hy_v3",
    "inkling": "inkling",
    "interns1": "internlm",
    "k2_horizon": "k2_horizon",
    "kimi_k2": "kimi_k2",
    "kimi_k3": "kimi_k3",
    "lfm2": "lfm2",
    "ling3": "ling3",
    "llama3": "llama3_json",
    "mimo": "mimo",
    "minicpm5": "minicpm5",
    "minimax-m2": "minimax_m2",
    "minimax-m3": "minimax_m3",
    "mistral": "mistral",
    "muse": "muse_glimmer",
    "poolside_v1": "poolside_v1",
    "pythonic": "pythonic",
    "qwen": "hermes",
    "qwen25": "hermes",
    "qwen3_coder": "qwen3_coder",
    "step3": "step3",
    "step3p5": "step3p5",
}  # fmt: skip
"""SGLang's `--tool-call-parser` name -> ours."""

SGLANG_REASONING: Mapping[str, str] = {
    "cohere_command4": "cohere_command4",
    "deepseek-r1": "deepseek_r1",
    "deepseek-v3": "deepseek_v3",
    "deepseek-v4": "deepseek_v4",
    "gemma4": "gemma4",
    "glm45": "glm45",
    "gpt-oss": "openai_gptoss",
    "hunyuan": "hy_v3",
    "inkling": "inkling",
    "kimi_k2": "kimi_k2",
    "mimo": "mimo",
    "minimax": "minimax_m2",
    "minimax-append-think": "minimax_m2_append_think",
    "minimax-m3": "minimax_m3",
    "mistral": "mistral",
    "nemotron_3": "nemotron_v3",
    "poolside_v1": "poolside_v1",
    "qwen3": "qwen3",
    "qwen3-thinking": "qwen3",
    "step3": "step3",
    "step3p5": "step3p5",
}
"""SGLang's `--reasoning-parser` name -> ours."""

SAME_IN_SGLANG: Mapping[str, str] = {
    "llama4_json": "llama3", "llama4_pythonic": "pythonic", "qwen3_json": "qwen25", "qwen3_xml": "qwen3_coder",
    "granite4": "hermes",
}  # fmt: skip
"""Tool names of ours without a name of their own there -> the SGLang parser of the same format."""


def resolve(kind: Kind, name: str) -> str:
    """Our name for a name typed by a user: ours, or an alias of another server; unknown names stay as they are."""
    ours, aliases = (REASONING, SGLANG_REASONING) if kind == "reasoning" else (TOOLS, SGLANG_TOOLS)
    return name if name in ours else aliases.get(name, name)


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
