"""The app: which pages there are."""

import streamlit as st

# No icons here: Streamlit would fetch them from outside for the browser tab.
PAGES = [
    st.Page("views/step.py", title="Step", default=True),
    st.Page("views/compare.py", title="Compare", url_path="compare"),
    st.Page("views/template.py", title="Template", url_path="fit"),
]

st.set_page_config(page_title="parserscope", layout="wide")
st.navigation(PAGES, position="top").run()
