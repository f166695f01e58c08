"""Which name means which format: two literal tables, name -> (module under `formats`, attribute, models in a phrase).

Names are what users type after `--reasoning-parser` and `--tool-call-parser`. A module is imported when its name is
first used, so a broken format breaks no other name. Source: formats/INDEX-1.md, INDEX-2.md.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["reasoning", "tool"]
"""Which of the two flags a name follows."""


class NameRow(NamedTuple):
    """One name.

    Attributes:
        module: file under `parsers/formats`.
        attribute: the table in it, or a function that chooses one (`formats.context`).
        models: the models it is for, in a phrase.
    """

    module: str
    attribute: str
    models: str


REASONING: dict[str, NameRow] = {
    "beam": NameRow("response_template", "reasoning_half", "Beam; hf with a grammar for the generation"),
    "cohere_command3": NameRow("cohere", "cohere_command3", "Command A, Command R7B"),
    "cohere_command4": NameRow("cohere", "cohere_command4", "Command A Plus"),
    "deepseek_r1": NameRow("think", "deepseek_r1", "DeepSeek-R1 and distills, Qwen3-Thinking-2507"),
    "deepseek_v3": NameRow("think", "deepseek_v3", "DeepSeek-V3.1 and V3.2; off by default"),
    "deepseek_v4": NameRow("deepseek_dsml", "deepseek_v4_think", "DeepSeek-V4"),
    "deepseek_v41": NameRow("deepseek_dsml", "deepseek_v4_think", "DeepSeek-V4.1"),
    "ernie45": NameRow("ernie45", "ernie45", "ERNIE 4.5 thinking models"),
    "gemma4": NameRow("gemma", "gemma4", "Gemma 4; off by default"),
    "glm45": NameRow("glm", "glm", "GLM-4.5, GLM-4.6"),
    "glm47": NameRow("glm", "glm", "GLM-4.7, GLM-5 and later"),
    "granite": NameRow("granite", "granite_prose", "Granite 3.2 and 3.3"),
    "granite_thinking_parser": NameRow("granite", "granite_thinking_parser", "Granite 4.2"),
    "hf": NameRow("response_template", "reasoning_half", "any model whose tokenizer carries a response template"),
    "holo2": NameRow("think", "holo2", "Holo2; on by default"),
    "hunyuan_a13b": NameRow("hunyuan_a13b", "hunyuan_a13b", "Hunyuan-A13B-Instruct"),
    "hy_v3": NameRow("hunyuan", "hy_v3_think", "Tencent Hunyuan hy_v3; off by default"),
    "hy_v4": NameRow("hunyuan", "hy_v4_think", "Tencent Hunyuan hy_v4"),
    "identity": NameRow("think", "identity", "any model without thinking: everything is content"),
    "inkling": NameRow("inkling", "reasoning", "Inkling"),
    "k2_horizon": NameRow("k2_horizon", "reasoning", "IFM K2 Horizon"),
    "kimi_k2": NameRow("kimi_k2", "kimi_k2", "Kimi-K2-Thinking, K2.5, K2.6"),
    "kimi_k3": NameRow("kimi_k3", "kimi_k3", "Kimi-K3"),
    "ling3": NameRow("glm", "ling3_think", "Ling 3"),
    "mimo": NameRow("qwen_variants", "mimo_think", "Xiaomi MiMo-V2"),
    "minicpmv": NameRow("qwen_variants", "minicpmv", "OpenBMB MiniCPM-V"),
    "minimax_m2": NameRow("minimax", "minimax_m2_think", "MiniMax-M2, M2.1, M2.5, M2.7"),
    "minimax_m2_append_think": NameRow("minimax", "minimax_m2_append_think", "MiniMax-M2; thinking stays in content"),
    "minimax_m3": NameRow("minimax", "minimax_m3_think", "MiniMax-M3; off by default"),
    "mistral": NameRow("mistral", "mistral", "Mistral, Magistral, Ministral, Devstral"),
    "muse": NameRow("muse", "muse", "Muse Spark"),
    "muse_glimmer": NameRow("muse", "muse_glimmer", "Muse Glimmer"),
    "musespark1x": NameRow("muse", "muse", "Muse Spark"),
    "nemotron_v3": NameRow("qwen_variants", "nemotron_v3", "NVIDIA Nemotron 3"),
    "olmo3": NameRow("pythonic", "olmo3_think", "OLMo 3"),
    "openai_gptoss": NameRow("harmony", "openai_gptoss", "gpt-oss-20b and -120b"),
    "plamo3": NameRow("plamo3", "plamo3", "PLaMo 3"),
    "poolside_v1": NameRow("glm", "poolside_think", "Poolside Laguna; off by default"),
    "qwen3": NameRow("qwen_xml", "qwen3", "Qwen3 hybrid, 2507, Qwen3.5 and later"),
    "seed_oss": NameRow("qwen_variants", "seed_oss_think", "ByteDance Seed-OSS"),
    "step3": NameRow("think", "step3", "StepFun Step3"),
    "step3p5": NameRow("qwen_variants", "step3p5_think", "StepFun Step-3.5, Step-3.7"),
    "step5": NameRow("think", "step5", "StepFun Step-5"),
}

TOOLS: dict[str, NameRow] = {
    "apertus": NameRow("json_lists", "apertus", "Apertus Instruct"),
    "beam": NameRow("response_template", "tools_half", "Beam; hf with a grammar for the generation"),
    "cohere_command3": NameRow("cohere", "cohere_command3_tools", "Command A, Command R7B"),
    "cohere_command4": NameRow("cohere", "cohere_command4_tools", "Command A Plus"),
    "deepseek_v3": NameRow("deepseek_v3", "deepseek_v3", "DeepSeek-V3-0324, DeepSeek-R1-0528"),
    "deepseek_v31": NameRow("deepseek_v3", "deepseek_v31", "DeepSeek-V3.1"),
    "deepseek_v32": NameRow("deepseek_dsml", "deepseek_v32", "DeepSeek-V3.2"),
    "deepseek_v4": NameRow("deepseek_dsml", "deepseek_v4", "DeepSeek-V4"),
    "deepseek_v41": NameRow("deepseek_dsml", "deepseek_v41", "DeepSeek-V4.1"),
    "dots": NameRow("dots", "dots", "rednote dots LLM"),
    "ernie45": NameRow("ernie45", "ernie45_tools", "ERNIE 4.5 thinking models"),
    "functiongemma": NameRow("gemma", "functiongemma", "FunctionGemma 270M"),
    "gemma4": NameRow("gemma", "gemma4_tools", "Gemma 4"),
    "gigachat3": NameRow("json_objects", "gigachat3", "GigaChat 3"),
    "glm45": NameRow("glm", "glm_tools", "GLM-4.5, GLM-4.6"),
    "glm47": NameRow("glm", "glm_tools", "GLM-4.7, GLM-5 and later"),
    "granite": NameRow("granite", "granite_list", "Granite 3.0 and 3.1"),
    "granite-20b-fc": NameRow("granite", "granite_20b_fc", "Granite 20B function calling"),
    "granite4": NameRow("granite", "granite4", "Granite 4.0"),
    "hermes": NameRow("hermes", "hermes", "Nous Hermes 2 Pro and later, Qwen2.5, Qwen3 hybrid and 2507"),
    "hf": NameRow("response_template", "tools_half", "any model whose tokenizer carries a response template"),
    "hunyuan_a13b": NameRow("hunyuan_a13b", "hunyuan_a13b_tools", "Hunyuan-A13B-Instruct"),
    "hy_v3": NameRow("hunyuan", "hy_v3_tools", "Tencent Hunyuan hy_v3"),
    "hy_v4": NameRow("hunyuan", "hy_v4_tools", "Tencent Hunyuan hy_v4"),
    "inkling": NameRow("inkling", "tools", "Inkling"),
    "internlm": NameRow("json_objects", "internlm", "InternLM 2 and 2.5 chat"),
    "jamba": NameRow("json_lists", "jamba", "AI21 Jamba 1.5"),
    "k2_horizon": NameRow("k2_horizon", "tools", "IFM K2 Horizon"),
    "kimi_k2": NameRow("kimi_k2", "kimi_k2_tools", "Kimi-K2-Instruct, Kimi-K2-Thinking, K2.5, K2.6"),
    "kimi_k3": NameRow("kimi_k3", "kimi_k3_tools", "Kimi-K3"),
    "lfm2": NameRow("pythonic", "lfm2", "Liquid LFM2 and LFM2.5"),
    "ling3": NameRow("glm", "ling3_tools", "Ling 3"),
    "llama3_json": NameRow("llama_json", "llama3_json", "Llama 3.1, 3.2 and 3.3"),
    "llama4_json": NameRow("llama_json", "llama4_json", "Llama 4 with the JSON template"),
    "llama4_pythonic": NameRow("pythonic", "llama4_pythonic", "Llama 4"),
    "longcat": NameRow("hermes", "longcat", "LongCat-Flash"),
    "mimo": NameRow("qwen_variants", "mimo_tools", "Xiaomi MiMo-V2"),
    "minicpm5": NameRow("minicpm5", "minicpm5", "OpenBMB MiniCPM5"),
    "minimax_m2": NameRow("minimax", "minimax_m2", "MiniMax-M2, M2.1, M2.5, M2.7"),
    "minimax_m3": NameRow("minimax_m3", "minimax_m3", "MiniMax-M3"),
    "mistral": NameRow("mistral", "mistral_tools", "Mistral, Magistral, Ministral, Devstral"),
    "muse": NameRow("muse", "muse_tools", "Muse Spark"),
    "muse_glimmer": NameRow("muse", "muse_glimmer_tools", "Muse Glimmer"),
    "musespark1x": NameRow("muse", "muse_tools", "Muse Spark"),
    "olmo3": NameRow("pythonic", "olmo3", "OLMo 3"),
    "openai": NameRow("harmony", "openai", "gpt-oss-20b and -120b"),
    "phi4_mini_json": NameRow("json_lists", "phi4_mini_json", "Phi-4-mini-instruct"),
    "plamo3": NameRow("plamo3", "plamo3_tools", "PLaMo 3"),
    "poolside_v1": NameRow("glm", "poolside_tools", "Poolside Laguna"),
    "pythonic": NameRow("pythonic", "pythonic", "Llama 3.2 1B and 3B, ToolACE-8B"),
    "qwen3_coder": NameRow("qwen_xml", "qwen3_coder", "Qwen3-Coder, Qwen3.5 and later"),
    "qwen3_json": NameRow("hermes", "hermes", "Qwen3 with JSON calls"),
    "qwen3_xml": NameRow("qwen_xml", "qwen3_coder", "Qwen3-Coder, Qwen3.5 and later"),
    "seed_oss": NameRow("qwen_variants", "seed_oss_tools", "ByteDance Seed-OSS"),
    "step3": NameRow("step3", "step3", "StepFun Step3"),
    "step3p5": NameRow("qwen_variants", "step3p5_tools", "StepFun Step-3.5, Step-3.7"),
    "step5": NameRow("qwen_variants", "step5_tools", "StepFun Step-5"),
    "xlam": NameRow("json_lists", "xlam", "Salesforce xLAM-2, Llama-xLAM-2"),
}
