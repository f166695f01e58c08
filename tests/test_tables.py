"""The Table law for every registered format (design.md section 5): lint, and walks through the rows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.args.schema import ParameterTypes
from parsers.engine.config import ParserState, Sink
from parsers.engine.events import EventType
from parsers.engine.gate import CommitGate
from parsers.engine.lexer import TEXT, Lexeme
from parsers.engine.lint import faults, first_states, lint
from parsers.engine.machine import Machine
from parsers.errors import FormatError
from parsers.names import REASONING, TOOLS
from parsers.registry import joined

FORMATS = [
    *(pytest.param(name, None, id=f"reasoning-{name}") for name in REASONING),
    *(pytest.param(None, name, id=f"tool-{name}") for name in TOOLS),
    *(pytest.param(name, name, id=f"both-{name}") for name in REASONING if name in TOOLS),
]
MAX_STEPS = 12


@pytest.mark.parametrize(("reasoning", "tool"), FORMATS)
def test_a_table_has_nothing_for_lint_to_tell(reasoning, tool):
    assert lint(joined(reasoning, tool)) == []


def faults_of_pair(reasoning, tool):
    try:
        return faults(joined(reasoning, tool))
    except FormatError as error:
        return [] if "cannot be used together" in str(error) else [str(error)]


@pytest.mark.parametrize("reasoning", REASONING)
def test_every_pair_can_work_or_is_refused_by_name(reasoning):
    assert {tool: found for tool in TOOLS if (found := faults_of_pair(reasoning, tool))} == {}


class Walk:
    """A machine driven along rows of its table, with one character of raw text for each step."""

    def __init__(self, config, start, call_commit):
        self.config = config
        self.gate = CommitGate(call_commit, "keep", lambda name: True)
        self.machine = Machine(config, start, self.gate, lambda name: ParameterTypes(None))
        self.at = 0

    def feed(self, name, text):
        self.machine.handle(Lexeme(name, text, self.at, self.at + len(text)))
        self.at += len(text)

    def finish(self):
        self.machine.finish(self.at)
        return self.gate.take()


def balanced(events, opener, closer, opened):
    for event in events:
        if event.type in (opener, closer):
            assert opened is (event.type is closer), f"{event} comes out of turn"
            opened = not opened
    assert not opened, f"{opener} without its {closer}"


@pytest.mark.parametrize("call_commit", ["incremental", "on_close"])
@pytest.mark.parametrize(("reasoning", "tool"), FORMATS)
@settings(max_examples=10)
@given(data=st.data())
def test_e82_the_end_closes_what_is_open_wherever_a_walk_stops(reasoning, tool, call_commit, data):
    config = joined(reasoning, tool)
    walk = Walk(config, data.draw(st.sampled_from(sorted(first_states(config)))), call_commit)
    opened = walk.machine.reasoning_open
    for _ in range(data.draw(st.integers(0, MAX_STEPS))):
        rows = [row for row in config.rows if row.state == walk.machine.state]
        if not rows or walk.machine.open_data:
            break
        row = data.draw(st.sampled_from(rows))
        if walk.machine.sink is not Sink.BODY:
            walk.feed(TEXT, data.draw(st.sampled_from(["", "f", "final", " "])))
        walk.feed(row.terminal, "#" if row.terminal in config.terminals else "")
        assert walk.machine.state in {*ParserState, *config.sinks, *config.bodies}
    events = walk.finish()
    balanced(events, EventType.TOOL_CALL_START, EventType.TOOL_CALL_END, opened=False)
    thinking = [e for e in events if e.type in (EventType.REASONING_CHUNK, EventType.REASONING_END)]
    assert not thinking or thinking[-1].type is EventType.REASONING_END or not opened
    assert walk.machine.state == ParserState.CONTENT
    assert not walk.machine.reasoning_open
    assert not walk.machine.call_open
    assert walk.finish() == [], "E-83: the second finish adds nothing"
