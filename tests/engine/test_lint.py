"""The Table law: E-06, E-82, E-90; each fault is a sentence that names its row."""

import pytest

from parsers.engine.config import (
    BODY_END,
    OTHER,
    Body,
    HeaderRule,
    ParserEngineConfig,
    ParserState,
    Row,
    Switch,
    Terminal,
)
from parsers.engine.events import EventType
from parsers.engine.lint import faults, lint

S, E = ParserState, EventType
OPEN, CLOSE = Terminal(("<call>",)), Terminal(("</call>",))
CALL_ROWS = (
    Row(S.CONTENT, "OPEN", S.TOOL_NAME, (E.TOOL_CALL_START,)),
    Row(S.TOOL_NAME, "CLOSE", S.CONTENT, (E.TOOL_CALL_END,)),
)
CALLS = ParserEngineConfig(name="calls", terminals={"OPEN": OPEN, "CLOSE": CLOSE}, rows=CALL_ROWS)
THINK = CALLS.but(
    switch=Switch(),
    initial=S.REASONING,
    rows=(Row(S.REASONING, "OPEN", S.CONTENT, (E.REASONING_END,)), *CALL_ROWS),
)
HEADERS = CALLS.but(
    initial=S.MESSAGE_HEADER,
    rows=(Row(S.MESSAGE_HEADER, "OPEN", "", (), "the header decides"), Row(S.CONTENT, "CLOSE", S.MESSAGE_HEADER)),
    headers=(HeaderRule("final", S.CONTENT), HeaderRule(".*", S.CONTENT)),
)
BODY = CALLS.but(
    rows=(Row(S.CONTENT, "OPEN", S.TOOL_ARGS), Row(S.TOOL_ARGS, "CLOSE", S.CONTENT)),
    bodies={S.TOOL_ARGS: Body("calls")},
)


def with_row(config, *rows):
    return config.but(rows=(*config.rows, *rows))


@pytest.mark.parametrize(
    "config", [CALLS, THINK, HEADERS, BODY, ParserEngineConfig(name="empty")], ids=lambda c: c.name
)
def test_a_table_that_can_work_has_no_fault(config):
    assert lint(config) == []


FAULTS = {
    "a circle that takes no text": (
        with_row(CALLS, Row(S.START, OTHER, S.START)),
        "(START, OTHER) leads in a circle",
    ),
    "unknown terminal": (
        with_row(CALLS, Row(S.CONTENT, "LOST", S.CONTENT)),
        "(CONTENT, LOST): there is no terminal LOST",
    ),
    "unknown guard": (
        with_row(CALLS, Row(S.CONTENT, "CLOSE", S.CONTENT, unless="LOST")),
        "(CONTENT, CLOSE): there is no terminal LOST",
    ),
    "unknown state": (with_row(CALLS, Row("NOWHERE", "OPEN", S.CONTENT)), "(NOWHERE, OPEN): there is no state NOWHERE"),
    "unknown next": (
        with_row(CALLS, Row(S.CONTENT, "CLOSE", "NOWHERE")),
        "(CONTENT, CLOSE): there is no state NOWHERE",
    ),
    "unknown event": (with_row(CALLS, Row(S.CONTENT, "CLOSE", S.CONTENT, ("BANG",))), "there is no event BANG"),
    "unknown first state": (CALLS.but(initial="NOWHERE"), "first state NOWHERE"),
    "unknown state of a header": (HEADERS.but(headers=(HeaderRule(".*", "NOWHERE"),)), "no state NOWHERE"),
    "repeated row": (with_row(CALLS, CALL_ROWS[0]), "Row (CONTENT, OPEN) is there twice"),
    "broken pattern": (CALLS.but(name_pattern="(?P<name>"), "name_pattern '(?P<name>' is not a regular expression"),
    "pattern without its group": (CALLS.but(key_pattern=".*"), "key_pattern '.*' has no group key"),
    "broken header pattern": (HEADERS.but(headers=(HeaderRule("(", S.CONTENT),)), "Header rule '(' is not"),
    "header without a catch-all": (
        HEADERS.but(headers=(HeaderRule("final", S.CONTENT),)),
        "(MESSAGE_HEADER, OPEN) asks",
    ),
    "body without an end": (BODY.but(rows=(BODY.rows[0],)), "State TOOL_ARGS reads a body"),
    "end of no body": (
        with_row(CALLS, Row(S.CONTENT, BODY_END, S.CONTENT)),
        "(CONTENT, BODY_END): CONTENT has no body",
    ),
}


