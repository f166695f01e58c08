"""A case and the columns asked for -> one line that says where their answers differ and where their runs part.

The first column is the case as it stands, token by token; all others are compared with it.

Source: issue "Debug"; card 00 (C0-01 … C0-03).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parsers.composition import Composition
from parsers.debug.compare import OBSERVED, WHOLE, Answer, answer_of_run, field_rows, observed_answer
from parsers.debug.feed import cut_case, open_case
from parsers.debug.laws import differences
from parsers.debug.partings import partings
from parsers.debug.rank import NameGroup, rank, try_names
from parsers.debug.session import Run, RunSettings
from parsers.engine.gate import CallCommit
from parsers.files.case import Case
from parsers.protocol import JsonObject
from parsers.tokens import bundled

BASE_CUTS = "token"


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """What the other columns change; each value makes a column of its own.

    Attributes:
        reasoning, tool: parser names.
        cuts: strategies of `replay`, "whole" and "given" included.
        commits: when calls become visible.
        compositions: how the two names become one parser.
    """

    reasoning: Sequence[str] = ()
    tool: Sequence[str] = ()
    cuts: Sequence[str] = ()
    commits: Sequence[CallCommit] = ()
    compositions: Sequence[Composition] = ()

    def __bool__(self) -> bool:
        return bool(self.reasoning or self.tool or self.cuts or self.commits or self.compositions)


STREAMING_AGAINST_WHOLE = ColumnChoices(cuts=(WHOLE,))
"""The columns when nothing is chosen."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A case under several columns.

    Attributes:
        answers: the base first.
    """

    case_id: str
    answers: tuple[Answer, ...]

    @property
    def same(self) -> bool:
        """Whether all columns give the same answer."""
        return all(row.same for row in field_rows(self.answers))

    def sentences(self) -> Iterator[str]:
        """How each column differs from the base, and the stage at which their runs part."""
        base = self.answers[0]
        for other in self.answers[1:]:
            found = list(differences(base.fields, other.fields))
            if not all(row.same for row in field_rows((base, other))):
                yield from (f"{other.label}: {sentence}" for sentence in found or ["another finish reason"])
                yield from _first_parting(base, other)

    def row(self) -> JsonObject:
        """The comparison as one JSON object."""
        return {
            "id": self.case_id,
            "same": self.same,
            "columns": [_column(one) for one in self.answers],
            "differences": list(self.sentences()),
        }


def compare_case(case: Case, choices: ColumnChoices) -> Comparison:
    """Run all columns of a case; what was observed is a column when the case has it.

    Raises:
        ParserscopeError: a name, a strategy or the observed answer cannot be used.
    """
    answers = [_answer(BASE_CUTS, case, BASE_CUTS), *_others(case, choices)]
    if case.observed is not None:
        answers.append(observed_answer(case.observed))
    return Comparison(case.id, tuple(answers))


def rank_case(case: Case) -> JsonObject:
    """Try every name on a case and return the groups of each half, best first, as one JSON object."""
    tried = list(try_names(_settings(case, open_case(case).stream.text, "incremental")))
    halves = {kind: rank(one for one in tried if one.kind == kind) for kind in ("reasoning", "tool")}
    return {"id": case.id, **{kind: [_group(group) for group in groups] for kind, groups in halves.items()}}


def case_run(
    case: Case, cuts: str, call_commit: CallCommit = "incremental", composition: Composition = "unified"
) -> Run:
    """A case made ready for a watched run, ids and chunks as the case gives them.

    Raises:
        ParserscopeError: as `compare_case`.
    """
    feed = open_case(case)
    settings = replace(_settings(case, feed.stream.text, call_commit, cuts), composition=composition)
    return Run(settings, tuple(case.tools), feed.tokenizer, feed.stream, tuple(cut_case(case, feed, cuts)))


def _others(case: Case, choices: ColumnChoices) -> Iterator[Answer]:
    for name in choices.reasoning:
        yield _answer(f"reasoning {name}", case.model_copy(update={"reasoning_parser": name}), BASE_CUTS)
    for name in choices.tool:
        yield _answer(f"tool {name}", case.model_copy(update={"tool_parser": name}), BASE_CUTS)
    for cuts in choices.cuts:
        yield _answer(cuts, case, cuts)
    for commit in choices.commits:
        yield _answer(commit, case, BASE_CUTS, commit)
    for composition in choices.compositions:
        yield _answer(composition, case, BASE_CUTS, composition=composition)


def _answer(
    label: str, case: Case, cuts: str, call_commit: CallCommit = "incremental", composition: Composition = "unified"
) -> Answer:
    whole = cuts == WHOLE
    return answer_of_run(label, case_run(case, "one" if whole else cuts, call_commit, composition), whole)


def _settings(case: Case, raw: str, call_commit: CallCommit, cuts: str = BASE_CUTS) -> RunSettings:
    request = case.chat_request()
    return RunSettings(
        raw_output=raw,
        reasoning=case.reasoning_parser,
        tool=case.tool_parser,
        tokenizer=case.tokenizer or bundled.NAME,
        generation_prompt=case.generation_prompt,
        tools_json=json.dumps([tool.model_dump(exclude_unset=True) for tool in case.tools]) if case.tools else "",
        template_kwargs=request.chat_template_kwargs,
        cuts=cuts,
        call_commit=call_commit,
        engine_finish_reason=case.engine_finish_reason,
    )


def _first_parting(base: Answer, other: Answer) -> Iterator[str]:
    if base.trace is None or other.trace is None:
        return
    for parting in partings(base.trace, other.trace)[:1]:
        mine, theirs = (delta + 1 for delta in parting.deltas)
        yield (
            f"{other.label}: first stage to part: {parting.stage}, at raw {parting.at}, deltas {mine} and {theirs}: "
            f"{parting.has[0]} against {parting.has[1]}"
        )


def _column(one: Answer) -> JsonObject:
    speed = one.tokens_per_second
    return {
        "label": one.label,
        "source": OBSERVED if one.trace is None else "replayed",
        "reasoning": one.fields.reasoning,
        "content": one.fields.content,
        "tool_calls": [
            {"name": call.name, "arguments": call.arguments, "complete": call.complete} for call in one.fields.calls
        ],
        "finish_reason": one.finish_reason,
        "tokens_per_second": None if speed is None else round(speed),
    }


def _group(group: NameGroup) -> JsonObject:
    return {"names": list(group.names), "reasons": list(group.reasons)}
