"""InternLM and GigaChat: card json-objects.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

PLUGIN, CODE, END = "<|action_start|><|plugin|>", "<|action_start|><|interpreter|>", "<|action_end|>"
SEP, ROLE = "<|message_sep|>\n\n", "function call<|role_sep|>\n"
F = '{"name": "f", "arguments": {}}'
CALLED = (("f", {}),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f'One sec {PLUGIN}\n{{"name": "tz", "parameters": {{"c": "FR"}}}}{END}',
            Fields(None, "One sec ", (("tz", {"c": "FR"}),)),
            id="example",
        ),
        pytest.param(
            f"{PLUGIN}{F}{END}\n{PLUGIN}{F}{END} é🎉", Fields(None, " é🎉", CALLED * 2), id="several calls, text behind"
        ),
        pytest.param(
            f"<|action_start|> <|plugin|>{F}", Fields(None, None, CALLED), id="no closer, a space in the opener"
        ),
        pytest.param(f"a{CODE}\nf(){END}b", Fields(None, f"a{CODE}\nf(){END}b"), id="code for the interpreter is text"),
        pytest.param(
            f"{CODE}f(){END}{PLUGIN}{F}{END}", Fields(None, f"{CODE}f(){END}", CALLED), id="code, then a call"
        ),
        pytest.param(f"{PLUGIN}soon{END}", Fields(None, f"{PLUGIN}soon{END}"), id="a bad body is text"),
        pytest.param("<|action_start|>x", Fields(None, "<|action_start|>x"), id="half an opener"),
        pytest.param(
            f'{PLUGIN}{{"name": "f", "arguments": {{"s": "{END}", "o": [{{"k": null}}]}}}}{END}',
            Fields(None, None, (("f", {"s": END, "o": [{"k": None}]}),)),
            id="a marker in a string, nested",
        ),
        pytest.param(f'{PLUGIN}{{"name": "f", "parameters": {{"x', Fields(None, None, (), (("f", '{"x'),)), id="cut"),
    ],
)
def test_internlm(text, expected):
    assert everywhere(Setup(tool="internlm"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f'Checking{SEP}{ROLE}{{"name": "tz", "arguments": {{"c": "RU"}}}}',
            Fields(None, "Checking", (("tz", {"c": "RU"}),)),
            id="example",
        ),
        pytest.param(f"a<|function_call|>{F}</s>", Fields(None, "a", CALLED), id="one token, end of the turn"),
        pytest.param(f"{SEP}<|function_call|>{F}", Fields(None, None, CALLED), id="one token behind a separator"),
        pytest.param(f"{ROLE}{F}", Fields(None, None, CALLED), id="no separator: the role is markup"),
        pytest.param(
            f"{F}{SEP}{ROLE}{F}{SEP}{ROLE}{F}", Fields(None, F, CALLED * 2), id="two calls; an object alone is text"
        ),
        pytest.param(
            f"hi{SEP}assistant<|role_sep|>\nthere", Fields(None, "hithere"), id="another role: its text is content"
        ),
        pytest.param("hi<|message_sep|>", Fields(None, "hi"), id="a separator at the end"),
        pytest.param("a function call is", Fields(None, "a function call is"), id="the role in prose"),
        pytest.param(f"{ROLE}soon", Fields(None, f"{ROLE}soon"), id="no object"),
        pytest.param(
            '<|function_call|>{"arguments": {"t": "line\nend"}, "name": "f"}',
            Fields(None, None, (("f", {"t": "line\nend"}),)),
            id="raw control characters, arguments first",
        ),
        pytest.param(
            '<|function_call|>{"name": "f", "arguments": {"x', Fields(None, None, (), (("f", '{"x'),)), id="cut"
        ),
    ],
)
def test_gigachat3(text, expected):
    assert everywhere(Setup(tool="gigachat3"), text) == expected
