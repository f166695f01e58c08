"""The stepper alone on a page, with a synthetic trace: `?deltas=N` says how long."""

import gzip
import json

import streamlit as st

from tests.browser.synthetic import synthetic
from views.ui.stepper import draw_stepper

st.set_page_config(layout="wide")


@st.cache_resource(max_entries=4)
def packed(deltas: int) -> bytes:
    return gzip.compress(json.dumps(synthetic(deltas), ensure_ascii=False).encode())


@st.fragment
def stepper(deltas: int) -> None:
    st.caption(f"Python heard {draw_stepper(packed(deltas), key='stepper')}")


def show_stepper() -> None:
    stepper(int(st.query_params.get("deltas", "100")))


def show_nothing() -> None:
    st.write("Nothing here.")


st.navigation([st.Page(show_stepper, title="Stepper"), st.Page(show_nothing, title="Nothing")]).run()
