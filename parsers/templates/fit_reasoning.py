"""Which reasoning names fit a template: thinking it shows, or that its prompts open or close, or a format it describes.

Thinking tags are shared by half of all formats, so the turn frame, the switches and the tool format choose among them.
A strip rule for history counts only where the frame belongs to one maker. Source: template-study.md sections 3, 4 and
5 (points 3, 4, 5 and 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from parsers.engine.config import ParserEngineConfig
from parsers.names import REASONING, TOOLS
from parsers.registry import reasoning_format
from parsers.templates.evidence import Evidence
from parsers.templates.fit_tools import fits_vocabulary
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
    reasoning_frames,
    uncanonical,
)  # fmt: skip
from parsers.templates.markers import CHATML, WORDS, MarkerPlace, Place
from parsers.templates.roundtrip import Grade, keeps_answer, round_trip


class Sign(IntEnum):
    """How a template shows that its model thinks, the strongest last."""

    NOTHING = 0
    STRIPPED = 1
    DESCRIBED = 2
    EMPTY_BLOCK = 3
    PROMPT = 4
    SHOWN = 5


SIGN_WORDS = {
    Sign.STRIPPED: "thinking is stripped from history",
    Sign.DESCRIBED: "the instructions describe its tags",
    Sign.EMPTY_BLOCK: "history shows an empty block",
    Sign.PROMPT: "the generation prompt opens or closes thinking",
    Sign.SHOWN: "thinking comes back exact",
}
NO_REASONING = Group((None,), ("nothing shows that the model thinks",))


def fit_reasoning(evidence: Evidence, tools: Group) -> list[Group]:
    """Groups of reasoning names, best first.

    Args:
        tools: the best group of tool names; names of the same family gain by it.
    """
    names = [name for name in REASONING if name not in DECLARED]
    candidates = [found for name in names if (found := _candidate(evidence, name, tools))]
    return group(candidates) or [NO_REASONING]


def _candidate(evidence: Evidence, name: str, tools: Group) -> Candidate | None:
    config = reasoning_format(name)
    if config.switch is None or not fits_vocabulary(config, evidence.template.vocabulary):
        return None
    frame = evidence.frame(known_frames())
    fits = frame_score(reasoning_frames()[name], frame)
    markers = marker_places(config, evidence.texts)
    sign = _sign(evidence, name, config, markers)
    if sign == Sign.NOTHING or (sign == Sign.STRIPPED and (fits == 0 or frame in CHATML)):
        return None
    general = fits != 2 and name in GENERAL
    family = 0 if general else _family_score(name, tools)
    switches = 0 if general else _switch_score(evidence, config)
    absent = missing(markers)
    known = 0 if absent else len(markers)
    answers = keeps_answer(evidence.turns.plain, name, None)
    spelled = -uncanonical(markers, config)
    score = (sign, -absent, spelled, fits == 2, answers, known, general, family, switches)
    return Candidate(name, score, _why(sign, markers, fits, frame, family), markers)


def _sign(evidence: Evidence, name: str, config: ParserEngineConfig, markers: Sequence[MarkerPlace]) -> Sign:
    """The strongest sign of this format's thinking."""
    if evidence.turns.thinking is not None:
        return Sign.SHOWN if _comes_back(evidence, name) else Sign.NOTHING
    opened, closed = (_place(evidence, tags) for tags in (config.prompt_open, config.prompt_closed))
    if Place.GENERATION_PROMPT in (opened, closed):
        return Sign.PROMPT
    if min(opened, closed) >= Place.HISTORY:
        return Sign.EMPTY_BLOCK
    if _described(evidence, config):
        return Sign.DESCRIBED
    return Sign.STRIPPED if closed >= Place.COMPARED else Sign.NOTHING


def _comes_back(evidence: Evidence, name: str) -> bool:
    """The thinking that the template shows is this format's reasoning, and the answer beside it is not lost."""
    turn = evidence.turns.thinking
    assert turn is not None
    fields = {field.field: field.grade for field in round_trip(turn, name, None).fields}
    answered = fields.get("content", Grade.EXACT) == Grade.EXACT or turn.shape is not None
    return fields["reasoning"] == Grade.EXACT and answered


def _place(evidence: Evidence, tags: Sequence[str]) -> Place:
    found = (place for place, text in evidence.texts for tag in tags if tag in text)
    return max(found, default=Place.NOWHERE)


def _described(evidence: Evidence, config: ParserEngineConfig) -> bool:
    """One prompt's instructions name both the opener and the closer."""
    pairs = [config.terminals[name].spellings for name in ("THINK_START", "THINK_END") if name in config.terminals]
    texts = [text for place, text in evidence.texts if place == Place.INSTRUCTIONS]
    return len(pairs) == 2 and any(all(any(s in text for s in pair) for pair in pairs) for text in texts)


def _family_score(name: str, tools: Group) -> int:
    """1 when the best tool names include the name's own format, -1 when it has one that is not among them.

    For a name without its own: 1 when they include one of the same format file and maker (`qwen3` and `qwen3_coder`).
    """
    module, maker = REASONING[name].module, name.split("_")[0]
    best = [tool for tool in tools.names if tool]
    if name in TOOLS and TOOLS[name].module == module:
        return 0 if not best else 1 if name in best else -1
    return int(any(TOOLS[tool].module == module and tool.split("_")[0] == maker for tool in best))


def _switch_score(evidence: Evidence, config: ParserEngineConfig) -> int:
    """How far the format switches thinking by the template's own arguments, with its default."""
    switch, here = config.switch, evidence.switches
    assert switch is not None
    known = here <= {*switch.arguments, *switch.vetoes}
    states = evidence.states()
    off_by_default = bool(here) and states["default"] == "closed"
    return known + (switch.default != off_by_default)


def _why(sign: Sign, markers: Sequence[MarkerPlace], fits: int, frame: str, family: int) -> tuple[str, ...]:
    why = [SIGN_WORDS[sign]]
    best = next((marker for marker in markers if marker.place >= Place.COMPARED), None)
    if best is not None:
        why.append(f"{best.spelling} stands {WORDS[best.place]}")
    if fits == 2:
        why.append(f"turns begin with {frame.strip()} as its models' do")
    if family > 0:
        why.append("its tool format fits too")
    return tuple(why)
