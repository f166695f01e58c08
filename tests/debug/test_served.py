"""Runs served in full: what goes over the wire, what of it leaks, when the grammar starts (cards 01, 05, 07)."""

import json
from dataclasses import asdict, replace

import pytest

from parsers.debug.asked import RequestSettings, forcing
from parsers.debug.session import RunSettings, check, prepare, record
from parsers.structured.timeline import Freedom
from tests.debug.runs import JSON, RUNS, TOOLS, XML

PLAN = "a secret plan"
SECRET = replace(JSON, raw_output=f"{PLAN}</think>ok")
ASKING = RequestSettings(include_reasoning=False, logprobs=True, top_logprobs=1, return_token_ids=True)
OPEN_PROMPT = "<|im_start|>assistant\n<think>\n"
LETTERS = {Freedom.FREE: "f", Freedom.MASKED: "m", Freedom.GRAMMAR: "g"}


def asking(run, **fields):
    return replace(run, request=RequestSettings(**fields))


def served(run):
    return record(run).served


def events(run):
    """The JSON objects of a response; checks its end."""
    sent = served(run).sent
    *data, last = [*sent.opening, *(line for lines in sent.steps for line in lines), *sent.closing]
    assert last == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in data]


def received(run):
    """The three fields as a client adds them up, and the finish reason."""
    deltas = [choice["delta"] for event in events(run) for choice in event["choices"]]
    reasons = [choice["finish_reason"] for event in events(run) for choice in event["choices"]]
    calls = {call["index"] for delta in deltas for call in delta.get("tool_calls", ())}
    texts = ("".join(delta.get(name) or "" for delta in deltas) for name in ("reasoning", "content"))
    return (*texts, len(calls), reasons[-1])


# --- the wire -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_nothing_asked_hides_nothing(run):
    trace = record(run)
    reasoning, content, calls, reason = received(run)
    assert (reasoning, content, calls) == (trace.reasoning or "", trace.content or "", len(trace.calls))
    assert reason == trace.meta.finish_reason
    assert (trace.served.hidden, trace.served.timeline, trace.served.audit.leaks) == (False, None, ())


@pytest.mark.parametrize(
    ("asked", "calls", "reason"),
    [
        ({}, 2, "tool_calls"),
        ({"tool_choice": "null"}, 0, "stop"),
        ({"tool_choice": "none"}, 0, "stop"),
        ({"auto_tools": False}, 0, "stop"),
        ({"parallel_tool_calls": False}, 1, "tool_calls"),
        ({"tool_choice": "required"}, 2, "tool_calls"),
    ],
    ids=["absent", "p25 null", "p31 none", "p24 auto switched off", "p26 one call", "p24 required"],
)
def test_which_calls_reach_the_client(asked, calls, reason):
    assert received(asking(JSON, **asked))[2:] == (calls, reason)


def test_p37_counts_come_last_and_only_when_asked_for():
    with_counts, without = events(asking(JSON, include_usage=True)), events(JSON)
    assert with_counts[-1]["choices"] == []
    assert with_counts[-1]["usage"] == served(JSON).usage.model_dump()
    assert not any("usage" in event for event in [*with_counts[:-1], *without])


def test_p36_counts_ride_on_every_chunk():
    run = asking(JSON, include_usage=True, continuous_usage=True)
    counts = [event["usage"]["completion_tokens"] for event in events(run)]
    assert counts == sorted(counts)
    assert counts[-1] == len(prepare(run).stream.ids)


def test_p50_the_ids_of_the_prompt_ride_on_the_first_chunk():
    first, *others = events(asking(replace(XML, generation_prompt=OPEN_PROMPT), return_token_ids=True))
    assert first["prompt_token_ids"] == prepare(XML).tokenizer.encode(OPEN_PROMPT)
    assert not any("prompt_token_ids" in event for event in others)


def test_p32_the_stop_string_that_ended_the_stream_is_told():
    *_, last = events(RunSettings("hm</think>one two three", "qwen3", stop=("three",)))
    assert last["choices"][0]["stop_reason"] == "three"


def test_d72_ids_that_count_go_on_from_the_calls_of_the_conversation():
    written = (
        "<|tool_calls_section_begin|><|tool_call_begin|>ping<|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|>"
    )
    run = RunSettings(written, None, "kimi_k2", tools_json=TOOLS)
    assert [call.id for call in record(asking(run, history_calls=2)).calls] == ["functions.ping:2"]


# --- counts and leaks ---------------------------------------------------------------------------------


def test_p38_the_count_that_does_not_know_the_prompt_is_told_beside_the_right_one():
    seen = served(replace(SECRET, generation_prompt=OPEN_PROMPT))
    assert seen.usage.completion_tokens_details.reasoning_tokens == len(prepare(SECRET).tokenizer.encode(PLAN))
    assert seen.generated_only == 0


def test_p38_both_counts_agree_when_the_output_opens_the_thinking():
    seen = served(replace(SECRET, raw_output=f"<think>{PLAN}</think>ok"))
    assert seen.generated_only == seen.usage.completion_tokens_details.reasoning_tokens > 0


def test_p35_without_a_reasoning_parser_there_is_no_such_count():
    seen = served(replace(JSON, reasoning=None))
    assert (seen.usage.completion_tokens_details, seen.generated_only) == (None, None)


