"""The stepper: a packed trace -> a component that walks through it in the browser.

The whole trace goes to the browser once, as gzip bytes; a step there costs no traffic. The position, counted
from 1, comes back debounced for the link in the address bar.

The JavaScript is several small modules; a components-v2 component takes one, so `bundle` joins them.

Source: card ui (2, 4), design decision 10.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

import streamlit as st

MODULES = (
    *("model.js", "dom.js", "served.js", "graph.js", "strip.js", "pane.js", "calls.js", "cards.js", "trail.js"),
    *("keys.js", "summary.js", "lines.js", "wire.js", "constraint.js", "audit.js", "delegating.js", "panels.js"),
    "stepper.js",
)
"""In order of dependence: each imports only from those before it."""

HTML = ("stepper.html", "panels.html")
CSS = ("stepper.css", "panels.css")

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)


def bundle() -> str:
    """Return the modules joined to one: the imports between them are left out, the exports stay."""
    return _IMPORT.sub("", _joined(MODULES))


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join(map(_read, names))


def _read(name: str) -> str:
    return (resources.files(__name__) / name).read_text(encoding="utf-8")


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("parserscope_stepper", html=_joined(HTML), css=_joined(CSS), js=bundle())


def draw_stepper(packed: bytes, key: str, on_move: Callable[[], None] = lambda: None) -> int:
    """Draw the stepper.

    Args:
        packed: a trace from `parsers.debug.pack.pack`. Nothing that changes between reruns may be in it: any
            changed byte sends all of it again and starts a new trace.
        key: identity of the widget; `st.session_state[key]["pos"]` is the position.
        on_move: called when the position has changed.

    Returns:
        The delta that is shown, counted from 1.
    """
    result = _component()(data=packed, key=key, default={"pos": 1}, on_pos_change=on_move)
    return int(result["pos"])
