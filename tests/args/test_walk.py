"""The JSON walker: RFC 8259, in pieces of any size."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.args.walk import JsonWalker, Step, escape_controls


def walk(text, size=None):
    """The walker, and the steps as (kind, text) with split runs joined."""
    walker, steps = JsonWalker(), []
    for start in range(0, len(text), size or len(text) or 1):
        piece, pos = text[start : start + (size or len(text))], 0
        while pos < len(piece):
            step, end = walker.step(piece, pos)
            if step is Step.BAD:
                return walker, [*steps, (step, "")]
            if steps and step in (Step.STRING, Step.SCALAR, Step.SPACE) and steps[-1][0] is step:
                steps[-1] = (step, steps[-1][1] + piece[pos:end])
            else:
                steps.append((step, piece[pos:end]))
            pos = end
    return walker, steps


def is_json(text):
    def reject(constant):
        raise ValueError(constant)

    try:
        json.loads(text, strict=False, parse_constant=reject)
    except ValueError:
        return False
    return True


def test_the_steps_cover_the_text_and_say_what_it_is():
    _, steps = walk('{"a\\"b": [1, true]}')
    assert "".join(text for _, text in steps) == '{"a\\"b": [1, true]}'
    names = "OPEN QUOTE STRING UNQUOTE COLON SPACE OPEN SCALAR COMMA SPACE SCALAR CLOSE CLOSE"
    assert " ".join(step.name for step, _ in steps) == names


@pytest.mark.parametrize(
    "text",
    ["{", "[1,", '"a', "tru", '{"a":', "-", "1.", '"\\', '"\\u12', '{"a"', "", " ", "[", '{"a":1,'],
)
def test_a_beginning_is_neither_complete_nor_bad(text):
    walker, _ = walk(text)
    assert not walker.complete or walker.scalar
    assert not walker.bad


PIECES = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "u",
    "00e9",
    "n",
    "1",
    "-",
    ".",
    "e",
    "true",
    "null",
    " ",
    "\n",
    "a",
    "🧭",
]
JSON_LIKE = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(JSON_LIKE)
def test_what_the_walker_calls_whole_is_json_and_the_other_way_round(text):
    walker, steps = walk(text)
    whole = steps[-1:] != [(Step.BAD, "")] and walker.finish()
    assert whole == is_json(text)


@given(JSON_LIKE, st.integers(1, 4))
def test_the_steps_do_not_depend_on_the_cuts(text, size):
    assert walk(text, size)[1] == walk(text)[1]


@given(JSON_LIKE)
def test_a_walker_can_be_put_back(text):
    walker = JsonWalker()
    before = walker.snapshot()
    for pos in range(len(text)):
        if walker.step(text, pos)[0] is Step.BAD:
            break
    walker.restore(before)
    assert walker.snapshot() == JsonWalker().snapshot()


@given(st.text())
def test_escaped_controls_make_a_legal_string(text):
    inner = text.replace("\\", "").replace('"', "")
    assert json.loads(f'"{escape_controls(inner)}"') == inner
