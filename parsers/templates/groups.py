"""Candidates with their evidence -> ranked groups of names that the evidence cannot tell apart.

Two names are in one group when every piece of evidence counts the same for both. Inside a group the order is a
preference: names that are documented for many makers' models first, then as registered. Source: template-study.md
section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from parsers.engine.config import ParserEngineConfig
from parsers.names import REASONING, TOOLS
from parsers.registry import reasoning_format, tool_format
from parsers.templates.markers import MarkerPlace, Place, frame, places, spellings

GENERAL = ("qwen3", "deepseek_r1", "hermes", "qwen3_json", "qwen3_coder", "qwen3_xml")
"""Names that servers' documentation gives for other makers' models too."""
DECLARED = frozenset({"hf", "beam"})
"""Formats that a tokenizer's own response template describes, so that no chat template can show them."""
MOST_GROUPS = 5


@dataclass(frozen=True)
class Group:
    """Names that cannot be told apart.

    Attributes:
        names: best first; a single None means that no parser is needed.
        why: the evidence, one clause each, the strongest first.
    """

    names: tuple[str | None, ...]
    why: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """One name that may fit.

    Attributes:
        score: pieces of evidence, the most telling first; compared as a whole.
        why: the same for people.
        markers: where its markers stand.
    """

    name: str
    score: tuple[float, ...]
    why: tuple[str, ...]
    markers: tuple[MarkerPlace, ...] = field(default=(), compare=False)


def group(candidates: Iterable[Candidate]) -> list[Group]:
    """Candidates by score, best group first."""
    by_score: dict[tuple[float, ...], list[Candidate]] = {}
    for candidate in candidates:
        by_score.setdefault(candidate.score, []).append(candidate)
    ranked = sorted(by_score.items(), key=lambda item: item[0], reverse=True)
    return [_group(found) for _, found in ranked[:MOST_GROUPS]]


def _group(candidates: list[Candidate]) -> Group:
    ordered = sorted(candidates, key=lambda candidate: _preference(candidate.name))
    return Group(tuple(candidate.name for candidate in ordered), ordered[0].why)


def _preference(name: str) -> int:
    return GENERAL.index(name) if name in GENERAL else len(GENERAL)


def missing(markers: Iterable[MarkerPlace]) -> int:
    """How many markers of a format the template does not know."""
    return sum(marker.place <= Place.COMMENT for marker in markers)


def uncanonical(markers: Iterable[MarkerPlace], config: ParserEngineConfig) -> int:
    """How many markers stand in another spelling than the usual one."""
    known = spellings(config)
    return sum(marker.place > Place.COMMENT and marker.spelling != known[marker.terminal][0] for marker in markers)


def frame_score(texts: frozenset[str], found: str) -> int:
    """2 when the turn text in front of the assistant is a format's, 0 when it is another's, 1 when nobody can say."""
    if not texts:
        return 1
    return 2 if found in texts else 0


@lru_cache(maxsize=1)
def reasoning_frames() -> Mapping[str, frozenset[str]]:
    """Turn texts of each reasoning name."""
    return {name: frame(reasoning_format(name)) for name in REASONING}


@lru_cache(maxsize=1)
def tool_frames() -> Mapping[str, frozenset[str]]:
    """Turn texts of each tool name, with those of the reasoning half of the same name."""
    return {name: frame(tool_format(name)) | reasoning_frames().get(name, frozenset()) for name in TOOLS}


@lru_cache(maxsize=1)
def known_frames() -> frozenset[str]:
    """Every turn text that a format names."""
    return frozenset().union(*tool_frames().values(), *reasoning_frames().values())


def marker_places(config: ParserEngineConfig, texts: Iterable[tuple[Place, str]]) -> tuple[MarkerPlace, ...]:
    """Where a format's markers stand, the best place first."""
    return tuple(sorted(places(config, texts), key=lambda marker: -marker.place))
