"""A report -> its short parts: names and flags, what will go wrong, where markers stand.

A template's own words are drawn with `st.text` and `st.code` only: they are a stranger's.

Source: issue "Template page".
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parsers.templates.groups import Group
from parsers.templates.markers import WORDS, MarkerPlace
from parsers.templates.report import Report


def draw_findings(report: Report) -> None:
    """Draw everything but the prompts and the round trips."""
    reasoning, tool, flags = st.columns(3, border=True)
    with reasoning:
        _draw_groups("Reasoning parser", report.fit.reasoning)
    with tool:
        _draw_groups("Tool parser", report.fit.tool)
    with flags:
        _draw_flags(report)
    trouble, markers = st.columns(2, border=True)
    with trouble:
        _draw_warnings(report.warnings)
    with markers:
        _draw_markers(report.markers)


def _draw_groups(title: str, groups: Sequence[Group]) -> None:
    st.markdown(f"**{title}**")
    _draw_group(groups[0])
    if len(groups) > 1:
        with st.expander(f"{len(groups) - 1} more that fit less, best first"):
            for group in groups[1:]:
                _draw_group(group)


def _draw_group(group: Group) -> None:
    # Not a code block: its highlighter loads late, and the names, all our own, are what people came for.
    st.markdown(", ".join(f"`{name}`" if name else "none needed" for name in group.names))
    if len(group.names) > 1:
        st.caption("The template cannot tell these apart.")
    st.text("\n".join(f"• {reason}" for reason in group.why))


def _draw_flags(report: Report) -> None:
    st.markdown("**Flags to copy**")
    for server, flags in (("vLLM", report.vllm), ("SGLang", report.sglang)):
        st.caption(server)
        if flags:
            st.code(flags.replace(" --", " \\\n--"), language="bash", wrap_lines=True)
        else:
            st.text("It has no parser for one of these formats." if flags is None else "No parser is needed.")


def _draw_warnings(sentences: Sequence[str]) -> None:
    st.markdown("**What will go wrong**")
    if not sentences:
        st.text("Nothing that rendering it shows.")
    for sentence in sentences:
        with st.container(horizontal=True, gap="small", wrap=False):
            st.markdown(":orange[:material/warning:]", width="content")
            st.text(sentence, width="stretch")


def _draw_markers(markers: Sequence[MarkerPlace]) -> None:
    st.markdown("**Where the markers stand**")
    places = {marker.spelling: WORDS[marker.place] for marker in markers}
    if not places:
        st.text("There are none to look for.")
        return
    width = max(map(len, places))
    st.code("\n".join(f"{spelling:<{width}}  {place}" for spelling, place in places.items()), language=None)
