"""A table -> the token ids that end thinking, as constrained decoding and a switch between parsers ask for them.

Source: card 02 (E-90), card 05 (S-50, S-51).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parsers.engine.config import TOOL_STATES, ParserEngineConfig, ParserState
from parsers.engine.events import EventType


@dataclass(frozen=True, slots=True)
class EndTokens:
    """Ids that end thinking.

    Attributes:
        explicit: closers of thinking; the grammar starts behind them.
        implicit: markers that begin what follows, as a tool opener; they belong to the grammar.
    """

    explicit: frozenset[int] = frozenset()
    implicit: frozenset[int] = frozenset()


def end_tokens(config: ParserEngineConfig, vocab: Mapping[str, int]) -> EndTokens:
    """The ids that end thinking in a format; markers of several tokens have none."""
    rows = [
        row for row in config.rows if row.state == ParserState.REASONING and EventType.REASONING_END in row.events
    ]
    explicit = {row.terminal for row in rows if not row.recovery}
    # A row with `unless` looks ahead, which an engine in the middle of an output cannot.
    implicit = {row.terminal for row in rows if row.recovery and row.next in TOOL_STATES and not row.unless}
    return EndTokens(_ids(config, explicit, vocab), _ids(config, implicit, vocab))


def _ids(config: ParserEngineConfig, terminals: set[str], vocab: Mapping[str, int]) -> frozenset[int]:
    spellings = (spelling for name in terminals for spelling in config.terminals[name].spellings)
    return frozenset(vocab[spelling] for spelling in spellings if spelling in vocab)
