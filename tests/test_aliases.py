"""Names of another server: each leads to one of ours, wherever a name can be typed."""

import json

import pytest

from parsers.aliases import SGLANG_REASONING, SGLANG_TOOLS
from parsers.cli import main
from parsers.errors import UnknownName
from parsers.names import REASONING, TOOLS
from parsers.registry import build_parser, reasoning_format, register, tool_format

JSON_CALL = '<tool_call>\n{"name": "find", "arguments": {"q": 1}}\n</tool_call>'


def test_every_alias_leads_to_a_registered_name():
    assert set(SGLANG_REASONING.values()) <= set(REASONING)
    assert set(SGLANG_TOOLS.values()) <= set(TOOLS)


@pytest.mark.parametrize(
    ("find", "typed", "ours"),
    [
        (tool_format, "qwen25", "hermes"),
        (tool_format, "deepseekv3", "deepseek_v3"),
        (tool_format, "gpt-oss", "openai"),
        (reasoning_format, "gpt-oss", "openai_gptoss"),
        (reasoning_format, "deepseek-r1", "deepseek_r1"),
    ],
    ids=["qwen25", "deepseekv3", "gpt-oss tools", "gpt-oss reasoning", "deepseek-r1"],
)
def test_an_alias_is_the_same_format(find, typed, ours):
    assert find(typed) is find(ours)


def test_where_both_servers_have_a_name_ours_is_meant():
    assert SGLANG_TOOLS["muse"] != "muse"
    assert tool_format("muse") is not tool_format(SGLANG_TOOLS["muse"])


def test_a_plugin_beats_an_alias(monkeypatch):
    monkeypatch.setattr("parsers.registry._PLUGINS", {"reasoning": {}, "tool": {}})
    register("tool", "qwen25", tool_format("glm45"))
    assert tool_format("qwen25") is tool_format("glm45")


def test_an_unknown_name_is_answered_with_close_aliases_and_plugins_too(monkeypatch):
    monkeypatch.setattr("parsers.registry._PLUGINS", {"reasoning": {}, "tool": {"my_calls": tool_format("hermes")}})
    for typed, close in (("qwen-25", "qwen25"), ("my_call", "my_calls")):
        with pytest.raises(UnknownName, match=f"did you mean {close}"):
            build_parser(None, typed, None)


@pytest.mark.parametrize("command", ["parse", "replay", "compare"])
def test_the_commands_and_case_files_take_aliases(command, tmp_path, capsys):
    case = {"id": "a", "raw_output": JSON_CALL, "reasoning_parser": "qwen3-thinking", "tool_parser": "qwen25"}
    file = tmp_path / "cases.jsonl"
    if command == "parse":
        file.write_text(JSON_CALL, encoding="utf-8")
        arguments = ["--reasoning-parser", "deepseek-r1", "--generation-prompt", "<think>", "--tool-parser", "qwen25"]
    else:
        file.write_text(json.dumps(case), encoding="utf-8")
        arguments = []
    assert main([command, *arguments, str(file)]) == 0
    assert '"find"' in capsys.readouterr().out
