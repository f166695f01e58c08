"""A configuration -> what about it loses data or breaks a promise, a sentence each with the remedy.

One function a finding, listed in `CHECKS`; each gets the whole setup and gives a finding or None.

Source: card S-03, S-24, S-36, S-42, S-54, S-71; F-21 … F-23, F-40 … F-42, F-46, F-49; P-36, P-42.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from parsers.engine.config import ParserEngineConfig
from parsers.structured.constraint import engine_fault
from parsers.structured.foreign import unread_begin
from parsers.structured.reasoning import ReasoningEnded
from parsers.structured.request import Asked, Prepared, Server


@dataclass(frozen=True, slots=True)
class Setup:
    """A request on a server, as far as it can be checked before anything is generated.

    Attributes:
        prepared: `asked` adjusted for `server`.
        ended: what the engine is told about reasoning; None when that is not known.
        config: the joined table of the parsers.
        thinks: the model writes thinking with this prompt, whether a parser reads it or not.
        calls: the model writes calls, likewise.
        prompt_known: the end of the rendered prompt is known.
        vocab: token text -> id; None when there is no tokenizer.
        special: the texts a tokenizer calls special.
        tag_key: the structural tag key the server is configured with; None for the tool parser's own.
        api_kwargs, engine_kwargs: template arguments of the reasoning parser in the API and in the engine process.
        tag_hook: the parser brings a hook for structural tags.
    """

    asked: Asked
    server: Server
    prepared: Prepared
    ended: ReasoningEnded | None = None
    config: ParserEngineConfig | None = None
    thinks: bool = False
    calls: bool = False
    prompt_known: bool = True
    vocab: Mapping[str, int] | None = None
    special: frozenset[str] = frozenset()
    tag_key: str | None = None
    api_kwargs: Mapping[str, object] = field(default_factory=dict)
    engine_kwargs: Mapping[str, object] | None = None
    tag_hook: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that goes wrong.

    Attributes:
        rule: of the failure, or of the promise that breaks.
        lost: what goes wrong, a sentence without its full stop.
        remedy: what to do, in a clause.
        note: it goes wrong only on some servers, or only for some outputs.
    """

    rule: str
    lost: str
    remedy: str
    note: bool = False

    @property
    def sentence(self) -> str:
        """Both in one sentence."""
        return f"{self.lost}; {self.remedy}."


def lint(setup: Setup) -> list[Finding]:
    """Everything wrong with a configuration, in the order of `CHECKS`; empty when nothing is."""
    return [finding for check in CHECKS if (finding := check(setup)) is not None]


def _is_forced(setup: Setup) -> bool:
    return setup.asked.wants_calls and setup.asked.chat.tool_choice != "auto"


def _calls_unread(setup: Setup) -> Finding | None:
    if setup.server.tool is not None or not (setup.calls or setup.asked.wants_calls):
        return None
    why = "The model calls functions" if setup.calls else "The request has tools"
    return Finding("F-21", f"{why}, but no tool parser reads calls: they stay in the content", "name a tool parser")


def _thinking_unread(setup: Setup) -> Finding | None:
    if setup.server.reasoning or not setup.thinks:
        return None
    return Finding(
        "F-21",
        "The model thinks, but no reasoning parser reads it: thinking goes to content or into arguments",
        "name a reasoning parser",
    )


def _auto_switched_off(setup: Setup) -> Finding | None:
    asked = setup.asked
    if setup.server.tool is None or setup.server.auto_tools or not asked.tools or asked.chat.tool_choice == "none":
        return None
    return Finding(
        "F-21",
        "Without the auto tool choice switched on the tool parser is never built, and no call reaches the client",
        "switch the auto tool choice on",
    )


def _marker_missing(setup: Setup) -> Finding | None:
    if setup.config is None or setup.vocab is None:
        return None
    missing = [marker for marker in setup.config.required if marker not in setup.vocab]
    if not missing:
        return None
    lost = f"The tokenizer lacks {missing[0]!r}, so the server does not start"
    return Finding("F-21", lost, "use the model's own tokenizer")


def _wrong_tag(setup: Setup) -> Finding | None:
    facts = setup.server.tool_parser
    if facts is None or setup.tag_key is None or setup.tag_key == facts.key:
        return None
    remedy = f"use {facts.key!r}" if facts.key else "leave it out, for this parser has none"
    return Finding(
        "F-22", f"The structural tag {setup.tag_key!r} forces a format that the tool parser does not read", remedy
    )


def _foreign_tag(setup: Setup) -> Finding | None:
    """A structural tag of the client's own, whose calls the tool parser would not know for calls (S-20)."""
    tag, facts = setup.prepared.constraint, setup.server.tool_parser
    if tag is None or tag.kind != "structural_tag" or tag != setup.asked.user_format:
        return None
    begin = unread_begin(tag.value, facts, setup.config) if facts and setup.config else None
    if begin is None:
        return None
    return Finding(
        "F-22",
        f"The request's structural tag lets calls begin with {begin!r}, which the tool parser does not read: they stay "
        "in the content",
        "spell the calls as the model's own format does, or leave the tag to the server",
    )


def _two_minds(setup: Setup) -> Finding | None:
    if not setup.server.reasoning or setup.engine_kwargs is None or setup.engine_kwargs == setup.api_kwargs:
        return None
    return Finding(
        "F-23",
        "The API and the engine build the reasoning parser with different template arguments, so they may disagree "
        "about thinking and the grammar may start inside it",
        "hand the engine the same arguments",
    )


