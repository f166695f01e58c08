"""A joined table -> its reasoning half: thinking up to its end, everything behind it left unread.

The half is the same table with its rows rewritten, not a switch inside the engine. A row that ends reasoning hands
over behind its marker; a row that opens a tool region, in thinking or before any, hands over in front of it, so that
the tool half reads the opener itself. Whatever only the tool half can reach is gone. A tool half needs no rewriting:
beside a reasoning parser it is the whole table, begun where the reasoning half stopped, and alone it is the tool
format, to which thinking markers are text (D-05).

Law: up to the handover the half says what the whole table says, event by event.

Source: card 02 (E-75, E-93), card 04 (D-05, D-07, D-26).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from parsers.engine.config import (
    FEED,
    HAND_OVER,
    HeaderRule,
    ParserEngineConfig,
    ParserState,
    Row,
)
from parsers.engine.events import EventType


@lru_cache(maxsize=256)
def reasoning_half(config: ParserEngineConfig) -> ParserEngineConfig:
    """The reasoning half of a joined table; the same object for the same table."""
    rows = [_rewritten(config, row) for row in config.rows]
    headers = tuple(_rewritten_header(config, rule) for rule in config.headers)
    reached = _reached(config, rows, headers)
    return config.but(
        name=f"{config.name}:reasoning",
        rows=tuple(row for row in rows if row.state in reached),
        headers=headers,
    )


def _rewritten(config: ParserEngineConfig, row: Row) -> Row:
    ends = EventType.REASONING_END in row.events
    if config.is_tool_state(row.next) or (ends and FEED in row.events):
        state = ParserState.CONTENT if row.state == ParserState.REASONING else row.state
        events = (EventType.REASONING_END,) if ends else ()
        return replace(row, next=state, events=(*events, FEED, HAND_OVER))
    return replace(row, events=(*row.events, HAND_OVER)) if ends and row.next else row


def _rewritten_header(config: ParserEngineConfig, rule: HeaderRule) -> HeaderRule:
    return replace(rule, events=(HAND_OVER,)) if config.is_tool_state(rule.next) else rule


def _reached(config: ParserEngineConfig, rows: list[Row], headers: tuple[HeaderRule, ...]) -> set[str]:
    """States the half can be in while it reads."""
    after_header = [rule.next for rule in headers if HAND_OVER not in rule.events]
    reached: set[str] = set()
    new = {str(config.initial), str(config.content_initial), str(ParserState.REASONING)}
    while new:
        reached |= new
        steps = [row for row in rows if row.state in new and HAND_OVER not in row.events]
        new = {str(state) for row in steps for state in ([row.next] if row.next else after_header)} - reached
    return reached
