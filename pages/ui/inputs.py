"""The widgets of a run -> `RunSettings`.

Every widget has a key, so that an example, a link or a case file can fill all of them: `fill` writes the keys, `read`
reads them, `draw_inputs` draws what is between. `fill` is only for callbacks and for before the widgets are drawn.

Source: issue "Step page"; card ui (5, 9).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.cases import THINKING_KEYS
from pages.ui.links import COMMITS, FINISH_REASONS
from parsers.debug.session import RunSettings
from parsers.errors import RequestError
from parsers.files.jsontext import BadJson, read_json
from parsers.registry import reasoning_names, tool_names
from parsers.tokens import bundled

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
        "raw": settings.raw_output,
        "reasoning": settings.reasoning,
        "tool": settings.tool,
        "tokenizer": settings.tokenizer,
        "prompt": settings.generation_prompt,
        "tools": settings.tools_json,
        "thinking": thinking,
        "arguments": json.dumps(others, ensure_ascii=False) if others else "",
        "cuts": settings.cuts,
        "stop": [escape(stop) for stop in settings.stop],
        "include_stop": settings.include_stop,
        "skip_special": settings.skip_special_tokens,
        "max_tokens": settings.max_tokens,
        "commit": settings.call_commit,
        "text_only": settings.text_only,
        "finish": settings.engine_finish_reason,
    }
    for name, value in values.items():
        st.session_state[_key(name)] = value


def read() -> RunSettings:
    """Return the settings that stand in the widgets.

    Raises:
        RequestError: the template arguments are not a JSON object; says where.
    """
    return RunSettings(
        raw_output=_value("raw"),
        reasoning=_value("reasoning"),
        tool=_value("tool"),
        tokenizer=_value("tokenizer") or bundled.NAME,
        generation_prompt=_value("prompt"),
        tools_json=_value("tools"),
        template_kwargs=_template_arguments(_value("arguments"), THINKING[_value("thinking")]),
        cuts=_value("cuts") or CUTS[0],
        stop=tuple(unescape(stop) for stop in _value("stop")),
        include_stop=_value("include_stop"),
        skip_special_tokens=_value("skip_special"),
        max_tokens=_value("max_tokens"),
        call_commit=_value("commit"),
        text_only=_value("text_only"),
        engine_finish_reason=_value("finish"),
    )


def raw_output() -> str:
    """Return the model output that stands in its box."""
    return str(_value("raw"))


def draw_inputs() -> None:
    """Draw all widgets; `read` then tells what they hold."""
    st.text_area(
        "Model output",
        key=_key("raw"),
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
    with st.expander("Tokens and stream"):
        _draw_stream()


def _draw_prompt() -> None:
    st.text_area(
        "Generation prompt",
        key=_key("prompt"),
        persist_state="session",
        height=70,
        help="The end of the rendered prompt; an open <think> there means that the output begins inside thinking.",
    )
    st.segmented_control(
        "Thinking", list(THINKING), key=_key("thinking"), persist_state="session", required=True
    )
    st.text_input(
        "Other template arguments",
        key=_key("arguments"),
        persist_state="session",
        placeholder='{"reasoning_effort": "high"}',
    )
    st.text_area(
        "Tools (JSON)",
        key=_key("tools"),
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
    st.checkbox("Text only, no token ids", key=_key("text_only"), persist_state="session")
    st.segmented_control("Commit calls", COMMITS, key=_key("commit"), persist_state="session", required=True)
    st.multiselect(
        "Stop strings",
        STOPS,
        key=_key("stop"),
        persist_state="session",
        accept_new_options=True,
        help=r"Type \n for a line end.",
    )
    st.checkbox("Keep the stop string in the output", key=_key("include_stop"), persist_state="session")
    st.checkbox("Skip special tokens", key=_key("skip_special"), persist_state="session")
    st.number_input(
        "Cut after N tokens",
        min_value=1,
        value=None,
        key=_key("max_tokens"),
        persist_state="session",
        placeholder="no limit",
    )
    st.selectbox("Engine's finish reason", FINISH_REASONS, key=_key("finish"), persist_state="session")


def _pick(
    label: str, name: str, known: Sequence[str], hint: str | None = None, optional: bool = False
) -> None:
    """Draw a list of names that also takes another one: whether it can be used is for the run to say."""
    chosen = st.session_state.get(_key(name))
    options = list(known) if chosen is None or chosen in known else [chosen, *known]
    st.selectbox(
        label,
        options,
        key=_key(name),
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
        raise RequestError(
            'The template arguments are not a JSON object, such as {"reasoning_effort": "high"}.'
        )
    return {**others, **switch}


def escape(stop: str) -> str:
    r"""Write line ends and tabs of a stop string as \n, \r, \t: a one-line box cannot hold them."""
    return "".join(_ESCAPED.get(character, character) for character in stop)


def unescape(stop: str) -> str:
    """Undo `escape`; a backslash before anything else stands for itself."""
    return _ESCAPE.sub(lambda match: _MEANT[match[0]], stop)


def _key(name: str) -> str:
    return f"in.{name}"


def _value(name: str) -> Any:
    return st.session_state[_key(name)]
