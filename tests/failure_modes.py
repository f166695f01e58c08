"""One sample of a failure mode, served in every way it can arrive: groupings, lags, frames, whole.

The fields of these samples are told in samples/failures/README.md. Text lags behind its ids as behind a stop string
that never comes. Deltas tell the places of their tokens, or do not, as in a captured stream.

Source: card 07 (F-50), card 06 (T-15, T-16, T-33, T-40).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from parsers.composition import Composition, Parser, ParserChoice, compose_parser
from parsers.files.case import Case, Expected
from parsers.files.jsontext import is_value
from parsers.files.sample import samples
from parsers.protocol import Accumulator, JsonObject
from parsers.registry import markers_of, special_of
from parsers.serving.chat import ChatStreamProcessor
from parsers.serving.message import assemble_reply
from parsers.tokens.base import Delta
from parsers.tokens.chunks import all_groupings, cut_at, text_deltas
from parsers.tokens.stream import StreamOptions, TokenStream, simulate
from parsers.tokens.texts import TextTokenizer, from_utf8_hex

COMPOSITIONS: tuple[Composition, ...] = ("unified", "delegating")
LAGS = (0, 3, 7, 11, 40)
"""Characters that text arrives behind its ids."""
NEVER_WRITTEN = "☃"
"""A stop string of these holds text back and never ends it."""
FOLDER = "failures/"
SAMPLES = {name.removeprefix(FOLDER): case for name, case in samples().items() if name.startswith(FOLDER)}


@dataclass(frozen=True)
class Outcome:
    """What a client has in the end.

    Attributes:
        cut_calls: announced, and never completed.
        reasoning_tokens: None where it was not asked for.
    """

    reasoning: str | None
    content: str | None
    calls: tuple[tuple[str, str], ...]
    cut_calls: tuple[tuple[str, str], ...]
    finish_reason: str | None
    reasoning_tokens: int | None = None


class Opened:
    """A sample made ready.

    Attributes:
        has_ids: its tokens are known; otherwise it is a stream of text alone.
        tokenizer: of its tokens, or of the markers alone.
    """

    def __init__(self, case: Case, composition: Composition = "unified") -> None:
        names = case.reasoning_parser, case.tool_parser
        self.case, self.composition, self.request = case, composition, case.chat_request()
        self.has_ids = case.tokens is not None
        self.tokenizer = TextTokenizer(case.tokens or (), markers_of(*names), special_of(*names))

    def extra(self, name: str) -> Any:
        """A field that only these samples have; None when it is left out."""
        return (self.case.model_extra or {}).get(name)

    @property
    def differs(self) -> bool:
        """A classic parser takes part and has answers of its own."""
        return self.composition == "delegating" and self.extra("classic") is not None

    def parser(self) -> Parser:
        """A fresh parser for the request."""
        case, request = self.case, self.request
        choice = ParserChoice(
            case.reasoning_parser, case.tool_parser, self.tokenizer, case.tools, case.generation_prompt,
            request.chat_template_kwargs, history_calls=request.history_calls, request=request,
            auto_tools=case.server.auto_tools, strict_calling=case.server.strict_calling,
        )  # fmt: skip
        return compose_parser(choice, self.composition)

    def stream(self, lag: int = 0) -> TokenStream:
        """The sample's ids with text at least `lag` characters behind."""
        filler = (NEVER_WRITTEN * (lag + 1),) if lag else ()
        skips = "skip_special_tokens" in self.request.model_fields_set and self.request.skip_special_tokens
        options = StreamOptions(
            stop=(*self.request.stop, *filler),
            skip_special_tokens=skips,
            finish_reason=self.case.engine_finish_reason,
        )
        return simulate(self.tokenizer, self.tokenizer.ids, options)

    def texts(self) -> list[str]:
        """The pieces of a sample without ids."""
        return self.case.chunks or [delta.text for delta in from_utf8_hex(self.case.chunks_utf8_hex or [])]

    def groupings(self, lags: Sequence[int] = LAGS) -> Iterator[tuple[str, list[Delta], str]]:
        """Every grouping at every lag: a label, the deltas, why the engine ended. Text alone has no lag."""
        if not self.has_ids:
            for cuts in all_groupings(len(self.texts())):
                yield f"cut at {cuts}", text_deltas(_joined(self.texts(), cuts)), self.case.engine_finish_reason
            return
        for lag in lags:
            stream = self.stream(lag)
            for cuts in all_groupings(len(stream.ids)):
                yield f"lag {lag}, cut at {cuts}", cut_at(stream, cuts), stream.finish_reason

    def frames(self) -> list[Delta]:
        """The deltas as the sample's engine sent them, places of tokens unknown."""
        if not self.has_ids:
            return text_deltas(self.texts())
        frames, ids = self.extra("frames"), iter(self.tokenizer.ids)
        if frames is None:
            return without_places(cut_at(self.stream(), range(len(self.tokenizer.ids))))
        deltas = [Delta(text, tuple(next(ids) for _ in range(count)), None) for text, count in frames]
        return [*deltas[:-1], replace(deltas[-1], finished=True)]

    def whole(self) -> Outcome:
        """The outcome for a request that does not stream, which leaves cut calls out."""
        parser, reason = self.parser(), self.case.engine_finish_reason
        if self.has_ids:
            stream = self.stream()
            parsed, reason = parser.parse(stream.text, stream.ids, stream.spans), stream.finish_reason
        else:
            parsed = parser.parse("".join(self.texts()))
        reply = assemble_reply(parsed, self.request, reason, self.case.server.auto_tools)
        calls = tuple((call.function.name, call.function.arguments) for call in reply.message.tool_calls)
        return Outcome(reply.message.reasoning, reply.message.content, calls, (), reply.finish_reason)


