"""All samples through both compositions -> which of them differ, by rule: `docs/compositions.md`.

    python -m tests.compose.differences [--write docs/compositions.md]

Both compositions get the same deltas, under several cuts. Where their fields differ, each field that does must be
explained by exactly one rule, whose test looks at the very texts: it holds where the delegating parsers do what the
rule says and nowhere else. Two engine parsers are one table either way, so there is nothing to explain.

What a server does with the fields of either (tool choice, hidden thinking) is left out here.

Source: card 03 (L-14 … L-49), card 04 (D-10 … D-40).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from parsers.composition import Composition, Parser, ParserChoice, compose_parser, is_classic
from parsers.debug.feed import Feed, cut_case, open_case
from parsers.files.case import Case
from parsers.files.sample import samples
from parsers.legacy.envelope import EnvelopeParser
from parsers.legacy.registry import REASONING_PARSERS, TOOL_PARSERS
from parsers.legacy.switched import DeepSeekV3Parser, is_thinking
from parsers.legacy.think import ThinkingParser
from parsers.protocol import Accumulator
from parsers.registry import canonical_name
from parsers.tokens.base import Delta

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compositions.md"
COMMAND = "python -m tests.compose.differences --write docs/compositions.md"
CUTS = ("one", "token", "rand:1:8")
END = ThinkingParser.end

INTRODUCTION = f"""\
# Compositions

The same outputs read twice: `unified`, by one table for both fields, and `delegating`, by a reasoning parser and a tool
parser in turn, classic text parsers where servers have them. Two engine parsers give the same answer either way. These
are the samples whose answers differ under one of the cuts {", ".join(f"`{cut}`" for cut in CUTS)}, and why.

