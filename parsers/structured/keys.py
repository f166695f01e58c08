r"""Structural tag key -> the shape of its calls, a literal table.

    section [ call { separator call } ] end          call = opener NAME opener-rest arguments end

Two keys need a layout of their own, because their outputs are channels: kimi_k3 (think, response, tools) and harmony
(messages with headers). `qwen_3` and `qwen_3_5` are keys no parser here uses; they are spellings of two others.

The tagged styles let white space stand around any value. Parsers of verbatim values (mimo, glm, minimax) keep it, so
for them an enum in a strict tool may still arrive with a newline; the models do not write one.

Source: card S-28, S-29; the flags section of each format.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.protocol import JsonObject
from parsers.structured import nodes
from parsers.structured.pairs import PairMarks
from parsers.structured.shapes import CallShape, Opener, Section, call_list, instead_of_text


def _tagged_json(open_: str, close: str) -> CallShape:
    """A JSON object between two tags, with or without a newline beside them."""
    before, after = '{"name": "', '", "arguments": '
    return CallShape(
        trigger=open_,
        openers=(Opener(f"{open_}\n{before}", after), Opener(f"{open_}{before}", after)),
        ends=(f"}}\n{close}", f"}}{close}"),
        separator="\n",
    )


def _dsml(wrapper: str, tag: str, style: nodes.Style) -> CallShape:
    """DeepSeek's tagged calls; `tag` begins every inner tag."""
    return CallShape(
        trigger=f"<{wrapper}>",
        openers=(Opener(f'<{tag}invoke name="', '">\n'),),
        ends=(f"</{tag}invoke>\n",),
        style=style,
        section=Section(f"<{wrapper}>\n", (f"</{wrapper}>",)),
    )


def hy_v4(suffix: str = "") -> CallShape:
    """Hunyuan's shape; the suffix is the one its tokenizer's tags carry, colon included."""

    def open_(word: str) -> str:
        return f"<{word}{suffix}>"

    def close(word: str) -> str:
        return f"</{word}{suffix}>"

    call_close = close("tool_call")
    return CallShape(
        trigger=open_("tool_calls"),
        openers=(Opener(open_("tool_call"), ""),),
        ends=(call_close,),
        section=Section(open_("tool_calls"), (close("tool_calls"),)),
        pairs=PairMarks(open_("arg_key"), close("arg_key"), open_("arg_value"), close("arg_value"), call_close),
        values="texts",
    )


def _k3_tag(name: str, mark: str = "<|open|>") -> str:
    return f"{mark}{name}<|sep|>"


def _k3_close(name: str) -> str:
    return _k3_tag(name, "<|close|>")


def _response_then_tools(
    shape: CallShape, calls: Sequence[JsonObject], forced: bool, single: bool
) -> JsonObject:
    """Kimi K3: the response channel, then the tools channel, then perhaps the end of the message."""
    tools = call_list(shape, calls, single)
    return nodes.sequence(
        nodes.optional(nodes.const(_k3_tag("response"))),
        nodes.any_text("<|open|>", "<|close|>"),
        nodes.const(_k3_close("response")),
        tools if forced else nodes.optional(tools),
        nodes.optional(nodes.const(_k3_close("message"))),
    )


def _messages(shape: CallShape, calls: Sequence[JsonObject], forced: bool, single: bool) -> JsonObject:
    """Harmony: messages of thinking and preamble, then calls or the final answer; the tag covers thinking too."""
    thinking = nodes.tag("<|channel|>analysis<|message|>", nodes.any_text(), "<|end|>")
    preamble = nodes.tag("<|channel|>commentary<|message|>", nodes.any_text(), "<|end|>")
    answer = nodes.tag("<|channel|>final<|message|>", nodes.any_text(), "<|return|>", "<|end|>")
    listed = call_list(shape, calls, single)
    return nodes.sequence(
        nodes.star(nodes.sequence(nodes.one_of([thinking, preamble]), nodes.const(shape.separator))),
        listed if forced else nodes.one_of([listed, answer]),
    )


_DIGITS = nodes.regex(r"[0-9]+")
_CALL_OPEN, _CALL_CLOSE, _SEP = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"
_DEEPSEEK_CALLS = Section("<｜tool▁calls▁begin｜>", ("<｜tool▁calls▁end｜>",))

