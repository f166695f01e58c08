"""Constraints on the whole output: card S-26, S-54, S-55."""

import pytest

from parsers.errors import RequestError
from parsers.structured.constraint import (
    Compilation,
    Constraint,
    as_format,
    compilations,
    engine_fault,
    user_constraint,
)
from parsers.structured.nodes import structural_tag
from parsers.structured.tagschema import tag_fault

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TAG = structural_tag({"type": "const_string", "value": "yes"})
USABLE = [
    Constraint("json", SCHEMA),
    Constraint("json_object", True),
    Constraint("regex", "[a-z]+"),
    Constraint("choice", ["yes", "no"]),
    Constraint("grammar", 'root ::= "yes"'),
    Constraint("structural_tag", TAG),
]


@pytest.mark.parametrize(
    ("response_format", "structured_outputs", "expected"),
    [
        (None, None, None),
        ({"type": "text"}, None, None),
        ({"type": "json_object"}, None, Constraint("json_object", True)),
        ({"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}, None, Constraint("json", SCHEMA)),
        (TAG, None, Constraint("structural_tag", TAG)),
        ({"type": "json_object"}, {"regex": "a+", "json": None}, Constraint("regex", "a+")),
        (None, {"json_object": False}, None),
    ],
    ids=["nothing", "text", "json object", "json schema", "structural tag", "structured outputs win", "switched off"],
)
def test_a_requests_own_format_is_read(response_format, structured_outputs, expected):
    assert user_constraint(response_format, structured_outputs) == expected


def test_two_kinds_at_once_are_refused():
    with pytest.raises(RequestError, match="holds regex and choice; keep one"):
        user_constraint(None, {"regex": "a", "choice": ["a"]})


@pytest.mark.parametrize("constraint", USABLE, ids=lambda one: one.kind)
def test_s26_a_usable_format_becomes_part_of_a_tag(constraint):
    assert engine_fault(constraint) == ""
    assert tag_fault(structural_tag(as_format(constraint))) == ""


@pytest.mark.parametrize(
    ("constraint", "fault"),
    [
        (Constraint("json", {"type": "text"}), "not a JSON schema"),
        (Constraint("json", None), "does not fit the kind 'json'"),
        (Constraint("regex", "("), "not a regular expression"),
        (Constraint("regex", "(?=a)a"), "looks ahead or behind"),
        (Constraint("choice", []), "does not fit the kind 'choice'"),
        (Constraint("choice", ["a", 1]), "a list of texts"),
        (Constraint("grammar", 'start ::= "a"'), "no rule named root"),
        (Constraint("structural_tag", {"type": "structural_tag"}), "not a structural tag"),
    ],
    ids=["schema", "no schema", "pattern", "lookahead", "no choice", "numbers", "no root", "tag"],
)
def test_s26_an_engine_refuses_what_it_cannot_use(constraint, fault):
    assert fault in engine_fault(constraint)


def test_s54_a_constraint_that_fails_ends_only_its_own_request():
    bad = Constraint("regex", "(")
    outcomes = compilations([USABLE[0], bad, USABLE[2], bad])
    assert [outcome.outcome for outcome in outcomes] == ["compiled", "failed", "compiled", "failed"]
    assert "not a regular expression" in outcomes[1].fault


def test_s55_only_the_first_request_with_a_schema_waits_for_it():
    same = Constraint("json", {"properties": {"a": {"type": "integer"}}, "type": "object"})
    assert compilations([USABLE[0], same, USABLE[0]]) == [
        Compilation("compiled"),
        Compilation("cached"),
        Compilation("cached"),
    ]
