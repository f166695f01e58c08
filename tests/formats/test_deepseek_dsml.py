"""DeepSeek V3.2, V4 and V4.1: card deepseek-dsml.md, every way a text can arrive."""

import pytest

from tests.every_cut import Fields, Setup, everywhere
from tests.formats.cutting import cut_off_everywhere, from_tokens

TOOLS = {"f": {"n": {"type": "integer"}, "s": {"type": "string"}}, "now": {}}
BLOCKS = {"deepseek_v32": ("function_calls", ""), "deepseek_v4": ("tool_calls", ""), "deepseek_v41": ("calls", " ")}


class Writer:
    """Writes calls as one of the three models does."""

    def __init__(self, name):
        self.name = name
        self.block, gap = BLOCKS[name]
        self.tag = f"｜DSML｜{gap}"

    def setup(self, **changes):
        reasoning = "deepseek_v3" if self.name == "deepseek_v32" else self.name
        return Setup(reasoning, self.name, TOOLS, **{"kwargs": {"thinking": True}, **changes})

    @property
    def open(self):
        return f"<{self.tag}{self.block}>"

    @property
    def close(self):
        return f"</{self.tag}{self.block}>"

    def param(self, key, value, string="true", close=True):
        attribute = f' string="{string}"' if string else ""
        end = f"</{self.tag}parameter>\n" if close else ""
        return f'<{self.tag}parameter name="{key}"{attribute}>{value}{end}'

    def invoke(self, name, *params, close=True):
        return f'<{self.tag}invoke name="{name}">\n' + "".join(params) + (f"</{self.tag}invoke>\n" if close else "")

    def calls(self, *invokes):
        return f"\n\n{self.open}\n" + "".join(invokes) + self.close


V4 = Writer("deepseek_v4")


@pytest.fixture(params=BLOCKS)
def model(request):
    return Writer(request.param)


def test_the_parts_of_a_turn(model):
    """Example 1 and "Whitespace": one blank line in front of the block is markup."""
    text = "Plan</think>Ok\n\n" + model.calls(model.invoke("f", model.param("n", "[1]", "false"))) + " tail"
    assert everywhere(model.setup(), text) == Fields("Plan", "Ok\n\n tail", (("f", {"n": [1]}),))


def test_parallel_calls_and_empty_arguments(model):
    """Example 2; C-DUP."""
    text = "</think>" + model.calls(
        model.invoke("now"), model.invoke("f", model.param("s", "é 🙂"), model.param("s", "again"))
    )
    assert everywhere(model.setup(), text) == Fields(None, None, (("now", {}), ("f", {"s": "é 🙂"})))


def test_markers_in_a_value_are_data(model):
    """Recovery: marker text in a value; fixtures marker-in-arguments."""
    value = f'Write <{model.tag}invoke name="x"> in {model.open}, then {model.close} </{model.tag}invoke> …'
    text = "</think>" + model.calls(model.invoke("f", model.param("s", value)))
    assert everywhere(model.setup(), text) == Fields(None, None, (("f", {"s": value}),))


def test_a_call_cut_off_anywhere_is_no_call_and_shows_no_markup(model):
    """T-FIX, T-27."""
    text = "a</think>b" + model.calls(model.invoke("f", model.param("s", 'x "y'), model.param("n", "12", "false")))
    for beginning, fields in cut_off_everywhere(model.setup(), text, text.index(model.open) + len(model.open)):
        complete = f"</{model.tag}invoke>" in beginning
        assert fields == Fields("a", "b", (("f", {"s": 'x "y', "n": 12}),) if complete else ()), beginning


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        pytest.param([V4.param("n", "3")], {"n": "3"}, id="string=true: the attribute decides, not the schema"),
        pytest.param([V4.param("s", "3", "false")], {"s": 3}, id="string=false is JSON"),
        pytest.param([V4.param("s", "{oops", "false")], {"s": "{oops"}, id="string=false, no JSON: the text"),
        pytest.param([V4.param("s", '{"a": 1}', "")], {"s": {"a": 1}}, id="no attribute: as false"),
        pytest.param([V4.param("s", ' <b>"x" &amp;\t\n')], {"s": ' <b>"x" &amp;\t\n'}, id="verbatim"),
        pytest.param([V4.param("n", "1e400", "false")], {"n": "1e400"}, id="a number JSON cannot carry stays text"),
        pytest.param([V4.param("arguments", '{"n": 1}', "false")], {"n": 1}, id="a wrapper"),
        pytest.param([V4.param("input", '{"n": 1}')], {"n": 1}, id="a wrapper that is a string"),
        pytest.param([V4.param("input", '{"z": 1}', "false")], {"input": {"z": 1}}, id="not a wrapper: unknown key"),
    ],
)
def test_arguments(params, expected):
    text = "</think>" + V4.calls(V4.invoke("f", *params))
    assert everywhere(V4.setup(), text) == Fields(None, None, (("f", expected),))


