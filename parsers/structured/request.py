"""A request and its parsers -> what the inference engine is told before the first token.

Three adjustments in a fixed order (S-02): the reasoning parser's, the structural tag, the tool parser's. Each is a
function from one `Prepared` to the next; nothing handed in is changed. Every decision is kept with its rule, so that a
page can tell the story.

Source: card S-01 … S-04, S-10, S-11, S-26, S-27, S-35, S-36, L-56.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from parsers.protocol import ChatRequest, FunctionTool, JsonObject, NamedToolChoice
from parsers.structured import nodes
from parsers.structured.constraint import Constraint, as_format, engine_fault, user_constraint
from parsers.structured.facts import (
    REASONING_THAT_NEVER_KEEPS_SPECIAL,
    KeepsSpecial,
    OwnGrammar,
    ToolFacts,
    tool_facts,
)
from parsers.structured.levels import ToolConstraint, ToolStrictLevel, effective_level
from parsers.structured.schema import named_tool, tools_schema
from parsers.structured.tags import TagQuestion, ToolTag, tool_tag


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client sent.

    Attributes:
        response_format, structured_outputs: the client's own format, as in the request; None when absent.
        api: the route it came by.
    """

    chat: ChatRequest
    response_format: JsonObject | None = None
    structured_outputs: JsonObject | None = None
    api: Literal["chat", "responses"] = "chat"

    @property
    def user_format(self) -> Constraint | None:
        """The format the client asked for itself."""
        return user_constraint(self.response_format, self.structured_outputs)

    @property
    def tools(self) -> Sequence[FunctionTool]:
        """The functions offered; empty when there are none."""
        return self.chat.tools or ()

    @property
    def wants_calls(self) -> bool:
        """There are tools, and the choice is neither "none" nor null."""
        return bool(self.tools) and self.chat.tool_choice not in (None, "none")


