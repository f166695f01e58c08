"""The Compare page without a browser: what it opens on, its answers to bad input, what a link brings back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from views.ui.compare.cost import MOST_POINTS, thin_out

ROOT = Path(__file__).resolve().parents[2]


def opened(**query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("views/compare.py").run()
    assert not app.exception
    return app


def sentences(app):
    return "\n".join(text.value for text in app.text)


def steppers(app):
    return [part for part in app.get("bidi_component") if part.proto.component_name.endswith("stepper")]


def test_opens_on_an_example_whose_columns_differ():
    app = opened()
    assert "differ in content" in app.warning[0].value
    assert any(button.label.startswith("lexer: delta") for button in app.button)


def test_where_columns_first_part_is_said():
    assert any("first part at delta 55, in stage fields" in text.value for text in opened().markdown)


def test_columns_that_agree_are_said_to():
    app = opened(column=["cuts=whole", "text_only=1"])
    assert "same answer" in app.success[0].value


def test_a_link_brings_columns_and_choices_back():
    app = opened()
    app.selectbox(key="compare.1.tool").select("glm45").run()
    app.button(key="compare.add").click().run()
    app.selectbox(key="in.cuts").select("special").run()
    again = opened(**app.query_params)
    for key in ("compare.1.tool", "compare.1.cuts", "compare.2.cuts", "compare.3.tool", "in.cuts"):
        assert again.selectbox(key=key).value == app.selectbox(key=key).value


def test_a_column_that_cannot_run_says_why_and_keeps_the_name_and_the_others():
    app = opened(column=["tool=herme", "cuts=whole"])
    assert "did you mean hermes" in sentences(app)
    assert app.selectbox(key="compare.1.tool").value == "herme"
    assert "same answer" in app.success[0].value


def test_a_name_of_another_server_is_understood():
    app = opened(column=["tool=qwen25", "tool=hermes"])
    assert "cannot run" not in "".join(error.value for error in app.error)
    assert "B TEXT_CHUNK" in sentences(app)


@pytest.mark.parametrize("typed", ["{", "3"], ids=["no JSON", "no object"])
def test_a_bad_observed_answer_gets_a_sentence_and_stays(typed):
    app = opened()
    app.text_area(key="compare.observed").set_value(typed).run()
    assert not app.exception
    assert "observed" in sentences(app)
    assert app.text_area(key="compare.observed").value == typed


def test_bad_template_arguments_get_a_sentence_and_stay():
    app = opened()
    app.text_input(key="in.arguments").set_value("{").run()
    assert "line 1, column 2" in sentences(app)
    assert app.text_input(key="in.arguments").value == "{"


def test_a_parting_opens_both_steppers():
    app = opened()
    assert steppers(app) == []
    app.button(key="compare.open.1.fields").click().run()
    assert len(steppers(app)) == 2
    app.button(key="compare.close").click().run()
    assert steppers(app) == []


def test_a_removed_column_is_gone():
    app = opened()
    app.button(key="compare.1.remove").click().run()
    assert app.query_params["column"] == "cuts=whole"


def tables(app):
    """What the tables of the page hold, as their component gets it."""
    found = (part.proto for part in app.get("bidi_component") if part.proto.component_name.endswith("table"))
    return [json.loads(proto.json) for proto in found]


def cell(pieces):
    return "".join(text for _, text in pieces)


def test_all_names_are_ranked_with_reasons():
    app = opened()
    app.button(key="compare.try").click().run()
    assert not app.exception
    _, reasoning, tools = tables(app)
    for table, name in ((reasoning, "qwen3"), (tools, "qwen3_xml")):
        names, _ = map(cell, table["rows"][0]["cells"])
        assert name in names.split(", ")
    assert "finds 2 calls, all complete" in cell(tools["rows"][0]["cells"][1])
    assert any("--tool-call-parser qwen3_coder" in code.value for code in app.code)


def test_the_best_pair_becomes_a_column():
    app = opened()
    app.button(key="compare.try").click().run()
    app.button(key="compare.add_best").click().run()
    assert not app.exception
    assert app.selectbox(key="compare.3.tool").value == "qwen3_coder"
    assert app.selectbox(key="compare.3.reasoning").value == "qwen3"


def test_words_are_marked_as_a_whole():
    row = next(row for row in tables(opened())[0]["rows"] if row["name"] == "finish reason")
    assert row["cells"][:2] == [[["differs", "tool_calls"]], [["differs", "stop"]]]


def test_white_space_that_differs_shows():
    app = opened(column=["text_only=0"])
    app.text_area(key="compare.observed").set_value(json.dumps({"content": "I will look up both places.\n"})).run()
    row = next(row for row in tables(app)[0]["rows"] if row["name"] == "content")
    assert row["cells"][-1][-1] == ["differs", "⏎\n"]


def test_a_column_can_be_composed_as_servers_do_it():
    app = opened(column=["composition=delegating", "cuts=whole"])
    assert app.selectbox(key="compare.1.composition").value == "delegating"
    assert "same answer" in app.success[0].value
    assert app.query_params["column"] == ["composition=delegating", "cuts=whole"]


CASE = {"id": "mine", "raw_output": "so</think>mine", "reasoning_parser": "qwen3", "observed": {"content": "theirs"}}


def test_a_case_file_brings_its_output_and_what_was_observed():
    app = opened()
    file = ("case.jsonl", json.dumps(CASE).encode(), "application/jsonl")
    app.file_uploader(key="compare.case_file").set_value(file).run()
    assert not app.exception
    assert app.text_area(key="in.raw").value == "so</think>mine"
    assert tables(app)[0]["headings"][-1] == "observed"
    app.file_uploader(key="compare.case_file").set_value(("bad.jsonl", b"{", "application/jsonl")).run()
    assert "bad.jsonl" in sentences(app)
    assert app.text_area(key="in.raw").value == "so</think>mine"


def test_a_pasted_case_is_offered_to_be_opened():
    app = opened()
    app.text_area(key="in.raw").set_value(json.dumps(CASE)).run()
    app.button(key="compare.open_pasted").click().run()
    assert not app.exception
    assert app.text_area(key="in.raw").value == "so</think>mine"


def test_costs_are_drawn_when_asked():
    app = opened()
    app.toggle(key="compare.measure").set_value(True).run()
    assert len(app.get("plotly_chart")) == 1


def test_columns_in_one_delta_have_no_line():
    app = opened(column=["cuts=whole"])
    app.selectbox(key="in.cuts").select("one").run()
    app.toggle(key="compare.measure").set_value(True).run()
    assert len(app.get("plotly_chart")) == 0
    assert "choose finer cuts" in sentences(app)


@pytest.mark.parametrize("count", [0, 1, MOST_POINTS, MOST_POINTS + 1, 12_345])
def test_a_chart_has_few_points_whatever_the_length(count):
    places, heights = thin_out([1.0] * count)
    assert len(places) == len(heights) <= MOST_POINTS
    assert bool(places) == bool(count)


def test_what_was_typed_on_the_step_page_is_compared():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    app.text_area(key="in.raw").set_value("mine</think>yes").run()
    app.switch_page("views/compare.py").run()
    assert not app.exception
    assert app.text_area(key="in.raw").value == "mine</think>yes"
