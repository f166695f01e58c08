"""Everything a template was seen to do: source, prompts, turns, history. `fit` judges it, `report` shows it.

Source: template-study.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from parsers.templates.demands import CompliantRenderer, Demands
from parsers.templates.ladder import (
    QUESTION,
    SECOND_QUESTION,
    TOOLS,
    Shape,
    add_thoughts,
    assistant,
    tool_results,
    user,
)  # fmt: skip
from parsers.templates.markers import Place, frame_of
from parsers.templates.prompts import Mode, Prompt, find_switches, render_prompts
from parsers.templates.read import NamedTemplate
from parsers.templates.render import Message, Renderer, Rendering, Source
from parsers.templates.turn import Turn, TurnRenderer, Turns

_TOOL_INPUTS = frozenset({"tools", "functions", "function_calls", "xml_tools"})


@dataclass(frozen=True)
class Evidence:
    """What one template did.

    Attributes:
        template: what was judged.
        source: its syntax tree.
        with_tools, without_tools: prompts of a user turn, in every mode.
        turns: assistant turns.
        later: a whole conversation with thinking in an earlier turn; None where the template never shows thinking.
        after_results: calls with thinking, then their results; None likewise.
        other_arguments: the calls with arguments in the form the richest turn does not use; None without calls.
        demands: what every conversation here was given, because the template insists on it.
        complaint: what the template says without; "" when it demands nothing.
        stopped: which limit the template broke, "" while it kept to them.
    """

    template: NamedTemplate
    source: Source
    with_tools: tuple[Prompt, ...]
    without_tools: tuple[Prompt, ...]
    turns: Turns
    later: Rendering | None
    after_results: Rendering | None
    other_arguments: Rendering | None
    demands: Demands
    complaint: str
    stopped: str

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts."""
        return self.with_tools + self.without_tools

    @cached_property
    def default(self) -> Prompt:
        """The prompt without template arguments: with tools, else without where only that renders."""
        defaults = [prompt for prompt in self.prompts if prompt.mode == "default"]
        return next((prompt for prompt in defaults if prompt.text), defaults[0])

    @property
    def switches(self) -> frozenset[str]:
        """Template arguments that switch thinking here."""
        return frozenset(name for prompt in self.prompts for name in prompt.switch.arguments)

    @property
    def reads_tools(self) -> bool:
        """The template asks for tools, so it is meant to call them."""
        return bool(_TOOL_INPUTS & (self.source.variables | set(self.source.compared)))

    @property
    def calls_failed(self) -> bool:
        """No call was rendered because the template raised, not because it ignores calls."""
        return not self.turns.calls and bool(self.turns.call_errors)

    def states(self) -> Mapping[Mode, str]:
        """How the generation prompt leaves thinking, in every mode."""
        found = {prompt.mode: prompt.state for prompt in self.without_tools}
        return {**found, **{prompt.mode: prompt.state for prompt in self.with_tools if prompt.state != "error"}}

    @cached_property
    def texts(self) -> tuple[tuple[Place, str], ...]:
        """All texts a marker may stand in, with their place."""
        return tuple(self._texts())

    def _texts(self) -> Iterator[tuple[Place, str]]:
        yield Place.COMMENT, self.template.text
        yield Place.COMPARED, "\n".join(self.source.compared)
        yield Place.PRINTED, "\n".join(self.source.printed)
        for prompt in self.prompts:
            before, _, _ = prompt.text.rpartition(QUESTION)
            yield Place.INSTRUCTIONS, before
            yield Place.GENERATION_PROMPT, prompt.generation_prompt
        if self.turns.plain is not None:
            yield Place.HISTORY, self.turns.plain.text
        for turn in (*self.turns.calls, self.turns.thinking):
            if turn is not None:
                yield Place.ASSISTANT_TURN, turn.text

    def frame(self, known: frozenset[str]) -> str:
        """The turn text in front of an assistant turn."""
        for end in (self.default.generation_prompt, self.turns.plain.prompt if self.turns.plain else ""):
            found = frame_of(end, known)
            if found:
                return found
        return ""


def gather(template: NamedTemplate) -> Evidence:
    """Render everything there is to see.

    Raises:
        RendererError: templates cannot be rendered at all.
    """
    renderer = CompliantRenderer(template.text, template.token_variables)
    source = renderer.source()
    renderer.comply(source.variables)
    modes = find_switches(source)
    with_tools = tuple(render_prompts(renderer, modes, tools=True))
    without = tuple(render_prompts(renderer, modes, tools=False))
    turns = TurnRenderer(renderer, with_tools + without).all()
    return Evidence(
        template, source, with_tools, without, turns,
        _later(renderer, turns.thinking), _after_results(renderer, turns.thinking, turns.calls),
        _other_arguments(renderer, turns.calls), renderer.demands, renderer.complaint, renderer.stopped,
    )  # fmt: skip


def _later(renderer: Renderer, thinking: Turn | None) -> Rendering | None:
    if thinking is None:
        return None
    messages = [user(), _thinking_message(thinking), user(SECOND_QUESTION)]
    return renderer.render(messages, generation_prompt=True, arguments=thinking.arguments)


def _thinking_message(thinking: Turn) -> Message:
    return add_thoughts(assistant()) if thinking.shape is not None else thinking.message


def _after_results(renderer: Renderer, thinking: Turn | None, calls: tuple[Turn, ...]) -> Rendering | None:
    shape = calls[0].shape if calls else None
    if thinking is None or shape is None:
        return None
    message = add_thoughts(shape.message())
    return renderer.render([user(), message, *tool_results(shape)], TOOLS, True, thinking.arguments)


def _other_arguments(renderer: Renderer, calls: tuple[Turn, ...]) -> Rendering | None:
    shape = calls[0].shape if calls else None
    if shape is None:
        return None
    form = "JSON text" if shape.arguments_as == "object" else "object"
    other = Shape(form, shape.calls, shape.content, shape.ids, shape.simple)
    return renderer.render([user(), other.message()], TOOLS)


