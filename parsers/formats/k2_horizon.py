"""K2 Horizon: think tags by effort, and one group of calls that counts as a whole or not at all.

    turn  = [ "<ifm|think>" ] reasoning "</ifm|think>" content [ group ] content
    group = "<ifm|tool_calls>" ws call { ws call } ws "</ifm|tool_calls>"
    call  = "<ifm|tool_call>" ws ( NAME { ws pair } | OBJECT ) ws "</ifm|tool_call>"
    pair  = "<ifm|arg_key>" KEY "</ifm|arg_key>" ws [ type ws ] "<ifm|arg_value>" VALUE "</ifm|arg_value>"
    type  = "<ifm|arg_type>" TYPE "</ifm|arg_type>"

Medium and low effort spell the think tags `think_fast` and `think_faster`; any of them counts. The template argument
`tool_call_format` says what calls are: `xml` without types, `xml_typed` with them, or `json` objects. Calls show when
the group closes. A group with anything else in it (an unknown name, a key twice, text between tags) comes back as text.
Not related to Kimi K2; hunyuan.py has a more forgiving relative. Source: k2-horizon.md.
"""

from __future__ import annotations

from collections.abc import Collection

from parsers.args.params import ValueRules
from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    FEED,
    GIVE_BACK,
    OTHER,
    SPACES,
    Body,
    ParserEngineConfig,
    Row,
    Switch,
    Trim,
)  # fmt: skip
from parsers.errors import RequestError
from parsers.formats.base import T_END, T_START, S, terminal, think
from parsers.formats.context import RunContext

_EFFORTS = {"high": "think", "medium": "think_fast", "low": "think_faster"}
_OPENERS = tuple(f"<ifm|{word}>" for word in _EFFORTS.values())
_CLOSERS = tuple(f"</ifm|{word}>" for word in _EFFORTS.values())
_GROUP = ("<ifm|tool_calls>", "</ifm|tool_calls>")
_CALL = ("<ifm|tool_call>", "</ifm|tool_call>")
_KEY = ("<ifm|arg_key>", "</ifm|arg_key>")
_TYPE = ("<ifm|arg_type>", "</ifm|arg_type>")
_VALUE = ("<ifm|arg_value>", "</ifm|arg_value>")
_JSON_TYPES = ("integer", "number", "boolean", "object", "array", "null")
_TRIM = Trim(blank="null")

_REFUSED = (GIVE_BACK, FEED)

horizon_think = think("k2_horizon", switch=Switch(), content_trim=_TRIM).but(
    terminals={"THINK_START": terminal(*_OPENERS), "THINK_END": terminal(*_CLOSERS)},
    tokens=(*_OPENERS, *_CLOSERS),
    required=(*_OPENERS, *_CLOSERS),
    prompt_open=_OPENERS,
    prompt_closed=(*_CLOSERS, _GROUP[0]),
)


def _group(name: str, rows: tuple[Row, ...], **markers: str) -> ParserEngineConfig:
    """A table for one kind of call.

    Args:
        rows: those inside a call, and those that open it.
        markers: their terminals besides TOOL_START and TOOL_END, by name.
    """
    spellings = {"GROUP_START": _GROUP[0], "GROUP_END": _GROUP[1], "TOOL_START": _CALL[0], "TOOL_END": _CALL[1]}
    return ParserEngineConfig(
        name=name,
        tokens=(*_GROUP, *_CALL, *_KEY, *_TYPE, *_VALUE),
        terminals={marker: terminal(spelling) for marker, spelling in (spellings | markers).items()},
        rows=(
            Row(S.CONTENT, "GROUP_START", S.TOOL_PREAMBLE),
            *rows,
            Row(S.TOOL_BETWEEN, "GROUP_END", S.CONTENT),
            # recovery
            Row(S.TOOL_PREAMBLE, "GROUP_END", S.CONTENT, _REFUSED, "`<ifm|tool_calls></ifm|tool_calls>`: empty", True),
            Row(S.TOOL_PREAMBLE, OTHER, S.BROKEN, (GIVE_BACK,), "`<ifm|tool_calls>text`", True),
            Row(S.TOOL_BETWEEN, OTHER, S.BROKEN, (GIVE_BACK,), "`</ifm|tool_call>text`", True),
            Row(S.TOOL_ARGS, OTHER, S.BROKEN, (GIVE_BACK,), "`</ifm|arg_value>text` or `{…}text`", True),
            Row(S.TOOL_ARGS, "GROUP_END", S.CONTENT, _REFUSED, "`{…}</ifm|tool_calls>`: the call is not closed", True),
            Row(S.BROKEN, "GROUP_END", S.CONTENT, (FEED,), "`<ifm|tool_calls>text</ifm|tool_calls>`: all text", True),
        ),
        content_trim=_TRIM,
        name_pattern=r"(?P<name>\S+)",
        declared_types={"string": "string", "any": "string"} | dict.fromkeys(_JSON_TYPES, "json"),
        values=ValueRules(schema_first=True),
        unknown_names="text",
        unique_keys=True,
        whole_regions=True,
    )


