"""A report -> what was rendered: the prompts of each thinking mode, and turns there and back field by field.

Source: issue "Template page".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st

from parsers.templates.prompts import Prompt, State
from parsers.templates.report import Report
from parsers.templates.roundtrip import GRADE_WORDS, FieldResult, Grade, RoundTrip
from views.ui.signs import WHITE_SPACE
from views.ui.template.handover import open_in_step

Colour = Literal["red", "orange", "green", "blue", "gray"]

WITH_TOOLS, WITHOUT_TOOLS = "With tools", "Without tools"
_STATES: Mapping[State, tuple[str, Colour]] = {
    "none": ("says nothing about thinking", "gray"),
    "open": ("opens thinking", "orange"),
    "closed": ("closes thinking", "blue"),
    "error": ("does not render", "red"),
}
_COLOURS: Mapping[Grade, Colour] = {
    Grade.LOST: "red",
    Grade.NAMES: "red",
    Grade.PARTLY: "orange",
    Grade.LITERAL: "orange",
    Grade.EXACT: "green",
}
_PROMPT_HEIGHT = 300
"""Pixels."""


def draw_prompts(report: Report) -> None:
    """Draw the prompt of one user turn in every thinking mode."""
    st.markdown("**The prompt as rendered**")
    st.session_state.setdefault("template.tools", WITH_TOOLS)
    shown = st.segmented_control(
        "Request",
        (WITH_TOOLS, WITHOUT_TOOLS),
        key="template.tools",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    prompts = report.evidence.with_tools if shown == WITH_TOOLS else report.evidence.without_tools
    for column, prompt in zip(st.columns(len(prompts), border=True), prompts, strict=True):
        with column:
            _draw_prompt(prompt)


def _draw_prompt(prompt: Prompt) -> None:
    given = ", ".join(f"{name}={value!r}" for name, value in prompt.switch.arguments.items())
    given = given or (f"system message {prompt.switch.system}" if prompt.switch.system else "")
    st.text(f"Thinking {prompt.mode}" + (f": {given}" if given else ""))
    if prompt.rendering.text is None:
        _badge(*_STATES[prompt.state])
        st.text(prompt.rendering.error)
        return
    before = prompt.text.removesuffix(prompt.generation_prompt)
    _show(before, _PROMPT_HEIGHT)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Generation prompt**", width="content")
        _badge(*_STATES[prompt.state])
    _show(prompt.generation_prompt)


def draw_round_trips(trips: Sequence[RoundTrip]) -> None:
    """Draw each assistant turn with what came back of it."""
    st.markdown("**There and back: assistant turns as the template writes them, parsed again**")
    if not trips:
        st.text("The template renders no assistant turn.")
        return
    titles = [f"{number}. {title(trip)}" for number, trip in enumerate(trips, 1)]
    for index, (tab, trip) in enumerate(zip(st.tabs(titles), trips, strict=True)):
        with tab:
            _draw_trip(index, trip)


def title(trip: RoundTrip) -> str:
    """Name what a turn holds, and its grade where something is amiss."""
    parts = [field.field for field in trip.fields if field.field != "tool_calls"]
    shape = trip.turn.shape
    if shape is not None:
        parts.append(f"{shape.calls} {'call' if shape.calls == 1 else 'calls'}")
    amiss = "" if trip.grade == Grade.EXACT else f": {GRADE_WORDS[trip.grade]}"
    return (", ".join(parts) or "nothing") + amiss


def _draw_trip(index: int, trip: RoundTrip) -> None:
    written, read = st.columns([2, 3])
    with written:
        st.caption("The turn as the model would write it")
        _show(trip.turn.text)
        if st.button("Open in the Step page", key=f"template.step.{index}", icon=":material/open_in_new:"):
            open_in_step(trip)
    with read:
        for field in trip.fields:
            _draw_field(field)


def _draw_field(field: FieldResult) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"`{field.field}`", width="content")
            _badge(GRADE_WORDS[field.grade], _COLOURS[field.grade])
        put_in, came_back = st.columns(2)
        with put_in:
            st.caption("Put in")
            _show(field.expected)
        with came_back:
            st.caption("Came back")
            _show(field.got)


def _show(text: str, height: int | Literal["content"] = "content") -> None:
    st.code(with_edges(text), language=None, wrap_lines=True, height=height)


def with_edges(text: str) -> str:
    """Make white space at both ends visible, which a code block would cut off."""
    inner = text.strip()
    if not inner:
        return text.translate(WHITE_SPACE)
    start, _, end = text.partition(inner)
    return start.translate(WHITE_SPACE) + inner + end.translate(WHITE_SPACE)


def _badge(label: str, colour: Colour) -> None:
    st.badge(label, color=colour)
