"""The page that compares answers to one output: columns, a table of fields, where their runs part, all names, cost.

Source: issue "Debug"; card ui (8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from parsers.debug.compare import WHOLE
from parsers.debug.partings import Parting
from parsers.debug.session import RunSettings
from parsers.errors import ParserscopeError
from parsers.files.case import Case
from parsers.files.sample import samples
from views.ui import inputs
from views.ui.casebox import draw_case_upload, offer_pasted_case
from views.ui.cases import settings_of
from views.ui.compare.candidates import draw_candidates
from views.ui.compare.columns import (
    PARAMETER,
    columns_from_query,
    draw_columns,
    fill_columns,
    label,
    letter,
    query_of_columns,
    read_columns,
)
from views.ui.compare.cost import draw_costs
from views.ui.compare.parts import draw_fields, draw_lock
from views.ui.compare.run import ColumnRun, Compared, run_columns, run_costs
from views.ui.links import carries_all, query_of, settings_from_query
from views.ui.stepper import draw_stepper
from views.ui.style import use_whole_width

OPENS_ON = "tour/qwen3-two-calls"
OPENED = "compare.opened"
PAIR = "compare.pair"
SIDES = ("compare-left", "compare-right")


def show() -> None:
    """Draw the page."""
    use_whole_width()
    _open_once()
    _take_over_inputs()
    with st.sidebar:
        _draw_sidebar()
    for notice in st.session_state.get("notices", ()):
        st.text(notice)
    try:
        base = inputs.read()
    except ParserscopeError as error:
        _explain(str(error))
        return
    columns = [base, *read_columns(base)]
    _write_link(columns)
    draw_columns(base)
    labels = [label(index, settings) for index, settings in enumerate(columns)]
    compared = run_columns(labels, columns, st.session_state["compare.observed"])
    answers, names, cost = st.tabs(["Answers", "All candidates", "Cost"])
    with answers:
        _draw_answers(compared)
    with names:
        # Always the engine: classic parsers would take minutes for the lengths that are tried here.
        draw_candidates(replace(base, cuts="token" if base.cuts == WHOLE else base.cuts, composition="unified"))
    with cost:
        _draw_cost(compared, columns)


# --- inputs -----------------------------------------------------------------------------------------------------------


def _open_once() -> None:
    """Fill the widgets from the address when the tab is new, else leave what is in them."""
    if OPENED in st.session_state:
        return
    known, query = samples(), {name: st.query_params.get_all(name) for name in st.query_params}
    if "example" not in st.session_state:
        asked = st.query_params.get("example", OPENS_ON)
        st.session_state["example"] = asked if asked in known else OPENS_ON
        missing = [] if asked in known else [f"There is no example {asked!r}; this is {OPENS_ON!r}."]
        settings, problems = settings_from_query(query, settings_of(known[st.session_state["example"]]))
        st.session_state["notices"] = missing + problems
        inputs.fill(settings)
    base = inputs.read()
    columns, problems = columns_from_query(query.get(PARAMETER, ()), base)
    st.session_state["notices"] = st.session_state.get("notices", []) + problems
    fill_columns(columns or _first_columns(base))
    st.session_state["compare.observed"] = _observed(known[st.session_state["example"]])
    st.session_state[OPENED] = True


def _take_over_inputs() -> None:
    """Write the shared widgets' values anew: Streamlit keeps them by page, and the Step page has the same widgets."""
    for key in st.session_state:
        if key == "example" or str(key).startswith("in."):
            st.session_state[key] = st.session_state[key]


def _first_columns(base: RunSettings) -> list[RunSettings]:
    """Another tool parser, and the answer without streaming."""
    another = "hermes" if base.tool != "hermes" else "qwen3_xml"
    return [replace(base, tool=another), replace(base, cuts=WHOLE)]


def _observed(case: Case) -> str:
    return "" if case.observed is None else case.model_dump_json(include={"observed"})


def _draw_sidebar() -> None:
    st.selectbox("Example", list(samples()), key="example", on_change=_open_example, persist_state="session")
    st.caption("Column A")
    inputs.draw_inputs()
    with st.expander("Case file"):
        draw_case_upload("compare.case_file", _take_case)
    offer_pasted_case("compare.open_pasted", _take_case)
    with st.expander("Observed answer"):
        st.text_area(
            "A server's answer (JSON)",
            key="compare.observed",
            persist_state="session",
            height=130,
            placeholder='{"content": "…", "tool_calls": […]}',
            help="A chat message or a whole response; it becomes a column of its own.",
        )


def _open_example() -> None:
    st.session_state["notices"] = []
    _take_case(samples()[st.session_state["example"]])


def _take_case(case: Case) -> None:
    st.session_state["compare.observed"] = _observed(case)
    inputs.fill(settings_of(case))


