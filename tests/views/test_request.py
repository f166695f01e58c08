"""The request panel and the configuration check of the Step page (card P-24 … P-46, S-71)."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from parsers.files.sample import samples
from tests.views.test_step import EXAMPLE, has_stepper, opened, sentences, trace
from views.ui.cases import print_case, read_case_file, settings_of

FLAGS = ("include_reasoning", "auto_tools", "strict_calling", "engine_arguments")  # on at first
SWITCHES = ("logprobs", "return_token_ids", "include_usage", "continuous_usage")  # off at first


def rules(app: AppTest) -> list[str]:
    """Return the rules of the findings shown, each beside its icon and the word."""
    words = (":material/warning: Warning", ":material/info: Note")
    headings = [text.value for text in app.markdown if text.value.startswith(words)]
    return [match[1] for match in (re.search(r"\*\*(.+)\*\*", heading) for heading in headings) if match]


def test_s71_nothing_is_drawn_when_nothing_is_wrong():
    app = opened()
    assert rules(app) == []
    assert not any("Configuration check" in text.value for text in app.markdown)


def test_s71_a_finding_has_its_rule_what_is_lost_and_the_remedy():
    app = opened()
    app.selectbox(key="in.tool_choice").select("null").run()
    assert rules(app) == ["F-40"]
    assert "calls are read and then dropped" in sentences(app)
    assert "Remedy: leave tool_choice out" in sentences(app)
    assert any("Configuration check" in text.value for text in app.markdown)
    assert trace(app)["meta"]["finish_reason"] == "stop"


def test_f42_what_goes_wrong_only_on_some_servers_is_a_note():
    app = opened(example=EXAMPLE, reasoning="")
    app.text_area(key="in.prompt").set_value("").run()
    notes = [text.value for text in app.markdown if "Note" in text.value]
    assert len(notes) == 1
    assert "F-42" in notes[0]


def test_s71_findings_are_shown_for_a_run_that_cannot_start():
    app = opened(example=EXAMPLE, cuts="sometimes", tool_choice="null")
    assert not has_stepper(app)
    assert "F-40" in rules(app)


def test_p24_a_choice_changes_what_the_client_gets_at_once():
    app = opened()
    assert any(client and "tool_calls" in client for client in trace(app)["steps"]["client"])
    app.checkbox(key="in.auto_tools").uncheck().run()
    assert not any(client and "tool_calls" in client for client in trace(app)["steps"]["client"])
    assert {"F-21", "P-28"} <= set(rules(app))


def test_the_functions_of_the_tools_can_be_forced_and_made_strict():
    app = opened()
    (name,) = {tool.name for tool in samples()[EXAMPLE].tools} & {"get_weather"}
    app.selectbox(key="in.tool_choice").select(f"function:{name}").run()
    app.multiselect(key="in.strict_tools").select(name).run()
    prepared = trace(app)["serving"]["prepared"]
    assert name in prepared["constraint"]
    assert trace(app)["serving"]["timeline"]["start"] > 0


@pytest.mark.parametrize("name", [*FLAGS, *SWITCHES])
def test_every_switch_goes_into_the_address_and_comes_back(name):
    app = opened()
    box = app.checkbox(key=f"in.{name}")
    wanted = not box.value
    box.set_value(wanted).run()
    again = opened(**dict(app.query_params.items()))
    assert again.checkbox(key=f"in.{name}").value is wanted
    assert not sentences(again).count("cannot be used")


def test_the_other_choices_come_back_from_the_address():
    app = opened(
        example=EXAMPLE,
        tool_choice="required",
        parallel="0",
        top_logprobs="3",
        earlier_calls="2",
        strict_level="function",
        loose_tool=["get_weather"],
    )
    assert app.selectbox(key="in.tool_choice").value == "required"
    assert app.session_state["in.parallel"] == "false"
    assert app.session_state["in.strict_level"] == "FUNCTION"
    assert app.number_input(key="in.top_logprobs").value == 3
    assert app.number_input(key="in.history_calls").value == 2
    assert app.multiselect(key="in.loose_tools").value == ["get_weather"]
    assert has_stepper(app)


@pytest.mark.parametrize(
    ("typed", "says"),
    [("{", "The response format is not valid JSON: "), ('{"type": "yaml"}', "one of text, json_object")],
    ids=["cut", "unknown type"],
)
def test_a_response_format_that_cannot_be_used_gets_a_sentence_and_stays(typed, says):
    app = opened()
    app.text_area(key="in.response_format").set_value(typed).run()
    assert not app.exception
    assert not has_stepper(app)
    assert says in sentences(app)
    assert app.text_area(key="in.response_format").value == typed
    assert "response" not in str(dict(app.query_params))


def test_a_function_that_is_not_offered_any_more_gets_a_sentence_and_stays():
    app = opened()
    app.selectbox(key="in.tool_choice").select("function:get_weather").run()
    app.text_area(key="in.tools").set_value('[{"name": "other"}]').run()
    assert not app.exception
    assert "'get_weather' named in tool_choice is not in tools; offered: other" in sentences(app)
    assert app.selectbox(key="in.tool_choice").value == "function:get_weather"


def test_an_example_fills_the_panel_and_the_next_one_clears_it():
    asking = next(name for name, case in samples().items() if case.request.get("include_reasoning") is False)
    app = opened()
    app.selectbox(key="example").select(asking).run()
    assert app.checkbox(key="in.include_reasoning").value is False
    assert trace(app)["serving"]["audit"]["hidden"]
    app.selectbox(key="example").select(EXAMPLE).run()
    assert app.checkbox(key="in.include_reasoning").value is True


def test_a_case_carries_the_panel():
    text = print_case(settings_of(samples()[EXAMPLE]), "mine")
    case = json.loads(text)
    case["request"] |= {"tool_choice": "required", "include_reasoning": False}
    case["server"] |= {"strict_calling": False}
    app = opened()
    app.file_uploader(key="case_file").set_value(("mine.jsonl", json.dumps(case).encode(), "application/json")).run()
    assert app.selectbox(key="in.tool_choice").value == "required"
    assert app.checkbox(key="in.include_reasoning").value is False
    assert app.checkbox(key="in.strict_calling").value is False
    assert settings_of(read_case_file(json.dumps(case), "mine")[0]).request.tool_choice == "required"


def test_numbers_beyond_their_box_are_kept_inside_it():
    case = json.loads(print_case(settings_of(samples()[EXAMPLE]), "mine"))
    case["request"] |= {"top_logprobs": -5}
    app = opened()
    app.file_uploader(key="case_file").set_value(("mine.jsonl", json.dumps(case).encode(), "application/json")).run()
    assert not app.exception
    assert app.number_input(key="in.top_logprobs").value == 0
