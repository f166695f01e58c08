"""Conversations to try on a template, cheapest first: templates differ in the message shapes they accept.

Some want arguments as an object and some as JSON text; some take one call only, no text or no content beside calls, or
ids of one form; some read a call's name from its id; some want results behind calls. So an assistant turn with calls
comes as a ladder of shapes; `turn` climbs it.
Every value is a word that occurs nowhere else, so it can be found again in the render.

Source: template-study.md section 5, points 5, 6 and 11.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parsers.protocol import FunctionTool
from parsers.templates.render import Message

INSTRUCTION = "Wombat rules."
QUESTION = "Quoll question?"
SECOND_QUESTION = "Second quoll question?"
ANSWER = "Axolotl answer."
THOUGHTS = "Tapir thoughts."
RESULT = "Ibex result"

CallArguments = Mapping[str, object]
CALLS: tuple[tuple[str, CallArguments], ...] = (
    ("find_okapi", {"place": "Kinshasa Zoo", "count": 3, "open": True}),
    ("feed_okapi", {"plan": {"food": ["leaves", "figs"], "grams": 2.5}, "note": "für später"}),
)
"""Name and arguments of each call: text, number, truth, nesting, letters beyond ASCII."""

SIMPLE_CALLS: tuple[tuple[str, CallArguments], ...] = (("find_okapi", {"count": 3}), ("feed_okapi", {"grams": 40}))
"""The same functions with whole numbers only, which even a template that quotes nothing writes right."""

_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def _schema(value: object) -> dict[str, object]:
    """The JSON schema of a value as its function declares it."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {key: _schema(item) for key, item in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0])}
    return {"type": _TYPES[type(value)]}


def _tool(name: str, *examples: CallArguments) -> Message:
    values = {key: value for arguments in examples for key, value in arguments.items()}
    properties = {key: {**_schema(value), "description": f"the {key}"} for key, value in values.items()}
    required = sorted(set.intersection(*(set(arguments) for arguments in examples)))
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": f"does {name}", "parameters": schema}}


TOOLS: tuple[Message, ...] = tuple(
    _tool(name, arguments, simple) for (name, arguments), (_, simple) in zip(CALLS, SIMPLE_CALLS, strict=True)
)
FUNCTION_TOOLS: tuple[FunctionTool, ...] = tuple(FunctionTool.model_validate(tool) for tool in TOOLS)


IDS = ("okapi000{index}", "functions.{name}:{index}", "call_okapi{index}")
"""Forms of a call's id: nine letters for Mistral, the name for Kimi, the API's own prefix."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One rung.

    Attributes:
        arguments_as: "object" or "JSON text".
        calls: how many calls, 1 or 2.
        content: text beside them, may be empty; None for the JSON value.
        ids: one of `IDS`.
        simple: arguments are whole numbers only.
    """

    arguments_as: str = "object"
    calls: int = 2
    content: str | None = ANSWER
    ids: str = IDS[0]
    simple: bool = False

    def named_calls(self) -> tuple[tuple[str, CallArguments], ...]:
        """Name and arguments of the calls in it."""
        return (SIMPLE_CALLS if self.simple else CALLS)[: self.calls]

    def message(self) -> Message:
        """The assistant message."""
        calls = [self._call(index, name, arguments) for index, (name, arguments) in enumerate(self.named_calls())]
        return {**assistant(self.content), "tool_calls": calls}

    def _call(self, index: int, name: str, arguments: CallArguments) -> Message:
        value = arguments if self.arguments_as == "object" else json.dumps(arguments, ensure_ascii=False)
        call_id = self.ids.format(name=name, index=index)
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": value}}


def call_shapes(simple: bool = False) -> Iterator[Shape]:
    """Every rung, the richest first."""
    for ids in IDS:
        for calls in (2, 1):
            for content in (ANSWER, "", None):
                for arguments_as in ("object", "JSON text"):
                    yield Shape(arguments_as, calls, content, ids, simple)


def system(text: str = INSTRUCTION) -> Message:
    """A system message."""
    return {"role": "system", "content": text}


def user(text: str = QUESTION) -> Message:
    """A user message."""
    return {"role": "user", "content": text}


def assistant(content: str | None = ANSWER) -> Message:
    """An assistant message."""
    return {"role": "assistant", "content": content}


def add_thoughts(message: Message) -> Message:
    """The message with thinking, under both names servers use; transformers copies it to a third."""
    return {**message, "reasoning_content": THOUGHTS, "reasoning": THOUGHTS}


def tool_results(shape: Shape) -> list[Message]:
    """What the functions of a turn returned."""
    ids = (call["id"] for call in shape.message()["tool_calls"])  # type: ignore[attr-defined]
    return [
        {"role": "tool", "name": name, "tool_call_id": call_id, "content": RESULT}
        for (name, _), call_id in zip(CALLS, ids, strict=False)
    ]
