"""The delegating composition, rule by rule: card 04, D-01 … D-49.

Stand-ins show what is asked, and in which order; pairs of real names show what comes out.
"""

import pytest

from parsers.compose.stream_state import StreamState
from parsers.errors import RequestError
from parsers.protocol import DeltaMessage
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate
from tests.compose.pairs import (
    CALLED,
    CLASSIC,
    CLASSIC_FIRST,
    ENGINE,
    JSON,
    TAGGED,
    Pair,
    each_pair,
    fields,
    first_three,
)
from tests.compose.stand_ins import Caller, EngineCaller, EngineThinker, Thinker, asked, call, drive, driven

KINDS = {
    "engine": (EngineThinker, EngineCaller),
    "classic": (Thinker, Caller),
    "engine-reasoning": (EngineThinker, Caller),
    "engine-tools": (Thinker, EngineCaller),
}
each_kind = pytest.mark.parametrize(("thinker", "caller"), KINDS.values(), ids=KINDS)
OPEN, CLOSED = "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n<think>\n\n</think>\n\n"


# --- the state of a stream ---------------------------------------------------------------------------------------


def test_d01_what_a_stream_begins_with():
    state = driven(None, None).state
    assert {name: getattr(state, name) for name in StreamState.STATE} == {
        "reasoning_ended": False,
        "tool_call_text_started": False,
        "prompt_reasoning_checked": False,
        "previous_text": "",
        "previous_token_ids": [],
        "history_tool_call_cnt": 0,
        "history_tool_call_cnt_initialized": False,
        "tool_call_id_type": "random",
        "function_name_returned": False,
        "engine_based": True,
    }


@pytest.mark.parametrize(("engine", "shown"), [(True, ("b", [2])), (False, ("ab", [1, 2]))], ids=["engine", "classic"])
def test_d02_d03_a_classic_pair_is_shown_all_text_so_far_an_engine_pair_the_new_one(engine, shown):
    state = StreamState(engine_based=engine)
    state.commit(*state.advance("a", [1]))
    assert state.advance("b", [2]) == shown


def test_d03_an_opener_in_two_deltas_is_found():
    assert fields(CLASSIC.stream("x</think>", "<tool_", "call>" + JSON.removeprefix("<tool_call>")))[2] == CALLED


@pytest.mark.parametrize(
    ("reasoning", "tool", "engine"),
    [
        (EngineThinker, EngineCaller, True),
        (EngineThinker, None, True),
        (None, EngineCaller, True),
        (None, None, True),
        (EngineThinker, Caller, False),
        (Thinker, EngineCaller, False),
        (Thinker, Caller, False),
        (None, Caller, False),
    ],
)
def test_d04_a_pair_is_engine_based_when_both_are(reasoning, tool, engine):
    parser = driven(reasoning and reasoning([]), tool and tool([]))
    assert parser.state.engine_based is engine


@each_pair
@pytest.mark.parametrize("strategy", ["one", "token", "special", "rand:1:8", "rand:7:3"])
def test_d04_every_pair_gives_the_same_fields_however_the_stream_is_cut(pair, strategy):
    parser, stream = pair.parser(), simulate(pair.tokenizer, pair.tokenizer.encode(f"think</think>ok{pair.call}"))
    deltas = [parser.parse_delta(one.text, one.ids, one.spans, one.finished) for one in cut(stream, strategy)]
    assert fields(deltas) == ("think", "ok", CALLED)


@pytest.mark.parametrize("tool", ["qwen3_coder", "hermes"])
def test_d05_without_a_reasoning_parser_thinking_markup_is_content(tool):
    deltas = Pair(None, tool).stream("<think>x", "</think>y")
    assert fields(deltas) == (None, "<think>x</think>y", [])


@each_pair
def test_d06_a_finished_parser_takes_no_second_stream(pair):
    parser = pair.parser()
    pair.feed(parser, "x</think>ok")
    with pytest.raises(RequestError, match="make a new one"):
        parser.parse_delta("second")
    with pytest.raises(RequestError, match="make a new one"):
        parser.parse("second")


@each_kind
def test_d07_each_parser_reads_its_own_part(thinker, caller):
    log = []
    parser = driven(thinker(log), caller(log))
    drive(parser, "ab", "c|d", "ef", None)
    assert "".join(entry[-1].partition("|")[0] for entry in asked(log, "think")) == "abc"
    assert "".join(entry[-1] for entry in asked(log, "call")) == "def"


