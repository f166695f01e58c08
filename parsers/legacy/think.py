"""Thinking tags, the classic way: ids say where reasoning starts and ends, the text is cut at the marker's spelling.

    <think>reasoning</think>content

The base parser needs the start marker, the R1 parser reasons from the first token on; `switched` has those that a
request switches.

Laws: every grouping of a stream into deltas gives the same fields, text that lags behind its ids included. To keep
them, three habits of the original are not followed: a start marker never stays in the reasoning (L-21), a marker whose
text is late is waited for (L-22), and a delta of one marker id is skipped only when there is nothing else in it (L-23).
A marker that changes nothing is text, whether it comes alone or not (L-20, L-24). Text before the start marker goes
where it went before the marker was known; only the text view drops it (L-14).

A stream without any ids is read by its spelling. Limit, as in the original: a marker spelled by ordinary tokens in the
same delta, before the real one, is taken for it.

Source: card 03 (L-10 … L-34), formats/think-tags.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from parsers.errors import TokenizerError
from parsers.legacy.base import ReasoningParser, partial_marker
from parsers.protocol import ChatRequest, DeltaMessage
from parsers.tokens.base import Tokenizer


class ThinkingParser(ReasoningParser):
    """Reasoning between a start and an end marker, each one token.

    Attributes:
        name: how messages call the parser, as a user would choose it.
        start, end: the markers' text.
        start_seen, end_seen: the markers' ids came; the two flags stand for a search in all earlier ids (L-25).
        in_reasoning: where the next text goes; the text may be behind the ids.
        awaited: markers whose id came and whose text did not, in order.
        held: the end of the text that may be the beginning of an awaited marker.
        by_text: no id has come, so markers are those that the text spells.
    """

    STATE = ("start_seen", "end_seen", "in_reasoning", "awaited", "held", "by_text")

    name: ClassVar[str] = "think"
    start: ClassVar[str] = "<think>"
    end: ClassVar[str] = "</think>"

    def __init__(self, tokenizer: Tokenizer, *args: object, **kwargs: object) -> None:
        """Look the markers up.

        Raises:
            ValueError: no tokenizer, or an empty marker.
            TokenizerError: a marker is no token of the vocabulary.
        """
        super().__init__(tokenizer, *args, **kwargs)
        require_tokenizer(self.name, tokenizer)
        if not self.start or not self.end:
            raise ValueError(f"The reasoning parser {self.name!r} has an empty marker; set both start and end.")
        self.start_id = _token(self.name, tokenizer, self.start)
        self.end_id = _token(self.name, tokenizer, self.end)
        self.start_seen = False
        self.end_seen = False
        self.in_reasoning = self.starts_open
        self.awaited: list[str] = []
        self.held = ""
        self.by_text = False

    # --- token view ------------------------------------------------------------------------------------------

    def is_reasoning_end(self, token_ids: Sequence[int]) -> bool:
        """Whether the last marker of `token_ids` is an end (L-11)."""
        last = next((token for token in reversed(token_ids) if token in (self.start_id, self.end_id)), None)
        return last == self.end_id

    def is_reasoning_end_streaming(self, token_ids: Sequence[int], delta_ids: Sequence[int]) -> bool:
        """Whether the end marker is new: an earlier one never counts again (L-12)."""
        return self.end_id in delta_ids

    def extract_content_ids(self, token_ids: Sequence[int]) -> list[int]:
        """The ids behind the first end marker (L-13)."""
        end = self.find_reasoning_end(token_ids)
        return [] if end is None else list(token_ids[end:])

    def find_reasoning_end(self, token_ids: Sequence[int]) -> int | None:
        """The position behind the first end marker, in ids; None without one."""
        return next((at + 1 for at, token in enumerate(token_ids) if token == self.end_id), None)

    def count_reasoning_tokens(self, token_ids: Sequence[int], prompt_open: bool = False) -> int:
        """Ids between markers, see `count_reasoning`."""
        return count_reasoning(token_ids, self.start_id, self.end_id, prompt_open)

    @property
    def reasoning_end_token_ids(self) -> tuple[int, ...]:
        """The end marker's id."""
        return (self.end_id,)

    @property
    def reasoning_start_str(self) -> str | None:
        """The start marker."""
        return self.start

    @property
    def reasoning_end_str(self) -> str | None:
        """The end marker."""
        return self.end

    # --- text view -------------------------------------------------------------------------------------------

    def extract_reasoning(self, text: str, request: ChatRequest | None = None) -> tuple[str | None, str | None]:
        """Cut a whole output: drop all up to the first start marker, split at the first end marker (L-14).

        Without an end all of it is reasoning: the output was cut while thinking (L-15).
        """
        before, start, after = text.partition(self.start)
        reasoning, _, content = (after if start else before).partition(self.end)
        return reasoning, content or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        """What one delta adds: the ids tell which markers to look for, the text where they stand."""
        for token in delta_token_ids:
            self._see(token)
        self.by_text = not current_token_ids
        if self.by_text:
            self._read(self.held + delta_text)
        return self._split(self.held + delta_text)

    @property
    def ended_in_text(self) -> bool:
        """Whether the end marker was read in a stream without ids."""
        return self.by_text and self.end_seen and not self.in_reasoning

    @property
    def awaits_text(self) -> bool:
        """Whether a marker is waited for."""
        return bool(self.awaited)

    def finish_streaming(self) -> DeltaMessage | None:
        """What looked like the beginning of a marker that never came."""
        fields = _Fields()
        fields.add(self.held, self.in_reasoning)
        self.held, self.awaited = "", []
        return fields.delta()

    def _see(self, token: int) -> None:
        """Wait for the text of a marker that changes something; any other one is text."""
        if self.end_seen:
            return
        if token == self.start_id and not self.start_seen:
            self.start_seen = True
            self.awaited.append(self.start)
        elif token == self.end_id:
            self.end_seen = True
            if self.start_seen or self.starts_open:
                self.awaited.append(self.end)

    def _read(self, text: str) -> None:
        """Without ids the markers are those that the text spells."""
        at = 0
        while found := self._next_marker(text, at):
            place, marker = found
            self._see(self.start_id if marker == self.start else self.end_id)
            at = place + len(marker)

    def _next_marker(self, text: str, at: int) -> tuple[int, str] | None:
        places = [(text.find(marker, at), marker) for marker in (self.start, self.end)]
        return min(((place, marker) for place, marker in places if place >= 0), default=None)

    def _possible(self) -> list[str]:
        """Markers that the end of the text may be the beginning of."""
        if self.awaited or not self.by_text or self.end_seen:
            return self.awaited[:1]
        return [self.end] if self.start_seen else [self.start, self.end]

    def _split(self, text: str) -> DeltaMessage | None:
        fields = _Fields()
        while self.awaited:
            before, marker, rest = text.partition(self.awaited[0])
            if not marker and not self._is_skipped(self.awaited[0]):
                break
            fields.add(before, self.in_reasoning)
            self.in_reasoning = self.awaited.pop(0) == self.start
            text = rest
        keep = max((partial_marker(text, marker) for marker in self._possible()), default=0)
        self.held = text[len(text) - keep :]
        fields.add(text[: len(text) - keep], self.in_reasoning)
        return fields.delta()

    def _is_skipped(self, marker: str) -> bool:
        """A special token may have no text at all; then it counts as standing behind the text of its delta."""
        return marker in self.tokenizer.special_tokens


