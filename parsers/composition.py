"""Names and a request -> one parser, composed in one of two ways.

    unified      one engine pass over one table that both formats make: the default, and always right; calls that a
                 schema forces into JSON are no format's, so they are read behind its reasoning half
    delegating   a reasoning parser and a tool parser driven in phases, as servers do it; a name that servers read with
                 a text parser of the classic kind is read by one here too

Both stand behind `parse_delta`, so whoever drives a parser need not know which it is.

Source: design.md, decisions 2 and 3; card 03 (L-56 … L-58), card 04.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from parsers.compose.adapters import EngineReasoningParser, EngineToolParser
from parsers.compose.choice import CallPath, call_path
from parsers.compose.delegating import DelegatingParser
from parsers.compose.half import reasoning_half
from parsers.compose.ids import id_maker
from parsers.compose.start import Start
from parsers.compose.unified import UnifiedParser
from parsers.engine.alphabet import Alphabet
from parsers.engine.gate import CallCommit
from parsers.engine.stream import StreamingParserEngine
from parsers.errors import TokenizerError
from parsers.formats.context import run_context
from parsers.legacy.base import ReasoningParser, ToolParser
from parsers.legacy.registry import REASONING_PARSERS, TOOL_PARSERS
from parsers.names import Kind
from parsers.protocol import ChatRequest, FunctionTool
from parsers.registry import alphabet_of, build_parser, canonical_name, check_tokens, start_of
from parsers.structured.facts import TOOL_FACTS
from parsers.tokens.base import Tokenizer

Composition = Literal["unified", "delegating"]
Parser = UnifiedParser | DelegatingParser


@dataclass(frozen=True, slots=True)
class ParserChoice:
    """Everything that decides which parser answers a request.

    Attributes:
        reasoning, tool: names; None for no parser.
        tokenizer: None for text-only streams.
        generation_prompt: the end of the rendered prompt; None when unknown.
        template_kwargs: arguments of the chat template that may switch thinking.
        call_commit: when a call becomes visible.
        request: what is answered; its tool choice decides how calls are read.
        auto_tools: the server's switch, without which there is no tool parser, so markup stays text (L-56, D-55).
        strict_calling: the server's switch that decides how forced calls are written (L-41, S-36).
    """

    reasoning: str | None
    tool: str | None
    tokenizer: Tokenizer | None
    tools: Sequence[FunctionTool] = ()
    generation_prompt: str | None = None
    template_kwargs: Mapping[str, object] = field(default_factory=dict)
    call_commit: CallCommit = "incremental"
    history_calls: int = 0
    request: ChatRequest = field(default_factory=ChatRequest)
    auto_tools: bool = True
    strict_calling: bool = True


def compose_parser(choice: ParserChoice, composition: Composition = "unified") -> Parser:
    """A parser for one choice of one request.

    Raises:
        UnknownName: nobody registered the name.
        FormatError: the pair does not go together.
        TokenizerError: the tokenizer lacks a token that one of the formats needs, or there is none to ask.
    """
    forced = call_path(choice.request, _reads_json(choice)) in (CallPath.NAMED, CallPath.REQUIRED)
    if composition == "unified" and not forced:
        return _unified(choice)
    if choice.tokenizer is None:
        raise TokenizerError("Parsers driven in phases switch by token ids; choose a tokenizer for them.")
    return _Pair(choice, choice.tokenizer, classic=composition == "delegating").delegating()


def table_of(parser: Parser) -> tuple[Start, Alphabet]:
    """The table of a composed parser, of both names as one, and what ids mean to it."""
    if isinstance(parser, UnifiedParser):
        return parser.start, parser.alphabet
    assert parser.table is not None, "a parser made of names knows its table"
    return parser.table


def engines_of(parser: Parser) -> list[StreamingParserEngine]:
    """The engines that run inside a composed parser: one, or one behind each adapter."""
    if isinstance(parser, UnifiedParser):
        return [parser.engine]
    reasoning = [parser.reasoning.half.engine] if isinstance(parser.reasoning, EngineReasoningParser) else []
    return reasoning + ([parser.tool.inner.engine] if isinstance(parser.tool, EngineToolParser) else [])


def is_classic(kind: Kind, name: str) -> bool:
    """Whether servers, and so the delegating composition, read this name with a text parser of the classic kind."""
    known = REASONING_PARSERS.names() if kind == "reasoning" else TOOL_PARSERS.names()
    return canonical_name(kind, name) in known


def _unified(choice: ParserChoice) -> UnifiedParser:
    return build_parser(
        choice.reasoning,
        choice.tool if choice.auto_tools else None,
        choice.tokenizer,
        tools=choice.tools,
        generation_prompt=choice.generation_prompt,
        template_kwargs=choice.template_kwargs,
        call_commit=choice.call_commit,
        history_calls=choice.history_calls,
    )


class _Pair:
    """The two parsers of a delegating one.

    Engine halves of one pair share the joined table's alphabet, which is what lets one take over from the other.

    Args:
        classic: names that servers read with a classic parser are read by one.
    """

    def __init__(self, choice: ParserChoice, tokenizer: Tokenizer, classic: bool) -> None:
        self.choice, self.tokenizer, self.classic = choice, tokenizer, classic
        self.tool = choice.tool if choice.auto_tools else None
        self.context = run_context(tokenizer, choice.generation_prompt, choice.template_kwargs)
        self.start = start_of(choice.reasoning, self.tool, self.context)
        check_tokens({"reasoning": choice.reasoning, "tool": self.tool}, self.start.config, tokenizer)

    def delegating(self) -> DelegatingParser:
        """Both as one."""
        choice = self.choice
        style = self.start.config.call_ids
        return DelegatingParser(
            self._reasoning_parser(),
            self._tool_parser(),
            choice.request,
            id_maker(style, choice.history_calls),
            prompt_ids=self.tokenizer.encode(choice.generation_prompt) if choice.generation_prompt else None,
            reads_json=_reads_json(choice),
            id_style=style,
            history_calls=choice.history_calls,
            table=(self.start, self._alphabet(self.start)),
        )

    def _reasoning_parser(self) -> ReasoningParser | None:
        name = self.choice.reasoning
        if name is None:
            return None
        if self._is_classic("reasoning", name):
            classic = REASONING_PARSERS.get(canonical_name("reasoning", name))
            return classic(self.tokenizer, chat_template_kwargs=dict(self.choice.template_kwargs))
        half, alphabet = replace(self.start, config=reasoning_half(self.start.config)), self._alphabet(self.start)
        return EngineReasoningParser(
            self.tokenizer,
            self.start.config,
            lambda state: self._engine(half if state is None else replace(half, state=state), alphabet),
        )

    def _tool_parser(self) -> ToolParser | None:
        name, reasoning = self.tool, self.choice.reasoning
        if name is None:
            return None
        if self._is_classic("tool", name):
            return TOOL_PARSERS.get(canonical_name("tool", name))(self.tokenizer, self.choice.tools)
        beside_engine = reasoning is not None and not self._is_classic("reasoning", reasoning)
        start = self.start if beside_engine else start_of(None, name, self.context)
        return EngineToolParser(self.tokenizer, self._engine(start, self._alphabet(start)), self.choice.tools)

    def _is_classic(self, kind: Kind, name: str) -> bool:
        return self.classic and is_classic(kind, name)

    def _engine(self, start: Start, alphabet: Alphabet) -> UnifiedParser:
        choice = self.choice
        return UnifiedParser(
            start, alphabet, self.tokenizer.token_text, choice.tools, choice.call_commit, choice.history_calls
        )

    def _alphabet(self, start: Start) -> Alphabet:
        return alphabet_of(start.config, self.tokenizer)


def _reads_json(choice: ParserChoice) -> bool:
    """Whether forced calls of this choice are JSON that a schema asks for (L-41)."""
    if choice.tool is None or not choice.auto_tools:
        return False
    name = canonical_name("tool", choice.tool)
    facts = TOOL_FACTS.get(name)
    if facts is not None:
        return facts.supports_required_and_named(choice.strict_calling)
    return is_classic("tool", name) and TOOL_PARSERS.get(name).reads_forced_calls_as_json(choice.strict_calling)
