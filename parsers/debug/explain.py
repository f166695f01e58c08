"""A trace -> one plain sentence for each delta: what happened and, when text is held back, why.

A sentence is made of clauses: what happened, in order, and at most one reason for holding. Every clause is a row of
`CLAUSES`; markers and text stand between backticks as they were spelled.

Source: issue "Step page"; card ui (7); users ask for the reason of every wait (users-ask 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from parsers.debug.stages import DeltaRecord, RowTaken, Trace
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    NEWLINE,
    NEWLINES,
    OTHER,
    SPACES,
    ParserEngineConfig,
    ParserState,
    Sink,
)
from parsers.engine.events import CALL_ID, INCOMPLETE, EventType
from parsers.engine.lexer import TEXT
from parsers.tokens.base import REPLACEMENT

CLAUSES: Mapping[str, str] = {
    # what happened
    "reasoning opens": "{marker} opens the reasoning",
    "reasoning ends": "{marker} ends the reasoning",
    "reasoning is over": "the reasoning is over",
    "recovery": "{marker} is unexpected here: {note}",
    "state": "{marker} leads from {before} to {state}",
    "stay": "{marker} belongs to {state}",
    "call named": "the name is complete: call {call}, {name}, is announced",
    "call complete": "call {call} is complete",
    "call cut": "call {call} ends incomplete",
    "given back": "this is no tool call, so its text is content after all",
    "reasoning text": "text goes to the reasoning",
    "content text": "text goes to the content",
    "argument text": "text goes to the arguments of call {call}",
    "dropped": "{text} is dropped: {rule}",
    "name part": "part of a function's name",
    "key part": "part of a parameter's name",
    "type part": "part of a parameter's type",
    "header part": "part of a header",
    "no text": "no visible text",
    "quiet": "syntax that no field shows",
    # why text is held
    "held bytes": "the detokenizer holds part of a character until the rest comes",
    "held stop": "{text} is held by the server: it may begin a stop string",
    "held special": "a special token, which shows no text",
    "held deferred": "the id of {marker} has come before its text, so all that follows waits",
    "held prefix": "{text} is held: it may become {markers}",
    "held guard": "{text} is held: whether {marker} counts depends on what follows",
    "held special text": "{text} is held: it may become a special token, which shows no text",
    "held space": "white space is held: a marker must come first",
    "held value": "{text} is held: a value that is no string may still change, so it waits for its closer",
    "held brace": "{text} is held until it is certain that the arguments are over",
    "held body": "{text} is held until the function's name is known",
    "held edge": "white space is held: at the end of the {field} it would be dropped",
    "held text": "{text} is held: what follows decides what it becomes",
    "held call": "nothing is sent before the name is complete, for this may turn out to be text",
    "held whole call": "nothing is sent before the call is complete",
    "end": "the stream is over",
}
STATES: Mapping[str, str] = {
    ParserState.CONTENT: "content",
    ParserState.REASONING: "reasoning",
    ParserState.MESSAGE_HEADER: "the header of a message",
    ParserState.TOOL_PREAMBLE: "a tool region",
    ParserState.TOOL_HEADER: "the header of a call",
    ParserState.TOOL_NAME: "a function's name",
    ParserState.TOOL_ARGS: "a call's arguments",
    ParserState.TOOL_OBJECT: "a call written as an object",
    ParserState.TOOL_BETWEEN: "the space between calls",
    ParserState.ARG_KEY: "a parameter's name",
    ParserState.ARG_TYPE: "a parameter's type",
    ParserState.ARG_VALUE: "a parameter's value",
    ParserState.START: "the start of a turn",
    ParserState.BROKEN: "text that is no call",
    ParserState.IGNORE: "text that goes nowhere",
}
RAISED: Mapping[str, str] = {
    OTHER: "text that is no marker",
    BODY_END: "the end of the body",
    BODY_BAD: "a body of another shape",
}
_Placed = tuple[int, str]  # a raw position and the clause that belongs there
_MOST_CLAUSES = 3
_MOST_MARKERS = 3
_LONGEST_CODE = 40
_PARTS = {Sink.NAME: "name part", Sink.KEY: "key part", Sink.TYPE: "type part", Sink.HEADER: "header part"}
_FLEXIBLE = str.maketrans({SPACES: "", NEWLINES: "", NEWLINE: ""})
_CODE = str.maketrans({"`": "'", "\n": "⏎", "\t": "⇥", "\r": "␍"})


def explain(trace: Trace) -> Iterator[str]:
    """Yield the sentence of each delta, in order."""
    explainer = _Explainer(trace.config, trace.meta.call_commit)
    for record, detok in zip(trace.records, trace.detok, strict=True):
        yield explainer.sentence(record, detok)


class _Explainer:
    def __init__(self, config: ParserEngineConfig, call_commit: str) -> None:
        self._config = config
        self._whole_calls = call_commit == "on_close"
        self._rules = frozenset(f"{config.name}#{index}" for index in range(len(config.rows)))
        self._spellings = {name: spelled(terminal.spellings[0]) for name, terminal in config.terminals.items()}

    def sentence(self, record: DeltaRecord, detok: str) -> str:
        """What happened in one delta and why text is held after it.

        Args:
            detok: text the detokenizer holds.
        """
        happened = list(dict.fromkeys(self._happened(record)))
        held = _clause("end") if record.delta.finished else self._held(record, detok)
        if not happened:
            happened = [] if held else [self._nothing(record)]
        return _joined(happened, held)

    # --- what happened ------------------------------------------------------------------------------------

    def _happened(self, record: DeltaRecord) -> list[str]:
        """Clauses in the order of the raw text; where they meet: markers, names, text, ends of calls."""
        parts = [*self._rows_taken(record), *self._announced(record), *self._text(record), *self._ended(record)]
        if not record.rows:
            parts += self._markup(record)
        return [clause for _, clause in sorted(parts, key=lambda part: part[0])]

    def _rows_taken(self, record: DeltaRecord) -> Iterator[_Placed]:
        markers = [lexeme for lexeme in record.lexemes if lexeme.name != TEXT]
        at = 0
        for taken in record.rows:
            row = self._config.rows[taken.row]
            while markers and markers[0].name != row.terminal and row.terminal not in RAISED:
                markers.pop(0)
            marker = RAISED.get(row.terminal, row.terminal)
            if markers and markers[0].name == row.terminal:
                lexeme = markers.pop(0)
                marker, at = code(lexeme.text.strip() or lexeme.text) if lexeme.text else marker, lexeme.start
            clause = self._row(taken, marker, record)
            if clause:
                yield at, clause

    def _row(self, taken: RowTaken, marker: str, record: DeltaRecord) -> str:
        row = self._config.rows[taken.row]
        rule = f"{self._config.name}#{taken.row}"
        kinds = {event.type for event in record.events if event.rule == rule}
        if row.recovery and row.note:
            return _clause("recovery", marker=marker, note=row.note)
        if EventType.REASONING_END in kinds:
            return _clause("reasoning ends", marker=marker)
        if EventType.REASONING_START in kinds:
            return _clause("reasoning opens", marker=marker)
        if not marker.startswith("`"):
            return ""
        kind = "stay" if taken.state == row.state else "state"
        return _clause(kind, marker=marker, before=_named(row.state), state=_named(taken.state))

    def _announced(self, record: DeltaRecord) -> Iterator[_Placed]:
        for event in record.events:
            if event.type is EventType.TOOL_NAME and event.rule != CALL_ID:
                yield event.end, _clause("call named", call=event.tool_index, name=code(event.value))
            elif event.type is EventType.TEXT_CHUNK and not event.rule.startswith("text in "):
                yield event.end, _clause("given back")

    def _ended(self, record: DeltaRecord) -> Iterator[_Placed]:
        for event in record.events:
            if event.type is EventType.TOOL_CALL_END:
                kind = "call cut" if event.value == INCOMPLETE else "call complete"
                yield event.start, _clause(kind, call=event.tool_index)
            elif event.type is EventType.REASONING_END and event.rule not in self._rules:
                yield event.start, _clause("reasoning is over")

    def _text(self, record: DeltaRecord) -> Iterator[_Placed]:
        for piece in record.pieces:
            if piece.slot == "nowhere":
                yield piece.start, _clause("dropped", text=code(piece.text), rule=piece.rule)
            elif piece.slot == "arguments":
                yield piece.start, _clause("argument text", call=piece.call)
            else:
                yield piece.start, _clause(f"{piece.slot} text")

    def _markup(self, record: DeltaRecord) -> Iterator[_Placed]:
        for event in record.events:
            if event.type is EventType.DROPPED and event.value:
                yield event.start, _clause("dropped", text=code(event.value), rule=event.rule)
        part = _PARTS.get(self._config.sink(record.state))
        texts = [lexeme for lexeme in record.lexemes if lexeme.name == TEXT and lexeme.text]
        if part and texts:
            yield texts[-1].start, _clause(part)

    def _nothing(self, record: DeltaRecord) -> str:
        return _clause("quiet" if record.delta.text else "no text")

    # --- why text is held ---------------------------------------------------------------------------------

    def _held(self, record: DeltaRecord, detok: str) -> str:
        """The first reason that applies, from the stage nearest to the input on."""
        return (
            self._held_by_server(record, detok)
            or self._held_by_lexer(record)
            or self._held_by_codec(record)
            or self._held_by_field(record)
            or self._held_by_gate(record)
        )

    def _held_by_server(self, record: DeltaRecord, detok: str) -> str:
        if REPLACEMENT in detok:
            return _clause("held bytes")
        if detok:
            return _clause("held stop", text=code(detok))
        if record.deferred:
            return _clause("held deferred", marker=code(self._spelling(record.deferred[0])))
        shows_nothing = record.delta.ids and not record.delta.text and not record.rows
        return _clause("held special") if shows_nothing and not record.buffer else ""

    def _held_by_lexer(self, record: DeltaRecord) -> str:
        held = record.buffer
        if not held:
            return ""
        if held.isspace() and not record.candidates:
            return _clause("held space")
        whole = [name for name in record.candidates if self._spelling(name) in held]
        if whole:
            return _clause("held guard", text=code(held), marker=code(self._spelling(whole[0])))
        if record.candidates:
            return _clause("held prefix", text=code(held), markers=self._any_of(record.candidates))
        if any(special.startswith(held) for special in self._config.special):
            return _clause("held special text", text=code(held))
        return _clause("held guard", text=code(held), marker="it")

    def _held_by_codec(self, record: DeltaRecord) -> str:
        codec = record.codec
        if codec is None or not codec.held:
            return ""
        kind = {"params": "held value", "json": "held brace"}.get(codec.kind, "held body")
        return _clause(kind, text=code(codec.held))

    def _held_by_field(self, record: DeltaRecord) -> str:
        """Text that the machine gave to a field and that was not put there, nor dropped."""
        texts = [e for e in record.events if e.type in (EventType.TEXT_CHUNK, EventType.REASONING_CHUNK)]
        if not texts or any(piece.end >= texts[-1].end for piece in record.pieces):
            return ""
        last = texts[-1]
        rest = last.value.rstrip()
        if len(rest) < len(last.value):
            field = "content" if last.type is EventType.TEXT_CHUNK else "reasoning"
            return _clause("held edge", field=field)
        return _clause("held text", text=code(last.value))

    def _held_by_gate(self, record: DeltaRecord) -> str:
        if not record.waiting:
            return ""
        return _clause("held whole call" if self._whole_calls else "held call")

    def _any_of(self, names: tuple[str, ...]) -> str:
        spellings = list(dict.fromkeys(code(self._spelling(name)) for name in names))
        shown = spellings[:_MOST_MARKERS]
        if len(spellings) > _MOST_MARKERS:
            return f"{', '.join(shown)} or {len(spellings) - _MOST_MARKERS} more"
        return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

    def _spelling(self, name: str) -> str:
        return self._spellings.get(name, name)


def code(text: str) -> str:
    """Text between backticks, on one line, its middle left out when it is long."""
    if len(text) > _LONGEST_CODE:
        text = f"{text[: _LONGEST_CODE // 2]}…{text[-_LONGEST_CODE // 2 :]}"
    text = text.translate(_CODE)
    return f"`{text.replace(' ', '␣') if text.isspace() else text}`"


def spelled(spelling: str) -> str:
    """A spelling for people: white space that may be left out is left out."""
    return spelling.translate(_FLEXIBLE)


def _named(state: str) -> str:
    return STATES.get(state, state)


def _clause(kind: str, **words: object) -> str:
    return CLAUSES[kind].format(**words)


def _joined(happened: list[str], held: str) -> str:
    shown = happened[:_MOST_CLAUSES]
    if len(happened) > _MOST_CLAUSES:
        shown[-1] = f"{len(happened) - _MOST_CLAUSES + 1} more steps"
    parts = [", then ".join(shown)] if shown else []
    sentence = "; ".join([*parts, held] if held else parts)
    return sentence[0].upper() + sentence[1:] + "."
