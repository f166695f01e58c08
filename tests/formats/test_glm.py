"""GLM, Ling 3 and Laguna: cards glm.md and poolside.md, every way a text can arrive."""

import pytest

from parsers.formats.context import RunContext
from parsers.formats.glm import always_thinking, glm, glm_think
from parsers.registry import build_parser
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Fields, Setup, everywhere

TOOLS = {
    "f": {"n": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": "object"}, "b": {"type": "boolean"}},
    "g": {"s": {"type": "string"}},
    "now": {},
}


NESTED = '{"a": [1, {"b": null}]}'
PYTHON = "{'a': 1}"


def glm47(**changes):
    return Setup("glm47", "glm47", TOOLS, **changes)


def poolside(**changes):
    return Setup("poolside_v1", "poolside_v1", TOOLS, kwargs={"thinking": True}, **changes)


def pair(key, value):
    return f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            glm47(),
            f"Look.</think>Ok<tool_call>f{pair('n', 3)}{pair('s', 3)}</tool_call>",
            Fields("Look.", "Ok", (("f", {"n": 3, "s": "3"}),)),
            id="glm example 1, values by schema",
        ),
        pytest.param(
            Setup("glm45", "glm45", TOOLS),
            "\n<think>a</think>\n<tool_call>now\n</tool_call>\nBye",
            Fields("a", "Bye", (("now", {}),)),
            id="glm example 2, newlines are markup",
        ),
        pytest.param(
            Setup("ling3", "ling3", TOOLS),
            "a</think><tool_call>g\n<arg_key>s</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
            Fields("a", None, (("g", {"s": "x"}),)),
            id="ling3 writes newlines between the pieces",
        ),
        pytest.param(
            glm47(),
            f"</think><tool_call>f{pair('s', '  Beijing  ')}{pair('n', ' 4 ')}</tool_call>",
            Fields(None, None, (("f", {"s": "  Beijing  ", "n": 4}),)),
            id="strings keep their spaces, numbers do not",
        ),
        pytest.param(
            glm47(),
            f"</think><tool_call>f{pair('zz', 'true')}</tool_call>",
            Fields(None, None, (("f", {"zz": "true"}),)),
            id="a key without a schema is a string",
        ),
        pytest.param(
            glm47(),
            f"</think><tool_call>f{pair('s', 'A')}{pair('s', 'B')}</tool_call>",
            Fields(None, None, (("f", {"s": "A"}),)),
            id="C-DUP: the first value wins",
        ),
        pytest.param(
            glm47(),
            f"</think>C<tool_call>now</tool_call> T <tool_call>f{pair('o', NESTED)}</tool_call>",
            Fields(None, "C T", (("now", {}), ("f", {"o": {"a": [1, {"b": None}]}}))),
            id="W-AFTER: parallel calls, text between them stays",
        ),
        pytest.param(
            glm47(),
            f"é🙂</think>🙂<tool_call>g{pair('s', '日本🙂')}</tool_call>",
            Fields("é🙂", "🙂", (("g", {"s": "日本🙂"}),)),
            id="emoji before markers",
        ),
        pytest.param(
            poolside(),
            "ok</think>Hi <tool_call>f\n<arg_key>s</arg_key>\n<arg_value> x </arg_value>\n</tool_call>",
            Fields("ok", "Hi ", (("f", {"s": " x "}),)),
            id="poolside example 1, content keeps its white space",
        ),
        pytest.param(
            Setup("poolside_v1", "poolside_v1", TOOLS),
            f"<tool_call>f{pair('o', PYTHON)}{pair('zz', 'True')}{pair('y', '3')}</tool_call>",
            Fields(None, None, (("f", {"o": {"a": 1}, "zz": True, "y": 3}),)),
            id="poolside example 2, Python literals",
        ),
        pytest.param(
            poolside(),
            f"</think><tool_call>other\nnoise{pair('s', 'x')}{pair('', 'y')}</tool_call>\n",
            Fields(None, None, (("other", {"s": "x"}),)),
            id="poolside: a name ends at its line, is not checked, an empty key is dropped",
        ),
        pytest.param(
            Setup("poolside_v1", None),
            "r</think>C",
            Fields(None, "r</think>C"),
            id="poolside: off by default, tags are text",
        ),
    ],
)
def test_grammar(setup, text, expected):
    assert everywhere(setup, text) == expected


