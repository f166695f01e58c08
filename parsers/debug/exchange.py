"""One request to one server -> what the engine is told, when its grammar starts, and what about it loses data.

Everything here is known before the first token, so a page can say what is wrong before anything runs.

Source: card 01 (P-28), card 05 (S-01 … S-54, S-71).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from parsers.debug.asked import RequestSettings, response_format
from parsers.engine.config import ParserEngineConfig
from parsers.errors import RequestError
from parsers.formats.context import run_context
from parsers.protocol import ChatRequest
from parsers.registry import joined
from parsers.serving.requests import ToolSupport, read_request
from parsers.structured.facts import REASONING_THAT_NEVER_KEEPS_SPECIAL, TOOL_FACTS, ToolFacts
from parsers.structured.levels import read_level
from parsers.structured.lint import Finding, Setup, lint
from parsers.structured.reasoning import ReasoningEnded, prompt_ended, resolve_reasoning_ended
from parsers.structured.request import Asked, Prepared, Server, prepare
from parsers.structured.timeline import Gate, gate_of
from parsers.tokens.base import Tokenizer

PLUGIN = ToolFacts(json_route=False)
"""What is assumed of a tool parser that no table knows: it reads its own markup, and no tag spells it."""
_OPEN_THINKING = ("<think>", "<seed:think>", "<mm:think>", "[THINK]")
_THINKING = (*_OPEN_THINKING, "</think>", "</seed:think>", "</mm:think>", "<|channel|>analysis", "<|channel>thought")
_CALLING = (
    "<tool_call", ":tool_call", "<|tool_call", "<｜tool▁call", "<｜DSML｜", "<function=", "<function_calls>",
    "[TOOL_CALLS]", "<|python_tag|>", "to=functions.",
)  # fmt: skip
"""What thinking and calls look like in the formats of most models, for outputs that no parser reads."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the server it goes to.

    Attributes:
        asked: what a person chose.
        chat: the request that says so.
        reasoning, tool: parser names; None for none.
        generation_prompt: the end of the rendered prompt; None or "" when unknown.
        raw_output: what the model writes, for the question whether it thinks and calls functions.
    """

    asked: RequestSettings
    chat: ChatRequest
    reasoning: str | None
    tool: str | None
    tokenizer: Tokenizer
    generation_prompt: str | None = None
    raw_output: str = ""

    @property
    def has_parser(self) -> bool:
        """The server builds a parser; without the auto tool choice a tool parser's name builds none (L-56)."""
        return self.reasoning is not None or (self.tool is not None and self.asked.auto_tools)

    @property
    def config(self) -> ParserEngineConfig:
        """The joined table of the parsers."""
        context = run_context(self.tokenizer, self.generation_prompt, self.chat.chat_template_kwargs)
        return joined(self.reasoning, self.tool, context)

    @property
    def reasoning_config(self) -> ParserEngineConfig | None:
        """The same for the engine, which knows a reasoning parser or none."""
        return self.config if self.reasoning is not None else None

    @property
    def thinks(self) -> bool:
        """The prompt leaves thinking open, or the output shows marks of it."""
        opened = (self.generation_prompt or "").rstrip().endswith(_OPEN_THINKING)
        return opened or any(mark in self.raw_output for mark in _THINKING)

    @property
    def calls(self) -> bool:
        """The output shows marks of calls."""
        return any(mark in self.raw_output for mark in _CALLING)

    @property
    def engine_kwargs(self) -> dict[str, object]:
        """The template arguments that reach the engine process (S-44)."""
        return dict(self.chat.chat_template_kwargs) if self.asked.engine_arguments else {}


@dataclass(frozen=True, slots=True)
class Orders:
    """What the engine is told of a request.

    Attributes:
        prepared: the adjusted request.
        ended: the answer to whether reasoning is over.
        gate: when the grammar starts.
    """

    prepared: Prepared
    ended: ReasoningEnded
    gate: Gate


def server_of(exchange: Exchange) -> Server:
    """The server that a person chose.

    Raises:
        FormatError: there is no such strict level.
    """
    asked = exchange.asked
    return Server(
        reasoning=exchange.reasoning is not None,
        reasoning_keeps_special=exchange.reasoning not in REASONING_THAT_NEVER_KEEPS_SPECIAL,
        tool=None if exchange.tool is None else TOOL_FACTS.get(exchange.tool, PLUGIN),
        strict_calling=asked.strict_calling,
        strict_level=None if asked.strict_level is None else read_level(asked.strict_level),
        auto_tools=asked.auto_tools,
    )


def orders_of(exchange: Exchange) -> Orders:
    """Adjust the request and work out when the grammar starts.

    Raises:
        RequestError: the response format cannot be used, or the tool choice names a function that is not offered.
    """
    return _orders(exchange, Asked(exchange.chat, response_format(exchange.asked)), server_of(exchange))


def findings_of(exchange: Exchange) -> tuple[Finding, ...]:
    """What about the configuration loses data or breaks a promise, the server's own refusal first.

    Raises:
        RequestError: as `orders_of`.
    """
    asked, server = Asked(exchange.chat, response_format(exchange.asked)), server_of(exchange)
    orders = _orders(exchange, asked, server)
    setup = Setup(
        asked,
        server,
        # The stream of the run skips what was asked for, whatever a server would make of it.
        replace(orders.prepared, skip_special_tokens=exchange.chat.skip_special_tokens),
        orders.ended,
        exchange.config,
        thinks=exchange.thinks,
        calls=exchange.calls,
        prompt_known=bool(exchange.generation_prompt),
        vocab=exchange.tokenizer.vocab,
        special=exchange.tokenizer.special_tokens,
        api_kwargs=exchange.chat.chat_template_kwargs,
        engine_kwargs=exchange.engine_kwargs,
    )
    return (*_refusal(exchange), *lint(setup))


def _orders(exchange: Exchange, asked: Asked, server: Server) -> Orders:
    prepared = prepare(asked, server)
    config, prompt = exchange.reasoning_config, exchange.generation_prompt
    in_api = prompt_ended(config, prompt, exchange.chat.chat_template_kwargs)
    in_engine = prompt_ended(config, prompt, exchange.engine_kwargs)
    ended = resolve_reasoning_ended(prepared, exchange.chat.include_reasoning, in_api)
    gate = gate_of(prepared, ended, config, exchange.tokenizer.vocab, in_engine)
    if in_engine and ended.ended is False:
        # The engine's parser was built without thinking and takes the first token for its end (L-37, S-44).
        gate = replace(gate, is_end=lambda seen: True)
    return Orders(prepared, ended, gate)


def _refusal(exchange: Exchange) -> tuple[Finding, ...]:
    """The sentence with which a server rejects the request, if it does (P-28); the run shows what would follow."""
    support = ToolSupport(exchange.asked.auto_tools, exchange.tool is not None)
    try:
        read_request(exchange.chat.model_dump(mode="json", exclude_unset=True), support)
    except RequestError as error:
        refused = f"A server rejects this request, so no model ever sees it: {error}"
        return (Finding("P-28", refused.rstrip("."), "change the request, or start the server as it says"),)
    return ()
