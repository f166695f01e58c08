"""A body that is the arguments: the safe watermark, E-55 and E-56; F-05."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.args.json_args import JsonArguments


class Sent:
    """A sink that keeps the argument text."""

    def __init__(self):
        self.text = ""

    def append_arguments(self, json_text, at):
        self.text += json_text

    def skip(self, at, is_name=False):
        pass


def read(*pieces):
    """The codec, and what can be sent after each piece; a piece it does not use up ends the reading."""
    codec, sent, watermarks = JsonArguments(), Sent(), []
    for piece in pieces:
        used = codec.feed(piece, sent)
        watermarks.append(sent.text)
        if used < len(piece):
            break
    return codec, sent, watermarks


@pytest.mark.parametrize(
    "text",
    ['{"a":"}"}', '{"a":"\\"}"}', '{"a":{"b":[1]}}', '{"a": 1}', "{}", '{"a":[{}]}'],
)
def test_e55_only_the_last_brace_is_held(text):
    codec, sent, watermarks = read(*text)
    assert watermarks == [text[: i + 1] for i in range(len(text) - 1)] + [text[:-1]]
    assert codec.held == "}"
    assert codec.close(sent, 0)
    assert sent.text == text


def test_e56_white_space_around_the_object_is_not_part_of_it():
    codec, sent, _ = read(' \n{"a":1}')
    assert codec.close(sent, 0)
    assert sent.text == '{"a":1}'


def test_text_behind_the_object_is_not_used():
    codec, sent = JsonArguments(), Sent()
    assert codec.feed('{"a":1} }', sent) == 7
    assert codec.complete


def test_f05_text_behind_the_object_spoils_it_and_is_never_sent():
    codec, sent, _ = read('{"a":1}')
    codec.bad = True
    assert codec.feed(',"x":1}', sent) == 0
    assert not codec.close(sent, 0)
    assert sent.text == '{"a":1}'


def test_an_empty_body_is_an_empty_object():
    codec, sent = JsonArguments(), Sent()
    assert codec.close(sent, 0)
    assert sent.text == "{}"


@pytest.mark.parametrize("text", ["[1]", "null", '"a"', "x", '{"a":1,}', "{'a':1}", '{"a":01}', '{"a":nul}', '{"a" 1}'])
def test_f05_what_is_no_object_is_told_and_not_hidden(text):
    codec, sent, _ = read(text)
    assert codec.bad
    assert not codec.close(sent, 0)
    assert sent.text == text


@pytest.mark.parametrize("text", ['{"a": "x\\', '{"a": 1', "{", '{"a": {"b": [1, 2]', '{"a": "}'])
def test_f06_a_cut_object_keeps_what_was_sent_and_is_not_complete(text):
    codec, sent, _ = read(text)
    assert not codec.close(sent, 0)
    assert sent.text == text


def test_a_raw_line_end_in_a_string_becomes_an_escape():
    codec, sent, _ = read('{"a": "x\ny\tz\x01"}')
    codec.close(sent, 0)
    assert sent.text == '{"a": "x\\ny\\tz\\u0001"}'


def test_inside_a_string_a_marker_is_data():
    codec, sent, _ = read('{"a": "x')
    assert codec.open_data
    assert codec.passes_text
    codec.feed("\\", sent)
    assert codec.open_data
    assert not codec.passes_text
    codec.feed('""', sent)
    assert not codec.open_data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.booleans(), st.lists(st.integers(0, 200), max_size=5))
def test_an_object_comes_out_verbatim_whatever_the_cuts(value, ascii_only, cuts):
    text = json.dumps(value, ensure_ascii=ascii_only)
    edges = [0, *sorted({min(cut, len(text)) for cut in cuts}), len(text)]
    codec, sent, watermarks = read(*(text[a:b] for a, b in pairwise(edges)))
    assert codec.complete
    assert all(text.startswith(watermark) for watermark in watermarks)
    assert codec.close(sent, 0)
    assert json.loads(sent.text) == value
