"""What will go wrong with a template, told before it does: one sentence a finding.

Source: template-study.md section 3 and section 5, points 5, 6, 11 and 13.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from parsers.registry import markers_of
from parsers.templates.fit import Fit
from parsers.templates.ladder import ANSWER, CALLS, THOUGHTS
from parsers.templates.prompts import Prompt
from parsers.templates.render import Rendering
from parsers.templates.roundtrip import Grade, round_trip
from parsers.templates.turn import Turn

_DOUBLE_ENCODED = re.compile(r'\\+"place\\+"')
_PYTHON = re.compile(r"'food'|\bTrue\b")


def warnings(fit: Fit) -> tuple[str, ...]:
    """Every finding, the gravest first; only why there is nothing to judge where the template cannot be run."""
    if fit.evidence.stopped:
        return (fit.evidence.stopped,)
    if fit.evidence.source.error:
        return (f"The template cannot be read: {fit.evidence.source.error}",)
    return tuple(sentence for check in _CHECKS for sentence in check(fit))


def _demands(fit: Fit) -> Iterator[str]:
    if fit.evidence.demands.words:
        yield f"It renders only with {fit.evidence.demands.words}; without: {fit.evidence.complaint}"


def _errors(fit: Fit) -> Iterator[str]:
    evidence = fit.evidence
    failed = {prompt.rendering.error: f"without tools{_given(prompt)}" for prompt in _failed(evidence.without_tools)}
    failed |= {prompt.rendering.error: f"with tools{_given(prompt)}" for prompt in _failed(evidence.with_tools)}
    for error, when in failed.items():
        yield f"A prompt {when} does not render: {error}"
    if evidence.turns.plain is None and not failed:
        yield f"An assistant turn does not render: {next(iter(evidence.turns.errors), 'the template drops it')}"


def _failed(prompts: Iterable[Prompt]) -> list[Prompt]:
    return [prompt for prompt in prompts if prompt.state == "error"]


def _given(prompt: Prompt) -> str:
    arguments = (f" and {name}={value!r}" for name, value in prompt.switch.arguments.items())
    return "".join(arguments) + (f" and {prompt.switch.system} as system message" if prompt.switch.system else "")


def _calls(fit: Fit) -> Iterator[str]:
    """Calls that history loses."""
    evidence = fit.evidence
    calls = evidence.turns.calls
    if not calls:
        known = {prompt.rendering.error for prompt in _failed(evidence.prompts)}
        for error in [error for error in evidence.turns.call_errors if error not in known][:1]:
            yield f"Calls in history do not render: {error}"
        if not evidence.turns.call_errors and fit.tool[0].names != (None,):
            yield "Calls in history are dropped: the model never sees what it called."
        return
    shown = max(sum(name in turn.text for name, _ in CALLS) for turn in calls)
    if shown < len(CALLS):
        why = next(iter(evidence.turns.call_errors), "")
        yield f"Only one of two parallel calls is kept in history{': ' + why if why else ', the other is dropped.'}"


def _content(fit: Fit) -> Iterator[str]:
    """Content beside calls, and its place."""
    for turn in fit.evidence.turns.calls[:1]:
        first = min(turn.text.find(name) for name, _ in CALLS if name in turn.text)
        if turn.shape is not None and not turn.shape.content:
            yield "A message with calls must have no content, or the template raises."
        elif ANSWER not in turn.text:
            yield "Content beside calls is dropped from history."
        elif turn.text.find(ANSWER) > first:
            yield "Content beside calls comes after them in history, so it is parsed as text behind calls."


def _arguments(fit: Fit) -> Iterator[str]:
    """How the template takes the two forms of arguments, and what it writes."""
    other, calls = fit.evidence.other_arguments, fit.evidence.turns.calls
    if other is None or not calls or calls[0].shape is None:
        return
    form = "JSON text, as the API has them," if calls[0].shape.arguments_as == "object" else "an object"
    if other.text is None:
        yield f"Arguments given as {form} make it raise: {other.error}"
    elif _DOUBLE_ENCODED.search(other.text):
        yield "Arguments given as JSON text are encoded twice."
    if _PYTHON.search(calls[0].text):
        yield "Values in history are written as Python (True, 'text') where the model may write JSON."


def _thinking(fit: Fit) -> Iterator[str]:
    """Where thinking gets lost."""
    evidence = fit.evidence
    if evidence.turns.thinking is None:
        if fit.reasoning[0].names != (None,):
            yield "Thinking in history is never printed; a client that sends it back changes nothing."
        elif evidence.default.state == "open":
            yield "The generation prompt opens thinking with a tag that no parser knows."
        return
    if _lost(evidence.later):
        yield "Thinking is stripped from history once the next user message comes."
    if _lost(evidence.after_results):
        yield "Thinking is stripped from history even between calls and their results."


def _lost(rendering: Rendering | None) -> bool:
    return rendering is not None and rendering.text is not None and THOUGHTS not in rendering.text


def _values(fit: Fit) -> Iterator[str]:
    """Calls that only simple values survive."""
    _, tool = fit.best
    calls = fit.evidence.turns.calls
    if tool is None or not calls:
        return
    grades = [round_trip(turn, None, tool).fields[-1].grade for turn in calls]
    if grades[0] >= Grade.LITERAL:
        return
    if max(grades) >= Grade.LITERAL:
        yield f"Of the calls shown {tool} reads only some: not those {_trouble(calls[0])}."
    else:
        yield f"{tool} does not read the calls as the template writes them."


def _trouble(turn: Turn) -> str:
    return "that stand behind content" if ANSWER in turn.text else "with several or nested values"


def _vocabulary(fit: Fit) -> Iterator[str]:
    vocabulary = fit.evidence.template.vocabulary
    if vocabulary is None:
        return
    for marker in markers_of(*fit.best):
        if marker not in vocabulary:
            yield f"The tokenizer has no token {marker}, which is one token in the models of this format."


_CHECKS: tuple[Callable[[Fit], Iterator[str]], ...] = (
    _demands, _errors, _calls, _values, _content, _arguments, _thinking, _vocabulary,
)  # fmt: skip
