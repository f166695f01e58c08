"""A turn the template wrote -> parsed again, compared field by field with what was put in.

Values are compared as JSON and graded, because a template may write Python where its model writes JSON: that is the
template's fault. Source: template-study.md section 4 and section 5, point 11.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from parsers.engine.config import ParserState
from parsers.errors import FormatError
from parsers.formats.context import RunContext
from parsers.protocol import ParsedMessage
from parsers.registry import build_parser, start_of
from parsers.templates.ladder import FUNCTION_TOOLS, THOUGHTS, CallArguments
from parsers.templates.turn import Turn


class Grade(IntEnum):
    """How much of a field came back."""

    LOST = 0
    NAMES = 1  # calls were found, their arguments are wrong
    PARTLY = 2  # some calls came back exactly, or text came back with more around it
    LITERAL = 3  # the same value once texts are read as Python or JSON
    EXACT = 4


GRADE_WORDS: Mapping[Grade, str] = {
    Grade.LOST: "lost",
    Grade.NAMES: "names only",
    Grade.PARTLY: "partly",
    Grade.LITERAL: "same value, other type",
    Grade.EXACT: "exact",
}


@dataclass(frozen=True, slots=True)
class FieldResult:
    """One field of a round trip.

    Attributes:
        field: "reasoning", "content" or "tool_calls".
        expected, got: texts for people; calls as JSON.
        grade: how they compare, white space at the edges apart.
    """

    field: str
    expected: str
    got: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One turn through one pair of names."""

    turn: Turn
    reasoning: str | None
    tool: str | None
    fields: tuple[FieldResult, ...]

    @property
    def grade(self) -> Grade:
        """The worst field's."""
        return min((field.grade for field in self.fields), default=Grade.LOST)


def round_trip(turn: Turn, reasoning: str | None, tool: str | None) -> RoundTrip:
    """Parse a turn and compare every field that the template shows."""
    turn = with_thinking(turn, reasoning)
    message = parse(turn, reasoning, tool)
    fields = []
    if "reasoning_content" in turn.message or isinstance(turn.message["content"], list):
        fields.append(text_result("reasoning", THOUGHTS, message.reasoning))
    content = turn.message["content"]
    if isinstance(content, str) and content and content in turn.text:
        fields.append(text_result("content", content, message.content))
    if turn.shape is not None:
        fields.append(calls_result(turn, message))
    return RoundTrip(turn, reasoning, tool, tuple(fields))


def with_thinking(turn: Turn, reasoning: str | None) -> Turn:
    """The turn as the model writes it: with the thinking that the stream starts in and the template leaves out."""
    if reasoning is None or "reasoning_content" in turn.message:
        return turn
    context = RunContext(generation_prompt=turn.prompt, template_kwargs=turn.arguments or {})
    start = start_of(reasoning, None, context)
    closers = start.config.prompt_closed
    if start.state != ParserState.REASONING or not closers or any(closer in turn.text for closer in closers):
        return turn
    message = {**turn.message, "reasoning_content": THOUGHTS}
    return replace(turn, text=f"{THOUGHTS}{closers[0]}{turn.text}", message=message)


def keeps_answer(plain: Turn | None, reasoning: str | None, tool: str | None) -> bool:
    """Whether the content of a turn without calls comes back as content; unknown counts as yes."""
    return plain is None or round_trip(plain, reasoning, tool).grade == Grade.EXACT


def parse(turn: Turn, reasoning: str | None, tool: str | None) -> ParsedMessage:
    """The fields of a turn; nothing when the pair does not go together."""
    try:
        parser = build_parser(
            reasoning, tool, None, tools=FUNCTION_TOOLS, generation_prompt=turn.prompt,
            template_kwargs=turn.arguments or {},
        )  # fmt: skip
    except FormatError:
        return ParsedMessage()
    return parser.parse(turn.text)


def text_result(field: str, expected: str, got: str | None) -> FieldResult:
    """Compare a text field."""
    text = (got or "").strip()
    partly = Grade.PARTLY if expected in text else Grade.LOST
    return FieldResult(field, expected, got or "", Grade.EXACT if text == expected else partly)


def calls_result(turn: Turn, message: ParsedMessage) -> FieldResult:
    """Compare the calls that the turn shows."""
    assert turn.shape is not None
    expected = [call for call in turn.shape.named_calls() if call[0] in turn.text]
    got = [(call.function.name, _value(call.function.arguments)) for call in message.tool_calls]
    return FieldResult("tool_calls", _as_text(expected), _as_text(got), grade_calls(expected, got))


def grade_calls(expected: Sequence[tuple[str, CallArguments]], got: Sequence[tuple[str, object]]) -> Grade:
    """How the calls compare, in order."""
    if not expected or not got or [name for name, _ in got] != [name for name, _ in expected[: len(got)]]:
        return Grade.LOST
    grades = [_grade_value(value, found) for (_, value), (_, found) in zip(expected, got, strict=False)]
    if len(got) < len(expected):
        return Grade.PARTLY if max(grades) >= Grade.LITERAL else Grade.LOST
    return min(grades)


def _grade_value(expected: object, got: object) -> Grade:
    if got == expected and _same_types(expected, got):
        return Grade.EXACT
    return Grade.LITERAL if _read(got) == _read(expected) else Grade.NAMES


def _same_types(expected: object, got: object) -> bool:
    return json.dumps(expected, sort_keys=True) == json.dumps(got, sort_keys=True)


def _read(value: object) -> object:
    """The value with every text that is a JSON or Python literal read as one."""
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_read(item) for item in value]
    return _literal(value.strip()) if isinstance(value, str) else value


def _literal(text: str) -> object:
    for reader in (json.loads, ast.literal_eval):
        try:
            value: object = reader(text)
            return value
        except (ValueError, SyntaxError):
            continue
    return text


def _value(arguments: str) -> object:
    try:
        value: object = json.loads(arguments)
        return value
    except ValueError:
        return arguments


def _as_text(calls: Sequence[tuple[str, object]]) -> str:
    return "\n".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in calls)
