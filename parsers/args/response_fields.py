"""A tokenizer's response template -> checked fields.

The template (transformers 5, version 1) says what opens and closes each field of a message and what its text means. A
server accepts three fields: `thinking` and `content`, which are plain text, and `tool_calls`. One of them may have no
opener: all text outside the others is its. Source: response-template.md, "Template".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parsers.args.delimiters import Delimiter, compiled
from parsers.errors import FormatError

THINKING, CONTENT, TOOL_CALLS = "thinking", "content", "tool_calls"
VALUE_KINDS = ("text", "int", "float", "bool", "json", "xml-inline", "kv-lines", "python-call-list")
_TEMPLATE_KEYS = frozenset({"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"})
_FIELD_KEYS = frozenset(
    {"open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional",
     "transform", "transform_each"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ResponseField:
    """One field.

    Attributes:
        open, close: None without one: the field takes the text outside all others, or runs to the end.
        kind, arguments: how its text becomes a value; one of VALUE_KINDS and its options.
        transform: the shape of a call, with placeholders such as `{content.name}`; None leaves the value as it is.
        each: the value is a list, and the transform is for each of its items.
    """

    name: str
    open: Delimiter | None
    close: Delimiter | None
    kind: str = "text"
    arguments: Mapping[str, Any] | None = None
    transform: Any = None
    each: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ResponseTemplate:
    """A checked template.

    Attributes:
        anchor: what the message begins behind, in the prompt.
        fields: by name, in the template's order.
        outside: the field of the text outside all others, None when that text is dropped.
    """

    anchor: Delimiter
    fields: Mapping[str, ResponseField]
    outside: ResponseField | None

    def prefix(self, prompt: str) -> str:
        """The part of the prompt that belongs to the message: behind the last anchor, or all of it without one."""
        ends = [match.end() for match in compiled(self.anchor).finditer(prompt)]
        return prompt[ends[-1] :] if ends else prompt


def read_template(template: object) -> ResponseTemplate:
    """Check a template.

    Raises:
        FormatError: what is wrong with it, naming the field.
    """
    if not isinstance(template, Mapping):
        raise _fault("it must be an object")
    _known_keys("it", template, _TEMPLATE_KEYS)
    if template.get("version", 1) != 1:
        raise _fault(f"version {template['version']!r} is not known; only version 1 is")
    anchor = _delimiter("it", template, "start_anchor")
    if anchor is None:
        raise _fault("it needs start_anchor or start_anchor_pattern")
    raw = template.get("fields")
    if not isinstance(raw, Mapping) or not raw:
        raise _fault("its fields must be a non-empty object")
    end = anchor.literals[0] if anchor.literals else ""
    fields = {name: _field(name, field, end) for name, field in raw.items()}
    fields.setdefault(CONTENT, ResponseField(CONTENT, None, None))
    outside = [field for field in fields.values() if field.open is None]
    if len(outside) > 1 and CONTENT in raw:
        raise _fault(f"only one field may have no opener, but {' and '.join(f.name for f in outside)} have none")
    if len(outside) > 1:
        del fields[CONTENT]
    return ResponseTemplate(anchor, fields, outside[0] if outside else None)


def _fault(what: str) -> FormatError:
    return FormatError(f"The tokenizer's response template cannot be used: {what}.")


def _known_keys(where: str, raw: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(raw) - known)
    if unknown:
        raise _fault(f"{where} has the unknown key {unknown[0]!r}")


def _field(name: str, raw: object, anchor: str) -> ResponseField:
    where = f"the field {name!r}"
    if name not in (THINKING, CONTENT, TOOL_CALLS):
        raise _fault(f"{where} is not served; only thinking, content and tool_calls are")
    if not isinstance(raw, Mapping):
        raise _fault(f"{where} must be an object")
    _known_keys(where, raw, _FIELD_KEYS)
    field = ResponseField(
        name,
        _delimiter(where, raw, "open"),
        _delimiter(where, raw, "close", closes=True, ended_by=anchor),
        raw.get("content", "text"),
        raw.get("content_args") or {},
        raw.get("transform"),
        bool(raw.get("transform_each", False)),
    )
    if field.kind not in VALUE_KINDS:
        raise _fault(f"{where} has the unknown content {field.kind!r}; known are {', '.join(VALUE_KINDS)}")
    if name == TOOL_CALLS:
        _check_calls(where, field)
    elif field.kind != "text" or field.transform is not None or "join" in raw:
        raise _fault(f"{where} must be plain text without transform and join")
    return field


def _check_calls(where: str, field: ResponseField) -> None:
    if field.open is None:
        raise _fault(f"{where} needs an opener")
    if field.kind == "xml-inline" and "tag_pattern" not in (field.arguments or {}):
        raise _fault(f"{where} needs a tag_pattern for xml-inline")
    if field.transform is None and any(compiled(d).groupindex for d in (field.open, field.close) if d):
        raise _fault(f"{where} has named groups but no transform that uses them")


def _delimiter(
    where: str, raw: Mapping[str, Any], key: str, closes: bool = False, ended_by: str = ""
) -> Delimiter | None:
    literal, pattern = raw.get(key), raw.get(f"{key}_pattern")
    if literal is not None and pattern is not None:
        raise _fault(f"{where} has both {key} and {key}_pattern")
    if pattern is not None:
        found = Delimiter(pattern=str(pattern), closes=closes)
    elif literal is not None:
        literals = (literal,) if isinstance(literal, str) else tuple(literal)
        if not literals or not all(isinstance(text, str) and text for text in literals):
            raise _fault(f"{where} needs texts that are not empty for {key}")
        found = Delimiter(tuple(dict.fromkeys(literals)), closes=closes, ended_by=ended_by)
    else:
        return None
    compiled(found)
    return found
