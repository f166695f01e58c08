"""Formats that choose their table by the request: `formats.context` and its hook in the registry."""

from dataclasses import dataclass, field

import pytest

from parsers import names, registry
from parsers.formats import context as module
from parsers.formats.context import NO_CONTEXT, RunContext, run_context, table
from parsers.formats.think import deepseek_r1, holo2
from parsers.tokens import bundled


@dataclass(frozen=True)
class Configured:
    """A tokenizer with a configuration file."""

    settings: dict[str, object]
    vocab: dict[str, int] = field(default_factory=dict)
    special_tokens: frozenset[str] = frozenset()
    name: str = "configured"


def choose(context: RunContext):
    return holo2 if "<|im_end|>" in context.vocab else deepseek_r1


def test_a_plain_table_is_itself_and_a_function_is_asked():
    assert table(holo2, NO_CONTEXT) is holo2
    assert table(choose, NO_CONTEXT) is deepseek_r1
    assert table(choose, RunContext(vocab={"<|im_end|>": 1})) is holo2


def test_context_of_a_text_only_stream_has_no_vocabulary():
    context = run_context(None, "end", {"thinking": True})
    assert context == RunContext(template_kwargs={"thinking": True}, generation_prompt="end")


def test_context_takes_the_settings_of_a_tokenizer_that_has_some():
    assert run_context(bundled.load(), None, {}).tokenizer_settings == {}
    settings = {"token_suffix": ":a"}
    assert run_context(Configured(settings), None, {}).tokenizer_settings == settings


@pytest.fixture
def chooser(monkeypatch):
    monkeypatch.setattr(module, "chooser", choose, raising=False)
    row = names.NameRow("context", "chooser", "a test")
    monkeypatch.setitem(names.REASONING, "chooser", row)
    return "chooser"


def test_registry_asks_the_function_and_shares_what_it_joins(chooser):
    with_end = RunContext(vocab={"<|im_end|>": 1})
    assert registry.joined(chooser, None) is deepseek_r1
    assert registry.joined(chooser, None, with_end) is holo2
    pair = registry.joined(chooser, "hermes", with_end)
    assert pair.name == "holo2+hermes"
    assert registry.joined(chooser, "hermes", with_end) is pair


def test_build_parser_gives_the_function_the_tokenizers_vocabulary(chooser):
    tags = ["<think>", "</think>"]
    assert registry.build_parser(chooser, None, bundled.load([*tags, "<|im_end|>"])).start.config is holo2
    assert registry.build_parser(chooser, None, bundled.load(tags)).start.config is deepseek_r1
