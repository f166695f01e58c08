"""What a template's prompts say about thinking: which arguments switch it, and how the generation prompt leaves it.

Switches have many names; those the reasoning formats know are tried when the template reads them. Source:
template-study.md section 3 and section 5, point 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from parsers.names import REASONING
from parsers.registry import reasoning_format
from parsers.templates.ladder import QUESTION, TOOLS, user
from parsers.templates.render import Renderer, Rendering

Mode = Literal["default", "on", "off"]
State = Literal["none", "open", "closed", "error"]
MODES: tuple[Mode, ...] = ("default", "on", "off")

_PLAIN_SWITCHES = ("enable_thinking", "thinking")
_VALUES: Mapping[str, tuple[object, object]] = {
    "reasoning_effort": ("high", "none"),
    "thinking_mode": ("enabled", "disabled"),
    "thinking_budget": (512, 0),
}  # name -> (on, off); others take true and false
_THINK_TAG = re.compile(r"<(/?)(?:\w+:)?(?:think|thinking|thought|thoughts|reasoning)>")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of one user turn, in one mode.

    Attributes:
        mode: what the thinking switches were set to.
        arguments: template arguments of that mode; empty by default.
        rendering: the prompt with the generation prompt.
        state: how it leaves thinking.
        generation_prompt: what the template puts behind the user's text, frame included; "" when it does not render.
    """

    mode: Mode
    arguments: Mapping[str, object]
    rendering: Rendering
    state: State
    generation_prompt: str

    @property
    def text(self) -> str:
        """The whole prompt, "" when it does not render."""
        return self.rendering.text or ""


def render_prompts(renderer: Renderer, switches: Mapping[Mode, Mapping[str, object]], tools: bool) -> list[Prompt]:
    """Render the user turn in every mode."""
    return [_prompt(renderer, mode, arguments, tools) for mode, arguments in switches.items()]


def _prompt(renderer: Renderer, mode: Mode, arguments: Mapping[str, object], tools: bool) -> Prompt:
    rendering = renderer.render([user()], TOOLS if tools else (), True, arguments)
    if rendering.text is None:
        return Prompt(mode, arguments, rendering, "error", "")
    end = after_question(rendering.text)
    return Prompt(mode, arguments, rendering, thinking_state(end), end)


def after_question(text: str) -> str:
    """What follows the user's text; all of it where the template does not show it."""
    return text.rpartition(QUESTION)[2]


def thinking_state(prompt_end: str) -> State:
    """How the end of a prompt leaves thinking, by every opener and closer that a format knows."""
    openers, closers = _known_tags()
    opened = max((prompt_end.rfind(tag) for tag in openers), default=-1)
    closed = max((prompt_end.rfind(tag) for tag in closers), default=-1)
    for tag in _THINK_TAG.finditer(prompt_end):
        opened, closed = (opened, tag.start()) if tag[1] else (tag.start(), closed)
    if opened == closed:
        return "none"
    return "open" if opened > closed else "closed"


@lru_cache(maxsize=1)
def _known_tags() -> tuple[frozenset[str], frozenset[str]]:
    formats = [reasoning_format(name) for name in REASONING]
    return (
        frozenset(tag for config in formats for tag in config.prompt_open),
        frozenset(tag for config in formats for tag in config.prompt_closed),
    )


@lru_cache(maxsize=1)
def known_switches() -> frozenset[str]:
    """Template arguments that switch thinking somewhere."""
    switches = [config.switch for config in map(reasoning_format, REASONING) if config.switch is not None]
    names = {name for switch in switches for name in (*switch.arguments, *switch.vetoes)}
    return frozenset(names | _VALUES.keys())


def switch_arguments(variables: frozenset[str]) -> dict[Mode, Mapping[str, object]]:
    """Template arguments of each mode, for a template that reads `variables`; without a switch only the default."""
    names = [name for name in _PLAIN_SWITCHES if name in variables] or sorted(variables & known_switches())
    if not names:
        return {"default": {}}
    return {
        "default": {},
        "on": {name: _VALUES.get(name, (True, False))[0] for name in names},
        "off": {name: _VALUES.get(name, (True, False))[1] for name in names},
    }
