"""What can go wrong, for people: every message is one sentence that names the place and the remedy.

Model output never raises; only choices and files do.

    ParserscopeError
    ├── UnknownName        a parser name nobody registered; carries close matches
    ├── FormatError        a table, plugin or option that cannot work; says which row and why
    ├── TokenizerError     a tokenizer that cannot be had, or that lacks a marker a parser needs
    ├── ToolsError         tools that are not JSON or not function tools; line and column
    ├── RequestError       a request a server would reject
    ├── CaseError          a case file: file, line, reason
    ├── LimitError         input over a size limit
    ├── TemplateError      a source without a chat template that can be read (`templates.read`)
    └── RendererError      templates cannot be rendered at all (`templates.render`)
"""

from __future__ import annotations

from collections.abc import Sequence


class ParserscopeError(Exception):
    """Base of all errors meant for the user; `str(error)` is a full sentence."""


class UnknownName(ParserscopeError):
    """A reasoning or tool parser name that is not registered.

    Attributes:
        name: what was typed.
        kind: "reasoning" or "tool".
        close: registered names that look like it, best first; may be empty.
    """

    def __init__(self, kind: str, name: str, close: Sequence[str]) -> None:
        self.kind, self.name, self.close = kind, name, tuple(close)
        hint = f"did you mean {' or '.join(close)}?" if close else "`parserscope names` lists them all."
        super().__init__(f"There is no {kind} parser named {name!r}; {hint}")


class FormatError(ParserscopeError):
    """A format table, plugin or option that cannot work; the sentence names the row."""


class TokenizerError(ParserscopeError):
    """A tokenizer that cannot be loaded, or that lacks a marker a parser needs."""


class ToolsError(ParserscopeError):
    """Tools that are not valid JSON or not function tools; names line and column where known."""


class RequestError(ParserscopeError):
    """A request that a server would reject, with the server's reason."""


class CaseError(ParserscopeError):
    """A case file or strategy that cannot be used; names file, line and reason."""


class LimitError(ParserscopeError):
    """Input larger than a limit; names the limit and what to do."""
