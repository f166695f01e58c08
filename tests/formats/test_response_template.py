"""Tokenizers that describe their output: card response-template.md, every way a text can arrive.

The card's template is the one a tokenizer without any is read by, so `everywhere` serves; other templates come with a
tokenizer of their own.
"""

import pytest

from parsers.errors import FormatError
from parsers.formats.context import RunContext
from parsers.formats.response_template import DEFAULT
from parsers.registry import joined
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from tests.every_cut import Fields, Setup, everywhere, run, ways

ANCHOR = "<|im_start|>assistant\n"
TOOLS = {"f": {"n": {"type": "integer"}}, "g": {}}
SHAPE = {"function": {"name": "{name}", "arguments": "{content}"}}
NAMES = pytest.mark.parametrize("name", ["hf", "beam"])


def both(name="hf", **changes):
    return Setup(name, name, TOOLS, **changes)


def call(arguments='{"n": "3"}', name="f"):
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


@NAMES
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"<think> w \n</think>\n\nhi {call()} tail",
            Fields(" w \n", "\n\nhi  tail", (("f", {"n": 3}),)),
            id="example 1: nothing is trimmed, texts are cast",
        ),
        pytest.param("<tool_call>oops</tool_call>x", Fields(None, "x"), id="example 3: a malformed call is dropped"),
        pytest.param(
            f"a{call()}b{call('{}', 'g')}c", Fields(None, "abc", (("f", {"n": 3}), ("g", {}))), id="parallel calls"
        ),
        pytest.param(f"<think>a{call()}b", Fields(f"a{call()}b", None), id="nothing ends thinking but its closer"),
        pytest.param("a</think>b</tool_call>", Fields(None, "a</think>b</tool_call>"), id="closers outside are text"),
        pytest.param("<think>a</think>b<think>c</think>d", Fields("ac", "bd"), id="thinking again"),
        pytest.param("🌸<think>é</think>🌸", Fields("é", "🌸🌸"), id="unicode before markers"),
        pytest.param(call('{"n": 1.5}'), Fields(None, None, (("f", {"n": 1.5}),)), id="only texts are cast"),
        pytest.param('<tool_call>{"name": "f"}</tool_call>x', Fields(None, "x"), id="a key is missing"),
        pytest.param("a<tool_call>[1]</tool_call>", Fields(None, "a"), id="JSON that is no call"),
        pytest.param(f"a{call()[:-12]}", Fields(None, "a", (("f", {"n": 3}),)), id="cut off, but the call is whole"),
        pytest.param("a<tool_call>{", Fields(None, "a"), id="cut off in a call"),
        pytest.param("<think>a</th", Fields("a</th", None), id="cut off in a closer"),
        pytest.param("a<tool", Fields(None, "a<tool"), id="cut off in an opener"),
    ],
)
def test_regions(name, text, expected):
    assert everywhere(both(name), text) == expected
    assert everywhere(both(name, call_commit="on_close"), text) == expected


@pytest.mark.parametrize(
    ("prompt", "text", "expected"),
    [
        pytest.param(f"{ANCHOR}<think>", "why</think>Ans", Fields("why", "Ans"), id="example 2: thinking is open"),
        pytest.param(f"{ANCHOR}<think>", "why", Fields("why", None), id="and never closed"),
        pytest.param(f"{ANCHOR}<think>\n\n</think>\n\n", "Ans", Fields(None, "Ans"), id="thinking is over"),
        pytest.param(
            f"{ANCHOR}<think>x<|im_end|>\n{ANCHOR}", "Ans", Fields(None, "Ans"), id="only the last message counts"
        ),
        pytest.param("<think>", "a</think>b", Fields("a", "b"), id="no anchor: all of the prompt"),
        pytest.param(
            f"{ANCHOR}<tool_call>", call()[11:] + "x", Fields(None, "x", (("f", {"n": 3}),)), id="a call is open"
        ),
        pytest.param(
            f'{ANCHOR}<tool_call>{{"name": "g',
            call(name="g")[22:],
            Fields(None, None, (("g", {"n": "3"}),)),
            id="and its name begun",
        ),
    ],
)
def test_the_prompt_s_part_of_the_message_is_read_first(prompt, text, expected):
    assert everywhere(both(prompt=prompt), text) == expected


