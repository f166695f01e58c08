"""A format file of the user's own, loaded by its path: from the command line's option, or from a box on the page.

The file is code with all rights, so a path comes only from the user's keyboard or command line, never from a link or a
case file.
"""

from __future__ import annotations

import os

import streamlit as st

from parsers.errors import ParserscopeError
from parsers.plugins import PLUGINS_VARIABLE, load_plugin

_BOX = "plugin_path"


@st.cache_resource
def load_given() -> tuple[str, ...]:
    """Load the format files the command line named, once; returns sentences about those that cannot be used."""
    problems = []
    for path in filter(None, os.environ.get(PLUGINS_VARIABLE, "").split(os.pathsep)):
        try:
            load_plugin(path)
        except ParserscopeError as error:
            problems.append(str(error))
    return tuple(problems)


def draw_box() -> None:
    """Draw the box for a path; what is loaded can be chosen as a parser at once."""
    st.text_input(
        "Format file",
        key=_BOX,
        persist_state="session",
        placeholder="/home/me/my_format.py",
        help="A Python file that sets REASONING or TOOLS. It is run as it is: give only a file you trust.",
    )
    path = st.session_state[_BOX].strip()
    if path:
        _load(path)


def _load(path: str) -> None:
    try:
        added = load_plugin(path)
    except ParserscopeError as error:
        st.text(str(error))
    else:
        st.text(f"Added: {', '.join(added)}")
