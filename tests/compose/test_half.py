"""The reasoning half of a table: card 02 (E-75, E-93), card 04 (D-05, D-07, D-26)."""

from dataclasses import replace
from itertools import pairwise

import pytest

from parsers.compose.half import reasoning_half
from parsers.compose.unified import UnifiedParser
from parsers.composition import ParserChoice, compose_parser
from parsers.debug.feed import cut_case, open_case
from parsers.engine.config import HAND_OVER
from parsers.engine.ends import end_tokens
from parsers.engine.events import EventType
from parsers.files.sample import samples
from parsers.formats.context import run_context
from parsers.registry import alphabet_of, joined, markers_of, reasoning_names, special_of, start_of, tool_names
from parsers.tokens import bundled
from parsers.tokens.base import Delta

E = EventType
THINKING = {name: case for name, case in samples().items() if case.reasoning_parser}
FOLDERS = sorted({name.partition("/")[0] for name in THINKING})
ACCOUNTED = {E.TEXT_CHUNK, E.REASONING_CHUNK, E.MARKER, E.DROPPED}
CALL = "<tool_call>\n<function=f>\n</function>\n</tool_call>"


class Reader:
    """An engine that runs a table or its half; what it said, without the rows' numbers, which a half counts anew."""

    def __init__(self, start, alphabet, tokenizer, tools=()):
        self.engine = UnifiedParser(start, alphabet, tokenizer.token_text, tools).engine
        self.said = []

    def read(self, delta):
        events = self.engine.feed(delta.text, delta.ids, delta.spans)
        if delta.finished:
            events += self.engine.finish()
        self.said += [(event.type, event.value, event.start, event.end) for event in events]

    @property
    def handed_over(self):
        return self.engine.machine.handed_over


def half_and_whole(reasoning, tool, tokenizer, prompt=None, arguments=None, tools=()):
    """The reader of the half and the reader of the table, for one request."""
    start = start_of(reasoning, tool, run_context(tokenizer, prompt, arguments or {}))
    alphabet = alphabet_of(start.config, tokenizer)
    half = replace(start, config=reasoning_half(start.config))
    return Reader(half, alphabet, tokenizer, tools), Reader(start, alphabet, tokenizer, tools)


def read_until_handover(half, whole, deltas):
    """Feed both until the half hands over; returns the raw text received."""
    received = ""
    for delta in deltas:
        received += delta.text
        half.read(delta)
        whole.read(delta)
        if half.handed_over:
            break
    return received


def check_half(half, whole, received):
    """The half said what the table said up to a place, and left what stands behind it, both without a gap."""
    if not half.handed_over:
        assert half.said == whole.said
        return
    place = len(received) - len(half.engine.unread)
    assert received[place:] == half.engine.unread
    # The marker that the half leaves unread is read by the table, which may tell of it before the end it brings.
    told = [event for event in whole.said if event[0] is not E.MARKER or event[3] <= place]
    assert half.said == told[: len(half.said)]
    spans = [(start, end) for kind, _, start, end in half.said if kind in ACCOUNTED and end > start]
    edges = [(0, 0), *spans, (place, place)]
    assert all(end == start for (_, end), (start, _) in pairwise(edges)), edges


@pytest.mark.parametrize("cut", ["one", "token"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_half_says_what_the_table_says_and_leaves_the_rest(folder, cut):
    """D-07: event by event, over every sample with a reasoning parser."""
    for name, case in THINKING.items():
        if name.partition("/")[0] != folder:
            continue
        feed = open_case(case)
        arguments = case.chat_request().chat_template_kwargs
        half, whole = half_and_whole(
            case.reasoning_parser, case.tool_parser, feed.tokenizer, case.generation_prompt, arguments, case.tools
        )
        received = read_until_handover(half, whole, cut_case(case, feed, cut))
        check_half(half, whole, received)


# --- the table of a half ---------------------------------------------------------------------------------------------


def tables():
    """The table of each reasoning name alone and with its tool format, where there is one of that name."""
    alone = {name: joined(name, None) for name in reasoning_names()}
    return alone | {f"{name} with calls": joined(name, name) for name in reasoning_names() if name in tool_names()}


TABLES = tables()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_rows_of_a_half_are_rows_of_its_table(table):
    """E-75: none is new, and one that begins a call hands over instead."""
    rows = {(row.state, row.terminal): row for row in table.rows}
    for row in reasoning_half(table).rows:
        origin = rows[row.state, row.terminal]
        assert (row.note, row.recovery, row.unless) == (origin.note, origin.recovery, origin.unless)
        assert not table.is_tool_state(row.next)
        if table.is_tool_state(origin.next):
            assert HAND_OVER in row.events


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_end_of_reasoning_hands_over(table):
    """D-26: so the end is told by what was read, never by an id alone."""
    ends = [row for row in reasoning_half(table).rows if E.REASONING_END in row.events and row.next]
    assert all(HAND_OVER in row.events for row in ends)


def test_one_half_for_one_table():
    table = joined("qwen3", "qwen3_xml")
    assert reasoning_half(table) is reasoning_half(table)


# --- what a half reads, and where it stops ---------------------------------------------------------------------------


def read_text(reasoning, tool, text, with_ids):
    """The half of a pair behind one delta of text."""
    tokenizer = bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))
    half, _ = half_and_whole(reasoning, tool, tokenizer)
    half.read(Delta(text, tuple(tokenizer.encode(text)) if with_ids else ()))
    return half


