"""The rules of `rules.toml` and the tests that name them -> `docs/rules.md`.

    python -m tests.rules [--write docs/rules.md]

A test names a rule in its own name (`test_p24_…`), in the id of a parameter ("p24-none"), in its docstring, or in a
comment in it or right above it (P-24; "P-20 … P-27" names all of them). What a module's docstring or the data of a test
mentions does not count: a rule is tested by a test that says so.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = Path(__file__).with_suffix(".toml")
PAGE = ROOT / "docs" / "rules.md"
COMMAND = "python -m tests.rules --write docs/rules.md"

INTRODUCTION = f"""\
# Rules

What is meant to happen, rule by rule, and the tests that say so. The code and its tests cite the numbers.

This page is written by `{COMMAND}`; the rules stand in `tests/rules.toml`.
"""
TestFunction = ast.FunctionDef | ast.AsyncFunctionDef

_RULE = re.compile(r"\b([PLDS]-\d[0-9A])\b(?: … ([PLDS]-\d\d)\b)?")
_IN_NAME = re.compile(r"(?<=_)([plds])(\d[0-9a])(?=_|$)")
_IN_PARAMETER = re.compile(r"^([plds])(\d[0-9a])(?=-|$)")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A group of rules with one letter.

    Attributes:
        title: what they are about.
        rules: rule -> what it says, in a clause.
        untested: rule -> why no test has it.
    """

    title: str
    rules: Mapping[str, str]
    untested: Mapping[str, str]


def chapters(path: Path = RULES) -> dict[str, Chapter]:
    """The chapters by letter."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    return {letter: Chapter(part["title"], part["rules"], part.get("untested", {})) for letter, part in read.items()}


def covered(root: Path = ROOT) -> dict[str, list[str]]:
    """Rule -> the tests that name it, as `path::name`, sorted."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name, rules in named_by(path.read_text(encoding="utf-8")).items():
            for rule in rules:
                found.setdefault(rule, []).append(f"{path.relative_to(root).as_posix()}::{name}")
    return found


def named_by(source: str) -> dict[str, set[str]]:
    """The test functions of a module -> the rules they name; a function without any is there too."""
    comments = _comments(source)
    return {test.name: set(_named(test, comments)) for test in _functions(ast.parse(source))}


def page(parts: Mapping[str, Chapter], tests: Mapping[str, Sequence[str]]) -> str:
    """The whole document."""
    lines = [INTRODUCTION]
    for letter, chapter in parts.items():
        tested = sum(rule in tests for rule in chapter.rules)
        lines += [f"## {letter}: {chapter.title}", "", f"{tested} of {len(chapter.rules)} rules have tests.", ""]
        lines += ["| rule | what it says | tests |", "| --- | --- | --- |"]
        lines += [_row(rule, chapter, tests.get(rule, ())) for rule in chapter.rules]
        lines.append("")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page instead of printing it")
    chosen = parser.parse_args(arguments)
    text = page(chapters(), covered())
    if chosen.write:
        chosen.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


def _row(rule: str, chapter: Chapter, tests: Sequence[str]) -> str:
    """One rule; several tests of a file share its path."""
    by_file: dict[str, list[str]] = {}
    for test in tests:
        path, name = test.split("::")
        by_file.setdefault(path, []).append(name)
    shown = [f"`{path}` " + " ".join(f"`{name}`" for name in names) for path, names in by_file.items()]
    return f"| {rule} | {chapter.rules[rule]} | {'<br>'.join(shown) or 'none: ' + chapter.untested.get(rule, '')} |"


def _functions(tree: ast.Module) -> Iterator[TestFunction]:
    for node in ast.walk(tree):
        if isinstance(node, TestFunction) and node.name.startswith("test_"):
            yield node


def _named(test: TestFunction, comments: Mapping[int, str]) -> Iterator[str]:
    yield from _spelled_small(_IN_NAME.finditer(test.name))
    for text in _parameter_ids(test):
        yield from _spelled_small(_IN_PARAMETER.finditer(text))
    yield from _spelled(ast.get_docstring(test) or "")
    for line in _own_lines(test, comments):
        yield from _spelled(comments.get(line, ""))


def _spelled(text: str) -> Iterator[str]:
    """The rules of a text, ranges written out."""
    for first, last in _RULE.findall(text):
        yield first
        if last:
            yield from (f"{first[:2]}{number:02}" for number in range(int(first[2:]) + 1, int(last[2:]) + 1))


def _spelled_small(matches: Iterable[re.Match[str]]) -> Iterator[str]:
    return (f"{match[1]}-{match[2]}".upper() for match in matches)


def _parameter_ids(test: TestFunction) -> Iterator[str]:
    keywords = (node for mark in test.decorator_list for node in ast.walk(mark) if isinstance(node, ast.keyword))
    for keyword in keywords:
        if keyword.arg in ("id", "ids"):
            constants = (node.value for node in ast.walk(keyword.value) if isinstance(node, ast.Constant))
            yield from (value for value in constants if isinstance(value, str))


def _own_lines(test: TestFunction, comments: Mapping[int, str]) -> range:
    """The lines of a test, its decorators and the comment lines right above them."""
    first = min(node.lineno for node in (test, *test.decorator_list))
    while first - 1 in comments:
        first -= 1
    return range(first, (test.end_lineno or first) + 1)


def _comments(source: str) -> dict[int, str]:
    """Line number, from 1 -> the comment on that line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


if __name__ == "__main__":
    sys.exit(main())
