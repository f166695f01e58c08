"""How a format spells a call, and where calls may stand: a shape and the tools -> the format of a structural tag.

A shape is data (`keys` holds them all); a layout is the function that puts calls into the text around them. Law: what a
shape forces is what the parsers with its key read (S-20).

Source: card S-20, S-25, S-31; the flags section of each format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parsers.protocol import FunctionTool, JsonObject
from parsers.structured import nodes
from parsers.structured.nodes import Style
from parsers.structured.pairs import PairMarks, shallow_pairs, text_pairs
from parsers.structured.schema import parameters_schema


class Opener(NamedTuple):
    """What a call begins with: the texts before and after the function's name."""

    before: str
    after: str


class Section(NamedTuple):
    """The wrapper around all calls; one of `ends` closes it."""

    begin: str
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallShape:
    """How one format spells calls.

    Attributes:
        trigger: the text that in free text must begin a call; a prefix of the section or of every opener.
        openers: spellings of a call's beginning; the model may choose.
        ends: spellings of its end.
        style: how arguments are spelled.
        head: parts between the opener and the arguments.
        separator: between calls.
        section: None when calls stand alone.
        pairs: tags of loosely checked arguments; None for those only a schema describes.
        values: what is loose about them: "shallow" without a schema, "texts" always.
        layout: where calls may stand.
    """

    trigger: str
    openers: tuple[Opener, ...]
    ends: tuple[str, ...]
    style: Style = "json"
    head: tuple[JsonObject, ...] = ()
    separator: str = ""
    section: Section | None = None
    pairs: PairMarks | None = None
    values: Literal["shallow", "texts"] = "shallow"
    layout: Layout | None = None

    def call_tags(self, tool: FunctionTool, schema: bool) -> list[JsonObject]:
        """The tags of calls of one tool, one for each opener."""
        content = nodes.sequence(*self.head, self._arguments(tool, schema))
        return [nodes.tag(f"{opener.before}{tool.name}{opener.after}", content, *self.ends) for opener in self.openers]

    def format(self, calls: Sequence[JsonObject], forced: bool, single: bool) -> JsonObject:
        """The format of a whole output.

        Args:
            calls: tags of the functions that may be called.
            forced: there must be a call; else text alone is fine.
            single: there may be only one.
        """
        return (self.layout or in_text)(self, calls, forced, single)

    def _arguments(self, tool: FunctionTool, schema: bool) -> JsonObject:
        parameters = parameters_schema(tool)
        if self.pairs is not None and self.values == "texts":
            return text_pairs(parameters, self.pairs)
        if schema:
            return nodes.json_schema(parameters, self.style)
        if self.pairs is not None:
            return shallow_pairs(parameters, self.pairs)
        return nodes.json_schema({"type": "object", "additionalProperties": True}, self.style)


Layout = Callable[[CallShape, Sequence[JsonObject], bool, bool], JsonObject]


def in_text(shape: CallShape, calls: Sequence[JsonObject], forced: bool, single: bool) -> JsonObject:
    """Calls anywhere in free text; forced, nothing but calls."""
    if forced:
        return call_list(shape, calls, single)
    tags = calls if shape.section is None else [call_list(shape, calls, single)]
    return nodes.triggered([shape.trigger], tags, single)


def instead_of_text(shape: CallShape, calls: Sequence[JsonObject], forced: bool, single: bool) -> JsonObject:
    """Calls or text, for formats whose calls count only at the start of the output."""
    listed = call_list(shape, calls, single)
    return listed if forced else nodes.one_of([listed, nodes.any_text(shape.trigger)])


def call_list(shape: CallShape, calls: Sequence[JsonObject], single: bool) -> JsonObject:
    """One or more calls, in their section."""
    listed = nodes.tags_list(calls, shape.separator, single)
    return listed if shape.section is None else nodes.tag(shape.section.begin, listed, *shape.section.ends)
