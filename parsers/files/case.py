"""Cases: one model output with everything needed to parse it again and to say whether the answer is right.

Reads JSON Lines (one case a line), a `.json` or `.toml` file (one case) or a folder of them, into `Case`
objects. Unknown fields are kept and ignored.

Source: card 00 (C0-01 … C0-04).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)

from parsers.errors import CaseError
from parsers.files.jsontext import BadJson, read_json
from parsers.files.textfile import read_file
from parsers.files.tools import as_tool
from parsers.protocol import ChatRequest, FunctionTool, JsonObject

EngineFinishReason = Literal["stop", "length", "abort", "error", "repetition"]
Compare = Literal["exact", "strip", "collapse-ws"]
SUFFIXES = (".jsonl", ".json", ".toml")


class ExpectedCall(BaseModel):
    """A call an answer must hold; arguments are compared as a JSON value."""

    name: str
    arguments: JsonValue


class Expected(BaseModel):
    """A right answer; fields that are absent are not compared."""

    reasoning: str | None = None
    content: str | None = None
    tool_calls: list[ExpectedCall] = Field(default_factory=list)
    finish_reason: str | None = None


class StreamCheck(BaseModel):
    """What a client must have, or must not have yet, part-way through the case's own chunks.

    Attributes:
        after_chunk: 0-based number of the chunk just fed; None with `at_end`.
        content_at_least: the content so far begins with this.
        content_at_most: this begins with the content so far.
        tool_name: a call of this name has been announced; the arguments meant are those of its last call.
        arguments_at_least: the arguments so far begin with this.
        at_end: check after the whole stream instead.
    """

    after_chunk: int | None = None
    content_at_least: str | None = None
    content_at_most: str | None = None
    tool_name: str | None = None
    arguments_at_least: str | None = None
    at_end: bool = False

    @model_validator(mode="after")
    def _has_a_moment(self) -> Self:
        if self.after_chunk is None and not self.at_end:
            raise ValueError("needs after_chunk or at_end")
        return self


class Server(BaseModel):
    """How the server was started.

    Attributes:
        auto_tools: calls are looked for when the request leaves the choice to the model.
        strict_calling: structural tags are in force (S-35).
        tool_strict_level: floor for all tools; None leaves it to the parser.
    """

    auto_tools: bool = True
    strict_calling: bool = True
    tool_strict_level: Literal["auto", "function", "parameter"] | None = None


class Case(BaseModel):
    """One model output and how it was produced; see card 00 for each field.

    Attributes:
        raw_output: text after the prompt, special tokens spelled out, stop token left out.
        tokens: exact token texts; an entry that spells a marker whole is that marker's token.
        chunks: delta texts as they arrived; together they are `raw_output`.
        generation_prompt: end of the rendered prompt; None when unknown.
        family: heading under which a summary counts the case; optional.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    family: str | None = None
    reasoning_parser: str | None = None
    tool_parser: str | None = None
    raw_output: str | None = None
    token_ids: list[int] | None = None
    tokenizer: str | None = None
    tokens: list[str] | None = None
    chunks: list[str] | None = None
    chunk_token_ids: list[list[int]] | None = None
    chunks_utf8_hex: list[str] | None = None
    generation_prompt: str | None = None
    prompt_token_ids: list[int] | None = None
    tools: list[FunctionTool] = Field(default_factory=list)
    request: JsonObject = Field(default_factory=dict)
    server: Server = Field(default_factory=Server)
    engine_finish_reason: EngineFinishReason = "stop"
    expected: Expected | None = None
    also_accept: list[Expected] = Field(default_factory=list)
    observed: JsonValue = None
    compare: Compare = "strip"
    stream_checks: list[StreamCheck] = Field(default_factory=list)

    @field_validator("tools", mode="before")
    @classmethod
    def _wrap_bare_functions(cls, value: object) -> object:
        if value is None:
            return []
        return [as_tool(item) for item in value] if isinstance(value, list) else value

    @model_validator(mode="after")
    def _can_be_run(self) -> Self:
        outputs = (self.raw_output, self.token_ids, self.tokens, self.chunks, self.chunks_utf8_hex)
        if all(output is None for output in outputs):
            raise ValueError("needs one of raw_output, token_ids, tokens, chunks, chunks_utf8_hex")
        if self.tokenizer is None and (self.token_ids or self.chunk_token_ids):
            raise ValueError("token ids need the tokenizer they belong to")
        self._check_chunks()
        self.chat_request()
        return self

    def _check_chunks(self) -> None:
        if self.chunks is None:
            return
        if self.raw_output is not None and "".join(self.chunks) != self.raw_output:
            raise ValueError("chunks do not add up to raw_output")
        if self.chunk_token_ids is not None and len(self.chunk_token_ids) != len(self.chunks):
            raise ValueError("chunk_token_ids needs one list for each of the chunks")

    def chat_request(self) -> ChatRequest:
        """Return the request with the case's tools in it."""
        # Whether to stream is the strategy's choice, and cases say "both" there.
        fields = {name: value for name, value in self.request.items() if name != "stream"}
        return ChatRequest.model_validate({**fields, "tools": self.tools or None})

    @property
    def heading(self) -> str:
        """The family, or else what stands for it: the folder in the id, or the parser."""
        folder, slash, _ = self.id.partition("/")
        return (
            self.family
            or (folder if slash else "")
            or self.tool_parser
            or self.reasoning_parser
            or "no parser"
        )


def load_cases(path: Path) -> list[Case]:
    """Return the cases of a file, or of all case files under a folder, in order of their names.

    Raises:
        CaseError: cannot be read, is not a case, or an id appears twice; names file, line and reason.
    """
    if not path.is_dir():
        return _load_file(path)
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise CaseError(f"The folder {path} holds no case file ({', '.join(SUFFIXES)}).")
    return [case for file in files for case in _load_file(file)]


def _load_file(path: Path) -> list[Case]:
    text = read_file(path)
    if path.suffix == ".toml":
        return [_check_case(_read_toml(text, path), str(path))]
    if path.suffix == ".json":
        return [_check_case(_read_value(text, str(path)), str(path))]
    return read_cases(text.split("\n"), str(path))


def read_cases(lines: Iterable[str], name: str) -> list[Case]:
    """Return the cases of JSON Lines; blank lines are skipped.

    Args:
        lines: one JSON object each.
        name: what messages call the file.

    Raises:
        CaseError: a line is not a case, or an id appears twice; names file, line and reason.
    """
    cases: dict[str, Case] = {}
    for place, line in _numbered(lines, name):
        case = _check_case(_read_value(line, place), place)
        if case.id in cases:
            raise CaseError(f"{place}: the id {case.id!r} appears twice.")
        cases[case.id] = case
    return list(cases.values())


def _numbered(lines: Iterable[str], name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield f"{name}, line {number}", line


def _read_value(text: str, place: str) -> JsonValue:
    try:
        return read_json(text)
    except BadJson as error:
        where = f" (column {error.column})" if error.column is not None else ""
        raise CaseError(f"{place}: not valid JSON: {error.reason}{where}.") from error


def _read_toml(text: str, path: Path) -> JsonObject:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{path}: not valid TOML: {error}.") from error


def _check_case(value: JsonValue, place: str) -> Case:
    if not isinstance(value, dict):
        raise CaseError(f"{place}: a case is a JSON object.")
    try:
        return Case.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:5])
        reason = first["msg"].removeprefix("Value error, ")
        raise CaseError(f"{place}: {where + ': ' if where else ''}{reason}.") from error
