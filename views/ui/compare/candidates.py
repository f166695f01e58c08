"""A button that tries every parser name on the output and shows the groups as they come, best first, with reasons.

Source: issue "Debug".
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from parsers.debug.rank import NameGroup, Tried, how_many, rank, try_names
from parsers.debug.session import RunSettings
from parsers.names import Kind

REDRAW_SECONDS = 0.4
"""Between two drawings of what has been found: drawing every result would cost more than finding it."""
_FOUND = "compare.found"
_HEADINGS: dict[Kind, str] = {"reasoning": "Reasoning parsers", "tool": "Tool parsers, with the best reasoning parser"}


def draw_candidates(settings: RunSettings) -> None:
    """Draw the button and what it found for these settings."""
    st.caption(
        "Every reasoning name runs alone, then every tool name with the best of them. Names with the same answer stand "
        "together; the first group is the best."
    )
    asked = st.button("Try all names", key="compare.try", icon=":material/manage_search:", type="primary")
    place = st.empty()
    if asked:
        st.session_state[_FOUND] = (settings, _try_all(settings, place))
    known, found = st.session_state.get(_FOUND, (None, []))
    with place.container():
        if known == settings:
            _draw_groups(found)
        elif found:
            st.caption("The output or the options have changed since; try again.")


def _try_all(settings: RunSettings, place: st.delta_generator.DeltaGenerator) -> list[Tried]:
    found: list[Tried] = []
    drawn = 0.0
    for one in try_names(settings):
        found.append(one)
        if time.monotonic() - drawn < REDRAW_SECONDS:
            continue
        drawn = time.monotonic()
        with place.container():
            st.progress(len(found) / how_many(), text=f"{len(found)} of {how_many()} names tried")
            _draw_groups(found)
    return found


def _draw_groups(found: Sequence[Tried]) -> None:
    for kind, heading in _HEADINGS.items():
        groups = rank(one for one in found if one.kind == kind)
        if groups:
            st.markdown(f"**{heading}**")
            st.dataframe(
                _table(groups),
                hide_index=True,
                key=f"compare.{kind}.{len(found)}",
                column_config={
                    "rank": st.column_config.NumberColumn(width=50),
                    "names": st.column_config.TextColumn(width=380),
                },
            )


def _table(groups: Sequence[NameGroup]) -> list[dict[str, str | int]]:
    return [
        {"rank": place, "names": ", ".join(group.names), "why": "; ".join(group.reasons)}
        for place, group in enumerate(groups, 1)
    ]