# --- phase 1: the prompt -----------------------------------------------------------------------------------------


@each_kind
def test_d10_the_prompt_is_heard_once_and_before_the_first_delta(thinker, caller):
    log = []
    drive(driven(thinker(log), caller(log), prompt="open"), "a", "b", None)
    assert log[:3] == [("prompt", "open"), ("start", "open"), ("think", "", "a", "a")]
    assert asked(log, "prompt", "start") == log[:2]


@each_kind
def test_d10_l05_a_prompt_that_ends_reasoning_leaves_only_content(thinker, caller):
    log = []
    parser = driven(thinker(log), caller(log), prompt="closed|")
    assert fields(drive(parser, "Hi", None)) == (None, "Hi", [])
    assert asked(log, "prompt", "start", "think") == [("prompt", "closed|")]


@each_pair
def test_d10_the_prompt_decides_where_an_answer_goes(pair):
    assert fields(pair.stream("Hi", prompt=CLOSED)) == (None, "Hi", [])
    assert fields(pair.stream("Hi", prompt=OPEN)) == ("Hi", None, [])


@pytest.mark.parametrize("tool", ["qwen3_coder", "hermes"])
def test_d11_without_prompt_and_reasoning_parser_calls_are_read(tool):
    pair = Pair(None, tool)
    text = TAGGED if tool == "qwen3_coder" else JSON
    assert fields(pair.stream(text))[2] == CALLED


@pytest.mark.parametrize("tool", ["hermes", None])
def test_d12_identity_lets_content_through_without_a_prompt(tool):
    pair = Pair("deepseek_v3", tool)
    assert fields(pair.stream("Hi", " there", thinking=False)) == (None, "Hi there", [])


@pytest.mark.parametrize(
    ("pair", "ended"), [(ENGINE, False), (CLASSIC, True)], ids=["engine: this turn", "classic: the last marker"]
)
def test_d13_an_end_of_an_earlier_turn(pair, ended):
    earlier = "<think>a</think>b<|im_end|>\n<|im_start|>assistant\n"
    parser = pair.parser(prompt=earlier)
    pair.feed(parser, "x", "")
    assert parser.state.reasoning_ended is ended


@pytest.mark.parametrize("reasoning", ["qwen3", "deepseek_v3"], ids=["engine", "classic"])
@pytest.mark.parametrize(("thinking", "hi"), [(True, ("Hi", None, [])), (False, (None, "Hi", []))], ids=["on", "off"])
def test_l58_the_template_arguments_of_the_request_reach_both_kinds_of_parser(reasoning, thinking, hi):
    assert fields(Pair(reasoning, "qwen3_coder").stream("Hi", thinking=thinking)) == hi


# --- phases 2 to 4: reasoning and the switch ---------------------------------------------------------------------


@each_kind
def test_d15_one_advance_and_one_commit_for_each_delta(thinker, caller, monkeypatch):
    counts = {"advance": 0, "commit": 0}

    def counting(name, method):
        def counted(self, *arguments):
            counts[name] += 1
            return method(self, *arguments)

        return counted

    for name in counts:
        monkeypatch.setattr(StreamState, name, counting(name, getattr(StreamState, name)))
    drive(driven(thinker([]), caller([])), "a", "b|c", "d", "", None)
    assert counts == {"advance": 4, "commit": 4}


@each_kind
def test_d20_the_tool_parser_is_not_asked_while_reasoning_lasts(thinker, caller):
    log = []
    assert fields(drive(driven(thinker(log), caller(log)), "a", "b")) == ("ab", None, [])
    assert len(asked(log, "think")) == 2
    assert asked(log, "call") == []


@each_kind
def test_d25_the_end_is_asked_for_behind_the_reasoning(thinker, caller):
    log = []
    [delta] = drive(driven(thinker(log), caller(log)), "x|ok")
    kinds = [entry[0] for entry in asked(log, "think", "ended?", "confirmed?", "call")]
    assert kinds in (["think", "ended?", "call"], ["think", "confirmed?", "call"])
    assert first_three(delta) == ("x", "ok", [])


