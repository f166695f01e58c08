"""Structural tags of the client's own that no parser reads: card S-20, F-22."""

import pytest

from parsers.registry import joined
from parsers.structured.facts import tool_facts
from parsers.structured.foreign import unread_begin
from parsers.structured.levels import ToolStrictLevel
from parsers.structured.tags import TagQuestion, tool_tag
from tests.structured.builders import WEATHER

JSON_CALL, XML_CALL = '<tool_call>\n{"name": "weather", "arguments": ', "<tool_call>\n<function=weather>\n"


def tag(begin):
    return {"type": "structural_tag", "format": {"type": "tag", "begin": begin, "content": {}, "end": "!"}}


def unread(tool, document):
    return unread_begin(document, tool_facts(tool), joined(None, tool))


@pytest.mark.parametrize(
    ("tool", "begin"),
    [("qwen3_xml", JSON_CALL), ("hermes", XML_CALL), ("granite4", "<call>"), ("llama3_json", "<tool_call>")],
)
def test_f22_a_tag_that_forces_another_format_is_told_by_its_beginning(tool, begin):
    assert unread(tool, tag(begin)) == begin


@pytest.mark.parametrize(
    ("tool", "begin"),
    [
        ("qwen3_xml", XML_CALL),
        ("hermes", JSON_CALL),
        ("hermes", '<tool_call>{"name":"weather","arguments":'),
        ("hermes", "<tool_call>"),
        ("granite4", "<tool_call>"),
        ("minicpm5", "<anything>"),
    ],
    ids=["xml", "json", "other spaces", "only the marker", "no tag of its own", "no marker begins a call"],
)
def test_f22_a_tag_the_parser_reads_is_not_suspected(tool, begin):
    assert unread(tool, tag(begin)) is None


@pytest.mark.parametrize("tool", ["hermes", "qwen3_xml", "glm47", "kimi_k2", "deepseek_v31", "llama3_json"])
def test_s20_the_parsers_own_tag_is_never_suspected(tool):
    question = TagQuestion(tool_facts(tool), [WEATHER], "required", ToolStrictLevel.PARAMETER)
    assert unread(tool, tool_tag(question).document) is None
