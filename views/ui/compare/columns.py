"""The widgets of further columns -> their settings: the sidebar's, with a few choices of their own.

Columns have letters; A is the sidebar. A column is in the address as its own little query, so a link brings it back.

Source: issue "Debug"; card ui (5).
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import streamlit as st

from parsers.debug.compare import WHOLE
from parsers.debug.session import RunSettings
from parsers.registry import reasoning_names, tool_names
from parsers.tokens import bundled
from views.ui.inputs import CUTS
from views.ui.links import COMMITS, query_of, settings_from_query

MOST_COLUMNS = 6
PARAMETER = "column"
_NUMBERS = "compare.columns"
_NEXT = "compare.next"
_A_ROW = 3


def fill_columns(columns: Sequence[RunSettings]) -> None:
    """Replace all further columns."""
    st.session_state[_NUMBERS] = []
    st.session_state.setdefault(_NEXT, 1)
    for settings in columns[: MOST_COLUMNS - 1]:
        _add(settings)


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


def letter(index: int) -> str:
    """Heading of a column, 0-based."""
    return string.ascii_uppercase[index]


def label(index: int, settings: RunSettings) -> str:
    """Heading of a column with what it runs."""
    names = f"{settings.reasoning or 'no reasoning parser'} + {settings.tool or 'no tool parser'}"
    text_only = ", text only" if settings.text_only else ""
    commit = ", on_close" if settings.call_commit == "on_close" else ""
    return f"{letter(index)}: {names}, {settings.cuts}{text_only}{commit}"


def read_columns(base: RunSettings) -> list[RunSettings]:
    """Return the settings of the further columns; call it when they have been drawn or filled."""
    return [_read(number, base) for number in st.session_state[_NUMBERS]]


def draw_columns(base: RunSettings) -> None:
    """Draw the widgets of all further columns."""
    numbers = st.session_state[_NUMBERS]
    for start in range(0, len(numbers), _A_ROW):
        for place, number in zip(st.columns(_A_ROW), numbers[start : start + _A_ROW], strict=False):
            with place, st.container(border=True):
                _draw_column(numbers.index(number) + 1, number)
    st.button(
        "Add a column",
        key="compare.add",
        icon=":material/add:",
        on_click=_add,
        args=(base,),
        disabled=len(numbers) >= MOST_COLUMNS - 1,
    )


def _draw_column(index: int, number: int) -> None:
    heading, remove = st.columns([5, 1])
    heading.markdown(f"**{letter(index)}**")
    remove.button(
        "", key=_key(number, "remove"), icon=":material/close:", help="Remove", on_click=_remove, args=(number,)
    )
    left, right = st.columns(2)
    with left:
        _pick("Reasoning parser", _key(number, "reasoning"), reasoning_names(), optional=True)
        _pick("Cuts", _key(number, "cuts"), (*CUTS, WHOLE))
    with right:
        _pick("Tool parser", _key(number, "tool"), tool_names(), optional=True)
        st.selectbox("Commit calls", COMMITS, key=_key(number, "commit"), persist_state="session")
    with st.expander("Tokens"):
        _pick("Tokenizer", _key(number, "tokenizer"), (bundled.NAME,))
        st.checkbox("Text only, no token ids", key=_key(number, "text_only"), persist_state="session")


def _pick(label: str, key: str, known: Sequence[str], optional: bool = False) -> None:
    chosen = st.session_state.get(key)
    st.selectbox(
        label,
        list(known) if chosen is None or chosen in known else [chosen, *known],
        key=key,
        persist_state="session",
        index=None if optional else 0,
        placeholder="none",
        accept_new_options=True,
    )


def _key(number: int, name: str) -> str:
    return f"compare.{number}.{name}"


def _add(settings: RunSettings) -> None:
    number = st.session_state[_NEXT]
    st.session_state[_NEXT] = number + 1
    st.session_state[_NUMBERS] = [*st.session_state[_NUMBERS], number]
    values = {
        "reasoning": settings.reasoning,
        "tool": settings.tool,
        "cuts": settings.cuts,
        "commit": settings.call_commit,
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
        tokenizer=values[_key(number, "tokenizer")] or bundled.NAME,
        text_only=values[_key(number, "text_only")],
    )
