"""A state's markers, compiled: one regular expression that finds the next marker or a tail that may become one.

Only markers with a row in the state are looked for, so a marker elsewhere is text by construction (cards E-40 to E-48,
E-51). Matching is leftmost, then longest; a tail that is a proper prefix of any marker waits (E-41). Bounded white
space keeps every search linear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from parsers.engine.alphabet import DROP_CLASS, SYMBOL, Alphabet
from parsers.engine.config import (
    IDENTIFIER,
    NEVER,
    NEWLINE,
    NEWLINES,
    OTHER,
    PSEUDO_TERMINALS,
    SOURCES,
    SPACES,
    TOOL_STATES,
    WORD,
    ParserEngineConfig,
    Terminal,
)

if TYPE_CHECKING:
    from parsers.engine.patterns import Finder

_FLEXIBLE = {
    SPACES: r"\s{0,8}",
    NEWLINES: r"\n{0,16}",
    NEWLINE: r"\n?",
    SOURCES: r"[0-9,:\[\] ]{0,128}",
    WORD: r"[A-Za-z_:|]{0,64}",
    IDENTIFIER: r"[A-Za-z0-9_.\-]{1,64}",
    NEVER: r"(?!)",
}
_FIRST_OF_FLEXIBLE = {SPACES: r"\s", NEWLINES: r"\n", NEWLINE: r"\n"}
_FLEXIBLE_MOST = 16  # characters of white space inside a closer of thinking
_GAP = r"\s{0,256}"  # white space between a guarded marker and what must follow it
DROP = "DROP"


class Unless(NamedTuple):
    """What must not follow a marker anywhere in the stream.

    Attributes:
        pattern: finds it.
        margin: how many characters at the end of a text may be its beginning.
    """

    pattern: re.Pattern[str]
    margin: int


class Lexicon:
    """The markers of one state.

    Attributes:
        names: group number -> terminal name.
        other: the state only expects markers; anything else raises OTHER.
        in_region: the state lies inside a tool region, so a marker that the end of the stream cuts off is markup.
        unless: terminal name -> what must not follow it in the stream.
        first: characters a marker or a held tail can begin with, as a pattern; a text without them is plain.
        zero_width: a marker may be empty, in front of something.
    """

    zero_width = False

    def __init__(
        self,
        terminals: dict[str, Terminal],
        drops: tuple[str, ...],
        other: bool,
        in_region: bool = False,
        unless: Mapping[str, Terminal] | None = None,
    ) -> None:
        self.other, self.in_region = other, in_region
        self.unless = {name: _unless(terminal) for name, terminal in (unless or {}).items()}
        spellings = [
            (name, spelling, terminal)
            for name, terminal in terminals.items()
            for spelling in terminal.spellings
        ]
        spellings.sort(key=lambda item: len(item[1]), reverse=True)
        self.names = [name for name, _, _ in spellings]
        self._spellings = [spelling for _, spelling, _ in spellings]
        self._waiting = [_waiting(spelling, terminal) for _, spelling, terminal in spellings]
        partial = [*self._waiting, *map(_partial, drops)]
        drop = "|".join([DROP_CLASS, *map(re.escape, sorted(drops, key=len, reverse=True))])
        waiting = f"(?P<wait>(?:{'|'.join(partial)})\\Z)|" if partial else ""
        full = "".join(f"(?P<t{i}>{_full(s, t, False)})|" for i, (_, s, t) in enumerate(spellings))
        last = "".join(f"(?P<t{i}>{_full(s, t, True)})|" for i, (_, s, t) in enumerate(spellings))
        self._stream = re.compile(f"{waiting}{full}(?P<drop>{drop})")
        self._final = re.compile(f"{last}(?P<drop>{drop})")
        starts = "|".join([_first(s) for s in [*self._spellings, *drops]] + [SYMBOL.pattern])
        self.first = re.compile(starts)

    def pattern(self, final: bool) -> re.Pattern[str] | Finder:
        """The search pattern; with `final` nothing waits."""
        return self._final if final else self._stream

    def name(self, group: str) -> str:
        """Terminal name of a matched group."""
        return DROP if group == "drop" else self.names[int(group[1:])]

    def candidates(self, held: str) -> list[str]:
        """Names of the markers a held tail may become, in table order, each once."""
        found = []
        for name, waiting in zip(self.names, self._waiting, strict=True):
            if name not in found and re.compile(f"(?:{waiting})\\Z").match(held):
                found.append(name)
        return found


class Lexicons:
    """All states of a format over one alphabet."""

    def __init__(self, config: ParserEngineConfig, alphabet: Alphabet | None) -> None:
        drops = tuple(sorted(config.special)) if alphabet is None else ()
        self._states: dict[str, Lexicon] = {}
        self._names: dict[str, list[str]] = {}
        self._unless: dict[str, dict[str, str]] = {}
        for row in config.rows:
            self._names.setdefault(row.state, []).append(row.terminal)
            if row.unless:
                self._unless.setdefault(row.state, {})[row.terminal] = row.unless
        encode = alphabet.encode if alphabet else str
        self._drops = drops
        self._terminals = {name: _encoded(terminal, encode) for name, terminal in config.terminals.items()}

    def __getitem__(self, state: str) -> Lexicon:
        lexicon = self._states.get(state)
        if lexicon is None:
            names = self._names.get(state, [])
            terminals = {n: self._terminals[n] for n in names if n not in PSEUDO_TERMINALS}
            unless = {n: self._terminals[closer] for n, closer in self._unless.get(state, {}).items()}
            if any(terminal.delimiter for terminal in terminals.values()):
                lexicon = _pattern_lexicon(terminals, OTHER in names, state in TOOL_STATES)
            else:
                lexicon = Lexicon(terminals, self._drops, OTHER in names, state in TOOL_STATES, unless)
            self._states[state] = lexicon
        return lexicon


@lru_cache(maxsize=64)
def text_lexicons(config: ParserEngineConfig) -> Lexicons:
    """Lexicons for streams without ids, shared between parsers."""
    return Lexicons(config, None)


def _pattern_lexicon(terminals: Mapping[str, Terminal], other: bool, in_region: bool) -> Lexicon:
    from parsers.engine.patterns import PatternLexicon  # here: few formats have patterns, and it imports a library

    return PatternLexicon(terminals, other, in_region)


def _encoded(terminal: Terminal, encode: object) -> Terminal:
    assert callable(encode)
    return Terminal(
        tuple(dict.fromkeys(encode(s) for s in terminal.spellings)),
        tuple(encode(s) for s in terminal.followed_by),
        terminal.swallow,
        terminal.or_end,
        terminal.delimiter,
    )


def _unless(terminal: Terminal) -> Unless:
    pattern = re.compile("|".join(map(_literal, terminal.spellings)))
    return Unless(pattern, max(map(len, terminal.spellings)) + _FLEXIBLE_MOST)


def _element(char: str) -> str:
    return _FLEXIBLE.get(char) or re.escape(char)


def _literal(spelling: str) -> str:
    return "".join(map(_element, spelling))


def _full(spelling: str, terminal: Terminal, final: bool) -> str:
    pattern = _literal(spelling)
    if terminal.followed_by:
        then = [_literal(s) for s in terminal.followed_by] + ([r"\Z"] if final and terminal.or_end else [])
        pattern += f"(?={_GAP}(?:{'|'.join(then)}))"
    return pattern


def _partial(spelling: str) -> str:
    """A non-empty proper prefix of the spelling, as nested options."""
    elements = [_element(char) for char in spelling[:-1]]
    if not elements:
        return "(?!)"
    pattern = elements[-1]
    for element in reversed(elements[:-1]):
        pattern = f"{element}(?:{pattern})?"
    return pattern if spelling[0] not in _FLEXIBLE else f"(?=[\\s\\S]){pattern}"


def _waiting(spelling: str, terminal: Terminal) -> str:
    """A tail that may become the marker: a part of it, or all of it before what must follow is known."""
    partial = _partial(spelling)
    return f"{partial}|{_guard_open(spelling, terminal.followed_by)}" if terminal.followed_by else partial


def _guard_open(spelling: str, followed_by: tuple[str, ...]) -> str:
    """The whole marker, with what must follow it not decided yet."""
    then = "|".join(_partial(s) for s in followed_by)
    return f"{_literal(spelling)}{_GAP}(?:{then})?"


def _first(spelling: str) -> str:
    """Characters the spelling can begin with."""
    parts = []
    for char in spelling:
        if char not in _FLEXIBLE:
            parts.append(re.escape(char))
            break
        parts.append(_FIRST_OF_FLEXIBLE[char])
    return "|".join(parts)
