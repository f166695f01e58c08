"""Chat completion wire types: what a request asks, what a stream carries, and the sum of its deltas.

Turns request JSON into `ChatRequest`, deltas into JSON objects, and a sequence of deltas into three fields
(`Accumulator`). The delta types are plain slotted dataclasses: one is built for every token, and that takes a
third of the time of a validated model. Everything that arrives from outside is pydantic; unknown fields are
ignored.

Laws: an empty or absent field is never serialised (P-01); `reasoning_content` is read, never written (P-02);
accumulated arguments are the fragments, byte for byte (P-12).

Source: card 01 (P-01 … P-14, P-25, P-35, P-36).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

from pydantic import BaseModel, Field, JsonValue, field_validator, model_validator

JsonObject = dict[str, JsonValue]
FinishReason = Literal["stop", "length", "tool_calls", "abort", "error", "repetition"]
"""Why a choice ended; all but `tool_calls` may also come from the inference engine (P-32)."""


# --- deltas ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class DeltaFunction:
    """Part of a call: the name comes once, the arguments in fragments to be concatenated (P-04, P-12).

    Attributes:
        name: None on every delta of a call but its first.
        arguments: a fragment of JSON text; "" means present but empty, None absent (P-05).
    """

    name: str | None = None
    arguments: str | None = None

    def as_json(self) -> JsonObject:
        """Return the JSON object without absent fields."""
        return _present(name=self.name, arguments=self.arguments)


@dataclass(slots=True)
class DeltaToolCall:
    """What one delta adds to the call at `index`.

    Attributes:
        index: number of the call in its message, 0-based.
        id: only on the first delta of a call, like `type` and the name (P-04).
        type: "function" on the first delta, else None.
        function: the name and arguments added.
    """

    index: int
    id: str | None = None
    type: Literal["function"] | None = None
    function: DeltaFunction | None = None

    def as_json(self) -> JsonObject:
        """Return the JSON object without absent fields."""
        function = self.function.as_json() if self.function is not None else None
        return {"index": self.index, **_present(id=self.id, type=self.type, function=function)}


@dataclass(slots=True)
class DeltaMessage:
    """What one step of a stream adds; all three fields may be set at once (P-07).

    Attributes:
        role: only on the first chunk of a choice.
        reasoning: text added to the reasoning; None means none, "" present but empty.
        content: text added to the answer, likewise.
        tool_calls: additions to calls, in order; may hold one index twice (P-06).
    """

    role: str | None = None
    reasoning: str | None = None
    content: str | None = None
    tool_calls: list[DeltaToolCall] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        """Return the JSON object a client receives: absent fields and an empty call list left out (P-01)."""
        calls: list[JsonValue] = [call.as_json() for call in self.tool_calls]
        fields = _present(role=self.role, reasoning=self.reasoning, content=self.content)
        return {**fields, "tool_calls": calls} if calls else fields


def _present(**values: JsonValue) -> JsonObject:
    return {name: value for name, value in values.items() if value is not None}


# --- whole messages --------------------------------------------------------------------------------


class FunctionCall(BaseModel):
    """A complete call: the function's name and its arguments as JSON text."""

    name: str
    arguments: str


class ToolCall(BaseModel):
    """A complete call with its id (P-03)."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class ParsedMessage(BaseModel):
    """The three fields of a finished message; None means the field never appeared."""

    reasoning: str | None = None
    content: str | None = None
    tool_calls: list[ToolCall] = Field(default_factory=list)


class ChatMessage(BaseModel):
    """One message of a conversation sent in; the retired `reasoning_content` is read as `reasoning` (P-02).

    Attributes:
        content: text, a list of content parts, or None.
        tool_calls: calls an assistant message made, as sent; ids that number the history count them (D-70).
    """

    role: str
    content: str | list[JsonObject] | None = None
    reasoning: str | None = None
    tool_calls: list[JsonObject] | None = None
    tool_call_id: str | None = None
    name: str | None = None

    @field_validator("tool_calls", mode="before")
    @classmethod
    def _one_call_is_a_list(cls, value: object) -> object:
        """A call that stands alone, even as its JSON text, counts as one (D-70)."""
        if isinstance(value, str | bytes):
            return [{}]
        return [value] if isinstance(value, Mapping) else value

    @model_validator(mode="before")
    @classmethod
    def _read_retired_name(cls, data: object) -> object:
        if not isinstance(data, Mapping) or "reasoning_content" not in data:
            return data
        current = dict(data)
        retired = current.pop("reasoning_content")
        if current.get("reasoning") is None:
            current["reasoning"] = retired
        return current


class CompletionTokensDetails(BaseModel):
    """Tokens by kind; markers count as neither reasoning nor content (P-39)."""

    reasoning_tokens: int


class Usage(BaseModel):
    """Token counts of a response; the details are absent without a reasoning parser (P-35)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    completion_tokens_details: CompletionTokensDetails | None = None


# --- requests --------------------------------------------------------------------------------------


class FunctionDefinition(BaseModel):
    """A function a model may call.

    Attributes:
        parameters: JSON schema of the arguments; None when the function takes none.
        strict: whether arguments must follow the schema; None leaves it to the server.
    """

    name: str
    description: str | None = None
    parameters: JsonObject | None = None
    strict: bool | None = None


