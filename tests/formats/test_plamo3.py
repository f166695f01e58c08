"""PLaMo 3: card plamo3.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

PLAMO = Setup("plamo3", "plamo3")
ON_CLOSE = Setup("plamo3", "plamo3", call_commit="on_close")
JSON = "<|plamo:constrain|>json"
MSG = "<|plamo:msg|>"


def begin(name):
    return f"<|plamo:begin_{name}:plamo|>"


def end(name):
    return f"<|plamo:end_{name}:plamo|>"


def name_tag(name):
    return begin("tool_name") + name + end("tool_name")


def arguments_tag(arguments, constrain=JSON):
    return begin("tool_arguments") + constrain + MSG + arguments + end("tool_arguments")


def request(*parts):
    return begin("tool_request") + "".join(parts) + end("tool_request")


def section(*requests):
    return begin("tool_requests") + "".join(requests) + end("tool_requests")


F = request(name_tag("f"), arguments_tag("{}"))
THOUGHT = f"a{end('think')}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"Add up.{end('think')}Sure"
            + section(request(name_tag("sum"), arguments_tag('{"v": [1, 2]}')))
            + "<|plamo:tag|>",
            Fields("Add up.", "Sure", (("sum", {"v": [1, 2]}),)),
            id="example 1",
        ),
        pytest.param(
            f"{THOUGHT}{section(F, F)}tail é🎉", Fields("a", "tail é🎉", (("f", {}),) * 2), id="parallel, text behind"
        ),
        pytest.param(
            THOUGHT + section(request(name_tag("f"), arguments_tag('{"x": {"y": "1"}}', ""))),
            Fields("a", None, (("f", {"x": {"y": "1"}}),)),
            id="opener without constrain; verbatim, nested",
        ),
        pytest.param(
            THOUGHT + section(request(name_tag("f"), arguments_tag(""))),
            Fields("a", None, (("f", {}),)),
            id="empty arguments",
        ),
        pytest.param(
            THOUGHT + section(request(name_tag("f"))), Fields("a", None, (("f", {}),)), id="no arguments block"
        ),
        pytest.param(
            THOUGHT + section(request(name_tag("f"), arguments_tag(f'{{"s": "{end("tool_arguments")}"}}'))),
            Fields("a", None, (("f", {"s": end("tool_arguments")}),)),
            id="a tag in a string",
        ),
        pytest.param(
            f"{THOUGHT}{begin('tool_requests')}{begin('tool_request')}{begin('tool_name')}f{end('tool_request')}b",
            Fields("a", None, (("f", {}),)),
            id="no end of the name",
        ),
        pytest.param(
            THOUGHT + begin("tool_requests") + F.removesuffix(end("tool_request")) + end("tool_requests") + "z",
            Fields("a", "z", (("f", {}),)),
            id="no end of the request",
        ),
        pytest.param(
            THOUGHT
            + begin("tool_requests")
            + F.removesuffix(end("tool_arguments") + end("tool_request"))
            + end("tool_requests"),
            Fields("a", None, (("f", {}),)),
            id="no end of the arguments",
        ),
        pytest.param(THOUGHT + F, Fields("a", None, (("f", {}),)), id="a request without its section"),
        pytest.param(f"a{section(F)}", Fields("a", None, (("f", {}),)), id="R-TOOL"),
        pytest.param(f"{begin('think')}a{end('think')}b", Fields("a", "b"), id="R-OPEN"),
        pytest.param(f"{THOUGHT}b{end('think')}c", Fields("a", "bc"), id="R-REPEAT"),
        pytest.param(" a \n", Fields(" a \n", None), id="R-TRUNC, verbatim"),
        pytest.param(f"{THOUGHT} \n{section(F)}", Fields("a", None, (("f", {}),)), id="blank content before calls"),
    ],
)
def test_both_halves(text, expected):
    assert everywhere(PLAMO, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{THOUGHT}Ans <|plamo:begin_", Fields("a", "Ans "), id="a prefix in content"),
        pytest.param("why <|plamo:end_think", Fields("why ", None), id="half a tag in thinking"),
        pytest.param("why <|plamo", Fields("why <|plamo", None), id="less than a prefix is text"),
        pytest.param(f"{THOUGHT}<|plamo:begin_x y", Fields("a", "<|plamo:begin_x y"), id="a prefix in prose is text"),
    ],
)
def test_a_tag_that_the_end_cuts_off_is_markup(text, expected):
    assert everywhere(PLAMO, text) == expected


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        pytest.param(begin("tool_requests"), (), id="behind the section's opener"),
        pytest.param(
            f"{begin('tool_requests')}{begin('tool_request')}{begin('tool_name')}f<|plamo:end_to", (), id="in a name"
        ),
        pytest.param(
            f"{begin('tool_requests')}{begin('tool_request')}{name_tag('f')}{begin('tool_arguments')}{JSON}{MSG}"
            '{"x": 1<|plamo:end_tool',
            (("f", '{"x": 1'),),
            id="in the arguments, in a tag",
        ),
    ],
)
def test_a_cut_call_is_no_call(text, cut):
    assert everywhere(PLAMO, THOUGHT + text) == Fields("a", None, cut_calls=cut)
    assert everywhere(ON_CLOSE, THOUGHT + text) == Fields("a", None)


@pytest.mark.parametrize(
    ("setup", "text", "expected"),
    [
        pytest.param(
            Setup("plamo3", kwargs={"enable_thinking": False}),
            "Hello<|plamo:tag|>",
            Fields(None, "Hello"),
            id="example 2",
        ),
        pytest.param(
            Setup("plamo3", kwargs={"enable_thinking": False}),
            THOUGHT,
            Fields(None, THOUGHT),
            id="off: the tags are text",
        ),
        pytest.param(Setup("plamo3"), THOUGHT + section(F), Fields("a", section(F)), id="reasoning alone"),
        pytest.param(Setup(tool="plamo3"), f"{THOUGHT}b", Fields(None, f"{THOUGHT}b"), id="tools alone"),
        pytest.param(
            Setup("plamo3", "plamo3", prompt=f"{begin('think')}x{end('think')}"),
            "b",
            Fields(None, "b"),
            id="prompt closed",
        ),
        pytest.param(
            Setup("plamo3", prompt=f"{end('think')}<|plamo:tag|>{begin('think')}"),
            "a",
            Fields("a", None),
            id="prompt open",
        ),
    ],
)
def test_halves_and_prompts(setup, text, expected):
    assert everywhere(setup, text) == expected
