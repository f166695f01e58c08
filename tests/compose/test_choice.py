"""Readers of forced calls: one answer at every cut, whole and streamed; D-51 … D-57 (card 04), F-41 (card 07)."""

import pytest

from parsers.compose.choice import NamedCall, RequiredCalls
from parsers.compose.ids import id_maker
from parsers.protocol import Accumulator
from tests.compose.pairs import Pair

MARKERS = '{"a": "<tool_call>}]</tool_call></think>"}'
ESCAPED = '{"a": "\\"}]\\\\", "b": "\\u00e9\\n"}'
PAIRS = {"engine": Pair("qwen3", "granite"), "classic": Pair("deepseek_r1", "pythonic")}
NAMED = {"type": "function", "function": {"name": "f"}}


def required():
    return RequiredCalls(id_maker("functions"))


def named():
    return NamedCall(id_maker("functions"), "f")


def read(reader, pieces):
    """Content, calls as (name, arguments), and which calls are complete."""
    client = Accumulator()
    for piece in pieces:
        client.add(reader.feed(piece))
    client.add(reader.finish())
    return client.content, [(call.name, call.arguments) for call in client.calls], sorted(reader.complete)


def cuts_of(text):
    """The text whole, letter by letter, at every two-way cut, and with an empty piece in the middle."""
    yield [text]
    yield list(text)
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield [text[: len(text) // 2], "", text[len(text) // 2 :]]


def array(*items):
    return f"[{', '.join(items)}]"


def item(name, parameters):
    return f'{{"name": "{name}", "parameters": {parameters}}}'


ARRAYS = {
    "d52-one": (array(item("f", '{"a": 1}')), None, [("f", '{"a": 1}')], [0]),
    "d53-two": (array(item("f", "{}"), item("g", "{}")), None, [("f", "{}"), ("g", "{}")], [0, 1]),
    "d53-parameters-first": ('[{"parameters": {"a": [1, {}]}, "name": "f"}]', None, [("f", '{"a": [1, {}]}')], [0]),
    "d53-other-keys": ('[{"id": 7, "name": "f", "x": {"name": "g"}, "parameters": {}}]', None, [("f", "{}")], [0]),
    "d53-markers-in-a-string": (array(item("f", MARKERS)), None, [("f", MARKERS)], [0]),
    "f05-escapes": (array(item("f", ESCAPED)), None, [("f", ESCAPED)], [0]),
    "d53-unicode": (array(item("湖🧭", '{"町": "京都 🛶"}')), None, [("湖🧭", '{"町": "京都 🛶"}')], [0]),
    "d53-spread-out": ('\n[ {\n"name" :"f" ,\n"parameters": {} }\n]\n', None, [("f", "{}")], [0]),
    "d53-text-behind": (array(item("f", "{}")) + ' and "more" }]', None, [("f", "{}")], [0]),
    "d52-no-parameters": (f'[{{"name": "f"}}, {item("g", "{}")}]', None, [("f", "{}"), ("g", "{}")], [0, 1]),
    "d52-null-parameters": ('[{"name": "f", "parameters": null}]', None, [("f", "{}")], [0]),
    "f41-cut-in-arguments": ('[{"name": "f", "parameters": {"a": "x', None, [("f", '{"a": "x')], []),
    "f41-cut-behind-a-call": (f'[{item("f", "{}")}, {{"na', None, [("f", "{}")], [0]),
    "f41-cut-in-the-name": ('[{"name": "f', '[{"name": "f', [], []),
    "f41-cut-at-once": ("[", "[", [], []),
    "d52-prose": ("I [really] cannot.", "I [really] cannot.", [], []),
    "d52-an-object": (item("f", "{}"), item("f", "{}"), [], []),
    "d52-an-array-of-numbers": ("[1, 2] ok", "[1, 2] ok", [], []),
    "d52-an-empty-array": ("[]", None, [], []),
    "d52-a-name-that-is-no-string": ('[{"name": 5, "parameters": {}}]', '[{"name": 5, "parameters": {}}]', [], []),
    "d52-blank": (" \n", " \n", [], []),
    "d52-nothing": ("", None, [], []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "content", "calls", "complete"), ARRAYS.values(), ids=ARRAYS)
def test_an_array_of_calls_has_one_answer_at_every_cut(text, content, calls, complete):
    """D-52, D-53, F-41."""
    for pieces in cuts_of(text):
        assert read(required(), pieces) == (content, calls, complete), pieces


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', MARKERS, ESCAPED, "No, never.", '\n{"a": ', "<tool_call>f</tool_call>", '{"町": "京都 🛶"}', "[]"],
)
def test_d51_the_content_is_the_arguments_at_every_cut(text):
    for pieces in cuts_of(text):
        assert read(named(), pieces) == (None, [("f", text)], [0]), pieces


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000"])
def test_d51_blank_content_announces_nothing_at_any_cut(text):
    for pieces in cuts_of(text):
        assert read(named(), pieces) == (None, [], []), pieces


@pytest.mark.parametrize("reader", [required, named])
@pytest.mark.parametrize("at", [0, 3, 11, 25])
def test_d74_a_restored_reader_goes_on_as_the_first_time(reader, at):
    text = array(item("f", '{"a": "}"}'), item("g", "{}"))
    one = reader()
    one.feed(text[:at])
    before = one.snapshot()
    first = read(one, list(text[at:]))
    one.restore(before)
    assert read(one, list(text[at:])) == first


@pytest.mark.parametrize("choice", ["required", NAMED], ids=["required", "named"])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("name", ["d53-two", "d53-markers-in-a-string", "f41-cut-in-arguments", "d52-prose"])
def test_behind_reasoning_a_stream_has_the_calls_of_the_whole_answer(pair, name, choice):
    """D-57: streamed and whole answers take the same path; of calls cut off, a whole answer shows the text."""
    text = f"x</think>{ARRAYS[name][0]}"
    reasoning, content, calls = pair.whole(text, tool_choice=choice)
    for at in range(len("x</think>"), len(text)):
        parser = pair.parser(tool_choice=choice)
        client = Accumulator()
        for delta in pair.feed(parser, text[:at], text[at:]):
            client.add(delta)
        complete = {call.index for call in parser.calls if call.complete}
        assert client.reasoning == reasoning == "x"
        assert [(call.name, call.arguments) for call in client.calls if call.index in complete] == calls
        if calls or not client.calls:
            assert client.content == content
        else:
            assert content == ARRAYS[name][0]
