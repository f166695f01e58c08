"""Cases to results: card 00, C0-02, C0-03 and C0-10."""

import pytest

from parsers.debug.feed import open_case
from parsers.debug.replay import DEFAULT_STRATEGIES, ReplayOptions, parse_case, replay, replay_case
from parsers.files.case import Case
from parsers.files.limits import MAX_TEXT

CALL = '<tool_call>\n{"name": "find", "arguments": {"q": [1, "ü"]}}\n</tool_call>'
OPTIONS = ReplayOptions()


def case(**fields):
    defaults = {
        "id": "a",
        "reasoning_parser": "qwen3",
        "tool_parser": "hermes",
        "raw_output": f"hm</think>ok{CALL}",
    }
    return Case.model_validate({**defaults, **fields})


def run(a_case, strategy="token", options=OPTIONS):
    (result,) = replay_case(a_case, [strategy], options)
    return result


def fields(result):
    calls = [(call.index, call.name, call.arguments, call.complete) for call in result.tool_calls]
    return result.reasoning, (result.content or "").strip(), calls, result.finish_reason


@pytest.mark.parametrize(
    "strategy",
    [*DEFAULT_STRATEGIES, "every:3", "cuts:2,5", "char:0", "char:7", "given"],
)
def test_c0_03_every_strategy_gives_the_same_answer(strategy):
    result = run(case(chunks=["hm</th", "ink>ok<tool_", CALL.removeprefix("<tool_")]), strategy)
    assert result.error is None
    reasoning, content, ((index, name, arguments, complete),), finish = fields(result)
    assert (reasoning, content, index, name, complete, finish) == ("hm", "ok", 0, "find", True, "tool_calls")
    assert arguments == '{"q": [1, "ü"]}'


def test_c0_02_markers_are_single_tokens_of_the_bundled_tokenizer():
    feed = open_case(case(raw_output="<tool_call></think>"))
    assert [feed.tokenizer.token_text(token_id) for token_id in feed.stream.ids] == [
        "<tool_call>",
        "</think>",
    ]
    assert set(feed.stream.ids) <= feed.alone


def test_c0_01_given_token_texts_are_the_tokens():
    tokens = ["hm", "</think>", "o", "k"]
    feed = open_case(case(raw_output=None, tokens=tokens))
    assert [feed.tokenizer.token_text(token_id) for token_id in feed.stream.ids] == tokens
    assert fields(run(case(raw_output=None, tokens=tokens)))[:2] == ("hm", "ok")


@pytest.mark.parametrize("strategy", ["whole", "token", "given"])
def test_c0_01_byte_pieces_may_cut_a_character(strategy):
    pieces = [b"hm</think>\xc3".hex(), b"\xbc".hex()]
    assert fields(run(case(raw_output=None, chunks_utf8_hex=pieces), strategy))[:2] == ("hm", "ü")


def test_c0_10_a_case_that_cannot_run_gives_a_line_and_the_batch_goes_on():
    broken = case(tool_parser="herme", expected={"content": "ok"})
    first, second = replay([broken, case()], ["one"])
    assert (first[0].error.type, first[0].match) == ("UnknownName", False)
    assert "herme" in first[0].error.message
    assert second[0].error is None


@pytest.mark.parametrize(
    ("fields_of_case", "strategy", "error"),
    [
        ({"tokenizer": "/nowhere/tokenizer.json"}, "one", "TokenizerError"),
        ({"raw_output": "x" * (MAX_TEXT + 1)}, "one", "LimitError"),
        ({"request": {"stop": [""]}}, "one", "RequestError"),
        ({}, "given", "CaseError"),
    ],
    ids=["tokenizer", "too-long", "empty-stop", "no-chunks"],
)
def test_c0_10_errors_carry_their_type(fields_of_case, strategy, error):
    assert run(case(**fields_of_case), strategy).error.type == error


