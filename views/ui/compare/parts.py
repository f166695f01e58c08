"""Components of the Compare page: tables of fields and of ranked names, and the lock between two steppers.

Both get plain data and write text with `textContent` only.

Source: issue "Debug"; card ui (4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import streamlit as st

from parsers.debug.compare import FieldRow, Mark, mark_whole, marks
from views.ui.signs import WHITE_SPACE

KEPT = 160
"""Characters shown on each side of a difference."""


def draw_fields(headings: Sequence[str], rows: Sequence[FieldRow], key: str) -> None:
    """Draw a line for each field, a cell for each column, with what differs marked."""
    lines = [_line(row.name, _cells(row), *_AGREEMENT[row.same]) for row in rows]
    _draw_table("", ("Field", *headings), lines, key)


def draw_ranks(headings: Sequence[str], ranked: Sequence[Sequence[str]], key: str) -> None:
    """Draw a numbered line for each entry, the best first; `headings` has one for the number too."""
    lines = [_line(str(rank), [[("alike", text)] for text in texts]) for rank, texts in enumerate(ranked, 1)]
    _draw_table("ranks", headings, lines, key)


def draw_lock(
    keys: tuple[str, str], shown: tuple[Sequence[int], Sequence[int]], start: Sequence[int], key: str
) -> None:
    """Draw the switch that keeps two steppers at the same raw character.

    Args:
        keys: keys of the two containers that hold the steppers.
        shown: for both, the raw characters shown after each delta.
        start: the delta (0-based) each begins at, and a number that is new for each request to go there.
        key: identity of the widget.
    """
    data = {"keys": list(keys), "shown": [list(side) for side in shown], "start": list(start)}
    _lock_component()(data=data, key=key)


_AGREEMENT = {True: ("same", "same"), False: ("different", "≠ differs")}
"""Whether columns agree -> class and note of the line."""
_Pieces = list[tuple[str, str]]


def _line(name: str, cells: Sequence[_Pieces], kind: str = "", note: str = "") -> dict[str, object]:
    return {"name": name, "note": note, "kind": kind, "cells": list(cells)}


def _draw_table(look: str, headings: Sequence[str], lines: Sequence[Mapping[str, object]], key: str) -> None:
    _table_component()(data={"look": look, "headings": list(headings), "rows": list(lines)}, key=key)


def _cells(row: FieldRow) -> list[_Pieces]:
    first = row.values[0]
    another = next((value for value in row.values if value != first), first)
    others = [another, *[first] * (len(row.values) - 1)]
    compare = marks if row.is_text else mark_whole
    return [list(_shorten(compare(text, other))) for text, other in zip(row.values, others, strict=True)]


def _shorten(pieces: Sequence[Mark]) -> Iterator[tuple[str, str]]:
    """Pieces as (kind, text); of long ones the middle is told in words."""
    for piece in pieces:
        kind = "differs" if piece.differs else "alike"
        if len(piece.text) <= 3 * KEPT:
            yield kind, _shown(piece, piece.text)
            continue
        yield kind, _shown(piece, piece.text[:KEPT])
        yield "gap", f" … {len(piece.text) - 2 * KEPT:,} characters … "
        yield kind, _shown(piece, piece.text[-KEPT:])


def _shown(piece: Mark, text: str) -> str:
    """The text, with signs for white space where that is all that differs: a marked line end would show nothing."""
    return text.translate(WHITE_SPACE) if piece.differs and piece.text.isspace() else text


def _read(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


@cache
def _table_component() -> Callable[..., Any]:
    html = '<div class="fields"></div>'
    return st.components.v2.component("parserscope_table", html=html, css=_read("fields.css"), js=_read("fields.js"))


@cache
def _lock_component() -> Callable[..., Any]:
    html = '<label class="lock"><input type="checkbox" checked> Locked to the same token</label>'
    return st.components.v2.component("parserscope_lock", html=html, css=_read("fields.css"), js=_read("lock.js"))