def test_a_half_alone():
    """INDEX-2 feature 20: calls stay text; thinking is text less its markers."""
    text = f"<think>a</think>b{call()}c"
    assert everywhere(Setup("hf"), text) == Fields("a", f"b{call()}c")
    assert everywhere(Setup("hf"), "<tool_call><think></tool_call>x") == Fields(None, "<tool_call><think></tool_call>x")
    assert everywhere(Setup(None, "hf", TOOLS), text) == Fields(None, "abc", (("f", {"n": 3}),))


@pytest.mark.parametrize(("reasoning", "tool"), [("hf", "beam"), ("hf", "hermes"), ("qwen3", "hf")])
def test_it_goes_with_no_other_name(reasoning, tool):
    if reasoning == "qwen3":
        with pytest.raises(FormatError, match="qwen3 and hf cannot be used together"):
            joined(reasoning, tool)
    else:
        with pytest.raises(FormatError, match=f"{reasoning} and {tool} cannot be used together"):
            joined(reasoning, tool)


def test_a_choice_has_one_table_that_everybody_shares():
    assert joined("hf", "hf") is joined("hf", "hf")
    assert joined("hf", None) is not joined("hf", "hf")


# --- other templates --------------------------------------------------------------------------------------------------


class TemplateTokenizer:
    """The bundled tokenizer with a response template, and with tokens of its own."""

    def __init__(self, fields, anchor=ANCHOR, markers=(), special=()):
        self.settings = {"response_template": {"version": 1, "start_anchor": anchor, "fields": fields}}
        tokenizer = bundled.load(markers, special)
        self.name, self.vocab, self.special_tokens = tokenizer.name, tokenizer.vocab, tokenizer.special_tokens
        self.encode, self.decode, self.token_text = tokenizer.encode, tokenizer.decode, tokenizer.token_text


def read(tokenizer, text, setup=None):
    """The fields under every cut."""
    setup = setup or both()
    stream = simulate(tokenizer, tokenizer.encode(text), StreamOptions(skip_special_tokens=False))
    expected = run(setup, tokenizer, cut(stream, "token"))
    for label, deltas in ways(stream, text_only=False):
        assert run(setup, tokenizer, deltas) == expected, label
    return expected


THINK = {"open": "<think>", "close": "</think>"}
NAMED = {
    "open_pattern": r"<call>\s*(?P<name>\w+):",
    "close": "</call>",
    "content": "kv-lines",
    "transform": SHAPE,
    "repeats": True,
}


