"""The page that fits a chat template: where it comes from in the sidebar, what was found out beside it.

Source: issue "Template page"; card ui (7, 9).
"""

from __future__ import annotations

import streamlit as st

from parsers.errors import ParserscopeError
from parsers.templates.read import NamedTemplate
from parsers.templates.report import Report, report
from views.ui import plugins
from views.ui.style import use_whole_width
from views.ui.template import sources
from views.ui.template.findings import draw_findings
from views.ui.template.renders import draw_prompts, draw_round_trips

MOST_KEPT = 16


def show() -> None:
    """Draw the page."""
    use_whole_width()
    plugins.load_given()
    sources.open_link_once(_query())
    try:
        chosen = _draw_sidebar()
        found: Report | ParserscopeError | None = judge(chosen) if chosen else None
    except ParserscopeError as error:
        found = error
    _write_link()
    if isinstance(found, ParserscopeError):
        _explain(found)
    elif found is None:
        st.info("Type a folder, a file or a hub name and press Read. Nothing is read or fetched before that.")
    else:
        _draw(found)


def _draw_sidebar() -> NamedTemplate | None:
    with st.sidebar:
        sources.draw()
        templates = sources.read()
        return sources.choose(templates) if templates else None


def _identity(template: NamedTemplate) -> str:
    """What the report depends on, as text; a vocabulary of 100,000 tokens stands as its hash."""
    parts = (template.label, template.text, template.name, sorted(template.token_variables.items()))
    return repr((*parts, hash(template.vocabulary), template.settings.get("response_template")))


@st.cache_resource(
    max_entries=MOST_KEPT,
    show_spinner="Rendering conversations and trying every parser …",
    hash_funcs={NamedTemplate: _identity},
)
def judge(template: NamedTemplate) -> Report:
    """Judge a template once.

    Raises:
        RendererError: templates cannot be rendered at all.
    """
    return report(template)


def _draw(found: Report) -> None:
    st.text(found.evidence.template.label)
    draw_findings(found)
    draw_prompts(found)
    draw_round_trips(found.round_trips)


def _explain(error: ParserscopeError) -> None:
    """Say what is wrong; the message may quote the user, so it is shown as plain text."""
    st.error("There is no chat template to judge yet. What you typed is kept.", icon=":material/error:")
    st.text(str(error))


def _query() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _write_link() -> None:
    """Keep the address such that opening it brings this page back, but for text of the user."""
    if _query() != sources.query():
        st.query_params.from_dict(sources.query())
    if not sources.link_carries_all():
        st.sidebar.caption("The address holds your choices; your own text stays on this machine.")


show()
