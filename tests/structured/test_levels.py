"""Strict levels: card S-22, S-23, S-25."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import FormatError
from parsers.structured.levels import ToolStrictLevel, effective_level, read_level, tool_constraints
from tests.structured.builders import named, tool

AUTO, FUNCTION, PARAMETER = ToolStrictLevel
LOOSE, STRICT = tool("loose"), tool("strict", strict=True)
FREE, ENVELOPE, BOTH = (False, False), (True, False), (True, True)


def test_s22_levels_are_ordered():
    assert [int(level) for level in (AUTO, FUNCTION, PARAMETER)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("level", "choice", "tools", "expected"),
    [
        (AUTO, "auto", [LOOSE], {"loose": FREE}),
        (AUTO, "auto", [LOOSE, STRICT], {"loose": ENVELOPE, "strict": BOTH}),
        (AUTO, "required", [LOOSE, STRICT], {"loose": ENVELOPE, "strict": BOTH}),
        (AUTO, named("loose"), [LOOSE, STRICT], {"loose": ENVELOPE}),
        (FUNCTION, "auto", [LOOSE], {"loose": ENVELOPE}),
        (FUNCTION, "auto", [LOOSE, STRICT], {"loose": ENVELOPE, "strict": BOTH}),
        (FUNCTION, "required", [LOOSE, STRICT], {"loose": ENVELOPE, "strict": BOTH}),
        (PARAMETER, "auto", [LOOSE, STRICT], {"loose": BOTH, "strict": BOTH}),
        (PARAMETER, "required", [LOOSE], {"loose": BOTH}),
        (PARAMETER, named("strict"), [LOOSE, STRICT], {"strict": BOTH}),
        (PARAMETER, "none", [STRICT], {"strict": FREE}),
        (PARAMETER, None, [STRICT], {"strict": FREE}),
    ],
    ids=lambda value: value.name if isinstance(value, ToolStrictLevel) else None,
)
def test_s22_envelope_and_schema_of_each_tool(level, choice, tools, expected):
    rows = tool_constraints(tools, choice, level)
    assert {row.name: (row.envelope, row.schema) for row in rows} == expected


@given(
    st.lists(st.sampled_from([LOOSE, STRICT]), min_size=1, max_size=3),
    st.sampled_from(["auto", "required", named("strict")]),
    st.sampled_from(list(ToolStrictLevel)),
    st.sampled_from(list(ToolStrictLevel)),
)
def test_s23_a_higher_level_frees_nothing(tools, choice, one, other):
    lower = tool_constraints(tools, choice, min(one, other))
    higher = tool_constraints(tools, choice, max(one, other))
    assert all(low <= high for low, high in zip(lower_flags(lower), lower_flags(higher), strict=True))


def lower_flags(rows):
    return [flag for row in rows for flag in (row.envelope, row.schema)]


@pytest.mark.parametrize("level", list(ToolStrictLevel))
def test_s23_a_strict_tool_keeps_its_schema_at_every_level(level):
    assert tool_constraints([LOOSE, STRICT], "auto", level)[1].schema


@pytest.mark.parametrize("strict", [None, False])
def test_s23_a_tool_that_does_not_say_strict_is_not(strict):
    assert not tool_constraints([tool(strict=strict)], "required", AUTO)[0].schema


@pytest.mark.parametrize(
    ("option", "default", "expected"),
    [(None, FUNCTION, FUNCTION), (None, AUTO, AUTO), (PARAMETER, AUTO, PARAMETER), (AUTO, FUNCTION, AUTO)],
    ids=["unset takes the parser's", "unset takes auto", "option raises", "option replaces"],
)
def test_s22_the_option_is_the_floor_and_unset_leaves_it_to_the_parser(option, default, expected):
    assert effective_level(option, default, "auto", None, user_format=False) is expected


@pytest.mark.parametrize(
    ("level", "choice", "parallel", "user_format", "expected"),
    [
        (AUTO, "auto", False, False, FUNCTION),
        (AUTO, "required", False, True, FUNCTION),
        (AUTO, "auto", False, True, AUTO),
        (AUTO, "auto", None, False, AUTO),
        (AUTO, "auto", True, False, AUTO),
        (PARAMETER, "auto", False, False, PARAMETER),
    ],
    ids=["raised", "forced with a format", "auto with a format", "None is not False", "True", "never lowered"],
)
def test_s25_no_parallel_calls_take_at_least_function(level, choice, parallel, user_format, expected):
    assert effective_level(level, AUTO, choice, parallel, user_format) is expected


@pytest.mark.parametrize("name", ["function", "FUNCTION", "Function"])
def test_s22_a_level_is_read_by_name(name):
    assert read_level(name) is FUNCTION


def test_s22_an_unknown_level_lists_the_levels():
    with pytest.raises(FormatError, match=r"'functoin'; the levels are AUTO, FUNCTION, PARAMETER.*mean FUNCTION"):
        read_level("functoin")
