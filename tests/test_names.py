"""The two literal tables of names."""

import pytest

from parsers.names import REASONING, TOOLS, NameRow
from parsers.registry import reasoning_format, tool_format

ROWS = [
    pytest.param(kind, name, id=f"{kind}-{name}")
    for kind, table in (("reasoning", REASONING), ("tool", TOOLS))
    for name in table
]
PASS_THROUGH = ("identity", "minimax_m2_append_think")  # thinking stays in the content


def row_of(kind, name) -> NameRow:
    return (REASONING if kind == "reasoning" else TOOLS)[name]


@pytest.mark.parametrize("table", [REASONING, TOOLS], ids=["reasoning", "tools"])
def test_a_table_is_sorted(table):
    assert list(table) == sorted(table)


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_a_name_leads_to_a_table(kind, name):
    config = (reasoning_format if kind == "reasoning" else tool_format)(name)
    assert config.rows or name in PASS_THROUGH


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_a_name_says_which_models_it_is_for_in_a_phrase(kind, name):
    models = row_of(kind, name).models
    assert models
    assert models == models.strip().rstrip(".")
    assert len(models) <= 100


@pytest.mark.parametrize("name", REASONING)
def test_a_reasoning_name_can_reason_or_says_that_it_does_not(name):
    assert (reasoning_format(name).switch is None) == (name in PASS_THROUGH)
