"""Facts of tool parsers: card S-29, S-35, S-36, L-41."""

import pytest

from parsers.errors import UnknownName
from parsers.names import REASONING, TOOLS
from parsers.structured.facts import (
    REASONING_THAT_NEVER_KEEPS_SPECIAL,
    TOOL_FACTS,
    ToolFacts,
    reads_strict_calling,
    tool_facts,
)
from parsers.structured.keys import SHAPES
from parsers.structured.levels import ToolStrictLevel

KEYS = {
    "qwen_3_coder": {"qwen3_coder", "qwen3_xml", "step3p5", "step5"},
    "hermes": {"hermes", "qwen3_json"},
    "llama": {"llama3_json", "llama4_json"},
    "kimi": {"kimi_k2"},
    "deepseek_r1": {"deepseek_v3"},
    "deepseek_v3_1": {"deepseek_v31"},
    "deepseek_v3_2": {"deepseek_v32"},
    "deepseek_v4": {"deepseek_v4"},
    "deepseek_v4_1": {"deepseek_v41"},
    "glm_4_7": {"glm45", "glm47", "ling3"},
    "mimo": {"mimo"},
    "minimax": {"minimax_m2"},
    "longcat": {"longcat"},
    "plamo3": {"plamo3"},
    "kimi_k3": {"kimi_k3"},
    "hy_v4": {"hy_v4"},
    "harmony": {"openai"},
}


def test_every_tool_parser_has_facts():
    assert TOOLS.keys() == TOOL_FACTS.keys()


def test_s03_the_reasoning_parsers_listed_exist():
    assert REASONING.keys() >= REASONING_THAT_NEVER_KEEPS_SPECIAL


def test_s29_each_key_has_its_parsers():
    keyed = {name: facts.key for name, facts in TOOL_FACTS.items() if facts.key}
    assert keyed == {name: key for key, names in KEYS.items() for name in names}


def test_s28_each_key_has_a_shape():
    assert KEYS.keys() | {"qwen_3", "qwen_3_5"} == SHAPES.keys()


@pytest.mark.parametrize("name", ["granite", "seed_oss", "inkling", "gemma4", "minimax_m3", "mistral", "pythonic"])
def test_s29_these_families_have_no_key(name):
    assert tool_facts(name).key is None


def test_s22_only_glm_constrains_envelopes_by_default():
    assert {name for name, facts in TOOL_FACTS.items() if facts.level} == {"glm45", "glm47"}
    assert tool_facts("glm47").level is ToolStrictLevel.FUNCTION


@pytest.mark.parametrize(
    ("name", "on", "off"),
    [
        ("hermes", False, True),
        ("glm47", False, False),
        ("pythonic", True, True),
        ("llama3_json", False, True),
        ("minimax_m2", False, True),
        ("openai", False, True),
        ("kimi_k3", False, False),
        ("seed_oss", True, True),
        ("mistral", False, False),
    ],
)
def test_s36_the_json_route_depends_on_class_and_switch(name, on, off):
    facts = tool_facts(name)
    assert (facts.supports_required_and_named(True), facts.supports_required_and_named(False)) == (on, off)


def test_l41_the_switch_is_read_at_lookup_not_stored():
    facts = ToolFacts("hermes")
    assert [facts.supports_required_and_named(strict) for strict in (True, False, True)] == [False, True, False]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, True), ("true", True), ("True", True), ("1", True), ("0", False), ("false", False), ("yes", False)],
)
def test_s35_the_switch_is_on_unless_it_says_otherwise(value, expected):
    assert reads_strict_calling(value) is expected


def test_an_unknown_name_suggests_close_ones():
    with pytest.raises(UnknownName, match=r"glm4.*did you mean"):
        tool_facts("glm4")
