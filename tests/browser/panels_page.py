"""The stepper with everything below it: `?deltas=N`, `hidden=1` hides reasoning, `constrained=0` takes the grammar away."""

import gzip
import json

import streamlit as st

from tests.browser.synthetic import synthetic
from tests.browser.synthetic_panels import with_panels
from views.ui.stepper import draw_stepper

st.set_page_config(layout="wide")


@st.cache_resource(max_entries=4)
def packed(deltas: int, hidden: bool, constrained: bool) -> bytes:
    return gzip.compress(json.dumps(with_panels(synthetic(deltas), hidden, constrained), ensure_ascii=False).encode())


asked = st.query_params
draw_stepper(
    packed(int(asked.get("deltas", "100")), asked.get("hidden") == "1", asked.get("constrained") != "0"), key="stepper"
)
