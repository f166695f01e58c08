"""The widgets of a run -> `RunSettings`.

Every widget has a key, so that an example, a link or a case file can fill all of them: `fill` writes the
keys, `read` reads them, `draw_inputs` draws what is between. `fill` is only for callbacks and for before the
widgets are drawn.

Source: issue "Step page"; card ui (5, 9).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from parsers.debug.session import RunSettings
from parsers.errors import RequestError
from parsers.files.jsontext import BadJson, read_json
from parsers.registry import reasoning_names, tool_names
from parsers.tokens import bundled
from views.ui import request
from views.ui.cases import THINKING_KEYS
from views.ui.links import COMMITS, COMPOSITIONS, FINISH_REASONS

THINKING: Mapping[str, Mapping[str, object]] = {
    "unset": {},
    "on": dict.fromkeys(THINKING_KEYS, True),
    "off": dict.fromkeys(THINKING_KEYS, False),
}
CUTS = ("token", "one", "special", "every:4", "interval:8", "rand:1:8", "char:0")
STOPS = (r"\n\n", r"\n", "</s>", "Observation:")
_ESCAPED = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\"}
_MEANT = {written: character for character, written in _ESCAPED.items()}
_ESCAPE = re.compile(r"\\[ntr\\]")


def fill(settings: RunSettings) -> None:
    """Put settings into the widgets."""
    thinking, others = split_thinking(settings.template_kwargs)
    values: dict[str, Any] = {
        "in.raw": settings.raw_output,
        "in.reasoning": settings.reasoning,
        "in.tool": settings.tool,
        "in.tokenizer": settings.tokenizer,
        "in.prompt": settings.generation_prompt,
        "in.tools": settings.tools_json,
        "in.thinking": thinking,
        "in.arguments": json.dumps(others, ensure_ascii=False) if others else "",
        "in.cuts": settings.cuts,
        "in.stop": [escape(stop) for stop in settings.stop],
        "in.include_stop": settings.include_stop,
        "in.skip_special": settings.skip_special_tokens,
        "in.max_tokens": settings.max_tokens,
        "in.commit": settings.call_commit,
        "in.composition": settings.composition,
        "in.text_only": settings.text_only,
        "in.finish": settings.engine_finish_reason,
    }
    for name, value in values.items():
        st.session_state[name] = value
    request.fill(settings.request)


def read() -> RunSettings:
    """Return the settings that stand in the widgets.

    Raises:
        RequestError: the template arguments are not a JSON object; says where.
    """
    values = st.session_state
    return RunSettings(
        raw_output=values["in.raw"],
        reasoning=values["in.reasoning"],
        tool=values["in.tool"],
        tokenizer=values["in.tokenizer"] or bundled.NAME,
        generation_prompt=values["in.prompt"],
        tools_json=values["in.tools"],
        template_kwargs=_template_arguments(values["in.arguments"], THINKING[values["in.thinking"]]),
        cuts=values["in.cuts"] or CUTS[0],
        stop=tuple(unescape(stop) for stop in values["in.stop"]),
        include_stop=values["in.include_stop"],
        skip_special_tokens=values["in.skip_special"],
        max_tokens=values["in.max_tokens"],
        call_commit=values["in.commit"],
        composition=values["in.composition"],
        text_only=values["in.text_only"],
        engine_finish_reason=values["in.finish"],
        request=request.read(),
    )


def raw_output() -> str:
    """Return the model output that stands in its box."""
    return str(st.session_state["in.raw"])


def draw_inputs() -> None:
    """Draw all widgets; `read` then tells what they hold."""
    st.text_area(
        "Model output",
        key="in.raw",
        persist_state="session",
        height=170,
        help="The text after the prompt, markers spelled out.",
    )
    _pick("Reasoning parser", "reasoning", reasoning_names(), optional=True)
    _pick("Tool parser", "tool", tool_names(), optional=True)
    _pick(
        "Cuts",
        "cuts",
        CUTS,
        "How the stream is cut into deltas. Also every:N, rand:SEED:MAX, cuts:i,j, char:SEED.",
    )
    with st.expander("Prompt and tools"):
        _draw_prompt()
    with st.expander("Request and server"):
        request.draw(st.session_state["in.tools"])
    with st.expander("Tokens and stream"):
        _draw_stream()


def _draw_prompt() -> None:
    st.text_area(
        "Generation prompt",
        key="in.prompt",
        persist_state="session",
        height=70,
        help="The end of the rendered prompt; after an open <think> the output begins inside thinking.",
    )
    st.segmented_control("Thinking", list(THINKING), key="in.thinking", persist_state="session", required=True)
    st.text_input(
        "Other template arguments",
        key="in.arguments",
        persist_state="session",
        placeholder='{"reasoning_effort": "high"}',
    )
    st.text_area(
        "Tools (JSON)",
        key="in.tools",
        persist_state="session",
        height=130,
        placeholder='[{"type": "function", "function": …}]',
    )


def _draw_stream() -> None:
    _pick(
        "Tokenizer",
        "tokenizer",
        (bundled.NAME,),
        "The bundled one, a local folder, a tokenizer.json or a hub name.",
    )
    st.checkbox("Text only, no token ids", key="in.text_only", persist_state="session")
    st.segmented_control(
        "Composition",
        COMPOSITIONS,
        key="in.composition",
        persist_state="session",
        required=True,
        help="unified: one engine reads both formats. delegating: a reasoning parser and a tool parser driven in eight "
        "phases, as servers do it; the phases tab below the stepper shows them.",
    )
    st.segmented_control("Commit calls", COMMITS, key="in.commit", persist_state="session", required=True)
    st.multiselect(
        "Stop strings",
        STOPS,
        key="in.stop",
        persist_state="session",
        accept_new_options=True,
        help=r"Type \n for a line end.",
    )
    st.checkbox("Keep the stop string in the output", key="in.include_stop", persist_state="session")
    st.checkbox("Skip special tokens", key="in.skip_special", persist_state="session")
    st.number_input(
        "Cut after N tokens",
        min_value=1,
        value=None,
        key="in.max_tokens",
        persist_state="session",
        placeholder="no limit",
    )
    st.selectbox("Engine's finish reason", FINISH_REASONS, key="in.finish", persist_state="session")


def _pick(label: str, name: str, known: Sequence[str], hint: str | None = None, optional: bool = False) -> None:
    """Draw a list of names that also takes another one: whether it can be used is for the run to say."""
    chosen = st.session_state.get(f"in.{name}")
    options = list(known) if chosen is None or chosen in known else [chosen, *known]
    st.selectbox(
        label,
        options,
        key=f"in.{name}",
        persist_state="session",
        index=None if optional else 0,
        placeholder="none",
        accept_new_options=True,
        help=hint,
    )


def split_thinking(arguments: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the position of the thinking switch that is in the arguments, and the other arguments."""
    for position, switch in THINKING.items():
        if switch and switch.items() <= arguments.items():
            return position, {key: value for key, value in arguments.items() if key not in switch}
    return "unset", dict(arguments)


def _template_arguments(text: str, switch: Mapping[str, object]) -> Mapping[str, object]:
    if not text.strip():
        return switch
    try:
        others = read_json(text)
    except BadJson as error:
        raise RequestError(f"The template arguments are not valid JSON: {error}.") from error
    if not isinstance(others, dict):
        raise RequestError('The template arguments are not a JSON object, such as {"reasoning_effort": "high"}.')
    return {**others, **switch}


def escape(stop: str) -> str:
    r"""Write line ends and tabs of a stop string as \n, \r, \t: a one-line box cannot hold them."""
    return "".join(_ESCAPED.get(character, character) for character in stop)


def unescape(stop: str) -> str:
    """Undo `escape`; a backslash before anything else stands for itself."""
    return _ESCAPE.sub(lambda match: _MEANT[match[0]], stop)
