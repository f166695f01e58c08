"""Run settings -> the packed trace that the stepper gets and what is wrong with them, kept for the next visit.

Only the bytes are kept: live trace objects would be walked by every garbage collection.

Source: card ui (2.7, 2.8).
"""

from __future__ import annotations

import streamlit as st

from parsers.debug.pack import pack
from parsers.debug.session import RunSettings, check, record
from parsers.structured.lint import Finding

MOST_KEPT = 32


@st.cache_resource(max_entries=MOST_KEPT, show_spinner="Parsing …")
def run_trace(settings: RunSettings) -> bytes:
    """Run the parser once and return its trace, packed.

    Raises:
        ParserscopeError: the settings cannot be run; the message says what to change.
    """
    return pack(record(settings))


@st.cache_resource(max_entries=MOST_KEPT, show_spinner=False)
def run_check(settings: RunSettings) -> tuple[Finding, ...]:
    """Return what about the configuration loses data; nothing is run.

    Raises:
        ParserscopeError: as `run_trace`.
    """
    return check(settings)
