"""The command: card 00, C0-20 … C0-22, and its exit codes."""

import json
import tomllib
from pathlib import Path

import pytest

from parsers.cli import app_command, main
from parsers.files.home import app_home

CALL = '<tool_call>\n{"name": "find", "arguments": {"q": 1}}\n</tool_call>'
CASE = {
    "id": "folder/one",
    "reasoning_parser": "qwen3",
    "tool_parser": "hermes",
    "raw_output": f"hm</think>{CALL}",
    "expected": {"reasoning": "hm", "tool_calls": [{"name": "find", "arguments": {"q": 1}}]},
}
WRONG = {**CASE, "id": "folder/two", "expected": {"content": "something else"}}
UNKNOWN = {**CASE, "id": "folder/three", "tool_parser": "herme"}


@pytest.fixture
def case_file(tmp_path):
    def write(*cases):
        path = tmp_path / "cases.jsonl"
        path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
        return str(path)

    return write


class StandardInput:
    """Stands for `sys.stdin`, of which the command reads the bytes."""

    def __init__(self, text):
        self.buffer = self
        self._data = text.encode()

    def read(self):
        return self._data


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


# --- replay -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cases", "code"),
    [((CASE,), 0), ((CASE, WRONG), 1), ((CASE, UNKNOWN), 1), ((), 0)],
    ids=["all-matched", "one-differs", "one-cannot-run", "no-cases"],
)
def test_c0_20_exit_code_tells_whether_all_matched(case_file, cases, code):
    assert main(["replay", case_file(*cases), "--strategies", "one"]) == code


def test_c0_20_one_result_for_each_case_and_strategy(case_file, capsys):
    main(["replay", case_file(CASE, WRONG)])
    results = lines(capsys.readouterr().out)
    assert [result["id"] for result in results] == ["folder/one"] * 7 + ["folder/two"] * 7
    assert [result["strategy"] for result in results[:7]] == [
        "whole",
        "one",
        "special",
        "token",
        "rand:1:8",
        "rand:2:8",
        "rand:3:8",
    ]


def test_c0_20_the_cases_own_chunks_are_replayed_too(case_file, capsys):
    main(["replay", case_file({**CASE, "chunks": ["hm</thi", f"nk>{CALL}"]})])
    assert lines(capsys.readouterr().out)[-1]["strategy"] == "given"


def test_c0_20_commas_within_a_strategy_are_kept(case_file, capsys):
    main(["replay", case_file(CASE), "--strategies", "cuts:1,2,token,every:3"])
    assert [result["strategy"] for result in lines(capsys.readouterr().out)] == [
        "cuts:1,2",
        "token",
        "every:3",
    ]


def test_c0_20_results_go_to_a_file_and_the_summary_to_standard_error(case_file, capsys, tmp_path):
    target = tmp_path / "results.jsonl"
    main(["replay", case_file(CASE, WRONG, UNKNOWN), "--strategies", "whole,one", "-o", str(target)])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(lines(target.read_text(encoding="utf-8"))) == 6
    header, folder, total, *problems = printed.err.splitlines()
    assert header.split() == ["family", "cases", "matched", "differing", "errors"]
    assert folder.split() == ["folder", "3", "1", "1", "1"]
    assert total.split() == ["all", "3", "1", "1", "1"]
    assert list(dict.fromkeys(problem.split()[0] for problem in problems)) == ["folder/two", "folder/three"]


def test_c0_20_several_processes_give_the_same_lines(case_file, capsys):
    path = case_file(CASE, WRONG, UNKNOWN)
    arguments = ["replay", path, "--strategies", "whole,token", "--deltas"]
    main(arguments)
    alone = _without_call_ids(lines(capsys.readouterr().out))
    main([*arguments, "--jobs", "2"])
    assert _without_call_ids(lines(capsys.readouterr().out)) == alone


def _without_call_ids(results):
    """Random ids differ from run to run (P-53)."""
    for result in results:
        deltas = result.get("deltas", [])
        for call in [
            *result["tool_calls"],
            *(call for delta in deltas for call in delta.get("tool_calls", [])),
        ]:
            call.pop("id", None)
    return results


def test_c0_20_a_dash_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", StandardInput(json.dumps(CASE)))
    assert main(["replay", "-", "--strategies", "one"]) == 0


@pytest.mark.parametrize(
    ("text", "arguments", "complaint"),
    [
        ('{"id": "a"}', [], "line 1: needs one of raw_output"),
        (json.dumps(CASE), ["--strategies", "evry:3"], "There is no strategy 'evry:3'"),
        (json.dumps(CASE), ["--strategies", "every:x"], "'x' is not a whole number"),
        (json.dumps(CASE), ["-o", "/nowhere/at/all"], "/nowhere/at/all cannot be written"),
    ],
    ids=["bad-line", "unknown-strategy", "bad-number", "bad-output"],
)
def test_c0_20_unusable_input_is_one_sentence_and_code_2(tmp_path, capsys, text, arguments, complaint):
    path = tmp_path / "cases.jsonl"
    path.write_text(text, encoding="utf-8")
    assert main(["replay", str(path), *arguments]) == 2
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


