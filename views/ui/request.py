"""The widgets of a request and its server -> `RequestSettings`, and the list of what is wrong with them.

Like `inputs`: `fill` writes the keys, `read` reads them, `draw` draws what is between.

Source: card 01 (P-24 … P-46), card 05 (S-22, S-35, S-44, S-71); card ui (5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TypeVar

import streamlit as st

from parsers.debug.asked import ABSENT, STRICT_LEVELS, TOOL_CHOICES, RequestSettings, StrictLevelName, forcing
from parsers.errors import ParserscopeError
from parsers.files.tools import read_tools
from parsers.structured.lint import Finding

NOT_SENT, PARSERS_OWN = "not sent", "parser's own"
PARALLEL: Mapping[str, bool | None] = {NOT_SENT: None, "true": True, "false": False}
LEVELS: Mapping[str, StrictLevelName | None] = {PARSERS_OWN: None} | {name.upper(): name for name in STRICT_LEVELS}
MOST_COUNTED = 999
_PLAIN = (
    "include_reasoning", "logprobs", "top_logprobs", "return_token_ids", "include_usage", "continuous_usage",
    "response_format", "history_calls", "auto_tools", "strict_calling", "engine_arguments",
)  # fmt: skip
"""Settings whose widget holds the very value."""
_Value = TypeVar("_Value")


def fill(asked: RequestSettings) -> None:
    """Put settings into the widgets."""
    given = asdict(asked)
    values = {name: given[name] for name in _PLAIN} | {
        "tool_choice": asked.tool_choice,
        "top_logprobs": _counted(asked.top_logprobs),
        "history_calls": _counted(asked.history_calls),
        "parallel": _label(PARALLEL, asked.parallel_tool_calls),
        "strict_level": _label(LEVELS, asked.strict_level),
        "strict_tools": list(asked.strict_tools),
        "loose_tools": list(asked.loose_tools),
    }
    for name, value in values.items():
        st.session_state[_key(name)] = value


def read() -> RequestSettings:
    """Return the settings that stand in the widgets."""
    held = st.session_state
    return RequestSettings(
        **{name: held[_key(name)] for name in _PLAIN},
        tool_choice=held[_key("tool_choice")],
        parallel_tool_calls=PARALLEL[held[_key("parallel")]],
        strict_level=LEVELS[held[_key("strict_level")]],
        strict_tools=tuple(held[_key("strict_tools")]),
        loose_tools=tuple(held[_key("loose_tools")]),
    )


def draw(tools_json: str) -> None:
    """Draw all widgets; functions are offered by their name in the tools."""
    names = _function_names(tools_json)
    _draw_calls(names)
    _draw_what_is_shown()
    st.markdown("**Server**")
    _draw_server(names)


def draw_findings(findings: Sequence[Finding]) -> None:
    """List what loses data and what to do; nothing is drawn when nothing does.

    A finding may quote the user, so it is shown as plain text.
    """
    if not findings:
        return
    with st.container(border=True, key="findings"):
        st.markdown(f":material/rule: **Configuration check** · {len(findings)} found")
        for finding in findings:
            word = ":material/info: Note" if finding.note else ":material/warning: Warning"
            st.markdown(f"{word} · **{finding.rule}**")
            st.text(f"{finding.lost}.\nRemedy: {finding.remedy}.")


def _draw_calls(names: Sequence[str]) -> None:
    choices = _with_chosen([*TOOL_CHOICES, *map(forcing, names)], [st.session_state[_key("tool_choice")]])
    st.selectbox(
        "Tool choice",
        choices,
        key=_key("tool_choice"),
        persist_state="session",
        format_func=_choice_label,
        help="Left out means auto with tools and none without. null is not the same: calls are read and then dropped.",
    )
    _toggle_row("Parallel tool calls", "parallel", PARALLEL, "Only false limits the message to its first call.")
    _count(
        "Earlier calls",
        "history_calls",
        "Tool calls already in the conversation. Some models number their calls from there.",
    )
    st.text_area(
        "Response format (JSON)",
        key=_key("response_format"),
        persist_state="session",
        height=70,
        placeholder='{"type": "json_object"}',
        help="The format the client asks for. With auto it competes with the calls; a forced choice wins over it.",
    )


def _draw_what_is_shown() -> None:
    _check("Include reasoning", "include_reasoning", "Off: reasoning is hidden, and so are all token ids.")
    _check("Log probabilities", "logprobs", "Every chunk spells its tokens.")
    _count("Alternatives for each token", "top_logprobs", "top_logprobs; needs log probabilities.")
    _check("Return token ids", "return_token_ids", "Every chunk carries the ids of its tokens.")
    _check("Usage at the end", "include_usage", "stream_options.include_usage: the last chunk counts tokens.")
    _check("Usage in every chunk", "continuous_usage", "continuous_usage_stats; needs usage at the end.")


def _draw_server(names: Sequence[str]) -> None:
    _check("Auto tool choice", "auto_tools", "Off: the tool parser is never built, and no call reaches the client.")
    _check(
        "Strict tool calling",
        "strict_calling",
        "On: structural tags force the model's own call format. Off: forced calls come as JSON where a parser can.",
    )
    _check(
        "Engine gets the template arguments",
        "engine_arguments",
        "Off: the engine builds the reasoning parser without them, and may start its grammar inside thinking.",
    )
    _toggle_row(
        "Strict level",
        "strict_level",
        LEVELS,
        "How much of a call is constrained at least: AUTO what strict tools ask for, FUNCTION every call's frame, "
        "PARAMETER its arguments too.",
    )
    _pick_tools("Strict tools", "strict_tools", names, "As if the tool said strict: true, whatever it says.")
    _pick_tools("Not strict tools", "loose_tools", names, "As if the tool said strict: false, whatever it says.")


def _check(label: str, name: str, hint: str) -> None:
    st.checkbox(label, key=_key(name), persist_state="session", help=hint)


def _count(label: str, name: str, hint: str) -> None:
    st.number_input(
        label, key=_key(name), persist_state="session", min_value=0, max_value=MOST_COUNTED, step=1, help=hint
    )


def _toggle_row(label: str, name: str, options: Mapping[str, object], hint: str) -> None:
    st.segmented_control(label, list(options), key=_key(name), persist_state="session", required=True, help=hint)


def _pick_tools(label: str, name: str, names: Sequence[str], hint: str) -> None:
    st.multiselect(
        label,
        _with_chosen(names, st.session_state[_key(name)]),
        key=_key(name),
        persist_state="session",
        placeholder="as the tools say",
        help=hint,
    )


def _with_chosen(options: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Keep a choice that is not offered any more: whether it can be used is for the run to say."""
    return list(dict.fromkeys([*options, *chosen]))


def _choice_label(choice: str) -> str:
    function = RequestSettings(tool_choice=choice).forced_function
    if function is not None:
        return f"function {function}"
    return NOT_SENT if choice == ABSENT else choice


def _function_names(tools_json: str) -> list[str]:
    """Names of the functions offered; none while the tools are not valid, which the run says."""
    try:
        return list(dict.fromkeys(tool.name for tool in read_tools(tools_json)))
    except ParserscopeError:
        return []


def _counted(number: int) -> int:
    """Keep a number inside its box, which takes no other."""
    return min(max(number, 0), MOST_COUNTED)


def _label(labels: Mapping[str, _Value], value: _Value) -> str:
    return next(label for label, meant in labels.items() if meant == value)


def _key(name: str) -> str:
    return f"in.{name}"
