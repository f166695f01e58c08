"""Replay holds every run to the laws (card 00, C0-10 `laws`)."""

import pytest

from parsers.cli import main
from parsers.compose.slots import Slots
from parsers.debug.replay import SWEEP, SWEEP_TEXT, ReplayOptions, replay_case
from parsers.debug.summary import Summary
from parsers.engine.lexer import IncrementalLexer
from parsers.files.case import Case

CALL = '<tool_call>\n{"name": "find", "arguments": {"q": 1}}\n</tool_call>'


def case(**fields):
    defaults = {"id": "a", "reasoning_parser": "qwen3", "tool_parser": "hermes", "raw_output": f"hm</think>ok{CALL}"}
    return Case.model_validate({**defaults, **fields})


def laws_of(a_case, strategies=(), options=None):
    return {result.strategy: result.laws for result in replay_case(a_case, strategies, options or ReplayOptions())}


@pytest.fixture
def impatient_lexer(monkeypatch):
    """A lexer that never waits for the rest of a marker."""
    whole = IncrementalLexer.next
    monkeypatch.setattr(IncrementalLexer, "next", lambda self, lexicon, final: whole(self, lexicon, True))


@pytest.fixture
def losing_slots(monkeypatch):
    """Slots that lose every piece of content that is one character."""
    whole = Slots.put_content

    def put_content(self, text, start, end, rule):
        if len(text) > 1:
            whole(self, text, start, end, rule)

    monkeypatch.setattr(Slots, "put_content", put_content)


def test_sound_runs_break_no_law():
    assert set(map(tuple, laws_of(case(chunks=["hm</th", "ink>ok", CALL])).values())) == {()}


@pytest.mark.usefixtures("impatient_lexer")
def test_a_marker_that_was_not_waited_for_is_a_leak_and_a_different_answer():
    broken = laws_of(case(raw_output="hm</think>ok"), ["one", "char:0"])
    assert broken == {"one": [], "char:0": ["No leak"]}
    broken = laws_of(case(raw_output="hm</think>ok"), ["char:6", "char:0"])
    assert broken["char:0"] == ["No leak", "Cut invariance", "Growth"]


@pytest.mark.usefixtures("losing_slots")
def test_text_that_is_lost_under_one_cut_breaks_cut_invariance():
    broken = laws_of(case(raw_output="hm</think>ok"), ["char:9", "char:0"])
    assert broken == {"char:9": [], "char:0": ["Cut invariance"]}


def test_text_only_runs_are_compared_among_themselves():
    """A marker spelled by ordinary tokens is text with ids and a marker without (E-22)."""
    tokens = ["hm", "</think>", "<tool", "_call>"]
    broken = laws_of(case(raw_output=None, tokens=tokens), ["token", "one", "char:0"])
    assert set(map(tuple, broken.values())) == {()}


def test_p_40_reasoning_that_is_hidden_and_sent_is_a_leak(monkeypatch):
    monkeypatch.setattr("parsers.serving.chat.ChatStreamProcessor._visible", lambda self, message: message)
    hidden = case(request={"include_reasoning": False})
    assert laws_of(hidden, ["token"])["token"] == ["No leak"]
    assert laws_of(hidden, ["token"], ReplayOptions(layer="parser"))["token"] == []


@pytest.mark.usefixtures("losing_slots")
def test_a_broken_law_is_told_and_counts_as_differing():
    a_case = case(raw_output="hm</think>ok")
    summary = Summary()
    summary.add(a_case, replay_case(a_case, ["char:9", "char:0"], ReplayOptions()))
    assert not summary.all_matched
    assert "law Cut invariance: content is absent, not 'ok'" in summary.text()


# --- sweep --------------------------------------------------------------------------------------------


def test_c0_20_a_sweep_adds_a_result_with_ids_and_one_without():
    results = replay_case(case(), ["whole"], ReplayOptions(sweep=True))
    assert [result.strategy for result in results] == ["whole", SWEEP, SWEEP_TEXT]
    for result in results[1:]:
        assert (result.reasoning, result.content, result.laws) == ("hm", "ok", [])
        assert [(call.name, call.arguments) for call in result.tool_calls] == [("find", '{"q": 1}')]


@pytest.mark.usefixtures("impatient_lexer")
def test_a_sweep_names_each_cut_that_changes_the_answer():
    *_, swept = replay_case(case(raw_output="hm</think>ok"), ["whole"], ReplayOptions(sweep=True))
    assert swept.laws == ["Cut invariance"]
    assert swept.differences[0].startswith("cut before 1: ")


def test_the_command_sweeps_when_asked(tmp_path, capsys):
    path = tmp_path / "cases.jsonl"
    path.write_text(case(expected={"content": "ok"}).model_dump_json(exclude_unset=True) + "\n")
    assert main(["replay", str(path), "--strategies", "whole", "--sweep"]) == 0
    assert capsys.readouterr().out.count('"sweep') == 2