CALL = f"<tool_call>g{pair('s', 'x')}</tool_call>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"thinking{CALL}", Fields("thinking", None, (("g", {"s": "x"}),)), id="R-TOOL: call inside thinking"
        ),
        pytest.param(f"a</think>b</think>c{CALL}", Fields("a", "bc", (("g", {"s": "x"}),)), id="R-REPEAT"),
        pytest.param(f"a</think></tool_call>b{CALL}", Fields("a", "b", (("g", {"s": "x"}),)), id="closer alone"),
        pytest.param(
            f"</think><tool_call>g{pair('s', 'A')}{CALL}",
            Fields(None, None, (("g", {"s": "A"}), ("g", {"s": "x"}))),
            id="glm.md: no closer before the next call, two calls",
        ),
        pytest.param(
            f"</think><tool_call><tool_call>now{CALL}",
            Fields(None, None, (("now", {}), ("g", {"s": "x"}))),
            id="an opener inside a name starts anew",
        ),
        pytest.param(
            "</think><tool_call>g<arg_key>s</arg_key><arg_value>last</tool_call>",
            Fields(None, None, (("g", {"s": "last"}),)),
            id="fixture: no `</arg_value>` before the end",
        ),
        pytest.param(
            f"</think><tool_call>g<arg_key>s</arg_key><arg_value>last</tool_call>\n{CALL}",
            Fields(None, None, (("g", {"s": "last"}), ("g", {"s": "x"}))),
            id="no `</arg_value>` before the next call",
        ),
        pytest.param(
            "</think><tool_call>g<arg_key>s<arg_value>x</arg_value></tool_call>",
            Fields(None, None, (("g", {"s": "x"}),)),
            id="no `</arg_key>`",
        ),
        pytest.param(
            f"</think><tool_call>f<arg_key>n</arg_key>{pair('s', 'x')} and {pair('b', 1)}</tool_call>",
            Fields(None, None, (("f", {"s": "x", "b": True}),)),
            id="a key without a value, text between tags",
        ),
        pytest.param(
            "</think><tool_call>g<arg_key>s</tool_call>Bye", Fields(None, "Bye", (("g", {}),)), id="only a key"
        ),
        pytest.param(
            f"</think>A<tool_call>nope{pair('s', 'x')}</tool_call>B{CALL}",
            Fields(None, f"A<tool_call>nope{pair('s', 'x')}</tool_call>B", (("g", {"s": "x"}),)),
            id="an unknown function is text",
        ),
        pytest.param("</think><tool_call></tool_call>x", Fields(None, "x"), id="an empty call is no call"),
        pytest.param("only thinking", Fields("only thinking", None), id="R-TRUNC"),
    ],
)
def test_recovery(text, expected):
    assert everywhere(glm47(), text) == expected


@pytest.mark.parametrize("inner", ["<tool_call>", "</tool_call> x", "<arg_key>k</arg_key>", "<think>", "</think>"])
def test_marker_tokens_in_a_value_are_data(inner):
    """Fixtures glm45/47-marker-in-arguments: only `</arg_value>` ends a value."""
    text = f"</think><tool_call>g{pair('s', f'a {inner} b')}</tool_call>after"
    assert everywhere(glm47(), text) == Fields(None, "after", (("g", {"s": f"a {inner} b"}),))


