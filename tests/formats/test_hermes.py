"""JSON objects between tags: hermes.md; W-AFTER and T-FIX of common-1.md; F-05 to F-07, F-12."""

import pytest

from parsers.registry import build_parser, markers_of
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Setup, everywhere

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
F = ("f", {"a": 1})


def found(text, **setup):
    return everywhere(Setup(tool="hermes", **setup), text)


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        (f"Ok.\n{CALL}", "Ok.", (F,)),
        (CALL.replace("\n", ""), None, (F,)),
        (f"{CALL}\n{CALL}", None, (F, F)),
        (f"a {CALL} b\n{CALL} c", "a  b\n c", (F, F)),
        ('<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>bye', "bye", (F,)),
        ('<tool_call>{"name": "f"}</tool_call>', None, (("f", {}),)),
        ('<tool_call>{"name": "f", "parameters": {"a": 1}}</tool_call>', None, (F,)),
        ('<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>', None, (F,)),
        (CALL.replace("1", '"</tool_call>"'), None, (("f", {"a": "</tool_call>"}),)),
    ],
    ids=[
        "example 1", "no newlines", "parallel", "w-after", "arguments first", "no arguments", "parameters", "string",
        "marker in a string",
    ],
)  # fmt: skip
@pytest.mark.parametrize("call_commit", ["incremental", "on_close"])
def test_grammar(text, content, calls, call_commit):
    fields = found(text, call_commit=call_commit)
    assert (fields.content, fields.calls, fields.cut_calls) == (content, calls, ())


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        (CALL.removesuffix("</tool_call>"), None, (F,)),
        (f"{CALL.removesuffix('</tool_call>')}{CALL}", None, (F, F)),
        (f"{CALL.removesuffix('</tool_call>')}bye", "bye", (F,)),
        ("<tool_call>not JSON</tool_call>", "<tool_call>not JSON</tool_call>", ()),
        (f"{CALL}<tool_call>not JSON</tool_call>{CALL}", "<tool_call>not JSON</tool_call>", (F, F)),
        ("a</tool_call>b", "ab", ()),
        ("hi <tool_c", "hi <tool_c", ()),
    ],
    ids=[
        "no closer",
        "no closer, call",
        "no closer, text",
        "not JSON",
        "one bad block",
        "stray closer",
        "partial opener",
    ],
)
def test_recovery(text, content, calls):
    fields = found(text)
    assert (fields.content, fields.calls) == (content, calls)


def test_recovery_a_missing_brace_is_no_call():
    text = '<tool_call>\n{"name": "f", "arguments": {"a": 1}\n</tool_call>'
    assert found(text).calls == ()
    assert found(text, call_commit="on_close").content == text


@pytest.mark.parametrize(
    "cut",
    [
        "", "\n", '{"na', '{"name": "', '{"name": "f', '{"name": "f", "argu', '{"name": "f", "arguments": {"a": "x\\',
        '{"name": "f", "arguments": {"a": 1', '{"name": "f", "arguments": {"a": 1}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("call_commit", ["incremental", "on_close"])
def test_t_fix_a_call_that_is_cut_off_is_no_call_and_leaks_nothing(cut, call_commit):
    fields = found(f"Ok.\n{CALL}\n<tool_call>{cut}", call_commit=call_commit)
    assert (fields.content, fields.calls) == ("Ok.", (F,))
    if call_commit == "on_close":
        assert fields.cut_calls == ()


def test_f12_prose_in_ordinary_tokens_is_no_call():
    tokens = TextTokenizer(["use <", "tool", "_call", ">", " tags"], ["<tool_call>", "</tool_call>"])
    parsed = build_parser(None, "hermes", tokens).parse("use <tool_call> tags", tokens.ids)
    assert (parsed.content, parsed.tool_calls) == ("use <tool_call> tags", [])


def test_t08_a_marker_the_detokenizer_skipped_inside_a_string_is_in_no_field():
    names = (None, "hermes")
    tokenizer = bundled.load(markers_of(*names), markers_of(*names))
    ids = tokenizer.encode('<tool_call>{"name": "f", "arguments": {"s": "a</tool_call>b"}}</tool_call>')
    stream = simulate(tokenizer, ids, StreamOptions(skip_special_tokens=True))
    assert "tool_call" not in stream.text
    for strategy in ("token", "one", "every:3"):
        parser = build_parser(*names, tokenizer)
        for delta in cut(stream, strategy):
            parser.parse_delta(delta.text, delta.ids, delta.spans, delta.finished)
        assert [(call.name, call.complete) for call in parser.calls] == [("f", True)]
    assert parser.engine.scanner.shown == len(stream.text)
    whole = build_parser(*names, tokenizer).parse(stream.text, stream.ids, stream.spans)
    assert whole.tool_calls[0].function.arguments == '{"s": "ab"}'
