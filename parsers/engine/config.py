"""The words a format is written in: markers, states, rows, bodies, header rules.

A format is data. This module holds the frozen pieces and nothing that runs; `lexicon` compiles them, `machine` follows
them, `lint` checks them. Source: card 02 sections A and E; INDEX-1 and INDEX-2 features 1 to 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from parsers.args.json_calls import CallKeys, Shape
from parsers.args.params import VERBATIM, ValueRules
from parsers.args.pycalls import Layout
from parsers.args.schema import Untyped
from parsers.engine.events import EventType

if TYPE_CHECKING:
    from parsers.args.delimiters import Delimiter
    from parsers.args.response_calls import CallRegion

# Inside spellings: white space the model may or may not write. Private characters, so no marker can contain them.
SPACES = "\ue000"  # any white space, at most 8 characters
NEWLINES = "\ue001"  # any number of newlines, at most 16
NEWLINE = "\ue002"  # one newline or none
SOURCES = "\ue003"  # digits, commas, colons, brackets and spaces, at most 128: what a citation names
WORD = "\ue004"  # letters, underscores, colons and bars, at most 64: a role, or what is left of a tag that was cut off
IDENTIFIER = "\ue006"  # letters, digits, underscores, dots and dashes, 1 to 64: a recipient
NEVER = "\ue005"  # no text at all; as `followed_by`, only the end of the stream may follow


class ParserState(StrEnum):
    """The field's seven states and the ones its correct grammars need besides (cards INDEX-1 4, INDEX-2 12, 14)."""

    CONTENT = "CONTENT"
    REASONING = "REASONING"
    MESSAGE_HEADER = "MESSAGE_HEADER"
    TOOL_PREAMBLE = "TOOL_PREAMBLE"
    TOOL_HEADER = "TOOL_HEADER"
    TOOL_NAME = "TOOL_NAME"
    TOOL_ARGS = "TOOL_ARGS"
    TOOL_OBJECT = "TOOL_OBJECT"  # a whole call as a JSON object, where TOOL_ARGS reads something else
    TOOL_BETWEEN = "TOOL_BETWEEN"
    ARG_KEY = "ARG_KEY"
    ARG_TYPE = "ARG_TYPE"
    ARG_VALUE = "ARG_VALUE"
    START = "START"
    BROKEN = "BROKEN"
    IGNORE = "IGNORE"


TOOL_STATES = frozenset(
    {ParserState.TOOL_PREAMBLE, ParserState.TOOL_HEADER, ParserState.TOOL_ARGS, ParserState.TOOL_BETWEEN}
)


class Sink(StrEnum):
    """Where the text of a state goes."""

    TEXT = "content"
    REASONING = "reasoning"
    NAME = "tool name"
    KEY = "argument key"
    TYPE = "argument type"
    VALUE = "argument value"
    HEADER = "header"
    BODY = "body codec"
    NOTHING = "nothing"


CALL_SINKS = frozenset({Sink.NAME, Sink.KEY, Sink.TYPE, Sink.VALUE, Sink.BODY})
SINKS: Mapping[str, Sink] = {
    ParserState.CONTENT: Sink.TEXT,
    ParserState.REASONING: Sink.REASONING,
    ParserState.MESSAGE_HEADER: Sink.HEADER,
    ParserState.TOOL_NAME: Sink.NAME,
    ParserState.ARG_KEY: Sink.KEY,
    ParserState.ARG_TYPE: Sink.TYPE,
    ParserState.ARG_VALUE: Sink.VALUE,
    ParserState.START: Sink.TEXT,
    ParserState.BROKEN: Sink.TEXT,
}

# Terminals no marker spells; the engine raises them itself.
OTHER = "OTHER"  # text that is not white space, in a state that only expects markers
BODY_END = "BODY_END"  # the body codec has read a whole value
BODY_BAD = "BODY_BAD"  # the body codec met something the grammar does not allow
PSEUDO_TERMINALS = frozenset({OTHER, BODY_END, BODY_BAD})

# Event names only rows use.
GIVE_BACK = "GIVE_BACK"  # the tool region since its opener is text after all, unless it ends with a whole body
FEED = "FEED"  # the terminal's own text belongs to the next state, or is the header the row asks about
HEADER_TEXT = "HEADER_TEXT"  # the header is text of the next state after all, and what ended it is read there again
END_OF_STREAM = "END_OF_STREAM"  # what ends a header that the stream cuts off
DELIMITER = "DELIMITER"  # a string of the body opens or closes; the one marker that counts inside it
SETTLE = "SETTLE"  # the tool region so far is settled; the next call can be given back by itself
HAND_OVER = "HAND_OVER"  # half a table ends here: what follows, with FEED the marker too, is left unread


