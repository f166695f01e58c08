"""Templates are untrusted: they render as transformers does, or say why not, and nothing they do lasts (point 16)."""

import subprocess
import sys

import pytest

from parsers.templates import render
from parsers.templates.render import Renderer

USER = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        pytest.param("{{ messages[0].content }}{{ bos_token }}", "hi<|bos_token|>", id="token-variables-are-texts"),
        pytest.param("{{ {'a': '<é>'} | tojson }}", '{"a": "<é>"}', id="tojson-escapes-nothing"),
        pytest.param("{% if true %}\n  x\n  {% endif %}", "  x\n", id="blocks-are-trimmed"),
        pytest.param("{% for i in [1, 2] %}{{ i }}{% break %}{% endfor %}", "1", id="loop-controls"),
        pytest.param("{% generation %}x{% endgeneration %}", "x", id="generation-tag"),
        pytest.param("{{ strftime_now('%Y') | length }}", "4", id="strftime-now"),
        pytest.param("{{ tools is none }}{{ add_generation_prompt }}", "TrueFalse", id="no-tools-are-none"),
    ],
)
def test_the_environment_is_the_servers(template, text):
    assert Renderer(template).render(USER).text == text


@pytest.mark.parametrize(
    ("template", "error"),
    [
        pytest.param("{{ raise_exception('No tools!') }}", "No tools!", id="its-own-exception"),
        pytest.param("{{ ''.__class__.__mro__ }}", "attribute '__class__' of 'str' object is unsafe", id="attributes"),
        pytest.param("{% include 'other' %}", "includes, imports or extends a file", id="include"),
        pytest.param("{% import 'other' as o %}", "includes, imports or extends a file", id="import"),
        pytest.param("{% for c in 'x' * 9999999999 %}{{ c }}{% endfor %}", "512 MB", id="loop-over-a-huge-text"),
        pytest.param("{% set s = namespace(x='x') %}{% for i in range(99) %}{% set s.x = s.x + s.x %}{% endfor %}",
                     "512 MB", id="doubling"),
        pytest.param("{{ messages.append(1) }}", "unsafe", id="changing-its-input"),
        pytest.param("{% if %}", "TemplateSyntaxError", id="syntax"),
        pytest.param("{{ nothing.at.all }}", "undefined", id="undefined"),
        pytest.param("{{ 'x' * 300000 }}", "more than 200,000 characters", id="long-output"),
        pytest.param("{{ 'x' * 1000000000 }}", "512 MB", id="memory"),
        pytest.param("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "nested too deeply", id="recursion"),
        pytest.param("{{ range(1000000000) | list }}", "Range too big", id="huge-range"),
    ],
)
def test_an_exception_is_data(template, error):
    rendering = Renderer(template).render(USER)
    assert rendering.text is None
    assert error in rendering.error


def test_reaching_for_attributes_stops_a_template_and_a_slip_does_not():
    hostile, slip = Renderer("{{ ''.__class__.__mro__ }}"), Renderer("{{ messages.append(1) }}")
    assert "the sandbox forbids" in hostile.render(USER).error
    assert "the sandbox forbids" in slip.render(USER).error
    assert (hostile.stopped != "", slip.stopped) == (True, "")


def test_the_renderer_loads_where_the_stand_ins_do_not_do():
    code = (
        "from parsers.templates import worker; worker.RENDERER = 'transformers.utils.hub'; worker._load_renderer();"
        "import sys; assert sys.modules['transformers'].__version__"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_busy_loop_is_stopped_once_and_the_next_template_renders(monkeypatch):
    monkeypatch.setattr(render, "SECONDS", 0.5)
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    renderer = Renderer(loop)
    assert "0.5 seconds" in renderer.render(USER).error
    assert renderer.stopped == renderer.render(USER).error == renderer.source().error
    monkeypatch.setattr(render, "SECONDS", 30.0)
    assert Renderer("fine").render(USER).text == "fine"


def test_a_template_that_is_slow_every_time_is_stopped(monkeypatch):
    monkeypatch.setattr(render, "SECONDS_IN_ALL", 0.0)
    renderer = Renderer("slow")
    assert renderer.render(USER).text == "slow"
    assert "0 seconds in all" in renderer.render(USER).error


def test_the_tree_tells_printed_texts_from_compared_ones_and_comments():
    source = Renderer(
        "{# <comment> #}{% if '<test>' in x.split('<strip>') %}{{ '<printed>' + y }}<data>{% endif %}"
        "{% set z = '<assigned>' %}{% macro f(a) %}{{ a }}{% endmacro %}{{ f('<given>') }}{{ raise_exception('<no>') }}"
    ).source()
    printed = "".join(source.printed)
    assert [text in printed for text in ("<printed>", "<data>", "<assigned>", "<given>")] == [True] * 4
    assert {"<test>", "<strip>"} <= set(source.compared)
    assert "<comment>" not in printed + "".join(source.compared)
    assert "<no>" not in printed
    assert source.variables == {"x", "y"}