This page is written by `{COMMAND}`; the rules stand in that module.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client has in the end, field by field.

    Attributes:
        calls: names and arguments, in order.
        complete: for each call, whether its end was seen.
    """

    reasoning: str | None
    content: str | None
    calls: tuple[tuple[str, str], ...]
    complete: tuple[bool, ...]

    def parts_unlike(self, other: Answer) -> frozenset[str]:
        """Names of the fields that differ."""
        theirs = asdict(other)
        return frozenset(name for name, value in asdict(self).items() if value != theirs[name])


@dataclass(frozen=True, slots=True)
class Difference:
    """One sample under one cut, whose two answers are not the same."""

    case: Case
    raw: str
    cut: str
    unified: Answer
    delegating: Answer

    @property
    def thought(self) -> str:
        """The raw text up to the first end marker, a start marker left out."""
        before = self.raw.partition(END)[0]
        return before.removeprefix(ThinkingParser.start)

    @property
    def rest(self) -> str:
        """The raw text behind the first end marker; all of it where nothing ends."""
        before, end, behind = self.raw.partition(END)
        return behind if end else before

    @property
    def classic_reasoning(self) -> bool:
        """A classic reasoning parser took part."""
        return self.case.reasoning_parser is not None and is_classic("reasoning", self.case.reasoning_parser)

    @property
    def opener(self) -> str | None:
        """What opens a call for the classic tool parser that took part; None without one."""
        if self.case.tool_parser is None or not is_classic("tool", self.case.tool_parser):
            return None
        parser = TOOL_PARSERS.get(canonical_name("tool", self.case.tool_parser))
        return parser.opener if issubclass(parser, EnvelopeParser) else "["


@dataclass(frozen=True, slots=True)
class Rule:
    """Why answers differ.

    Attributes:
        name: the rule of a card.
        parts: the fields it speaks of.
        sentence: what the delegating parsers do.
        explains: whether they did it here.
    """

    name: str
    parts: frozenset[str]
    sentence: str
    explains: Callable[[Difference], bool]


def text_around_calls(found: Difference) -> bool:
    """The content is the raw text right up to the opener of the first call."""
    content, opener = found.delegating.content or "", found.opener
    if opener is None or not found.delegating.calls:
        return False
    begins_alike = (found.unified.content or "").strip().startswith(content.strip())
    return begins_alike and found.rest.startswith(content + opener)


def markup_without_call(found: Difference) -> bool:
    """No call anywhere, and all the raw text is content."""
    opener, calls = found.opener, found.unified.calls + found.delegating.calls
    return opener is not None and not calls and found.delegating.content == found.rest


def complete_by_arguments(found: Difference) -> bool:
    """The same calls, and those that only one composition takes for whole have closed objects for arguments."""
    unified, delegating = found.unified, found.delegating
    if found.opener is None or unified.calls != delegating.calls:
        return False
    complete = zip(delegating.calls, unified.complete, delegating.complete, strict=True)
    return all(is_closed and arguments.endswith("}") for (_, arguments), whole, is_closed in complete if not whole)


def later_end_marker(found: Difference) -> bool:
    """Taking the later markers out of the content makes it the unified one."""
    content = found.delegating.content or ""
    without = content.replace(END, "")
    return found.classic_reasoning and content == found.rest and content != without == found.unified.content


def call_in_thinking(found: Difference) -> bool:
    """All up to the end marker is reasoning, a call that only the other composition reads included."""
    is_thought = found.delegating.reasoning == found.thought
    return found.classic_reasoning and is_thought and bool(found.unified.calls) and not found.delegating.calls


def marker_in_prose(found: Difference) -> bool:
    """The first text that looks like the marker splits; the marker itself is content."""
    split = found.delegating.reasoning == found.thought and found.delegating.content == found.rest
    return found.classic_reasoning and split and END in found.rest and END in (found.unified.reasoning or "")


def all_is_content(found: Difference) -> bool:
    """No reasoning, and the whole raw text is content."""
    return found.delegating.reasoning is None and found.delegating.content == found.raw


def thinking_off(found: Difference) -> bool:
    """The arguments choose the identity parser, whatever the prompt ends with."""
    arguments = found.case.chat_request().chat_template_kwargs
    return _is_switched(found) and not is_thinking(arguments, default=False) and all_is_content(found)


def end_in_earlier_turn(found: Difference) -> bool:
    """The prompt has an end marker that the other composition does not count."""
    ended = END in (found.case.generation_prompt or "")
    return found.classic_reasoning and not _is_switched(found) and ended and all_is_content(found)


def nothing_trimmed(found: Difference) -> bool:
    """The reasoning is the raw text; white space at its edges is all that differs."""
    thought = found.delegating.reasoning
    return found.classic_reasoning and thought == found.thought and thought.strip() == found.unified.reasoning


def nobody_reads_on(found: Difference) -> bool:
    """No tool parser, and the content ends the raw text as it stands."""
    alone = found.case.tool_parser is None and not found.classic_reasoning
    return alone and found.delegating.content is not None and found.raw.endswith(found.delegating.content)


def over_from_the_start(found: Difference) -> bool:
    """An engine parser that was never asked: no reasoning where the other composition reads some."""
    return nobody_reads_on(found) and all_is_content(found) and found.unified.reasoning is not None


def thinking_as_answer(found: Difference) -> bool:
    """The reasoning is what the other composition makes the content, as none came."""
    thought = found.delegating.reasoning
    return nobody_reads_on(found) and found.unified.reasoning is None and found.unified.content == thought


def _is_switched(found: Difference) -> bool:
    """The classic reasoning parser is one that template arguments switch."""
    name = found.case.reasoning_parser
    if name is None or not found.classic_reasoning:
        return False
    return issubclass(REASONING_PARSERS.get(canonical_name("reasoning", name)), DeepSeekV3Parser)


def _rule(name: str, parts: str, sentence: str, explains: Callable[[Difference], bool]) -> Rule:
    return Rule(name, frozenset(parts.split()), sentence, explains)


RULES = (
    _rule("L-49", "content", "A classic tool parser keeps the text before the first call as it stands, white space"
          " too, and drops what stands behind it.", text_around_calls),
    _rule("L-46", "content", "Markup that makes no call is content for a classic tool parser: a call cut off before"
          " its name, a closer of nothing.", markup_without_call),
    _rule("L-43", "complete", "A classic tool parser goes by the arguments: a call is whole when they are, although"
          " the object around them is not closed.", complete_by_arguments),
    _rule("L-20", "content", "Behind the switch the reasoning parser is not asked, so a later end marker is content"
          " for a classic pair (F-04).", later_end_marker),
    _rule("D-35", "reasoning content calls complete", "A classic reasoning parser knows no calls: one inside thinking"
          " neither ends it nor is read (F-14).", call_in_thinking),
    _rule("L-22", "reasoning content", "A classic reasoning parser looks for the marker's text in the delta that has"
          " its id, and takes the first: one that is spelled in ordinary tokens before it.", marker_in_prose),
    _rule("L-35", "reasoning content", "The classic V3 parser goes by the template's arguments alone; a prompt that"
          " leaves thinking open says nothing to it.", thinking_off),
    _rule("D-13", "reasoning content", "A classic reasoning parser takes the last marker anywhere in the prompt, an"
          " earlier turn's too.", end_in_earlier_turn),
    _rule("L-14", "reasoning", "A classic reasoning parser trims nothing.", nothing_trimmed),
    _rule("D-30", "content", "Behind reasoning nobody reads on where there is no tool parser: the text is content as"
          " it stands (D-40).", nobody_reads_on),
    _rule("D-10", "reasoning", "A prompt that leaves no thinking open decides for good; without a tool parser,"
          " thinking that comes all the same is content.", over_from_the_start),
    _rule("D-28", "reasoning", "Thinking that becomes the answer when none follows is given out at the switch, before"
          " anybody can know.", thinking_as_answer),
)  # fmt: skip


def folders() -> list[str]:
    """The folders of the samples."""
    return sorted({name.partition("/")[0] for name in samples()})


@cache
def differences(folder: str) -> tuple[Difference, ...]:
    """The samples of a folder that differ, once for each cut under which they do."""
    chosen = [case for name, case in samples().items() if name.startswith(f"{folder}/")]
    return tuple(found for case in chosen for found in _differences_of(case))


def is_engine_pair(case: Case) -> bool:
    """An engine parser reads the calls, and one reads the thinking if anything does."""
    reasoning, tool = case.reasoning_parser, case.tool_parser
    return tool is not None and not is_classic("tool", tool) and not (reasoning and is_classic("reasoning", reasoning))


def reasons(found: Difference) -> Mapping[str, list[Rule]]:
    """Field that differs -> the rules that explain it."""
    parts = found.unified.parts_unlike(found.delegating)
    holding = [rule for rule in RULES if rule.parts & parts and rule.explains(found)]
    return {part: [rule for rule in holding if part in rule.parts] for part in sorted(parts)}


def parser_of(case: Case, feed: Feed, composition: Composition) -> Parser:
    """A parser for the case's names, tools and prompt."""
    request, prompt = case.chat_request(), case.generation_prompt
    if prompt is None and case.prompt_token_ids is not None:
        prompt = feed.tokenizer.decode(case.prompt_token_ids)
    choice = ParserChoice(
        case.reasoning_parser, case.tool_parser, feed.tokenizer, case.tools, prompt, request.chat_template_kwargs,
        history_calls=request.history_calls,
    )  # fmt: skip
    return compose_parser(choice, composition)


