"""Where output came from and where raw text went (design.md, decision 7)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.debug.laws import account
from parsers.debug.origin import AccountEntry, OriginPiece, origin_of, outputs_of, piece_at, source_of
from parsers.debug.session import RunSettings, record
from tests.debug.runs import GIVEN_BACK, REPEATED, RUNS, SKIPPED, TOOLS, XML

VALUE_TEXT = st.text(st.sampled_from('ab \n"\\<>/{}é東\U0001f327\t\x01'), max_size=30)


def origin(trace):
    return origin_of(trace.config, trace.records)


def outputs(trace):
    """Each output with its pieces."""
    found = origin(trace)
    yield trace.reasoning or "", found.reasoning
    yield trace.content or "", found.content
    for call, pieces in zip(trace.calls, found.calls, strict=True):
        yield call.arguments, pieces


def went(settings):
    """(raw text, where it went) of a run, in order."""
    trace = record(settings)
    return [(trace.raw[entry.start : entry.end], entry.where) for entry in origin(trace).account]


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_the_account_holds_every_raw_character_once(settings):
    trace = record(settings)
    assert list(account(trace.raw, origin(trace).account)) == []


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_pieces_are_in_order_and_never_empty(settings):
    for text, pieces in outputs(record(settings)):
        edges = [edge for piece in pieces for edge in piece[:2]]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(text) for edge in edges)
        assert all(piece.start < piece.end and piece.out_start < piece.out_end for piece in pieces)


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_text_of_reasoning_and_content_is_the_raw_text_it_comes_from(settings):
    trace = record(settings)
    for text, pieces in list(outputs(trace))[:2]:
        assert "".join(trace.raw[piece.start : piece.end] for piece in pieces) == text


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_both_directions_agree(settings):
    for text, pieces in outputs(record(settings)):
        for at in range(len(text)):
            source = source_of(pieces, at)
            if source is not None:
                assert any(start <= at < end for start, end in outputs_of(pieces, *source))


def test_reasoning_and_content_map_character_by_character():
    trace = record(XML)
    at = trace.reasoning.index("\U0001f327")
    start, end = source_of(origin(trace).reasoning, at)
    assert trace.raw[start:end] == "\U0001f327"


def test_a_value_that_waited_comes_from_its_raw_text_and_a_brace_from_the_marker():
    trace = record(XML)
    (pieces,) = origin(trace).calls
    arguments = trace.calls[0].arguments
    assert trace.raw[slice(*source_of(pieces, arguments.index("2")))] == "2"
    assert trace.raw[slice(*source_of(pieces, len(arguments) - 1))] == "</function>"
    assert trace.raw[slice(*source_of(pieces, arguments.index("city")))] == "city"


@given(VALUE_TEXT)
def test_escaped_characters_map_to_what_was_written(value):
    """Each character of a decoded string value stands for one raw character: the same one."""
    raw = f"a</think><tool_call><function=book><parameter=city>\n{value}\n</parameter></function></tool_call>"
    trace = record(RunSettings(raw, "qwen3", "qwen3_xml", tools_json=TOOLS))
    (pieces,) = origin(trace).calls
    start = raw.index(f"\n{value}\n</parameter>") + 1
    at = len('{"city": "')
    for offset, character in enumerate(value):
        assert source_of(pieces, at) == (start + offset, start + offset + 1), value[: offset + 1]
        at += len(json.dumps(character, ensure_ascii=False)) - 2
    assert trace.calls[0].arguments == json.dumps({"city": value}, ensure_ascii=False)


def test_trimmed_white_space_is_dropped_by_name():
    assert ("\n", "dropped: trailing white space of the reasoning") in went(XML)
    assert ("\n\n", "dropped: leading white space of the content") in went(XML)


def test_markers_names_and_arguments_are_told_apart():
    entries = went(XML)
    assert ("<function=", "marker FUNC_START") in entries
    assert ("book", "field tool_calls[0].name") in entries
    assert ("city", "field tool_calls[0].arguments") in entries


NAMED = {
    "object": ("hermes", '<tool_call>{"name": "find_it", "arguments": {"q": 1}}</tool_call>'),
    "arguments first": ("hermes", '<tool_call>{"arguments": {"q": "find_it"}, "name": "find_it"}</tool_call>'),
    "array": ("jamba", '<tool_calls>[{"name": "find_it", "arguments": {}}]</tool_calls>'),
}


@pytest.mark.parametrize("cuts", ["token", "one", "char:1"])
@pytest.mark.parametrize(("tool", "text"), NAMED.values(), ids=NAMED)
def test_the_name_inside_a_json_body_is_the_name_however_it_is_cut(tool, text, cuts):
    trace = record(RunSettings(text, None, tool, cuts=cuts))
    names = [e for e in origin(trace).account if e.where == "field tool_calls[0].name"]
    assert [trace.raw[entry.start : entry.end] for entry in names] == ["find_it"]


def test_a_name_in_a_body_that_is_given_back_is_content():
    assert went(RunSettings('<tool_call>{"name": "f", oh</tool_call>', None, "hermes", call_commit="on_close")) == [
        ('<tool_call>{"name": "f", oh</tool_call>', "field content")
    ]


def test_marker_entries_know_their_row():
    trace = record(XML)
    rows = {entry.where: entry.row for entry in origin(trace).account}
    terminal = trace.config.rows[rows["marker THINK_END"]].terminal
    assert (terminal, rows["field reasoning"]) == ("THINK_END", -1)


def test_c_dup_a_repeated_parameter_is_dropped_and_says_so():
    assert ("B", "dropped: repeated parameter") in went(REPEATED)


def test_text_given_back_is_content():
    assert "".join(text for text, where in went(GIVEN_BACK) if where == "field content") == "see <tool_call> there"


def test_a_skipped_token_has_no_place_in_the_account():
    assert went(SKIPPED)[-1] == ("ok", "field content")


def test_a_token_dropped_inside_a_name_is_counted_once():
    text = "<tool_call>\n<function=pi<|im_end|>ng>\n</function>\n</tool_call>"
    entries = went(RunSettings(text, None, "qwen3_xml", tools_json=TOOLS))
    name = "field tool_calls[0].name"
    at = entries.index(("<|im_end|>", "dropped: special token")) if ("pi", name) in entries else -1
    assert entries[at - 1 : at + 2] == [("pi", name), ("<|im_end|>", "dropped: special token"), ("ng", name)]


def test_letters_of_an_escape_with_a_block_between_them_are_no_escape():
    """minicpmv writes `\\n` for a line end, but not with something else in the middle."""
    trace = record(RunSettings("a</think>b\\<think>c</think>n", "minicpmv"))
    assert trace.content == "b\\n"
    assert list(account(trace.raw, origin(trace).account)) == []


PIECES = [OriginPiece(0, 3, 10, 13, "text"), OriginPiece(3, 8, 13, 15, "value"), OriginPiece(9, 10, 15, 16, "text")]


@pytest.mark.parametrize(
    ("at", "span"),
    [(0, (10, 11)), (2, (12, 13)), (3, (13, 15)), (7, (13, 15)), (8, None), (9, (15, 16)), (10, None)],
)
def test_the_source_of_a_character(at, span):
    assert source_of(PIECES, at) == span


@pytest.mark.parametrize(
    ("start", "end", "parts"),
    [(11, 12, [(1, 2)]), (12, 14, [(2, 3), (3, 8)]), (10, 16, [(0, 3), (3, 8), (9, 10)]), (16, 20, [])],
)
def test_the_outputs_of_raw_text(start, end, parts):
    assert outputs_of(PIECES, start, end) == parts


def test_no_piece_before_the_first():
    assert piece_at([], 0) is None


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([(0, 2), (3, 5)], "raw 2 to 3 'c' is nowhere"),
        ([(0, 3), (2, 5)], "raw 2 to 3 'c' is counted twice"),
        ([(0, 4)], "raw 4 to 5 'e' is nowhere"),
        ([], "raw 0 to 5 'abcde' is nowhere"),
    ],
)
def test_a_wrong_account_is_noticed(entries, says):
    found = list(account("abcde", [AccountEntry(*span, "field content", -1) for span in entries]))
    assert len(found) == 1
    assert says in found[0]
