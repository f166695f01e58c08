"""Names of classic parsers: card 03, rules L-50 … L-55."""

import logging
import sys

import pytest

from parsers.errors import RequestError, UnknownName
from parsers.legacy import registry
from parsers.legacy.base import ReasoningParser
from parsers.legacy.envelope import HermesParser
from parsers.legacy.registry import REASONING_PARSERS, TOOL_PARSERS, ParserRegistry, check_choice, load_plugin
from parsers.legacy.switched import DeepSeekV3Parser, Holo2Parser, IdentityParser
from parsers.legacy.think import DeepSeekR1Parser
from parsers.names import REASONING, TOOLS

THINK = "parsers.legacy.think"


@pytest.fixture
def names():
    return ParserRegistry("reasoning", ReasoningParser)


@pytest.fixture
def plugin_names(names, monkeypatch):
    """Plugins register here and leave nothing behind."""
    monkeypatch.setattr(registry, "REASONING_PARSERS", names)
    before = set(sys.modules)
    yield names
    for module in set(sys.modules) - before:
        del sys.modules[module]


def test_l50_a_lazy_class_is_imported_when_asked_for_and_kept(names):
    names.register_lazy_module("r1", THINK, "DeepSeekR1Parser")
    assert names.get("r1") is names.get("r1") is DeepSeekR1Parser


def test_l50_names_are_the_sorted_union(names):
    names.register_lazy_module("z", "parsers.legacy.switched", "IdentityParser")
    names.register_module("a", module=DeepSeekR1Parser)
    names.register_lazy_module("a", THINK, "DeepSeekR1Parser")
    assert names.names() == ["a", "z"]


def test_l50_a_loaded_class_goes_before_a_lazy_one(names):
    names.register_module("a", module=DeepSeekR1Parser)
    names.register_lazy_module("a", "no.such.module", "X")
    assert names.get("a") is DeepSeekR1Parser


def test_l50_an_unknown_name_is_told_with_close_ones():
    with pytest.raises(UnknownName, match=r"reasoning parser named 'deepseek_r2'.*deepseek_r1"):
        REASONING_PARSERS.get("deepseek_r2")


@pytest.mark.parametrize(
    ("module", "name"), [("parsers.legacy.envelope", "HermesParser"), ("parsers.errors", "__doc__")]
)
def test_l50_a_lazy_name_must_be_a_parser_of_its_kind(names, module, name):
    names.register_lazy_module("wrong", module, name)
    with pytest.raises(TypeError, match="subclass of ReasoningParser"):
        names.get("wrong")


def test_l51_registering_a_class_is_immediate(names):
    assert names.register_module(["a", "b"], module=DeepSeekR1Parser) is DeepSeekR1Parser
    assert names.get("a") is names.get("b") is DeepSeekR1Parser


def test_l51_a_loaded_name_is_replaced_only_by_force(names):
    names.register_module("a", module=DeepSeekR1Parser)
    with pytest.raises(KeyError, match="'a' is registered"):
        names.register_module("a", force=False, module=IdentityParser)
    assert names.get("a") is DeepSeekR1Parser
    names.register_module("a", module=IdentityParser)
    assert names.get("a") is IdentityParser


def test_l51_only_subclasses_can_be_registered(names):
    with pytest.raises(TypeError, match="subclass of ReasoningParser"):
        names.register_module("a", module=HermesParser)
    assert names.names() == []


@pytest.mark.parametrize(
    ("given", "known"), [(None, ["IdentityParser"]), ("a", ["a"]), (["a", "b"], ["a", "b"])], ids=str
)
def test_l51_as_a_decorator_it_only_notes_where_the_class_is(names, given, known):
    assert names.register_module(given)(IdentityParser) is IdentityParser
    assert names.names() == known
    assert [names.get(name) for name in known] == [IdentityParser] * len(known)


def test_l51_a_decorated_class_that_is_not_in_its_module_is_missed_only_when_asked_for(names):
    @names.register_module("local")
    class Local(IdentityParser):
        pass

    with pytest.raises(AttributeError, match="Local"):
        names.get("local")


