"""Deltas put together and taken apart; a field that is absent stays absent (P-10)."""

from __future__ import annotations

from parsers.protocol import DeltaMessage


def joined(first: str | None, second: str | None) -> str | None:
    """Both texts; a field that neither has stays absent."""
    return second if first is None else first + (second or "")


def merged(delta: DeltaMessage | None, more: DeltaMessage | None) -> DeltaMessage | None:
    """Both deltas as one; calls may then hold one index twice (D-46)."""
    if delta is None or more is None:
        return more if delta is None else delta
    return DeltaMessage(
        reasoning=joined(delta.reasoning, more.reasoning),
        content=joined(delta.content, more.content),
        tool_calls=[*delta.tool_calls, *more.tool_calls],
    )


def with_content(delta: DeltaMessage | None, content: str | None) -> DeltaMessage | None:
    """The delta with other content; None when nothing is left of it."""
    reasoning = delta.reasoning if delta is not None else None
    changed = DeltaMessage(reasoning=reasoning, content=content)
    return None if is_empty(changed) else changed


def without_content(delta: DeltaMessage | None) -> DeltaMessage | None:
    """The reasoning of the delta alone."""
    return with_content(delta, None)


def without_calls(delta: DeltaMessage | None) -> DeltaMessage | None:
    """The content of the delta alone."""
    return None if delta is None or delta.content is None else DeltaMessage(content=delta.content)


def is_empty(delta: DeltaMessage) -> bool:
    """No field is there, not even an empty one."""
    return delta.reasoning is None and delta.content is None and not delta.tool_calls
