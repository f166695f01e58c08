"""Outcomes under both commit policies -> the text of `docs/conformance.md`.

Figures of other engines are read from the description the suite publishes with its package, so they are those of the
installed version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from itertools import chain

from parsers import __version__
from parsers.debug.replay import CallCommit
from tests.conformance.suite import STRATEGIES, Outcome, Verdict, by_family, count

PACKAGE = "canitoolcall"
INTRODUCTION = """\
# Conformance

The suite {suite} holds recorded outputs of open-weight models with the answers a correct parser gives.
Each output is parsed whole and under {cuts} cuts, and counts with the worst of the suite's checks: *pass* when
all of them hold exactly, *soft pass* when only white space around a text field differs, else *fail*.

This page is written by `python -m tests.conformance.run --write docs/conformance.md`.
"""
POLICIES = """\
`on_close` shows a call when it is complete. `incremental` streams its arguments, so the client has the beginning
of a call whose end never comes, and such an output cannot pass.
"""
OTHERS = """\
Figures of other engines are the suite's own. Engines support different subsets, so this is no ranking.
"""
PEERS = """\
## Two more peers

- The gpt-oss library (`oss-harmony`), with its vocabulary, reads every generated well-formed turn as our
  `openai_gptoss` and `openai` do, and the suite's outputs are replayed in the real ids
  (`tests/conformance/test_harmony_peer.py`).
- `parse_response` of transformers reads every generated well-formed output as our `hf` does with the same
  response template (`tests/conformance/test_response_template_peer.py`).
"""

# Fixture -> why we believe that its expected answer is wrong. They are run and counted like all others.
DISPUTED: Mapping[str, str] = {
    "gemma4/vllm-text-before-call": "drops the space before a call, `gemma4/sglang-text-before-call` keeps it",
}

Runs = Mapping[CallCommit, Sequence[Outcome]]


def report(runs: Runs) -> str:
    """The whole document."""
    lines = [*_introduction(), *_families(runs), *_engines(runs), *_exceptions(runs), PEERS]
    return "\n".join(lines)


def published() -> Iterator[tuple[str, str, int, int, int, int]]:
    """Engine, version, fixtures it supports, pass, soft pass and fail, as the suite's own description lists them.

    Raises:
        LookupError: the description holds no such table.
    """
    lines = iter(str(metadata.metadata(PACKAGE).get_payload()).splitlines())
    if not any(line.startswith("| Engine | Version | Fixtures") for line in lines):
        raise LookupError(f"The description of {PACKAGE} has no table of engines.")
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        engine, version, *figures = (cell.strip() for cell in line.strip("|").split("|"))
        supported, passed, soft, failed = map(int, figures[:4])
        yield engine, version, supported, passed, soft, failed


def _introduction() -> Iterator[str]:
    suite = f"[{PACKAGE}](https://pypi.org/project/{PACKAGE}/) {metadata.version(PACKAGE)}"
    yield INTRODUCTION.format(suite=suite, cuts=len(STRATEGIES) - 1)


def _families(runs: Runs) -> Iterator[str]:
    groups = [by_family(outcomes) for outcomes in runs.values()]
    figures = {family: [_figures(group[family]) for group in groups] for family in groups[0]}
    rows = [(family, len(groups[0][family]), *chain(*counts)) for family, counts in figures.items()]
    totals = [_figures(outcomes) for outcomes in runs.values()]
    yield from ("## By family", "", POLICIES)
    yield from _table(
        ("family", "fixtures", *(f"{policy}: {verdict}" for policy in runs for verdict in Verdict)),
        [*rows, ("**all**", sum(row[1] for row in rows), *chain(*totals))],
    )


def _engines(runs: Runs) -> Iterator[str]:
    ours = [
        (f"parserscope, {policy}", __version__, len(outcomes), *_figures(outcomes)) for policy, outcomes in runs.items()
    ]
    yield from ("## Beside other engines", "", OTHERS)
    yield from _table(("engine", "version", "fixtures", *Verdict), [*ours, *published()])


def _exceptions(runs: Runs) -> Iterator[str]:
    for policy, outcomes in runs.items():
        rest = [outcome for outcome in outcomes if outcome.verdict is not Verdict.PASS]
        reasons = {outcome.fixture.id: f"{outcome.verdict}: {_reason(outcome)}" for outcome in rest}
        yield from _list(f"## No exact pass with `{policy}`", reasons)
    yield from _list("## Fixtures we believe wrong", DISPUTED)


def _reason(outcome: Outcome) -> str:
    if outcome.verdict is Verdict.SOFT:
        return "white space around a text field"
    if not outcome.cut_inside_call:
        return "; ".join(outcome.problems)
    return "the token limit cuts a call" if outcome.fixture.truncated else "the arguments of a call never close"


def _figures(outcomes: Sequence[Outcome]) -> list[int]:
    return [count(outcomes, verdict) for verdict in Verdict]


def _table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield _row(header)
    yield _row("---" for _ in header)
    yield from map(_row, rows)
    yield ""


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _list(heading: str, reasons: Mapping[str, str]) -> Iterator[str]:
    yield from (heading, "")
    yield from [f"- `{name}`: {reason}" for name, reason in reasons.items()] or ["None."]
    yield ""
