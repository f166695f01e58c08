"""The widgets of the sidebar -> the chat templates they ask for.

A template comes as text (an example, a paste, an upload) or from a folder, file or hub name. A name is read only when
its button is pressed, so a link that holds one neither opens a file nor fetches anything by itself.

Source: issue "Template page"; card ui (7, 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from parsers.errors import ParserscopeError
from parsers.files.sample import samples_folder
from parsers.templates.read import LARGEST_SOURCE, NamedTemplate, TemplateError, judged, read_source, read_text

OPENS_ON = "thinking-switch"
TEXT, NAME = "Text", "Folder or hub name"
ORIGINS = (TEXT, NAME)
_MB = 1_000_000
_READ = "template.read"
"""What the button brought: a pair of the name and its templates, or the error."""


@cache
def examples() -> Mapping[str, str]:
    """Return the example templates by name, in order."""
    files = sorted((samples_folder() / "templates").glob("*.jinja"))
    return MappingProxyType({file.stem: file.read_text(encoding="utf-8") for file in files})


def open_link_once(query: Mapping[str, Sequence[str]]) -> None:
    """Fill the widgets from the address when the tab is new, else leave what is in them."""
    if "template.example" in st.session_state:
        return
    asked = query.get("template", [OPENS_ON])[-1]
    known = asked in examples()
    name = query.get("source", [""])[-1]
    st.session_state["template.example"] = asked if known else OPENS_ON
    st.session_state["template.origin"] = NAME if name else TEXT
    st.session_state["template.source"] = name
    st.session_state["template.one"] = query.get("name", [""])[-1]
    _open_example()
    if not known:
        _note(f"There is no example {asked!r}; this is {OPENS_ON!r}.")


def query() -> dict[str, list[str]]:
    """Return what the address needs to bring the page back, the user's own text apart."""
    if st.session_state["template.origin"] == TEXT:
        return {"template": [st.session_state["template.example"]]}
    wanted = {"source": _typed_name(), "name": st.session_state["template.one"]}
    return {parameter: [value] for parameter, value in wanted.items() if value}


def link_carries_all() -> bool:
    """Tell whether the address brings everything back: the text is an example's own."""
    return st.session_state["template.origin"] == NAME or _is_example()


def draw() -> None:
    """Draw the widgets that say where templates come from."""
    st.segmented_control("Template from", ORIGINS, key="template.origin", persist_state="session", required=True)
    if st.session_state["template.origin"] == TEXT:
        _draw_text()
    else:
        _draw_name()
    for notice in st.session_state.get("template.notices", ()):
        st.text(notice)


def read() -> list[NamedTemplate]:
    """Return the templates that are asked for, none while a name waits for its button.

    Raises:
        ParserscopeError: there is no template in what was given; says why.
    """
    if st.session_state["template.origin"] == TEXT:
        return _read_typed_text()
    name, found = st.session_state.get(_READ, ("", []))
    if name != _typed_name():
        return []
    if isinstance(found, ParserscopeError):
        raise found
    return list(found)


def choose(templates: Sequence[NamedTemplate]) -> NamedTemplate:
    """Let the user choose where there are several; the one that requests with tools use comes first."""
    labels = {template.label: template for template in templates}
    first = judged(templates)
    if len(labels) == 1:
        st.session_state["template.one"] = ""
        return first
    if st.session_state["template.one"] not in labels:
        st.session_state["template.one"] = first.label
    st.selectbox(f"One of {len(labels)} templates", list(labels), key="template.one", persist_state="session")
    return labels[st.session_state["template.one"]]


def _draw_text() -> None:
    st.selectbox("Example", list(examples()), key="template.example", on_change=_open_example, persist_state="session")
    st.text_area(
        "Template",
        key="template.text",
        persist_state="session",
        height=360,
        help="Jinja, or the whole of a tokenizer_config.json.",
    )
    st.file_uploader(
        "Open a file",
        type=["jinja", "json", "jinja2", "txt"],
        key="template.file",
        on_change=_open_upload,
        max_upload_size=LARGEST_SOURCE // _MB,
        help="chat_template.jinja or tokenizer_config.json",
    )


def _draw_name() -> None:
    st.text_input(
        "Folder, file or hub name",
        key="template.source",
        persist_state="session",
        placeholder="/models/my-model or org/model",
        help="A model's folder, a folder of templates, one file, or a model on the hub.",
    )
    if st.button("Read", key="template.fetch", type="primary", disabled=not _typed_name()):
        with st.spinner("Reading, or fetching from the hub …"):
            st.session_state[_READ] = (_typed_name(), _fetch(_typed_name()))


def _fetch(name: str) -> list[NamedTemplate] | ParserscopeError:
    try:
        return read_source(name)
    except ParserscopeError as error:
        return error


def _read_typed_text() -> list[NamedTemplate]:
    text = st.session_state["template.text"]
    if len(text) > LARGEST_SOURCE:
        raise TemplateError(f"The text is longer than {LARGEST_SOURCE:,} characters; that is no chat template.")
    return read_text(text, st.session_state["template.example"]) if _is_example() else read_text(text)


def _is_example() -> bool:
    return bool(st.session_state["template.text"] == examples()[st.session_state["template.example"]])


def _typed_name() -> str:
    return str(st.session_state["template.source"]).strip()


def _open_example() -> None:
    _note()
    st.session_state["template.text"] = examples()[st.session_state["template.example"]]


def _open_upload() -> None:
    file: UploadedFile | None = st.session_state["template.file"]
    if file is None:
        return
    try:
        st.session_state["template.text"] = file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _note(f"{file.name} is not UTF-8 text (byte {error.start}); the template before it is kept.")
    else:
        _note()


def _note(*sentences: str) -> None:
    """Say something below the widgets until the next change."""
    st.session_state["template.notices"] = sentences
