"""One output -> every parser name tried on it, and groups of names with the same answer, best first, with reasons.

First every reasoning name runs without a tool parser, then every tool name with the best of them. A name is judged by
its answer alone: whether the laws that a plain run shows hold, the markers it leaves in the text, the calls it finds,
the fields it fills.

Source: issue "Debug"; design.md, section 5 (the laws).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain

from parsers.debug import laws
from parsers.debug.session import RunSettings, feed, prepare
from parsers.debug.stages import Fields
from parsers.debug.trace import complete_calls
from parsers.errors import ParserscopeError
from parsers.names import Kind
from parsers.registry import reasoning_format, reasoning_names, tool_format, tool_names
from parsers.templates.groups import DECLARED, GENERAL
from parsers.templates.markers import spellings

SHOWN_MARKERS = 3
_BRACKETS = "<["


@dataclass(frozen=True)
class Tried:
    """One name that was tried.

    Attributes:
        kind: which of the two names was varied.
        reasoning, tool: the pair that ran; None for no parser.
        fields: the answer; None when the pair cannot run.
        problem: why it cannot run, else the first law that is broken, else "".
        raw: the model's output.
    """

    kind: Kind
    reasoning: str | None
    tool: str | None
    fields: Fields | None
    problem: str
    raw: str

    @property
    def name(self) -> str | None:
        """The name that was varied."""
        return self.reasoning if self.kind == "reasoning" else self.tool

    @cached_property
    def left(self) -> Counter[str]:
        """Markers of any format that are left in reasoning and content."""
        fields = self.fields
        texts = (fields.reasoning, fields.content) if fields else ()
        return Counter(chain.from_iterable(_any_marker().findall(text or "") for text in texts))

    @cached_property
    def lost(self) -> int:
        """Characters of the output, markers and white space not counted, by which the fields are shorter."""
        return max(0, _plain(self.raw) - _plain(_all_text(self.fields)) if self.fields else 0)

    @cached_property
    def score(self) -> tuple[int, ...]:
        """What makes an answer better, the most telling first."""
        fields = self.fields
        if fields is None:
            return (-1,)
        complete = sum(call.complete for call in fields.calls)
        return (
            int(not self.problem),
            int(2 * self.lost <= _plain(self.raw)),
            -self.left.total(),
            complete,
            complete - len(fields.calls),
            len(_filled(fields)),
            -self.lost,
        )


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Names that give the same answer.

    Attributes:
        tried: the best known name first.
        reasons: why the group stands where it does, in plain words.
    """

    tried: tuple[Tried, ...]
    reasons: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, "none" for no parser."""
        return tuple(one.name or "none" for one in self.tried)


def how_many() -> int:
    """Runs that `try_names` makes."""
    return len(reasoning_names()) + len(tool_names()) + 2


def try_names(settings: RunSettings) -> Iterator[Tried]:
    """Try every name, and no parser, one after the other.

    Args:
        settings: what to run; its own two names do not matter.
    """
    found = []
    for reasoning in (None, *reasoning_names()):
        found.append(_try("reasoning", replace(settings, reasoning=reasoning, tool=None)))
        yield found[-1]
    best = rank(found)[0].tried[0].reasoning
    for tool in (None, *tool_names()):
        tried = _try("tool", replace(settings, reasoning=best, tool=tool))
        # A format that describes the whole output goes with its own name alone.
        alone = tried.fields is None and tool in reasoning_names()
        yield _try("tool", replace(settings, reasoning=tool, tool=tool)) if alone else tried


def rank(tried: Iterable[Tried]) -> list[NameGroup]:
    """Group names of one kind by their answer, the best group first."""
    groups: dict[tuple[Fields | None, str], list[Tried]] = {}
    for one in tried:
        groups.setdefault((one.fields, one.problem), []).append(one)
    inside = [sorted(group, key=_preference) for group in groups.values()]
    by_name = sorted(inside, key=lambda group: _preference(group[0]))
    best_first = sorted(by_name, key=lambda group: group[0].score, reverse=True)
    return [NameGroup(tuple(group), _reasons(group[0])) for group in best_first]


def _try(kind: Kind, settings: RunSettings) -> Tried:
    try:
        fields, problem = _run(settings)
    except ParserscopeError as error:
        fields, problem = None, str(error)
    return Tried(kind, settings.reasoning, settings.tool, fields, problem, settings.raw_output)


def _run(settings: RunSettings) -> tuple[Fields, str]:
    """The fields of a plain run, and the first law that it breaks."""
    run = prepare(settings)
    parser, whole = run.parser(), run.parser()
    messages = feed(parser, run.deltas)
    fields = Fields.of(messages, complete_calls(parser))
    at_once = Fields.of(feed(whole, run.cut("one")), complete_calls(whole))
    broken = chain(
        laws.cut_invariance(fields, {"one": at_once}),
        laws.growth(messages, at_once),
        laws.json_arguments(fields.calls),
        laws.order(messages),
    )
    return fields, next(broken, "")


def _preference(one: Tried) -> tuple[int, str]:
    """No parser first, then names that are documented for many models; what a tokenizer has to declare comes last."""
    if one.name is None:
        return -1, ""
    if one.name in GENERAL:
        return GENERAL.index(one.name), one.name
    return len(GENERAL) + (one.name in DECLARED), one.name


# --- reasons ----------------------------------------------------------------------------------------------------------


def _reasons(one: Tried) -> tuple[str, ...]:
    if one.fields is None:
        return (f"cannot run: {one.problem}",)
    return (
        f"fills {_listed(_filled(one.fields))}",
        _calls_reason(one.fields),
        _left_reason(one.left),
        f"loses {one.lost:,} of {_plain(one.raw):,} letters" if one.lost else "loses no text",
        f"breaks a law: {one.problem}" if one.problem else "keeps the laws",
    )


def _filled(fields: Fields) -> list[str]:
    texts = {"reasoning": fields.reasoning, "content": fields.content}
    filled = [name for name, text in texts.items() if text and text.strip()]
    return [*filled, "tool calls"] if fields.calls else filled


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "no field"


def _calls_reason(fields: Fields) -> str:
    cut_off = sum(not call.complete for call in fields.calls)
    if not fields.calls:
        return "finds no call"
    count = f"finds {len(fields.calls)} {'call' if len(fields.calls) == 1 else 'calls'}"
    return f"{count}, {cut_off} cut off" if cut_off else f"{count}, all complete"


def _left_reason(left: Counter[str]) -> str:
    if not left:
        return "leaves no marker in the text"
    shown = ", ".join(marker for marker, _ in left.most_common(SHOWN_MARKERS))
    return f"leaves {left.total()} {'marker' if left.total() == 1 else 'markers'} in the text: {shown}"


def _all_text(fields: Fields) -> str:
    # Spelled as the most common format does, so that its braces and keys do not count as lost.
    calls = (f'{{"name": "{call.name}", "arguments": {call.arguments}}}' for call in fields.calls)
    return " ".join([fields.reasoning or "", fields.content or "", *calls])


def _plain(text: str) -> int:
    """Characters that are neither white space nor a marker."""
    return sum(map(len, _any_marker().sub("", text).split()))


@lru_cache(maxsize=1)
def _any_marker() -> re.Pattern[str]:
    """Any marker of any name; words without a bracket are too likely to be prose."""
    configs = chain(map(reasoning_format, reasoning_names()), map(tool_format, tool_names()))
    found = {text for config in configs for texts in spellings(config).values() for text in texts}
    markers = sorted((text for text in found if text[0] in _BRACKETS), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, markers)))