def test_f09_f17_hidden_thinking_sends_no_frame_and_leaks_nowhere():
    trace = record(replace(SECRET, request=ASKING))
    assert trace.reasoning == PLAN
    assert (trace.served.hidden, trace.served.audit.leaks, trace.served.audit.unreadable) == (True, (), ())
    assert {"logprobs.bytes", "token_ids", "top_logprobs"} <= set(trace.served.audit.checked)
    steps = zip(trace.served.sent.steps, trace.records, strict=True)
    thinking = [lines for lines, step in steps if not step.gate.ended]
    assert thinking
    assert not any(thinking)
    assert trace.served.usage.completion_tokens_details.reasoning_tokens > 0


def test_f09_thinking_that_comes_as_content_is_found():
    """A client that hides reasoning and repeats it in the answer has a leak of the model's own making."""
    leaks = served(replace(SECRET, raw_output=f"{PLAN}</think>My plan: {PLAN}.", request=ASKING)).audit.leaks
    assert [(leak.field, leak.text) for leak in leaks] == [("content", PLAN)]


def test_f09_a_word_that_any_text_holds_is_no_leak():
    assert served(replace(SECRET, raw_output="a</think>what", request=ASKING)).audit.leaks == ()


def test_p42_without_a_parser_tokens_stay_visible_and_the_check_says_so():
    run = RunSettings(f"<think>{PLAN}</think>ok", request=ASKING)
    assert any("token_ids" in choice for event in events(run) for choice in event["choices"])
    assert "P-42" in {finding.rule for finding in check(run)}


def test_l56_a_tool_parser_that_is_never_built_hides_nothing():
    asked = replace(ASKING, auto_tools=False)
    run = replace(JSON, reasoning=None, request=asked)
    assert any("token_ids" in choice for event in events(run) for choice in event["choices"])


# --- constraints --------------------------------------------------------------------------------------


def drawn(run):
    timeline = served(run).timeline
    return "".join(LETTERS[token.freedom] for token in timeline.tokens), timeline.start


def test_s50_the_grammar_starts_behind_thinking():
    letters, start = drawn(asking(JSON, tool_choice="required"))
    closer = prepare(JSON).stream.ids.index(prepare(JSON).tokenizer.vocab["</think>"])
    assert start == closer + 1
    assert letters == "f" * start + "g" * (len(letters) - start)


def test_s42_hidden_reasoning_is_constrained_from_the_first_token_and_the_check_says_so():
    run = asking(JSON, tool_choice="required", include_reasoning=False)
    assert drawn(run)[1] == 0
    assert "F-46" in {finding.rule for finding in check(run)}


def test_s44_an_engine_without_the_arguments_starts_its_grammar_inside_thinking():
    thinking = replace(
        JSON, reasoning="deepseek_v3", template_kwargs={"thinking": True, "enable_thinking": True}
    )
    same = asking(thinking, tool_choice="required")
    other = asking(thinking, tool_choice="required", engine_arguments=False)
    assert drawn(same)[1] == prepare(JSON).stream.ids.index(prepare(JSON).tokenizer.vocab["</think>"]) + 1
    assert drawn(other)[1] == 1
    assert [finding.rule for finding in check(other)] == ["F-23"]


@pytest.mark.parametrize("cuts", ["token", "one", "every:4"])
def test_s52_a_format_without_end_tokens_is_asked_where_thinking_ends(cuts):
    run = RunSettings("hm hm</think>ok", "olmo3", "hermes", cuts=cuts)
    run = asking(replace(run, tools_json=TOOLS), tool_choice="required")
    letters, start = drawn(run)
    shown = prepare(run).tokenizer.decode(prepare(run).stream.ids[:start])
    assert shown == "hm hm</think>"
    assert letters[start - 1 : start + 1] == "fg"


def test_s70_a_stream_without_ids_has_no_timeline():
    assert served(asking(replace(JSON, text_only=True), tool_choice="required")).timeline is None


@pytest.mark.parametrize(
    ("asked", "constrained"),
    [
        ({}, False),
        ({"strict_tools": ("book",)}, True),
        ({"strict_level": "function"}, True),
        ({"strict_level": "function", "strict_calling": False}, False),
        ({"response_format": '{"type": "json_object"}'}, True),
        ({"tool_choice": forcing("ping")}, True),
        ({"tool_choice": "none", "strict_level": "parameter"}, False),
    ],
    ids=["auto", "s23 a strict tool", "s22 a floor", "s35 switched off", "s26 own format", "named", "s21 none"],
)
def test_what_constrains_an_output(asked, constrained):
    assert (served(asking(JSON, **asked)).timeline is not None) is constrained


def test_s26_the_clients_own_format_wins_over_calls_with_a_warning():
    warnings = served(asking(JSON, response_format='{"type": "json_object"}')).prepared.warnings
    assert len(warnings) == 1
    assert "calls are not constrained" in warnings[0]


def test_settings_are_plain_values():
    assert asdict(asking(JSON, strict_tools=("book",)))["request"]["strict_tools"] == ("book",)
    assert hash(RequestSettings()) == hash(RequestSettings())
