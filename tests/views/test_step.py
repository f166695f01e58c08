"""The Step page without a browser: what it opens on, its answers to bad input, what comes back."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from parsers.files.limits import MAX_TEXT
from parsers.files.sample import samples
from views.ui.cases import print_case, settings_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "tour/qwen3-two-calls"


def opened(**query: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def trace(app: AppTest) -> dict[str, Any]:
    """Return the trace that the browser would get."""
    assert not app.exception
    (component,) = app.get("bidi_component")
    return json.loads(gzip.decompress(component.proto.bytes))


def sentences(app: AppTest) -> str:
    return "\n".join(text.value for text in app.text)


def has_stepper(app: AppTest) -> bool:
    return len(app.get("bidi_component")) > 0


def test_opens_on_an_example_with_reasoning_a_held_marker_and_two_nested_calls():
    app = opened()
    shown = trace(app)
    assert app.text_area(key="in.raw").value == samples()[EXAMPLE].raw_output == shown["raw"]
    assert shown["fields"]["reasoning"]
    assert any(shown["steps"]["buffer"])
    arguments = [json.loads(call["arguments"]) for call in shown["fields"]["calls"]]
    assert len(arguments) == 2
    assert all(isinstance(argument["options"], dict) for argument in arguments)


def one_of_each_folder() -> list[str]:
    return list({name.split("/")[0]: name for name in samples()}.values())


def test_examples_of_every_folder_open():
    app = opened()
    for name in one_of_each_folder():
        app.selectbox(key="example").select(name).run()
        meta = trace(app)["meta"]
        case = samples()[name]
        assert (meta["reasoning"], meta["tool"]) == (case.reasoning_parser, case.tool_parser)


def test_an_edit_runs_again_at_once():
    app = opened()
    app.text_area(key="in.raw").set_value("short</think>answer").run()
    fields = trace(app)["fields"]
    assert (fields["reasoning"], fields["content"], fields["calls"]) == ("short", "answer", [])


def test_other_cuts_give_the_same_fields():
    app = opened()
    token = trace(app)
    app.selectbox(key="in.cuts").select("one").run()
    one = trace(app)
    assert one["meta"]["deltas"] < token["meta"]["deltas"]
    assert without_ids(one["fields"]) == without_ids(token["fields"])


def without_ids(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out the ids of calls: every run makes new ones."""
    calls = [{key: value for key, value in call.items() if key != "id"} for call in fields["calls"]]
    return fields | {"calls": calls}


def test_an_empty_output_is_a_trace_like_any_other():
    app = opened()
    app.text_area(key="in.raw").set_value("").run()
    assert trace(app)["raw"] == ""


@pytest.mark.parametrize(
    ("key", "typed", "says"),
    [
        ("in.tools", '[{"type": "function",\n  "oops"}]', "line 2, column"),
        ("in.arguments", "{", "line 1, column 2"),
        ("in.raw", "x" * (MAX_TEXT + 1), "2,000,000"),
    ],
    ids=["tools JSON", "template arguments", "too long"],
)
def test_bad_text_gets_a_sentence_and_stays(key, typed, says):
    app = opened()
    box = app.text_input(key=key) if key == "in.arguments" else app.text_area(key=key)
    box.set_value(typed).run()
    assert not app.exception
    assert not has_stepper(app)
    assert says in sentences(app)
    again = app.text_input(key=key) if key == "in.arguments" else app.text_area(key=key)
    assert again.value == typed


def test_ten_megabytes_are_refused_with_a_sentence():
    app = opened()
    app.text_area(key="in.raw").set_value("\U0001f327<think>" * 1_000_000).run()
    assert not app.exception
    assert "limit" in sentences(app)


