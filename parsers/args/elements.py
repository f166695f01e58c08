"""Nested elements -> a JSON object: `M<tags>M<item>aM</item>M</tags>`, where M is a marker before every tag.

An element without elements inside is a value typed by the tool's schema, an element with some is a list where the
schema wants one, else an object. What a tag means depends on its siblings and on the schema, so nothing is sent before
the call ends. The first element that is malformed or not closed ends the reading; the parameters before it are kept.

Source: minimax.md, "minimax_m3 (tools)".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from parsers.args.schema import ParameterTypes, Place, dump
from parsers.args.sink import CallSink
from parsers.state import Stateful

_MAX_NESTING = 128
_TEXT_KEY = "$text"  # holds text that stands beside elements


@dataclass(slots=True)
class Element:
    """One tag pair.

    Attributes:
        text: the pieces of text directly inside it, in order.
        children: the elements directly inside it, in order.
    """

    tag: str
    text: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)


class ElementsCodec(Stateful):
    """One call's arguments.

    Args:
        types: the tool's parameters.
        prefix: the marker before every tag.

    Attributes:
        raw: the body so far.
        bad, complete: never; the call's closer ends the body, and any text is taken.
    """

    STATE = ("raw",)
    bad = False
    complete = False
    open_data = False
    passes_text = False

    def __init__(self, types: ParameterTypes, prefix: str) -> None:
        self._types, self._prefix = types, prefix
        self.raw: list[str] = []

    @property
    def held(self) -> str:
        """All of the body."""
        return "".join(self.raw)

    def feed(self, text: str, sink: CallSink) -> int:
        """Keep text."""
        self.raw.append(text)
        sink.skip(len(text))
        return len(text)

    def close(self, sink: CallSink, at: int) -> bool:
        """The call's closer: sends the whole object."""
        sink.append_arguments(dump(_object(read_elements(self.held, self._prefix), self._types.at(()))), at)
        return True


def read_elements(text: str, prefix: str) -> list[Element]:
    """The elements of `text` up to the first that is malformed, too deep or not closed."""
    open_elements = [Element("")]
    end = 0
    for tag in re.finditer(f"{re.escape(prefix)}<(/?)([^<>]+)>", text):
        open_elements[-1].text.append(text[end : tag.start()])
        end = tag.end()
        closes, name = tag.group(1), tag.group(2).strip()
        if not closes:
            open_elements.append(Element(name))
        elif len(open_elements) > 1 and open_elements[-1].tag == name:
            element = open_elements.pop()
            open_elements[-1].children.append(element)
        else:
            break
        if len(open_elements) > _MAX_NESTING + 1:
            break
    return open_elements[0].children


def _value(element: Element, place: Place) -> object:
    if element.children:
        if place.container() == "array":
            return [_value(child, place.item()) for child in element.children]
        return _with_text(_object(element.children, place), "".join(element.text))
    text = "".join(element.text)
    if not text.strip() and "string" not in place.types() and (container := place.container()):
        return [] if container == "array" else {}
    return place.value(text)


def _object(elements: list[Element], place: Place) -> dict[str, object]:
    """Members by tag; those of a repeated tag are a list."""
    members: dict[str, list[object]] = {}
    for element in elements:
        members.setdefault(element.tag, []).append(_value(element, place.member(element.tag)))
    return {tag: values[0] if len(values) == 1 else values for tag, values in members.items()}


def _with_text(members: dict[str, object], text: str) -> dict[str, object]:
    if not text.strip():
        return members
    key = _TEXT_KEY
    while key in members:
        key = f"${key}"
    return {**members, key: text}
