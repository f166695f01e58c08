"""A fitted template as a page draws it and as the command prints it.

Source: template-study.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from parsers.registry import reasoning_format, tool_format
from parsers.templates.evidence import Evidence
from parsers.templates.fit import Fit, fit
from parsers.templates.flags import sglang_flags, vllm_flags
from parsers.templates.groups import Group, marker_places
from parsers.templates.markers import MarkerPlace
from parsers.templates.read import NamedTemplate
from parsers.templates.roundtrip import RoundTrip, round_trip
from parsers.templates.warn import warnings


@dataclass(frozen=True)
class Report:
    """All there is to say about one template.

    Attributes:
        fit: groups of names and what was seen.
        warnings: what will go wrong, one sentence each.
        vllm, sglang: flags to copy; sglang is None where it lacks a format.
    """

    fit: Fit
    warnings: tuple[str, ...]
    vllm: str
    sglang: str | None

    @property
    def evidence(self) -> Evidence:
        """What was seen: prompts, turns, source."""
        return self.fit.evidence

    @cached_property
    def markers(self) -> tuple[MarkerPlace, ...]:
        """Where the markers of the best pair stand."""
        reasoning, tool = self.fit.best
        halves = [reasoning_format(reasoning)] if reasoning else []
        halves += [tool_format(tool)] if tool else []
        found = (marker for half in halves for marker in marker_places(half, self.evidence.texts))
        return tuple(dict.fromkeys(found))

    @cached_property
    def round_trips(self) -> tuple[RoundTrip, ...]:
        """The best pair on every turn the template shows."""
        turns = self.evidence.turns
        shown = (turns.plain, turns.thinking, *turns.calls)
        return tuple(round_trip(turn, *self.fit.best) for turn in shown if turn is not None)

    def row(self) -> Mapping[str, object]:
        """The line of `parserscope fit --json`."""
        return {
            "template": self.evidence.template.label,
            "reasoning": [_group_row(group) for group in self.fit.reasoning],
            "tool": [_group_row(group) for group in self.fit.tool],
            "generation_prompt": self.evidence.states()["default"],
            "warnings": list(self.warnings),
            "flags": {"vllm": self.vllm, "sglang": self.sglang},
        }


def _group_row(group: Group) -> dict[str, object]:
    return {"names": list(group.names), "why": "; ".join(group.why)}


def report(template: NamedTemplate) -> Report:
    """Judge a template and say all about it.

    Raises:
        RendererError: templates cannot be rendered at all.
    """
    fitted = fit(template)
    return Report(fitted, warnings(fitted), vllm_flags(*fitted.best), sglang_flags(*fitted.best))
