"""Tool choices, whole texts and ids of the delegating composition: card 04, D-50 … D-57, D-60 … D-63, D-70 … D-74."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.compose.choice import CallPath, NamedCall, RequiredCalls, call_path
from parsers.compose.ids import id_maker
from parsers.protocol import ChatRequest
from tests.compose.pairs import (
    CALLED,
    CLASSIC,
    CLASSIC_FIRST,
    ENGINE,
    ENGINE_FIRST,
    TOOLS,
    Pair,
    each_pair,
    fields,
    first_three,
)
from tests.compose.stand_ins import Caller, Thinker, asked, call, drive, driven, letters

CLOSED = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
NAMED = {"type": "function", "function": {"name": "f"}}
ONE = '[{"name": "f", "parameters": {"a": 1}}]'
READS_JSON = {"engine": Pair("qwen3", "granite"), "classic": Pair("deepseek_r1", "pythonic")}
each_json_pair = pytest.mark.parametrize("pair", READS_JSON.values(), ids=READS_JSON)


def required():
    return RequiredCalls(id_maker("functions"))


def read(reader, *pieces):
    """Content and (name, arguments) of the calls that a reader of forced calls finds in pieces of content."""
    _, content, calls = fields([*map(reader.feed, pieces), reader.finish()])
    return content, calls


# --- none ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "keeps_markup"),
    [(ENGINE, False), (CLASSIC, True), (ENGINE_FIRST, True), (CLASSIC_FIRST, True)],
    ids=["engine", "classic", "engine-reasoning", "engine-tools"],
)
def test_d50_none_an_engine_pair_eats_the_markup_any_other_keeps_it(pair, keeps_markup):
    content = f"a{pair.call}after" if keeps_markup else "aafter"
    text = f"x</think>a{pair.call}after"
    assert fields(pair.stream(text, tool_choice="none")) == ("x", content, [])
    assert fields(pair.stream("x</think>", "a", pair.call, "after", tool_choice="none")) == ("x", content, [])
    assert pair.whole(text, tool_choice="none") == ("x", content, [])


# --- named -----------------------------------------------------------------------------------------------------------


@each_json_pair
@pytest.mark.parametrize("written", ['{"a": 1}', "No, never."], ids=["json", "prose"])
def test_d51_named_the_content_is_the_arguments_verbatim(pair, written):
    first, *rest = pair.stream("x</think>", *written, tool_choice=NAMED)[1:]
    [opening] = first.tool_calls
    assert opening.id
    assert (opening.index, opening.type, opening.function.name) == (0, "function", "f")
    assert all(entry.id is None and entry.index == 0 for delta in rest for entry in delta.tool_calls)
    assert fields([first, *rest]) == (None, None, [("f", written)])
    assert pair.whole(f"x</think>{written}", tool_choice=NAMED) == ("x", None, [("f", written)])


@each_json_pair
@pytest.mark.parametrize("blank", ["", "\n "], ids=["empty", "white space"])
def test_d51_named_blank_content_is_no_call(pair, blank):
    assert fields(pair.stream("x</think>", blank, tool_choice=NAMED)) == ("x", None, [])
    assert pair.whole(f"x</think>{blank}", tool_choice=NAMED) == ("x", None, [])


def test_d51_named_the_call_is_there_once_something_is_written():
    reader = NamedCall(id_maker("functions"), "f")
    assert (reader.feed(" "), reader.complete) == (None, frozenset())
    assert reader.feed("{").tool_calls == [call(0, " {", "f", "functions.f:0")]
    assert (reader.feed(""), reader.complete) == (None, frozenset({0}))


# --- required --------------------------------------------------------------------------------------------------------


@each_json_pair
def test_d52_required_the_content_is_an_array_of_calls(pair):
    text = '[{"name": "f", "parameters": {"a": 1}}, {"name": "g", "parameters": {}}]'
    calls = [("f", '{"a": 1}'), ("g", "{}")]
    assert fields(pair.stream("x</think>", *text, tool_choice="required")) == ("x", None, calls)
    assert pair.whole(f"x</think>{text}", tool_choice="required") == ("x", None, calls)


@pytest.mark.parametrize("written", ['[{"name": "f"}]', '[{"name":"f" }]'])
def test_d52_missing_parameters_are_an_empty_object(written):
    assert read(required(), written) == (None, [("f", "{}")])
    assert read(required(), *written) == (None, [("f", "{}")])


@each_json_pair
@pytest.mark.parametrize(
    "written",
    [
        "I cannot.",
        '{"name": "f"}',
        '[{"parameters": {}}]',
        "[{",
        "[1]",
    ],
)
def test_d52_content_that_is_no_such_array_is_not_lost(pair, written):
    assert fields(pair.stream("x</think>", *written, tool_choice="required")) == ("x", written, [])
    assert pair.whole(f"x</think>{written}", tool_choice="required") == ("x", written, [])


@pytest.mark.parametrize("rest", [", oops", ", 1]", ', {"parameters": {}}]'])
def test_d52_behind_a_call_what_is_none_is_not_given_back(rest):
    text = '[{"name": "f", "parameters": {"a": 1}}' + rest
    assert read(required(), text) == read(required(), *text) == (None, CALLED)


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param(['[{"name": "f', '"', ', "param'], [None, None, None], id="not before the parameters"),
        pytest.param(['[{"name": "f", "parameters": {', '"a": 1'], [[("f", "{")], [(None, '"a": 1')]], id="grows"),
        pytest.param(['[{"parameters": {"a": 1}', ', "name": "f"}'], [None, CALLED], id="parameters first"),
        pytest.param(
            ['[{"name": "f", "parameters": {}}, {"name": "g", "parameters": {"a"'],
            [[("f", "{}"), ("g", '{"a"')]],
            id="two begin in one delta",
        ),
        pytest.param(
            ['[{"name": "f", "parameters": {"a": "}]"', '}}, {"name": "g", "parameters": {}}]'],
            [[("f", '{"a": "}]"')], [(None, "}"), ("g", "{}")]],
            id="closers in a string",
        ),
        pytest.param([ONE, ' and "more"]'], [[("f", '{"a": 1}')], None], id="text behind the array"),
    ],
)
def test_d53_a_call_is_announced_when_its_name_is_known_and_its_parameters_begin(pieces, calls):
    reader = required()
    deltas = [reader.feed(piece) for piece in pieces]
    entries = [delta and [(one.function.name, one.function.arguments) for one in delta.tool_calls] for delta in deltas]
    assert entries == calls


def test_d53_the_index_is_the_place_in_the_array():
    deltas = [required().feed('[{"name": "f", "parameters": {}}, {"name": "g", "parameters": {}}]')]
    assert [(one.index, one.id) for one in deltas[0].tool_calls] == [(0, "functions.f:0"), (1, "functions.g:1")]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab\"\\}]é", max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text("ab\"", max_size=3), VALUES, max_size=3)


@given(
    st.lists(st.tuples(st.sampled_from("fg"), OBJECTS, st.booleans()), min_size=1, max_size=3),
    st.sets(st.integers(0, 200), max_size=5),
)
def test_d53_any_array_gives_its_calls_however_it_is_cut(wanted, edges):
    objects = [
        {"parameters": arguments, "name": name} if parameters_first else {"name": name, "parameters": arguments}
        for name, arguments, parameters_first in wanted
    ]
    text = json.dumps(objects)
    ends = [0, *sorted(edge for edge in edges if edge < len(text)), len(text)]
    content, calls = read(required(), *(text[ends[at] : ends[at + 1]] for at in range(len(ends) - 1)))
    assert content is None
    assert [(name, json.loads(arguments)) for name, arguments in calls] == [(name, one) for name, one, _ in wanted]


# --- auto ------------------------------------------------------------------------------------------------------------


@each_pair
@pytest.mark.parametrize("choice", ["auto", None, "required", NAMED], ids=["auto", "null", "required", "named"])
def test_d54_the_models_own_markup_is_read(pair, choice):
    text = f"x</think>ok{pair.call}"
    assert fields(pair.stream(text, tool_choice=choice)) == ("x", "ok", CALLED)
    assert pair.whole(text, tool_choice=choice) == ("x", "ok", CALLED)


@each_pair
@pytest.mark.parametrize("choice", ["auto", "required"])
def test_d54_without_content_beside_the_calls_there_is_none(pair, choice):
    assert pair.whole(f"x</think>{pair.call}", tool_choice=choice) == ("x", None, CALLED)
    assert pair.whole(f"x</think> \n{pair.call}", tool_choice=choice) == ("x", None, CALLED)


@pytest.mark.parametrize(
    ("pair", "content"),
    [(ENGINE, "ok"), (CLASSIC_FIRST, "ok"), (CLASSIC, "ok<tool_call>"), (ENGINE_FIRST, "ok<tool_call>")],
    ids=["engine", "engine-tools", "classic", "engine-reasoning"],
)
def test_d54_d63_an_envelope_without_a_call_is_eaten_by_engines_and_kept_by_classic_parsers(pair, content):
    assert pair.whole("x</think>ok<tool_call>") == ("x", content, [])


@each_pair
@pytest.mark.parametrize("choice", ["auto", "required", NAMED], ids=["auto", "required", "named"])
def test_d55_l56_with_the_auto_switch_off_markup_is_content_streamed_and_whole(pair, choice):
    text = f"x</think>ok{pair.call}"
    kept = ("x", f"ok{pair.call}", [])
    assert fields(pair.stream(text, auto_tools=False, tool_choice=choice)) == kept
    assert pair.whole(text, auto_tools=False, tool_choice=choice) == kept


@pytest.mark.parametrize("reasoning", ["qwen3", "deepseek_r1"])
@pytest.mark.parametrize("choice", ["auto", "none", "required", NAMED], ids=["auto", "none", "required", "named"])
def test_d56_without_a_tool_parser_content_stays(reasoning, choice):
    pair = Pair(reasoning, None)
    assert fields(pair.stream(f"x</think>{ONE}", tool_choice=choice)) == ("x", ONE, [])
    assert pair.whole(f"x</think>{ONE}", tool_choice=choice) == ("x", ONE, [])


@pytest.mark.parametrize(
    ("choice", "reads_json", "path"),
    [
        ("none", True, CallPath.NONE),
        ("none", False, CallPath.NONE),
        (NAMED, True, CallPath.NAMED),
        (NAMED, False, CallPath.AUTO),
        ("required", True, CallPath.REQUIRED),
        ("required", False, CallPath.AUTO),
        ("auto", True, CallPath.AUTO),
        (None, True, CallPath.AUTO),
    ],
)
def test_d57_one_of_four_paths(choice, reads_json, path):
    assert call_path(ChatRequest.model_validate({"tools": TOOLS, "tool_choice": choice}), reads_json) is path


@pytest.mark.parametrize("strict", [True, False], ids=["own markup", "JSON"])
def test_d57_l41_s36_the_servers_switch_decides_how_hermes_reads_a_required_call(strict):
    written = CLASSIC.call if strict else ONE
    assert CLASSIC.whole(f"x</think>{written}", strict_calling=strict, tool_choice="required") == ("x", None, CALLED)


# --- whole texts -----------------------------------------------------------------------------------------------------


def test_d60_reasoning_is_read_before_tools():
    log = []
    parsed = driven(Thinker(log), Caller(log)).parse("a|b", letters("a|b"))
    assert asked(log, "think", "call") == [("think", "a|b"), ("call", "b")]
    assert (parsed.reasoning, parsed.content) == ("a", "b")


@pytest.mark.parametrize("tool", ["qwen3_coder", None])
def test_d60_without_a_reasoning_parser_all_is_content(tool):
    assert Pair(None, tool).whole("<think>x</think>y") == (None, "<think>x</think>y", [])


@each_pair
def test_d60_the_prompt_is_heard_for_a_whole_text_too(pair):
    assert pair.whole("Hi", prompt=CLOSED) == (None, "Hi", [])


@each_pair
def test_d61_reasoning_is_not_hidden_here(pair):
    assert pair.whole("x</think>ok", include_reasoning=False) == ("x", "ok", [])


@pytest.mark.parametrize("pair", [ENGINE, CLASSIC_FIRST], ids=["engine", "engine-tools"])
def test_d62_a_marker_the_model_did_not_write_as_its_token_is_prose_streamed_and_whole(pair):
    encode = pair.tokenizer.encode
    ids = [*encode("x</think>use "), *encode("<tool_"), *encode("call>"), *encode(" tags")]
    text = "x</think>use <tool_call> tags"
    streamed = pair.parser().parse_delta(text, ids, finished=True)
    whole = pair.parser().parse(text, ids)
    assert first_three(streamed) == ("x", "use <tool_call> tags", [])
    assert (whole.reasoning, whole.content, whole.tool_calls) == ("x", "use <tool_call> tags", [])


@each_pair
@pytest.mark.parametrize(
    ("text", "expected"),
    [("thinki", ("thinki", None, [])), ("x</think>ok<tool_ca", ("x", "ok<tool_ca", []))],
    ids=["in reasoning", "in a marker"],
)
def test_d63_a_whole_text_that_is_cut_off(pair, text, expected):
    assert pair.whole(text) == expected


# --- ids and history -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("style", "count"), [("functions", 4), ("random", 0), ("alnum9", 0)])
def test_d70_calls_of_the_conversation_count_only_for_numbered_ids(style, count):
    parser = driven(None, Caller([]), style, 4)
    drive(parser, "a")
    assert parser.state.history_tool_call_cnt == count


def test_d71_p53_numbered_ids_go_on_from_the_conversation():
    text = '[{"name": "f", "parameters": {}}, {"name": "g", "parameters": {}}]'
    parser = driven(None, Caller([]), "functions", 2, reads_json=True, tools=TOOLS, tool_choice="required")
    [delta] = drive(parser, text)
    assert [one.id for one in delta.tool_calls if one.id] == ["functions.f:2", "functions.g:3"]


def test_d71_p53_other_ids_are_random():
    parsers = [driven(None, Caller([]), reads_json=True, tools=TOOLS, tool_choice="required") for _ in range(2)]
    ids = [delta.tool_calls[0].id for parser in parsers for delta in drive(parser, ONE)]
    assert all(one.startswith("chatcmpl-tool-") for one in ids)
    assert ids[0] != ids[1]


def test_d72_ids_of_an_engine_half_go_on_from_the_conversation():
    pair = Pair("kimi_k3", "kimi_k3")
    written = '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
    parser = pair.parser(prompt="<|open|>response<|sep|>", history_calls=2)
    pair.feed(parser, f"<|close|>response<|sep|>{written}")
    assert [one.id for one in parser.calls] == ["functions.f:2"]


@pytest.mark.parametrize("choice", ["auto", "required"])
def test_d73_a_whole_answer_counts_its_calls(choice):
    pair = READS_JSON["classic"]
    parser = pair.parser(tool_choice=choice)
    text = "x</think>" + (ONE if choice == "required" else "[f(a=1), g()]")
    made = parser.parse(text, pair.tokenizer.encode(text)).tool_calls
    assert parser.state.history_tool_call_cnt == len(made) > 0


@each_pair
def test_d74_a_streamed_call_keeps_one_id(pair):
    ids = [one.id for delta in pair.stream("x</think>", pair.call) if delta for one in delta.tool_calls]
    assert len([one for one in ids if one]) == 1
    assert ids[0]
