"""Answers side by side, where runs part, and the ranking of names (issue "Debug"; card 00, C0-01 `observed`)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.cli import main
from parsers.debug.casecompare import ColumnChoices, compare_case
from parsers.debug.compare import (
    WHOLE,
    answer,
    delta_costs,
    field_rows,
    mark_whole,
    marks,
    observed_answer,
    read_observed,
)
from parsers.debug.partings import partings
from parsers.debug.rank import how_many, rank, try_names
from parsers.debug.session import RunSettings
from parsers.errors import CaseError, UnknownName
from parsers.files.case import Case

CALL = '<tool_call>\n{"name": "find", "arguments": {"q": "ü"}}\n</tool_call>'
BASE = RunSettings(f"hm</think>ok{CALL}", "qwen3", "hermes")
TEXTS = st.text("ab\n", max_size=12)


def case(**fields):
    return Case.model_validate(
        {"id": "a", "reasoning_parser": "qwen3", "tool_parser": "hermes", "raw_output": BASE.raw_output} | fields
    )


def different(*settings):
    return [row.name for row in field_rows([answer("", one) for one in settings]) if not row.same]


# --- fields -----------------------------------------------------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_marked_pieces_add_up_to_the_text_and_what_is_alike_is_in_the_other(text, other):
    pieces = marks(text, other)
    assert "".join(piece.text for piece in pieces) == text
    alike = "".join(piece.text for piece in pieces if not piece.differs)
    left = iter(other)
    assert all(character in left for character in alike)


@given(TEXTS)
def test_equal_texts_have_no_mark(text):
    assert not any(piece.differs for piece in marks(text, text))


def test_a_difference_is_marked_to_the_character():
    assert [piece.text for piece in marks('{"q": "x"}', '{"q": "y"}') if piece.differs] == ["x"]


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"cuts": WHOLE}, []),
        ({"cuts": "rand:1:8"}, []),
        ({"text_only": True}, []),
        ({"call_commit": "on_close"}, []),
        ({"composition": "delegating"}, []),
        ({"reasoning": None}, ["reasoning", "content"]),
        ({"tool": None}, ["content", "call 0: name", "call 0: arguments", "call 0: ends", "finish reason"]),
    ],
    ids=["whole", "cuts", "text only", "commit", "composition", "reasoning name", "tool name"],
)
def test_a_row_for_each_field_says_whether_columns_agree(change, fields):
    assert different(BASE, replace(BASE, **change)) == fields


def test_whole_leaves_out_a_call_that_was_cut_off():
    cut_off = replace(BASE, raw_output=BASE.raw_output[:-15])
    assert len(answer("", cut_off).fields.calls) == 1
    assert answer("", replace(cut_off, cuts=WHOLE)).fields.calls == ()


@pytest.mark.parametrize(
    "wrap",
    [lambda message: message, lambda message: {"choices": [{"message": message, "finish_reason": "tool_calls"}]}],
    ids=["message", "response"],
)
def test_c0_01_an_observed_answer_is_a_column(wrap):
    call = {"function": {"name": "find", "arguments": '{"q": "ü"}'}}
    seen = observed_answer(wrap({"reasoning_content": "hm", "content": "ok", "tool_calls": [call]}))
    assert all(row.same for row in field_rows([answer("", BASE), seen]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("3", "not a JSON object"),
        ('{"content": 3}', "content"),
        ('{"tool_calls": [{}]}', "name"),
    ],
    ids=["no JSON", "no object", "content", "call"],
)
def test_c0_01_an_unusable_observed_answer_gets_a_sentence(text, says):
    with pytest.raises(CaseError, match=says):
        read_observed(text)


def test_every_delta_has_a_cost():
    costs = delta_costs(BASE)
    assert len(costs) == len(answer("", BASE).trace.records)
    assert min(costs) > 0
    assert answer("", BASE).tokens_per_second > 0


# --- partings ---------------------------------------------------------------------------------------------------------


def part(**change):
    return partings(answer("", BASE).trace, answer("", replace(BASE, **change)).trace)


@pytest.mark.parametrize("cuts", ["one", "special", "every:3", "rand:2:8"])
def test_cuts_alone_part_no_stage(cuts):
    assert part(cuts=cuts) == ()


def test_another_name_parts_where_its_markers_are_not_known():
    found = part(tool=None)
    assert found[0].at == BASE.raw_output.index("<tool_call>")
    raw = answer("", BASE).trace
    mine, _ = found[0].deltas
    assert raw.records[mine].shown > found[0].at
    assert {parting.stage for parting in found} >= {"lexer", "machine", "codec", "fields", "client"}


def test_a_later_commit_parts_only_what_the_client_has():
    assert [parting.stage for parting in part(call_commit="on_close")] == ["client"]


def test_an_engine_alone_and_one_driven_in_phases_are_not_compared_inside():
    assert {parting.stage for parting in part(composition="delegating")}.isdisjoint({"scanner", "lexer", "machine"})


def test_words_are_marked_whole_and_texts_to_the_character():
    other = answer("", replace(BASE, tool=None))
    words = {row.name for row in field_rows([answer("", BASE), other]) if not row.is_text}
    assert words == {"call 0: ends", "finish reason"}
    marked = [mark_whole("stop", end)[0].differs for end in ("tool_calls", "stop")]
    assert marked == [True, False]
    assert mark_whole("", "stop") == ()


# --- names ------------------------------------------------------------------------------------------------------------


def test_every_name_is_tried_and_the_right_ones_come_first_with_reasons():
    tried = list(try_names(BASE))
    assert len(tried) == how_many()
    reasoning = rank(one for one in tried if one.kind == "reasoning")
    tools = rank(one for one in tried if one.kind == "tool")
    assert "qwen3" in reasoning[0].names
    assert "hermes" in tools[0].names
    assert "finds 1 call, all complete" in tools[0].reasons
    assert any("leaves 2 markers" in reason for group in tools for reason in group.reasons)
    assert sum(len(group.names) for group in tools) + sum(len(group.names) for group in reasoning) == how_many()


# --- the command ------------------------------------------------------------------------------------------------------


def test_what_a_case_observed_is_compared_with_its_replay():
    found = compare_case(case(observed={"content": "no"}), ColumnChoices(cuts=[WHOLE, "every:2"]))
    assert [one.label for one in found.answers] == ["token", WHOLE, "every:2", "observed"]
    assert not found.same
    assert all(sentence.startswith("observed: ") for sentence in found.sentences())


def test_given_chunks_are_a_column():
    pieces = [BASE.raw_output[:5], BASE.raw_output[5:]]
    assert compare_case(case(chunks=pieces), ColumnChoices(cuts=["given"])).same


def test_a_composition_is_a_column():
    found = compare_case(case(), ColumnChoices(compositions=["unified", "delegating"]))
    assert [one.label for one in found.answers] == ["token", "unified", "delegating"]
    assert [one.trace.delegating is None for one in found.answers] == [True, True, False]
    assert found.same


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownName):
        compare_case(case(), ColumnChoices(tool=["herme"]))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--composition", "unified", "--composition", "delegating"], 0),
        (["--tool-parser", "qwen25"], 0),
        (["--tool-parser", "glm"], 1),
        (["--tool-parser", "herme"], 2),
    ],
    ids=["whole", "compositions", "alias of the same", "another", "unknown"],
)
def test_c0_20_exit_code_tells_whether_the_columns_agree(tmp_path, capsys, arguments, code):
    path = tmp_path / "cases.jsonl"
    path.write_text(case().model_dump_json(exclude_unset=True), encoding="utf-8")
    assert main(["compare", str(path), *arguments]) == code
    printed = capsys.readouterr()
    if code == 2:
        assert "herme" in printed.err
    else:
        assert json.loads(printed.out)["same"] is (code == 0)


def test_all_names_of_a_case_are_ranked(tmp_path, capsys):
    path = tmp_path / "cases.jsonl"
    path.write_text(case().model_dump_json(exclude_unset=True), encoding="utf-8")
    assert main(["compare", str(path), "--all-names"]) == 0
    assert "hermes" in json.loads(capsys.readouterr().out)["tool"][0]["names"]
