"""The process that renders: JSON lines in, JSON lines out, with a memory limit and an output limit.

A template is a program that a stranger wrote. transformers' renderer keeps it in a sandbox, which stops attribute
tricks but neither a loop nor a huge text; so it runs here, in a process of its own that `render` can end. Requests are
`{"template", "variables"}` to render and `{"template"}` to look at the syntax tree. An answer is `{"text"}`,
`{"variables", "printed", "compared"}`, `{"error"}`, or `{"stopped"}` when a limit was broken.

Source: template-study.md section 5, points 8, 15 and 16.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

READY = "ready"
RENDERER = "transformers.utils.chat_template_utils"
MEMORY = 512 * 1024 * 1024
"""Bytes a template may use on top of the renderer itself."""
LONGEST_OUTPUT = 200_000
"""Characters a render may have."""

Answer = dict[str, object]

_EXPLAINED = {
    "no loader for this environment specified": "It includes, imports or extends a file; a chat template stands alone."
}
"""Messages that only Jinja's authors understand -> what to make of them."""


def serve() -> None:
    """Answer requests until standard input ends."""
    _load_renderer()  # before the memory is limited
    _limit_memory()
    print(READY, flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)


def _load_renderer() -> None:
    """Load transformers' template module without the packages around it, which take twice as long as all the rest.

    Empty packages stand in for them; where a version's module needs the real ones they are loaded.
    """
    found = find_spec("transformers")
    folders = found.submodule_search_locations if found else None
    if folders:
        _stand_in("transformers", Path(folders[0]))
        _stand_in("transformers.utils", Path(folders[0]) / "utils")
    try:
        import_module(RENDERER)
    except (ImportError, AttributeError):
        for name in [name for name in sys.modules if name.partition(".")[0] == "transformers"]:
            del sys.modules[name]
        import_module(RENDERER)


def _stand_in(name: str, folder: Path) -> None:
    """Put a package in place that has its modules and runs none of its own code."""
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package


def _answer(request: dict[str, object]) -> Answer:
    """Whatever else a template may raise ends the process, and `render` says so."""
    from jinja2 import TemplateError
    from jinja2.exceptions import SecurityError

    try:
        return _render(request) if "variables" in request else _inspect(str(request["template"]))
    except MemoryError:
        return {"stopped": f"The template needs more than {MEMORY >> 20} MB of memory and was stopped."}
    except RecursionError:
        return {"stopped": "The template is nested too deeply and was stopped."}
    except SecurityError as error:
        # Others, such as a list's `append`, are a slip of the template's author.
        kind = "stopped" if "attribute '_" in str(error) else "error"
        return {kind: f"The template reaches for what the sandbox forbids: {error}"}
    except (TemplateError, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return {"error": _EXPLAINED.get(str(error), f"{type(error).__name__}: {error}")}


def _render(request: dict[str, object]) -> Answer:
    from transformers.utils.chat_template_utils import render_jinja_template

    variables = request["variables"]
    assert isinstance(variables, dict)
    messages = variables.pop("messages")
    rendered = render_jinja_template([messages], chat_template=str(request["template"]), **variables)
    texts, _ = cast("tuple[list[str], object]", rendered)  # what it returns, other than its annotation says
    text = texts[0]
    if len(text) > LONGEST_OUTPUT:
        return {"stopped": f"The template prints more than {LONGEST_OUTPUT:,} characters and was stopped."}
    return {"text": text}


def _inspect(template: str) -> Answer:
    from jinja2 import meta, nodes

    tree = _environment().parse(template)
    printed = list(_printed(tree))
    strings = (node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str))
    return {
        "variables": sorted(meta.find_undeclared_variables(tree)),
        "printed": printed,
        "compared": sorted(set(strings) - set(printed)),
    }


def _environment() -> Environment:
    """The renderer's own environment, which knows its tags."""
    from transformers.utils.chat_template_utils import _compile_jinja_template

    return _compile_jinja_template("").environment  # type: ignore[no-any-return]


def _printed(node: nodes.Node) -> Iterator[str]:
    """Literal texts that can reach the output: template data, and strings printed, assigned or given to a macro.

    What a test compares or a method is given (`split('</think>')`) is not among them.
    """
    from jinja2 import nodes

    if isinstance(node, nodes.TemplateData):
        yield node.data
    elif isinstance(node, nodes.Const):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, nodes.Compare | nodes.Test):
        return
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
        if node.node.name != "raise_exception":
            yield from _all_printed([*node.args, *node.kwargs])
    elif isinstance(node, nodes.Call | nodes.Filter):
        yield from _printed(node.node) if node.node is not None else ()
    elif isinstance(node, nodes.If | nodes.CondExpr):
        yield from _all_printed(node.iter_child_nodes(exclude=("test",)))
    else:
        yield from _all_printed(node.iter_child_nodes())


def _all_printed(children: Iterable[nodes.Node]) -> Iterator[str]:
    for child in children:
        yield from _printed(child)


def _limit_memory() -> None:
    """Limit this process where the system can; elsewhere the time limit remains."""
    try:
        import resource
    except ImportError:
        return
    limit = _memory_in_use() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _memory_in_use() -> int:
    """Address space of this process in bytes, 4 GB where the system does not tell."""
    import resource

    try:
        with open("/proc/self/statm", encoding="ascii") as status:
            return int(status.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4 << 30


if __name__ == "__main__":
    serve()