@pytest.mark.parametrize(
    ("fields", "text", "expected"),
    [
        pytest.param(
            {"thinking": THINK, "tool_calls": NAMED},
            "a<call>\n g:x: 1\ny: 2\n</call>b",
            Fields(None, "ab", (("g", {"x": "1", "y": "2"}),)),
            id="a pattern with the name",
        ),
        pytest.param(
            {"thinking": THINK, "tool_calls": {**NAMED, "close_pattern": r"</call( \w+)?>", "close": None}},
            "<call>g:x: 1</call end>b",
            Fields(None, "b", (("g", {"x": "1"}),)),
            id="a pattern closes",
        ),
        pytest.param(
            {"thinking": {"open_pattern": r"<(think|reason)>\n?", "close_pattern": "(?=<call>)"}, "tool_calls": NAMED},
            "<reason>\na<call>g:x: 1</call>b",
            Fields("a", "b", (("g", {"x": "1"}),)),
            id="thinking ends in front of a call",
        ),
        pytest.param(
            {"thinking": {"close": "</think>"}, "content": {"open": "<say>", "close": "</say>"}, "tool_calls": NAMED},
            "a</think>b<say>c</say>d<call>g:x: 1</call>e",
            Fields("abde", "c", (("g", {"x": "1"}),)),
            id="thinking is what is outside",
        ),
        pytest.param(
            {"thinking": THINK, "content": {"open": ["<say>", "<say loud>"], "close": "</say>"}, "tool_calls": NAMED},
            "x<think>a</think>y<say loud>b</say>z",
            Fields("a", "b"),
            id="what is outside belongs to nobody",
        ),
        pytest.param(
            {
                "thinking": THINK,
                "tool_calls": {
                    "open": "<calls>",
                    "close": "</calls>",
                    "content": "python-call-list",
                    "transform_each": True,
                    "transform": {"function": {"name": "{name}", "arguments": "{arguments}"}},
                },
            },
            "<calls>[f(n=1), g()]</calls>",
            Fields(None, None, (("f", {"n": 1}), ("g", {}))),
            id="several calls in a region",
        ),
    ],
)
def test_other_templates(fields, text, expected):
    fields = {name: {key: value for key, value in field.items() if value is not None} for name, field in fields.items()}
    assert read(TemplateTokenizer(fields), text) == expected


def test_a_closer_that_ends_the_turn_is_supplied_when_the_output_stops_inside_it():
    fields = {"thinking": {"open": "<think>", "close": "</think><|turn|>"}, "tool_calls": NAMED}
    tokenizer = TemplateTokenizer(fields, anchor="<|turn|>")
    assert read(tokenizer, "<think>a</think>") == Fields("a", None)
    assert read(tokenizer, "<think>a</thin") == Fields("a", None)
    assert read(tokenizer, "<think>a</thing") == Fields("a</thing", None)


def test_special_tokens_count_where_the_template_names_them_and_vanish_elsewhere():
    fields = {
        "thinking": {"open": "<|c|>", "close": "<|/c|>"},
        "tool_calls": {**NAMED, "open_pattern": r"<\|t\|>(?P<name>\w+):"},
    }
    tokens = ("<|c|>", "<|/c|>", "<|t|>", "<|end|>")
    tokenizer = TemplateTokenizer(fields, markers=tokens, special=tokens)
    text = "<|c|>a<|/c|>b<|t|>g:x: 1</call>c<|end|>"
    assert read(tokenizer, text) == Fields("a", "bc", (("g", {"x": "1"}),))


def context(fields, reasoning, tool):
    settings = {"response_template": {"start_anchor": "x", "fields": fields}}
    return RunContext(tokenizer_settings=settings, reasoning=reasoning, tool=tool)


def test_a_field_that_the_parser_needs_must_be_there():
    with pytest.raises(FormatError, match="no field 'thinking'"):
        joined("hf", None, context({"content": {}}, "hf", None))
    with pytest.raises(FormatError, match="no field 'tool_calls'"):
        joined(None, "hf", context({"content": {}}, None, "hf"))


def test_a_model_s_tokenizer_must_carry_a_template():
    with pytest.raises(FormatError, match="carries no response template"):
        joined("hf", "hf", RunContext(tokenizer_settings={"chat_template": "x"}))


def test_the_default_template_is_a_whole_one():
    assert set(DEFAULT["fields"]) == {"thinking", "content", "tool_calls"}


def test_reasoning_has_ended_where_the_prompt_or_the_request_says_so():
    from parsers.registry import build_parser

    assert build_parser("hf", "hf", None, generation_prompt=f"{ANCHOR}<think></think>").reasoning_ended
    assert build_parser("hf", "hf", None, template_kwargs={"enable_thinking": False}).reasoning_ended
    assert not build_parser("hf", "hf", None, generation_prompt=ANCHOR).reasoning_ended
    open_all_the_same = {"generation_prompt": f"{ANCHOR}<think>", "template_kwargs": {"enable_thinking": False}}
    assert not build_parser("hf", "hf", None, **open_all_the_same).reasoning_ended