class FunctionTool(BaseModel):
    """A tool of a request, `{"type": "function", "function": {...}}`."""

    type: Literal["function"] = "function"
    function: FunctionDefinition

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.name

    @property
    def parameters(self) -> JsonObject:
        """The schema of the arguments; empty when none was given."""
        return self.function.parameters or {}


class NamedFunction(BaseModel):
    """The function a named tool choice forces."""

    name: str


class NamedToolChoice(BaseModel):
    """A tool choice that forces one function."""

    type: Literal["function"] = "function"
    function: NamedFunction


ToolChoice = Literal["none", "auto", "required"] | NamedToolChoice


class StreamUsage(BaseModel):
    """Which token counts a stream carries, `stream_options` of a request (P-36).

    Attributes:
        include_usage: the stream ends with a chunk of counts.
        continuous_usage_stats: every chunk has the counts so far; only together with `include_usage`.
    """

    include_usage: bool = False
    continuous_usage_stats: bool = False


class ChatRequest(BaseModel):
    """The parts of a chat completion request that decide how output is parsed and sent.

    Attributes:
        tool_choice: absent becomes "auto" with tools and "none" without; an explicit null stays None (P-25).
        parallel_tool_calls: only False limits a message to one call (P-26).
        include_reasoning: False hides reasoning and everything that shows it (P-40, P-41).
        stop: stop strings, in order; a single string is a list of one.
        top_logprobs: how many alternatives each logprobs entry lists.
        return_token_ids: chunks carry the ids of their tokens, the first one those of the prompt.
    """

    messages: list[ChatMessage] = Field(default_factory=list)
    tools: list[FunctionTool] | None = None
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    include_reasoning: bool = True
    chat_template_kwargs: JsonObject = Field(default_factory=dict)
    stop: list[str] = Field(default_factory=list)
    include_stop_str_in_output: bool = False
    skip_special_tokens: bool = True
    logprobs: bool = False
    top_logprobs: int = 0
    return_token_ids: bool = False
    stream: bool = False
    stream_options: StreamUsage = Field(default_factory=StreamUsage)

    @field_validator("stop", mode="before")
    @classmethod
    def _list_of_stops(cls, value: object) -> object:
        if value is None:
            return []
        return [value] if isinstance(value, str) else value

    @field_validator("chat_template_kwargs", "stream_options", mode="before")
    @classmethod
    def _null_is_empty(cls, value: object) -> object:
        return {} if value is None else value

    @field_validator("logprobs", "top_logprobs", "return_token_ids", mode="before")
    @classmethod
    def _null_is_off(cls, value: object) -> object:
        return False if value is None else value

    @property
    def history_calls(self) -> int:
        """Calls made earlier in the conversation."""
        return sum(len(message.tool_calls or ()) for message in self.messages if message.role == "assistant")

    @model_validator(mode="after")
    def _default_tool_choice(self) -> Self:
        if "tool_choice" not in self.model_fields_set:
            self.tool_choice = "auto" if self.tools else "none"
            self.model_fields_set.discard("tool_choice")  # a default stays recognisable as one
        return self


# --- accumulation ----------------------------------------------------------------------------------


@dataclass(slots=True)
class AccumulatedCall:
    """One call of a stream so far.

    Attributes:
        index: number of the call in its message, 0-based.
        fragments: argument text as it arrived; parse only their concatenation, and only at the end (P-13).
        complete: whether the call was closed; None while nobody has said.
    """

    index: int
    id: str | None = None
    type: str | None = None
    name: str | None = None
    fragments: list[str] = field(default_factory=list)
    complete: bool | None = None

    @property
    def arguments(self) -> str:
        """The argument text received so far; valid JSON at the earliest when the stream has ended."""
        return "".join(self.fragments)

    def add(self, delta: DeltaToolCall) -> None:
        """Add one delta of this call: the first id, type and name win, arguments are appended (P-06)."""
        self.id = self.id if self.id is not None else delta.id
        self.type = self.type if self.type is not None else delta.type
        if delta.function is None:
            return
        self.name = self.name if self.name is not None else delta.function.name
        if delta.function.arguments is not None:
            self.fragments.append(delta.function.arguments)


class Accumulator:
    """Sums deltas the way a correct client does: text appended, calls merged by index (P-10, P-11)."""

    def __init__(self) -> None:
        self._reasoning: list[str] = []
        self._content: list[str] = []
        self._calls: dict[int, AccumulatedCall] = {}

    @property
    def reasoning(self) -> str | None:
        """Reasoning so far; None until a delta carries some, "" when it was present but empty."""
        return _joined(self._reasoning)

    @property
    def content(self) -> str | None:
        """Content so far; None until a delta carries some, "" when it was present but empty."""
        return _joined(self._content)

    @property
    def calls(self) -> list[AccumulatedCall]:
        """Calls so far, by index."""
        return [self._calls[index] for index in sorted(self._calls)]

    def add(self, delta: DeltaMessage | None) -> None:
        """Add one delta; None adds nothing."""
        if delta is None:
            return
        if delta.reasoning is not None:
            self._reasoning.append(delta.reasoning)
        if delta.content is not None:
            self._content.append(delta.content)
        for call in delta.tool_calls:
            self._calls.setdefault(call.index, AccumulatedCall(call.index)).add(call)

    def mark(self, index: int, complete: bool) -> None:
        """Note whether the call at `index` was closed, as the parser knows and deltas do not say."""
        if index in self._calls:
            self._calls[index].complete = complete


def _joined(pieces: list[str]) -> str | None:
    return "".join(pieces) if pieces else None
