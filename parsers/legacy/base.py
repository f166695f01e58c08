"""The two classic contracts: what a reasoning parser and a tool parser must offer a server that drives them apart.

A reasoning parser has a token view (constrained decoding, switching, usage) and a text view (the fields); a tool
parser reads the text behind the reasoning. Both get every delta as previous, current and new text and ids. Every hook
has a default here, so a caller never asks whether a parser has one.

Laws: an instance serves one choice of one request (L-07); `is_reasoning_end` is a pure function of the ids (L-04);
streaming returns None for "nothing new" and never raises over model output (L-46, L-47).

Source: card 03 (L-01 … L-07, L-40 … L-48).
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from parsers.args.schema import dump, json_object
from parsers.protocol import (
    ChatRequest,
    DeltaFunction,
    DeltaMessage,
    DeltaToolCall,
    FunctionTool,
    JsonObject,
    ToolCall,
)
from parsers.state import Stateful
from parsers.tokens.base import Span, Tokenizer

StrictLevelName = Literal["AUTO", "FUNCTION", "PARAMETER"]
"""How much of a call a server constrains of its own accord, from nothing to the arguments (S-22)."""


class ReasoningParser(Stateful, ABC):
    """Splits output into reasoning and content (L-01).

    Attributes:
        engine_based_streaming: reads only the new text; previous and current text are not needed (D-04).
        tokenizer: gives the ids of the markers.
    """

    engine_based_streaming: ClassVar[bool] = False

    def __init__(self, tokenizer: Tokenizer, *args: object, **kwargs: object) -> None:
        """Keep the tokenizer.

        Args:
            args: ignored here; for subclasses.
            kwargs: `model_config` and `chat_template_kwargs` as a server passes them; a parser that holds others
                reads them and passes them on whole (L-03).
        """
        self.tokenizer = tokenizer

    # --- token view ------------------------------------------------------------------------------------------

    @abstractmethod
    def is_reasoning_end(self, token_ids: Sequence[int]) -> bool:
        """Whether reasoning is over after `token_ids`, which may be a whole prompt; depends on nothing else (L-04)."""

    def is_reasoning_end_streaming(self, token_ids: Sequence[int], delta_ids: Sequence[int]) -> bool:
        """Whether `delta_ids`, the last of `token_ids`, end reasoning."""
        return self.is_reasoning_end(token_ids)

    @abstractmethod
    def extract_content_ids(self, token_ids: Sequence[int]) -> list[int]:
        """The ids behind the end of reasoning; empty when it does not end."""

    def count_reasoning_tokens(self, token_ids: Sequence[int], prompt_open: bool = False) -> int:
        """Number of output ids that are reasoning; markers do not count (P-39).

        Args:
            prompt_open: the count starts inside reasoning, because the prompt leaves it open or `starts_open` holds
                (L-33).
        """
        return 0

    @property
    def running_reasoning_tokens(self) -> int | None:
        """A parser's own count while it streams; None for one that only counts ids (P-39)."""
        return None

    def find_reasoning_end(self, token_ids: Sequence[int]) -> int | None:
        """How many of `token_ids` belong to reasoning and its end; None when it does not end (L-06)."""
        return None

    @property
    def starts_open(self) -> bool:
        """Output is reasoning before any marker (L-31), so its count starts inside reasoning too (L-33)."""
        return False

    @property
    def reasoning_end_token_ids(self) -> tuple[int, ...]:
        """Ids that end reasoning; empty when no single id does (L-06)."""
        return ()

    @property
    def implicit_reasoning_end_token_ids(self) -> tuple[int, ...]:
        """Ids of something else, such as a call, that end reasoning all the same (L-06)."""
        return ()

    # --- text view -------------------------------------------------------------------------------------------

    @abstractmethod
    def extract_reasoning(self, text: str, request: ChatRequest | None = None) -> tuple[str | None, str | None]:
        """Reasoning and content of a whole output; None for a field that is not there."""

    @abstractmethod
    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """What one delta adds; text may lag behind its ids. None means nothing new."""

    def note_tokens(self, token_ids: Sequence[int], spans: Sequence[Span] | None) -> None:
        """Hear the tokens of the text that comes next, and where in the raw output each stands; None when unknown.

        Called before every extraction, for a parser that places markers by their tokens (T-40, D-62).
        """

    @property
    def ended_in_text(self) -> bool:
        """The stream has no ids, and the end of reasoning was read in its text."""
        return False

    @property
    def awaits_text(self) -> bool:
        """A marker's id was read and its text has not come: what comes next still belongs before it (L-22)."""
        return False

    def finish_streaming(self) -> DeltaMessage | None:
        """Text held back until now; called once, behind the last delta (L-06)."""
        return None

    def get_streaming_fallback_content(self, text: str, request: ChatRequest | None = None) -> str | None:
        """Content to send when the stream ended and reasoning did not; None for none (L-06, D-45)."""
        return None

    # --- around a request ------------------------------------------------------------------------------------

    def set_prompt_token_ids(self, prompt_ids: Sequence[int]) -> None:
        """Hear the prompt; called before anything else, streaming or not (L-05)."""

    def adjust_initial_state_from_prompt(self, prompt_ids: Sequence[int]) -> None:
        """Start from the prompt; called once, at the first delta, unless the prompt ends reasoning (L-05)."""

    def adjust_request(self, request: ChatRequest) -> ChatRequest:
        """The request as the parser needs it; never changes the one given."""
        return request

    def prepare_structured_tag(self, tag: str | None) -> str | None:
        """The structural tag to use in place of `tag`."""
        return tag

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Whether the end of reasoning was processed, text and all; only engine parsers know (D-26)."""
        return False

    @property
    def reasoning_start_str(self) -> str | None:
        """How reasoning opens in text; None when it has no marker."""
        return None

    @property
    def reasoning_end_str(self) -> str | None:
        """How reasoning closes in text; None when it has no marker."""
        return None


@dataclass(frozen=True, slots=True)
class ExtractedToolCalls:
    """What a tool parser finds in a whole text.

    Attributes:
        tools_called: at least one call was read.
        tool_calls: the calls, in order.
        content: the text around them, or the whole text when there are none; None for no text.
        reasoning: thinking that opened again behind the first; only engine parsers look for it.
    """

    tools_called: bool
    tool_calls: tuple[ToolCall, ...]
    content: str | None
    reasoning: str | None = None


class ToolParser(Stateful, ABC):
    """Reads calls out of content.

    Attributes:
        supports_required_and_named: the class can live with forced calls written as JSON; ask
            `reads_forced_calls_as_json`, which also knows the server's switch.
        structural_tag_model: key of the structural tag that spells this markup; None without one.
        default_tool_strict_level: the level where the server sets none.
        engine_based_streaming: reads only the new text (D-04).
        tools: the function tools of the request (L-42).
        prev_tool_call_arr: each call met so far as `{"name", "arguments"}`, arguments an object or its JSON text.
        current_tool_id: index of the last call announced, 0-based; -1 before the first.
        current_tool_name_sent: the name of that call was sent.
        streamed_args_for_tool: argument text sent, by index.
    """

    STATE: ClassVar[tuple[str, ...]] = (
        "prev_tool_call_arr", "current_tool_id", "current_tool_name_sent", "streamed_args_for_tool",
    )  # fmt: skip

    supports_required_and_named: ClassVar[bool] = True
    structural_tag_model: ClassVar[str | None] = None
    default_tool_strict_level: ClassVar[StrictLevelName] = "AUTO"
    engine_based_streaming: ClassVar[bool] = False

    def __init__(self, tokenizer: Tokenizer, tools: Sequence[object] | None = None) -> None:
        """Start before the first call; `tools` that are no function tools are left out, None is none (L-42)."""
        self.tokenizer = tokenizer
        self.tools = [tool for tool in tools or () if isinstance(tool, FunctionTool)]
        self.prev_tool_call_arr: list[JsonObject] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []

    @classmethod
    def reads_forced_calls_as_json(cls, strict_calling: bool) -> bool:
        """Whether "required" and a named choice are answered by JSON rather than in the model's own markup.

        A class with a structural tag uses its own markup while the server enforces strict calling. Asked for each
        request, not settled when the class is made, so the switch may change (L-41, S-36).
        """
        tagged = strict_calling and cls.structural_tag_model is not None
        return cls.supports_required_and_named and not tagged

    def adjust_request(self, request: ChatRequest) -> ChatRequest:
        """The request as the parser needs it; never changes the one given."""
        return request

    def note_tokens(self, token_ids: Sequence[int], spans: Sequence[Span] | None) -> None:
        """As `ReasoningParser.note_tokens`."""

    def start_at(self, position: int) -> None:
        """Hear how many raw characters stand before the text to come; called once, before the first."""

    def continue_from(self, reasoning: ReasoningParser) -> bool:
        """Whether this parser reads on by itself where the reasoning parser stopped.

        If so, the text of the switch is not given to it again.
        """
        return False

    @property
    def running_reasoning_tokens(self) -> int | None:
        """The reasoning parser's count and its own, for a parser that reads on behind one; else None."""
        return None

    def complete_calls(self) -> frozenset[int]:
        """Indexes of the streamed calls whose arguments are a whole JSON object."""
        sent = enumerate(self.streamed_args_for_tool)
        return frozenset(index for index, arguments in sent if json_object(arguments) is not None)

    @abstractmethod
    def extract_tool_calls(self, text: str, request: ChatRequest | None = None) -> ExtractedToolCalls:
        """The calls of a whole text; text that cannot be read comes back as content (L-46)."""

    @abstractmethod
    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: ChatRequest | None = None,
    ) -> DeltaMessage | None:
        """What one delta adds; None means nothing new (L-47)."""

    def finish_streaming(self) -> DeltaMessage | None:
        """Text held back until now; called once, behind the last delta."""
        return None

    def with_remainder(self, delta: DeltaMessage | None) -> DeltaMessage | None:
        """The final delta with the arguments of the last call that were not sent yet.

        They go to the entry of that very call, which is made when the delta has none (L-44, L-45). The delta given
        may be changed.
        """
        if not self.prev_tool_call_arr:
            return delta
        index = len(self.prev_tool_call_arr) - 1
        rest = remainder(self.prev_tool_call_arr[index], "".join(self.streamed_args_for_tool[index : index + 1]))
        if not rest:
            return delta
        delta = delta if delta is not None else DeltaMessage()
        function = self._entry(delta, index)
        function.arguments = (function.arguments or "") + rest
        return delta

    def _entry(self, delta: DeltaMessage, index: int) -> DeltaFunction:
        """The function of the last entry for the call at `index`; a call nobody announced gets its name now."""
        for entry in reversed(delta.tool_calls):
            if entry.index == index and entry.function is not None:
                return entry.function
        if index < len(self.streamed_args_for_tool):
            function = DeltaFunction()
            delta.tool_calls.append(DeltaToolCall(index, function=function))
            return function
        function = DeltaFunction(name=str(self.prev_tool_call_arr[index].get("name", "")))
        delta.tool_calls.append(DeltaToolCall(index, call_id(), "function", function))
        return function


def remainder(call: JsonObject, streamed: str) -> str:
    """The argument text of `call` behind what was `streamed`; "" when that is not how it begins (L-43).

    Args:
        call: an entry of `prev_tool_call_arr`; without arguments it has `{}`.
    """
    arguments = call.get("arguments", {})
    expected = arguments if isinstance(arguments, str) else dump(arguments)
    return expected[len(streamed) :] if expected.startswith(streamed) else ""


def partial_marker(text: str, marker: str) -> int:
    """Length of the longest proper prefix of `marker` that ends `text`; 0 for none (L-48)."""
    longest = min(len(text), len(marker) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(marker[:size])), 0)


def call_id() -> str:
    """A fresh random id of a call (P-53)."""
    return f"chatcmpl-tool-{uuid.uuid4().hex}"
