"""The stepper with everything below it.

`?deltas=N` says how long, `hidden=1` hides reasoning, `constrained=0` takes the grammar away, `delegating=0` makes the
composition the unified one.
"""

import gzip
import json

import streamlit as st

from tests.browser.synthetic import synthetic
from tests.browser.synthetic_panels import with_panels
from views.ui.stepper import draw_stepper

st.set_page_config(layout="wide")


@st.cache_resource(max_entries=4)
def packed(deltas: int, hidden: bool, constrained: bool, delegating: bool) -> bytes:
    trace = with_panels(synthetic(deltas), hidden, constrained)
    if not delegating:
        trace["delegating"] = None
    return gzip.compress(json.dumps(trace, ensure_ascii=False).encode())


def is_on(name: str, default: str) -> bool:
    return st.query_params.get(name, default) == "1"


deltas = int(st.query_params.get("deltas", "100"))
draw_stepper(packed(deltas, is_on("hidden", "0"), is_on("constrained", "1"), is_on("delegating", "1")), key="stepper")