@each_pair
def test_d26_an_end_whose_text_is_late_has_not_come_yet(pair):
    parser, encode = pair.parser(), pair.tokenizer.encode
    first = parser.parse_delta("x", encode("x</think>"))
    assert not parser.reasoning_ended
    second = parser.parse_delta("</think>ok", encode("ok"), finished=True)
    assert parser.reasoning_ended
    assert fields([first, second]) == ("x", "ok", [])


@each_kind
def test_d27_what_is_left_of_the_switch_is_content_and_never_reasoning(thinker, caller):
    log = []
    parser = driven(thinker(log), caller(log))
    drive(parser, "ab|cd")
    assert parser.state.reasoning_ended
    assert asked(log, "call") == [("call", "", "cd", "cd")]


@each_pair
def test_d27_the_beginning_of_an_opener_that_was_held_at_the_switch_is_not_lost(pair):
    rest = pair.call.removeprefix("<")
    plain = pair.tokenizer.encode("x</think>")
    parser = pair.parser()
    opener, *others = pair.tokenizer.encode(pair.call)
    deltas = [
        parser.parse_delta("x</think><", [*plain, opener]),
        parser.parse_delta(rest, others, finished=True),
    ]
    assert fields(deltas) == ("x", None, CALLED)


@pytest.mark.parametrize("caller", [Caller, EngineCaller, None])
def test_d28_reasoning_that_was_held_comes_with_the_switch(caller):
    log = []
    [delta] = drive(driven(EngineThinker(log, late="late"), caller and caller(log)), "x|ok")
    assert first_three(delta) == ("xlate", "ok", [])


# --- phases 5 and 6: content and tools ---------------------------------------------------------------------------


@each_pair
def test_d30_content_behind_the_switch_is_said_once(pair):
    [delta] = pair.stream("x</think>ok")
    assert first_three(delta) == ("x", "ok", [])


@pytest.mark.parametrize("reasoning", ["qwen3", "deepseek_r1"])
def test_d30_d31_without_a_tool_parser_it_is_said_too(reasoning):
    assert fields(Pair(reasoning, None).stream("x</think>ok", "more")) == ("x", "okmore", [])


@each_kind
def test_d35_the_tool_parser_begins_with_nothing_before_it(thinker, caller):
    log = []
    drive(driven(thinker(log), caller(log)), "abc|d", "e")
    assert asked(log, "call")[0] == ("call", "", "d", "d")


@pytest.mark.parametrize("pair", [CLASSIC, CLASSIC_FIRST], ids=["classic", "engine-tools"])
def test_d35_an_example_of_a_call_inside_thinking_is_reasoning(pair):
    deltas = pair.stream("see ", pair.call, " there</think>", "ok")
    assert fields(deltas) == (f"see {pair.call} there", "ok", [])


@each_kind
def test_d36_the_tool_parser_begins_without_a_switch_too(thinker, caller):
    log = []
    drive(driven(thinker(log), caller(log), prompt="closed|"), "ab", "c")
    assert asked(log, "call")[0] == ("call", "", "ab", "ab")


@each_pair
def test_d37_one_delta_fills_all_three_fields(pair):
    [delta] = pair.stream(f"y</think>ok{pair.call}")
    assert first_three(delta) == ("y", "ok", CALLED)


@each_kind
@pytest.mark.parametrize(
    ("answer", "content"), [(None, None), (DeltaMessage(content="c"), "c")], ids=["nothing", "content"]
)
def test_d37_the_tail_of_reasoning_stays_whatever_the_tool_parser_says(thinker, caller, answer, content):
    [delta] = drive(driven(thinker([]), caller([], [answer])), "tail|c")
    assert first_three(delta) == ("tail", content, [])


@each_kind
def test_d38_calls_are_counted_by_the_entries_with_an_id(thinker, caller):
    two = DeltaMessage(tool_calls=[call(0, name="f", id="x"), call(1, name="g", id="y"), call(1, "{}")])
    parser = driven(thinker([]), caller([], [two, DeltaMessage(tool_calls=[call(1, "}")])]), "functions", 3)
    drive(parser, "a|b", "c")
    assert parser.state.history_tool_call_cnt == 5