@pytest.mark.parametrize(("config", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_table_the_machine_would_fail_on_is_a_fault(config, sentence):
    assert sentence in "\n".join(faults(config))
    assert set(faults(config)) <= set(lint(config))


SHADOWED = {"OPEN": OPEN, "CLOSE": CLOSE, "ALSO": Terminal(("<x>", "<call>"))}
LAWS = {
    "unused terminal": (
        CALLS.but(terminals={**CALLS.terminals, "SPARE": Terminal(("!",))}),
        "Terminal SPARE has no row",
    ),
    "same spelling": (
        with_row(CALLS.but(terminals=SHADOWED), Row(S.CONTENT, "ALSO", S.CONTENT)),
        "OPEN and ALSO are both '<call>' in CONTENT",
    ),
    "unreachable state": (
        with_row(CALLS, Row(S.REASONING, "OPEN", S.CONTENT, (E.REASONING_END,))),
        "State REASONING cannot",
    ),
    "unreachable body": (
        CALLS.but(bodies={S.TOOL_ARGS: Body("json")}, rows=(*CALL_ROWS, *BODY.rows[1:])),
        "TOOL_ARGS cannot",
    ),
    "no way out": (
        CALLS.but(rows=(CALL_ROWS[0], Row(S.TOOL_NAME, "CLOSE", S.TOOL_BETWEEN))),
        "State TOOL_BETWEEN has no way",
    ),
    "e90 reasoning left without its end": (
        with_row(THINK, Row(S.REASONING, "CLOSE", S.TOOL_NAME, (E.TOOL_CALL_START,))),
        "(REASONING, CLOSE) leaves reasoning for TOOL_NAME without REASONING_END",
    ),
    "call inside a call": (
        with_row(CALLS, Row(S.TOOL_NAME, "OPEN", S.TOOL_NAME, (E.TOOL_CALL_START,))),
        "(TOOL_NAME, OPEN) starts a call while another is open",
    ),
    "call never ended": (
        CALLS.but(rows=(CALL_ROWS[0], Row(S.TOOL_NAME, "CLOSE", S.CONTENT))),
        "reaches CONTENT with a call open",
    ),
    "end without a call": (
        with_row(CALLS, Row(S.CONTENT, "CLOSE", S.CONTENT, (E.TOOL_CALL_END,))),
        "ends a call where none",
    ),
    "recovery without its text": (
        with_row(CALLS, Row(S.CONTENT, "CLOSE", S.CONTENT, (), "a stray closer", recovery=True)),
        "Recovery row (CONTENT, CLOSE)",
    ),
}


@pytest.mark.parametrize(("config", "sentence"), LAWS.values(), ids=LAWS)
def test_a_table_that_breaks_a_law_is_told_by_lint_alone(config, sentence):
    assert faults(config) == []
    assert sentence in "\n".join(lint(config))


def test_one_spelling_may_mean_two_things_when_what_follows_tells_them_apart():
    guarded = Terminal(("<call>",), followed_by=("{",))
    config = CALLS.but(terminals={**CALLS.terminals, "JSON": guarded})
    assert lint(with_row(config, Row(S.CONTENT, "JSON", S.TOOL_NAME, (E.TOOL_CALL_START,)))) == []


def test_a_given_back_region_leaves_no_call_open():
    rows = (
        CALL_ROWS[0],
        CALL_ROWS[1],
        Row(S.TOOL_NAME, "OPEN", S.BROKEN, ("GIVE_BACK",)),
        Row(S.BROKEN, "OPEN", S.CONTENT),
    )
    assert lint(CALLS.but(rows=rows)) == []


def test_text_where_only_markers_may_come_leads_on_like_a_marker():
    between = Row(S.TOOL_NAME, "OPEN", S.TOOL_BETWEEN, (E.TOOL_CALL_END,))
    assert lint(with_row(CALLS, between, Row(S.TOOL_BETWEEN, OTHER, S.CONTENT))) == []