LAST_OPEN = V4.param("s", "A\n", close=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            V4.calls('<｜DSML｜invoke name="now"/>\n', V4.invoke("f")), Fields(None, None, (("now", {}), ("f", {}))),
            id="a self-closing invoke",
        ),
        pytest.param(
            V4.calls(V4.invoke("f", LAST_OPEN, V4.param("n", "1", "false"))),
            Fields(None, None, (("f", {"s": "A\n", "n": 1}),)), id="no param_close: the next parameter ends it",
        ),
        pytest.param(
            V4.calls(V4.invoke("f", LAST_OPEN)), Fields(None, None, (("f", {"s": "A\n"}),)),
            id="no param_close: the last invoke_close ends it",
        ),
        pytest.param(
            V4.calls(V4.invoke("f", V4.param("s", "A"), close=False)) + "b", Fields(None, "b", (("f", {"s": "A"}),)),
            id="no invoke_close",
        ),
        pytest.param(
            V4.calls(V4.invoke("f", close=False), V4.invoke("now")), Fields(None, None, (("f", {}), ("now", {}))),
            id="no invoke_close before the next invoke",
        ),
        pytest.param(V4.open + V4.invoke("now"), Fields(None, None, (("now", {}),)), id="no tool_close"),
        pytest.param(f"a\n{V4.invoke('now')}b", Fields(None, "a\n\nb", (("now", {}),)), id="no wrapper"),
        pytest.param(
            f"<｜DSML｜toolcalls>{V4.invoke('now')}</｜DSML｜tool_calls><｜DSML｜tool>{V4.invoke('f')}</｜DSML｜tool>",
            Fields(None, None, (("now", {}), ("f", {}))), id="other spellings of the wrapper",
        ),
        pytest.param(
            f"The tag {V4.open} opens.{V4.calls(V4.invoke('now'))}",
            Fields(None, f"The tag {V4.open} opens.", (("now", {}),)), id="the wrapper in prose",
        ),
        pytest.param("b <｜DSML｜tool_c", Fields(None, "b <｜DSML｜tool_c"), id="a cut opener is text"),
        pytest.param(f"a{V4.open}\n{V4.close}b", Fields(None, "ab"), id="no call inside"),
        pytest.param(f"a{V4.close}b", Fields(None, "ab"), id="a closer alone"),
    ],
)  # fmt: skip
def test_recovery(text, expected):
    assert everywhere(V4.setup(), f"</think>{text}") == expected


@pytest.mark.parametrize(
    ("kwargs", "prompt", "expected"),
    [
        pytest.param({}, None, Fields("a", "b"), id="on by default"),
        pytest.param({"thinking": False}, None, Fields(None, "ab"), id="off: a closer is absorbed"),
        pytest.param({"reasoning_effort": "none"}, None, Fields(None, "ab"), id="an effort of none"),
        pytest.param({"thinking": True, "reasoning_effort": "none"}, None, Fields(None, "ab"), id="none wins"),
        pytest.param({"thinking": False, "reasoning_effort": "high"}, None, Fields(None, "ab"), id="high says nothing"),
        pytest.param({}, "<｜Assistant｜></think>", Fields(None, "ab"), id="R-PROMPT"),
        pytest.param({}, "x</think>y<｜User｜>q<｜Assistant｜>", Fields("a", "b"), id="an earlier turn"),
    ],
)
@pytest.mark.parametrize("name", ["deepseek_v4", "deepseek_v41"])
def test_initial_state(name, kwargs, prompt, expected):
    assert everywhere(Setup(name, name, kwargs=kwargs, prompt=prompt), "a</think>b") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<think>a</think>b</think>c", Fields("a", "bc"), id="R-OPEN, R-REPEAT"),
        pytest.param("a" + V4.calls(V4.invoke("now")), Fields("a", None, (("now", {}),)), id="R-TOOL"),
        pytest.param("a" + V4.invoke("now"), Fields("a" + V4.invoke("now"), None), id="an invoke alone stays thinking"),
        pytest.param("a", Fields("a", None), id="R-TRUNC"),
    ],
)
def test_reasoning(text, expected):
    assert everywhere(V4.setup(), text) == expected


def test_off_an_opener_in_the_text_still_opens_thinking():
    """Card "Initial state"."""
    assert everywhere(V4.setup(kwargs={"thinking": False}), "<think>a</think>b") == Fields("a", "b")


def test_each_half_leaves_the_other_s_markup_in_the_content():
    """INDEX-2 feature 20."""
    calls = V4.calls(V4.invoke("now"))
    assert everywhere(Setup("deepseek_v4"), f"r</think>a{calls}") == Fields("r", f"a{calls}")
    assert everywhere(Setup(None, "deepseek_v4"), f"r</think>a{calls}") == Fields(None, "r</think>a", (("now", {}),))


def test_a_tag_of_ordinary_tokens_is_text():
    """E-22: `｜DSML｜` is a token, so a tag without it is no tag."""
    tokens = ["</think>", "Use <｜", "DSML", '｜invoke name="now">']
    assert from_tokens(V4.setup(), tokens) == Fields(None, 'Use <｜DSML｜invoke name="now">')
    tokens = ["</think>", "<", "｜DSML｜", 'invoke name="now">', "</", "｜DSML｜", "invoke>"]
    assert from_tokens(V4.setup(), tokens) == Fields(None, None, (("now", {}),))