class DeepSeekR1Parser(ThinkingParser):
    """Reasons from the first token on: templates often write the start marker themselves (L-30, L-31).

    No marker at all means reasoning to the end; an answer without thinking is swallowed, as in the original.
    """

    name = "deepseek_r1"

    @property
    def starts_open(self) -> bool:
        """Always."""
        return True


def count_reasoning(ids: Sequence[int], start_id: int, end_id: int, prompt_open: bool = False) -> int:
    """Count the ids between thinking markers, nested ones included (L-32).

    Args:
        ids: generated ids, in order.
        start_id: the marker that opens thinking.
        end_id: the marker that closes it; without an open one it counts for nothing.
        prompt_open: count as if a start marker stood before the ids; one that follows then repeats it (L-33).
    """
    depth, repeats, count = int(prompt_open), prompt_open, 0
    for token in ids:
        if token == start_id:
            depth += not repeats
            repeats = False
        elif token == end_id:
            depth = max(0, depth - 1)
            repeats = False
        else:
            count += depth > 0
    return count


class _Fields:
    """The two fields of one delta."""

    def __init__(self) -> None:
        self._reasoning = ""
        self._content = ""

    def add(self, text: str, is_reasoning: bool) -> None:
        if is_reasoning:
            self._reasoning += text
        else:
            self._content += text

    def delta(self) -> DeltaMessage | None:
        if not self._reasoning and not self._content:
            return None
        return DeltaMessage(reasoning=self._reasoning or None, content=self._content or None)


def require_tokenizer(parser: str, tokenizer: Tokenizer | None) -> None:
    """Refuse to go without a tokenizer.

    Raises:
        ValueError: there is none; names the parser.
    """
    if tokenizer is None:
        raise ValueError(f"The reasoning parser {parser!r} needs a tokenizer; without ids it cannot see its markers.")


def _token(parser: str, tokenizer: Tokenizer, marker: str) -> int:
    token = tokenizer.vocab.get(marker)
    if token is None:
        raise TokenizerError(
            f"The reasoning parser {parser!r} needs the token {marker!r}, which the tokenizer {tokenizer.name!r} "
            "does not have; choose another one with --reasoning-parser, or the model's own tokenizer."
        )
    return token
