"""What a delegating parser remembers between deltas, and what it carries through the phases of one.

Source: card 04 (D-01 … D-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from parsers.protocol import DeltaMessage
from parsers.state import Stateful
from parsers.tokens.base import Span


class StreamState(Stateful):
    """What one choice remembers between deltas (D-01).

    Attributes:
        reasoning_ended: what comes next is content.
        tool_call_text_started: the tool phase has begun.
        prompt_reasoning_checked: the prompt was heard.
        previous_text, previous_token_ids: what a classic pair has read; empty for engine pairs (D-03).
        history_tool_call_cnt: calls of the conversation and of this answer, for ids that count them (D-70).
        history_tool_call_cnt_initialized: the conversation was counted.
        tool_call_id_type: how ids are made: "random", "functions" or "alnum9".
        function_name_returned: a forced call's name was sent (D-39).
        engine_based: both parsers read only what is new (D-04).
    """

    STATE: ClassVar[tuple[str, ...]] = (
        "reasoning_ended", "tool_call_text_started", "prompt_reasoning_checked", "previous_text",
        "previous_token_ids", "history_tool_call_cnt", "history_tool_call_cnt_initialized", "tool_call_id_type",
        "function_name_returned", "engine_based",
    )  # fmt: skip

    def __init__(self, engine_based: bool, tool_call_id_type: str = "random") -> None:
        self.reasoning_ended = False
        self.tool_call_text_started = False
        self.prompt_reasoning_checked = False
        self.previous_text = ""
        self.previous_token_ids: list[int] = []
        self.history_tool_call_cnt = 0
        self.history_tool_call_cnt_initialized = False
        self.tool_call_id_type = tool_call_id_type
        self.function_name_returned = False
        self.engine_based = engine_based

    def advance(self, text: str, ids: Sequence[int]) -> tuple[str, list[int]]:
        """The text and ids a parser is shown as current (D-02)."""
        if self.engine_based:
            return text, list(ids)
        return self.previous_text + text, [*self.previous_token_ids, *ids]

    def commit(self, text: str, ids: Sequence[int]) -> None:
        """Remember the current text and ids, never the delta alone (D-03)."""
        self.previous_text, self.previous_token_ids = ("", []) if self.engine_based else (text, list(ids))


@dataclass(slots=True)
class Step:
    """One delta on its way through the phases.

    Attributes:
        text, ids, spans: what the next parser is given as new; the delta at first, the content behind a switch.
        current_text, current_ids: what it is shown as all so far.
        delta: what will be sent.
        transitioned: reasoning ended in this delta.
        continued: the tool parser reads on by itself, so `delta.content` is not its to say again.
    """

    text: str
    ids: Sequence[int]
    spans: Sequence[Span] | None
    finished: bool
    current_text: str = ""
    current_ids: list[int] = field(default_factory=list)
    delta: DeltaMessage | None = None
    transitioned: bool = False
    continued: bool = False