def _write_link(columns: Sequence[RunSettings]) -> None:
    """Keep the address such that opening it brings this page back, but for text of the user."""
    base = columns[0]
    example = settings_of(samples()[st.session_state["example"]])
    wanted = {"example": [st.session_state["example"]]} | query_of(base, example)
    wanted[PARAMETER] = query_of_columns(columns[1:], base)
    if {name: st.query_params.get_all(name) for name in st.query_params} != wanted:
        st.query_params.from_dict(wanted)
    if not carries_all(base, example):
        st.sidebar.caption("The address holds your choices; your own text is not in it.")


def _explain(sentence: str) -> None:
    """Say what is wrong; the message may quote the user, so it is shown as plain text."""
    st.error("This cannot run yet. What you typed is kept.", icon=":material/error:")
    st.text(sentence)


# --- answers ----------------------------------------------------------------------------------------------------------


def _draw_answers(compared: Compared) -> None:
    for column in compared.columns:
        if column.problem:
            st.error("A column cannot run yet. What you typed is kept.", icon=":material/error:")
            st.text(f"{column.label}: {column.problem}")
    if not compared.headings:
        return
    different = dict.fromkeys(row.name.partition(":")[0] for row in compared.rows if not row.same)
    if different:
        st.warning(f"The columns differ in {', '.join(different)}.", icon=":material/difference:")
    else:
        st.success("All columns give the same answer.", icon=":material/check_circle:")
    draw_fields(compared.headings, compared.rows, key="compare.fields")
    _draw_partings(compared)
    _draw_pair(compared)


def _draw_partings(compared: Compared) -> None:
    base, *others = compared.columns
    for index, column in enumerate(others, 1):
        if column.packed is None or base.packed is None:
            continue
        _draw_headline(index, column.partings)
        for parting in column.partings:
            _draw_parting(index, parting)


def _draw_headline(index: int, found: Sequence[Parting]) -> None:
    """Say where two columns first part."""
    pair = f"**{letter(0)} and {letter(index)}**"
    if found:
        mine, theirs = (delta + 1 for delta in found[0].deltas)
        where = f"delta {mine}" if mine == theirs else f"delta {mine} of {letter(0)} and {theirs} of {letter(index)}"
        st.markdown(f"{pair} first part at {where}, in stage {found[0].stage}. Each stage that differs:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{pair}: every stage did the same.", width="content")
        st.button("Open both", key=f"compare.open.{index}", on_click=_open_pair, args=(index, (0, 0)))


def _draw_parting(index: int, parting: Parting) -> None:
    button, words = st.columns([1, 5], vertical_alignment="center")
    mine, theirs = (delta + 1 for delta in parting.deltas)
    button.button(
        f"{parting.stage}: delta {mine} / {theirs}",
        key=f"compare.open.{index}.{parting.stage}",
        icon=":material/vertical_split:",
        on_click=_open_pair,
        args=(index, parting.deltas),
        width="stretch",
        help="Open both steppers here",
    )
    words.text(f"raw {parting.at}: {letter(0)} {parting.has[0]} | {letter(index)} {parting.has[1]}")


def _open_pair(index: int, deltas: tuple[int, int]) -> None:
    _, _, earlier = st.session_state.get(PAIR, (0, (0, 0), 0))
    st.session_state[PAIR] = (index, deltas, earlier + 1)


def _close_pair() -> None:
    del st.session_state[PAIR]


@st.fragment
def _draw_pair(compared: Compared) -> None:
    index, deltas, request = st.session_state.get(PAIR, (0, (0, 0), 0))
    if not 0 < index < len(compared.columns):
        return
    pair = (compared.columns[0], compared.columns[index])
    if any(column.packed is None for column in pair):
        return
    switch, close = st.columns([8, 1])
    with switch:
        draw_lock(SIDES, (pair[0].shown, pair[1].shown), (*deltas, request), key="compare.lock")
    close.button("Close", key="compare.close", icon=":material/close:", on_click=_close_pair, width="stretch")
    for place, side, column in zip(st.columns(2), SIDES, pair, strict=True):
        with place, st.container(key=side):
            _draw_side(column, side)


def _draw_side(column: ColumnRun, side: str) -> None:
    st.text(column.label)
    if column.packed is not None:
        draw_stepper(column.packed, key=f"{side}.stepper")


# --- cost -------------------------------------------------------------------------------------------------------------


def _draw_cost(compared: Compared, columns: Sequence[RunSettings]) -> None:
    for place, column in zip(st.columns(max(len(compared.columns), 1)), compared.columns, strict=True):
        if column.speed is not None:
            place.metric(column.label, f"{column.speed:,.0f} tokens/s")
    if st.toggle("Measure each delta", key="compare.measure"):
        ready = zip(columns, compared.columns, strict=False)
        draw_costs({column.label: run_costs(settings) for settings, column in ready if not column.problem})


show()
