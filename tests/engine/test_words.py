"""Words of a table that few formats use: first blocks, content prefixes, escaped attributes, verbatim sections."""

import pytest

from parsers.args.params import ValueRules
from parsers.args.schema import ParameterTypes
from parsers.engine.alphabet import Alphabet
from parsers.engine.config import ParserEngineConfig, ParserState, Row, Terminal
from parsers.engine.events import EventType
from parsers.engine.stream import StreamingParserEngine

E, S = EventType, ParserState


def events(config, text, start=S.CONTENT):
    """(type, value) of what has a value; the same for the whole text and character by character."""
    found = []
    for pieces in ([text], list(text)):
        types, known = (lambda name: ParameterTypes(None)), (lambda name: True)
        engine = StreamingParserEngine(config, Alphabet(config, {}), lambda token_id: "", start, types, known)
        got = [event for piece in pieces for event in engine.feed(piece)] + engine.finish()
        joined = {}
        for event in got:
            if event.type not in (E.MARKER, E.DROPPED) and event.value:
                joined[event.type] = joined.get(event.type, "") + event.value
        found.append(joined)
    assert found[0] == found[1]
    return found[0]


def terminals(**spellings):
    return {name: Terminal((spelling,)) for name, spelling in spellings.items()}


ONE_BLOCK = ParserEngineConfig(
    name="one block",
    terminals=terminals(OPEN="(", CLOSE=")"),
    rows=(
        Row(S.CONTENT, "OPEN", S.REASONING, (E.REASONING_START,), first_block=True),
        Row(S.REASONING, "CLOSE", S.CONTENT, (E.REASONING_END,)),
    ),
)


@pytest.mark.parametrize(
    ("start", "text", "reasoning", "content"),
    [
        (S.CONTENT, "a(b)c(d)e", "b", "ac(d)e"),
        (S.REASONING, "b)c(d)e", "b", "c(d)e"),
        (S.CONTENT, "a", None, "a"),
    ],
)
def test_a_first_block_row_counts_until_reasoning_has_ended_once(start, text, reasoning, content):
    """minimax.md: first block only."""
    got = events(ONE_BLOCK, text, start)
    assert (got.get(E.REASONING_CHUNK), got.get(E.TEXT_CHUNK)) == (reasoning, content)


def test_a_content_prefix_comes_first_and_once():
    """minimax.md: minimax_m2_append_think."""
    config = ONE_BLOCK.but(content_prefix="<think>")
    assert events(config, "a(b)c") == {E.TEXT_CHUNK: "<think>ac", E.REASONING_CHUNK: "b"}
    assert events(config, "") == {E.TEXT_CHUNK: "<think>"}


CALL = ParserEngineConfig(
    name="call",
    terminals=terminals(CALL="<", NAME_END=":", KEY_END="=", PARAM_END="|", END=">"),
    rows=(
        Row(S.CONTENT, "CALL", S.TOOL_NAME, (E.TOOL_CALL_START,)),
        Row(S.TOOL_NAME, "NAME_END", S.ARG_KEY),
        Row(S.ARG_KEY, "KEY_END", S.ARG_VALUE),
        Row(S.ARG_VALUE, "PARAM_END", S.ARG_KEY),
        Row(S.ARG_KEY, "END", S.CONTENT, (E.TOOL_CALL_END,)),
    ),
    attribute_escapes=(("&q;", '"'), ("&amp;", "&")),
)


def test_escapes_of_attributes_are_undone_in_order_and_not_in_values():
    """kimi-k3.md: attribute values."""
    got = events(CALL, "<f&amp;q;:k&q;=v&q;|>")
    assert got == {E.TOOL_NAME: "f&q;", E.ARG_VALUE_CHUNK: '{"k\\"": "v&q;"}'}


def test_a_marker_in_a_verbatim_section_is_data():
    """minicpm5.md: CDATA."""
    got = events(CALL.but(values=ValueRules(xml=True)), "<f:k=<![CDATA[|>]]>|>")
    assert got[E.ARG_VALUE_CHUNK] == '{"k": "|>"}'
