"""An assistant turn as the template writes it -> the text the model would have written.

The turn is rendered with its conversation, and two things are cut away: the prompt in front, and the end of turn
behind, which is learned from a plain render. A template that raises on a conversation that ends there gets one that
goes on. Laws: no cut before the end of the user's text, none inside a tag.

Source: template-study.md section 5, points 1, 2, 3 and 6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.templates.ladder import (
    ANSWER,
    QUESTION,
    RESULT,
    SECOND_QUESTION,
    THOUGHTS,
    TOOLS,
    Shape,
    add_thoughts,
    assistant,
    call_shapes,
    tool_results,
    user,
)  # fmt: skip
from parsers.templates.prompts import Prompt
from parsers.templates.render import Message, Renderer

_OPEN_TAG = re.compile(r"[<\[][^<>\[\]\s]*\Z")
_PIECE = re.compile(r"\S")
_CLOSE_OF_TAG = re.compile(r"\A[^<>\[\]\s]*[>\]]")
_FIRST_MARK = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]|\S+")
_BLOCK_ECHO = re.compile(r"""['"]type['"]\s*:""")
LONGEST_TURN = 20_000
"""Characters of an assistant turn; those rendered here have a few hundred."""
_TOOL_TRIES = ((), TOOLS)


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant turn.

    Attributes:
        text: what the model would have written, without the end of turn.
        prompt: the prompt it answers.
        message: the assistant message it was rendered from.
        shape: that message's rung of the ladder; None for one without calls.
        arguments: template arguments it was rendered with.
    """

    text: str
    prompt: str
    message: Message
    shape: Shape | None = None
    arguments: Mapping[str, object] | None = None

    def shows(self, text: str) -> bool:
        """Whether the text is in the turn."""
        return text in self.text


@dataclass(frozen=True, slots=True)
class Turns:
    """The assistant turns of one template.

    Attributes:
        plain: content only; None when the template cannot render an assistant turn.
        thinking: reasoning, and content or calls; None unless the template prints the reasoning.
        calls: turns that show at least one call's name, the richest first.
        ending: what closes a plain turn.
        errors: what the template said about shapes it does not take, each once.
        call_errors: those it said about calls.
    """

    plain: Turn | None
    thinking: Turn | None
    calls: tuple[Turn, ...]
    ending: str
    errors: tuple[str, ...]
    call_errors: tuple[str, ...]


class TurnRenderer:
    """Renders turns of one template and cuts them out.

    Args:
        prompts: its prompts with and without tools, in every mode.
    """

    def __init__(self, renderer: Renderer, prompts: Sequence[Prompt]) -> None:
        self._renderer, self._prompts = renderer, prompts
        self._ending = ""
        self._after: tuple[Message, ...] = ()
        self._errors: dict[str, None] = {}
        self._call_errors: dict[str, None] = {}

    def all(self) -> Turns:
        """Every turn that `Turns` names."""
        plain = self._first(assistant(), ANSWER)
        if plain is None:
            self._after = (user(SECOND_QUESTION),)
            plain = self._first(assistant(), ANSWER)
        if plain is None:
            self._after = ()
        else:
            self._ending = plain.text.rpartition(ANSWER)[2]
            plain = self._trimmed(plain)
        calls = tuple(self._calls())
        thinking = self._thinking(calls[0].shape if calls else None)
        return Turns(plain, thinking, calls, self._ending, tuple(self._errors), tuple(self._call_errors))

    def _first(self, message: Message, shown: str, shape: Shape | None = None) -> Turn | None:
        """The first render of the message that shows the text: by default and thinking on, without tools and with."""
        for arguments in self._arguments():
            for tools in _TOOL_TRIES:
                turn = self._turn(message, arguments, tools, shape, self._after)
                if turn is not None and turn.shows(shown):
                    return turn
        return None

    def _arguments(self) -> list[Mapping[str, object]]:
        modes = {prompt.mode: prompt.switch.arguments for prompt in self._prompts}
        return [arguments for mode, arguments in modes.items() if mode != "off"]

    def _thinking(self, calls: Shape | None) -> Turn | None:
        turn = self._first(add_thoughts(assistant()), THOUGHTS)
        if turn is None and calls is not None:  # some show thinking in front of calls only
            turn = self._first(add_thoughts(calls.message()), THOUGHTS, calls)
        if turn is None:
            blocks = [{"type": "thinking", "thinking": THOUGHTS}, {"type": "text", "text": ANSWER}]
            turn = self._first({"role": "assistant", "content": blocks}, THOUGHTS)
            if turn is not None and _BLOCK_ECHO.search(turn.text):
                return None
        return turn and self._trimmed(turn)

    def _calls(self) -> Iterable[Turn]:
        """The richest turn with calls that renders, one without content, one with numbers only, and one such call."""
        ladders = (
            call_shapes(),
            [shape for shape in call_shapes() if not shape.content],
            call_shapes(simple=True),
            [shape for shape in call_shapes(simple=True) if shape.calls == 1 and not shape.content],
        )
        for ladder in ladders:
            turn = self._climb(tuple(ladder))
            if turn is None:
                return
            yield turn

    def _climb(self, shapes: Sequence[Shape]) -> Turn | None:
        """The best rung, in a conversation that ends there, else in one that goes on."""
        follow_ups = _NEVER_LAST if self._after else _AFTER_CALLS
        turns = (self._climb_once(shapes, follow_up) for follow_up in follow_ups)
        return next((turn for turn in turns if turn is not None), None)

    def _climb_once(self, shapes: Sequence[Shape], follow_up: FollowUp) -> Turn | None:
        """The first shape that shows every call, else the first that shows any."""
        found: Turn | None = None
        for shape in shapes:
            turn = self._turn(shape.message(), {}, TOOLS, shape, follow_up(shape))
            names = sum(name in turn.text for name, _ in shape.named_calls()) if turn is not None else 0
            if turn is not None and names == len(shape.named_calls()):
                return self._trimmed(turn)
            if turn is not None and names and found is None:
                found = self._trimmed(turn)
        return found

    def _turn(
        self,
        message: Message,
        arguments: Mapping[str, object],
        tools: Sequence[Message],
        shape: Shape | None,
        after: Sequence[Message],
    ) -> Turn | None:
        rendering = self._renderer.render([user(), message, *after], tools, arguments=arguments)
        if rendering.text is None:
            if shape is None:
                self._errors.setdefault(rendering.error)
            elif shape.content is not None:  # null is often refused, and nobody has to send it
                self._call_errors.setdefault(rendering.error)
            return None
        cut = cut_prompt(rendering.text, [prompt.text for prompt in self._prompts])
        text = rendering.text[cut:]
        if after:
            text = self._before(text, after[0], shape)
        if len(text) > LONGEST_TURN:
            return None
        return Turn(text, rendering.text[:cut], message, shape, arguments) if cut else None

    def _before(self, text: str, following: Message, shape: Shape | None) -> str:
        """The turn without the message that follows and, once the end of turn is known, without what stands between."""
        text = text.partition(RESULT if following["role"] == "tool" else SECOND_QUESTION)[0]
        mark = _FIRST_MARK.search(self._ending)
        names = [text.rfind(name) for name, _ in shape.named_calls()] if shape is not None else []
        end = text.find(mark[0], max(0, *names)) if mark and names else -1
        return text if end < 0 else text[:end]

    def _trimmed(self, turn: Turn) -> Turn:
        return Turn(cut_ending(turn.text, self._ending), turn.prompt, turn.message, turn.shape, turn.arguments)


def _nothing(shape: Shape) -> list[Message]:
    return []


def _question(shape: Shape) -> list[Message]:
    return [user(SECOND_QUESTION)]


def _results_and_question(shape: Shape) -> list[Message]:
    return [*tool_results(shape), user(SECOND_QUESTION)]


FollowUp = Callable[[Shape], list[Message]]
"""What a conversation goes on with after calls of a shape."""
_AFTER_CALLS: tuple[FollowUp, ...] = (_nothing, tool_results, _results_and_question)
_NEVER_LAST: tuple[FollowUp, ...] = (_question, _results_and_question)
"""The same where a template takes no conversation that ends with the assistant."""


def cut_prompt(render: str, prompts: Iterable[str]) -> int:
    """Where the assistant part begins: characters, 0 when the user's text is not there.

    The longest prompt that the render begins with decides; else what it shares with one of them behind the user's text.
    """
    whole = max((len(prompt) for prompt in prompts if prompt and render.startswith(prompt)), default=0)
    if whole:
        return whole
    question = render.rfind(QUESTION)
    if question < 0:
        return 0
    start = question + len(QUESTION)
    rest = render[start:]
    ends = (prompt.rpartition(QUESTION)[2] for prompt in prompts if QUESTION in prompt)
    return start + max((_shared_start(rest, end) for end in ends), default=0)


def _shared_start(text: str, other: str) -> int:
    """Length of the common prefix in `text`, white space apart and not inside a tag."""
    pieces, others = list(_PIECE.finditer(text)), _PIECE.findall(other)
    same = _common([piece[0] for piece in pieces], others)
    shared = text[: pieces[same - 1].end()] if same else ""
    tag = _OPEN_TAG.search(shared)
    return tag.start() if tag else len(shared)


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items two sequences have in common at their start."""
    differ = (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
    return next(differ, min(len(left), len(right)))


def cut_ending(text: str, ending: str) -> str:
    """The text without the part of the ending it ends with, not cut inside a tag."""
    shared = ending[len(ending) - _common(text[::-1], ending[::-1]) :]
    tag = _CLOSE_OF_TAG.match(shared) if len(shared) < len(ending) else None
    kept = shared[tag.end() :] if tag else shared
    return text[: len(text) - len(kept)]
