"""K2 Horizon: card k2-horizon.md, every way a text can arrive."""

import re

import pytest

from parsers.errors import RequestError
from parsers.registry import build_parser
from tests.every_cut import Fields, Setup, everywhere

TOOLS = {
    "f": {
        "n": {"type": "integer"},
        "s": {"type": "string"},
        "u": {"type": ["integer", "string"]},
        "o": {"type": "object"},
    },
    "now": {},
}
CALL, END = "<ifm|tool_call>", "</ifm|tool_call>"


def horizon(call_format="xml", **changes):
    return Setup("k2_horizon", "k2_horizon", TOOLS, kwargs={"tool_call_format": call_format}, **changes)


def group(*calls):
    return f"<ifm|tool_calls>{''.join(f'{CALL}{call}{END}' for call in calls)}</ifm|tool_calls>"


def pair(key, value, kind=""):
    kind = f"<ifm|arg_type>{kind}</ifm|arg_type>" if kind else ""
    return f"<ifm|arg_key>{key}</ifm|arg_key>{kind}<ifm|arg_value>{value}</ifm|arg_value>"


NOW = group("now")


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            horizon(),
            f"Plan.</ifm|think>Ok{group('f' + pair('n', ' 4 '))}",
            Fields("Plan.", "Ok", (("f", {"n": 4}),)),
            id="example 1",
        ),
        pytest.param(
            Setup(
                "k2_horizon", "k2_horizon", TOOLS, kwargs={"reasoning_effort": "low", "tool_call_format": "json"}
            ),
            '</ifm|think_faster><ifm|tool_calls><ifm|tool_call>{"name": "now"}</ifm|tool_call></ifm|tool_calls>',
            Fields(None, None, (("now", {}),)),
            id="example 2, low effort and JSON",
        ),
        pytest.param(
            horizon(),
            f"<ifm|think_fast>é🙂</ifm|think_fast>h🙂{group('f' + pair('s', ' 日🙂 ') + pair('o', '[1]'), 'now')}tail",
            Fields("é🙂", "h🙂tail", (("f", {"s": " 日🙂 ", "o": [1]}), ("now", {}))),
            id="medium effort, two calls, text around the group is joined",
        ),
        pytest.param(
            horizon(),
            "</ifm|think>\n<ifm|tool_calls>\n<ifm|tool_call>\nf\n<ifm|arg_key>n</ifm|arg_key>\n"
            "<ifm|arg_value>1</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>\n",
            Fields(None, None, (("f", {"n": 1}),)),
            id="white space between the pieces, blank content is null",
        ),
        pytest.param(
            horizon("xml_typed"),
            f"</ifm|think>{group('f' + pair('u', '5', 'String') + pair('n', '6', 'string') + pair('z', '7', 'any'))}",
            Fields(None, None, (("f", {"u": "5", "n": 6, "z": "7"}),)),
            id="typed: a type decides between several or none, else the schema",
        ),
        pytest.param(
            horizon("xml_typed"),
            f"</ifm|think>{group('f' + pair('z', '[1, 2]', 'array[integer]') + pair('u', '5', 'integer'))}",
            Fields(None, None, (("f", {"z": [1, 2], "u": 5}),)),
            id="typed: only what is before the bracket counts",
        ),
        pytest.param(
            horizon("json"),
            '</ifm|think><ifm|tool_calls> <ifm|tool_call> {"name": "f", "arguments": {"s": "</ifm|tool_call>"}} '
            "</ifm|tool_call> </ifm|tool_calls>",
            Fields(None, None, (("f", {"s": "</ifm|tool_call>"}),)),
            id="json: a closer in a string is data",
        ),
        pytest.param(horizon(), f"r{NOW}", Fields("r", None, (("now", {}),)), id="a group in open thinking ends it"),
        pytest.param(
            horizon(),
            f"</ifm|think>{NOW}x{NOW}",
            Fields(None, "x", (("now", {}), ("now", {}))),
            id="a second group is parsed too",
        ),
        pytest.param(horizon(), "rrr", Fields("rrr", None), id="R-TRUNC: no closer, all reasoning"),
        pytest.param(
            horizon(prompt="<ifm|think_fast>"), "r</ifm|think_fast>x", Fields("r", "x"), id="R-PROMPT: open"
        ),
        pytest.param(horizon(prompt="<ifm|think></ifm|think>"), "x", Fields(None, "x"), id="R-PROMPT: closed"),
        pytest.param(
            Setup("k2_horizon", None), f"r</ifm|think>{NOW}", Fields("r", NOW), id="reasoning only: a group is content"
        ),
    ],
)
def test_grammar(setup, text, expected):
    assert everywhere(setup, text) == expected


