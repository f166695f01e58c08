"""Cases to results: runs a case under each strategy, as a client would receive it, and judges the answer.

Laws: a case that cannot run gives a result with an error and never stops the batch; results come in the order
of cases and strategies, whatever the number of processes.

Source: card 00 (C0-03, C0-10, C0-20).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, cast

from parsers.composition import Composition, Parser, ParserChoice, compose_parser
from parsers.debug.check import CaseLaws
from parsers.debug.delegated import watch
from parsers.debug.feed import GIVEN, Feed, cut_case, has_chunks, open_case
from parsers.debug.laws import CUTS
from parsers.debug.sweep import sweep
from parsers.engine.gate import CallCommit
from parsers.errors import ParserscopeError
from parsers.files.case import Case, StreamCheck
from parsers.files.judge import judge, stream_differences
from parsers.files.result import Result, ResultCall, ResultError, ResultUsage
from parsers.protocol import Accumulator, ChatRequest, DeltaMessage, FinishReason, ParsedMessage
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.serving.message import ChatReply, assemble_reply
from parsers.tokens.base import Delta

WHOLE = "whole"
"""The strategy that parses without streaming."""
MOST_WATCHED = 50_000
"""Tokens of the longest output whose runs are watched and held to the laws; a longer one is only parsed."""
SWEEP, SWEEP_TEXT = "sweep", "sweep:text"
"""What results call all two-way cuts, with ids and text only."""
DEFAULT_STRATEGIES = (WHOLE, "one", "special", "token", "rand:1:8", "rand:2:8", "rand:3:8")
Layer = Literal["serving", "parser"]


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How cases are run.

    Attributes:
        call_commit: "incremental" streams the arguments of a call, "on_close" shows it when it is complete.
        layer: "serving" is what a client receives, "parser" what the parser returns.
        deltas: keep the messages received in the result.
        sweep: try every two-way cut of each case besides the strategies.
        composition: how a case's two names become one parser.
    """

    call_commit: CallCommit = "incremental"
    layer: Layer = "serving"
    deltas: bool = False
    sweep: bool = False
    composition: Composition = "unified"


@dataclass(frozen=True, slots=True)
class Run:
    """One case under one strategy, ready to go: everything a run needs and nothing it shares.

    Attributes:
        request: the case's request with its tools.
        parser: a fresh parser.
    """

    case: Case
    feed: Feed
    strategy: str
    options: ReplayOptions
    request: ChatRequest
    parser: Parser

    @property
    def engine_reason(self) -> FinishReason:
        """Why the engine ended; chunks that were captured ended as the case says, not as simulated."""
        if self.strategy == GIVEN:
            return self.case.engine_finish_reason
        return cast(FinishReason, self.feed.stream.finish_reason)


@dataclass(slots=True)
class Answer:
    """What came out of a run.

    Attributes:
        calls: all calls, those cut off by the end of the output included.
        messages: the deltas received, in order; empty when nothing was streamed.
        failed_checks: stream checks of the case that do not hold, one sentence each.
    """

    reasoning: str | None
    content: str | None
    calls: list[ResultCall]
    finish_reason: FinishReason | None
    messages: list[DeltaMessage] = field(default_factory=list)
    failed_checks: list[str] = field(default_factory=list)


