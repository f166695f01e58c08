"""Names -> classic parser classes: loaded ones and ones that are imported when asked for.

Law: a module that fails breaks its own names only (L-52). Plugins are the user's own code and run with all rights.

Source: card 03 (L-50 … L-55).
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar, overload

from parsers.errors import RequestError, UnknownName
from parsers.legacy.base import ReasoningParser, ToolParser

Parser = TypeVar("Parser", bound=ReasoningParser | ToolParser)

_LOG = logging.getLogger(__name__)
_LONGEST_IGNORED_PLUGIN = 3  # characters; a shorter option is taken for none


class ParserRegistry(Generic[Parser]):
    """The classes of one kind, by name."""

    def __init__(self, kind: str, base: type[Parser]) -> None:
        """Start empty.

        Args:
            kind: "reasoning" or "tool", for messages.
            base: what every class must be a subclass of.
        """
        self._kind, self._base = kind, base
        self._loaded: dict[str, type[Parser]] = {}
        self._lazy: dict[str, tuple[str, str]] = {}

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._loaded.keys() | self._lazy.keys())

    def get(self, name: str) -> type[Parser]:
        """The class of a name, imported if need be (L-50).

        Raises:
            UnknownName: nobody registered it; carries close matches.
            TypeError: it names no subclass of this kind's base.
            Exception: whatever importing its module raises; it is logged first.
        """
        if name not in self._loaded:
            self._loaded[name] = self._import(name)
        return self._loaded[name]

    def check(self, name: str | None) -> None:
        """Refuse a name at start rather than at the first request (L-54); None, for no parser, is fine.

        Raises:
            UnknownName: nobody registered it.
        """
        known = self.names()
        if name is not None and name not in known:
            raise UnknownName(self._kind, name, difflib.get_close_matches(name, known, n=3, cutoff=0.5))

    def register_lazy_module(self, name: str, module: str, class_name: str) -> None:
        """Note where the class of `name` is; nothing is imported."""
        self._lazy[name] = (module, class_name)

    @overload
    def register_module(
        self, name: str | Sequence[str] | None = None, *, force: bool = True, module: type[Parser]
    ) -> type[Parser]: ...

    @overload
    def register_module(
        self, name: str | Sequence[str] | None = None, *, force: bool = True, module: None = None
    ) -> Callable[[type[Parser]], type[Parser]]: ...

    def register_module(
        self, name: str | Sequence[str] | None = None, *, force: bool = True, module: type[Parser] | None = None
    ) -> type[Parser] | Callable[[type[Parser]], type[Parser]]:
        """Register a class at once, or, as a decorator, note where it is (L-51).

        Args:
            name: a name, several, or None for the name of the class.
            force: replace a class that is loaded under the name.
            module: the class; None to decorate one.

        Raises:
            KeyError: the name is loaded and `force` is off.
            TypeError: `module` is no subclass of this kind's base.
        """
        if module is None:
            return lambda decorated: self._note(name, decorated)
        self._check_class(module)
        for each in _names(name, module):
            if each in self._loaded and not force:
                raise KeyError(f"The {self._kind} parser {each!r} is registered; pass force=True to replace it.")
            self._loaded[each] = module
        return module

    def _note(self, name: str | Sequence[str] | None, decorated: type[Parser]) -> type[Parser]:
        for each in _names(name, decorated):
            self._loaded.pop(each, None)  # the newest registration wins
            self.register_lazy_module(each, decorated.__module__, decorated.__name__)
        return decorated

    def _import(self, name: str) -> type[Parser]:
        self.check(name)
        module, class_name = self._lazy[name]
        try:
            found = getattr(importlib.import_module(module), class_name)
        except Exception:
            _LOG.exception("The %s parser %r cannot be imported from %s.", self._kind, name, module)
            raise
        return self._check_class(found)

    def _check_class(self, found: type[Parser]) -> type[Parser]:
        if not (isinstance(found, type) and issubclass(found, self._base)):
            raise TypeError(f"A {self._kind} parser must be a subclass of {self._base.__name__}; {found!r} is not.")
        return found


REASONING_PARSERS: ParserRegistry[ReasoningParser] = ParserRegistry("reasoning", ReasoningParser)  # type: ignore[type-abstract]
TOOL_PARSERS: ParserRegistry[ToolParser] = ParserRegistry("tool", ToolParser)  # type: ignore[type-abstract]

_REASONING = {
    "deepseek_r1": ("think", "DeepSeekR1Parser"),
    "deepseek_v3": ("switched", "DeepSeekV3Parser"),
    "holo2": ("switched", "Holo2Parser"),
    "step5": ("think", "DeepSeekR1Parser"),
}
_TOOLS = {
    "hermes": ("envelope", "HermesParser"),
    "longcat": ("envelope", "LongcatParser"),
    "pythonic": ("pycalls", "PythonicParser"),
    "qwen3_json": ("envelope", "HermesParser"),
}

for _name, (_module, _class) in _REASONING.items():
    REASONING_PARSERS.register_lazy_module(_name, f"parsers.legacy.{_module}", _class)
for _name, (_module, _class) in _TOOLS.items():
    TOOL_PARSERS.register_lazy_module(_name, f"parsers.legacy.{_module}", _class)


def check_choice(reasoning: str | None, tool: str | None, auto_tools: bool) -> None:
    """Check what a server is started with (L-54).

    Args:
        auto_tools: models may choose to call tools.

    Raises:
        UnknownName: nobody registered one of the names.
        RequestError: tools may be called and nothing reads the calls.
    """
    REASONING_PARSERS.check(reasoning)
    TOOL_PARSERS.check(tool)
    if auto_tools and tool is None:
        raise RequestError("Automatic tool choice needs a tool parser; name one with --tool-call-parser.")


def load_plugin(plugin: str) -> None:
    """Run a module that registers parsers (L-53).

    A failure is logged and goes no further: the names it would have registered are unknown then, and that is what
    the user is told.

    Args:
        plugin: a module's name, or else a file's path; up to three characters are taken for no plugin.
    """
    if len(plugin) <= _LONGEST_IGNORED_PLUGIN:
        return
    try:
        _run_plugin(plugin)
    except Exception:  # noqa: BLE001 - foreign code may fail in any way; the traceback is logged
        _LOG.exception("The parser plugin %s cannot be loaded.", plugin)


def _run_plugin(plugin: str) -> None:
    file = Path(plugin)
    if not file.is_file():
        importlib.import_module(plugin)
        return
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{plugin} is no Python file")
    loaded = sys.modules.get(file.stem)
    if loaded is not None:
        if loaded.__spec__ is not None and loaded.__spec__.origin == spec.origin:
            return
        raise ImportError(f"another module named {file.stem} is loaded already; rename the file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # lazy entries of the plugin are imported by this name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[file.stem]
        raise


def _names(name: str | Sequence[str] | None, parser: type[Parser]) -> list[str]:
    if name is None:
        return [parser.__name__]
    return [name] if isinstance(name, str) else list(name)
