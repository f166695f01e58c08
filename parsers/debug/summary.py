"""Results to a table for people: cases, matched, differing and errors by family, and what differed first.

A case counts once: as an error if any strategy could not run, else as differing if any strategy differs or breaks a
law, else as matched if anything was compared.

Source: card 00 (C0-20).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from parsers.files.case import Case
from parsers.files.result import Result

COLUMNS = ("cases", "matched", "differing", "errors")
SHOWN_PROBLEMS = 10


class Summary:
    """Counts results case by case."""

    def __init__(self) -> None:
        self._families: dict[str, Counter[str]] = defaultdict(Counter)
        self._problems: list[str] = []

    @property
    def all_matched(self) -> bool:
        """Whether no case differs and none had an error."""
        total = self._total()
        return not total["differing"] and not total["errors"]

    def add(self, case: Case, results: Sequence[Result]) -> None:
        """Count one case with its results under each strategy."""
        family = self._families[case.heading]
        family["cases"] += 1
        family[_verdict(results)] += 1
        self._problems += _problems(results)

    def text(self) -> str:
        """Return the table and the first problems."""
        names = [*sorted(self._families), "all"]
        width = max(map(len, names))
        rows = [("family", *COLUMNS), *((name, *map(str, self._counts(name))) for name in names)]
        table = [f"{row[0]:<{width}}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in rows]
        return "\n".join([*table, *self._shown_problems()])

    def _counts(self, name: str) -> list[int]:
        counts = self._total() if name == "all" else self._families[name]
        return [counts[column] for column in COLUMNS]

    def _total(self) -> Counter[str]:
        return sum(self._families.values(), Counter[str]())

    def _shown_problems(self) -> Iterator[str]:
        yield from self._problems[:SHOWN_PROBLEMS]
        hidden = len(self._problems) - SHOWN_PROBLEMS
        if hidden > 0:
            yield f"… and {hidden} more"


def _verdict(results: Sequence[Result]) -> str:
    if any(result.error for result in results):
        return "errors"
    if any(result.match is False or result.laws for result in results):
        return "differing"
    return "matched" if any(result.match for result in results) else "not compared"


def _problems(results: Sequence[Result]) -> Iterator[str]:
    """Yield a line for each distinct problem of a case, under the first strategy that has it."""
    seen = set()
    for result in results:
        for problem in [result.error.message] if result.error else result.differences:
            if problem not in seen:
                seen.add(problem)
                yield f"{result.id} [{result.strategy}]: {problem}"
