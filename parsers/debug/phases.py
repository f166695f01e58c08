"""What each of the eight phases of a delegating parser did in a delta, in one clause with its rule.

Source: card 04 (D-10 … D-48).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from parsers.compose.delegating import DelegatingParser
from parsers.compose.stream_state import Step, StreamState
from parsers.protocol import DeltaMessage

PHASES = ("hear_prompt", "advance", "reason", "switch", "prepare", "call_tools", "pass_through", "finish")
"""The phases' methods, in order."""
FIELDS = StreamState.STATE
SHOWN_TEXT = 40
SHOWN_IDS = 6
Value = str | int | bool


@dataclass(frozen=True, slots=True)
class DelegatingStep:
    """One delta.

    Attributes:
        before, after: the values of `FIELDS`, long ones clipped.
        phases: (0-based number of a phase, what it did) of those that did something.
    """

    before: tuple[Value, ...]
    after: tuple[Value, ...]
    phases: tuple[tuple[int, str], ...]


def state_values(state: StreamState) -> tuple[Value, ...]:
    """The values of `FIELDS` for people; texts and ids by their end and their number."""
    return (
        state.reasoning_ended,
        state.tool_call_text_started,
        state.prompt_reasoning_checked,
        _text(state.previous_text),
        _ids(state.previous_token_ids),
        state.history_tool_call_cnt,
        state.history_tool_call_cnt_initialized,
        state.tool_call_id_type,
        state.function_name_returned,
        state.engine_based,
    )


class Flags(NamedTuple):
    """The flags of the state that tell what a phase has changed."""

    ended: bool
    started: bool
    checked: bool


def flags(state: StreamState) -> Flags:
    """The flags now."""
    return Flags(state.reasoning_ended, state.tool_call_text_started, state.prompt_reasoning_checked)


def described(
    number: int, parser: DelegatingParser, step: Step, delta: DeltaMessage | None, before: Flags
) -> str:
    """What a phase did; "" for nothing.

    Args:
        number: of the phase, 0-based.
        step: behind the phase.
        delta: what was to be sent before it.
        before: the flags before it.
    """
    state = parser.state
    match PHASES[number]:
        case "hear_prompt":
            return _prompt(parser, before)
        case "advance":
            size = _characters(len(step.current_text))
            return "the new text alone (D-02)" if state.engine_based else f"all the text so far, {size} (D-02)"
        case "reason":
            asked = parser.reasoning is not None and not state.reasoning_ended
            return f"the reasoning parser: {_said(step.delta)} (D-20)" if asked else ""
        case "switch":
            left = f"behind it {_characters(len(step.current_text))} of content"
            return f"reasoning has ended, {left} (D-25, D-27)" if step.transitioned else ""
        case "prepare":
            return _prepared(parser, step)
        case "call_tools":
            first = "the tool phase begins: " if state.tool_call_text_started and not before.started else ""
            said = _added(delta, step.delta)
            return f"{first}{said} ({'D-35' if first else 'D-37'})" if parser.in_tools else ""
        case "pass_through":
            passed = delta is None and step.delta is not None
            return "nobody is in charge: the text is content (D-40)" if passed else ""
    return f"held until now: {_added(delta, step.delta)} (D-45)" if step.finished else ""


def _prompt(parser: DelegatingParser, before: Flags) -> str:
    state = parser.state
    if state.reasoning_ended and not before.ended:
        if parser.reasoning is None:
            return "no reasoning parser: all of it is content (D-10, D-11)"
        return "the prompt has ended reasoning (D-10)"
    if state.prompt_reasoning_checked and not before.checked:
        return "the prompt leaves reasoning to come (D-10)"
    return ""


def _prepared(parser: DelegatingParser, step: Step) -> str:
    if not step.transitioned:
        return ""
    if step.continued:
        return "the tool parser reads on where the reasoning parser stopped (D-30)"
    if parser.tool is not None:
        return "the tool phase will say the content (D-30)"
    return "no tool parser: the content is said now (D-30, D-31)"


def _said(delta: DeltaMessage | None) -> str:
    return _added(None, delta)


def _added(before: DeltaMessage | None, after: DeltaMessage | None) -> str:
    """What a delta got, by field."""
    old, new = before or DeltaMessage(), after or DeltaMessage()
    parts = [
        f"{_characters(len(now) - len(was or ''))} of {field}"
        for field, was, now in (
            ("reasoning", old.reasoning, new.reasoning or ""),
            ("content", old.content, new.content or ""),
        )
        if len(now) > len(was or "")
    ]
    entries = new.tool_calls[len(old.tool_calls) :]
    parts += [f"call {call.index} is announced" for call in entries if call.id is not None]
    arguments = sum(len(call.function.arguments or "") for call in entries if call.function)
    parts += [f"{_characters(arguments)} of arguments"] if arguments else []
    return ", ".join(parts) or "nothing yet"


def _characters(count: int) -> str:
    return "1 character" if count == 1 else f"{count} characters"


def _text(text: str) -> str:
    return text if len(text) <= SHOWN_TEXT else f"…{text[-SHOWN_TEXT:]} ({len(text)} characters)"


def _ids(ids: list[int]) -> str:
    shown = " ".join(map(str, ids[-SHOWN_IDS:]))
    return shown if len(ids) <= SHOWN_IDS else f"… {shown} ({len(ids)} ids)"
