"""Bodies made of call objects: keys in any order, ids, single keys, lists (INDEX-2 features 17, 18; json-lists.md)."""

import json

import pytest

from parsers.args.json_calls import CallKeys, JsonCalls

COHERE = CallKeys(name=("tool_name",), arguments=("parameters",), id=("tool_call_id",))


class Calls:
    """Keeps what the codec reports: one [name, id, arguments, complete] per call."""

    def __init__(self):
        self.all = []
        self.order = []

    def start_call(self, at):
        self.all.append(["", "", "", None])

    def name_call(self, name, at):
        self.all[-1][0] = name
        self.order.append("name")

    def identify_call(self, call_id, at):
        self.all[-1][1] = call_id
        self.order.append("id")

    def append_arguments(self, json_text, at):
        assert self.all[-1][0], "arguments before the name"
        self.all[-1][2] += json_text
        self.order.append("arguments")

    def end_call(self, at, complete):
        if self.all[-1][3] is None:
            self.all[-1][3] = complete

    def skip(self, at, is_name=False):
        pass


def read(text, keys=None, shape="object", calls_required=False):
    """The codec and its calls after the text, the same for every two-way cut."""
    answers = []
    for at in range(len(text)):
        codec, sink = JsonCalls(keys or CallKeys(), shape, calls_required), Calls()
        used = codec.feed(text[:at], sink)
        if used == at and not codec.bad and not codec.complete:
            codec.feed(text[at:], sink)
        answers.append((codec.bad, codec.complete, sink.all))
    assert all(answer == answers[0] for answer in answers), answers
    return answers[0]


def complete_calls(text, keys=None, shape="object"):
    bad, complete, calls = read(text, keys, shape)
    assert complete
    assert not bad
    return [(name, json.loads(arguments)) for name, _, arguments, whole in calls if whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"name": "f", "arguments": {"a": 1}}', [("f", {"a": 1})], id="usual order"),
        pytest.param('{"arguments": {"a": 1}, "name": "f"}', [("f", {"a": 1})], id="arguments first"),
        pytest.param('{"name": "f", "parameters": {"name": "g"}}', [("f", {"name": "g"})], id="depth 1 keys only"),
        pytest.param('{"name": "f"}', [("f", {})], id="no arguments"),
        pytest.param('{"name": "f", "arguments": null}', [("f", {})], id="null"),
        pytest.param('{"name": "f", "arguments": "{\\"a\\": 1}"}', [("f", {"a": 1})], id="a string that spells them"),
    ],
)
def test_keys_of_the_call_object_decide(text, expected):
    assert complete_calls(text) == expected


def test_a_list_skips_what_is_no_call_object():
    assert complete_calls('[1, {"name": "f"}, "x", {"name": "g"}]', shape="array") == [("f", {}), ("g", {})]


@pytest.mark.parametrize("text", ["[]", "[1, 2]"])
def test_a_list_without_calls_is_bad_only_where_calls_are_required(text):
    assert not read(text, shape="array")[0]
    assert read(text, shape="array", calls_required=True)[0]


def test_the_single_key_of_an_item_is_the_name():
    keys = CallKeys(single=True)
    assert complete_calls('[{"f": {"n": 1}}, {"g": null}]', keys, "array") == [("f", {"n": 1}), ("g", {})]


def test_an_item_with_two_keys_is_refused():
    assert read('{"f": {}, "g": {}}', CallKeys(single=True))[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"tool_call_id": "7", "tool_name": "f", "parameters": {"a": 1}}', id="id first"),
        pytest.param('{"tool_name": "f", "tool_call_id": "7", "parameters": {"a": 1}}', id="name first"),
        pytest.param('{"tool_name": "f", "parameters": {"a": 1}, "tool_call_id": "7"}', id="id last"),
        pytest.param('{"parameters": {"a": 1}, "tool_call_id": 7, "tool_name": "f"}', id="arguments first"),
    ],
)
def test_an_id_comes_out_before_the_name_wherever_it_stands(text):
    codec, sink = JsonCalls(COHERE), Calls()
    codec.feed(text, sink)
    assert sink.all == [["f", "7", '{"a": 1}', True]]
    assert sink.order[:2] == ["id", "name"]


def test_a_call_without_its_id_is_a_call():
    assert read('{"tool_name": "f", "parameters": {"a": 1}}', COHERE)[2] == [["f", "", '{"a": 1}', True]]
