"""One sentence for each delta: every clause, in a run that needs it (issue "Step page")."""

from collections import Counter
from dataclasses import replace

import pytest

from parsers.debug import explain as explaining
from parsers.debug.explain import CLAUSES, RAISED, STATES, code, explain, spelled
from parsers.debug.session import RunSettings, prepare, record
from parsers.debug.trace import attach
from parsers.engine.config import NEWLINE, PSEUDO_TERMINALS, SPACES, ParserState
from tests.debug.runs import (
    HARMONY,
    JSON,
    ON_CLOSE,
    ONE,
    REPEATED,
    RUNS,
    SKIPPED,
    STOPPED,
    XML,
)

TYPED = RunSettings(
    "</ifm|think><ifm|tool_calls><ifm|tool_call>f<ifm|arg_key>x</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type>",
    "k2_horizon",
    "k2_horizon",
    template_kwargs={"tool_call_format": "xml_typed"},
)
CALL_CUT = replace(XML, max_tokens=45)
THINK_AGAIN = RunSettings("a</think>b<think>c</think>d", "qwen3")
REPEATED_END = RunSettings("a</think>b</think>c", "qwen3")
END_OF_TURN = RunSettings("a</think>b<|im_end|>", "qwen3", text_only=True, cuts="char:0")
UNTIDY = RunSettings("a</think>b \\ c", "minicpmv")
THINK_CUT = RunSettings("only thought", "qwen3", cuts="one")


def sentences(settings):
    """(text of the delta, its sentence) of a run."""
    trace = record(settings)
    return list(zip([step.delta.text for step in trace.records], explain(trace), strict=True))


UNSURE = "nothing is sent before the name is complete, for this may turn out to be text."


@pytest.mark.parametrize(
    ("settings", "text", "says"),
    [
        (XML, "hm", "Text goes to the reasoning."),
        (XML, "", "The detokenizer holds part of a character until the rest comes."),
        (XML, "\n", "White space is held: at the end of the reasoning it would be dropped."),
        (JSON, "</think>", "`</think>` ends the reasoning."),
        (XML, "</think>", "`⏎` is dropped: trailing white space of the reasoning, then `</think>` ends the reasoning."),
        (JSON, "ok", "Text goes to the content."),
        (XML, "<", "`⏎<` is held: it may become `<function=`."),
        (XML, "bo", f"Part of a function's name; {UNSURE}"),
        (XML, "city", "Part of a parameter's name."),
        (XML, "ã", "Text goes to the arguments of call 0."),
        (XML, "2", "`2` is held: a value that is no string may still change, so it waits for its closer."),
        (REPEATED, "</tool_call>", "`</tool_call>` leads from the space between calls to content; the stream is over."),
        (ON_CLOSE, "ã", "Nothing is sent before the call is complete."),
        (
            HARMONY,
            '"}',
            "Text goes to the arguments of call 0; `}` is held until it is certain that the arguments are over.",
        ),
        (HARMONY, "<|channel|>", "`<|channel|>` belongs to the header of a message."),
        (
            HARMONY,
            "<|call|>",
            "`<|call|>` leads from a call's arguments to text that goes nowhere, then text goes to the arguments of "
            "call 0, then call 0 is complete; the stream is over.",
        ),
        (THINK_AGAIN, "<think>", "`<think>` opens the reasoning."),
        (REPEATED_END, "b", "Text goes to the content."),
        (SKIPPED, "ok", "Text goes to the content."),
        (END_OF_TURN, "<", "`<` is held: it may become `</think>` or `<think>`."),
        (END_OF_TURN, "|", "`<|` is held: it may become a special token, which shows no text."),
        (STOPPED, "", "`hm` is held by the server: it may begin a stop string."),
        (UNTIDY, "\\", "`\\` is held: what follows decides what it becomes."),
        (TYPED, "integer", f"Part of a parameter's type; {UNSURE}"),
        (THINK_CUT, "only thought", "Text goes to the reasoning, then the reasoning is over; the stream is over."),
    ],
)
def test_a_delta_and_its_sentence(settings, text, says):
    assert says in [sentence for delta, sentence in sentences(settings) if delta == text]


def test_a_name_that_is_complete_announces_the_call():
    found = [sentence for _, sentence in sentences(XML) if "announced" in sentence]
    assert found == [
        "`>` leads from a function's name to a call's arguments, then the name is complete: call 0, `book`, is "
        "announced."
    ]


def test_a_closer_that_depends_on_what_follows_says_so():
    held = {sentence for _, sentence in sentences(XML) if "depends" in sentence}
    assert "`⏎</parameter>` is held: whether `</parameter>` counts depends on what follows." in held


def test_a_whole_stream_in_one_delta_names_the_first_steps_and_counts_the_rest():
    ((_, sentence),) = sentences(ONE)
    assert sentence.startswith("Text goes to the reasoning, then `⏎` is dropped: ")
    assert "more steps; the stream is over." in sentence


def deferred_run():
    """A captured stream: the marker's id comes a delta before its text, then a delta brings nothing at all."""
    run = prepare(XML)
    trace = record(XML)
    parser = run.parser()
    tracer = attach(parser)
    parser.parse_delta("hm", (run.tokenizer.vocab["</think>"],))
    parser.parse_delta("</think>ok")
    parser.parse_delta("")
    return replace(trace, records=tuple(tracer.records), detok=("", "", ""))


def test_a_marker_whose_text_is_late_says_what_waits():
    assert list(explain(deferred_run())) == [
        "The id of `</think>` has come before its text, so all that follows waits.",
        "Text goes to the reasoning, then `</think>` ends the reasoning, then text goes to the content.",
        "No visible text.",
    ]


def test_every_clause_is_used_and_every_sentence_is_made_of_clauses(monkeypatch):
    used = Counter()
    made = explaining._clause

    def counting(kind, **words):
        used[kind] += 1
        return made(kind, **words)

    monkeypatch.setattr(explaining, "_clause", counting)
    extra = [TYPED, CALL_CUT, THINK_AGAIN, REPEATED_END, END_OF_TURN, UNTIDY, THINK_CUT]
    special = replace(SKIPPED, raw_output="hm</think><|im_end|>ok")
    for settings in [*RUNS.values(), *extra, special]:
        list(explain(record(settings)))
    list(explain(deferred_run()))
    assert set(CLAUSES) - set(used) == set()


@pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)
def test_sentences_are_sentences(settings):
    for _, sentence in sentences(settings):
        assert sentence.endswith(".")
        assert sentence.count("`") % 2 == 0
        assert "\n" not in sentence


def test_every_state_and_raised_terminal_has_words():
    assert set(ParserState) == set(STATES)
    assert set(RAISED) == set(PSEUDO_TERMINALS)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("</", "`</`"),
        ("a`b", "`a'b`"),
        ("\n", "`⏎`"),
        ("  ", "`␣␣`"),
        (" x", "` x`"),
        ("x" * 50, f"`{'x' * 20}…{'x' * 20}`"),
    ],
)
def test_code_is_one_line_between_backticks(text, shown):
    assert code(text) == shown


def test_white_space_that_may_be_left_out_is_left_out():
    assert spelled(f"{NEWLINE}<{SPACES}a>") == "<a>"
