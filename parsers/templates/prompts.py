"""What a template's prompts say about thinking: which arguments switch it, and how the generation prompt leaves it.

Switches have many names; those the reasoning formats know are tried when the template reads them. Source:
template-study.md section 3 and section 5, point 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from parsers.names import REASONING
from parsers.registry import reasoning_format
from parsers.templates.ladder import QUESTION, TOOLS, system, user
from parsers.templates.render import Renderer, Rendering, Source

Mode = Literal["default", "on", "off"]
State = Literal["none", "open", "closed", "error"]
MODES: tuple[Mode, ...] = ("default", "on", "off")

_PLAIN_SWITCHES = ("enable_thinking", "thinking")
_VALUES: Mapping[str, tuple[object, object]] = {
    "reasoning_effort": ("high", "none"),
    "thinking_mode": ("enabled", "disabled"),
    "thinking_budget": (512, 0),
}  # name -> (on, off); others take true and false
_LIKE_A_SWITCH = re.compile(r"(?:^|_)(?:think|thinking|reason|reasoning)(?:_|$)")
_SYSTEM_WORDS: Mapping[Mode, str] = {"on": "/think", "off": "/no_think"}
_THINK_TAG = re.compile(r"<(/?)(?:\w+:)?(?:think|thinking|thought|thoughts|reasoning)>")


@dataclass(frozen=True, slots=True)
class Switch:
    """How a request sets thinking.

    Attributes:
        arguments: template arguments; empty where there is no such switch.
        system: the system message that does it, "" for none.
    """

    arguments: Mapping[str, object] = field(default_factory=dict)
    system: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of one user turn, in one mode.

    Attributes:
        mode: what the thinking switches were set to.
        switch: how.
        rendering: the prompt with the generation prompt.
        state: how it leaves thinking.
        generation_prompt: what the template puts behind the user's text, frame included; "" when it does not render.
    """

    mode: Mode
    switch: Switch
    rendering: Rendering
    state: State
    generation_prompt: str

    @property
    def text(self) -> str:
        """The whole prompt, "" when it does not render."""
        return self.rendering.text or ""


def render_prompts(renderer: Renderer, switches: Mapping[Mode, Switch], tools: bool) -> list[Prompt]:
    """Render the user turn in every mode."""
    return [_prompt(renderer, mode, switch, tools) for mode, switch in switches.items()]


def _prompt(renderer: Renderer, mode: Mode, switch: Switch, tools: bool) -> Prompt:
    messages = [system(switch.system), user()] if switch.system else [user()]
    rendering = renderer.render(messages, TOOLS if tools else (), True, switch.arguments)
    if rendering.text is None:
        return Prompt(mode, switch, rendering, "error", "")
    end = after_question(rendering.text)
    return Prompt(mode, switch, rendering, thinking_state(end), end)


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


def find_switches(source: Source) -> dict[Mode, Switch]:
    """The switches of a template by mode: arguments it reads, else words it looks for; without any only the default."""
    names = _switch_names(source.variables)
    if names:
        on, off = ({name: _VALUES.get(name, (True, False))[at] for name in names} for at in (0, 1))
        return {"default": Switch(), "on": Switch(on), "off": Switch(off)}
    if any(_SYSTEM_WORDS["off"] in text for text in source.compared):
        return {"default": Switch(), **{mode: Switch(system=word) for mode, word in _SYSTEM_WORDS.items()}}
    return {"default": Switch()}


def _switch_names(variables: frozenset[str]) -> list[str]:
    """The usual names, else those that a format knows, else whatever sounds like one."""
    usual = [name for name in _PLAIN_SWITCHES if name in variables]
    return usual or sorted(variables & known_switches()) or sorted(filter(_LIKE_A_SWITCH.search, variables))