@dataclass(frozen=True, slots=True)
class Terminal:
    """A marker.

    Attributes:
        spellings: the first is canonical; may contain SPACES, NEWLINES and NEWLINE.
        followed_by: it only counts when, after white space, one of these spellings or the end of the stream follows.
        or_end: with `followed_by`, the end of the stream may follow as well.
        swallow: white space right behind it that is framing, not data.
        delimiter: what finds it where literals cannot; `spellings` then only show it to people.
    """

    spellings: tuple[str, ...]
    followed_by: tuple[str, ...] = ()
    swallow: Literal["", "newline", "newlines", "spaces"] = ""
    or_end: bool = True
    delimiter: Delimiter | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """`(state, terminal) -> next state, events`; one edge of the graph.

    Attributes:
        next: the next state, or "" when the header rules decide.
        events: event names in order; besides EventType the row words GIVE_BACK and FEED.
        note: why the row exists; a recovery row carries the malformed text it is for.
        recovery: not part of the well-formed grammar.
        unless: a terminal; the row counts only when the rest of the stream does not hold it. Until that is known, the
            stream waits.
        first_block: the row counts only until reasoning has ended once; its marker is text from then on.
        half: the row serves while the partner half of a message format is absent; `join` drops it.
    """

    state: str
    terminal: str
    next: str
    events: tuple[str, ...] = ()
    note: str = ""
    recovery: bool = False
    unless: str = ""
    first_block: bool = False
    half: bool = False


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """Decides what a finished header opens: the first rule whose pattern matches the whole stripped header wins.

    Attributes:
        pattern: regular expression; groups `name`, `id`, `key`, `type` fill the call's name, id or parameter.
        next, events: as in a Row.
        ended_by: the terminal that must have ended the header, "" for any; END_OF_STREAM only when named.
        half: the rule serves while the partner half of a message format is absent; `join` drops it.
    """

    pattern: str
    next: str
    events: tuple[str, ...] = ()
    note: str = ""
    ended_by: str = ""
    half: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """A codec for a state's text.

    Attributes:
        kind: one of `engine.bodies`: "json", "notation" and "elements" (the text is the arguments of a call that rows
            start and end), "calls", "pycalls" and "response" (the text is calls).
        keys, shape: for "calls".
        layout: for "pycalls".
        prefix: for "elements", what stands before every tag.
        region: for "response".
        end_closes: a whole body at the end of the stream is a complete call, because the model's closer is a stop
            token that servers cut off.
        calls_required: a body without a call, such as `[]` or `[1, 2]`, is not a tool region.
    """

    kind: str
    keys: CallKeys = field(default_factory=CallKeys)
    shape: Shape = "object"
    end_closes: bool = False
    calls_required: bool = False
    layout: Layout = "list"
    prefix: str = ""
    region: CallRegion | None = None

    @property
    def is_arguments(self) -> bool:
        """The text is the arguments of a call that rows start and end; other codecs report calls themselves."""
        return self.kind in ("json", "notation", "elements")


@dataclass(frozen=True, slots=True)
class Switch:
    """When a model thinks: template arguments, then the end of the prompt (rules R-INIT, R-PROMPT).

    Attributes:
        arguments: names looked up in the template arguments; empty when nothing switches it.
        default: with none of them given.
        combine: "any" of those given is true, or the "first" given decides.
        off_values: strings that mean off (for example an effort of "none").
        on_values: the only strings that mean on; empty for all but `off_values`.
        vetoes: names that turn thinking off when their value means off, whatever the others say, and else say nothing.
        off_is_identity: switched off, the markers are plain text.
        off_drops: switched off, thinking the model writes anyway is in no field.
    """

    arguments: tuple[str, ...] = ()
    default: bool = True
    combine: Literal["any", "first"] = "any"
    off_values: tuple[str, ...] = ("none", "no_think", "false", "disabled", "off")
    on_values: tuple[str, ...] = ()
    vetoes: tuple[str, ...] = ()
    off_is_identity: bool = False
    off_drops: bool = False


@dataclass(frozen=True, slots=True)
class Trim:
    """White space that is framing at the edges of a field (rules W-*, R-STRIP, W-EXACT).

    Attributes:
        lead, trail: characters dropped at the field's start and end; trailing ones are held until more text comes.
        blank: what becomes of a field that is only white space: kept, dropped when a call follows, or never sent.
    """

    lead: str = ""
    trail: str = ""
    blank: Literal["keep", "drop_before_call", "null"] = "keep"


