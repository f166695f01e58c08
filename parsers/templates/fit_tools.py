"""Which tool names fit a template: the calls it shows, parsed; else the format its instructions name.

A format that takes none of the calls shown is out, whatever markers it shares: the same tag may hold another grammar.
Where no call is shown the instructions decide, and last a branch that was not reached, if the template is meant for
tools at all. Source: template-study.md section 4 and section 5, points 7 to 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from parsers.engine.config import ParserEngineConfig, ParserState
from parsers.names import TOOLS
from parsers.registry import tool_format
from parsers.templates.evidence import Evidence
from parsers.templates.groups import (
    DECLARED,
    GENERAL,
    Candidate,
    Group,
    frame_score,
    group,
    known_frames,
    marker_places,
    missing,
    tool_frames,
    uncanonical,
)  # fmt: skip
from parsers.templates.markers import CHATML, WORDS, MarkerPlace, Place, is_telling, literal_part
from parsers.templates.prompts import after_question
from parsers.templates.roundtrip import GRADE_WORDS, Grade, calls_result, keeps_answer, parse
from parsers.templates.turn import Turn

HINTS: Mapping[str, tuple[str, ...]] = {
    "lfm2": ("<|tool_list_start|>", "<|tool_response_start|>"),
    "phi4_mini_json": ("<|tool|>",),
}
"""What templates say around tools where neither a call nor a marker of the calls is in them."""

_INSIDE = frozenset(state for state in ParserState if state.startswith(("TOOL_", "ARG_")))

NO_TOOLS = Group((None,), ("the template shows no calls and names no format for them",))


def fit_tools(evidence: Evidence) -> list[Group]:
    """Groups of tool names, best first."""
    candidates = [found for name in TOOLS if name not in DECLARED and (found := _candidate(evidence, name))]
    groups = group(candidates)
    if not groups:
        return [NO_TOOLS]
    weak = max(candidate.score[0] for candidate in candidates) == Grade.LOST or _is_leftover(evidence)
    return [NO_TOOLS, *groups] if weak and not _meant_for_tools(evidence) else groups


def _is_leftover(evidence: Evidence) -> bool:
    """Calls show only where content is null: code that trained copies keep from a model that called tools."""
    return all(turn.shape is not None and turn.shape.content is None for turn in evidence.turns.calls)


def _meant_for_tools(evidence: Evidence) -> bool:
    return evidence.reads_tools or evidence.calls_failed


def _candidate(evidence: Evidence, name: str) -> Candidate | None:
    config = tool_format(name)
    if not fits_vocabulary(config, evidence.template.vocabulary):
        return None
    frame = evidence.frame(known_frames())
    fits = frame_score(tool_frames()[name], frame)
    shown = _shown(evidence, name, config, fits, frame)
    if shown is not None or evidence.turns.calls:
        return shown
    return _named(evidence, name, config, fits)


def fits_vocabulary(config: ParserEngineConfig, vocabulary: frozenset[str] | None) -> bool:
    """Whether a tokenizer has the tokens a format cannot do without; unknown counts as yes."""
    return vocabulary is None or all(token in vocabulary for token in config.required)


def _shown(evidence: Evidence, name: str, config: ParserEngineConfig, fits: int, frame: str) -> Candidate | None:
    """The name as judged by the calls that the template shows."""
    calls = evidence.turns.calls
    if not any(_can_open(config, after_question(turn.prompt) + turn.text) for turn in calls):
        return None
    grades = [_grade(turn, name) for turn in calls]
    grade = max(grades, default=Grade.LOST)
    how = "behind other text" if grade == Grade.LOST else ""
    if grade == Grade.LOST and fits == 2 and frame not in CHATML and config.initial == ParserState.START:
        grade = min(Grade.PARTLY, max((_grade(_from_call(turn), name) for turn in calls), default=Grade.LOST))
    markers = marker_places(config, [(Place.ASSISTANT_TURN, turn.text) for turn in calls])
    if grade == Grade.LOST or (grade == Grade.NAMES and not _opened(config, markers)):
        return None
    known = marker_places(config, evidence.texts)
    general = name in GENERAL if fits == 0 else False
    answers = keeps_answer(evidence.turns.plain, None, name)
    spelled = -uncanonical(markers, config)
    score = (grade, -missing(markers), spelled, fits, sum(grades), answers, general, _found(markers))
    why = (f"calls come back {GRADE_WORDS[grade]} {how}".rstrip(), *_marker_words(known), *_frame_words(fits, frame))
    return Candidate(name, score, why, known)


def _can_open(config: ParserEngineConfig, text: str) -> bool:
    """Whether a call can begin in a text; parsing it would tell too, but has to build the format's lexer first."""
    terminals = {row.terminal for row in config.rows if row.state not in _INSIDE and row.next in _INSIDE}
    markers = [config.terminals[name].spellings for name in terminals if name in config.terminals]
    parts = [literal_part(spelling) for spellings in markers for spelling in spellings]
    unknown = not parts or len(markers) < len(terminals)
    return unknown or any(not is_telling(part) or part in text for part in parts)


