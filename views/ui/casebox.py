"""Ways to bring a case to a page: a file that is opened, or a case pasted where the model's output goes.

Source: card 00 (C0-01); issue "Step page".
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from parsers.errors import ParserscopeError
from parsers.files.case import Case
from views.ui import inputs
from views.ui.cases import looks_like_case, read_case_file

MOST_UPLOADED_MB = 10

Take = Callable[[Case], None]
"""What a page does with a case it was given; runs before the widgets are drawn."""


def draw_case_upload(key: str, take: Take) -> None:
    """Draw the box that takes a file.

    Args:
        key: identity of the widget, one for each page.
        take: gets the first case of the file, and any other that is chosen then.
    """
    st.file_uploader(
        "Open a case",
        type=["json", "jsonl"],
        key=key,
        on_change=_open_upload,
        args=(key, take),
        max_upload_size=MOST_UPLOADED_MB,
    )
    cases: list[Case] = st.session_state.get(_cases_of(key), [])
    if len(cases) > 1:
        st.selectbox(
            f"Which of its {len(cases)} cases",
            range(len(cases)),
            key=f"{key}.chosen",
            format_func=lambda index: cases[index].id,
            on_change=_open_chosen,
            args=(key, take),
        )


def offer_pasted_case(key: str, take: Take) -> None:
    """Draw a button that opens what stands in the output's box, when that is a case file."""
    if looks_like_case(inputs.raw_output()):
        st.info("This looks like a case file, not like a model's output.")
        st.button("Open it as a case", key=key, on_click=_open, args=(inputs.raw_output(), "The pasted case", take))


def _cases_of(key: str) -> str:
    """Where the session keeps the cases of the file that was opened last."""
    return f"{key}.cases"


def _open_upload(key: str, take: Take) -> None:
    file: UploadedFile | None = st.session_state[key]
    if file is not None:
        cases = _open(file.getvalue().decode("utf-8", "replace"), file.name, take)
        st.session_state[_cases_of(key)] = cases
        st.session_state[f"{key}.chosen"] = 0


def _open_chosen(key: str, take: Take) -> None:
    st.session_state["notices"] = []
    take(st.session_state[_cases_of(key)][st.session_state[f"{key}.chosen"]])


def _open(text: str, name: str, take: Take) -> list[Case]:
    """Open the first case of a text; returns all of them."""
    st.session_state["notices"] = []
    try:
        cases = read_case_file(text, name)
        take(cases[0])
    except ParserscopeError as error:
        st.session_state["notices"] = [str(error)]
        return []
    return cases
