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

from parsers.compose.unified import UnifiedParser
from parsers.debug.feed import GIVEN, Feed, cut_case, has_chunks, open_case
from parsers.errors import ParserscopeError
from parsers.files.case import Case, StreamCheck
from parsers.files.judge import judge, stream_differences
from parsers.files.result import Result, ResultCall, ResultError, ResultUsage
from parsers.protocol import Accumulator, ChatRequest, DeltaMessage, FinishReason, ParsedMessage
from parsers.registry import build_parser
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.serving.message import ChatReply, assemble_reply
from parsers.tokens.base import Delta

WHOLE = "whole"
"""The strategy that parses without streaming."""
DEFAULT_STRATEGIES = (WHOLE, "one", "special", "token", "rand:1:8", "rand:2:8", "rand:3:8")
CallCommit = Literal["incremental", "on_close"]
Layer = Literal["serving", "parser"]


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How cases are run.

    Attributes:
        call_commit: "incremental" streams the arguments of a call, "on_close" shows it when it is complete.
        layer: "serving" is what a client receives, "parser" what the parser returns.
        deltas: keep the messages received in the result.
    """

    call_commit: CallCommit = "incremental"
    layer: Layer = "serving"
    deltas: bool = False


@dataclass(slots=True)
class Answer:
    """What came out of one run.

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
    return [_run_or_fail(case, feed, strategy, options) for strategy in names]


def _run_or_fail(case: Case, feed: Feed, strategy: str, options: ReplayOptions) -> Result:
    try:
        return run_case(case, feed, strategy, options)
    except Exception as error:  # noqa: BLE001 - a defect in one parser must not lose the results of the others
        return _failed(case, strategy, error)


def _failed(case: Case, strategy: str, error: Exception) -> Result:
    match = None if case.expected is None else False
    return Result(id=case.id, strategy=strategy, match=match, error=ResultError.of(error))


def run_case(case: Case, feed: Feed, strategy: str, options: ReplayOptions) -> Result:
    """Return the result of one run.

    Raises:
        ParserscopeError: the strategy, a name or the tokenizer cannot be used.
    """
    request = case.chat_request()
    parser = _parser_of(case, feed, request, options)
    if strategy == WHOLE:
        answer = _parse_whole(case, feed, parser, request, options)
    else:
        answer = _Streaming(case, feed, parser, request, options).run(strategy)
    return _result(case, feed, strategy, parser, answer, keep_deltas=options.deltas)


def parse_case(case: Case) -> ParsedMessage:
    """Return the three fields of a case as the parser sees them, without serving rules.

    Raises:
        ParserscopeError: a name or the tokenizer cannot be used, or the output is too long.
    """
    feed = open_case(case)
    parser = _parser_of(case, feed, case.chat_request(), ReplayOptions())
    return parser.parse(feed.stream.text, feed.stream.ids, feed.stream.spans)


def _parser_of(case: Case, feed: Feed, request: ChatRequest, options: ReplayOptions) -> UnifiedParser:
    prompt = case.generation_prompt
    if prompt is None:
        prompt = feed.tokenizer.decode(case.prompt_token_ids or [])
    return build_parser(
        case.reasoning_parser,
        case.tool_parser,
        feed.tokenizer,
        tools=case.tools,
        generation_prompt=prompt,
        template_kwargs=request.chat_template_kwargs,
        call_commit=options.call_commit,
    )


def _result(
    case: Case, feed: Feed, strategy: str, parser: UnifiedParser, answer: Answer, keep_deltas: bool
) -> Result:
    result = Result(
        id=case.id,
        strategy=strategy,
        reasoning=answer.reasoning,
        content=answer.content,
        tool_calls=answer.calls,
        finish_reason=answer.finish_reason,
        usage=ResultUsage(
            completion_tokens=len(feed.stream.ids),
            reasoning_tokens=parser.reasoning_tokens if case.reasoning_parser else None,
        ),
        deltas=[message.as_json() for message in answer.messages] if keep_deltas else None,
    )
    differences = judge(case, result)
    if differences is not None or answer.failed_checks:
        result.differences = [*(differences or []), *answer.failed_checks]
        result.match = not result.differences
    return result


# --- without streaming ------------------------------------------------------------------------------


def _parse_whole(
    case: Case, feed: Feed, parser: UnifiedParser, request: ChatRequest, options: ReplayOptions
) -> Answer:
    stream = feed.stream
    parsed = parser.parse(stream.text, stream.ids, stream.spans)
    reason = _engine_reason(case, feed, WHOLE)
    reply = (
        assemble_reply(parsed, request, reason) if options.layer == "serving" else ChatReply(parsed, reason)
    )
    return Answer(
        reply.message.reasoning, reply.message.content, _whole_calls(reply.message), reply.finish_reason
    )


def _whole_calls(message: ParsedMessage) -> list[ResultCall]:
    return [
        ResultCall(index=index, id=call.id, name=call.function.name, arguments=call.function.arguments)
        for index, call in enumerate(message.tool_calls)
    ]


def _engine_reason(case: Case, feed: Feed, strategy: str) -> FinishReason:
    """Return why the engine ended; chunks that were captured ended as the case says, not as simulated."""
    return case.engine_finish_reason if strategy == GIVEN else cast(FinishReason, feed.stream.finish_reason)


# --- streaming --------------------------------------------------------------------------------------


class _Streaming:
    """One streaming run: parser, serving layer and client."""

    def __init__(
        self, case: Case, feed: Feed, parser: UnifiedParser, request: ChatRequest, options: ReplayOptions
    ) -> None:
        self._case, self._feed, self._parser = case, feed, parser
        self._processor = ChatStreamProcessor(parser, request) if options.layer == "serving" else None
        self._received = Accumulator()
        self._messages: list[DeltaMessage] = []
        self._finish_reason: FinishReason | None = None
        self._failed_checks: list[str] = []

    def run(self, strategy: str) -> Answer:
        checks = self._case.stream_checks
        engine_reason = _engine_reason(self._case, self._feed, strategy)
        for number, delta in enumerate(cut_case(self._case, self._feed, strategy)):
            self._receive(self._chunk(delta, engine_reason))
            if strategy == GIVEN:
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

    def _chunk(self, delta: Delta, engine_reason: FinishReason) -> ChatChunk | None:
        reason = engine_reason if delta.finished else None
        if self._processor is not None:
            return self._processor.step(delta, reason)
        message = self._parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
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
        for call in self._parser.calls:
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
