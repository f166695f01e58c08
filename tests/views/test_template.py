"""The Template page without a browser: what it shows, its answers to bad input, what comes back, the way to Step."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from parsers.debug.pack import pack
from parsers.debug.session import record
from parsers.templates.read import LARGEST_SOURCE, read_text
from parsers.templates.report import report
from views.ui.template.handover import run_settings
from views.ui.template.renders import with_edges
from views.ui.template.sources import NAME, OPENS_ON, examples

ROOT = Path(__file__).resolve().parents[2]
OPENED = "thinking-opened"
HOSTILE = "<script>window.hacked=1</script> $x$ :red[y] **z**"
RAISES = "{{ raise_exception('" + HOSTILE + "') }}"
TWO_NAMED = {
    "chat_template": [
        {"name": "default", "template": examples()[OPENED]},
        {"name": "tool_use", "template": examples()[OPENS_ON]},
    ]
}


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page("views/template.py").run()


def pasted(text: str) -> AppTest:
    app = opened()
    return app.text_area(key="template.text").set_value(text).run()


def by_name(name: str) -> AppTest:
    app = opened()
    app.segmented_control(key="template.origin").set_value(NAME).run()
    return app.text_input(key="template.source").set_value(name).run()


def sentences(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(text.value for text in app.text)


def codes(app: AppTest) -> list[str]:
    assert not app.exception
    return [code.value for code in app.code]


def names(app: AppTest) -> list[str]:
    assert not app.exception
    return [text.value for text in app.markdown]


def as_shown(text: str) -> str:
    """A code block cuts off white space at the ends; what is there shows as signs before it."""
    return with_edges(text).strip()


def judged(app: AppTest) -> bool:
    return any(heading.value == "**The prompt as rendered**" for heading in app.markdown)


@pytest.mark.parametrize("name", examples())
def test_every_example_shows_names_flags_prompts_markers_and_round_trips(name):
    app = opened(template=name)
    found = report(read_text(examples()[name], name)[0])
    shown = codes(app)
    for group in (found.fit.reasoning[0], found.fit.tool[0]):
        assert ", ".join(f"`{name}`" for name in group.names) in names(app)
    assert found.vllm in [code.replace(" \\\n", " ") for code in shown]
    for prompt in found.evidence.with_tools:
        assert as_shown(prompt.generation_prompt) in shown
        assert as_shown(prompt.text.removesuffix(prompt.generation_prompt)) in shown
    assert any("</think>" in code and "in " in code for code in shown)
    for trip in found.round_trips:
        assert {as_shown(text) for text in (trip.turn.text, *(field.got for field in trip.fields))} <= set(shown)
    for warning in found.warnings:
        assert warning in sentences(app)


def test_the_prompt_is_marked_as_opening_or_closing_thinking():
    assert any("opens thinking" in badge.value for badge in opened(template=OPENED).markdown)
    assert any("closes thinking" in badge.value for badge in opened(template=OPENS_ON).markdown)


def test_prompts_without_tools_are_one_click_away():
    app = opened()
    assert any("find_okapi" in code and "Quoll" in code for code in codes(app))
    app.segmented_control(key="template.tools").set_value("Without tools").run()
    assert not any("find_okapi" in code and "Quoll" in code for code in codes(app))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n", "is empty"),
        ('{"model_max_length": 8}', "has no chat_template"),
        ("x" * (LARGEST_SOURCE + 1), "5,000,000 characters"),
    ],
    ids=["blank", "no template in it", "too long"],
)
def test_bad_text_gets_a_sentence_and_stays(text, says):
    app = pasted(text)
    assert says in sentences(app)
    assert not judged(app)
    assert app.text_area(key="template.text").value == text


def test_a_template_that_is_not_jinja_is_judged_with_its_error():
    app = pasted("{% if %}")
    assert "cannot be read" in sentences(app)
    assert judged(app)


def test_a_template_that_loops_is_stopped_with_a_sentence():
    app = pasted("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
    assert "stopped" in sentences(app)


def test_a_strangers_words_are_plain_text():
    app = pasted(RAISES)
    assert HOSTILE in sentences(app)
    assert not any("hacked" in shown.value for shown in (*app.markdown, *app.caption, *app.error, *app.warning))


def test_of_several_named_templates_the_one_for_tools_comes_first_and_another_can_be_chosen():
    app = pasted(json.dumps(TWO_NAMED))
    box = app.selectbox(key="template.one")
    assert box.value.endswith("[tool_use]")
    assert "`hermes`, `qwen3_json`" in names(app)
    box.select("pasted template [default]").run()
    assert "`hermes`, `qwen3_json`" not in names(app)


def test_an_upload_replaces_the_text_and_a_bad_one_does_not():
    app = opened()
    good = json.dumps(TWO_NAMED).encode()
    app.file_uploader(key="template.file").set_value(("tokenizer_config.json", good, "application/json")).run()
    assert len(app.selectbox(key="template.one").options) == 2
    app.file_uploader(key="template.file").set_value(("bad.jinja", b"\xff\xff", "text/plain")).run()
    assert "bad.jinja is not UTF-8 text (byte 0)" in sentences(app)
    assert app.text_area(key="template.text").value == good.decode()


def test_a_folder_is_read_on_the_button_only(tmp_path):
    (tmp_path / "chat_template.jinja").write_text(examples()[OPENED], encoding="utf-8")
    app = by_name(str(tmp_path))
    assert not judged(app)
    assert "press Read" in app.info[0].value
    app.button(key="template.fetch").click().run()
    assert judged(app)
    app.text_input(key="template.source").set_value(f"{tmp_path}/other").run()
    assert not judged(app)


def test_a_place_with_nothing_there_gets_a_sentence_and_stays():
    app = by_name("/no/such/place")
    app.button(key="template.fetch").click().run()
    assert "There is nothing at '/no/such/place'" in sentences(app)
    assert app.text_input(key="template.source").value == "/no/such/place"


def test_no_name_no_button():
    assert by_name("  ").button(key="template.fetch").disabled


def test_a_link_with_a_name_fills_the_box_and_reads_nothing(tmp_path):
    (tmp_path / "chat_template.jinja").write_text(examples()[OPENED], encoding="utf-8")
    app = opened(source=str(tmp_path))
    assert app.text_input(key="template.source").value == str(tmp_path)
    assert not judged(app)


def test_a_link_chooses_one_of_a_folder(tmp_path):
    for name, text in examples().items():
        (tmp_path / f"{name}.jinja").write_text(text, encoding="utf-8")
    app = opened(source=str(tmp_path), name=f"{OPENS_ON}.jinja")
    app.button(key="template.fetch").click().run()
    assert app.selectbox(key="template.one").value == f"{OPENS_ON}.jinja"
    assert "`hermes`, `qwen3_json`" in names(app)


def test_a_link_to_an_example_that_is_not_there_says_so_and_opens():
    app = opened(template="nobody's")
    assert 'There is no example "nobody\'s"' in sentences(app)
    assert judged(app)


def test_text_of_the_user_stays_out_of_the_address():
    app = pasted("{{ messages[0].content }} my secret")
    assert "secret" not in str(dict(app.query_params))
    assert any("stays on this machine" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\n", "a⏎\n"), ("\n a b\t", "⏎\n␣a b⇥"), (" \n", "␣⏎\n"), ("a\n b", "a\n b"), ("", "")],
)
def test_white_space_at_the_ends_shows(text, shown):
    assert with_edges(text) == shown


@pytest.mark.parametrize("name", examples())
def test_the_step_page_gets_what_the_round_trip_parsed(name):
    for trip in report(read_text(examples()[name])[0]).round_trips:
        fields = json.loads(gzip.decompress(pack(record(run_settings(trip)))))["fields"]
        calls = [f"{call['name']} {as_json(call['arguments'])}" for call in fields["calls"]]
        shown = {"reasoning": fields["reasoning"], "content": fields["content"], "tool_calls": "\n".join(calls)}
        for field in trip.fields:
            assert shown[field.field] == field.got


def as_json(arguments: str) -> str:
    return json.dumps(json.loads(arguments), ensure_ascii=False)


def test_the_button_opens_the_turn_in_the_step_page():
    app = opened(template=OPENED)
    turn = report(read_text(examples()[OPENED])[0]).round_trips[1].turn
    app.button(key="template.step.1").click().run()
    assert not app.exception
    assert app.text_area(key="in.raw").value == turn.text
    assert app.text_area(key="in.prompt").value == turn.prompt
    (component,) = app.get("bidi_component")
    shown = json.loads(gzip.decompress(component.proto.bytes))
    assert [call["name"] for call in shown["fields"]["calls"]] == ["find_okapi", "feed_okapi"]


def test_showing_the_page_loads_no_heavy_library():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest; before = set(sys.modules);"
        "app = AppTest.from_file('app.py', default_timeout=60).run();"
        "app.switch_page('views/template.py').run(); assert not app.exception;"
        "heavy = {'pandas', 'plotly', 'transformers'} & (set(sys.modules) - before); assert not heavy, heavy"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
