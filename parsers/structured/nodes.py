"""Parts of a structural tag as the JSON that grammar engines read; one function a kind of part.

A structural tag is a tree of parts: texts, patterns and schemas, put in order, in alternatives, between tags, or behind
a trigger in free text.

Source: the documented structural tag format of xgrammar 0.2 (`{"type": "structural_tag", "format": part}`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from parsers.protocol import JsonObject

Style = Literal[
    "json", "qwen_xml", "minimax_xml", "deepseek_xml", "deepseek_v4_1_xml", "glm_xml", "kimi_k3_xml"
]  # fmt: skip
"""How a schema's object is spelled: as JSON, or as one of the tagged parameter lists."""


def structural_tag(part: JsonObject) -> JsonObject:
    """The whole document."""
    return {"type": "structural_tag", "format": part}


def const(text: str) -> JsonObject:
    """Exactly this text."""
    return {"type": "const_string", "value": text}


def regex(pattern: str) -> JsonObject:
    """Text that matches a pattern from end to end."""
    return {"type": "regex", "pattern": pattern}


def grammar(ebnf: str) -> JsonObject:
    """Text of an EBNF grammar's rule `root`."""
    return {"type": "grammar", "grammar": ebnf}


def json_schema(schema: JsonValue, style: Style = "json") -> JsonObject:
    """A value that follows a schema."""
    return {"type": "json_schema", "json_schema": schema, "style": style}


def any_text(*excludes: str) -> JsonObject:
    """Free text without these; inside a tag it ends where the tag does."""
    return {"type": "any_text", "excludes": [*excludes]}


def sequence(*parts: JsonObject) -> JsonObject:
    """These parts in order."""
    return parts[0] if len(parts) == 1 else {"type": "sequence", "elements": [*parts]}


def one_of(parts: Sequence[JsonObject]) -> JsonObject:
    """One of these parts."""
    return parts[0] if len(parts) == 1 else {"type": "or", "elements": [*parts]}


def optional(part: JsonObject) -> JsonObject:
    """This part or nothing."""
    return {"type": "optional", "content": part}


def star(part: JsonObject) -> JsonObject:
    """This part any number of times."""
    return {"type": "star", "content": part}


def tag(begin: str, content: JsonObject, *ends: str) -> JsonObject:
    """`begin`, the content, one of the ends."""
    return {"type": "tag", "begin": begin, "content": content, "end": ends[0] if len(ends) == 1 else [*ends]}


def triggered(triggers: Sequence[str], tags: Sequence[JsonObject], stop_after_first: bool) -> JsonObject:
    """Free text, and behind a trigger nothing but one of the tags that begin with it (S-20)."""
    return {
        "type": "triggered_tags",
        "triggers": [*triggers],
        "tags": [*tags],
        "at_least_one": False,
        "stop_after_first": stop_after_first,
    }


def tags_list(tags: Sequence[JsonObject], separator: str, stop_after_first: bool) -> JsonObject:
    """One or more of the tags and nothing else."""
    return {
        "type": "tags_with_separator",
        "tags": [*tags],
        "separator": separator,
        "at_least_one": True,
        "stop_after_first": stop_after_first,
    }
