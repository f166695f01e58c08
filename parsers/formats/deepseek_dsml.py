r"""DeepSeek V3.2, V4 and V4.1: think tags, and calls in DSML tags whose parameters say what they are.

    turn   = [reasoning "</think>"] content [ ["\n\n"] open ws invoke { ws invoke } ws close ] content
    invoke = "<｜DSML｜invoke name=" '"' NAME '">' { ws param } ws "</｜DSML｜invoke>"
    param  = "<｜DSML｜parameter name=" '"' KEY '" string="' ("true" | "false") '">' VALUE "</｜DSML｜parameter>"

`open` is `<｜DSML｜function_calls>` in V3.2, `<｜DSML｜tool_calls>` in V4, `<｜DSML｜ calls>` in V4.1, where a space
follows every `｜DSML｜`. The attribute is authoritative: "true" is the text verbatim, "false" is JSON; the schema is
not asked. Calls are minimax_m2's but for that attribute, and a value ends at the first closer.

Source: deepseek-dsml.md.
"""

from __future__ import annotations

from parsers.args.params import ValueRules
from parsers.engine.config import NO_BLANK, SPACES, ParserEngineConfig, Row, Switch
from parsers.formats.base import DEEPSEEK_END, DEEPSEEK_TURNS, T_END, S, invoke_rows, terminal, think, wrapper_rows

_DSML = "｜DSML｜"

deepseek_v4_think = think(
    "deepseek_v4",
    switch=Switch(("thinking", "enable_thinking"), vetoes=("reasoning_effort",)),
    content_trim=NO_BLANK,
    turns=DEEPSEEK_TURNS,
    special=DEEPSEEK_END,
)


def dsml(name: str, *wrappers: str, gap: str = "") -> ParserEngineConfig:
    """The tool half.

    Args:
        wrappers: names of the element around the calls, canonical one first.
        gap: what stands behind `｜DSML｜` in every tag.
    """
    tag = f"{_DSML}{gap}"
    openers = tuple(f"<{tag}{wrapper}>" for wrapper in wrappers)
    closers = tuple(f"</{tag}{wrapper}>" for wrapper in wrappers)
    invoke, invoke_end, param = f'<{tag}invoke name="', f"</{tag}invoke>", f"<{tag}parameter"
    return ParserEngineConfig(
        name=name,
        tokens=(_DSML,),
        terminals={
            "TOOL_START": terminal(*openers, *(f"\n\n{opener}" for opener in openers)),
            "TOOL_END": terminal(*closers),
            "INVOKE_START": terminal(invoke),
            "NAME_END": terminal(f'"{SPACES}>'),
            "NO_BODY": terminal(f'"{SPACES}/{SPACES}>'),
            "INVOKE_END": terminal(invoke_end),
            "LAST_INVOKE_END": terminal(invoke_end, followed_by=(invoke, *closers)),
            "PARAM_START": terminal(param),
            "NEXT_PARAM": terminal(param, followed_by=('name="',)),
            "KEY_END": terminal(f'"{SPACES}>'),
            "PARAM_END": terminal(f"</{tag}parameter>"),
        },
        rows=(
            *wrapper_rows(),
            *invoke_rows(),
            Row(S.TOOL_NAME, "NO_BODY", S.TOOL_BETWEEN, (T_END,), '`<invoke name="f"/>`: seen in production', True),
        ),
        key_pattern=r'name="(?P<key>[^"]*)(?:"\s*string="(?P<type>[^"]*))?',
        declared_types={"true": "string", "false": "json", "": "json"},
        values=ValueRules(wrappers=("arguments", "input")),
        content_trim=NO_BLANK,
        turn_boundaries=DEEPSEEK_TURNS,
        special=DEEPSEEK_END,
    )


deepseek_v32 = dsml("deepseek_v32", "function_calls")
deepseek_v4 = dsml("deepseek_v4", "tool_calls", "toolcalls", "tool")
deepseek_v41 = dsml("deepseek_v41", "calls", gap=" ")