CUT_SHORT = [E.REASONING_CHUNK, E.REASONING_END]
CLOSED = [E.REASONING_CHUNK, E.REASONING_END, E.MARKER]


@pytest.mark.parametrize("with_ids", [False, True], ids=["text", "ids"])
@pytest.mark.parametrize(
    ("text", "said", "unread", "place"),
    [
        pytest.param(f"a{CALL}b", CUT_SHORT, f"{CALL}b", "before", id="a-call-in-thinking"),
        pytest.param(CALL, [E.REASONING_END], CALL, "before", id="a-call-at-once"),
        pytest.param("a</think>b", CLOSED, "b", "behind", id="the-end-marker"),
        pytest.param("a</think>", CLOSED, "", "behind", id="nothing-behind"),
        pytest.param(f"a</think>{CALL}", CLOSED, CALL, "behind", id="a-call-behind-the-end"),
        pytest.param("a</think>b<tool_", CLOSED, "b<tool_", "behind", id="half-an-opener"),
    ],
)
def test_e75_e93_what_a_half_says_and_what_it_leaves(text, said, unread, place, with_ids):
    half = read_text("qwen3", "qwen3_xml", text, with_ids)
    assert sorted(kind for kind, *_ in half.said) == sorted(said)
    assert (half.engine.unread, half.handed_over) == (unread, place)


@pytest.mark.parametrize(("with_ids", "unread"), [(False, "</thi"), (True, "")], ids=["text", "ids"])
def test_e22_half_an_end_waits_where_text_can_spell_a_marker(with_ids, unread):
    half = read_text("qwen3", "qwen3_xml", "a</thi", with_ids)
    assert (half.engine.unread, half.handed_over) == (unread, "")


def test_e93_a_half_never_reads_a_call_it_could_consume():
    half = read_text("qwen3", "qwen3_xml", f"a{CALL}b", with_ids=True)
    assert not {E.TOOL_CALL_START, E.TOOL_NAME, E.ARG_VALUE_CHUNK} & {kind for kind, *_ in half.said}


def test_d05_e93_the_tool_format_alone_reads_thinking_markup_as_text():
    tokenizer = bundled.load(markers_of(None, "qwen3_xml"), special_of(None, "qwen3_xml"))
    _, whole = half_and_whole(None, "qwen3_xml", tokenizer)
    text = f"<think>x</think>y{CALL}"
    whole.read(Delta(text, tuple(tokenizer.encode(text)), finished=True))
    content = "".join(value for kind, value, *_ in whole.said if kind is E.TEXT_CHUNK)
    names = [value for kind, value, *_ in whole.said if kind is E.TOOL_NAME]
    assert (content, names) == ("<think>x</think>y", ["f"])


def test_e83_nothing_is_read_behind_the_handover():
    half = read_text("qwen3", "qwen3_xml", "a</think>b", with_ids=True)
    said = list(half.said)
    half.read(Delta(f"c{CALL}", finished=True))
    assert half.said == said
    assert half.engine.unread == f"bc{CALL}"


@pytest.mark.parametrize(("reasoning", "tool"), [("qwen3", "qwen3_xml"), ("qwen3", "hermes"), ("kimi_k2", "kimi_k2")])
def test_e90_the_adapter_names_the_tokens_that_end_thinking_and_those_of_a_call_count(reasoning, tool):
    tokenizer = bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))
    parser = compose_parser(ParserChoice(reasoning, tool, tokenizer), "delegating").reasoning
    ends = end_tokens(joined(reasoning, tool), tokenizer.vocab)
    assert ends.implicit
    assert set(parser.implicit_reasoning_end_token_ids) == ends.implicit
    assert set(parser.reasoning_end_token_ids) == ends.explicit
    opener, closer, word = min(ends.implicit), min(ends.explicit), tokenizer.encode("a")[0]
    assert parser.extract_content_ids([word, opener, word]) == [opener, word]
    assert parser.extract_content_ids([word, closer, word]) == [word]
    assert parser.extract_content_ids([word, word]) == []