@each_kind
@pytest.mark.parametrize(
    ("choice", "told"),
    [("auto", False), ({"type": "function", "function": {"name": "f"}}, True), ("required", True)],
    ids=["auto", "named", "required"],
)
def test_d39_whether_the_name_was_sent_is_known_for_a_forced_call(thinker, caller, choice, told):
    tools = [{"type": "function", "function": {"name": "f"}}]
    parser = driven(thinker([]), caller([]), reads_json=True, tools=tools, tool_choice=choice)
    drive(parser, '|[{"name": "f", "parameters": {"a"')
    assert parser.state.function_name_returned is told


@each_kind
def test_d3a_the_tool_parser_is_asked_even_when_the_switch_leaves_it_nothing(thinker, caller):
    log = []
    assert drive(driven(thinker(log), caller(log)), "|") == [None]
    assert asked(log, "call") == [("call", "", "", "")]


# --- phases 7 and 8: passing through and finishing ---------------------------------------------------------------


def test_d40_text_that_is_nobodys_is_content_even_when_empty():
    assert drive(driven(None, None), "a", "") == [DeltaMessage(content="a"), DeltaMessage(content="")]


@pytest.mark.parametrize("thinker", [Thinker, EngineThinker])
def test_d40_the_marker_of_the_switch_is_not(thinker):
    assert drive(driven(thinker([]), None), "|", "a") == [None, DeltaMessage(content="a")]


@each_pair
@pytest.mark.parametrize(
    ("pieces", "expected"),
    [(["ab<"], ("ab<", None, [])), (["x</think>", "ok<tool_ca"], ("x", "ok<tool_ca", []))],
    ids=["in reasoning", "in content"],
)
def test_d45_held_text_comes_out_at_the_end(pair, pieces, expected):
    assert fields(pair.stream("".join(pieces))) == expected
    assert fields(pair.stream(*pieces[:-1], *pieces[-1])) == expected


@each_kind
def test_d45_d47_a_fallback_is_content_when_reasoning_never_ends_and_reasoning_all_the_same(thinker, caller):
    assert fields(drive(driven(thinker([], "all"), caller([])), "all", None)) == ("all", "all", [])
    assert fields(drive(driven(thinker([], "all"), caller([])), "all|", None)) == ("all", None, [])


def test_d45_l44_arguments_that_were_not_sent_come_with_the_last_delta():
    caller = Caller([], [DeltaMessage(tool_calls=[call(0, '{"a"', "f", "x")]), None])
    caller.prev_tool_call_arr, caller.streamed_args_for_tool = [{"name": "f", "arguments": {"a": 1}}], ['{"a"']
    assert fields(drive(driven(None, caller), "a", "b", None)) == (None, None, [("f", '{"a": 1}')])


@each_kind
def test_d45_d46_what_is_held_is_added_to_the_last_delta(thinker, caller):
    answer = DeltaMessage(content="c", tool_calls=[call(0, "1", "f", "x")])
    held = DeltaMessage(content="d", tool_calls=[call(0, "2")])
    [delta] = drive(driven(thinker([]), caller([], [answer], held)), "r|t", None)
    assert delta.content == "cd"
    assert delta.tool_calls == [call(0, "1", "f", "x"), call(0, "2")]


def test_d45_the_reasoning_parser_holds_nothing_of_its_own_behind_the_switch():
    log = []
    drive(driven(EngineThinker(log), EngineCaller(log)), "a|b", "c", None)
    assert asked(log, "finish thinking", "finish calling") == [("finish thinking",), ("finish calling",)]


@each_pair
def test_d48_hidden_reasoning_that_was_held_does_not_leak(pair):
    assert pair.stream("ab<", include_reasoning=False) == [None]
    assert fields(pair.stream("x</think>ok", include_reasoning=False)) == (None, "ok", [])


@each_pair
@pytest.mark.parametrize(
    ("text", "ids"), [("k", True), ("k", False), ("", False)], ids=["text and ids", "text alone", "neither"]
)
def test_d49_the_last_delta_is_read_like_any_other(pair, text, ids):
    parser, encode = pair.parser(), pair.tokenizer.encode
    first = parser.parse_delta("x</think>o", encode("x</think>o"))
    last = parser.parse_delta(text, encode(text) if ids else (), finished=True)
    assert fields([first, last]) == ("x", f"o{text}", [])
