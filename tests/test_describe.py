import json
from dataclasses import asdict

import pytest

from parsers.describe import describe_names
from parsers.names import REASONING, TOOLS

CARDS = {(card.kind, card.name): card for card in describe_names()}


def test_every_name_has_a_card_that_is_json():
    assert len(CARDS) == len(REASONING) + len(TOOLS)
    json.dumps([asdict(card) for card in CARDS.values()])


def test_the_indexes_names_are_all_there():
    assert len(REASONING) >= 42
    assert len(TOOLS) >= 58


@pytest.mark.parametrize("key", CARDS, ids="-".join)
def test_a_card_tells_models_grammar_and_readable_markers(key):
    card = CARDS[key]
    assert card.models
    assert "Source:" in card.grammar
    assert not any("\ue000" <= char <= "\uf8ff" for marker in card.markers for s in marker.spellings for char in s)


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        pytest.param(("tool", "hermes"), "structural_tag", "hermes", id="s29-hermes"),
        pytest.param(("tool", "glm45"), "strict_level", "function", id="s22-glm45"),
        pytest.param(("tool", "kimi_k2"), "call_ids", "functions", id="p53-kimi-ids"),
        pytest.param(("tool", "mistral"), "call_ids", "alnum9", id="mistral-ids"),
        pytest.param(("tool", "qwen3_xml"), "aliases", ("qwen3_coder",), id="two-names-one-table"),
        pytest.param(("reasoning", "qwen3"), "structural_tag", None, id="reasoning-has-no-tag"),
    ],
)
def test_facts_of_names(key, field, value):
    assert getattr(CARDS[key], field) == value


def test_s36_required_and_named_depend_on_strict_calling():
    supports = {name: CARDS["tool", name].supports_required_and_named for name in ("hermes", "pythonic")}
    assert supports["hermes"] == {"strict calling on": False, "strict calling off": True}
    assert supports["pythonic"] == {"strict calling on": True, "strict calling off": True}


def test_the_start_rules_of_a_switchable_name():
    start = CARDS["reasoning", "deepseek_v3"].start
    assert start.arguments == ("thinking", "enable_thinking")
    assert (start.default_on, start.off_is_plain_text) == (False, True)
    assert CARDS["tool", "hermes"].start.default_on is None