_HERMES = _tagged_json("<tool_call>", "</tool_call>")
_QWEN_CODER = CallShape(
    trigger="<tool_call>",
    openers=(Opener("<tool_call>\n<function=", ">\n"),),
    ends=("</function>\n</tool_call>",),
    style="qwen_xml",
    separator="\n",
)

SHAPES: dict[str, CallShape] = {
    "deepseek_r1": CallShape(
        trigger=_DEEPSEEK_CALLS.begin,
        openers=(Opener(f"{_CALL_OPEN}function{_SEP}", "\n```json\n"),),
        ends=(f"\n```{_CALL_CLOSE}",),
        separator="\n",
        section=_DEEPSEEK_CALLS,
    ),
    "deepseek_v3_1": CallShape(
        trigger=_DEEPSEEK_CALLS.begin,
        openers=(Opener(_CALL_OPEN, _SEP),),
        ends=(_CALL_CLOSE,),
        section=_DEEPSEEK_CALLS,
    ),
    "deepseek_v3_2": _dsml("｜DSML｜function_calls", "｜DSML｜", "deepseek_xml"),
    "deepseek_v4": _dsml("｜DSML｜tool_calls", "｜DSML｜", "deepseek_xml"),
    "deepseek_v4_1": _dsml("｜DSML｜ calls", "｜DSML｜ ", "deepseek_v4_1_xml"),
    "glm_4_7": CallShape(
        trigger="<tool_call>",
        openers=(Opener("<tool_call>", ""),),
        ends=("</tool_call>",),
        style="glm_xml",
        pairs=PairMarks("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>"),
    ),
    "harmony": CallShape(
        trigger="<|channel|>commentary to=functions.",
        openers=(Opener("<|channel|>commentary to=functions.", " <|constrain|>json<|message|>"),),
        ends=("<|call|>", "<|end|>"),
        separator="<|start|>assistant",
        layout=_messages,
    ),
    "hermes": _HERMES,
    "hy_v4": hy_v4(),
    "kimi": CallShape(
        trigger="<|tool_calls_section_begin|>",
        openers=(Opener("<|tool_call_begin|>functions.", ":"),),
        ends=("<|tool_call_end|>",),
        head=(_DIGITS, nodes.const("<|tool_call_argument_begin|>")),
        section=Section("<|tool_calls_section_begin|>", ("<|tool_calls_section_end|>",)),
    ),
    "kimi_k3": CallShape(
        trigger=_k3_tag("tools"),
        openers=(Opener('<|open|>call tool="', '" index="'),),
        ends=(_k3_close("call"),),
        style="kimi_k3_xml",
        head=(_DIGITS, nodes.const('"<|sep|>')),
        section=Section(_k3_tag("tools"), (_k3_close("tools"),)),
        layout=_response_then_tools,
    ),
    "llama": CallShape(
        trigger='{"name": "',
        openers=(Opener('{"name": "', '", "parameters": '),),
        ends=("}",),
        separator="; ",
        layout=instead_of_text,
    ),
    "longcat": _tagged_json("<longcat_tool_call>", "</longcat_tool_call>"),
    "mimo": CallShape(
        trigger="<tool_call>",
        openers=(Opener("<tool_call><function=", ">"),),
        ends=("</function></tool_call>",),
        style="qwen_xml",
    ),
    "minimax": CallShape(
        trigger="<minimax:tool_call>",
        openers=(Opener('<invoke name="', '">\n'),),
        ends=("</invoke>\n",),
        style="minimax_xml",
        section=Section("<minimax:tool_call>\n", ("</minimax:tool_call>",)),
    ),
    "plamo3": CallShape(
        trigger="<|plamo:begin_tool_requests:plamo|>",
        openers=(
            Opener(
                "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>",
                "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>"
                "<|plamo:constrain|>json<|plamo:msg|>",
            ),
        ),
        ends=("<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",),
        section=Section(
            "<|plamo:begin_tool_requests:plamo|>",
            ("<|plamo:end_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|><|plamo:tag|>"),
        ),
    ),
    "qwen_3": _HERMES,
    "qwen_3_5": _QWEN_CODER,
    "qwen_3_coder": _QWEN_CODER,
}
