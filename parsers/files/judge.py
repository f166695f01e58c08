"""Whether a result is the expected answer, and if not, what differs, in words.

Only complete calls are part of an answer: a call cut off by the end of the output is dropped by a
non-streaming reply and marked incomplete by a streaming one, and both are right.

Source: card 00 (C0-01 `compare`, `also_accept`, `stream_checks`; C0-04).
"""

from __future__ import annotations

from collections.abc import Iterator

from parsers.files.case import Case, Compare, Expected, ExpectedCall, StreamCheck
from parsers.files.jsontext import is_value
from parsers.files.result import Result, ResultCall
from parsers.protocol import Accumulator


def judge(case: Case, result: Result) -> list[str] | None:
    """Return what differs from the expected answer, one sentence each.

    Returns:
        Empty when the result is the expected answer or an accepted one; None when nothing is expected.
    """
    if case.expected is None:
        return None
    found = differences(case.expected, result, case.compare)
    if any(not differences(answer, result, case.compare) for answer in case.also_accept):
        return []
    return found


def differences(expected: Expected, result: Result, compare: Compare) -> list[str]:
    """Return what differs from one answer, one sentence each; fields absent from it are not compared."""
    return list(_field_differences(expected, result, compare))


def _field_differences(expected: Expected, result: Result, compare: Compare) -> Iterator[str]:
    compared = expected.model_fields_set
    if "reasoning" in compared and not _same_text(expected.reasoning, result.reasoning, compare):
        yield f"reasoning: expected {_shown(expected.reasoning)}, got {_shown(result.reasoning)}"
    if "content" in compared and not _same_text(expected.content, result.content, compare):
        yield f"content: expected {_shown(expected.content)}, got {_shown(result.content)}"
    if "tool_calls" in compared:
        yield from _call_differences(
            expected.tool_calls, [call for call in result.tool_calls if call.complete]
        )
    if "finish_reason" in compared and expected.finish_reason != result.finish_reason:
        yield f"finish_reason: expected {expected.finish_reason}, got {result.finish_reason}"


def _call_differences(expected: list[ExpectedCall], got: list[ResultCall]) -> Iterator[str]:
    if len(expected) != len(got):
        yield f"tool_calls: expected {len(expected)}, got {len(got)}"
        return
    for number, (want, call) in enumerate(zip(expected, got, strict=True)):
        if want.name != call.name:
            yield f"tool_calls[{number}].name: expected {_shown(want.name)}, got {_shown(call.name)}"
        if not is_value(call.arguments, want.arguments):
            yield (
                f"tool_calls[{number}].arguments: expected {_shown(str(want.arguments))}, "
                f"got {_shown(call.arguments)}"
            )


def _same_text(expected: str | None, got: str | None, compare: Compare) -> bool:
    if compare == "exact":
        return expected == got
    expected, got = (expected or "").strip(), (got or "").strip()
    if compare == "collapse-ws":
        return expected.split() == got.split()
    return expected == got


def _shown(text: str | None, longest: int = 80) -> str:
    if text is None:
        return "nothing"
    return repr(text) if len(text) <= longest else f"{text[:longest]!r}… ({len(text)} characters)"


def stream_differences(check: StreamCheck, received: Accumulator) -> list[str]:
    """Return which parts of a check fail for what a client has received so far, one sentence each."""
    moment = "at the end" if check.at_end else f"after chunk {check.after_chunk}"
    return [f"{moment}: {failure}" for failure in _check_failures(check, received)]


def _check_failures(check: StreamCheck, received: Accumulator) -> Iterator[str]:
    content = received.content or ""
    if check.content_at_least is not None and not content.startswith(check.content_at_least):
        yield f"content should be at least {_shown(check.content_at_least)}, is {_shown(content)}"
    if check.content_at_most is not None and not check.content_at_most.startswith(content):
        yield f"content should be at most {_shown(check.content_at_most)}, is {_shown(content)}"
    calls = [call for call in received.calls if check.tool_name in (None, call.name)]
    if check.tool_name is not None and not calls:
        yield f"no call of {check.tool_name!r} yet"
    arguments = calls[-1].arguments if calls else ""
    if check.arguments_at_least is not None and not arguments.startswith(check.arguments_at_least):
        yield f"arguments should be at least {_shown(check.arguments_at_least)}, are {_shown(arguments)}"