# --- parse and names --------------------------------------------------------------------------------


def test_c0_21_parse_prints_the_three_fields(tmp_path, capsys):
    path = tmp_path / "output.txt"
    path.write_text(CASE["raw_output"], encoding="utf-8")
    assert main(["parse", "--reasoning-parser", "qwen3", "--tool-parser", "hermes", str(path)]) == 0
    message = json.loads(capsys.readouterr().out)
    assert (message["reasoning"], message["content"]) == ("hm", None)
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"q": 1}


def test_c0_21_the_prompt_decides_whether_thinking_is_open(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", StandardInput("plain"))
    main(["parse", "--reasoning-parser", "qwen3", "--generation-prompt", "<think>\n\n</think>\n\n", "-"])
    assert json.loads(capsys.readouterr().out)["content"] == "plain"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--reasoning-parser", "qwen"], "There is no reasoning parser named 'qwen'; did you mean"),
        (["--tools", "TOOLS"], "line 1, column 2"),
    ],
    ids=["unknown-name", "bad-tools"],
)
def test_c0_21_unusable_input_is_one_sentence_and_code_2(tmp_path, capsys, arguments, complaint):
    output, tools = tmp_path / "output.txt", tmp_path / "tools.json"
    output.write_text("text")
    tools.write_text("[7]")
    arguments = [str(tools) if argument == "TOOLS" else argument for argument in arguments]
    assert main(["parse", *arguments, str(output)]) == 2
    assert complaint in capsys.readouterr().err


def test_c0_21_a_missing_file_is_named(capsys):
    assert main(["parse", "/nowhere.txt"]) == 2
    assert "/nowhere.txt cannot be read: No such file" in capsys.readouterr().err


def test_c0_22_names_lists_every_name_with_its_markers(capsys):
    assert main(["names", "--json"]) == 0
    rows = {(row["kind"], row["name"]): row for row in json.loads(capsys.readouterr().out)}
    markers = {marker["name"]: marker for marker in rows["tool", "hermes"]["markers"]}
    assert markers["TOOL_START"] == {
        "name": "TOOL_START", "spellings": ["<tool_call>"], "token": True, "required": False,
    }  # fmt: skip
    assert rows["tool", "hermes"]["format"] == "hermes"


def test_c0_22_names_for_people_are_one_a_line(capsys):
    main(["names"])
    header, *listed = capsys.readouterr().out.splitlines()
    assert header.split() == ["kind", "name", "format", "markers", "that", "are", "tokens"]
    main(["names", "--json"])
    assert len(listed) == len(json.loads(capsys.readouterr().out))


# --- app --------------------------------------------------------------------------------------------


def test_the_app_gets_the_projects_configuration_as_flags_from_any_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    command = app_command(app_home(), ["--server.port=1234"])
    assert Path(command[4]).name == "app.py"
    assert {"--server.address=localhost", "--runner.postScriptGC=false", "--server.port=1234"} <= set(command)
    assert {"--server.allowedHosts=localhost", "--server.allowedHosts=127.0.0.1"} <= set(command)
    assert "--theme.light.primaryColor=#4f46e5" in command


def test_every_host_a_browser_may_name_is_a_flag_of_its_own():
    """One flag with the whole list was taken for one strange host, and every browser was refused."""
    hosts = [flag for flag in app_command(app_home()) if flag.startswith("--server.allowedHosts=")]
    assert hosts == ["--server.allowedHosts=localhost", "--server.allowedHosts=127.0.0.1"]


def test_without_a_command_the_app_is_opened(monkeypatch):
    started = []
    monkeypatch.setattr("subprocess.call", lambda command, env: started.append((command, env)) or 0)
    assert main([]) == 0
    assert main(["app", "--port", "1234"]) == 0
    assert [command[3] for command, _ in started] == ["run", "run"]
    assert started[1][0][-1] == "--server.port=1234"


def test_l53_a_plugin_reaches_the_command_and_the_app(monkeypatch, tmp_path, capsys):
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from parsers.formats.hermes import tagged_objects\nTOOLS = {'mine': tagged_objects('mine', '<c>', '</c>')}\n"
    )
    monkeypatch.setattr("parsers.registry._PLUGINS", {"reasoning": {}, "tool": {}})
    assert main(["--plugin", str(plugin), "names"]) == 0
    assert "mine" in capsys.readouterr().out
    started = []
    monkeypatch.setattr("subprocess.call", lambda command, env: started.append(env) or 0)
    assert main(["--plugin", str(plugin)]) == 0
    assert started[0]["PARSERSCOPE_PLUGINS"] == str(plugin)


def test_l53_a_plugin_that_cannot_be_used_is_told_in_a_sentence(capsys):
    assert main(["--plugin", "nowhere.py", "names"]) == 2
    assert "There is no format file nowhere.py" in capsys.readouterr().err


def test_the_configuration_keeps_to_this_machine():
    config = tomllib.loads((app_home() / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "localhost"
    assert config["browser"]["gatherUsageStats"] is False