def json_group(body):
    return f"<ifm|tool_calls>{CALL}{body}</ifm|tool_calls>"


@pytest.mark.parametrize(
    ("call_format", "bad"),
    [
        pytest.param("xml", group("now", "nope"), id="unknown name"),
        pytest.param("xml", group("now", " "), id="blank name"),
        pytest.param("xml", group("now", "now and then"), id="name with spaces"),
        pytest.param("xml", group("f" + pair("s", "A") + pair("s", "B")), id="duplicate key"),
        pytest.param("xml", group("f" + pair("s", "A", "string")), id="unexpected type"),
        pytest.param("xml_typed", group("f" + pair("s", "A")), id="missing type"),
        pytest.param("xml", group("f" + pair("s", "A") + "junk" + pair("n", 1)), id="junk between pairs"),
        pytest.param("xml", group("f" + pair("s", "A") + "junk"), id="junk after pairs"),
        pytest.param("xml", "<ifm|tool_calls>junk</ifm|tool_calls>", id="junk in the group"),
        pytest.param("xml", f"<ifm|tool_calls>{CALL}now{END}junk</ifm|tool_calls>", id="junk after a call"),
        pytest.param("xml", "<ifm|tool_calls></ifm|tool_calls>", id="empty group"),
        pytest.param("xml", f"<ifm|tool_calls>{CALL}now</ifm|tool_calls>", id="call not closed"),
        pytest.param("xml", f"<ifm|tool_calls>{CALL}f<ifm|arg_key>s{END}</ifm|tool_calls>", id="key not closed"),
        pytest.param("json", json_group("not JSON" + END), id="json: no object"),
        pytest.param("json", json_group('{"name": "now"' + END), id="json: no brace"),
        pytest.param("json", json_group('{"name": "now"}'), id="json: call not closed"),
        pytest.param("json", json_group('{"name": "nope"}' + END), id="json: unknown name"),
        pytest.param("json", json_group('{"name": "now"}x' + END), id="json: junk after the object"),
    ],
)
def test_a_group_with_anything_wrong_is_text_as_a_whole(call_format, bad):
    """k2-horizon.md, Arguments: strict."""
    assert everywhere(horizon(call_format), f"r</ifm|think>a{bad}b") == Fields("r", f"a{bad}b")


@pytest.mark.parametrize("inner", [END, "</ifm|tool_calls>", "<ifm|arg_key>", "</ifm|think>", "<ifm|tool_calls>"])
def test_marker_tokens_in_a_value_are_data(inner):
    text = f"</ifm|think>{group('f' + pair('s', f'a {inner} b'))}after"
    assert everywhere(horizon(), text) == Fields(None, "after", (("f", {"s": f"a {inner} b"}),))


def test_a_group_cut_off_anywhere_is_no_call_and_leaks_no_markup():
    """T-FIX: the group is all or nothing, earlier calls in it included."""
    text = f"ok</ifm|think>Hi{group('now', 'f' + pair('s', 'a b') + pair('n', 12))}"
    ends = [match.end() for match in re.finditer("<[^>]*>|.", text)]
    for end in ends[ends.index(text.index("<ifm|tool_calls>") + len("<ifm|tool_calls>")) : -1]:
        for policy in ("incremental", "on_close"):
            got = everywhere(horizon(call_commit=policy), text[:end], text_only=False)
            assert (got.reasoning, got.content, got.calls, got.cut_calls) == ("ok", "Hi", (), ()), text[:end]


@pytest.mark.parametrize(
    "kwargs", [{"reasoning_effort": "none"}, {"tool_call_format": "yaml"}, {"tool_call_format": 1}]
)
def test_unknown_template_arguments_are_refused(kwargs):
    with pytest.raises(RequestError, match="k2_horizon knows"):
        build_parser("k2_horizon", "k2_horizon", None, template_kwargs=kwargs)
