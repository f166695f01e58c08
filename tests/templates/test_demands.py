"""What a template insists on is found by trying, and told (point 6)."""

import pytest

from parsers.templates.demands import NO_DEMANDS, CompliantRenderer
from parsers.templates.ladder import QUESTION, user
from parsers.templates.read import NamedTemplate
from parsers.templates.report import report

TEXT = "{% for m in messages %}{{ m.content }}{% endfor %}"


def complied(template):
    renderer = CompliantRenderer(template)
    renderer.comply(renderer.source().variables)
    return renderer


@pytest.mark.parametrize(
    ("template", "words", "complaint"),
    [
        pytest.param("{{ raise_exception('No!') if messages[0].role != 'system' }}" + TEXT,
                     "a system message first", "TemplateError: No!", id="system"),
        pytest.param("{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}",
                     "content as a list of parts", "The user's text is dropped.", id="parts"),
        pytest.param("{{ documents | length }}" + TEXT, "a list of documents", "TypeError: object", id="documents"),
        pytest.param("{{ a.b }}{{ z.y }}" + TEXT, "its own variables (a, z)", "UndefinedError", id="variables"),
    ],
)  # fmt: skip
def test_a_demand_is_found_and_met(template, words, complaint):
    renderer = complied(template)
    assert renderer.demands.words == words
    assert renderer.complaint.startswith(complaint)
    assert QUESTION in renderer.render([user()]).text
    assert f"It renders only with {words}; without: {complaint}" in report(NamedTemplate("t", template)).warnings[0]


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(TEXT, id="takes-anything"),
        pytest.param("{{ raise_exception('No!') if not tools }}" + TEXT, id="tools"),
        pytest.param("{{ raise_exception('No!') }}", id="never-renders"),
        pytest.param("a text of its own", id="shows-no-question"),
    ],
)
def test_nothing_is_demanded(template):
    renderer = complied(template)
    assert (renderer.demands, renderer.complaint) == (NO_DEMANDS, "")