def _null_choice(setup: Setup) -> Finding | None:
    if setup.server.tool_parser is None or not setup.asked.tools or setup.asked.chat.tool_choice is not None:
        return None
    return Finding(
        "F-40",
        "tool_choice is null: calls are read and then dropped, and the answer ends with `stop`",
        'leave tool_choice out or say "auto"',
    )


def _cut_array(setup: Setup) -> Finding | None:
    if setup.asked.chat.tool_choice != "required" or not setup.server.reads_json:
        return None
    return Finding(
        "F-41",
        "Required calls come as one JSON array, which is lost as a whole when the output is cut",
        "allow enough tokens, or use a tool parser with a structural tag and strict calling",
        note=True,
    )


def _prompt_unknown(setup: Setup) -> Finding | None:
    if setup.server.reasoning or setup.server.tool_parser is None or setup.prompt_known:
        return None
    return Finding(
        "F-42",
        "Without prompt ids and without a reasoning parser some servers never start to read calls",
        "hand the prompt ids to the parser",
        note=True,
    )


def _hidden_thinking(setup: Setup) -> Finding | None:
    if setup.asked.chat.include_reasoning or not setup.server.reasoning or not setup.prepared.constrained:
        return None
    return Finding(
        "F-46",
        "With include_reasoning false the grammar applies from the first token, so a thinking model cannot think or "
        "its thinking is garbled (S-42)",
        "keep reasoning and hide it in the client, or turn thinking off",
    )


def _nothing_hidden(setup: Setup) -> Finding | None:
    if setup.asked.chat.include_reasoning or setup.server.reasoning or setup.server.tool_parser is not None:
        return None
    return Finding(
        "P-42",
        "include_reasoning is false, but without a parser nothing is hidden: thinking goes out as content, and as "
        "logprobs and token ids where they are asked for",
        "name a reasoning parser",
    )


def _counts_alone(setup: Setup) -> Finding | None:
    options = setup.asked.chat.stream_options
    if options.include_usage or not options.continuous_usage_stats:
        return None
    lost = "continuous_usage_stats without include_usage does nothing, so no counts are sent"
    return Finding("P-36", lost, "ask for both of them")


def _no_tools(setup: Setup) -> Finding | None:
    if setup.server.tool_parser is None or setup.asked.tools:
        return None
    return Finding(
        "F-49",
        "The request has no tools, but the tool parser still takes call markup out of the text and nothing is shown "
        "for it",
        "send the tools, or leave the tool parser out",
    )


def _markers_vanish(setup: Setup) -> Finding | None:
    if setup.config is None or not setup.prepared.skip_special_tokens:
        return None
    spelled = {text for terminal in setup.config.terminals.values() for text in terminal.spellings}
    vanishing = sorted(spelled & setup.special)
    if not vanishing:
        return None
    return Finding(
        "S-03",
        f"{vanishing[0]!r} is a special token and skip_special_tokens is on, so the parser never sees it in the text",
        "send skip_special_tokens: false",
    )


def _not_compiled(setup: Setup) -> Finding | None:
    constraint = setup.prepared.constraint
    fault = engine_fault(constraint) if constraint else ""
    if not fault:
        return None
    lost = f"The engine cannot compile the constraint, so this request fails: {fault}"
    return Finding("S-54", lost, "correct the format")


def _nothing_forces(setup: Setup) -> Finding | None:
    prepared = setup.prepared
    ours = prepared.parser_grammar != "none" or prepared.constraint not in (None, setup.asked.user_format)
    if not _is_forced(setup) or setup.server.tool_parser is None or ours:
        return None
    tagged = setup.server.tool_parser.key is not None
    remedy = "switch strict calling on" if tagged else "use auto, and check the answer for calls"
    return Finding("S-24", "The tool choice forces a call, but nothing constrains the output to one", remedy)


def _switch_changes_format(setup: Setup) -> Finding | None:
    facts = setup.server.tool_parser
    if facts is None or not _is_forced(setup) or setup.server.strict_calling:
        return None
    if not facts.supports_required_and_named(False) or facts.supports_required_and_named(True):
        return None
    return Finding(
        "S-36",
        "With strict calling off this parser's forced calls are JSON instead of the model's own markup, which the "
        "model was not trained on",
        "switch strict calling on",
    )


def _asked_too_early(setup: Setup) -> Finding | None:
    if setup.ended is None or not setup.server.reasoning or setup.prepared.parser_grammar != "with thinking":
        return None
    if setup.ended.ended is True:
        return None
    return Finding(
        "S-41",
        "The question whether reasoning has ended was asked before the request was adjusted, so the parser's grammar "
        "waits for the end of thinking that it should cover",
        "ask it afterwards",
    )


def _hook_never_called(setup: Setup) -> Finding | None:
    if not setup.tag_hook or setup.asked.api == "responses":
        return None
    return Finding(
        "S-60", "The parser's hook for structural tags runs on the Responses route only", "do not rely on it in chat"
    )


CHECKS: tuple[Callable[[Setup], Finding | None], ...] = (
    _calls_unread,
    _thinking_unread,
    _auto_switched_off,
    _marker_missing,
    _wrong_tag,
    _foreign_tag,
    _two_minds,
    _null_choice,
    _cut_array,
    _prompt_unknown,
    _hidden_thinking,
    _nothing_hidden,
    _counts_alone,
    _no_tools,
    _markers_vanish,
    _not_compiled,
    _nothing_forces,
    _switch_changes_format,
    _asked_too_early,
    _hook_never_called,
)