def answer(parser: Parser, deltas: Sequence[Delta], places: bool = True) -> Answer:
    """What a client has after the deltas.

    Args:
        places: the deltas tell where their tokens stand.
    """
    client = Accumulator()
    for delta in deltas:
        client.add(parser.parse_delta(delta.text, delta.ids, delta.spans if places else None, delta.finished))
    complete = {call.index for call in parser.calls if call.complete}
    return Answer(
        client.reasoning,
        client.content,
        tuple((call.name or "", call.arguments) for call in client.calls),
        tuple(call.index in complete for call in client.calls),
    )


def page(found: Sequence[Difference]) -> str:
    """The whole document."""
    lines = [INTRODUCTION]
    for rule in RULES:
        lines += [f"## {rule.name}", "", rule.sentence, ""]
        lines += [f"- {line}" for line in _explained_by(rule, found)]
        lines.append("")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.compose.differences")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page instead of printing it")
    chosen = parser.parse_args(arguments)
    text = page(all_differences())
    if chosen.write:
        chosen.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


def all_differences() -> list[Difference]:
    """Those of all samples."""
    return [found for folder in folders() for found in differences(folder)]


def _differences_of(case: Case) -> Iterator[Difference]:
    feed = open_case(case)
    for cut in CUTS:
        deltas = cut_case(case, feed, cut)
        unified, delegating = (
            answer(parser_of(case, feed, composition), deltas) for composition in ("unified", "delegating")
        )
        if unified != delegating:
            yield Difference(case, feed.stream.text, cut, unified, delegating)


def _explained_by(rule: Rule, found: Sequence[Difference]) -> Iterator[str]:
    """The samples of a rule; with their cuts where not all show it."""
    cuts: dict[str, list[str]] = {}
    for one in found:
        if any(rule in rules for rules in reasons(one).values()):
            cuts.setdefault(one.case.id, []).append(f"`{one.cut}`")
    for name, shown in cuts.items():
        yield f"`{name}`" if len(shown) == len(CUTS) else f"`{name}` under {', '.join(shown)}"


if __name__ == "__main__":
    sys.exit(main())
