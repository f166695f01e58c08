"""Cutting out what the model would have written (points 1 to 3 and 6)."""

import pytest

from parsers.templates.ladder import ANSWER, IDS, QUESTION, THOUGHTS
from parsers.templates.prompts import find_switches, render_prompts
from parsers.templates.render import Renderer
from parsers.templates.turn import TurnRenderer, cut_ending, cut_prompt

HEAD = f"<u>{QUESTION}</u>"


def turns_of(template):
    renderer = Renderer(template)
    modes = find_switches(renderer.source())
    prompts = [*render_prompts(renderer, modes, True), *render_prompts(renderer, modes, False)]
    return TurnRenderer(renderer, prompts).all()


@pytest.mark.parametrize(
    ("render", "prompts", "assistant"),
    [
        pytest.param(HEAD + "<a>hi", [HEAD + "<a>"], "hi", id="the-prompt-is-a-prefix"),
        pytest.param(HEAD + "<a><think>t", [HEAD + "<a>", HEAD + "<a><think>"], "t", id="the-longest-prefix-wins"),
        pytest.param(HEAD + "<a><think>t", [HEAD + "<a></think>"], "<think>t", id="not-inside-a-tag"),
        pytest.param(HEAD + "\n<a>\nhi", [HEAD + " <a> <x>"], "\nhi", id="white-space-apart"),
        pytest.param(HEAD + "hi", ["other" + HEAD + "<a>"], "hi", id="not-before-the-end-of-the-question"),
    ],
)
def test_the_prompt_is_cut_away(render, prompts, assistant):
    assert render[cut_prompt(render, prompts) :].replace("</u>", "") == assistant


def test_without_the_question_there_is_no_turn():
    assert cut_prompt("a safety prompt", ["a prompt"]) == 0


@pytest.mark.parametrize(
    ("text", "ending", "kept"),
    [
        pytest.param("hi<end>\n", "<end>\n", "hi", id="all-of-it"),
        pytest.param("x</call><end>", "</text><end>", "x</call>", id="only-what-is-shared"),
        pytest.param("x<|call|>", "<|return|>", "x<|call|>", id="not-half-a-tag"),
        pytest.param("hi", "", "hi", id="no-ending"),
    ],
)
def test_the_end_of_turn_is_cut_away(text, ending, kept):
    assert cut_ending(text, ending) == kept


ROLES = (
    "{% for m in messages %}<{{ m.role }}>{{ BODY }}<end>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def with_body(body):
    return ROLES.replace("{{ BODY }}", body)


def test_the_ending_is_learned_and_thinking_is_found():
    turns = turns_of(with_body("{% if m.reasoning_content %}[{{ m.reasoning_content }}]{% endif %}{{ m.content }}"))
    assert turns.ending == "<end>"
    assert turns.plain.text == ANSWER
    assert turns.thinking.text == f"[{THOUGHTS}]{ANSWER}"


def test_blocks_echoed_as_json_prove_nothing():
    assert turns_of(with_body("{{ m.content if m.content is string else m.content | tojson }}")).thinking is None


CALL = "{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}"


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        pytest.param(CALL, {"calls": 2, "arguments_as": "object"}, id="the-richest-first"),
        pytest.param(
            "{{ '' + m.tool_calls[0].function.arguments if m.tool_calls }}" + CALL,
            {"arguments_as": "JSON text"},
            id="arguments-as-text",
        ),
        pytest.param(
            "{% if m.tool_calls and m.tool_calls | length > 1 %}{{ raise_exception('one') }}{% endif %}" + CALL,
            {"calls": 1},
            id="one-call",
        ),
        pytest.param(
            "{% if m.tool_calls and m.content %}{{ raise_exception('no text') }}{% endif %}" + CALL,
            {"content": ""},
            id="no-content",
        ),
        pytest.param(
            "{% for c in m.tool_calls or [] %}{{ c.id }}{% endfor %}",
            {"ids": IDS[1]},
            id="the-name-is-in-the-id",
        ),
        pytest.param(
            "{% if m.tool_calls and m.tool_calls[0].id | length != 9 %}{{ raise_exception('id') }}{% endif %}" + CALL,
            {"ids": IDS[0]},
            id="nine-letters",
        ),
    ],
)
def test_the_ladder_finds_a_shape_that_shows_calls(body, shape):
    found = turns_of(with_body(body + "{{ m.content }}")).calls[0].shape
    assert {key: getattr(found, key) for key in shape} == shape
