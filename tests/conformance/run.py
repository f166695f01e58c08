"""Prints how our parsers do on the neutral suite, or writes the table of `docs/conformance.md`.

    python -m tests.conformance.run [FAMILY ...] [--call-commit on_close] [--failures]
    python -m tests.conformance.run --write docs/conformance.md

Exact token texts of more fixtures than the tests keep are read from `--tokens FILE`, or from the file the
environment variable `PARSERSCOPE_SUITE_TOKENS` names: JSON Lines with the fields `id` and `tokens`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from parsers.debug.replay import CallCommit
from tests.conformance.report import Runs, report
from tests.conformance.suite import Outcome, Tokens, Verdict, by_family, count, read_tokens, run_suite

TOKENS_VARIABLE = "PARSERSCOPE_SUITE_TOKENS"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 1 when a fixture fails, else 0."""
    chosen = _parser().parse_args(arguments)
    tokens = _tokens(chosen.tokens)
    if chosen.write:
        chosen.write.write_text(report(run_both(tokens)), encoding="utf-8")
        return 0
    outcomes = list(run_suite(chosen.families, chosen.call_commit, tokens))
    print("\n".join(table(outcomes)))
    if chosen.failures:
        print("\n".join(details(outcomes)))
    return int(count(outcomes, Verdict.FAIL) > 0)


def run_both(tokens: Tokens | None = None) -> Runs:
    """All fixtures under both commit policies."""
    policies: tuple[CallCommit, ...] = ("on_close", "incremental")
    return {policy: list(run_suite((), policy, tokens)) for policy in policies}


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Lines of the table: pass, soft pass and fail by family."""
    yield f"{'family':<14}" + "".join(f"{verdict:>11}" for verdict in Verdict)
    for family, group in [*by_family(outcomes).items(), ("all", outcomes)]:
        yield f"{family:<14}" + "".join(f"{count(group, verdict):>11}" for verdict in Verdict)


def details(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Lines for each fixture that is no exact pass: its output, then each complaint once."""
    for outcome in outcomes:
        if outcome.verdict is not Verdict.PASS:
            yield f"\n{outcome.verdict.upper()} {outcome.fixture.id}\n  output {outcome.fixture.raw_output!r}"
            yield from (f"  {problem}" for problem in outcome.problems)


def _tokens(path: Path | None) -> Tokens | None:
    named = path or os.environ.get(TOKENS_VARIABLE)
    return read_tokens(Path(named)) if named else None


def _parser() -> argparse.ArgumentParser:
    description = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.run", description=description)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="families of the suite; all without any")
    parser.add_argument("--call-commit", choices=("incremental", "on_close"), default="incremental")
    parser.add_argument("--failures", action="store_true", help="show each fixture that is no exact pass")
    parser.add_argument("--tokens", type=Path, metavar="FILE", help="JSON Lines with exact token texts")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the report on all families instead")
    return parser


if __name__ == "__main__":
    sys.exit(main())
