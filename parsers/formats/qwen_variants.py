r"""Models that write Qwen's grammar with other markers or other white space (see qwen_xml.py for the grammar).

    name         what it is like, and what differs
    seed_oss     both halves; the tags are `<seed:think>` and `<seed:tool_call>`; the model writes the opener itself,
                 and nested values as Python literals, as its template shows them
    step3p5      both halves; always thinks; newlines around `</think>` are markup
    step5        tools; white space around calls is content
    mimo         both halves; values are verbatim, newlines at their edges are data
    nemotron_v3  thinking; asked not to think, or never to answer nothing, a message of reasoning alone is its content
    minicpmv     thinking; reserved markers vanish, `\n` spelled out is a line end; switched off, thinking is left out

Source: qwen3-variants.md, think-tags.md (step5 reasoning is in think.py).
"""

from __future__ import annotations

from parsers.args.params import ValueRules
from parsers.engine.config import KEEP, STRIP, STRIP_EDGES, ParserEngineConfig, Row, Switch
from parsers.formats.base import QWEN_TURNS, S, terminal, think
from parsers.formats.context import RunContext
from parsers.formats.qwen_xml import qwen3, tagged_functions

_SEED_TURNS = ("<seed:bos>", "<seed:eos>")

seed_oss_think = think(
    "seed_oss",
    "<seed:think>",
    "</seed:think>",
    switch=Switch(("enable_thinking",)),
    trim=qwen3.reasoning_trim,
    content_trim=STRIP,
    turns=_SEED_TURNS,
    special=_SEED_TURNS,
)
seed_oss_tools = tagged_functions("seed_oss", "<seed:tool_call>", "</seed:tool_call>").but(
    special=_SEED_TURNS, turn_boundaries=_SEED_TURNS, values=ValueRules(literals=True)
)

step3p5_think = qwen3.but(name="step3p5", switch=Switch(), reasoning_trim=STRIP_EDGES)
step3p5_tools = tagged_functions("step3p5")
step5_tools = tagged_functions("step5").but(content_trim=KEEP)

mimo_think = qwen3.but(name="mimo")
mimo_tools = tagged_functions("mimo", trim=False)

nemotron_think = qwen3.but(name="nemotron_v3", reasoning_trim=STRIP_EDGES)
nemotron_answers = nemotron_think.but(never_empty=True)

_RESERVED = tuple(f"reserved_{number}" for number in range(12, 16))
minicpmv = qwen3.but(
    name="minicpmv",
    terminals={**qwen3.terminals, "RESERVED": terminal(*(f"<{word}>" for word in _RESERVED))},
    rows=(
        *qwen3.rows,
        Row(S.REASONING, "RESERVED", S.REASONING, (), "`<reserved_12>` in thinking: no text"),
        Row(S.CONTENT, "RESERVED", S.CONTENT, (), "`<reserved_12>` in the answer: no text"),
    ),
    special=(*QWEN_TURNS, *(f"<|{word}|>" for word in _RESERVED)),
    switch=Switch(("enable_thinking",), off_drops=True),
    escaped_newlines=True,
)


def nemotron_v3(context: RunContext) -> ParserEngineConfig:
    """Reasoning of Nemotron 3 for one request."""
    arguments = context.template_kwargs
    never_empty = not arguments.get("enable_thinking", True) or bool(arguments.get("force_nonempty_content"))
    return nemotron_answers if never_empty else nemotron_think
