"""Where a format's markers stand in what a template writes.

A marker in the source proves little: it may be in a comment, in a test, or in a branch for another role. So a spelling
is looked up in the renders first, and in the syntax tree last. Source: template-study.md section 5, points 7, 8 and 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from parsers.engine.config import IDENTIFIER, NEVER, NEWLINE, NEWLINES, SOURCES, SPACES, WORD, ParserEngineConfig
from parsers.formats.base import QWEN_TURNS

_ANY = re.compile(f"[{SPACES}{NEWLINES}{NEWLINE}{SOURCES}{WORD}{IDENTIFIER}{NEVER}]")
_WORDS = re.compile(r"\w\w")
CHATML = frozenset(QWEN_TURNS)
"""The frame that models of many makers share, so it says nothing about thinking."""


class Place(IntEnum):
    """Where a spelling was found, the strongest evidence last."""

    NOWHERE = 0
    COMMENT = 1  # in the source, but not in its syntax tree
    COMPARED = 2  # a test or a string method knows it
    PRINTED = 3  # it can reach the output, but did not
    INSTRUCTIONS = 4  # the system or tool part of a prompt
    HISTORY = 5  # a past assistant turn
    GENERATION_PROMPT = 6
    ASSISTANT_TURN = 7  # the turn that shows what was asked for


WORDS: Mapping[Place, str] = {
    Place.NOWHERE: "nowhere",
    Place.COMMENT: "in a comment only",
    Place.COMPARED: "in a test or a strip rule only",
    Place.PRINTED: "in a branch that was not reached",
    Place.INSTRUCTIONS: "in the instructions",
    Place.HISTORY: "in the history",
    Place.GENERATION_PROMPT: "in the generation prompt",
    Place.ASSISTANT_TURN: "in the assistant turn",
}


@dataclass(frozen=True, slots=True)
class MarkerPlace:
    """One marker of a format.

    Attributes:
        terminal: its name in the table.
        spelling: as the format writes it, its longest literal part.
        place: the strongest place it was found in.
    """

    terminal: str
    spelling: str
    place: Place


def literal_part(spelling: str) -> str:
    """The longest part of a spelling that has no wildcard."""
    return max(_ANY.split(spelling), key=len).strip()


def is_telling(spelling: str) -> bool:
    """Whether a spelling is a marker rather than punctuation, one letter or a code fence."""
    return bool(_WORDS.search(spelling)) and not spelling.startswith("```")


def stands_in(part: str, text: str) -> bool:
    """Whether a text has the marker, and not only as the beginning of a longer word (`<function` in `<functions>`)."""
    if not part[-1].isalnum():
        return part in text
    return part in text and re.search(re.escape(part) + r"(?!\w)", text) is not None


@lru_cache(maxsize=512)
def spellings(config: ParserEngineConfig) -> Mapping[str, tuple[str, ...]]:
    """Terminal -> its telling spellings; terminals without any are left out."""
    found = {
        name: tuple(dict.fromkeys(part for part in map(literal_part, marker.spellings) if is_telling(part)))
        for name, marker in config.terminals.items()
    }
    return {name: parts for name, parts in found.items() if parts}


def places(config: ParserEngineConfig, texts: Iterable[tuple[Place, str]]) -> list[MarkerPlace]:
    """Where each marker of a format stands.

    Args:
        texts: what was rendered or read, with its place.
    """
    texts = list(texts)
    return [_best(terminal, parts, texts) for terminal, parts in spellings(config).items()]


def _best(terminal: str, parts: tuple[str, ...], texts: list[tuple[Place, str]]) -> MarkerPlace:
    found = [(place, part) for part in parts for place, text in texts if stands_in(part, text)]
    place, part = max(found, key=lambda item: item[0], default=(Place.NOWHERE, parts[0]))
    return MarkerPlace(terminal, part, place)


def frame(config: ParserEngineConfig) -> frozenset[str]:
    """Texts around turns in prompts of the format's models; empty when it names none."""
    return frozenset(config.turn_boundaries + config.special)


def frame_of(prompt_end: str, known: frozenset[str]) -> str:
    """The turn text that stands last in a prompt, "" when no format knows one."""
    ends = {text: prompt_end.rfind(text) + len(text) for text in known if text in prompt_end}
    return max(ends, key=lambda text: (ends[text], len(text)), default="")
