"""Run settings -> a trace, and a cursor over it that can also rebuild the parser at any delta.

`RunSettings` is what a page, a link or a case can ask for; `record` runs it once as a server would; `Session` steps,
goes back and seeks. Law: the parser that `Session.parser` rebuilds at a delta is in the state it had there.

Source: design.md, decisions 9 and 10; issue "Debug".
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Literal

from parsers.args.schema import ParameterTypes
from parsers.composition import Composition, Parser, ParserChoice, compose_parser, is_classic, table_of
from parsers.debug import laws
from parsers.debug.asked import NOTHING_ASKED, RequestSettings, chat_request, overridden
from parsers.debug.delegated import DelegatingTracer, watch
from parsers.debug.exchange import Exchange, findings_of
from parsers.debug.served import send, served
from parsers.debug.stages import DeltaRecord, Fields, LawReport, Tokens, Trace, TraceMeta
from parsers.debug.trace import PARAMS, complete_calls, spelled_by_id
from parsers.errors import LimitError
from parsers.files.limits import check_size
from parsers.files.tools import read_tools
from parsers.protocol import Accumulator, ChatRequest, DeltaMessage, FinishReason, FunctionTool
from parsers.registry import markers_of, special_of
from parsers.state import Snapshot
from parsers.structured.lint import Finding
from parsers.tokens import bundled, chunks, hf
from parsers.tokens.base import Delta, Tokenizer
from parsers.tokens.stream import StreamOptions, TokenStream, simulate, special_ids

WHOLE = "one"
OTHER_CUTS = (WHOLE, "special", "rand:1:8")
"""Cuts that every trace is compared with."""
_BY_CHARACTER = "char:"  # cuts between characters, where there are no ids
MOST_DELTAS = 100_000
"""Deltas that a trace may have: each is a record of a few kilobytes."""
MOST_READ_AGAIN = 100_000_000
"""Characters of a classic parser's run, twice as many as it reads again: some seconds."""
SNAPSHOT_EVERY = 256
"""Deltas between two snapshots of a session: seeking replays half as many on average."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """One run, as a person asks for it.

    Attributes:
        raw_output: what the model wrote, markers spelled out.
        reasoning, tool: parser names; None for none.
        tokenizer: "bundled", a folder, a file or a hub name.
        generation_prompt: the end of the rendered prompt; None or "" when unknown.
        tools_json: function tools as JSON text; "" for none.
        template_kwargs: arguments of the chat template that may switch thinking.
        cuts: a strategy of `tokens.chunks`.
        stop, include_stop, skip_special_tokens, max_tokens: as in a request.
        call_commit: when a call becomes visible.
        text_only: feed no ids.
        engine_finish_reason: why the engine stops when nothing else ends the stream.
        composition: how the two names become one parser.
        request: what else is asked of the request and the server.
    """

    raw_output: str
    reasoning: str | None = None
    tool: str | None = None
    tokenizer: str = bundled.NAME
    generation_prompt: str | None = None
    tools_json: str = ""
    template_kwargs: Mapping[str, object] = field(default_factory=dict)
    cuts: str = "token"
    stop: tuple[str, ...] = ()
    include_stop: bool = False
    skip_special_tokens: bool = False
    max_tokens: int | None = None
    call_commit: Literal["incremental", "on_close"] = "incremental"
    text_only: bool = False
    engine_finish_reason: FinishReason = "stop"
    composition: Composition = "unified"
    request: RequestSettings = NOTHING_ASKED


@dataclass(frozen=True, slots=True)
class Run:
    """Settings made ready: everything that can go wrong for a person has been checked.

    Attributes:
        stream: what a server shows of the output.
        deltas: how it arrives.
    """

    settings: RunSettings
    tools: tuple[FunctionTool, ...]
    tokenizer: Tokenizer
    stream: TokenStream
    deltas: tuple[Delta, ...]

    @property
    def request(self) -> ChatRequest:
        """The request that is answered."""
        return self.exchange.chat

    @property
    def exchange(self) -> Exchange:
        """The request and the server it goes to."""
        return _exchange(self.settings, self.tools, self.tokenizer)

    def parser(self) -> Parser:
        """A fresh parser for this run; hiding reasoning is left to serving, so that a leak can be looked for."""
        settings = self.settings
        choice = ParserChoice(
            settings.reasoning,
            settings.tool,
            self.tokenizer,
            tools=self.tools,
            generation_prompt=settings.generation_prompt,
            template_kwargs=settings.template_kwargs,
            call_commit=settings.call_commit,
            history_calls=settings.request.history_calls,
            request=self.request.model_copy(update={"include_reasoning": True}),
            auto_tools=settings.request.auto_tools,
            strict_calling=settings.request.strict_calling,
        )
        return compose_parser(choice, settings.composition)

    def cut(self, strategy: str) -> tuple[Delta, ...]:
        """The same stream cut in another way, with ids only when this run has them."""
        deltas = chunks.cut(self.stream, strategy, _alone(self.settings, self.tokenizer))
        without_ids = self.settings.text_only or self.settings.cuts.startswith(_BY_CHARACTER)
        return tuple(chunks.text_only(deltas) if without_ids else deltas)


def prepare(settings: RunSettings) -> Run:
    """Check the settings and make the stream.

    Raises:
        ParserscopeError: a name, the tokenizer, the tools, a stop string or the cuts cannot be used, or the output is
            too long; the sentence says what to change.
    """
    check_size(settings.raw_output, "The model output")
    tools, tokenizer = _tools(settings), _tokenizer(settings)
    stream = simulate(tokenizer, tokenizer.encode(settings.raw_output), _stream_options(settings))
    run = Run(settings, tools, tokenizer, stream, ())
    deltas = run.cut(settings.cuts)
    if len(deltas) > MOST_DELTAS:
        raise LimitError(
            f"The output comes in {len(deltas):,} deltas and the limit is {MOST_DELTAS:,}; choose coarser cuts, such "
            "as every:8, or cut the output down to the part that misbehaves."
        )
    _check_classic(settings, run.stream.text, len(deltas))
    return replace(run, deltas=deltas)


def _check_classic(settings: RunSettings, text: str, deltas: int) -> None:
    """Refuse what a classic tool parser, which reads everything again at every delta, would take minutes for."""
    classic = settings.composition == "delegating" and settings.tool and is_classic("tool", settings.tool)
    if classic and deltas * len(text) > MOST_READ_AGAIN:
        raise LimitError(
            f"The classic {settings.tool} parser reads all text again at each of {deltas:,} deltas, which takes "
            "minutes here; choose coarser cuts, such as every:32, a shorter output, or the unified composition."
        )


def check(settings: RunSettings) -> tuple[Finding, ...]:
    """What about a configuration loses data, each with its remedy; nothing is run.

    Raises:
        ParserscopeError: a name, the tokenizer, the tools or the request cannot be used.
    """
    return findings_of(_exchange(settings, _tools(settings), _tokenizer(settings)))


def record(settings: RunSettings) -> Trace:
    """Run once, watched, and return the trace.

    Raises:
        ParserscopeError: as `prepare`.
    """
    return record_run(prepare(settings))


def record_run(run: Run) -> Trace:
    """The trace of a run that is ready."""
    parser = run.parser()
    tracer = watch(parser)
    sent = send(run, parser)
    tracer.detach()
    fields = Accumulator()
    for step in tracer.records:
        fields.add(step.message)
    for call in parser.calls:
        fields.mark(call.index, call.complete)
    unwatched, parse_ms = _unwatched(run)
    start, alphabet = table_of(parser)
    trace = Trace(
        meta=_meta(run, sent.finish_reason, parse_ms),
        config=start.config,
        start=start,
        raw="".join(delta.text for delta in run.deltas),
        tokens=_tokens(run),
        detok=_detokenizer_holds(run),
        records=tuple(tracer.records),
        delegating=tuple(tracer.steps) if isinstance(tracer, DelegatingTracer) else None,
        by_id=spelled_by_id(start.config, alphabet) if any(delta.ids for delta in run.deltas) else frozenset(),
        clients=tuple([chunk.delta if chunk else None for chunk in sent.chunks]),
        served=served(run, sent, fields.reasoning),
        reasoning=fields.reasoning,
        content=fields.content,
        calls=tuple(fields.calls),
    )
    return replace(trace, laws=_laws(run, trace, unwatched))


class Session:
    """A cursor over one run.

    Attributes:
        run, trace: what is stepped through.
        position: deltas taken, 0 to `len(trace.records)`.
    """

    def __init__(self, settings: RunSettings, every: int = SNAPSHOT_EVERY) -> None:
        """Run once and stand before the first delta.

        Args:
            settings: what to run.
            every: deltas between two snapshots.

        Raises:
            ParserscopeError: as `prepare`.
        """
        self.run = prepare(settings)
        self.trace = record_run(self.run)
        self.position = 0
        self._every = every
        self._parser = self.run.parser()
        self._snapshots: list[Snapshot] = [self._parser.snapshot()]

    @property
    def here(self) -> DeltaRecord | None:
        """The delta taken last; None before the first."""
        return self.trace.records[self.position - 1] if self.position else None

    def step(self) -> DeltaRecord | None:
        """Take the next delta; None at the end."""
        if self.position == len(self.trace.records):
            return None
        self.position += 1
        return self.here

    def back(self) -> DeltaRecord | None:
        """Undo the last delta; returns the one before it."""
        return self.seek(self.position - 1)

    def seek(self, position: int) -> DeltaRecord | None:
        """Stand behind the first `position` deltas; positions outside the run are its ends."""
        self.position = min(max(position, 0), len(self.trace.records))
        return self.here

    def parser(self) -> Parser:
        """The parser in the state it has here, to be fed or asked; the next call takes it back."""
        while self._every * len(self._snapshots) <= self.position:
            self._restore(len(self._snapshots) * self._every)
            self._snapshots.append(self._parser.snapshot())
        self._restore(self.position)
        return self._parser

    def _restore(self, position: int) -> None:
        nearest = min(position // self._every, len(self._snapshots) - 1)
        self._parser.restore(self._snapshots[nearest])
        feed(self._parser, self.run.deltas[nearest * self._every : position])
        for call in self._parser.calls:
            call.id = self.trace.calls[call.index].id or call.id  # ids are made anew by every run


def _tools(settings: RunSettings) -> tuple[FunctionTool, ...]:
    return overridden(read_tools(settings.tools_json), settings.request)


def _tokenizer(settings: RunSettings) -> Tokenizer:
    if settings.tokenizer != bundled.NAME:
        return hf.load(settings.tokenizer)
    names = settings.reasoning, settings.tool
    return bundled.load(markers_of(*names), special_of(*names))


def _exchange(settings: RunSettings, tools: Sequence[FunctionTool], tokenizer: Tokenizer) -> Exchange:
    chat = chat_request(
        settings.request,
        tools,
        template_kwargs=settings.template_kwargs,
        stop=settings.stop,
        include_stop=settings.include_stop,
        skip_special_tokens=settings.skip_special_tokens,
    )
    return Exchange(
        settings.request,
        chat,
        settings.reasoning,
        settings.tool,
        tokenizer,
        settings.generation_prompt,
        settings.raw_output,
    )


def _stream_options(settings: RunSettings) -> StreamOptions:
    return StreamOptions(
        stop=settings.stop,
        include_stop=settings.include_stop,
        skip_special_tokens=settings.skip_special_tokens,
        max_tokens=settings.max_tokens,
        finish_reason=settings.engine_finish_reason,
    )


def _unwatched(run: Run) -> tuple[Fields, float]:
    """The fields an unwatched parser gives for the same deltas, and the milliseconds it takes."""
    parser = run.parser()
    begin = time.perf_counter()
    messages = feed(parser, run.deltas)
    parse_ms = (time.perf_counter() - begin) * 1000
    return Fields.of(messages, complete_calls(parser)), parse_ms


def feed(parser: Parser, deltas: Iterable[Delta]) -> list[DeltaMessage | None]:
    """Feed deltas one by one; returns what the parser says to each."""
    return [parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished) for delta in deltas]


def _laws(run: Run, trace: Trace, unwatched: Fields) -> tuple[LawReport, ...]:
    messages = [step.message for step in trace.records]
    fields = Fields.of(messages, {call.index for call in trace.calls if call.complete})
    cuts = {"the same, unwatched": unwatched} | {strategy: _fields_of(run, strategy) for strategy in OTHER_CUTS}
    return laws.reports(
        laws.of_run(trace.config, trace.by_id, trace.records, fields, _types(run, trace))
        | {laws.CUTS: laws.cut_invariance(fields, cuts), laws.GROWTH: laws.growth(messages, cuts[WHOLE])}
    )


def _types(run: Run, trace: Trace) -> dict[str, ParameterTypes]:
    """The types of the tools, for a format that writes values as raw text and leaves their types to the schema."""
    raw_values = any(step.codec and step.codec.kind == PARAMS for step in trace.records)
    raw_values = raw_values and not trace.config.declared_types
    return {tool.name: ParameterTypes(tool.parameters, trace.config.untyped) for tool in run.tools if raw_values}


def _fields_of(run: Run, strategy: str) -> Fields:
    parser = run.parser()
    return Fields.of(feed(parser, run.cut(strategy)), complete_calls(parser))


def _alone(settings: RunSettings, tokenizer: Tokenizer) -> frozenset[int]:
    """The ids that the strategy `special` sets apart."""
    markers = markers_of(settings.reasoning, settings.tool)
    return special_ids(tokenizer).union(tokenizer.vocab[text] for text in markers if text in tokenizer.vocab)


def _meta(run: Run, finish_reason: FinishReason | None, parse_ms: float) -> TraceMeta:
    settings = run.settings
    text = json.dumps(asdict(settings), sort_keys=True, default=str)
    return TraceMeta(
        reasoning=settings.reasoning,
        tool=settings.tool,
        tokenizer=run.tokenizer.name,
        cuts=settings.cuts,
        call_commit=settings.call_commit,
        trace_id=hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest(),
        finish_reason=finish_reason,
        parse_ms=parse_ms,
    )


def _tokens(run: Run) -> Tokens:
    if not any(delta.ids for delta in run.deltas):
        return _text_pieces(run.deltas)
    stream = run.stream
    text_of = run.tokenizer.token_text
    texts = [stream.text[s:e] or text_of(i) for i, (s, e) in zip(stream.ids, stream.spans, strict=True)]
    return Tokens(stream.ids, tuple(texts), stream.spans, _edges([len(delta.ids) for delta in run.deltas]))


def _text_pieces(deltas: Sequence[Delta]) -> Tokens:
    edges = _edges([len(delta.text) for delta in deltas])
    spans = tuple(pairwise(edges))
    return Tokens(None, tuple([delta.text for delta in deltas]), spans, tuple(range(len(deltas) + 1)))


def _edges(sizes: Sequence[int]) -> tuple[int, ...]:
    return (0, *accumulate(sizes))


def _detokenizer_holds(run: Run) -> tuple[str, ...]:
    """For each delta the text of its ids and earlier ones that is not shown yet."""
    stream, held, taken = run.stream, [], 0
    for delta in run.deltas:
        taken += len(delta.ids)
        held.append("" if delta.finished or not delta.ids else _held_after(stream, run.tokenizer, taken))
    return tuple(held)


def _held_after(stream: TokenStream, tokenizer: Tokenizer, taken: int) -> str:
    whole = taken
    while whole and stream.withheld[whole - 1] == "bytes":
        whole -= 1
    until = stream.spans[whole - 1][1] if whole else 0
    return stream.text[stream.shown[taken] : until] + tokenizer.decode(stream.ids[whole:taken])
