r"""Engine outputs of one streamed response to the lines of text a client reads.

A response is a sequence of server-sent events, each `data: `, one JSON object, an empty line:

    data: {"id": "x", "object": "chat.completion.chunk", ..., "choices": [{"index": 0, "delta": {...}, ...}]}

Laws: every choice opens with its role, before any model output, and the ids of the prompt ride on that chunk
(P-50); counts come last and have no choices (P-37); the stream ends with `data: [DONE]`, whatever happened.

Source: card 01 (P-32, P-36, P-37, P-50, P-51).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from parsers.protocol import ChatRequest, DeltaMessage, FinishReason, JsonObject
from parsers.serving.chat import ChatChunk, ChatStreamProcessor
from parsers.serving.usage import ChoiceTokens, sends_continuous_usage, sends_usage, usage_of
from parsers.tokens.base import Delta

_encode = json.JSONEncoder(ensure_ascii=False).encode  # made once: there is an event for every token
DONE = "data: [DONE]\n\n"
ENGINE_ERROR: JsonObject = {
    "error": {"message": "Internal server error", "type": "InternalServerError", "param": None, "code": 500}
}
"""What a client gets when the engine failed: an error, not a finish reason (P-32)."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """What all chunks of a response, or its body, have in common.

    Attributes:
        id: names the response.
        model: the model as the request names it.
        created: seconds since 1970, UTC.
    """

    id: str
    model: str
    created: int

    def as_json(self, kind: str) -> JsonObject:
        """Return the common fields of an object of this kind."""
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


@dataclass(frozen=True, slots=True)
class StreamedChoice:
    """One choice of a streamed response.

    Attributes:
        processor: applies the serving rules; fresh, and of this choice alone (P-23).
        reasoning_tokens: reads how many tokens were reasoning so far; None when no reasoning parser is named,
            and the response then has no such count (P-35).
    """

    processor: ChatStreamProcessor
    reasoning_tokens: Callable[[], int] | None = None

    @property
    def tokens(self) -> ChoiceTokens:
        """The counts so far."""
        reasoning = None if self.reasoning_tokens is None else self.reasoning_tokens()
        return ChoiceTokens(self.processor.output_tokens, reasoning)


class ChatStream:
    """One streamed response: `opening`, then `step` for each engine output, then `closing`."""

    def __init__(
        self,
        head: ResponseHead,
        request: ChatRequest,
        choices: Sequence[StreamedChoice],
        prompt_ids: Sequence[int] = (),
        usage_forced: bool = False,
    ) -> None:
        """Start a response.

        Args:
            head: fields common to all chunks.
            request: the request being answered.
            choices: by index.
            prompt_ids: ids of the prompt, counted, and sent to a request that wants token ids (P-44).
            usage_forced: the server adds counts to every chunk and at the end (P-36).
        """
        self._head, self._request, self._choices, self._prompt_ids = head, request, choices, prompt_ids
        self._sends_usage = sends_usage(request, usage_forced)
        self._sends_continuous_usage = sends_continuous_usage(request, usage_forced)
        self._failed = False

    def opening(self) -> Iterator[str]:
        """Yield the chunk that opens each choice: the role and empty content (P-50)."""
        for index in range(len(self._choices)):
            first = ChatChunk(DeltaMessage(role="assistant", content=""))
            yield self._event([first.as_json(index)], {**self._prompt(), **self._usage_so_far(index)})

    def step(
        self,
        index: int,
        delta: Delta,
        engine_reason: FinishReason | None = None,
        stop_reason: str | int | None = None,
    ) -> str:
        """Take one engine output of the choice at `index`; see `ChatStreamProcessor.step`.

        Returns:
            The event to send; "" when nothing is sent for this step, or after an error.
        """
        return self.send(index, self._choices[index].processor.step(delta, engine_reason, stop_reason))

    def send(self, index: int, chunk: ChatChunk | None) -> str:
        """Return the event for a chunk that the processor at `index` has just given; "" as for `step`."""
        if chunk is None or self._failed:
            return ""
        if chunk.finish_reason == "error":
            self._failed = True
            return event(ENGINE_ERROR)
        return self._event([chunk.as_json(index)], self._usage_so_far(index))

    def closing(self) -> Iterator[str]:
        """Yield the counts, if they are wanted, and the sentinel (P-37, P-50)."""
        if self._sends_usage and not self._failed:
            yield self._event([], self._usage(self._choices))
        yield DONE

    def _event(self, choices: Sequence[JsonObject], more: JsonObject) -> str:
        return event({**self._head.as_json("chat.completion.chunk"), "choices": list(choices), **more})

    def _prompt(self) -> JsonObject:
        return {"prompt_token_ids": list(self._prompt_ids)} if self._request.return_token_ids else {}

    def _usage_so_far(self, index: int) -> JsonObject:
        """The counts of one choice, on its own chunk."""
        return self._usage([self._choices[index]]) if self._sends_continuous_usage else {}

    def _usage(self, choices: Sequence[StreamedChoice]) -> JsonObject:
        usage = usage_of(len(self._prompt_ids), (choice.tokens for choice in choices))
        return {"usage": usage.model_dump(exclude_none=True)}


def event(data: JsonObject) -> str:
    """Return one server-sent event; JSON escapes every line break, so its data is one line."""
    return f"data: {_encode(data)}\n\n"