@dataclass(frozen=True, slots=True)
class Server:
    """How a server was started.

    Attributes:
        reasoning: it has a reasoning parser.
        reasoning_keeps_special: that parser switches `skip_special_tokens` off.
        tool: facts of its tool parser; None for none.
        strict_calling: structural tags are made at all (S-35).
        strict_level: the floor; None leaves it to the tool parser.
        auto_tools: the auto tool choice is switched on; without it there is no tool parser (L-56).
        always_adjust: requests are adjusted even when nothing asks for it (S-01).
        exclude_tools: "none" keeps the tools out of the prompt (S-04).
        suffix: of the model's tags, see `tags.TagQuestion`.
    """

    reasoning: bool = False
    reasoning_keeps_special: bool = True
    tool: ToolFacts | None = None
    strict_calling: bool = True
    strict_level: ToolStrictLevel | None = None
    auto_tools: bool = True
    always_adjust: bool = False
    exclude_tools: bool = False
    suffix: str = ""

    @property
    def tool_parser(self) -> ToolFacts | None:
        """The tool parser that really exists."""
        return self.tool if self.auto_tools else None

    @property
    def reads_json(self) -> bool:
        """Forced calls are read as JSON; worked out here and now, so the switch may change between requests (S-36).

        A parser with a grammar of its own never gets the schema that JSON would need.
        """
        facts = self.tool_parser
        if facts is None or facts.own_grammar != "none":
            return False
        return facts.supports_required_and_named(self.strict_calling)


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the card rule and what it did, in a clause."""

    rule: str
    what: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the engine is told.

    Attributes:
        constraint: what the output must match; None for free text.
        response_format: the client's format, unless something replaced it.
        text_format: the same for the Responses route, where a schema from tools stands (S-11).
        skip_special_tokens: special tokens vanish from the text.
        parser_grammar: the grammar that the tool parser brings.
        rows: what is constrained of each callable function.
        steps: the decisions, in order.
        warnings: sentences for the client, with the remedy.
    """

    constraint: Constraint | None
    response_format: JsonObject | None
    skip_special_tokens: bool
    text_format: JsonObject | None = None
    parser_grammar: OwnGrammar = "none"
    rows: tuple[ToolConstraint, ...] = ()
    steps: tuple[Step, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def constrained(self) -> bool:
        """A grammar limits the output at some point."""
        return self.constraint is not None or self.parser_grammar != "none"

    def decided(self, rule: str, what: str) -> Prepared:
        """The same with one more step."""
        return replace(self, steps=(*self.steps, Step(rule, what)))

    def warned(self, sentence: str) -> Prepared:
        """The same with one more warning."""
        return replace(self, warnings=(*self.warnings, sentence))


def server_of(reasoning: str | None, tool: str | None) -> Server:
    """A server with default options and these parser names; None stands for no parser.

    Raises:
        UnknownName: no facts are known of the tool parser.
    """
    return Server(
        reasoning=reasoning is not None,
        reasoning_keeps_special=reasoning not in REASONING_THAT_NEVER_KEEPS_SPECIAL,
        tool=tool_facts(tool) if tool else None,
    )


def prompt_tools(asked: Asked, server: Server) -> Sequence[FunctionTool]:
    """The tools the prompt shows; the request keeps them all (S-04)."""
    return () if server.exclude_tools and asked.chat.tool_choice == "none" else asked.tools


def prepare(asked: Asked, server: Server) -> Prepared:
    """Adjust a request.

    Raises:
        RequestError: a tool choice or a format that a server rejects.
    """
    chat = asked.chat
    _check_choice(asked)
    prepared = Prepared(asked.user_format, asked.response_format, chat.skip_special_tokens)
    if not _is_adjusted(asked, server):
        return prepared.decided("S-01", "nothing asks for an adjustment")
    prepared = _adjust_for_reasoning(prepared, server)
    prepared = _apply_tag(prepared, asked, server)
    return _adjust_for_tools(prepared, asked, server)


def responses_format(schema: JsonObject) -> JsonObject:
    """A schema as the Responses route carries it, in `text.format` (S-11)."""
    return {"type": "json_schema", "name": "tool_calls", "schema": schema, "strict": True}


def _check_choice(asked: Asked) -> None:
    choice = asked.chat.tool_choice
    if isinstance(choice, NamedToolChoice):
        named_tool(asked.tools, choice)


def _is_adjusted(asked: Asked, server: Server) -> bool:
    brings_grammar = server.tool_parser is not None and server.tool_parser.own_grammar == "with thinking"
    return server.always_adjust or server.reasoning or asked.chat.tool_choice != "none" or brings_grammar


def _adjust_for_reasoning(prepared: Prepared, server: Server) -> Prepared:
    if server.reasoning and server.reasoning_keeps_special:
        return replace(prepared, skip_special_tokens=False).decided("S-03", "the reasoning parser keeps special tokens")
    return prepared


def _apply_tag(prepared: Prepared, asked: Asked, server: Server) -> Prepared:
    facts, user, choice = server.tool_parser, asked.user_format, asked.chat.tool_choice
    if facts is None:
        return prepared.decided("S-21", "there is no tool parser, so there is no tag")
    level = effective_level(
        server.strict_level, facts.level, choice, asked.chat.parallel_tool_calls, user is not None
    )
    question = TagQuestion(
        facts, asked.tools, choice, level, asked.chat.parallel_tool_calls, server.strict_calling, server.suffix
    )
    beside = choice == "auto" and user is not None
    tag = tool_tag(question, forced=True if beside else None)
    prepared = replace(prepared, rows=tag.rows).decided(tag.rule, tag.why)
    if user is None:
        return _with_tag(prepared, tag.format)
    return _beside_user_format(prepared, tag, user, asked) if beside else _instead_of_user_format(prepared, tag)


def _with_tag(prepared: Prepared, part: JsonObject | None) -> Prepared:
    if part is None:
        return prepared
    tag = Constraint("structural_tag", nodes.structural_tag(part))
    return replace(prepared, constraint=tag, response_format=None).decided("S-27", "the tag replaces other formats")


def _beside_user_format(prepared: Prepared, tag: ToolTag, user: Constraint, asked: Asked) -> Prepared:
    """With "auto": calls or the client's format, when both can be put into one grammar (S-26)."""
    fault = engine_fault(user)
    if tag.format is not None and not fault:
        part = nodes.one_of([tag.format, as_format(user)])
        return _with_tag(prepared, part).decided("S-26", "the output is a call, or follows the client's format")
    free = tuple(replace(row, envelope=False, schema=False) for row in prepared.rows)
    prepared = replace(prepared, rows=free)
    if not asked.wants_calls:
        return prepared
    why, remedy = tag.why, "mark a tool strict or set the strict level to FUNCTION to have both"
    if fault:
        why, remedy = fault, "change the format to have both"
    return prepared.warned(f"The request's own format wins and calls are not constrained ({why}); {remedy}.")


def _instead_of_user_format(prepared: Prepared, tag: ToolTag) -> Prepared:
    if tag.format is None:
        return prepared
    return _with_tag(prepared, tag.format).warned(
        "The forced tool choice wins over the request's own format (S-26); ask for one of them."
    )


def _adjust_for_tools(prepared: Prepared, asked: Asked, server: Server) -> Prepared:
    facts = server.tool_parser
    if facts is None:
        return prepared
    if _asks_for_special(facts.keeps_special, asked):
        prepared = replace(prepared, skip_special_tokens=False).decided("S-03", "the tool parser keeps special tokens")
    if facts.own_grammar != "none" and asked.wants_calls:
        prepared = replace(prepared, parser_grammar=facts.own_grammar)
        return prepared.decided("S-40", f"the tool parser brings a grammar that starts {facts.own_grammar}")
    return _force_by_schema(prepared, asked, server)


def _force_by_schema(prepared: Prepared, asked: Asked, server: Server) -> Prepared:
    if not asked.tools:
        return prepared.decided("S-10", "no tools")
    if prepared.constraint is not None and prepared.constraint.kind == "structural_tag":
        return prepared.decided("S-10", "a structural tag is set")
    if not server.reads_json:
        return prepared.decided("S-10", "the tool parser reads its own markup, which JSON would not be")
    schema = tools_schema(asked.tools, asked.chat.tool_choice, asked.chat.parallel_tool_calls)
    if schema is None:
        return prepared.decided("S-12", "the tool choice forces nothing")
    text_format = responses_format(schema) if asked.api == "responses" else None
    forced = replace(
        prepared, constraint=Constraint("json", schema), response_format=None, text_format=text_format
    )
    return forced.decided("S-11", "the output must follow a JSON schema made from the tools")


def _asks_for_special(keeps: KeepsSpecial, asked: Asked) -> bool:
    return keeps == "always" or (keeps == "with tools" and asked.wants_calls)
