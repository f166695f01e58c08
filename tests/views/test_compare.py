"""The Compare page without a browser: what it opens on, its answers to bad input, what a link brings back."""

from __future__ import annotations

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


def test_all_names_are_ranked_with_reasons():
    app = opened()
    app.button(key="compare.try").click().run()
    assert not app.exception
    _, tools, *_ = app.dataframe
    best = tools.value.iloc[0]
    assert "qwen3_xml" in best["names"]
    assert "finds 2 calls, all complete" in best["why"]


def test_costs_are_drawn_when_asked():
    app = opened()
    app.toggle(key="compare.measure").set_value(True).run()
    assert len(app.get("plotly_chart")) == 1


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
