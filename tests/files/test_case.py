"""Case files: card 00, C0-01."""

import json

import pytest

from parsers.errors import CaseError
from parsers.files.case import Case, load_cases, read_cases

TOOL = {"type": "function", "function": {"name": "f"}}


def line(**fields):
    return json.dumps({"id": "a", "raw_output": "text", **fields})


def test_c0_01_only_id_and_one_output_are_required():
    (case,) = read_cases(['{"id": "a", "raw_output": "text"}'], "x")
    assert (case.engine_finish_reason, case.compare, case.server.auto_tools) == ("stop", "strip", True)


def test_c0_01_unknown_fields_are_kept():
    (case,) = read_cases([line(source_url="u")], "x")
    assert case.model_dump()["source_url"] == "u"


def test_blank_lines_are_skipped_and_order_is_kept():
    cases = read_cases(["", line(id="b"), "  ", line(id="a")], "x")
    assert [case.id for case in cases] == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("{", "x, line 2: not valid JSON: .* \\(column 2\\)", id="not-json"),
        pytest.param("[]", "x, line 2: a case is a JSON object", id="not-an-object"),
        pytest.param('{"raw_output": ""}', "line 2: id: Field required", id="no-id"),
        pytest.param('{"id": "b"}', "line 2: needs one of raw_output", id="no-output"),
        pytest.param(line(), "line 2: the id 'a' appears twice", id="duplicate-id"),
        pytest.param(line(id="b", token_ids=[1]), "token ids need the tokenizer", id="ids-without-tokenizer"),
        pytest.param(line(id="b", chunks=["te", "x"]), "do not add up to raw_output", id="chunks-differ"),
        pytest.param(
            line(id="b", tokenizer="t", chunks=["te", "xt"], chunk_token_ids=[[1]]),
            "one list for each of the chunks",
            id="ids-of-chunks",
        ),
        pytest.param(line(id="b", compare="loose"), "compare: Input should be 'exact'", id="compare"),
        pytest.param(line(id="b", tools=[{"nam": "f"}]), "tools.0.function: Field required", id="tools"),
        pytest.param(line(id="b", request={"tool_choice": "maybe"}), "tool_choice", id="request"),
        pytest.param(
            line(id="b", stream_checks=[{}]), "stream_checks.0: needs after_chunk or at_end", id="check"
        ),
    ],
)
def test_errors_name_file_line_and_reason(text, complaint):
    with pytest.raises(CaseError, match=complaint) as caught:
        read_cases([line(), text], "x")
    assert "\n" not in str(caught.value)


def test_p25_tools_of_the_case_decide_the_default_tool_choice():
    with_tools, without = read_cases([line(tools=[TOOL]), line(id="b")], "x")
    assert (with_tools.chat_request().tool_choice, without.chat_request().tool_choice) == ("auto", "none")


def test_a_stream_wish_in_words_is_no_mistake():
    (case,) = read_cases([line(request={"stream": "both"})], "x")
    assert case.chat_request().stream is False


@pytest.mark.parametrize(
    ("fields", "heading"),
    [
        ({"id": "b/c", "family": "glm"}, "glm"),
        ({"id": "b/c"}, "b"),
        ({"tool_parser": "hermes", "reasoning_parser": "qwen3"}, "hermes"),
        ({"reasoning_parser": "qwen3"}, "qwen3"),
        ({}, "no parser"),
    ],
    ids=["family", "folder-of-id", "tool-parser", "reasoning-parser", "nothing"],
)
def test_every_case_has_a_heading(fields, heading):
    assert Case.model_validate(json.loads(line(**fields))).heading == heading


def test_a_folder_holds_files_of_all_kinds(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.jsonl").write_text(line(id="one") + "\n" + line(id="two"), encoding="utf-8-sig")
    (tmp_path / "b.json").write_text(json.dumps(json.loads(line(id="three")), indent=2))
    (tmp_path / "deep" / "c.toml").write_text("id = 'four'\nraw_output = '''\n<think>\na</think>'''\n")
    (tmp_path / "notes.md").write_text("not a case")
    cases = load_cases(tmp_path)
    assert [case.id for case in cases] == ["one", "two", "three", "four"]
    assert cases[-1].raw_output == "<think>\na</think>"


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("a.jsonl", None, "cannot be read: No such file"),
        ("a.jsonl", b"\xff", r"not UTF-8 text \(byte 0\)"),
        ("a.toml", b"id = ", "not valid TOML"),
        ("a.json", b"{", "not valid JSON"),
        ("", None, "holds no case file"),
    ],
    ids=["missing", "bytes", "toml", "json", "empty-folder"],
)
def test_unusable_files_are_named(tmp_path, name, data, complaint):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(CaseError, match=complaint) as caught:
        load_cases(path)
    assert str(path) in str(caught.value)
