"""A button that tries every parser name on the output and shows the groups as they come, best first, with reasons.

Source: issue "Debug".
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parsers.debug.rank import NameGroup, Tried, how_many, rank, try_names
from parsers.debug.session import RunSettings
from parsers.names import Kind
from parsers.templates.flags import vllm_flags
from views.ui.compare.columns import add_column, has_room
from views.ui.compare.parts import draw_ranks

REDRAW_SECONDS = 0.5
"""Between two drawings of what has been found: drawing every result would cost more than finding it."""
_FOUND = "compare.found"
_TITLES: dict[Kind, str] = {"reasoning": "Reasoning parsers", "tool": "Tool parsers, with the best reasoning parser"}
_HEADINGS = ("#", "Names with the same answer", "Why they stand here")


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
            _draw_best(settings, found)
            _draw_groups(found)
        elif found:
            st.caption("The output or the options have changed since; try again.")


def _try_all(settings: RunSettings, place: DeltaGenerator) -> list[Tried]:
    found: list[Tried] = []
    drawn = 0.0
    for one in try_names(settings):
        found.append(one)
        if time.monotonic() - drawn < REDRAW_SECONDS:
            continue
        with place.container():
            st.progress(len(found) / how_many(), text=f"{len(found)} of {how_many()} names tried")
            _draw_groups(found)
        drawn = time.monotonic()
    return found


def _draw_best(settings: RunSettings, found: Sequence[Tried]) -> None:
    """Draw the pair at the top of the tool names: its flags, and a button that compares it."""
    best = rank(one for one in found if one.kind == "tool")[0].tried[0]
    flags, button = st.columns([4, 1], vertical_alignment="bottom")
    with flags:
        st.caption("The best pair, as vLLM's command line takes it")
        st.code(vllm_flags(best.reasoning, best.tool) or "no parser needed", language=None, wrap_lines=True)
    button.button(
        "Add as a column",
        key="compare.add_best",
        icon=":material/add:",
        on_click=add_column,
        args=(replace(settings, reasoning=best.reasoning, tool=best.tool),),
        disabled=not has_room(),
        width="stretch",
    )


def _draw_groups(found: Sequence[Tried]) -> None:
    for kind, title in _TITLES.items():
        groups = rank(one for one in found if one.kind == kind)
        if groups:
            st.markdown(f"**{title}**")
            draw_ranks(_HEADINGS, [_texts(group) for group in groups], key=f"compare.{kind}.{len(found)}")


def _texts(group: NameGroup) -> tuple[str, str]:
    return ", ".join(group.names), "; ".join(group.reasons)