SPACE = " \t\r\n\f\v"
KEEP = Trim()
NO_BLANK = Trim(blank="null")
STRIP = Trim(lead=SPACE, trail=SPACE, blank="null")
STRIP_NEWLINES = Trim(lead="\r\n", trail="\r\n")
STRIP_END = Trim(trail=SPACE)
STRIP_EDGES = Trim(lead="\r\n", trail=SPACE)


@dataclass(frozen=True, eq=False)
class ParserEngineConfig:
    """One table: what `formats` build and the engine runs. Immutable and shared; all state lives elsewhere.

    Attributes:
        name: the format, used in row ids.
        terminals: NAME -> Terminal.
        tokens: texts that are single tokens in the real model; matched by id once ids were seen (E-22).
        rows: the table, normal path first.
        headers: rules for finished headers.
        sinks: states whose text does not go where `SINKS` says.
        bodies: body codec of a state; a state with a body has the sink BODY.
        initial: state without a prompt and with thinking on; "REASONING" or "CONTENT" mostly, "START" when some markers
            count only as the first text.
        content_initial: where content begins once thinking is over or off; "START" like `initial`.
        switch: None when the format has no reasoning.
        prompt_open, prompt_closed: spellings in the prompt that leave thinking open or closed; turn_boundaries end the
            backward scan.
        visible: tokens that stay in the text although the tokenizer calls them special; no markers.
        special: tokens of the family that vanish from the text (end of turn and the like).
        required: texts a tokenizer must have as tokens, or the format cannot work with it.
        name_pattern, key_pattern: regular expressions with groups name/id and key/type for TOOL_NAME and ARG_KEY text.
        declared_types: attribute value -> declared type ("string", "json"), for typed parameters.
        reasoning_trim, content_trim: white space rules.
        content_prefix: text the prompt ends with that the content begins with.
        escaped_newlines: the two letters of an escaped line end in text mean a line end (`compose.newlines`).
        never_empty: a message that would have reasoning only has it as content.
        unknown_names: calls of functions the request does not have are kept, dropped, or given back as text.
        whole_lists: `whole_regions` where calls wait for their end anyway (`on_close`).
        whole_regions: a tool region's calls are shown when it closes, all of them or, if one is not right, none.
        unique_keys: a call that repeats a key is not complete.
        attribute_escapes: (spelling, character) pairs undone in names, keys and types, in order.
        values: what tagged values are, besides their types.
        untyped: what a parameter without a schema is.
        control_ids: the tokenizer never encodes text to marker ids, so an id always counts, even inside a string.
        call_ids: how ids are made: "random", "functions" (`functions.NAME:N`), "alnum9".
        tool_ends_reasoning: a tool opener inside thinking ends it (R-TOOL).
        unclosed_only: … only when no closer of thinking follows.
    """

    name: str
    terminals: Mapping[str, Terminal] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    headers: tuple[HeaderRule, ...] = ()
    sinks: Mapping[str, Sink] = field(default_factory=dict)
    bodies: Mapping[str, Body] = field(default_factory=dict)
    initial: str = ParserState.CONTENT
    content_initial: str = ParserState.CONTENT
    switch: Switch | None = None
    prompt_open: tuple[str, ...] = ()
    prompt_closed: tuple[str, ...] = ()
    turn_boundaries: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    name_pattern: str = r"(?P<name>.*)"
    key_pattern: str = r"(?P<key>.*)"
    declared_types: Mapping[str, str] = field(default_factory=dict)
    reasoning_trim: Trim = KEEP
    content_trim: Trim = KEEP
    content_prefix: str = ""
    escaped_newlines: bool = False
    never_empty: bool = False
    unknown_names: Literal["keep", "drop", "text"] = "keep"
    whole_regions: bool = False
    whole_lists: bool = False
    unique_keys: bool = False
    attribute_escapes: tuple[tuple[str, str], ...] = ()
    values: ValueRules = VERBATIM
    untyped: Untyped = "string"
    control_ids: bool = False
    call_ids: Literal["random", "functions", "alnum9"] = "random"
    tool_ends_reasoning: bool = True
    unclosed_only: bool = False

    def sink(self, state: str) -> Sink:
        """Where a state's text goes."""
        if state in self.bodies and state not in self.sinks:
            return Sink.BODY
        return self.sinks.get(state) or SINKS.get(state, Sink.NOTHING)

    def is_tool_state(self, state: str) -> bool:
        """The state belongs to a tool region."""
        return self.sink(state) in CALL_SINKS or state in TOOL_STATES

    def but(self, **changes: object) -> ParserEngineConfig:
        """A copy with other values; how a variant of a format is written."""
        return replace(self, **changes)  # type: ignore[arg-type]


EVENT_NAMES = frozenset(EventType) | {GIVE_BACK, FEED, SETTLE, HEADER_TEXT, DELIMITER, HAND_OVER}
