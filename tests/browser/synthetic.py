"""Makes packed traces without a parser: script of a model's turn -> the dictionary the stepper reads.

The stepper's own tests and benchmark need traces of any length, with every feature in them (held markers, an
emoji before a marker, two calls, dropped text, a broken law), and must not depend on a format. Follows
`parsers.debug.pack` exactly: columns of equal length, offsets in UTF-16 units, 0-based, half-open.

Run as a script it writes such a trace as JSON: `python tests/browser/synthetic.py DELTAS`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

STATES = ["CONTENT", "REASONING", "TOOL_PREAMBLE", "TOOL_ARGS"]
CONTENT, REASONING, PREAMBLE, ARGS = range(4)

ROWS = [
    (REASONING, "THINK_END", CONTENT, ["REASONING_END"], "the closing marker ends thinking", False),
    (CONTENT, "THINK_START", REASONING, ["REASONING_START"], "thinking opens again", False),
    (CONTENT, "TOOL_START", PREAMBLE, ["TOOL_CALL_START"], "a call begins", False),
    (
        REASONING,
        "TOOL_START",
        PREAMBLE,
        ["REASONING_END", "TOOL_CALL_START"],
        "`<think>a<tool_call>`: never closed",
        True,
    ),
    (PREAMBLE, "ARGS_START", ARGS, ["TOOL_NAME"], "the name is complete", False),
    (ARGS, "TOOL_END", CONTENT, ["TOOL_CALL_END"], "the call is complete", False),
    (PREAMBLE, "TOOL_END", CONTENT, ["TOOL_CALL_END"], "`<tool_call></tool_call>`: nothing inside", True),
]
COLUMNS = """tok shown detok items deferred buffer candidates state rows events codec gate message client r c
call a why"""
MARKERS = {
    "THINK_START": "<think>",
    "THINK_END": "</think>",
    "TOOL_START": "<tool_call>",
    "TOOL_END": "</tool_call>",
}
KIND = {"reasoning": 0, "content": 1, "tool": 2, "marker": 3, "dropped": 4}

THOUGHT = "The user asks about the weather in Paris \U0001f327 and in 東京.\n  Two calls are needed, in order"
ANSWER = "\n\nLet me look that up for you <b>now</b>."
CALLS = [
    ("get_weather", '{"city": "Paris", "days": [1, 2], "unit": {"temperature": "celsius"}}'),
    ("get_weather", '{"city": "東京 \U0001f5fc", "note": "say \\"hi\\" <script>alert(1)</script>"}'),
]


def units(text: str) -> int:
    """Return the length of `text` in UTF-16 units, as JavaScript counts."""
    return len(text.encode("utf-16-le")) // 2


def words(text: str) -> list[str]:
    """Cut `text` roughly as a tokenizer does: a word keeps the space before it."""
    return re.findall(r" ?\w+|[^\w\s]|\s+", text)


class Script:
    """Writes one token a delta and keeps every column of the trace in step."""

    def __init__(self) -> None:
        self.raw: list[str] = []
        self.shown = 0
        self.state = REASONING
        self.fields = {"reasoning": "", "content": ""}
        self.length = {"reasoning": 0, "content": 0}
        self.calls: list[dict[str, Any]] = []
        self.argument_lengths: list[int] = []
        self.gate = [False, -1, -1]
        self.tokens: dict[str, list[Any]] = {"id": [], "text": [], "start": [], "end": [], "kind": []}
        self.origin: dict[str, list[list[Any]]] = {"reasoning": [], "content": []}
        self.account: list[list[Any]] = []
        self.sentences: dict[str, int] = {}
        self.steps: dict[str, list[Any]] = {name: [] for name in COLUMNS.split()}

    @property
    def deltas(self) -> int:
        return len(self.steps["shown"])

    def text(self, field: str, text: str) -> None:
        """Add one delta of field text."""
        start, end = self._token(text, field)
        self._grow(field, text, start, end)
        event = [f"{'REASONING' if field == 'reasoning' else 'TEXT'}_CHUNK", text, -1, start, end, "text"]
        self._step(
            items=[["text", text]],
            events=[event],
            message={field: text},
            why=f"Text goes to {field} at once.",
        )

    def dropped(self, text: str) -> None:
        """Add one delta of text that no field takes."""
        start, end = self._token(text, "dropped")
        self.account.append([start, end, "dropped: whitespace after a call", -1])
        self._step(items=[["text", text]], why="White space after a call belongs to no field: dropped by rule.")

    def marker(self, name: str, row: int, pieces: tuple[str, ...] = ()) -> None:
        """Add a marker: one token, or several whose beginnings the lexer holds back."""
        spelling = MARKERS[name]
        start = self.shown
        *held, last = pieces or (spelling,)
        for count, piece in enumerate(held, 1):
            self._token(piece, "marker")
            self._hold("".join(held[:count]), piece, name)
        _, end = self._token(last, "marker")
        self.account.append([start, end, f"marker {name}", row])
        self._take(row, name, start, end, ["special", name, spelling] if not pieces else ["text", last])

    def call(self, name: str, arguments: str) -> None:
        """Add a whole call."""
        self.marker("TOOL_START", 2)
        head = f'{{"name": "{name}", "arguments": '
        start, end = self._token(head, "tool")
        call = {
            "index": len(self.calls),
            "id": f"call-{len(self.calls)}",
            "name": name,
            "arguments": arguments,
        }
        self.calls.append(call | {"complete": True})
        self.argument_lengths.append(0)
        self.origin[str(call["index"])] = []
        self.account.append([start, end, "marker ARGS_START", 4])
        self.state = ARGS
        opened = {"index": call["index"], "id": call["id"], "type": "function", "function": {"name": name}}
        self._step(
            items=[["text", head]],
            rows=[4],
            events=[["TOOL_NAME", name, call["index"], start, end, "name"]],
            message={"tool_calls": [opened]},
            why=f"The name is complete: the client hears of call {call['index']} now.",
        )
        for piece in words(arguments):
            self._argument(call, piece)
        self._token("}", "dropped")
        self.account.append([self.shown - 1, self.shown, "dropped: closer of the envelope", -1])
        self._step(items=[["text", "}"]], why="The closer of the envelope is no argument text.")
        self.marker("TOOL_END", 5)

    def packed(self) -> dict[str, Any]:
        """Return the trace as the browser gets it."""
        self.steps["tok"].append(len(self.tokens["id"]))
        calls = [self.origin[str(index)] for index in range(len(self.calls))]
        return {
            "version": 1,
            "meta": self._meta(),
            "raw": "".join(self.raw),
            "states": STATES,
            "rows": [
                {
                    "from": a,
                    "terminal": t,
                    "to": b,
                    "events": e,
                    "note": n,
                    "recovery": r,
                    "id": f"synthetic#{i}",
                }
                for i, (a, t, b, e, n, r) in enumerate(ROWS)
            ],
            "markers": [{"name": name, "spelling": text, "token": True} for name, text in MARKERS.items()],
            "fields": self.fields | {"calls": self.calls},
            "tokens": self.tokens,
            "steps": self.steps,
            "sentences": list(self.sentences),
            "origin": {
                "reasoning": self.origin["reasoning"],
                "content": self.origin["content"],
                "calls": calls,
            },
            "account": self.account,
            "laws": [
                {
                    "law": law,
                    "ok": law != "No leak",
                    "detail": "" if law != "No leak" else "made to fail, to be seen",
                }
                for law in ("Account", "Cut invariance", "Growth", "JSON", "Order", "No leak", "Table")
            ],
        }

    def _meta(self) -> dict[str, Any]:
        return {
            "reasoning": "qwen3",
            "tool": "hermes",
            "tokenizer": "bundled",
            "cuts": "token",
            "call_commit": "incremental",
            "start": "REASONING",
            "start_why": "the generation prompt opened thinking",
            "finish_reason": "tool_calls",
            "deltas": self.deltas,
            "parse_ms": 1.0,
            "trace_id": f"synthetic-{self.deltas}",
        }

    def _token(self, text: str, kind: str) -> tuple[int, int]:
        start = self.shown
        self.shown += units(text)
        self.raw.append(text)
        self.steps["tok"].append(len(self.tokens["id"]))
        row = (1000 + len(text), text, start, self.shown, KIND[kind])
        for column, value in zip(self.tokens.values(), row, strict=True):
            column.append(value)
        return start, self.shown

    def _grow(self, field: str, text: str, start: int, end: int) -> None:
        self.fields[field] += text
        out = self.length[field]
        self.length[field] = out + units(text)
        self.origin[field].append([out, self.length[field], start, end, "text"])
        self.account.append([start, end, f"field {field}", -1])

    def _argument(self, call: dict[str, Any], piece: str) -> None:
        start, end = self._token(piece, "tool")
        index = call["index"]
        out = self.argument_lengths[index]
        self.argument_lengths[index] = length = out + units(piece)
        self.origin[str(index)].append([out, length, start, end, "json"])
        self.account.append([start, end, f"field tool_calls[{index}]", -1])
        so_far = call["arguments"].encode("utf-16-le")[: length * 2].decode("utf-16-le")
        codec = {
            "kind": "json_object",
            "raw": so_far[-400:],
            "raw_len": length,
            "json_len": length,
            "depth": so_far.count("{") + so_far.count("[") - so_far.count("}") - so_far.count("]"),
            "in_string": so_far.replace('\\"', "").count('"') % 2 == 1,
            "held": "",
        }
        self._step(
            items=[["text", piece]],
            events=[["ARG_VALUE_CHUNK", piece, index, start, end, "json"]],
            message={"tool_calls": [{"index": index, "function": {"arguments": piece}}]},
            codec=codec,
            why="Argument text is JSON already: sent as it comes.",
        )

    def _hold(self, buffer: str, piece: str, name: str) -> None:
        why = f"Held back: `{buffer}` may become `{MARKERS[name]}`."
        self._step(items=[["text", piece]], buffer=buffer, candidates=[name], why=why)

    def _take(self, row: int, name: str, start: int, end: int, item: list[str]) -> None:
        _, _, self.state, events, _, _ = ROWS[row]
        if "REASONING_END" in events and not self.gate[0]:
            self.gate = [True, self.deltas, row]
        call = len(self.calls) - ("TOOL_CALL_START" not in events) if any("TOOL" in e for e in events) else -1
        self._step(
            items=[item],
            rows=[row],
            events=[[event, "", call, start, end, "row"] for event in events],
            why=f"`{MARKERS[name]}` takes the parser to {STATES[self.state]}.",
        )

    def _step(self, *, items: list[Any], why: str, message: Any = None, **columns: Any) -> None:
        values: dict[str, Any] = {
            "shown": self.shown,
            "detok": "",
            "items": items,
            "deferred": [],
            "buffer": "",
            "candidates": [],
            "state": self.state,
            "rows": [],
            "events": [],
            "codec": None,
            "gate": self.gate,
            "message": message,
            "client": message,
            "r": self.length["reasoning"],
            "c": self.length["content"],
            "call": len(self.calls) - 1 if self.state == ARGS else -1,
            "a": list(self.argument_lengths),
            "why": self.sentences.setdefault(why, len(self.sentences)),
        }
        for name, value in (values | columns).items():
            self.steps[name].append(value)


def turns(script: Script) -> Iterator[None]:
    """Write turn after turn into `script`, pausing after each."""
    while True:
        for piece in words(THOUGHT):
            script.text("reasoning", piece)
        script.marker("THINK_END", 0, ("</", "th", "ink", ">"))
        for piece in words(ANSWER):
            script.text("content", piece)
        if len(script.calls) < len(CALLS):
            for name, arguments in CALLS:
                script.call(name, arguments)
                script.dropped("\n")
        yield
        script.marker("THINK_START", 1)


def synthetic(deltas: int) -> dict[str, Any]:
    """Return a trace of at least `deltas` deltas, at most one turn more."""
    script = Script()
    for _ in turns(script):
        if script.deltas >= deltas:
            return script.packed()
    raise AssertionError("turns never end")


if __name__ == "__main__":
    json.dump(synthetic(int(sys.argv[1])), sys.stdout, ensure_ascii=False, separators=(",", ":"))
