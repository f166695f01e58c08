"""What an output under a constraint may begin with: card S-51."""

import pytest

from parsers.structured import nodes
from parsers.structured.begins import may_begin_with
from parsers.structured.constraint import Constraint
from parsers.structured.facts import tool_facts
from parsers.structured.tags import TagQuestion, tool_tag
from tests.structured.builders import tool

OPENER = "<tool_call>"
CALL = nodes.tag(OPENER, nodes.any_text(), "</tool_call>")


def under(part):
    return Constraint("structural_tag", nodes.structural_tag(part))


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (under(CALL), True),
        (under(nodes.const("<tool_call>{")), True),
        (under(nodes.const("Hi")), False),
        (under(nodes.tags_list([CALL], "", False)), True),
        (under(nodes.one_of([nodes.const("Hi"), CALL])), True),
        (under(nodes.sequence(nodes.optional(nodes.const("Hi")), CALL)), True),
        (under(nodes.sequence(nodes.const("Hi"), CALL)), False),
        (under(nodes.sequence(nodes.optional(nodes.const("Hi")))), False),
        (under(nodes.star(CALL)), True),
        (under(nodes.any_text()), True),
        (under(nodes.any_text(OPENER)), False),
        (under(nodes.triggered([OPENER], [CALL], False)), True),
        (Constraint("json", {"type": "object"}), False),
        (Constraint("json_object", True), False),
        (Constraint("choice", ["yes", "<tool_call>"]), True),
        (Constraint("regex", ".*"), False),
    ],
    ids=lambda value: value.value["format"]["type"] if getattr(value, "kind", "") == "structural_tag" else None,
)
def test_s51_whether_a_marker_may_come_first(constraint, expected):
    assert may_begin_with(constraint, OPENER) is expected


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder", "glm47", "mimo"])
def test_s51_a_forced_call_may_begin_with_its_opener(name):
    tag = tool_tag(TagQuestion(tool_facts(name), [tool()], "required"))
    assert may_begin_with(under(tag.format), OPENER)
