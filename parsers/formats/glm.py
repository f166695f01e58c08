r"""GLM-4.5 and later, Ling 3 and Laguna: think tags, and calls written as a name with tagged keys and values.

    turn = [ ["\n"] ["<think>"] reasoning "</think>" ] ["\n"] content { call content }
    call = "<tool_call>" NAME { ws pair } ws "</tool_call>"
    pair = "<arg_key>" KEY "</arg_key>" ws "<arg_value>" VALUE "</arg_value>"

GLM-4.5 and Ling put newlines around the pieces, later models none. Name and key are stripped, a value is verbatim and
typed by the tool's schema. Inside a value only `</arg_value>` is a marker, so tags quoted there stay data. Calls of
functions the request does not have come back as text.

poolside_v1 is the same wire format: thinking is off by default, names are not checked, a value without a schema is read
as JSON or a Python literal, and text keeps its white space. hunyuan.py wraps such calls in a section.

Source: glm.md, poolside.md, think-tags.md.
"""

from __future__ import annotations

from parsers.engine.config import STRIP, STRIP_EDGES, ParserEngineConfig, Row, Switch, Trim
from parsers.formats.base import T_START, S, pair_rows, pair_terminals, think
from parsers.formats.context import RunContext

_KWARGS = ("thinking", "enable_thinking")
_GLM_TURNS = ("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>")
_LING_TURNS = ("<role>ASSISTANT</role>", "<|role_end|>")
_CALL, _KEY, _VALUE = ("<tool_call>", "</tool_call>"), ("<arg_key>", "</arg_key>"), ("<arg_value>", "</arg_value>")
_NO_SWITCH = ("[gMASK]<sop>", "Reasoning Effort:", "<tool_call>")  # what the GLM-5.3 template has …
_SWITCH = "enable_thinking"  # … and what it lacks

ling3_think = think(
    "ling3",
    switch=Switch(_KWARGS, off_is_identity=True),
    trim=STRIP_EDGES,
    content_trim=STRIP,
    turns=_LING_TURNS,
    special=("<|role_end|>",),
)
glm_think = ling3_think.but(name="glm", turn_boundaries=_GLM_TURNS, special=_GLM_TURNS)
always_thinking = glm_think.but(name="glm5.3", switch=Switch())
poolside_think = think(
    "poolside_v1",
    switch=Switch(_KWARGS, default=False, off_is_identity=True),
    content_trim=Trim(blank="null"),
    turns=("<assistant>",),
    special=("<assistant>", "</assistant>"),
    required=("<think>", "</think>", "<assistant>"),
)

glm_tools = ParserEngineConfig(
    name="glm",
    tokens=(*_CALL, *_KEY, *_VALUE),
    terminals=pair_terminals(_CALL, _KEY, _VALUE, after_call=("<tool_call>",)),
    rows=(
        Row(S.CONTENT, "TOOL_START", S.TOOL_NAME, (T_START,)),
        *pair_rows(S.CONTENT),
        Row(S.CONTENT, "TOOL_END", S.CONTENT, (), "`</tool_call>` alone: closes nothing", True),
    ),
    content_trim=STRIP,
    special=_GLM_TURNS,
    turn_boundaries=_GLM_TURNS,
    unknown_names="text",
)
ling3_tools = glm_tools.but(name="ling3", special=("<|role_end|>",), turn_boundaries=_LING_TURNS)
poolside_tools = glm_tools.but(
    name="poolside_v1",
    content_trim=Trim(blank="null"),
    special=("</assistant>",),
    turn_boundaries=("<assistant>",),
    unknown_names="keep",
    untyped="literal",
    name_pattern=r"(?P<name>[^\n]*)(?:\n.*)?",
)


def glm(context: RunContext) -> ParserEngineConfig:
    """Reasoning of GLM; the GLM-5.3 template has no switch, so template arguments that name one mean nothing."""
    template = context.tokenizer_settings.get("chat_template")
    if isinstance(template, str) and _SWITCH not in template and all(part in template for part in _NO_SWITCH):
        return always_thinking
    return glm_think
