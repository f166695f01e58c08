"""Tagged functions: qwen3-xml.md; C-* and T-FIX of common-1.md; F-13 to F-16, E-64, E-65."""

import pytest

from tests.every_cut import Setup, everywhere

TOOLS = {"f": {"city": {"type": "string"}, "days": {"type": "integer"}, "body": {"type": "string"}}, "g": {}}


def fn(name="f", **values):
    return (
        f"<function={name}>\n"
        + "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in values.items())
        + "</function>"
    )


def call(name="f", **values):
    return f"<tool_call>\n{fn(name, **values)}\n</tool_call>"


def found(text, reasoning=None, **setup):
    return everywhere(Setup(reasoning, "qwen3_xml", tools=TOOLS, **setup), text)


def test_example_1():
    fields = found(f"Need data.\n</think>\n\n{call(city='Oslo', days='2')}", "qwen3", prompt="<think>\n")
    assert (fields.reasoning, fields.content) == ("Need data.", None)
    assert fields.calls == (("f", {"city": "Oslo", "days": 2}),)


def test_example_2():
    fields = found("Sure.<function=g></function></tool_call>")
    assert (fields.content, fields.calls) == ("Sure.", (("g", {}),))


def test_f13_end_of_thinking_text_and_call_in_one_delta():
    fields = found(f"y</think>ok{call('g')}", "qwen3")
    assert (fields.reasoning, fields.content, fields.calls) == ("y", "ok", (("g", {}),))


@pytest.mark.parametrize(
    ("text", "calls", "content"),
    [
        ("<tool_call><function=g</function></tool_call>", ["g"], None),
        ("<tool_call><function=g<tool_call><function=f></function></tool_call>", ["g", "f"], None),
        ("<tool_call><function=g<function=f></function></tool_call>", ["g", "f"], None),
        (f"<tool_call>{fn('g')}{fn('f')}</tool_call>", ["g", "f"], None),
        (f"<tool_call>{fn('g')}<tool_call>{fn('f')}</tool_call>", ["g", "f"], None),
        (fn("g"), ["g"], None),
        (f"{fn('g')}z", ["g"], "z"),
        ("a<tool_call></tool_call>b", [], "ab"),
        ("a</tool_call>b", [], "ab"),
        ("<tool_call><function=f><parameter=city>Oslo</parameter></tool_call>b", ["f"], "b"),
        ("<tool_call><function=f><parameter=city>Oslo</function></tool_call>b", ["f"], "b"),
        (
            "<tool_call><function=f><parameter=city>Oslo</parameter><function=g></function></tool_call>",
            ["f", "g"],
            None,
        ),
    ],
)
def test_f16_damaged_envelopes(text, calls, content):
    fields = found(text)
    assert ([name for name, _ in fields.calls], fields.content) == (calls, content)


@pytest.mark.parametrize(
    "value",
    [
        "x", "", "two\nlines", "\n", " spaced ", "a</parameter>b", "a </function> b", "<tool_call>", "</tool_call>!",
        "<function=g>", "</think><think>", "x</par", "< /parameter", '"\\\t', "🧭 é 寒", "007", "true", "{}",
    ],
)  # fmt: skip
def test_a_value_is_data_whatever_it_spells(value):
    assert found(call(body=value, city="Oslo")).calls == (("f", {"body": value, "city": "Oslo"}),)


@pytest.mark.parametrize("closer", ["</parameter>", "< /parameter>", "</ parameter >", "\n</parameter>"])
def test_e64_a_spaced_closer_closes(closer):
    text = f"<tool_call><function=f><parameter= body >x{closer}</function></tool_call>"
    assert found(text).calls == (("f", {"body": "x"}),)


def test_c_dup_the_first_value_of_a_repeated_key_wins():
    text = "<tool_call><function=f><parameter=days>1</parameter><parameter=days>2</parameter></function></tool_call>"
    assert found(text).calls == (("f", {"days": 1}),)


@pytest.mark.parametrize(
    "cut",
    [
        "<tool_call>", "<tool_call>\n<func", "<tool_call>\n<function=", "<tool_call>\n<function=f",
        "<tool_call>\n<function=f>\n<parameter=ci", "<tool_call>\n<function=f>\n<parameter=city>\nOs",
        "<tool_call>\n<function=f>\n<parameter=body>\nx\\", "<tool_call>\n<function=f>\n<parameter=days>\n1",
        "<tool_call>\n<function=f>\n<parameter=body>\nx\n</param",
        "<tool_call>\n<function=f>\n<parameter=body>\nx\n</parameter>\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("call_commit", ["incremental", "on_close"])
def test_t_fix_a_call_that_is_cut_off_is_no_call_and_leaks_nothing(cut, call_commit):
    fields = found(f"Ok.\n{call('g')}\n{cut}", call_commit=call_commit)
    assert (fields.content, fields.calls) == ("Ok.", (("g", {}),))
    if call_commit == "on_close":
        assert fields.cut_calls == ()


def test_t_fix_a_call_is_whole_once_its_function_is_closed():
    assert found(f"<tool_call>\n{fn('g')}").calls == (("g", {}),)


def test_e95_a_second_block_of_thinking_is_thinking():
    fields = found("a</think>b<think>c</think>d", "qwen3")
    assert (fields.reasoning, fields.content) == ("ac", "bd")


def test_w_after_text_between_calls_is_content():
    fields = found(f"a\n{call('g')}\nb\n{call('g')}\nc")
    assert (fields.content, len(fields.calls)) == ("a\n\nb\n\nc", 2)


@pytest.mark.parametrize("stop", ["STOPSTOP", "=" * 40])
def test_t16_a_stop_string_that_never_comes_changes_nothing(stop):
    setup = Setup("qwen3", "qwen3_xml", tools=TOOLS)
    fields = everywhere(setup, f"ab</think>ok{call(city='Oslo')}", text_only=False, stop=[stop])
    assert (fields.reasoning, fields.content, fields.calls) == ("ab", "ok", (("f", {"city": "Oslo"}),))
