"""How a page uses the window: less empty space around the main column than Streamlit leaves."""

from __future__ import annotations

import streamlit as st

_WIDE = """
<style>
  .stMainBlockContainer { padding: 4rem 1.5rem 0.5rem; }
  .stSidebar [data-testid="stVerticalBlock"] { gap: 0.6rem; }
</style>
"""


def use_whole_width() -> None:
    """Give the main column the whole window."""
    st.html(_WIDE)
