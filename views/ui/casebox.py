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
from views.ui.cases import looks_like_case, read_case

MOST_UPLOADED_MB = 10

Take = Callable[[Case], None]
"""What a page does with a case it was given; runs before the widgets are drawn."""


def draw_case_upload(key: str, take: Take) -> None:
    """Draw the box that takes a file.

    Args:
        key: identity of the widget, one for each page.
        take: gets the first case of the file.
    """
    st.file_uploader(
        "Open a case",
        type=["json", "jsonl"],
        key=key,
        on_change=_open_upload,
        args=(key, take),
        max_upload_size=MOST_UPLOADED_MB,
    )


def offer_pasted_case(key: str, take: Take) -> None:
    """Draw a button that opens what stands in the output's box, when that is a case file."""
    if looks_like_case(inputs.raw_output()):
        st.info("This looks like a case file, not like a model's output.")
        st.button("Open it as a case", key=key, on_click=_open, args=(inputs.raw_output(), "The pasted case", take))


def _open_upload(key: str, take: Take) -> None:
    file: UploadedFile | None = st.session_state[key]
    if file is not None:
        _open(file.getvalue().decode("utf-8", "replace"), file.name, take)


def _open(text: str, name: str, take: Take) -> None:
    st.session_state["notices"] = []
    try:
        take(read_case(text, name))
    except ParserscopeError as error:
        st.session_state["notices"] = [str(error)]
