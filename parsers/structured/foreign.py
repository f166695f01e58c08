"""A client's own structural tag -> how its calls begin, where the tool parser does not read that.

A tag may force one format while the parser reads another (S-20); the calls then stay in the content. Law: a tag that
says too little to tell, or a parser whose calls begin with no marker, is not suspected.

Source: card S-20, S-28; F-22.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from parsers.engine.config import SPACES, TOOL_STATES, ParserEngineConfig, ParserState
from parsers.structured.facts import ToolFacts
from parsers.structured.tags import shape_of


def unread_begin(tag: JsonValue, facts: ToolFacts, config: ParserEngineConfig) -> str | None:
    """The first text with which the tag lets a call begin and the parser does not; None when there is none."""
    openers = [_squeezed(opener) for opener in _openers(facts, config)]
    unread = (begin for begin in _begins(tag) if not _is_read(_squeezed(begin), openers))
    return next(unread, None) if openers else None


def _openers(facts: ToolFacts, config: ParserEngineConfig) -> Iterator[str]:
    """How calls begin in the parser's format: as its tag spells them, else the markers that lead into a call."""
    if facts.key is not None:
        shape = shape_of(facts.key)
        yield from (opener.before for opener in shape.openers)
        yield from [shape.section.begin] if shape.section else []
        return
    for row in config.rows:
        if row.state == ParserState.CONTENT and row.next in TOOL_STATES and row.terminal in config.terminals:
            yield from config.terminals[row.terminal].spellings


def _begins(part: JsonValue) -> Iterator[str]:
    """What begins each tag of a structural tag, in order."""
    if isinstance(part, dict):
        begin = part.get("begin")
        if isinstance(begin, str):
            yield begin
        for inner in part.values():
            yield from _begins(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _begins(inner)


def _is_read(begin: str, openers: list[str]) -> bool:
    """A longer beginning holds an opener; a shorter one leaves the rest of it to the content of the tag."""
    return any(opener in begin or opener.startswith(begin) for opener in openers)


def _squeezed(text: str) -> str:
    return "".join(text.replace(SPACES, "").split())
