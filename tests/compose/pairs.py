"""Real pairs of names in the delegating composition, each with a call as its model writes it."""

from dataclasses import dataclass

import pytest

from parsers.composition import ParserChoice, compose_parser
from parsers.protocol import Accumulator, ChatRequest
from parsers.registry import markers_of, special_of
from parsers.tokens import bundled

TAGGED = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
JSON = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ARGUMENTS = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": ARGUMENTS}} for name in "fg"]
CALLED = [("f", '{"a": 1}')]


@dataclass(frozen=True)
class Pair:
    """Names of a reasoning and a tool parser, and a call of `f`."""

    reasoning: str | None
    tool: str | None
    call: str = ""

    @property
    def tokenizer(self):
        return bundled.load(markers_of(self.reasoning, self.tool), special_of(self.reasoning, self.tool))

    def parser(self, prompt=None, history_calls=0, auto_tools=True, strict_calling=True, thinking=None, **request):
        """A fresh parser for a request with two tools."""
        asked = ChatRequest.model_validate({"tools": TOOLS, **request})
        arguments = {} if thinking is None else {"thinking": thinking, "enable_thinking": thinking}
        choice = ParserChoice(
            self.reasoning, self.tool, self.tokenizer, asked.tools, prompt, arguments, history_calls=history_calls,
            request=asked, auto_tools=auto_tools, strict_calling=strict_calling,
        )  # fmt: skip
        return compose_parser(choice, "delegating")

    def stream(self, *pieces, **choices):
        """What a fresh parser returns for each piece of text, the last one finishing."""
        return self.feed(self.parser(**choices), *pieces)

    def feed(self, parser, *pieces):
        """What the parser returns for each piece, the last one finishing."""
        ends = [False] * (len(pieces) - 1) + [True]
        encode = self.tokenizer.encode
        return [parser.parse_delta(text, encode(text), None, end) for text, end in zip(pieces, ends, strict=True)]

    def whole(self, text, **choices):
        """The three fields of a whole text, calls as (name, arguments)."""
        parsed = self.parser(**choices).parse(text, self.tokenizer.encode(text))
        calls = [(one.function.name, one.function.arguments) for one in parsed.tool_calls]
        return parsed.reasoning, parsed.content, calls


ENGINE = Pair("qwen3", "qwen3_coder", TAGGED)
CLASSIC = Pair("deepseek_r1", "hermes", JSON)
ENGINE_FIRST = Pair("qwen3", "hermes", JSON)
CLASSIC_FIRST = Pair("deepseek_r1", "qwen3_coder", TAGGED)
PAIRS = {
    "engine": ENGINE,
    "classic": CLASSIC,
    "engine-reasoning": ENGINE_FIRST,
    "engine-tools": CLASSIC_FIRST,
}
each_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)


def fields(deltas):
    """The three fields of a stream, calls as (name, arguments)."""
    total = Accumulator()
    for delta in deltas:
        total.add(delta)
    return total.reasoning, total.content, [(one.name, one.arguments) for one in total.calls]


def first_three(delta):
    """The three fields of one delta."""
    return fields([delta])
