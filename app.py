"""The app: which pages there are."""

import streamlit as st

# No icons here: Streamlit would fetch them from outside for the browser tab.
PAGES = [
    st.Page("pages/step.py", title="Step", default=True),
    st.Page("pages/compare.py", title="Compare", url_path="comparison"),
    st.Page("pages/template.py", title="Template", url_path="fit"),
]

st.set_page_config(page_title="parserscope", layout="wide")
st.navigation(PAGES, position="top").run()
