"""Jamba, Phi-4-mini, xLAM, Apertus: card json-lists.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere

ITEM = '{"name": "f", "arguments": {"q": 1}}'
CALLED = (("f", {"q": 1}),)
FENCE = "```"


def jamba(body):
    return f"<tool_calls>{body}</tool_calls>"


def apertus(body):
    return f"<|tools_prefix|>{body}<|tools_suffix|>"


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        pytest.param(
            "jamba",
            "Hi " + jamba("""[{"name": "f", "arguments": {"q": "it's"}}]"""),
            Fields(None, "Hi ", (("f", {"q": "it's"}),)),
            id="jamba example",
        ),
        pytest.param(
            "phi4_mini_json",
            'Sure functools[{"name": "f", "parameters": {"ids": [1, 2]}}]',
            Fields(None, "Sure ", (("f", {"ids": [1, 2]}),)),
            id="phi4 example",
        ),
        pytest.param(
            "xlam",
            f'Here:\n{FENCE}json\n[{{"name": "f", "arguments": {{"a": [1]}}}}]\n{FENCE}',
            Fields(None, "Here:", (("f", {"a": [1]}),)),
            id="xlam example",
        ),
        pytest.param(
            "apertus",
            "Ok " + apertus('[{"f": {"n": 1.5e3}}, {"g": {}}]') + "!",
            Fields(None, "Ok !", (("f", {"n": 1500.0}), ("g", {}))),
            id="apertus example",
        ),
    ],
)
def test_examples(tool, text, expected):
    assert everywhere(Setup(tool=tool), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(jamba(f"\n[\n {ITEM}, {ITEM}\n]\n"), Fields(None, None, CALLED * 2), id="white space, parallel"),
        pytest.param(jamba(ITEM), Fields(None, None, CALLED), id="a bare item counts as a list of one"),
        pytest.param(jamba('[{"name": "f"}]'), Fields(None, None, (("f", {}),)), id="no arguments"),
        pytest.param(jamba('[{"name": "f", "arguments": null}]'), Fields(None, None, (("f", {}),)), id="null"),
        pytest.param(jamba(f'["no", {ITEM}]'), Fields(None, None, CALLED), id="items that are no calls are skipped"),
        pytest.param(
            jamba('[{"arguments": {"s": "</tool_calls>[]🎉", "o": {"a": [{}]}}, "name": "f"}]'),
            Fields(None, None, (("f", {"s": "</tool_calls>[]🎉", "o": {"a": [{}]}}),)),
            id="closer in a string, nested, any order",
        ),
        pytest.param(
            f"é{jamba(f'[{ITEM}]')}\nmid{jamba(f'[{ITEM}]')} end", Fields(None, "é\nmid end", CALLED * 2), id="W-AFTER"
        ),
        pytest.param(f"{jamba(f'[{ITEM}]')}\n{jamba(f'[{ITEM}]')}\n", Fields(None, None, CALLED * 2), id="W-DROP"),
        pytest.param(f"<tool_calls>[{ITEM}]", Fields(None, None, CALLED), id="no closer"),
        pytest.param(jamba("[]"), Fields(None, None), id="an empty list"),
        pytest.param(jamba("soon"), Fields(None, jamba("soon")), id="no list: text with its markers"),
        pytest.param(
            f"{jamba('soon')} {jamba(f'[{ITEM}]')}", Fields(None, f"{jamba('soon')} ", CALLED), id="bad, then good"
        ),
        pytest.param(
            jamba(f"[{ITEM}, oops]") + "!", Fields(None, "!", CALLED), id="good, then bad: the good one stays"
        ),
        pytest.param("a</tool_calls>b", Fields(None, "ab"), id="a closer alone"),
        pytest.param("a<tool_ca", Fields(None, "a<tool_ca"), id="the beginning of a marker at the end"),
        pytest.param(f"a<tool_calls>[{ITEM}, {{", Fields(None, "a", CALLED), id="the second call cut"),
        pytest.param("a<tool_calls>[", Fields(None, "a"), id="cut before a call"),
    ],
)
def test_jamba(text, expected):
    assert everywhere(Setup(tool="jamba"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("functools", Fields(None, "functools"), id="the word at the end"),
        pytest.param("use functools in Python", Fields(None, "use functools in Python"), id="the word in prose"),
        pytest.param("functools[bad]", Fields(None, "functools[bad]"), id="a list that is no JSON"),
        pytest.param("functools[1, 2]", Fields(None, "functools[1, 2]"), id="a list without calls"),
        pytest.param(
            'functools[{"name": "f", "arguments": {"a": "]"}}] ok',
            Fields(None, " ok", (("f", {"a": "]"}),)),
            id="a bracket in a string",
        ),
        pytest.param("functools[{", Fields(None, None), id="cut"),
    ],
)
def test_phi4_mini_json(text, expected):
    assert everywhere(Setup(tool="phi4_mini_json"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"[{ITEM}]", Fields(None, None, CALLED), id="shape 5: bare"),
        pytest.param(f"{FENCE}\n[{ITEM}]\n{FENCE}", Fields(None, None, CALLED), id="shape 2: fence without json"),
        pytest.param(f"x [TOOL_CALLS][{ITEM}]\ny", Fields(None, "x \ny", CALLED), id="shape 3"),
        pytest.param(f"<tool_call>[{ITEM}]</tool_call>", Fields(None, None, CALLED), id="shape 4"),
        pytest.param("[1, 2] are numbers", Fields(None, "[1, 2] are numbers"), id="a bare list without calls"),
        pytest.param("[a link](x)", Fields(None, "[a link](x)"), id="a bracket that is no list"),
        pytest.param(f"see [{ITEM}]", Fields(None, f"see [{ITEM}]"), id="a bare list counts at the start only"),
        pytest.param(f"[TOOL_CALLS]{ITEM}", Fields(None, f"[TOOL_CALLS]{ITEM}"), id="only lists give calls"),
        pytest.param(
            f"{FENCE}json\n[1]\n{FENCE} x", Fields(None, f"{FENCE}json\n[1]\n{FENCE} x"), id="a fenced list of data"
        ),
        pytest.param(f"{FENCE}py\nf()\n{FENCE}", Fields(None, f"{FENCE}py\nf()\n{FENCE}"), id="a fenced program"),
        pytest.param(
            f'[{{"name": "f", "arguments": {{"s": "{FENCE}"}}}}]',
            Fields(None, None, (("f", {"s": FENCE}),)),
            id="a fence in a string",
        ),
    ],
)
def test_xlam(text, expected):
    assert everywhere(Setup(tool="xlam"), text) == expected


def test_xlam_behind_thinking():
    assert everywhere(Setup("deepseek_r1", "xlam"), f"why</think>[{ITEM}]") == Fields("why", None, CALLED)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('<|tools_prefix|>[{"f": {}}]', Fields(None, None, (("f", {}),)), id="the suffix is optional"),
        pytest.param(
            f'{apertus("""[{"f": null}]""")}{apertus("""[{"g": {"x": "<|tools_suffix|>"}}]""")}',
            Fields(None, None, (("f", {}), ("g", {"x": "<|tools_suffix|>"}))),
            id="two blocks, null, a marker in a string",
        ),
        pytest.param(apertus("soon"), Fields(None, apertus("soon")), id="no list"),
        pytest.param('<|tools_prefix|>[{"f": {}}, {"g', Fields(None, None, (("f", {}),)), id="cut in a name"),
    ],
)
def test_apertus(text, expected):
    assert everywhere(Setup(tool="apertus"), text) == expected


def test_apertus_item_with_two_keys_is_rejected():
    text = apertus('[{"f": {}, "g": {}}]')
    assert everywhere(Setup(tool="apertus", call_commit="on_close"), text) == Fields(None, text)
