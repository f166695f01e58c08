"""The response template of a tokenizer as a table: regions between delimiters that the tokenizer names itself.

    turn   = { text | region }        region = OPEN text CLOSE        a region without CLOSE runs to the end

Inside a region only its own closer counts, so nothing ends thinking but its closer. What is outside all regions
belongs to the one field without an opener, or to nothing. Calls come when their region closes; a malformed one is
dropped. Without a tool parser a region of calls is content, markers and all; without a reasoning parser thinking is
content, less its markers. Nothing is trimmed. Delimiters count by their text, tokens or not, as in transformers.

`beam` is `hf` with a grammar for the generation. Neither goes with any other name. Without a tokenizer of a model there
is `DEFAULT`, so that the format can be looked at. Source: response-template.md.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache

from parsers.args.delimiters import Delimiter
from parsers.args.response_calls import CallRegion, ResponseCalls
from parsers.args.response_fields import CONTENT, THINKING, TOOL_CALLS, ResponseField, ResponseTemplate, read_template
from parsers.args.schema import ParameterTypes
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import BODY_END, FEED, SETTLE, Body, ParserEngineConfig, Row, Sink, Switch, Terminal
from parsers.engine.stream import StreamingParserEngine
from parsers.errors import FormatError
from parsers.formats.base import R_END, R_START, S
from parsers.formats.context import RunContext

DEFAULT = {
    "version": 1,
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {
                "type": "function",
                "function": {"name": "{content.name}", "arguments": "{content.arguments}"},
            },
        },
        "content": {},
    },
}
_STATES = {THINKING: S.REASONING, CONTENT: S.CONTENT, TOOL_CALLS: S.TOOL_ARGS}
_NAMES = {THINKING: "THINK", CONTENT: "CONTENT", TOOL_CALLS: "TOOL"}


def reasoning_half(context: RunContext) -> ParserEngineConfig:
    """The table for a request that names the reasoning parser."""
    return _chosen(context, reasoning=True, tools=context.tool is not None)


def tools_half(context: RunContext) -> ParserEngineConfig:
    """The table for a request that names the tool parser."""
    return _chosen(context, reasoning=context.reasoning is not None, tools=True)


def _chosen(context: RunContext, reasoning: bool, tools: bool) -> ParserEngineConfig:
    if context.reasoning and context.tool and context.reasoning != context.tool:
        raise FormatError(
            f"{context.reasoning} and {context.tool} cannot be used together: a response template describes the whole "
            "output, so choose the same name for both, or one alone."
        )
    template = json.dumps(_template(context), ensure_ascii=False)
    spelled = re.sub(r"\\+(.)", r"\1", template)  # without the escapes of JSON and of regular expressions
    visible = tuple(sorted(token for token in context.special_tokens if token in spelled))
    on = context.template_kwargs.get("enable_thinking", True) is not False
    return _compiled(template, reasoning, tools, visible, context.generation_prompt or "", on)


def _template(context: RunContext) -> object:
    """The tokenizer's template; the default only where nothing is known of a tokenizer."""
    found = context.tokenizer_settings.get("response_template")
    if context.tokenizer_settings and not found:
        raise FormatError(
            "The tokenizer carries no response template, so nothing tells how to read its output; "
            "choose the model's own parser names."
        )
    return found or DEFAULT


@lru_cache(maxsize=64)
def _compiled(
    template: str, reasoning: bool, tools: bool, visible: tuple[str, ...], prompt: str, on: bool
) -> ParserEngineConfig:
    read = read_template(json.loads(template))
    for name, wanted in ((THINKING, reasoning), (TOOL_CALLS, tools)):
        if wanted and name not in read.fields:
            raise FormatError(f"The tokenizer's response template has no field {name!r}, which the parser needs.")
    return _begun(_table(read, reasoning, tools).but(visible=visible), read.prefix(prompt), reasoning, on)


def _table(template: ResponseTemplate, reasoning: bool, tools: bool) -> ParserEngineConfig:
    """The table, before the prompt is looked at."""
    outside = _STATES[template.outside.name] if template.outside else S.IGNORE
    rows: list[Row] = []
    terminals: dict[str, Terminal] = {}
    for field in template.fields.values():
        opener, closer = f"{_NAMES[field.name]}_START", f"{_NAMES[field.name]}_END"
        terminals |= {name: _terminal(d) for name, d in ((opener, field.open), (closer, field.close)) if d}
        rows += _field_rows(field, outside, opener, closer, tools)
    if not reasoning:
        rows = [replace(row, events=tuple(e for e in row.events if e not in (R_START, R_END))) for row in rows]
    used = {row.terminal for row in rows}
    calls = template.fields.get(TOOL_CALLS)
    return ParserEngineConfig(
        name="response_template",
        terminals={name: terminal for name, terminal in terminals.items() if name in used},
        rows=tuple(rows),
        sinks={S.REASONING: Sink.TEXT} if THINKING in template.fields and not reasoning else {},
        bodies={S.TOOL_ARGS: Body("response", region=CallRegion(calls))} if calls and tools else {},
        initial=outside,
        content_initial=outside,
    )


def _terminal(delimiter: Delimiter) -> Terminal:
    spellings = delimiter.literals or (delimiter.pattern,)
    cut_short = delimiter.ended_by and any(text.endswith(delimiter.ended_by) for text in spellings)
    return Terminal(spellings, delimiter=delimiter if delimiter.pattern or cut_short else None)


def _field_rows(field: ResponseField, outside: str, opener: str, closer: str, tools: bool) -> list[Row]:
    """Into the field's region and back; a field without an opener is outside already, its closer is only markup."""
    if field.open is None:
        return [Row(outside, closer, outside, (), "a closer outside all regions is markup")] if field.close else []
    leaves = (R_END,) if outside == S.REASONING else ()
    returns = (R_START,) if outside == S.REASONING else ()
    if field.name == TOOL_CALLS and not tools:
        back = [Row(S.BROKEN, closer, outside, (*returns, FEED))] if field.close else []
        return [Row(outside, opener, S.BROKEN, (*leaves, FEED), "no tool parser: calls are text"), *back]
    if field.name == TOOL_CALLS:
        return [
            Row(outside, opener, S.TOOL_ARGS, (*leaves, FEED, SETTLE), "the codec reads the opener and the closer"),
            Row(S.TOOL_ARGS, BODY_END, outside, returns),
        ]
    state = _STATES[field.name]
    starts, ends = ((R_START,), (R_END,)) if field.name == THINKING else ((), ())
    back = [Row(state, closer, outside, (*ends, *returns))] if field.close else []
    return [Row(outside, opener, state, (*leaves, *starts)), *back]


def _begun(config: ParserEngineConfig, prefix: str, reasoning: bool, on: bool) -> ParserEngineConfig:
    """The table for an output that goes on behind the prompt's own beginning of the message."""
    engine = StreamingParserEngine(
        config, Alphabet(config, {}), lambda _: "", config.initial, lambda _: ParameterTypes(None), lambda _: True
    )
    engine.lex(engine.scan(prefix, (), None), final=True)
    machine = engine.machine
    thinks = machine.state == S.REASONING or (on and not machine.ended_by)
    config = config.but(initial=machine.state, switch=Switch(default=thinks) if reasoning else None)
    if not isinstance(machine.body, ResponseCalls):
        return config
    return config.but(bodies={machine.state: Body("response", region=machine.body.begun)})
