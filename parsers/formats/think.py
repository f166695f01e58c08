"""Think tags alone: `[<think>] reasoning </think> content`.

    turn = [ "<think>" ] reasoning [ "</think>" content ]

The names differ in when thinking is on, and in what ends a turn of the prompt. Nothing is trimmed.
Source: think-tags.md; response-template.md for identity.
"""

from __future__ import annotations

from parsers.engine.config import ParserEngineConfig, Switch
from parsers.formats.base import think

_SWITCH = ("thinking", "enable_thinking")
_DEEPSEEK_TURNS = ("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>")
_DEEPSEEK_END = ("<｜end▁of▁sentence｜>",)

deepseek_r1 = think("deepseek_r1", switch=Switch(), turns=_DEEPSEEK_TURNS, special=_DEEPSEEK_END)
deepseek_v3 = think(
    "deepseek_v3",
    switch=Switch(_SWITCH, default=False, off_is_identity=True),
    turns=_DEEPSEEK_TURNS,
    special=_DEEPSEEK_END,
)
holo2 = think(
    "holo2",
    switch=Switch(_SWITCH, default=True, off_is_identity=True),
    turns=("<|im_start|>", "<|im_end|>"),
    special=("<|im_end|>",),
)
step3 = think("step3", switch=Switch(), turns=("<|BOT|>", "<|EOT|>"), special=("<|EOT|>",))
identity = ParserEngineConfig(name="identity")