def _tagged(name: str, after_key: str, value_state: str, *typed: Row, **markers: str) -> ParserEngineConfig:
    """Calls of tagged pairs.

    Args:
        after_key: what a key's closer leads to, after white space; `value_state` is the state for it.
        typed: rows of a type.
        markers: their terminals.
    """
    rows = (
        Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "KEY_START", S.ARG_KEY),
        Row(S.TOOL_NAME, "TOOL_END", S.TOOL_BETWEEN, (T_END,)),
        Row(S.ARG_KEY, "KEY_END", value_state),
        *typed,
        Row(S.ARG_VALUE, "VALUE_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "KEY_START", S.ARG_KEY),
        Row(S.TOOL_ARGS, "TOOL_END", S.TOOL_BETWEEN, (T_END,)),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "GROUP_END", S.CONTENT, _REFUSED, "`<ifm|tool_call>f</ifm|tool_calls>`", True),
        Row(S.ARG_KEY, "GROUP_END", S.CONTENT, _REFUSED, "`<ifm|arg_key>k</ifm|tool_call></ifm|tool_calls>`", True),
    )
    key_end = f"{_KEY[1]}{SPACES}{after_key}"
    return _group(name, rows, KEY_START=_KEY[0], KEY_END=key_end, VALUE_END=_VALUE[1], **markers)


horizon_xml = _tagged("k2_horizon", _VALUE[0], S.ARG_VALUE)
horizon_xml_typed = _tagged(
    "k2_horizon_typed",
    _TYPE[0],
    S.ARG_TYPE,
    Row(S.ARG_TYPE, "TYPE_END", S.ARG_VALUE),
    Row(S.ARG_TYPE, "GROUP_END", S.CONTENT, _REFUSED, "`<ifm|arg_type>string</ifm|tool_calls>`: no value", True),
    TYPE_END=f"{_TYPE[1]}{SPACES}{_VALUE[0]}",
)
horizon_json = _group(
    "k2_horizon_json",
    (
        Row(S.TOOL_PREAMBLE, "TOOL_START", S.TOOL_OBJECT),
        Row(S.TOOL_OBJECT, BODY_END, S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "TOOL_END", S.TOOL_BETWEEN),
        Row(S.TOOL_BETWEEN, "TOOL_START", S.TOOL_OBJECT),
        Row(S.TOOL_OBJECT, BODY_BAD, S.BROKEN, (GIVE_BACK,), "`<ifm|tool_call>not JSON`", True),
        Row(S.TOOL_OBJECT, "TOOL_END", S.BROKEN, (GIVE_BACK,), '`{"name": "f"</ifm|tool_call>`: no brace', True),
        Row(S.TOOL_OBJECT, "GROUP_END", S.CONTENT, _REFUSED, '`{"name": "f"</ifm|tool_calls>`', True),
    ),
).but(bodies={S.TOOL_OBJECT: Body("calls")})
_FORMATS = {"xml": horizon_xml, "xml_typed": horizon_xml_typed, "json": horizon_json}


def reasoning(context: RunContext) -> ParserEngineConfig:
    """Reasoning for one request.

    Raises:
        RequestError: an effort the model does not have.
    """
    _chosen(context, "reasoning_effort", _EFFORTS, "high")
    return horizon_think


def tools(context: RunContext) -> ParserEngineConfig:
    """Tools for one request.

    Raises:
        RequestError: a call format the model does not have.
    """
    return _FORMATS[_chosen(context, "tool_call_format", _FORMATS, "xml")]


def _chosen(context: RunContext, argument: str, known: Collection[str], default: str) -> str:
    value = context.template_kwargs.get(argument, default)
    if not isinstance(value, str) or value not in known:
        raise RequestError(f"The template argument {argument} is {value!r}; k2_horizon knows {', '.join(known)}.")
    return value