def test_markers_spelled_in_ordinary_tokens_are_text():
    """E-22: a marker that is a token of the vocabulary counts only by its id."""
    entries = ["write", " <", "tool_call", "> and ", "</", "think", ">", "</think>", "say <", "tool_call", ">"]
    tokenizer = TextTokenizer(entries, ["<think>", "</think>", "<tool_call>", "</tool_call>"])
    parsed = build_parser("glm47", "glm47", tokenizer).parse("".join(entries), tokenizer.ids)
    assert (parsed.reasoning, parsed.content, parsed.tool_calls) == (
        "write <tool_call> and </think>", "say <tool_call>", []
    )  # fmt: skip


CUT = "ok</think>Hi<tool_call>f<arg_key>s</arg_key><arg_value>a b</arg_value><arg_key>n</arg_key><arg_value>12"


@pytest.mark.parametrize("end", range(CUT.index("<tool"), len(CUT) + 1))
def test_a_call_cut_off_anywhere_is_no_call_and_leaks_no_markup(end):
    """T-FIX, T-27."""
    got = everywhere(glm47(call_commit="on_close"), CUT[:end], text_only=False)
    assert (got.reasoning, got.calls) == ("ok", ())
    assert got.content == "Hi" or CUT[:end].endswith(got.content[2:])
    assert everywhere(glm47(), CUT[:end], text_only=False).calls == ()


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        pytest.param(glm47(kwargs={"enable_thinking": False}), (None, "a</think>b"), id="off: tags are text"),
        pytest.param(
            glm47(kwargs={"enable_thinking": False, "thinking": True}), ("a", "b"), id="false and true: on"
        ),
        pytest.param(
            glm47(kwargs={"enable_thinking": True}, prompt="<|assistant|></think>"),
            (None, "a</think>b"),
            id="R-PROMPT: closed",
        ),
        pytest.param(
            glm47(kwargs={"enable_thinking": False}, prompt="<|assistant|><think>"), ("a", "b"), id="R-PROMPT: open"
        ),
        pytest.param(
            glm47(prompt="<|assistant|>x</think>y<|user|>hi<|assistant|>"), ("a", "b"), id="R-PROMPT: an earlier turn"
        ),
        pytest.param(
            poolside(prompt="<assistant>r</think>x</assistant><user>hi</user><assistant>"),
            ("a", "b"),
            id="poolside: the scan stops at <assistant>",
        ),
        pytest.param(
            Setup("poolside_v1", None, prompt="<assistant><think>"), ("a", "b"), id="poolside: an open prompt is on"
        ),
    ],
)
def test_when_the_model_thinks(setup, expected):
    got = everywhere(setup, "a</think>b")
    assert (got.reasoning, got.content) == expected


def test_one_half_alone_leaves_the_other_halfs_markup_in_content():
    """INDEX-2 feature 20."""
    assert everywhere(Setup("glm47", None), f"a</think>b{CALL}") == Fields("a", f"b{CALL}")
    assert everywhere(Setup(None, "glm47", TOOLS), f"a</think>b{CALL}") == Fields(
        None, "a</think>b", (("g", {"s": "x"}),)
    )


@pytest.mark.parametrize(
    ("template", "chosen"),
    [
        pytest.param("[gMASK]<sop> Reasoning Effort: <tool_call>", always_thinking, id="GLM-5.3: no switch"),
        pytest.param("[gMASK]<sop> Reasoning Effort: <tool_call> enable_thinking", glm_think, id="has a switch"),
        pytest.param("[gMASK]<sop> enable_thinking", glm_think, id="older"),
        pytest.param(None, glm_think, id="unknown template"),
    ],
)
def test_a_template_without_a_switch_always_thinks(template, chosen):
    assert glm(RunContext(tokenizer_settings={"chat_template": template})) is chosen


def test_without_tools_every_name_is_known():
    assert everywhere(Setup("glm47", "glm47"), f"</think>{CALL}") == Fields(None, None, (("g", {"s": "x"}),))
