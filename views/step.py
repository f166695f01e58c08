"""The page that steps through one output: inputs in the sidebar, the stepper beside them.

Source: issue "Step page"; card ui (8).
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parsers.debug.session import RunSettings
from parsers.errors import ParserscopeError
from parsers.files.case import Case
from parsers.files.sample import samples
from views.ui import inputs, plugins, request
from views.ui.casebox import draw_case_upload, offer_pasted_case
from views.ui.cases import print_case, settings_of
from views.ui.links import carries_all, query_of, settings_from_query
from views.ui.run import run_check, run_trace
from views.ui.stepper import draw_stepper
from views.ui.style import use_whole_width

OPENS_ON = "tour/qwen3-two-calls"
STEPPER = "stepper"


def show() -> None:
    """Draw the page."""
    use_whole_width()
    for problem in plugins.load_given():
        st.warning("A format file of the command line cannot be used.")
        st.text(problem)
    _open_link_once()
    with st.sidebar:
        below_inputs = _draw_sidebar()
    for notice in st.session_state.get("notices", ()):
        st.text(notice)
    try:
        settings = inputs.read()
        with below_inputs:
            request.draw_findings(run_check(settings))
        packed = run_trace(settings)
    except ParserscopeError as error:
        _explain(error)
        return
    _write_link(settings)
    _draw_stepper(packed)


def _open_link_once() -> None:
    """Fill the widgets from the address when the tab is new, else leave what is in them."""
    if "example" in st.session_state:
        return
    asked = st.query_params.get("example", OPENS_ON)
    known = samples()
    example = asked if asked in known else OPENS_ON
    settings, problems = settings_from_query(_query(), settings_of(known[example]))
    if asked not in known:
        problems.insert(0, f"There is no example {asked!r}; this is {example!r}.")
    st.session_state["example"] = example
    st.session_state["notices"] = problems
    inputs.fill(settings)


def _draw_sidebar() -> DeltaGenerator:
    """Draw the inputs; returns the place below them for what is found wrong with them."""
    st.selectbox(
        "Example",
        list(samples()),
        key="example",
        format_func=_example_label,
        on_change=_open_example,
        persist_state="session",
        help="Type to search: a parser name, or what the example shows.",
    )
    inputs.draw_inputs()
    below_inputs = st.container()
    with st.expander("Format of your own"):
        plugins.draw_box()
    with st.expander("Case file"):
        _draw_files()
    offer_pasted_case("open_pasted", _take_case)
    return below_inputs


def _example_label(example: str) -> str:
    title = (samples()[example].model_extra or {}).get("title")
    return f"{example} · {title}" if title else example


def _draw_files() -> None:
    draw_case_upload("case_file", _take_case)
    st.download_button(
        "Save as a case",
        data=_case_file,
        file_name="case.jsonl",
        mime="application/jsonl",
        key="save",
        on_click="ignore",
        icon=":material/download:",
        help="Everything on this page, your text included; opening it brings all of it back.",
    )


def _open_example() -> None:
    st.session_state["notices"] = []
    inputs.fill(settings_of(samples()[st.session_state["example"]]))


def _take_case(case: Case) -> None:
    inputs.fill(settings_of(case))


def _case_file() -> str:
    return print_case(inputs.read(), "from-the-step-page")


def _explain(error: ParserscopeError) -> None:
    """Say what is wrong; the message may quote the user, so it is shown as plain text."""
    st.error("This cannot run yet. What you typed is kept.", icon=":material/error:")
    st.text(str(error))


def _query() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _write_link(settings: RunSettings) -> None:
    """Keep the address such that opening it brings this page back, but for text of the user."""
    example = settings_of(samples()[st.session_state["example"]])
    wanted = {"example": [st.session_state["example"]]} | query_of(settings, example)
    present = _query()
    if "step" in present:
        wanted["step"] = present["step"]
    if present != wanted:
        st.query_params.from_dict(wanted)
    if not carries_all(settings, example):
        st.sidebar.caption("The address holds your choices; your own text is only in the case file.")


@st.fragment
def _draw_stepper(packed: bytes) -> None:
    draw_stepper(packed, key=STEPPER, on_move=_note_step)


def _note_step() -> None:
    st.query_params["step"] = str(st.session_state[STEPPER]["pos"])


show()
