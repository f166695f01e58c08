import pytest

from parsers.errors import FormatError
from parsers.plugins import load_plugin
from parsers.registry import _PLUGINS, tool_names
from tests.every_cut import Fields, Setup, everywhere


@pytest.fixture(autouse=True)
def _forget_plugins():
    yield
    for names in _PLUGINS.values():
        names.clear()


@pytest.fixture
def format_file(tmp_path):
    def write(text):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return str(path)

    return write


def test_l53_a_format_of_the_users_own_is_a_name_like_any_other(format_file):
    path = format_file(
        "from parsers.formats.hermes import tagged_objects\n"
        "TOOLS = {'mine': tagged_objects('mine', '<call>', '</call>')}\n"
    )
    assert load_plugin(path) == ["tool mine"]
    assert "mine" in tool_names()
    text = 'hm</think>ok<call>{"name": "f", "arguments": {"a": "</call>"}}</call>'
    assert everywhere(Setup("qwen3", "mine"), text) == Fields("hm", "ok", (("f", {"a": "</call>"}),))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("x = 1", "sets neither REASONING nor TOOLS", id="no names"),
        pytest.param("import nothing_of_that_name", "fails: ModuleNotFoundError", id="code that fails"),
        pytest.param("def broken(:", "fails: SyntaxError", id="no Python"),
        pytest.param("TOOLS = ['f']", "TOOLS in the format file", id="no mapping"),
        pytest.param("TOOLS = {'f': 1}", "is no table", id="no table"),
        pytest.param(
            "from parsers.engine.config import *\n"
            "TOOLS = {'f': ParserEngineConfig(name='f', rows=(Row('CONTENT', 'LOST', 'CONTENT'),))}",
            r"cannot work\. Row \(CONTENT, LOST\)",
            id="a table that cannot work names the row",
        ),
    ],
)
def test_a_format_file_that_cannot_be_used_says_why_and_changes_nothing(format_file, text, sentence):
    before = tool_names()
    with pytest.raises(FormatError, match=sentence):
        load_plugin(format_file(text))
    assert tool_names() == before


def test_a_path_without_a_file():
    with pytest.raises(FormatError, match=r"There is no format file .*nowhere\.py"):
        load_plugin("nowhere.py")
