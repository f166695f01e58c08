"""What was served -> the part `serving` of the trace the browser gets.

Lines are one list, with the place where each delta's begin; the timeline is two columns of small numbers beside the
few sentences they stand for. Nothing is there twice, so the size grows with the output.

Source: design.md, decision 10; card 01 (P-38, P-44), card 05 (S-70).
"""

from __future__ import annotations

import json
from itertools import accumulate

from parsers.debug.served import ConstraintTimeline, Sent, Served
from parsers.serving.audit import NEVER_HIDDEN
from parsers.structured.request import Prepared
from parsers.structured.timeline import Freedom

_FREEDOMS = {freedom: number for number, freedom in enumerate((Freedom.FREE, Freedom.MASKED, Freedom.GRAMMAR))}

Columns = dict[str, object]


def serving_json(served: Served) -> Columns:
    """The JSON object; lines before `line_of[0]` open the response, those from `line_of[-1]` on close it."""
    sent = served.sent
    return {
        "lines": [*sent.opening, *(line for lines in sent.steps for line in lines), *sent.closing],
        "line_of": _first_lines(sent),
        "usage": _usage(served),
        "audit": _audit(served),
        "timeline": None if served.timeline is None else _timeline(served.timeline),
        "prepared": _prepared(served.prepared),
    }


def _first_lines(sent: Sent) -> list[int]:
    """For each delta the index of its first line, and one closing entry."""
    return list(accumulate(map(len, sent.steps), initial=len(sent.opening)))


def _usage(served: Served) -> Columns:
    usage = served.usage
    details = usage.completion_tokens_details
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "reasoning_tokens": None if details is None else details.reasoning_tokens,
        "reasoning_generated_only": served.generated_only,
    }


def _audit(served: Served) -> Columns:
    audit = served.audit
    return {
        "hidden": served.hidden,
        "checked": audit.checked,
        "leaks": [{"field": leak.field, "text": leak.text} for leak in audit.leaks],
        "unreadable": audit.unreadable,
        "never_hidden": NEVER_HIDDEN,
    }


def _timeline(timeline: ConstraintTimeline) -> Columns:
    sentences: dict[tuple[str, str], int] = {}
    why = [sentences.setdefault((token.rule, token.why), len(sentences)) for token in timeline.tokens]
    return {
        "freedom": [_FREEDOMS[token.freedom] for token in timeline.tokens],
        "why": why,
        "sentences": [{"rule": rule, "why": clause} for rule, clause in sentences],
        "start": timeline.start,
    }


def _prepared(prepared: Prepared) -> Columns:
    constraint = prepared.constraint
    return {
        "steps": [{"rule": step.rule, "what": step.what} for step in prepared.steps],
        "warnings": prepared.warnings,
        "constraint": None
        if constraint is None
        else json.dumps({constraint.kind: constraint.value}, ensure_ascii=False, indent=2),
    }
