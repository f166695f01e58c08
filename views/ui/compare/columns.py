"""The widgets of further columns -> their settings: the sidebar's, with a few choices of their own.

Columns have letters; A is the sidebar. A column is in the address as its own little query, so a link brings it back.

Source: issue "Debug"; card ui (5).
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal
from urllib.parse import parse_qs, urlencode

import streamlit as st

from parsers.debug.compare import WHOLE
from parsers.debug.session import RunSettings
from parsers.registry import reasoning_names, tool_names
from parsers.tokens import bundled
from views.ui.inputs import CUTS
from views.ui.links import COMMITS, COMPOSITIONS, query_of, settings_from_query

MOST_COLUMNS = 6
PARAMETER = "column"
_NUMBERS = "compare.columns"
_NEXT = "compare.next"
_WIDTHS = (0.25, 1.7, 1.7, 1.1, 1.3, 1.3, 1.15, 0.5)
"""Of a row's parts, relative: letter, four choices of what runs, tokens, the button that removes it."""


def fill_columns(columns: Sequence[RunSettings]) -> None:
    """Replace all further columns."""
    st.session_state[_NUMBERS] = []
    st.session_state.setdefault(_NEXT, 1)
    for settings in columns[: MOST_COLUMNS - 1]:
        add_column(settings)


def columns_from_query(values: Sequence[str], base: RunSettings) -> tuple[list[RunSettings], list[str]]:
    """Return the columns of an address, and a sentence for each part of it that cannot be used."""
    columns, problems = [], []
    for value in values:
        settings, wrong = settings_from_query(parse_qs(value, keep_blank_values=True), base)
        columns.append(settings)
        problems += wrong
    return columns, problems


def query_of_columns(columns: Sequence[RunSettings], base: RunSettings) -> list[str]:
    """Write columns for an address; undone by `columns_from_query`."""
    return [urlencode(query_of(settings, base), doseq=True) for settings in columns]


def has_room() -> bool:
    """Whether one more column can be added."""
    return len(st.session_state[_NUMBERS]) < MOST_COLUMNS - 1


def letter(index: int) -> str:
    """Heading of a column, 0-based."""
    return string.ascii_uppercase[index]


def label(index: int, settings: RunSettings) -> str:
    """Heading of a column with what it runs."""
    names = f"{settings.reasoning or 'no reasoning parser'} + {settings.tool or 'no tool parser'}"
    text_only = ", text only" if settings.text_only else ""
    commit = ", on_close" if settings.call_commit == "on_close" else ""
    composition = f", {settings.composition}" if settings.composition != "unified" else ""
    return f"{letter(index)}: {names}, {settings.cuts}{text_only}{commit}{composition}"


def read_columns(base: RunSettings) -> list[RunSettings]:
    """Return the settings of the further columns; call it when they have been drawn or filled."""
    return [_read(number, base) for number in st.session_state[_NUMBERS]]


def draw_columns(base: RunSettings) -> None:
    """Draw a row of widgets for each further column."""
    numbers = st.session_state[_NUMBERS]
    for place, number in enumerate(numbers):
        _draw_column(letter(place + 1), number, "collapsed" if place else "visible")
    st.button(
        "Add a column",
        key="compare.add",
        icon=":material/add:",
        on_click=add_column,
        args=(base,),
        disabled=not has_room(),
    )


def _draw_column(heading: str, number: int, labels: Literal["visible", "collapsed"]) -> None:
    alignment: Literal["bottom", "center"] = "bottom" if labels == "visible" else "center"
    places = st.columns(_WIDTHS, vertical_alignment=alignment)
    first, reasoning, tool, cuts, commit, composition, tokens, last = places
    first.markdown(f"**{heading}**")
    with reasoning:
        _pick("Reasoning parser", _key(number, "reasoning"), labels, reasoning_names(), optional=True)
    with tool:
        _pick("Tool parser", _key(number, "tool"), labels, tool_names(), optional=True)
    with cuts:
        _pick("Cuts", _key(number, "cuts"), labels, (*CUTS, WHOLE))
    with commit:
        _choose("Commit calls", _key(number, "commit"), labels, COMMITS)
    with composition:
        _choose("Composition", _key(number, "composition"), labels, COMPOSITIONS)
    with tokens.popover("Tokens", width="stretch"):
        _pick("Tokenizer", _key(number, "tokenizer"), "visible", (bundled.NAME,))
        st.checkbox("Text only, no token ids", key=_key(number, "text_only"), persist_state="session")
    last.button(
        "",
        key=_key(number, "remove"),
        icon=":material/close:",
        help=f"Remove {heading}",
        on_click=_remove,
        args=(number,),
    )


def _choose(label: str, key: str, labels: Literal["visible", "collapsed"], options: Sequence[str]) -> None:
    st.selectbox(label, options, key=key, persist_state="session", label_visibility=labels)


def _pick(
    label: str, key: str, labels: Literal["visible", "collapsed"], known: Sequence[str], optional: bool = False
) -> None:
    """Draw a list of names that also takes another one: whether it can be used is for the run to say."""
    chosen = st.session_state.get(key)
    st.selectbox(
        label,
        list(known) if chosen is None or chosen in known else [chosen, *known],
        key=key,
        persist_state="session",
        label_visibility=labels,
        index=None if optional else 0,
        placeholder="none",
        accept_new_options=True,
    )


def _key(number: int, name: str) -> str:
    return f"compare.{number}.{name}"


def add_column(settings: RunSettings) -> None:
    """Add a column with these settings; call it in a callback or before `draw_columns`."""
    number = st.session_state[_NEXT]
    st.session_state[_NEXT] = number + 1
    st.session_state[_NUMBERS] = [*st.session_state[_NUMBERS], number]
    values = {
        "reasoning": settings.reasoning,
        "tool": settings.tool,
        "cuts": settings.cuts,
        "commit": settings.call_commit,
        "composition": settings.composition,
        "tokenizer": settings.tokenizer,
        "text_only": settings.text_only,
    }
    for name, value in values.items():
        st.session_state[_key(number, name)] = value


def _remove(number: int) -> None:
    st.session_state[_NUMBERS] = [other for other in st.session_state[_NUMBERS] if other != number]


def _read(number: int, base: RunSettings) -> RunSettings:
    values = st.session_state
    return replace(
        base,
        reasoning=values[_key(number, "reasoning")],
        tool=values[_key(number, "tool")],
        cuts=values[_key(number, "cuts")] or CUTS[0],
        call_commit=values[_key(number, "commit")],
        composition=values[_key(number, "composition")],
        tokenizer=values[_key(number, "tokenizer")] or bundled.NAME,
        text_only=values[_key(number, "text_only")],
    )
