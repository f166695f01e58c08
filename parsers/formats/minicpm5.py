"""OpenBMB MiniCPM5: calls as XML elements.

    turn = content { call content }
    call = '<function name="' NAME '">' ws [ "<arguments>" ] { param ws } [ "</arguments>" ] ws "</function>"
    param = '<param name="' KEY '">' VALUE "</param>"                      quotes of either kind

VALUE is XML text, with entities and CDATA sections; in a CDATA section tags are data. A space of a tag may show as `Ġ`,
its undecoded token. The whole call is checked at its end, so it appears at once; a call of an unknown function, with a
key twice or without a required one is text. dots' invokes are the nearest relative. Thinking is another format's.

Source: minicpm5.md.
"""

from __future__ import annotations

from parsers.args.params import ValueRules
from parsers.engine.config import SPACES, STRIP, ParserEngineConfig, Row
from parsers.formats.base import T_END, T_START, S, terminal

minicpm5 = ParserEngineConfig(
    name="minicpm5",
    terminals={
        "CALL_START": terminal(f"<function{SPACES}name{SPACES}=", "<functionĠname="),
        "NAME_END": terminal(">"),
        "NO_BODY": terminal(f"/{SPACES}>"),
        "PARAM_START": terminal(f"<param{SPACES}name{SPACES}=", "<paramĠname="),
        "KEY_END": terminal(">"),
        "NAMELESS": terminal("<param>"),
        "PARAM_END": terminal("</param>"),
        "CALL_END": terminal("</function>"),
    },
    rows=(
        Row(S.CONTENT, "CALL_START", S.TOOL_NAME, (T_START,)),
        Row(S.TOOL_NAME, "NAME_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "PARAM_START", S.ARG_KEY),
        Row(S.ARG_KEY, "KEY_END", S.ARG_VALUE),
        Row(S.ARG_VALUE, "PARAM_END", S.TOOL_ARGS),
        Row(S.TOOL_ARGS, "CALL_END", S.CONTENT, (T_END,)),
        # recovery
        Row(S.TOOL_NAME, "NO_BODY", S.CONTENT, (T_END,), '`<function name="f"/>`: an element without content', True),
        Row(S.TOOL_NAME, "CALL_END", S.CONTENT, (T_END,), '`<function name="f"</function>`: the tag has no end', True),
        Row(S.ARG_VALUE, "PARAM_START", S.ARG_KEY, (), '`v<param name="k">`: no `</param>`', True),
        Row(S.ARG_VALUE, "CALL_END", S.CONTENT, (T_END,), "`v</function>`: no `</param>`", True),
        Row(S.TOOL_ARGS, "NAMELESS", S.ARG_VALUE, (), "`<param>v</param>`: a parameter without a name", True),
    ),
    name_pattern=r"""\s*(?P<quote>["'])(?P<name>.*?)(?P=quote).*""",
    key_pattern=r"""(?:\s*(?P<quote>["'])(?P<key>.*?)(?P=quote))?.*""",
    values=ValueRules(xml=True, wrappers=("arguments", "properties")),
    untyped="literal",
    unknown_names="text",
    whole_regions=True,
    content_trim=STRIP,
)
