"""transformers reads every well-formed output as our `hf` does with the same response template."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from parsers.protocol import Accumulator, FunctionTool
from parsers.registry import build_parser, reasoning_names, tool_names
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate

if "hf" not in reasoning_names() or "hf" not in tool_names():
    pytest.skip("hf is not registered", allow_module_level=True)

ANCHOR = "<|turn>model\n"
SHAPE = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TOOL = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}, "pets": {"type": "boolean"}},
        },
    },
}


def template(thinking, calls):
    return {
        "version": 1,
        "start_anchor": ANCHOR,
        "fields": {
            "thinking": {**thinking, "content": "text"},
            "tool_calls": {**calls, "repeats": True},
            "content": {"content": "text"},
        },
    }


def json_call(arguments):
    return f"<tool_call>{json.dumps({'name': 'book', 'arguments': arguments})}</tool_call>"


def xml_call(arguments):
    parameters = "".join(f"<parameter={key}>{_spelled(value)}</parameter>" for key, value in arguments.items())
    return f"<tool_call><function=book>{parameters}</function></tool_call>"


def notation_call(arguments):
    pairs = (f"{key}:{_noted(value)}" for key, value in arguments.items())
    return f"<|tool_call>call:book{{{','.join(pairs)}}}<tool_call|>"


def _noted(value):
    return f'<|"|>{value}<|"|>' if isinstance(value, str) else json.dumps(value)


def _spelled(value):
    return value if isinstance(value, str) else json.dumps(value)


TEMPLATES = {
    "json": (
        template(
            {"open": "<think>", "close": "</think>"},
            {
                "open": "<tool_call>",
                "close": "</tool_call>",
                "content": "json",
                "transform": {
                    "type": "function",
                    "function": {"name": "{content.name}", "arguments": "{content.arguments}"},
                },
            },
        ),
        "<think>{}</think>",
        json_call,
    ),
    "xml-inline": (
        template(
            {"open": "<think>", "close": "</think>"},
            {
                "open_pattern": r"<tool_call>\s*<function=(?P<name>\w+)>",
                "close": "</function></tool_call>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": r"<parameter=(?P<key>\w+)>(?P<value>.*?)</parameter>"},
                "transform": SHAPE,
            },
        ),
        "<think>{}</think>",
        xml_call,
    ),
    "notation": (
        template(
            {"open": "<|channel>thought\n", "close": "<channel|>"},
            {
                "open_pattern": r"<\|tool_call>call:(?P<name>\w+)",
                "close": "<tool_call|>",
                "content": "json",
                "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
                "transform": SHAPE,
            },
        ),
        "<|channel>thought\n{}<channel|>",
        notation_call,
    ),
}

words = st.lists(st.sampled_from(("Oslo", " ", "\n", "é", "🦜", "a", "1", ".", "x y")), min_size=1).map("".join)
arguments = st.fixed_dictionaries({}, optional={"city": words, "nights": st.integers(), "pets": st.booleans()})
# What the model does in order: text is what it says, a dictionary is a call.
turns = st.lists(words | arguments, max_size=5)


class TemplateTokenizer:
    """The bundled tokenizer with a response template in its settings."""

    def __init__(self, response_template):
        self._tokenizer = bundled.load(("<think>", "</think>", "<tool_call>", "</tool_call>", '<|"|>'))
        self.settings = {"response_template": response_template}
        self.name, self.vocab = self._tokenizer.name, self._tokenizer.vocab
        self.special_tokens = self._tokenizer.special_tokens
        self.encode, self.decode = self._tokenizer.encode, self._tokenizer.decode
        self.token_text = self._tokenizer.token_text


TOKENIZERS = {name: TemplateTokenizer(row[0]) for name, row in TEMPLATES.items()}
PEERS = {
    name: PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), response_template=row[0])
    for name, row in TEMPLATES.items()
}


def our_fields(name, text, strategy, prompt=ANCHOR):
    parser = build_parser(
        "hf",
        "hf",
        TOKENIZERS[name],
        tools=[FunctionTool.model_validate(TOOL)],
        generation_prompt=prompt,
    )
    client = Accumulator()
    for delta in cut(simulate(TOKENIZERS[name], TOKENIZERS[name].encode(text)), strategy):
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished))
    return client.reasoning, client.content, [(call.name, json.loads(call.arguments)) for call in client.calls]


def streamed_fields(name, text, prompt=ANCHOR):
    """What a server on transformers streams: text as it comes, a call when its region closes."""
    parser = PEERS[name].get_response_parser(prefix=prompt, tools=[TOOL])
    events = parser.feed(text)
    events += parser.finalize()[1]
    said = {"thinking": "", "content": ""}
    calls = []
    for event in events:
        if event["type"] == "region_chunk" and event["field"] in said:
            said[event["field"]] += event["text"]
        elif event["type"] == "region_close" and event["field"] == "tool_calls":
            calls.append(_call(event["value"]))
    return said["thinking"] or None, said["content"] or None, calls


def parsed_fields(name, text):
    message = PEERS[name].parse_response(text, prefix=ANCHOR, tools=[TOOL])
    calls = [_call(value) for value in message.get("tool_calls", ())]
    return message.get("thinking") or None, message.get("content") or None, calls


def _call(value):
    return value["function"]["name"], value["function"]["arguments"]


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=100, deadline=None)
@given(thinking=st.none() | words, turn=turns)
def test_same_fields_as_the_streaming_parser(name, thinking, turn):
    """response-template.md "Values", "Delivery": text is verbatim, calls come when their region closes."""
    text = _written(name, thinking, turn)
    expected = streamed_fields(name, text)
    for strategy in ("one", "token", "rand:1:4"):
        assert our_fields(name, text, strategy) == expected, strategy


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=50, deadline=None)
@given(thinking=words, turn=turns)
def test_same_fields_when_the_prompt_opens_thinking(name, thinking, turn):
    """response-template.md "Region machine": the prompt behind the anchor is read first."""
    opener = TEMPLATES[name][1].partition("{}")[0]
    text = _written(name, thinking, turn).removeprefix(opener)
    expected = streamed_fields(name, text, ANCHOR + opener)
    assert our_fields(name, text, "token", ANCHOR + opener) == expected


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=50, deadline=None)
@given(thinking=st.none() | words, said=words, calls=st.lists(arguments, max_size=3))
def test_same_fields_as_parse_response(name, thinking, said, calls):
    """`parse_response` strips its texts and keeps the last of several, so there is one."""
    text = _written(name, thinking, [said, *calls])
    reasoning, content, called = our_fields(name, text, "token")
    assert (_stripped(reasoning), _stripped(content), called) == parsed_fields(name, text)


def _written(name, thinking, turn):
    _, thought, call = TEMPLATES[name]
    opening = "" if thinking is None else thought.format(thinking)
    return opening + "".join(part if isinstance(part, str) else call(part) for part in turn)


def _stripped(text):
    return (text or "").strip() or None
