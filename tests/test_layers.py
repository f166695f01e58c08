"""Who may import whom: the layers of CONTRIBUTING.md, read from the sources."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = (
    "parsers",
    "parsers.errors",
    "parsers.state",
    "parsers.protocol",
    "parsers.tokens",
    "parsers.args",
    "parsers.engine",
    "parsers.legacy",
    "parsers.formats",
    "parsers.compose",
    "parsers.structured",
    "parsers.serving",
    "parsers.names",
    "parsers.aliases",
    "parsers.registry",
    "parsers.composition",
    "parsers.plugins",
    "parsers.describe",
    "parsers.templates",
    "parsers.files",
    "parsers.debug",
    "parsers.cli",
    "views.ui",
    "views",
    "app",
)
HEAVY = {"streamlit", "plotly", "pandas", "transformers"}
OUTSIDE_WORLD = {"time", "datetime", "socket", "http", "urllib", "requests", "httpx", "asyncio", "subprocess"}
SANS_IO = LAYERS[LAYERS.index("parsers.tokens") : LAYERS.index("parsers.names")]


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path
    for path in [*(ROOT / "parsers").rglob("*.py"), *(ROOT / "views").rglob("*.py"), ROOT / "app.py"]
    if path.is_file()
}
OURS = sorted(name for name in SOURCES if name.startswith("parsers"))


def layer_of(module):
    """The longest layer name that the module is or lies in."""
    inside = [layer for layer in LAYERS if module == layer or module.startswith(layer + ".")]
    return max(inside, key=len)


def imports(tree):
    """Every module imported anywhere below `tree`, by its dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in SOURCES else node.module for name in names)


def imports_at_load(body):
    """What is imported when the module is loaded: outside functions and type-checking blocks."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        else:
            yield from imports_at_load(ast.iter_child_nodes(node))


def tree_of(module):
    return ast.parse(SOURCES[module].read_text(encoding="utf-8"))


def test_every_module_is_in_a_layer():
    assert [name for name in OURS if layer_of(name) == "parsers"] == ["parsers"]


@pytest.mark.parametrize("module", sorted(SOURCES))
def test_modules_import_only_from_layers_above_their_own(module):
    own = layer_of(module)
    ours = {name for name in imports(tree_of(module)) if name.split(".")[0] in {"parsers", "views", "app"}}
    below = {name for name in ours if LAYERS.index(layer_of(name)) > LAYERS.index(own)}
    assert not below


@pytest.mark.parametrize("module", [name for name in OURS if layer_of(name) == "parsers.engine"])
def test_the_engine_knows_neither_the_protocol_nor_a_tokenizer_library(module):
    names = set(imports(tree_of(module)))
    assert not {name for name in names if name.startswith(("parsers.protocol", "tokenizers", "transformers"))}


@pytest.mark.parametrize("module", [name for name in OURS if layer_of(name) in SANS_IO])
def test_parsing_knows_no_clock_no_network_and_no_process(module):
    assert not {name.split(".")[0] for name in imports(tree_of(module))} & OUTSIDE_WORLD


@pytest.mark.parametrize("module", OURS)
def test_heavy_libraries_are_imported_late(module):
    assert not {name.split(".")[0] for name in imports_at_load(tree_of(module).body)} & HEAVY


def test_loading_every_module_loads_no_heavy_library():
    script = (
        f"import importlib, sys\nfor name in {OURS!r}: importlib.import_module(name)\n"
        f"print(*sorted({HEAVY!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.split()) == (0, []), run.stderr