def test_l52_a_module_that_fails_breaks_no_other_name(names, tmp_path, monkeypatch, caplog):
    (tmp_path / "broken_parser.py").write_text("raise OSError('a dependency is broken')")
    monkeypatch.syspath_prepend(tmp_path)
    names.register_lazy_module("broken", "broken_parser", "Broken")
    names.register_lazy_module("r1", THINK, "DeepSeekR1Parser")
    with caplog.at_level(logging.ERROR), pytest.raises(OSError, match="a dependency is broken"):
        names.get("broken")
    assert "'broken' cannot be imported from broken_parser" in caplog.text
    assert names.get("r1") is DeepSeekR1Parser
    assert names.names() == ["broken", "r1"]


PLUGIN = """
from parsers.legacy import registry
from parsers.legacy.switched import IdentityParser

@registry.REASONING_PARSERS.register_module("mine")
class Mine(IdentityParser):
    pass
"""


def test_l53_a_plugin_is_a_module(plugin_names, tmp_path, monkeypatch):
    (tmp_path / "plugin_by_name.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    load_plugin("plugin_by_name")
    assert plugin_names.get("mine").__name__ == "Mine"


def test_l53_or_else_a_file_whose_module_is_named_like_it(plugin_names, tmp_path):
    file = tmp_path / "plugin_by_path.py"
    file.write_text(PLUGIN)
    load_plugin(str(file))
    load_plugin(str(file))
    assert plugin_names.get("mine").__module__ == "plugin_by_path"


@pytest.mark.parametrize("code", ["1 / 0", "def", "raise SystemError"], ids=["fails", "no-python", "system"])
def test_l53_a_failure_is_logged_and_the_name_check_fails(plugin_names, tmp_path, caplog, code):
    file = tmp_path / "failing_plugin.py"
    file.write_text(f"{PLUGIN.replace('mine', 'early') if code != 'def' else ''}\n{code}")
    load_plugin(str(file))
    assert "failing_plugin.py cannot be loaded" in caplog.text
    assert "failing_plugin" not in sys.modules
    with pytest.raises(UnknownName):
        plugin_names.check("mine")


@pytest.mark.parametrize("plugin", ["no_such_module", "./no/such/file.py"])
def test_l53_a_plugin_that_is_not_there_is_logged(plugin, caplog):
    load_plugin(plugin)
    assert f"{plugin} cannot be loaded" in caplog.text


def test_l53_a_file_never_takes_the_name_of_a_loaded_module(plugin_names, tmp_path, caplog):
    file = tmp_path / "logging.py"
    file.write_text(PLUGIN)
    load_plugin(str(file))
    assert "rename the file" in caplog.text
    assert sys.modules["logging"] is logging


@pytest.mark.parametrize("plugin", ["", "abc"])
def test_l53_a_short_option_is_no_plugin(plugin, caplog):
    load_plugin(plugin)
    assert not caplog.records


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        (("nobody", None, False), UnknownName),
        ((None, "nobody", False), UnknownName),
        ((None, None, True), RequestError),
    ],
    ids=["reasoning", "tool", "auto-without-parser"],
)
def test_l54_a_choice_is_checked_at_start(choice, error):
    with pytest.raises(error):
        check_choice(*choice)


@pytest.mark.parametrize("choice", [(None, None, False), ("holo2", "hermes", True), (None, "pythonic", True)], ids=str)
def test_l54_a_choice_that_works_passes(choice):
    check_choice(*choice)


def test_l55_every_name_is_one_of_the_servers():
    assert set(REASONING_PARSERS.names()) <= set(REASONING)
    assert set(TOOL_PARSERS.names()) <= set(TOOLS)


def test_l55_names_are_spelled_as_the_server_spells_them():
    assert len(REASONING.keys() - {"identity"}) == 42
    assert len(TOOLS) == 58
    assert REASONING.keys() >= {"openai_gptoss", "granite_thinking_parser"}
    assert TOOLS.keys() >= {"openai", "qwen3_coder", "qwen3_xml", "qwen3_json"}
    assert "gptoss" not in REASONING.keys() | TOOLS.keys()


def test_l55_names_lead_to_their_classes():
    classes = {name: REASONING_PARSERS.get(name) for name in REASONING_PARSERS.names()}
    assert classes == {
        "deepseek_r1": DeepSeekR1Parser,
        "deepseek_v3": DeepSeekV3Parser,
        "holo2": Holo2Parser,
        "step5": DeepSeekR1Parser,
    }
    assert TOOL_PARSERS.get("qwen3_json") is TOOL_PARSERS.get("hermes") is HermesParser
    assert {TOOL_PARSERS.get(name).__name__ for name in ("longcat", "pythonic")} == {"LongcatParser", "PythonicParser"}