@pytest.mark.parametrize(
    ("parameter", "value", "says"),
    [
        ("reasoning", "qwen4", "There is no reasoning parser named 'qwen4'; did you mean"),
        ("tool", "<b>x</b>", "There is no tool parser named '<b>x</b>'"),
        ("cuts", "sometimes", "sometimes"),
        ("tokenizer", "/no/such/place", "/no/such/place"),
    ],
)
def test_a_name_nobody_knows_gets_a_sentence(parameter, value, says):
    app = opened(**{parameter: value})
    assert not app.exception
    assert not has_stepper(app)
    assert says in sentences(app)


def test_a_tokenizer_without_the_markers_is_named_with_the_marker(tmp_path):
    bare = tmp_path / "tokenizer.json"
    bare.write_text(json.dumps(BARE_TOKENIZER), encoding="utf-8")
    app = opened(reasoning="deepseek_r1", tokenizer=str(bare))
    assert not app.exception
    assert "'deepseek_r1'" in sentences(app)
    assert "'<think>'" in sentences(app)


BARE_TOKENIZER = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {
        "type": "WordLevel",
        "vocab": {"a": 0, "b": 1, "?": 2},
        "unk_token": "?",
    },
}


def test_a_link_restores_the_choices():
    app = opened(example=EXAMPLE, cuts="every:4", commit="on_close", stop=["</tool_call>"], max_tokens="50")
    meta = trace(app)["meta"]
    assert (meta["cuts"], meta["call_commit"]) == ("every:4", "on_close")
    assert app.multiselect(key="in.stop").value == ["</tool_call>"]
    assert app.number_input(key="in.max_tokens").value == 50


def test_a_link_that_cannot_be_used_in_part_says_so_and_opens():
    app = opened(example="no/such", max_tokens="many")
    assert has_stepper(app)
    assert "There is no example 'no/such'" in sentences(app)
    assert "max_tokens" in sentences(app)


def test_a_pasted_case_opens_with_everything():
    case = samples()[EXAMPLE].model_copy(update={"raw_output": "mine</think>yes", "tool_parser": None})
    app = opened()
    app.text_area(key="in.raw").set_value(print_case(settings_of(case), "mine")).run()
    app.button(key="open_pasted").click().run()
    assert app.text_area(key="in.raw").value == "mine</think>yes"
    assert app.selectbox(key="in.tool").value is None
    assert trace(app)["fields"]["content"] == "yes"


def test_an_uploaded_case_opens_and_a_bad_file_gets_a_sentence():
    app = opened()
    app.file_uploader(key="case_file").set_value(("bad.json", b"{", "application/json")).run()
    assert "bad.json" in sentences(app)
    good = print_case(settings_of(samples()[EXAMPLE]), "mine").replace("Paris", "Oslo").encode()
    app.file_uploader(key="case_file").set_value(("good.jsonl", good, "application/jsonl")).run()
    assert "Oslo" in trace(app)["raw"]
    assert "bad.json" not in sentences(app)


def test_every_case_of_an_uploaded_file_can_be_opened():
    app = opened()
    settings = settings_of(samples()[EXAMPLE])
    lines = [print_case(settings, name).replace("Paris", name) for name in ("Oslo", "Lima")]
    app.file_uploader(key="case_file").set_value(("both.jsonl", "".join(lines).encode(), "application/jsonl")).run()
    assert "Oslo" in trace(app)["raw"]
    chosen = app.selectbox(key="case_file.chosen")
    assert chosen.label == "Which of its 2 cases"
    chosen.set_value(1).run()
    assert "Lima" in trace(app)["raw"]


def test_text_of_the_user_stays_out_of_the_address():
    app = opened()
    app.text_area(key="in.raw").set_value("my secret").run()
    assert "secret" not in str(dict(app.query_params))
    assert any("only in the case file" in caption.value for caption in app.caption)


def test_starting_the_app_loads_no_heavy_library():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest; before = set(sys.modules);"
        "app = AppTest.from_file('app.py', default_timeout=30).run(); assert not app.exception;"
        "heavy = {'pandas', 'plotly', 'transformers'} & (set(sys.modules) - before); assert not heavy, heavy"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
