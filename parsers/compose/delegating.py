"""The composition of servers: a reasoning parser and a tool parser behind one `parse_delta`, driven in eight phases.

    1 hear_prompt    is reasoning over before the first token?
    2 advance        the new text, or all of it so far for a classic pair
    3 reason         the reasoning parser takes the delta
    4 switch         did reasoning end in it? then what is left is content
    5 prepare        who says that content: this delta, or the tool phase
    6 call_tools     the tool parser, or a schema's JSON, takes the content
    7 pass_through   nobody is in charge: the text is content
    8 finish         the last delta brings what was held, and hidden reasoning goes

The order is the point. The switch is asked after reasoning has read the delta, or the thinking's tail would go to the
tool parser (D-25); reasoning is saved before tools run, or a switch delta would lose it (D-37); hiding comes last, or
flushed thinking would leak (D-48).

Laws: one advance and one commit for each delta (D-15); an instance serves one choice and refuses a delta behind the
last (D-06, L-07); a pair of adapters gives the fields of the unified parser.

Source: card 04.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.compose.choice import CallPath, ForcedCalls, MakeId, call_path, forced_calls
from parsers.compose.merge import is_empty, joined, merged, with_content, without_calls, without_content
from parsers.compose.slots import CallState
from parsers.compose.start import Start
from parsers.compose.stream_state import Step, StreamState
from parsers.compose.unified import SINGLE_USE
from parsers.engine.alphabet import Alphabet
from parsers.errors import RequestError
from parsers.legacy.base import ExtractedToolCalls, ReasoningParser, ToolParser
from parsers.protocol import (
    AccumulatedCall,
    Accumulator,
    ChatRequest,
    DeltaMessage,
    FunctionCall,
    ParsedMessage,
    ToolCall,
)
from parsers.state import Stateful
from parsers.tokens.base import Span


class DelegatingParser(Stateful):
    """A reasoning parser and a tool parser as one; either may be None.

    Args:
        request: the request being answered.
        prompt_ids: ids of the prompt; None when unknown.
        reads_json: the tool parser leaves forced calls to a schema (L-41, S-36).
        make_id: ids of calls that no parser names; counts on from the conversation.
        id_style: how `make_id` makes them.
        history_calls: calls already in the conversation, counted where ids go on from them.
        table: the joined table of both names and what ids mean to it, for whoever shows or checks a run; None where the
            parsers are nobody's formats.

    Attributes:
        state: what is remembered.
        calls: announced calls, in order.
    """

    STATE = ("state", "reasoning", "tool", "forced", "calls", "_shown", "_ids", "_spans", "_end_seen", "_finished")

    def __init__(
        self,
        reasoning: ReasoningParser | None,
        tool: ToolParser | None,
        request: ChatRequest,
        make_id: MakeId,
        *,
        prompt_ids: Sequence[int] | None = None,
        reads_json: bool = False,
        id_style: str = "random",
        history_calls: int = 0,
        table: tuple[Start, Alphabet] | None = None,
    ) -> None:
        self.reasoning, self.tool, self.request, self.prompt_ids = reasoning, tool, request, prompt_ids
        self.state = StreamState(_is_engine(reasoning) and _is_engine(tool), id_style)
        self.path = call_path(request, reads_json)
        self.forced: ForcedCalls | None = forced_calls(self.path, request, make_id) if tool is not None else None
        self.calls: list[CallState] = []
        self.table = table
        self._history_calls = history_calls
        self._shown = 0
        self._ids: list[int] = []
        self._spans: list[Span] | None = []
        self._end_seen = self._finished = False
        self._hides = not request.include_reasoning

    # --- what others ask -------------------------------------------------------------------------------------

    @property
    def in_reasoning(self) -> bool:
        """The next delta goes to the reasoning parser."""
        return self.reasoning is not None and not self.state.reasoning_ended

    @property
    def in_tools(self) -> bool:
        """The next delta goes to the tool phase."""
        return self.tool is not None and self.state.reasoning_ended

    @property
    def reasoning_ended(self) -> bool:
        """Reasoning is over, or there is none."""
        return self.state.reasoning_ended or self.reasoning is None

    @property
    def reasoning_tokens(self) -> int:
        """Ids that went to reasoning so far."""
        if self.reasoning is None:
            return 0
        running = self.tool.running_reasoning_tokens if self.tool is not None else None
        running = self.reasoning.running_reasoning_tokens if running is None else running
        if running is not None:
            return running
        return self.reasoning.count_reasoning_tokens(self._ids, self.reasoning.starts_open)

    # --- streaming -------------------------------------------------------------------------------------------

    def parse_delta(
        self,
        text: str,
        ids: Sequence[int] = (),
        spans: Sequence[Span] | None = None,
        finished: bool = False,
    ) -> DeltaMessage | None:
        """Take one delta through the eight phases; returns what the client gets for it, None for nothing.

        Raises:
            RequestError: the stream has finished; another one needs a parser of its own (D-06).
        """
        self._refuse_reuse(finished)
        self.count_history()
        self._note_tokens(text, ids, spans)
        step = Step(text, ids, spans, finished)
        self.hear_prompt(step)
        self.advance(step)
        self.reason(step)
        self.switch(step)
        self.prepare(step)
        self.call_tools(step)
        self.pass_through(step)
        self.state.commit(step.current_text, step.current_ids)
        self.finish(step)
        self._note_calls(step)
        return step.delta

    def count_history(self) -> None:
        """Count the calls of the conversation, once, where ids go on from them (D-70)."""
        state = self.state
        if not state.history_tool_call_cnt_initialized:
            state.history_tool_call_cnt_initialized = True
            state.history_tool_call_cnt = self._history_calls if state.tool_call_id_type == "functions" else 0

    def hear_prompt(self, step: Step) -> None:
        """Phase 1: decide once, from the prompt, whether reasoning is over already (D-10, D-11)."""
        state, reasoning = self.state, self.reasoning
        if state.prompt_reasoning_checked:
            return
        if reasoning is None:
            state.reasoning_ended = True
        if self.prompt_ids is None:
            return
        state.prompt_reasoning_checked = True
        if reasoning is None:
            return
        reasoning.set_prompt_token_ids(self.prompt_ids)
        if reasoning.is_reasoning_end(self.prompt_ids):
            state.reasoning_ended = True
        else:
            reasoning.adjust_initial_state_from_prompt(self.prompt_ids)

    def advance(self, step: Step) -> None:
        """Phase 2: the delta alone for engine pairs, all so far for others (D-02, D-15)."""
        step.current_text, step.current_ids = self.state.advance(step.text, step.ids)

    def reason(self, step: Step) -> None:
        """Phase 3: the reasoning parser takes the delta (D-20)."""
        reasoning, state = self.reasoning, self.state
        if reasoning is None or state.reasoning_ended:
            return
        reasoning.note_tokens(step.ids, step.spans)
        step.delta = reasoning.extract_reasoning_streaming(
            state.previous_text, step.current_text, step.text,
            state.previous_token_ids, step.current_ids, step.ids,
        )  # fmt: skip

    def switch(self, step: Step) -> None:
        """Phase 4: reasoning ended in this delta; what is left of it is the current text (D-25 … D-28)."""
        reasoning = self.reasoning
        if reasoning is None or self.state.reasoning_ended or not self._reasoning_has_ended(reasoning, step):
            return
        self.state.reasoning_ended = step.transitioned = True
        if self.tool is not None and self.state.engine_based and self.forced is None:
            step.continued = self.tool.continue_from(reasoning)
        # A classic end whose text was late: the ids behind it came in earlier deltas.
        step.current_ids = reasoning.extract_content_ids(step.current_ids)
        flush = reasoning.finish_streaming() if reasoning.engine_based_streaming else None
        flush = flush or DeltaMessage()
        content = step.delta.content if step.delta is not None else None
        step.current_text = (content or "") + (flush.content or "")
        if flush.reasoning:
            step.delta = merged(step.delta, DeltaMessage(reasoning=flush.reasoning))

    def _reasoning_has_ended(self, reasoning: ReasoningParser, step: Step) -> bool:
        """The processed state of an engine, or a classic parser's ids once the marker's text is here (D-26, L-22)."""
        if reasoning.engine_based_streaming:
            return reasoning.has_engine_confirmed_reasoning_end()
        self._end_seen = (
            self._end_seen
            or reasoning.ended_in_text
            or reasoning.is_reasoning_end_streaming(step.current_ids, step.ids)
        )
        return self._end_seen and not reasoning.awaits_text

    def prepare(self, step: Step) -> None:
        """Phase 5: content behind the switch is said by the tool phase where there is one, else now (D-30, D-31)."""
        if not step.transitioned:
            return
        if step.continued:
            step.text, step.ids, step.spans = "", (), None
        elif self.tool is not None:
            step.text, step.ids = step.current_text, step.current_ids
            step.spans = self._spans_of_last(len(step.ids))
            step.delta = without_content(step.delta)
        else:
            step.delta = with_content(step.delta, step.current_text or None)

    def call_tools(self, step: Step) -> None:
        """Phase 6: the tool phase takes what is content; reasoning of the same delta is kept (D-35 … D-38)."""
        tool, state = self.tool, self.state
        if tool is None or not state.reasoning_ended:
            return
        if not state.tool_call_text_started:
            state.tool_call_text_started = True
            state.previous_text, state.previous_token_ids = "", []
            tool.start_at(self._shown - len(step.text))
        tool.note_tokens(step.ids, step.spans)
        result = self._stream_calls(tool, step)
        state.history_tool_call_cnt += sum(call.id is not None for call in result.tool_calls) if result else 0
        step.delta = merged(step.delta, result)

    def _stream_calls(self, tool: ToolParser, step: Step) -> DeltaMessage | None:
        """One of the four paths (D-50 … D-54)."""
        if self.forced is not None:
            result = self.forced.feed(step.text)
            self.state.function_name_returned |= bool(result and result.tool_calls)
            return result
        if self.path is CallPath.NONE and not self.state.engine_based:
            return DeltaMessage(content=step.text) if step.text else None
        result = tool.extract_tool_calls_streaming(
            self.state.previous_text, step.current_text, step.text,
            self.state.previous_token_ids, step.current_ids, step.ids, self.request,
        )  # fmt: skip
        return without_calls(result) if self.path is CallPath.NONE else result

    def pass_through(self, step: Step) -> None:
        """Phase 7: text that is nobody's is content; not on a switch, whose text is a marker (D-40)."""
        idle = not (self.in_reasoning or self.in_tools)
        if step.delta is None and not step.transitioned and idle:
            step.delta = DeltaMessage(content=step.text)

    def finish(self, step: Step) -> None:
        """Phase 8: on the last delta what was held comes out; then hidden reasoning goes, last of all (D-45 … D-48)."""
        if step.finished:
            self._promote_fallback(step)
            self._flush_reasoning(step)
            for flush in self._flush_calls(step):
                step.delta = merged(step.delta, flush)
        if self._hides and step.delta is not None:
            step.delta.reasoning = None
        if step.delta is not None and is_empty(step.delta):
            step.delta = None

    def _promote_fallback(self, step: Step) -> None:
        """A parser may offer content when reasoning never ended; its earlier copy stays reasoning (D-45, D-47)."""
        if self.reasoning is None or self.state.reasoning_ended:
            return
        fallback = self.reasoning.get_streaming_fallback_content(step.current_text, self.request)
        step.delta = merged(step.delta, DeltaMessage(content=fallback) if fallback else None)

    def _flush_reasoning(self, step: Step) -> None:
        """What the reasoning parser holds; once reasoning has ended that was handed on (D-45)."""
        reasoning = self.reasoning
        if reasoning is None or not self.in_reasoning:
            return
        step.delta = merged(step.delta, reasoning.finish_streaming())
        if reasoning.has_engine_confirmed_reasoning_end():
            # Only the end of the stream could tell that a call had ended reasoning; its text is still to be read.
            rest = Step("", (), None, True)
            self.switch(rest)
            self.prepare(rest)
            self.call_tools(rest)
            step.delta = merged(step.delta, rest.delta)

    def _flush_calls(self, step: Step) -> list[DeltaMessage | None]:
        tool = self.tool
        if tool is None or not self.state.tool_call_text_started:
            return []
        if self.forced is not None:
            return [self.forced.finish()]
        if self.path is CallPath.NONE and not self.state.engine_based:
            return []
        flush = tool.finish_streaming()
        if self.path is CallPath.NONE:
            return [without_calls(flush)]
        if not tool.engine_based_streaming:
            step.delta = tool.with_remainder(step.delta)
        return [flush]

    def _note_tokens(self, text: str, ids: Sequence[int], spans: Sequence[Span] | None) -> None:
        self._shown += len(text)
        self._ids += ids
        if ids and spans is None:
            self._spans = None
        elif self._spans is not None:
            self._spans += spans or ()

    def _spans_of_last(self, count: int) -> Sequence[Span] | None:
        """Where the last `count` ids stand, whose text may be still to come; None when unknown."""
        return None if self._spans is None else self._spans[len(self._spans) - count :]

    def _refuse_reuse(self, finished: bool) -> None:
        if self._finished:
            raise RequestError(SINGLE_USE)
        self._finished = finished

    def _note_calls(self, step: Step) -> None:
        for call in step.delta.tool_calls if step.delta is not None else ():
            if call.id is not None and call.function is not None:
                self.calls.append(CallState(call.index, call.id, call.function.name or ""))
        if step.finished:
            whole = self._complete_calls()
            for state in self.calls:
                state.complete = state.index in whole

    def _complete_calls(self) -> frozenset[int]:
        if self.forced is not None:
            return self.forced.complete
        return self.tool.complete_calls() if self.tool is not None else frozenset()

    # --- whole outputs ---------------------------------------------------------------------------------------

    def parse(
        self, text: str, ids: Sequence[int] = (), spans: Sequence[Span] | None = None
    ) -> ParsedMessage:
        """A whole output at once; only complete calls.

        An engine pair takes it as one delta, so that ids decide as they do in a stream (D-62); classic parsers take it
        by their text views, in the order of D-60. Hidden reasoning is hidden later, when the answer is made (D-61).

        Raises:
            RequestError: the parser was used before.
        """
        if self.state.engine_based and self.forced is None:
            return self._parse_as_stream(text, ids, spans)
        self._refuse_reuse(True)
        self.count_history()
        self._ids += ids
        self.hear_prompt(Step(text, ids, spans, True))
        reasoning: str | None = None
        content: str | None = text
        if self.reasoning is not None and self.in_reasoning:
            self.reasoning.note_tokens(ids, spans)
            reasoning, content = self.reasoning.extract_reasoning(text, self.request)
            ids, spans = self.reasoning.extract_content_ids(ids), None
        found = self._whole_calls(content, ids, spans)
        return ParsedMessage(
            reasoning=joined(reasoning, found.reasoning), content=found.content, tool_calls=list(found.tool_calls)
        )

    def _parse_as_stream(self, text: str, ids: Sequence[int], spans: Sequence[Span] | None) -> ParsedMessage:
        client = Accumulator()
        self._hides = False  # D-61: the answer's assembly does
        client.add(self.parse_delta(text, ids, spans, finished=True))
        complete = self._complete_calls()
        calls = [_tool_call(call) for call in client.calls if call.index in complete]
        return ParsedMessage(reasoning=client.reasoning, content=client.content or None, tool_calls=calls)

    def _whole_calls(
        self, content: str | None, ids: Sequence[int], spans: Sequence[Span] | None
    ) -> ExtractedToolCalls:
        """One of the four paths for a whole content (D-50 … D-56)."""
        tool = self.tool
        if tool is None or content is None:
            return ExtractedToolCalls(False, (), content)
        if self.forced is not None:
            return self._whole_forced(self.forced, content)
        if self.path is CallPath.NONE and not self.state.engine_based:
            return ExtractedToolCalls(False, (), content)
        tool.note_tokens(ids, spans)
        found = tool.extract_tool_calls(content, self.request)
        kept = () if self.path is CallPath.NONE else found.tool_calls
        self.state.history_tool_call_cnt += len(kept)
        forced_markup = self.request.tool_choice not in (None, "auto", "none")
        blank = (bool(found.tool_calls) or forced_markup) and not (found.content or "").strip()  # D-54, P-15
        return ExtractedToolCalls(bool(kept), kept, None if blank else found.content or None, found.reasoning)

    def _whole_forced(self, forced: ForcedCalls, content: str) -> ExtractedToolCalls:
        client = Accumulator()
        client.add(forced.feed(content))
        client.add(forced.finish())
        calls = tuple(_tool_call(call) for call in client.calls if call.index in forced.complete)
        self.state.history_tool_call_cnt += len(calls)
        cut_off = bool(client.calls) and not calls  # announced in a stream, dropped in an answer: its text stays
        return ExtractedToolCalls(bool(calls), calls, content if cut_off else client.content)


def _is_engine(parser: ReasoningParser | ToolParser | None) -> bool:
    return parser is None or parser.engine_based_streaming


def _tool_call(call: AccumulatedCall) -> ToolCall:
    return ToolCall(id=call.id or "", function=FunctionCall(name=call.name or "", arguments=call.arguments))
