"""Strictness: the tools of a request -> for each, whether its call's envelope and its arguments are constrained.

The envelope is the markup around the arguments, the function's name included; the schema is the one of its parameters.
Law: raising the level never frees anything, and a tool that says `strict: true` keeps its schema at every level.

Source: card S-22, S-23, S-25.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from parsers.errors import FormatError
from parsers.protocol import FunctionTool, NamedToolChoice, ToolChoice


class ToolStrictLevel(IntEnum):
    """How much of a call a server constrains of its own accord; a higher level includes the lower ones."""

    AUTO = 0
    FUNCTION = 1
    PARAMETER = 2


@dataclass(frozen=True, slots=True)
class ToolConstraint:
    """One function the model may call; a row of the table tool x {envelope, schema} (S-70).

    Attributes:
        envelope: its call must be spelled as the structural tag says.
        schema: its arguments must follow its schema.
    """

    name: str
    envelope: bool
    schema: bool


def read_level(name: str) -> ToolStrictLevel:
    """The level a server option names, in upper or lower case.

    Raises:
        FormatError: there is no such level; lists those there are.
    """
    level = ToolStrictLevel.__members__.get(name.upper())
    if level is not None:
        return level
    known = list(ToolStrictLevel.__members__)
    close = difflib.get_close_matches(name.upper(), known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise FormatError(f"There is no tool strict level {name!r}; the levels are {', '.join(known)}.{hint}")


def effective_level(
    option: ToolStrictLevel | None,
    default: ToolStrictLevel,
    choice: ToolChoice | None,
    parallel: bool | None,
    user_format: bool,
) -> ToolStrictLevel:
    """The level of one request.

    Args:
        option: the server's floor; None leaves it to the parser.
        default: the parser's own level.
        parallel: the request's `parallel_tool_calls`; only False limits a message to one call, which takes an
            envelope to enforce (S-25).
        user_format: the request also asks for a format of its own; with "auto" that format may win, so nothing is
            raised.
    """
    level = default if option is None else option
    raised = parallel is False and not (choice == "auto" and user_format)
    return max(level, ToolStrictLevel.FUNCTION) if raised else level


def tool_constraints(
    tools: Sequence[FunctionTool], choice: ToolChoice | None, level: ToolStrictLevel
) -> tuple[ToolConstraint, ...]:
    """What a tag constrains of each callable function (S-22); a named choice leaves only one.

    With "none" and null nothing is constrained (S-21).
    """
    callable_tools = [tool for tool in tools if _is_callable(tool, choice)]
    envelope = _has_envelope(callable_tools, choice, level)
    return tuple(
        ToolConstraint(tool.name, envelope, envelope and (level is ToolStrictLevel.PARAMETER or is_strict(tool)))
        for tool in callable_tools
    )


def is_strict(tool: FunctionTool) -> bool:
    """Whether the tool itself asks for its schema; a missing `strict` does not (S-23)."""
    return tool.function.strict is True


def _is_callable(tool: FunctionTool, choice: ToolChoice | None) -> bool:
    return not isinstance(choice, NamedToolChoice) or choice.function.name == tool.name


def _has_envelope(tools: Sequence[FunctionTool], choice: ToolChoice | None, level: ToolStrictLevel) -> bool:
    if choice is None or choice == "none":
        return False
    return choice != "auto" or level > ToolStrictLevel.AUTO or any(is_strict(tool) for tool in tools)
