"""A template -> the reasoning and tool names that fit it, as ranked groups with reasons.

    read -> render -> turns, prompts (evidence) -> fit_tools, fit_reasoning -> groups

Names are judged by what the template writes, never by what its file is called. Source: template-study.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from parsers.templates.evidence import Evidence, gather
from parsers.templates.fit_reasoning import fit_reasoning
from parsers.templates.fit_tools import fit_tools
from parsers.templates.groups import DECLARED, Group, known_frames
from parsers.templates.read import NamedTemplate
from parsers.templates.render import warm_up

_BY_RESPONSE_TEMPLATE = Group(tuple(sorted(DECLARED, reverse=True)), ("the tokenizer carries a response template",))


@dataclass(frozen=True)
class Fit:
    """What fits one template.

    Attributes:
        evidence: what was seen.
        reasoning, tool: groups of names, best first; never empty.
    """

    evidence: Evidence
    reasoning: tuple[Group, ...]
    tool: tuple[Group, ...]

    @property
    def best(self) -> tuple[str | None, str | None]:
        """The first reasoning and the first tool name."""
        return self.reasoning[0].names[0], self.tool[0].names[0]


def fit(template: NamedTemplate) -> Fit:
    """Judge one template.

    Raises:
        RendererError: templates cannot be rendered at all.
    """
    warm_up()
    known_frames()  # loads every format while the renderer starts
    evidence = gather(template)
    tools = fit_tools(evidence)
    reasoning = fit_reasoning(evidence, tools[0])
    declared = [_BY_RESPONSE_TEMPLATE] if template.settings.get("response_template") else []
    return Fit(evidence, (*declared, *reasoning), (*declared, *tools))
