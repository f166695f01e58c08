"""What other servers call our names: two literal tables, their name -> ours.

vLLM's names are ours. SGLang has its own for many formats and none for others; where both have a name, ours is meant.

Source: the tables of SGLang's FunctionCallParser and ReasoningParser.
"""

from __future__ import annotations

from collections.abc import Mapping

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
    "interns1": "qwen3",
    "kimi_k2": "kimi_k2",
    "mimo": "mimo",
    "minimax": "minimax_m2",
    "minimax-append-think": "minimax_m2_append_think",
    "minimax-m3": "minimax_m3",
    "mistral": "mistral",
    "nemotron_3": "nemotron_v3",
    "nano_v3": "nemotron_v3",
    "poolside_v1": "poolside_v1",
    "qwen3": "qwen3",
    "qwen3-thinking": "qwen3",
    "step3": "step3",
    "step3p5": "step3p5",
}
"""SGLang's `--reasoning-parser` name -> ours."""
