"""Results: what one case gave under one strategy, one JSON line each.

Source: card 00 (C0-10).
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from parsers.protocol import JsonObject


class ResultCall(BaseModel):
    """A call as the client has it at the end.

    Attributes:
        index: number of the call in its message, 0-based.
        arguments: JSON text as received.
        complete: False when the output ended inside the call.
    """

    index: int
    id: str
    name: str
    arguments: str
    complete: bool = True


class ResultUsage(BaseModel):
    """Token counts; reasoning tokens are None without a reasoning parser."""

    completion_tokens: int
    reasoning_tokens: int | None = None


class ResultError(BaseModel):
    """Why a case could not run: the error's class and its sentence."""

    type: str
    message: str

    @classmethod
    def of(cls, error: Exception) -> ResultError:
        """Return the line's form of an error."""
        return cls(type=type(error).__name__, message=str(error))


class Result(BaseModel):
    """One case under one strategy.

    Attributes:
        strategy: how the stream was cut (C0-03).
        deltas: the messages received, in order; None unless asked for.
        laws: names of broken laws; empty when all hold.
        match: whether the answer is an accepted one; None when the case expects nothing.
        differences: what differs from the expected answer, one sentence each, for people: not in the line.
        error: why the case could not run; the other fields are then empty.
    """

    id: str
    strategy: str
    reasoning: str | None = None
    content: str | None = None
    tool_calls: list[ResultCall] = Field(default_factory=list)
    finish_reason: str | None = None
    usage: ResultUsage | None = None
    deltas: list[JsonObject] | None = None
    laws: list[str] = Field(default_factory=list)
    match: bool | None = None
    differences: list[str] = Field(default_factory=list, exclude=True)
    error: ResultError | None = None

    def as_line(self) -> str:
        """Return the JSON line, without a line end; `deltas` only if they were asked for."""
        return self.model_dump_json(exclude={"deltas"} if self.deltas is None else None)
