"""`docs/checklist.md`: whatever it points at exists."""

import re
import shlex
from functools import cache

import pytest

from parsers import cli
from tests import rules

PAGE = (rules.ROOT / "docs" / "checklist.md").read_text(encoding="utf-8")
PLAN = rules.ROOT.parent / "shared" / "checklist.md"
PLANNED = ("A1", "A2", "A2.1", "A2.2", "A2.3", "A3", "A3.1", "A3.2", "A3.3", "A6", "A7", "A8")

QUOTED = re.findall(r"`([^`\n]+)`", PAGE)
PATHS = sorted({text for text in QUOTED if "/" in text})
COMMANDS = sorted({text for text in QUOTED if text.startswith("parserscope ")})
LABELS = sorted(set(re.findall(r"“([^”]+)”", PAGE)))
NAMED_RULES = sorted(set(re.findall(r"\b[A-Z]-\d[0-9A]\b", PAGE)))
TESTED = cache(rules.covered)


@cache
def sources_of_views():
    files = [path for path in (rules.ROOT / "views").rglob("*") if path.suffix in (".py", ".js", ".html")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("reference", PATHS)
def test_files_and_tests_exist(reference):
    path, _, name = reference.partition("::")
    assert (rules.ROOT / path).exists()
    assert not name or name in rules.named_by((rules.ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_understood(command):
    assert cli._parser().parse_args(shlex.split(command)[1:]).run


@pytest.mark.parametrize("label", LABELS)
def test_labels_stand_on_a_page(label):
    assert label in sources_of_views()


@pytest.mark.parametrize("rule", NAMED_RULES)
def test_rules_are_tested(rule):
    assert TESTED().get(rule)


@pytest.mark.skipif(not PLAN.is_file(), reason="the list is not beside the project")
@pytest.mark.parametrize("section", PLANNED)
def test_no_row_of_the_list_is_missing(section):
    [part] = re.findall(rf"^## {re.escape(section)} (.*?)(?=^## |\Z)", PLAN.read_text(encoding="utf-8"), re.M | re.S)
    planned = {int(row) for row in re.findall(r"^\| (\d+) \|", part, re.M)}
    listed = {int(row) for cell in re.findall(r"^\| ([\d, ]+) \|", PAGE, re.M) for row in cell.split(",")}
    assert planned - listed == set()