def test_c0_10_a_defect_in_a_parser_does_not_stop_the_batch(monkeypatch):
    def explode(*_arguments, **_options):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("parsers.debug.replay.compose_parser", explode)
    assert run(case()).error.type == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("expected", "also_accept", "match"),
    [
        (None, [], None),
        ({"content": "ok"}, [], True),
        ({"content": "no"}, [], False),
        ({"content": "no"}, [{"content": "ok"}], True),
    ],
    ids=["nothing-expected", "right", "wrong", "accepted-too"],
)
def test_c0_10_match(expected, also_accept, match):
    assert run(case(expected=expected, also_accept=also_accept)).match is match


def test_c0_10_usage_counts_ids_and_reasoning_tokens():
    usage = run(case(raw_output=None, tokens=["a", "b", "</think>", "c"])).usage
    assert (usage.completion_tokens, usage.reasoning_tokens) == (4, 2)
    assert run(case(reasoning_parser=None)).usage.reasoning_tokens is None


def test_c0_10_deltas_are_kept_only_when_asked_for():
    assert run(case()).deltas is None
    assert '"deltas"' not in run(case()).as_line()
    deltas = run(case(), "one", ReplayOptions(deltas=True)).deltas
    assert deltas[0]["reasoning"] == "hm"


def test_p30_an_output_cut_by_length_says_so_and_its_call_is_incomplete():
    result = run(case(raw_output=f"hm</think>{CALL[:50]}", engine_finish_reason="length"))
    assert result.finish_reason == "length"
    assert [call.complete for call in result.tool_calls] == [False]
    assert (
        run(case(raw_output=f"hm</think>{CALL[:50]}", engine_finish_reason="length"), "whole").tool_calls
        == []
    )


def test_a_cut_call_is_not_shown_when_calls_are_committed_on_close():
    cut = case(raw_output=f"hm</think>{CALL[:50]}", engine_finish_reason="length")
    assert run(cut, "token", ReplayOptions(call_commit="on_close")).tool_calls == []


@pytest.mark.parametrize("strategy", ["whole", "token"])
def test_p40_hidden_reasoning_is_hidden_by_the_serving_layer_only(strategy):
    hidden = case(request={"include_reasoning": False})
    assert run(hidden, strategy).reasoning is None
    assert run(hidden, strategy, ReplayOptions(layer="parser")).reasoning == "hm"


@pytest.mark.parametrize(("layer", "told"), [("serving", "tool_calls"), ("parser", "stop")])
def test_the_parser_layer_reports_the_engines_finish_reason(layer, told):
    assert run(case(), "token", ReplayOptions(layer=layer)).finish_reason == told


def test_stop_strings_of_the_request_end_the_stream():
    result = run(case(raw_output="hm</think>one two three", request={"stop": " two"}))
    assert fields(result)[:2] == ("hm", "one")


@pytest.mark.parametrize(
    ("check", "match"),
    [
        ({"after_chunk": 0, "content_at_most": ""}, True),
        ({"after_chunk": 1, "content_at_least": "ok"}, True),
        ({"after_chunk": 0, "content_at_least": "ok"}, False),
        ({"at_end": True, "content_at_least": "ok then"}, True),
    ],
    ids=["not-yet", "by-then", "too-early-for-it", "at-the-end"],
)
def test_c0_01_stream_checks_hold_for_the_cases_own_chunks(check, match):
    pieces = ["hm</th", "ink>ok", " then"]
    checked = case(
        raw_output="".join(pieces), chunks=pieces, stream_checks=[check], expected={"reasoning": "hm"}
    )
    assert run(checked, "given").match is match
    assert run(checked, "one").match is True


def test_the_prompt_decides_whether_thinking_is_open():
    closed = case(raw_output="plain", generation_prompt="<think>\n\n</think>\n\n")
    assert fields(run(closed))[:2] == (None, "plain")


def test_parse_case_returns_the_three_fields():
    message = parse_case(case())
    assert (message.reasoning, message.content, len(message.tool_calls)) == ("hm", "ok", 1)


def test_expectations_survive_the_way_to_another_process():
    results = list(replay([case(expected={"content": "ok"})] * 2, ["whole", "token"], jobs=2))
    assert [[result.match for result in group] for group in results] == [[True, True], [True, True]]
