"""Adds to a synthetic trace what the panels below the stepper show: the keys `serving` and `delegating` of a pack.

Made from the trace's own columns, so that a test can say what has to be seen at each delta. Hidden reasoning leaks in
one field, the constraint has all three kinds of freedom, and the delegating state changes where thinking ends.
"""

from __future__ import annotations

import json
from typing import Any

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
DONE = "data: [DONE]"
NEVER_HIDDEN = ["prompt_token_ids", "stop_reason", "usage", "time of each chunk"]
FREE, MASKED, GRAMMAR = range(3)
SENTENCES = [
    {"rule": "S-50", "why": "thinking is not constrained"},
    {"rule": "S-51", "why": "the grammar cannot start with a tool opener"},
    {"rule": "S-50", "why": "reasoning has ended at `</think>`"},
]
TAG = {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<tool_call>"]}}
PHASES = ["hear_prompt", "advance", "reason", "switch", "prepare", "call_tools", "pass_through", "finish"]
FIELDS = ["reasoning_ended", "tool_call_text_started", "previous_text", "history_tool_call_cnt_initialized"]
CLIP = 60

Json = dict[str, Any]


def with_panels(trace: Json, hidden: bool = False, constrained: bool = True) -> Json:
    """Return the trace with both keys.

    Args:
        trace: from `synthetic`.
        hidden: reasoning is hidden from the client, and leaks in `logprobs.token`.
        constrained: a grammar applies once reasoning has ended.
    """
    clients = [_without_reasoning(message) if hidden else message for message in trace["steps"]["message"]]
    steps = trace["steps"] | {"client": clients}
    serving = {
        **_lines(clients),
        "usage": {
            "prompt_tokens": 31,
            "completion_tokens": len(trace["tokens"]["id"]),
            "total_tokens": 31 + len(trace["tokens"]["id"]),
            "reasoning_tokens": 22,
            "reasoning_generated_only": 0,
        },
        "audit": _audit(trace) if hidden else _no_audit(),
        "timeline": _timeline(trace) if constrained else None,
        "prepared": {
            "steps": [{"rule": "S-36", "what": "`required` is read in the parser's own markup"}] * constrained,
            "warnings": ["<b>S-71</b>: the tag asks for `hermes`"] * constrained,
            "constraint": json.dumps(TAG) if constrained else None,
        },
    }
    return trace | {"steps": steps, "serving": serving, "delegating": _delegating(trace)}


def _without_reasoning(message: Json | None) -> Json | None:
    kept = {name: value for name, value in (message or {}).items() if name != "reasoning"}
    return kept or None


def _lines(clients: list[Json | None]) -> Json:
    """One line a message; the first choice opens, the counts and the sentinel close."""
    lines, line_of = [_line({"delta": {"role": "assistant", "content": ""}})], []
    for message in clients:
        line_of.append(len(lines))
        if message is not None:
            lines.append(_line({"delta": message, "finish_reason": None}))
    line_of.append(len(lines))
    return {"lines": [*lines, _line(None), DONE], "line_of": line_of}


def _line(choice: Json | None) -> str:
    choices = [] if choice is None else [{"index": 0, **choice}]
    return "data: " + json.dumps(HEAD | {"choices": choices}, ensure_ascii=False)


def _audit(trace: Json) -> Json:
    leak = {"field": "logprobs.token", "text": trace["fields"]["reasoning"][:200]}
    checked = ["reasoning", "content", "tool_calls", "logprobs.token", "logprobs.bytes", "top_logprobs"]
    return {
        "hidden": True,
        "checked": checked,
        "leaks": [leak],
        "unreadable": ["token_ids"],
        "never_hidden": NEVER_HIDDEN,
    }


def _no_audit() -> Json:
    return {"hidden": False, "checked": [], "leaks": [], "unreadable": [], "never_hidden": NEVER_HIDDEN}


def switch_token(trace: Json) -> int:
    """Return the first token behind the first end of thinking."""
    steps = trace["steps"]
    return steps["tok"][steps["gate"].index(next(gate for gate in steps["gate"] if gate[0])) + 1]


def _timeline(trace: Json) -> Json:
    count, start = len(trace["tokens"]["id"]), switch_token(trace)
    kinds = [FREE] * 3 + [MASKED] * (start - 3) + [GRAMMAR] * (count - start)
    return {"freedom": kinds, "why": kinds, "sentences": SENTENCES, "start": start}


def _delegating(trace: Json) -> Json:
    steps, gates = [], [gate[0] for gate in trace["steps"]["gate"]]
    before: list[Any] = [False, False, "", False]
    for i, ended in enumerate(gates):
        text = trace["raw"].encode("utf-16-le")[: 2 * trace["steps"]["shown"][i]].decode("utf-16-le")[-CLIP:]
        after = [ended, ended, text, True]
        steps.append({"before": before, "after": after, "phases": _phases(before[0], ended)})
        before = after
    return {"phases": PHASES, "fields": FIELDS, "steps": steps}


def _phases(was_ended: bool, ended: bool) -> list[list[Any]]:
    acted: list[list[Any]] = [[1, "`previous` grows by this delta (D-02)"]]
    if not was_ended:
        acted.append([2, "the reasoning parser reads the delta (D-20)"])
    if ended and not was_ended:
        acted.append([3, "reasoning ended: `</think>` was processed (D-27)"])
    if ended:
        acted.append([5, "the tool parser reads what is left (D-35)"])
    return acted
