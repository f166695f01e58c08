"""Values are compared as JSON and graded (point 11)."""

import pytest

from parsers.templates.ladder import ANSWER, CALLS, THOUGHTS, Shape, assistant
from parsers.templates.roundtrip import Grade, grade_calls, round_trip, text_result
from parsers.templates.turn import Turn

ONE = [("f", {"n": 3, "on": True, "o": {"k": [1]}})]
TWO = [*ONE, ("g", {"s": "x"})]


@pytest.mark.parametrize(
    ("expected", "got", "grade"),
    [
        pytest.param(ONE, ONE, Grade.EXACT, id="exact"),
        pytest.param(ONE, [("f", {"n": 3, "on": 1, "o": {"k": [1]}})], Grade.LITERAL, id="another-type-that-is-equal"),
        pytest.param(ONE, [("f", {"n": "3", "on": "True", "o": "{'k': [1]}"})], Grade.LITERAL, id="python-texts"),
        pytest.param(ONE, [("f", {})], Grade.NAMES, id="names-only"),
        pytest.param(TWO, ONE, Grade.PARTLY, id="one-of-two"),
        pytest.param(TWO, [("f", {})], Grade.LOST, id="one-of-two-and-wrong"),
        pytest.param(ONE, [("g", {})], Grade.LOST, id="another-call"),
        pytest.param(ONE, [], Grade.LOST, id="none"),
        pytest.param([], [], Grade.LOST, id="nothing-expected"),
    ],
)
def test_calls_are_graded(expected, got, grade):
    assert grade_calls(expected, got) is grade


@pytest.mark.parametrize(
    ("got", "grade"),
    [("\nhi ", Grade.EXACT), ("hi<end>", Grade.PARTLY), ("", Grade.LOST), (None, Grade.LOST)],
    ids=["white-space-apart", "glued", "empty", "none"],
)
def test_texts_are_graded(got, grade):
    assert text_result("content", "hi", got).grade is grade


def test_a_turn_is_compared_field_by_field():
    shape = Shape(calls=1)
    text = f'{ANSWER}\n<tool_call>\n{{"name": "find_okapi", "arguments": {{"place": "x"}}}}\n</tool_call>'
    fields = round_trip(Turn(text, "", shape.message(), shape), None, "hermes").fields
    assert [(field.field, field.grade) for field in fields] == [("content", Grade.EXACT), ("tool_calls", Grade.NAMES)]
    assert CALLS[0][1]["place"] in fields[1].expected


def test_thinking_that_history_leaves_out_is_put_back():
    """Point 4: the stream starts in thinking, so a turn without it is not what the model writes."""
    found = round_trip(Turn(ANSWER, "<|im_start|>assistant\n", assistant()), "qwen3", None)
    assert found.turn.text == f"{THOUGHTS}</think>{ANSWER}"
    assert found.grade is Grade.EXACT


def test_nothing_is_put_back_where_the_prompt_has_closed_thinking():
    turn = Turn(ANSWER, "<|im_start|>assistant\n<think>\n\n</think>\n\n", assistant())
    assert round_trip(turn, "qwen3", None).turn is turn