class Served:
    """One run of a sample.

    Attributes:
        chunks: what was sent for each delta; None where nothing was.
        received: what a client made of it.
    """

    def __init__(self, opened: Opened, deltas: Sequence[Delta], engine_reason: str) -> None:
        self.parser = opened.parser()
        processor = ChatStreamProcessor(
            self.parser, opened.request, opened.case.server.auto_tools, opened.tokenizer.token_text
        )
        self.chunks = [processor.step(delta, engine_reason if delta.finished else None) for delta in deltas]
        self.sent = [chunk for chunk in self.chunks if chunk is not None]
        self.received = Accumulator()
        for chunk in self.sent:
            self.received.add(chunk.delta)

    def outcome(self, counted: bool) -> Outcome:
        """What the client has in the end."""
        complete = {call.index for call in self.parser.calls if call.complete}
        calls = [(call.index in complete, (call.name or "", call.arguments)) for call in self.received.calls]
        return Outcome(
            self.received.reasoning,
            self.received.content,
            tuple(call for is_complete, call in calls if is_complete),
            tuple(call for is_complete, call in calls if not is_complete),
            self.sent[-1].finish_reason,
            self.parser.reasoning_tokens if counted else None,
        )


def without_places(deltas: Sequence[Delta]) -> list[Delta]:
    """The same deltas with the places of their tokens unknown."""
    return [replace(delta, spans=None) for delta in deltas]


def is_answer(outcome: Outcome, expected: Expected) -> bool:
    """Tell whether the fields are the expected ones, letter by letter; fields absent there are not compared."""
    found = {name: value for name, value in vars(outcome).items() if name in expected.model_fields_set}
    wanted = {name: value for name, value in expected if name in found}
    same_calls = [call.name for call in expected.tool_calls] == [name for name, _ in outcome.calls]
    pairs = zip(expected.tool_calls, outcome.calls, strict=False)
    return found == wanted and same_calls and all(is_value(text, call.arguments) for call, (_, text) in pairs)


def without_ids(message: JsonObject) -> JsonObject:
    """A message without the ids of its calls, which are random."""
    calls = [{name: value for name, value in call.items() if name != "id"} for call in message.get("tool_calls", [])]
    return {**message, "tool_calls": calls} if calls else message


def _joined(pieces: Sequence[str], cuts: Sequence[int]) -> list[str]:
    return ["".join(pieces[start:end]) for start, end in pairwise([0, *cuts, len(pieces)])]