def _grade(turn: Turn, name: str) -> Grade:
    return calls_result(turn, parse(turn, None, name)).grade


def _from_call(turn: Turn) -> Turn:
    """The turn from its first bracket on, for formats whose calls must come first."""
    starts = [at for at in (turn.text.find("{"), turn.text.find("[")) if at >= 0]
    return replace(turn, text=turn.text[min(starts, default=0) :])


def _named(evidence: Evidence, name: str, config: ParserEngineConfig, fits: int) -> Candidate | None:
    """The name as judged by instructions and unreached branches, for a template that shows no call."""
    markers = marker_places(config, evidence.texts)
    place = max((marker.place for marker in markers if marker.terminal in openers(config)), default=Place.NOWHERE)
    hint = next((text for text in HINTS.get(name, ()) if _stands(evidence, text)), "")
    if place < Place.PRINTED and not hint:
        return None
    why = [f"{hint} stands around its tools"] if hint else list(_marker_words(markers))
    strength = max(place, Place.INSTRUCTIONS if hint else Place.NOWHERE)
    score = (Grade.LOST, strength, -missing(markers), fits, name in GENERAL if fits == 0 else False, _found(markers))
    return Candidate(name, score, ("no call is shown", *why), markers)


def openers(config: ParserEngineConfig) -> frozenset[str]:
    """Terminals that open a tool region and are told by their spelling."""
    outside = (ParserState.CONTENT, ParserState.START)
    found = {row.terminal for row in config.rows if row.state in outside and row.next in _INSIDE and not row.recovery}
    return frozenset(name for name in found & set(config.terminals) if _is_spelled(config, name))


def _is_spelled(config: ParserEngineConfig, terminal: str) -> bool:
    return any(is_telling(literal_part(text)) for text in config.terminals[terminal].spellings)


def _opened(config: ParserEngineConfig, markers: Sequence[MarkerPlace]) -> bool:
    return any(marker.place == Place.ASSISTANT_TURN for marker in markers if marker.terminal in openers(config))


def _stands(evidence: Evidence, text: str) -> bool:
    return any(text in where for place, where in evidence.texts if place >= Place.PRINTED)


def _found(markers: Iterable[MarkerPlace]) -> int:
    return sum(marker.place > Place.COMMENT for marker in markers)


def _marker_words(markers: Iterable[MarkerPlace]) -> list[str]:
    """The best-placed marker, for people."""
    best = next((marker for marker in markers if marker.place >= Place.COMPARED), None)
    return [f"{best.spelling} stands {WORDS[best.place]}"] if best else []


def _frame_words(fits: int, frame: str) -> list[str]:
    return [f"turns begin with {frame.strip()} as its models' do"] if fits == 2 else []
