"""Formats of the user's own: a Python file -> names that can be chosen like the built-in ones.

    # my_format.py
    from parsers.formats.hermes import tagged_objects

    TOOLS = {"my_tools": tagged_objects("my_tools", "<call>", "</call>")}
    REASONING = {}                                  # name -> table, or function of a RunContext

The file is the user's own code and runs with all rights; it is loaded only from a path the user gives. A file that
cannot be used is refused as a whole, with its reason, and changes nothing. Source: card L-53, users-ask.md ask 5.
"""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from parsers.engine.config import ParserEngineConfig
from parsers.engine.lint import lint
from parsers.errors import FormatError
from parsers.formats.context import Format
from parsers.registry import register

PLUGINS_VARIABLE = "PARSERSCOPE_PLUGINS"
"""Environment variable with the paths of format files the app loads when it starts, separated like PATH."""

_TABLES: tuple[tuple[Literal["reasoning", "tool"], str], ...] = (("reasoning", "REASONING"), ("tool", "TOOLS"))


def load_plugin(path: str) -> list[str]:
    """Load a format file and register its names.

    Args:
        path: a Python file that sets `REASONING`, `TOOLS` or both.

    Returns:
        What was added, as "reasoning NAME" and "tool NAME".

    Raises:
        FormatError: no such file, code that fails, no names in it, or a table that cannot work; says which and why.
    """
    found = _run(Path(path).expanduser())
    added = [(kind, name, chosen) for kind, variable in _TABLES for name, chosen in _names(path, variable, found)]
    if not added:
        raise FormatError(f"The format file {path} sets neither REASONING nor TOOLS; set one to {{name: table}}.")
    for kind, name, chosen in added:
        register(kind, name, chosen)
    return [f"{kind} {name}" for kind, name, _ in added]


def _run(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        raise FormatError(f"There is no format file {path}; give the path of a Python file.")
    try:
        return runpy.run_path(str(path))
    except Exception as error:
        raise FormatError(f"The format file {path} fails: {type(error).__name__}: {error}.") from error


def _names(path: str, variable: str, found: Mapping[str, object]) -> list[tuple[str, Format]]:
    tables = found.get(variable, {})
    if not isinstance(tables, Mapping):
        raise FormatError(f"{variable} in the format file {path} is no mapping; set it to {{name: table}}.")
    for name, chosen in tables.items():
        _check(path, variable, name, chosen)
    return list(tables.items())


def _check(path: str, variable: str, name: object, chosen: object) -> None:
    where = f"{variable}[{name!r}] in the format file {path}"
    if not isinstance(name, str) or not (isinstance(chosen, ParserEngineConfig) or callable(chosen)):
        raise FormatError(f"{where} is no table; give a ParserEngineConfig or a function of a RunContext.")
    wrong = lint(chosen) if isinstance(chosen, ParserEngineConfig) else []
    if wrong:
        raise FormatError(f"{where} cannot work. {wrong[0]}")
