"""Tools, tool choice and a strict level -> the structural tag a grammar engine is given, or why there is none.

Source: card S-20 … S-25, S-28 … S-31, S-35.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.protocol import FunctionTool, JsonObject, NamedToolChoice, ToolChoice
from parsers.structured import nodes
from parsers.structured.facts import ToolFacts
from parsers.structured.keys import SHAPES, hy_v4
from parsers.structured.levels import ToolConstraint, ToolStrictLevel, tool_constraints
from parsers.structured.shapes import CallShape


@dataclass(frozen=True, slots=True)
class ToolTag:
    """The outcome for one request.

    Attributes:
        format: the part that holds the calls; None when no tag applies.
        rows: what is constrained of each callable function; all free when no tag applies.
        rule: the card rule that decided.
        why: one clause for people.
    """

    format: JsonObject | None
    rows: tuple[ToolConstraint, ...]
    rule: str
    why: str

    @property
    def document(self) -> JsonObject | None:
        """The whole structural tag."""
        return None if self.format is None else nodes.structural_tag(self.format)


@dataclass(frozen=True, slots=True)
class TagQuestion:
    """What decides about a tag.

    Attributes:
        facts: of the tool parser; None when there is no tool parser.
        tools: the functions shown to the model (S-30).
        level: the effective level of the request.
        parallel: the request's `parallel_tool_calls`.
        strict_calling: the server's switch (S-35).
        suffix: of the model's tags, for keys that have one.
    """

    facts: ToolFacts | None
    tools: Sequence[FunctionTool]
    choice: ToolChoice | None
    level: ToolStrictLevel = ToolStrictLevel.AUTO
    parallel: bool | None = None
    strict_calling: bool = True
    suffix: str = ""


def shape_of(key: str, suffix: str = "") -> CallShape:
    """The shape of a key."""
    return hy_v4(suffix) if key == "hy_v4" else SHAPES[key]


def tool_tag(question: TagQuestion, forced: bool | None = None) -> ToolTag:
    """Work out the tag of a request.

    Args:
        forced: whether there must be a call; None takes it from the choice. A tag that stands beside a user's format
            forces one even with "auto" (S-26).
    """
    refusal = _refusal(question)
    if refusal is not None or question.facts is None or question.facts.key is None:
        rule, why = refusal or ("S-24", "the tool parser has no structural tag")
        return ToolTag(None, _free_rows(question), rule, why)
    rows = tool_constraints(question.tools, question.choice, question.level)
    if not any(row.envelope for row in rows):
        return ToolTag(None, rows, "S-22", "with auto at level AUTO and no strict tool, nothing is constrained")
    shape = shape_of(question.facts.key, question.suffix)
    tools = {tool.name: tool for tool in question.tools}
    calls = [tag for row in rows for tag in shape.call_tags(tools[row.name], row.schema)]
    must = question.choice != "auto" if forced is None else forced
    part = shape.format(calls, must, _is_single(question))
    return ToolTag(part, rows, "S-22", f"level {question.level.name} with tool choice {_spelled(question.choice)}")


def _refusal(question: TagQuestion) -> tuple[str, str] | None:
    """The rule and the reason why no tag is made, before tools and levels are looked at."""
    if question.facts is None:
        return "S-21", "there is no tool parser"
    if not question.tools:
        return "S-21", "the request has no tools"
    if question.choice in (None, "none"):
        return "S-21", f"tool choice {_spelled(question.choice)} calls for no tag"
    if not question.strict_calling:
        return "S-35", "strict tool calling is switched off"
    if question.facts.forced_only and question.choice == "auto":
        return "S-22", "the parser's tag serves forced choices only"
    return None


def _is_single(question: TagQuestion) -> bool:
    """A named choice is one call; else only `parallel_tool_calls` limits them (S-25)."""
    return question.parallel is False or isinstance(question.choice, NamedToolChoice)


def _free_rows(question: TagQuestion) -> tuple[ToolConstraint, ...]:
    return tool_constraints(question.tools, None, ToolStrictLevel.AUTO)


def _spelled(choice: ToolChoice | None) -> str:
    return choice.function.name if isinstance(choice, NamedToolChoice) else str(choice or "null")
