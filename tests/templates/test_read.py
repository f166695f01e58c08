"""Where templates come from (points 13 and 14)."""

import json

import pytest

from parsers.templates.read import NamedTemplate, TemplateError, judged, read_source, read_text

NAMED = [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]


def summary(templates):
    return [(template.label, template.name, template.text) for template in templates]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{{ x }}", [("t", "default", "{{ x }}")], id="jinja-that-begins-with-braces"),
        pytest.param("{%- if x %}", [("t", "default", "{%- if x %}")], id="jinja-that-begins-with-a-block"),
        pytest.param(json.dumps({"chat_template": "c"}), [("t", "default", "c")], id="one-template"),
        pytest.param(
            json.dumps({"chat_template": NAMED}),
            [("t [tool_use]", "tool_use", "t"), ("t [default]", "default", "d")],
            id="named-templates-tool-use-first",
        ),
        pytest.param(
            json.dumps({"chat_template": {"default": "d", "tool_use": "t"}}),
            [("t [tool_use]", "tool_use", "t"), ("t [default]", "default", "d")],
            id="an-object-of-named-templates",
        ),
    ],
)
def test_a_text_is_jinja_or_a_configuration(text, expected):
    assert summary(read_text(text, "t")) == expected


@pytest.mark.parametrize("text", ["  ", "{}", '{"chat_template": 3}'], ids=["blank", "empty-object", "no-text"])
def test_a_text_without_a_template_is_told(text):
    with pytest.raises(TemplateError):
        read_text(text)


def test_token_variables_may_be_objects():
    config = {"chat_template": "c", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": None}
    assert read_text(json.dumps(config))[0].token_variables == {"bos_token": "<s>", "eos_token": "</s>"}


def test_a_models_own_tokens_are_variables_and_switches_are_not():
    config = {"chat_template": "c", "add_bos_token": True, "extra_special_tokens": {"image_token": "<image>"}}
    assert read_text(json.dumps(config))[0].token_variables == {"image_token": "<image>"}


def test_the_file_of_older_image_models_is_read(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": "</s>"}))
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": "c"}))
    (found,) = read_source(str(tmp_path))
    assert (found.text, found.token_variables) == ("c", {"eos_token": "</s>"})


def test_the_template_file_beats_the_field_and_keeps_other_names(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": NAMED, "eos_token": "</s>"}))
    (tmp_path / "chat_template.jinja").write_text("file")
    found = {template.name: template for template in read_source(str(tmp_path))}
    assert {name: template.text for name, template in found.items()} == {"default": "file", "tool_use": "t"}
    assert found["default"].token_variables == {"eos_token": "</s>"}


def test_a_folder_of_templates_is_read_with_paths_as_labels(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jinja").write_text("x")
    (tmp_path / "b.jinja").write_text("b")
    assert summary(read_source(str(tmp_path))) == [("a/x.jinja", "default", "x"), ("b.jinja", "default", "b")]


def test_with_tools_tool_use_is_judged():
    assert judged([NamedTemplate("l", "d"), NamedTemplate("l", "t", "tool_use")]).text == "t"
    assert judged([NamedTemplate("l", "d"), NamedTemplate("l", "r", "rag")]).text == "d"


def test_a_folder_without_templates_and_a_path_to_nothing_are_told(tmp_path):
    with pytest.raises(TemplateError, match="holds no chat template"):
        read_source(str(tmp_path))
    with pytest.raises(TemplateError, match="There is nothing"):
        read_source(str(tmp_path / "nothing.jinja"))


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_told(tmp_path):
    (tmp_path / "bom.jinja").write_bytes("\ufeffx".encode())
    (tmp_path / "latin.jinja").write_bytes(b"\xe9")
    assert read_source(str(tmp_path / "bom.jinja"))[0].text == "x"
    with pytest.raises(TemplateError, match="not UTF-8"):
        read_source(str(tmp_path / "latin.jinja"))
