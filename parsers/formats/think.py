"""Think tags alone: `[<think>] reasoning </think> content`.

    turn = [ "<think>" ] reasoning [ "</think>" content ]

The names differ in when thinking is on, and in what ends a turn of the prompt. Nothing is trimmed but the newlines
around the thinking of deepseek_r1, whose models put each tag on a line of its own. A tokenizer must have the tags as
tokens, for step3 only the closer.

Source: think-tags.md, common-1.md (W-EXACT); response-template.md for identity.
"""

from __future__ import annotations

from parsers.engine.config import STRIP_NEWLINES, ParserEngineConfig, Switch
from parsers.formats.base import DEEPSEEK_END, DEEPSEEK_TURNS, QWEN_TURNS, think

_SWITCH = ("thinking", "enable_thinking")
_PAIR = ("<think>", "</think>")

deepseek_r1 = think(
    "deepseek_r1",
    switch=Switch(),
    trim=STRIP_NEWLINES,
    turns=DEEPSEEK_TURNS,
    special=DEEPSEEK_END,
    required=_PAIR,
)
deepseek_v3 = think(
    "deepseek_v3",
    switch=Switch(_SWITCH, default=False, off_is_identity=True),
    turns=DEEPSEEK_TURNS,
    special=DEEPSEEK_END,
    required=_PAIR,
)
holo2 = think(
    "holo2",
    switch=Switch(_SWITCH, default=True, off_is_identity=True),
    turns=("<|im_start|>", "<|im_end|>"),
    special=("<|im_end|>",),
    required=_PAIR,
)
step5 = deepseek_r1.but(name="step5", turn_boundaries=QWEN_TURNS, special=QWEN_TURNS)
step3 = think(
    "step3", switch=Switch(), turns=("<|BOT|>", "<|EOT|>"), special=("<|EOT|>",), required=("</think>",)
)
identity = ParserEngineConfig(name="identity")
