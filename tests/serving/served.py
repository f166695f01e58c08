"""A model output served in full: parser, serving rules and the event stream, as a client would receive it."""

import json
from dataclasses import dataclass

from parsers.compose.unified import UnifiedParser
from parsers.protocol import Accumulator, ChatRequest
from parsers.registry import build_parser, markers_of, special_of
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import TokenStream, simulate

THINKING, CALLING = "qwen3", "hermes"
TOOLS = [{"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {"name": "g"}}]
CALL_F = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
CALL_G = '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
TOKENIZER = bundled.load(markers_of(THINKING, CALLING), special_of(THINKING, CALLING))


@dataclass(frozen=True)
class Served:
    """What was sent for one output."""

    chunks: list[ChatChunk]
    stream: TokenStream
    parser: UnifiedParser

    @property
    def received(self):
        total = Accumulator()
        for chunk in self.chunks:
            total.add(chunk.delta)
        return total


def parser_for(prompt=None):
    return build_parser(THINKING, CALLING, TOKENIZER, generation_prompt=prompt)


def serve(text, strategy="token", prompt=None, engine_reason="stop", parser=None, **request):
    """Serve an output cut by a strategy; `request` are fields of the request."""
    stream = simulate(TOKENIZER, TOKENIZER.encode(text))
    parser = parser or parser_for(prompt)
    processor = ChatStreamProcessor(parser, ChatRequest.model_validate(request), token_text=TOKENIZER.token_text)
    sent = [processor.step(delta, engine_reason if delta.finished else None) for delta in cut(stream, strategy)]
    return Served([chunk for chunk in sent if chunk], stream, parser)


def events(lines):
    """Read an event stream back: its JSON objects, and whether it ended as it must."""
    *data, last = "".join(lines).split("\n\n")[:-1]
    assert last == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in data]
