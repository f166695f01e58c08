"""Microseconds of each delta -> a chart with a line for each column, on which growing costs rise.

Source: issue "Debug".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_POINTS = 400


def draw_costs(costs: Mapping[str, Sequence[float]]) -> None:
    """Draw the chart; columns that are fed in one delta have no line.

    Args:
        costs: microseconds of each delta, by column.
    """
    lines = {label: values for label, values in costs.items() if len(values) > 1}
    if not lines:
        st.text("Every column is fed in one delta; choose finer cuts to see a line.")
        return
    st.plotly_chart(_figure(lines), key="compare.costs", config={"displaylogo": False})
    st.caption(
        "Each point is the median of its neighbours, the fastest of several runs. A parser that reads each character "
        "once stays level; one that reads everything again at each delta rises."
    )


def _figure(costs: Mapping[str, Sequence[float]]) -> Figure:
    import plotly.graph_objects as go

    figure = go.Figure()
    for label, values in costs.items():
        places, heights = thin_out(values)
        figure.add_scatter(x=places, y=heights, name=label, mode="lines")
    figure.update_layout(
        xaxis_title="delta",
        yaxis_title="microseconds",
        yaxis_rangemode="tozero",
        height=360,
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        showlegend=True,
        legend={"orientation": "h", "y": 1.15},
    )
    return figure


def thin_out(values: Sequence[float]) -> tuple[list[int], list[float]]:
    """Return at most `MOST_POINTS` points: numbers of deltas, from 1, and medians of the values around them."""
    size = max(1, -(-len(values) // MOST_POINTS))
    starts = range(0, len(values), size)
    return [start + 1 for start in starts], [median(values[start : start + size]) for start in starts]