def strategies_of(case: Case, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the strategies to run a case under: those chosen, or the default ones."""
    if chosen:
        return tuple(chosen)
    return (*DEFAULT_STRATEGIES, GIVEN) if has_chunks(case) else DEFAULT_STRATEGIES


def replay(
    cases: Iterable[Case], strategies: Sequence[str] = (), options: ReplayOptions | None = None, jobs: int = 1
) -> Iterator[list[Result]]:
    """Run cases and yield the results of each.

    Args:
        cases: what to run.
        strategies: for every case; empty means the default ones.
        options: how to run them.
        jobs: number of processes; 1 runs in this one.
    """
    run = partial(replay_case, strategies=strategies, options=options or ReplayOptions())
    if jobs == 1:
        yield from map(run, cases)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, cases, chunksize=4)


def replay_case(case: Case, strategies: Sequence[str], options: ReplayOptions) -> list[Result]:
    """Return the result of a case under each strategy; what cannot run has its `error` set."""
    names = strategies_of(case, strategies)
    try:
        feed = open_case(case)
    except ParserscopeError as error:
        return [_failed(case, strategy, error) for strategy in names]
    laws = CaseLaws()
    results = [_run_or_fail(case, feed, strategy, options, laws) for strategy in names]
    return [*results, *sweep_case(case, feed, options)] if options.sweep else results


def sweep_case(case: Case, feed: Feed, options: ReplayOptions) -> Iterator[Result]:
    """Yield a result for all two-way cuts with ids and one for all without; its fields are those of the finest cut."""
    for strategy, finest in ((SWEEP, "token"), (SWEEP_TEXT, "char:0")):
        parser = _parser_of(case, feed, case.chat_request(), options)
        swept = sweep(parser, cut_case(case, feed, finest))
        yield Result(
            id=case.id,
            strategy=strategy,
            reasoning=swept.fields.reasoning,
            content=swept.fields.content,
            tool_calls=[
                ResultCall(index=index, id="", name=call.name, arguments=call.arguments, complete=call.complete)
                for index, call in enumerate(swept.fields.calls)
            ],
            laws=[CUTS] if swept.bad else [],
            differences=[f"cut before {cut.position}: {'; '.join(cut.differences)}" for cut in swept.bad],
        )


def _run_or_fail(case: Case, feed: Feed, strategy: str, options: ReplayOptions, laws: CaseLaws) -> Result:
    try:
        return run_case(case, feed, strategy, options, laws)
    except Exception as error:  # noqa: BLE001 - a defect in one parser must not lose the results of the others
        return _failed(case, strategy, error)


def _failed(case: Case, strategy: str, error: Exception) -> Result:
    match = None if case.expected is None else False
    return Result(id=case.id, strategy=strategy, match=match, error=ResultError.of(error))


def run_case(
    case: Case, feed: Feed, strategy: str, options: ReplayOptions, laws: CaseLaws | None = None
) -> Result:
    """Return the result of one run.

    Args:
        case: what to run.
        feed: the case, opened.
        strategy: how to cut the stream.
        options: how to run it.
        laws: of the case's other runs, which this one must agree with.

    Raises:
        ParserscopeError: the strategy, a name or the tokenizer cannot be used.
    """
    request = case.chat_request()
    parser = _parser_of(case, feed, request, options)
    run = Run(case, feed, strategy, options, request, parser)
    if len(feed.stream.ids) > MOST_WATCHED:
        return _result(run, _answer(run))
    tracer = watch(parser)
    answer = _answer(run)
    tracer.detach()
    result = _result(run, answer)
    if not tracer.records:
        return result  # classic parsers read a whole text by other methods than a stream
    broken = (laws or CaseLaws()).broken(parser, tracer.records, answer.messages, _shows_reasoning(run))
    result.laws = list(broken)
    result.differences += [f"law {law}: {sentence}" for law, sentence in broken.items()]
    return result


def _answer(run: Run) -> Answer:
    return _parse_whole(run) if run.strategy == WHOLE else _Streaming(run).answer()


def _shows_reasoning(run: Run) -> bool:
    return run.request.include_reasoning or run.options.layer == "parser"


def parse_case(case: Case, options: ReplayOptions | None = None) -> ParsedMessage:
    """Return the three fields of a case as the parser sees them, without serving rules.

    Raises:
        ParserscopeError: a name or the tokenizer cannot be used, or the output is too long.
    """
    feed = open_case(case)
    parser = _parser_of(case, feed, case.chat_request(), options or ReplayOptions())
    return parser.parse(feed.stream.text, feed.stream.ids, feed.stream.spans)


def _parser_of(case: Case, feed: Feed, request: ChatRequest, options: ReplayOptions) -> Parser:
    prompt = case.generation_prompt
    if prompt is None and case.prompt_token_ids is not None:
        prompt = feed.tokenizer.decode(case.prompt_token_ids)
    choice = ParserChoice(
        case.reasoning_parser,
        case.tool_parser,
        feed.tokenizer,
        tools=case.tools,
        generation_prompt=prompt,
        template_kwargs=request.chat_template_kwargs,
        call_commit=options.call_commit,
        history_calls=request.history_calls,
        request=request.model_copy(update={"include_reasoning": True}),  # serving hides it, in every composition
        auto_tools=case.server.auto_tools,
        strict_calling=case.server.strict_calling,
    )
    return compose_parser(choice, options.composition)


def _result(run: Run, answer: Answer) -> Result:
    result = Result(
        id=run.case.id,
        strategy=run.strategy,
        reasoning=answer.reasoning,
        content=answer.content,
        tool_calls=answer.calls,
        finish_reason=answer.finish_reason,
        usage=ResultUsage(
            completion_tokens=len(run.feed.stream.ids),
            reasoning_tokens=run.parser.reasoning_tokens if run.case.reasoning_parser else None,
        ),
        deltas=[message.as_json() for message in answer.messages] if run.options.deltas else None,
    )
    differences = judge(run.case, result)
    if differences is not None or answer.failed_checks:
        result.differences = [*(differences or []), *answer.failed_checks]
        result.match = not result.differences
    return result


def _parse_whole(run: Run) -> Answer:
    stream = run.feed.stream
    parsed = run.parser.parse(stream.text, stream.ids, stream.spans)
    reply = ChatReply(parsed, run.engine_reason)
    if run.options.layer == "serving":
        reply = assemble_reply(parsed, run.request, run.engine_reason, run.case.server.auto_tools)
    calls = [
        ResultCall(index=index, id=call.id, name=call.function.name, arguments=call.function.arguments)
        for index, call in enumerate(reply.message.tool_calls)
    ]
    return Answer(reply.message.reasoning, reply.message.content, calls, reply.finish_reason)


class _Streaming:
    """A run delta by delta: parser, serving layer and client."""

    def __init__(self, run: Run) -> None:
        serving = run.options.layer == "serving"
        self._run = run
        auto_tools = run.case.server.auto_tools
        self._processor = ChatStreamProcessor(run.parser, run.request, auto_tools) if serving else None
        self._received = Accumulator()
        self._messages: list[DeltaMessage] = []
        self._finish_reason: FinishReason | None = None
        self._failed_checks: list[str] = []

    def answer(self) -> Answer:
        """Feed all deltas and return what the client has then."""
        run, checks = self._run, self._run.case.stream_checks
        for number, delta in enumerate(cut_case(run.case, run.feed, run.strategy)):
            self._receive(self._chunk(delta))
            if run.strategy == GIVEN:
                self._check(check for check in checks if check.after_chunk == number and not check.at_end)
        self._check(check for check in checks if check.at_end)
        return Answer(
            reasoning=self._received.reasoning,
            content=self._received.content,
            calls=self._calls(),
            finish_reason=self._finish_reason,
            messages=self._messages,
            failed_checks=self._failed_checks,
        )

    def _chunk(self, delta: Delta) -> ChatChunk | None:
        reason = self._run.engine_reason if delta.finished else None
        if self._processor is not None:
            return self._processor.step(delta, reason)
        message = self._run.parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        return ChatChunk(message or DeltaMessage(), reason) if message or reason else None

    def _receive(self, chunk: ChatChunk | None) -> None:
        if chunk is None:
            return
        self._messages.append(chunk.delta)
        self._received.add(chunk.delta)
        self._finish_reason = chunk.finish_reason

    def _check(self, due: Iterable[StreamCheck]) -> None:
        for check in due:
            self._failed_checks += stream_differences(check, self._received)

    def _calls(self) -> list[ResultCall]:
        for call in self._run.parser.calls:
            self._received.mark(call.index, call.complete)
        return [
            ResultCall(
                index=call.index,
                id=call.id or "",
                name=call.name or "",
                arguments=call.arguments,
                complete=bool(call.complete),
            )
            for call in self._received.calls
        ]
