"""What a response template may say: card response-template.md, "Template"."""

import pytest

from parsers.args.response_fields import read_template
from parsers.errors import FormatError

THINK = {"open": "<think>", "close": "</think>"}
CALLS = {"open": "<call>", "close": "</call>", "content": "json"}


def template(anchor="<|turn|>", **fields):
    return {"version": 1, "start_anchor": anchor, "fields": fields}


def test_fields_and_their_delimiters():
    read = read_template(template(thinking=THINK, tool_calls=CALLS, content={}))
    assert read.fields["thinking"].open.literals == ("<think>",)
    assert read.fields["tool_calls"].kind == "json"
    assert read.outside.name == "content"


def test_content_takes_what_is_outside_when_the_template_does_not_name_it():
    assert read_template(template(thinking=THINK)).outside.name == "content"


def test_a_field_without_an_opener_takes_the_content_s_place():
    read = read_template(template(thinking={"close": "</think>"}))
    assert read.outside.name == "thinking"
    assert "content" not in read.fields


def test_text_outside_is_nobodys_when_every_field_has_an_opener():
    assert read_template(template(content={"open": "<say>"})).outside is None


@pytest.mark.parametrize(
    ("anchor", "prompt", "prefix"),
    [
        pytest.param({"start_anchor": "<|turn|>"}, "a<|turn|>b<|turn|><think>", "<think>", id="behind the last"),
        pytest.param({"start_anchor": "<|turn|>"}, "<think>", "<think>", id="not found: all of it"),
        pytest.param({"start_anchor_pattern": r"<\|\w+\|>\n"}, "<|x|>\na", "a", id="pattern"),
        pytest.param({"start_anchor": ["<a>", "<b>"]}, "<a>x<b>y", "y", id="any of several"),
    ],
)
def test_the_prompts_part_of_the_message(anchor, prompt, prefix):
    assert read_template({"fields": {"content": {}}, **anchor}).prefix(prompt) == prefix


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        pytest.param([], "must be an object", id="no object"),
        pytest.param({**template(content={}), "version": 2}, "version 2 is not known", id="version"),
        pytest.param({**template(content={}), "extra": 1}, "unknown key 'extra'", id="unknown key"),
        pytest.param({"fields": {"content": {}}}, "needs start_anchor", id="no anchor"),
        pytest.param(template(), "non-empty object", id="no fields"),
        pytest.param(template(audio={}), "'audio' is not served", id="another field"),
        pytest.param(template(content=[]), "'content' must be an object", id="field is no object"),
        pytest.param(template(content={"opens": "x"}), "unknown key 'opens'", id="unknown key of a field"),
        pytest.param(template(thinking={"open": "a", "open_pattern": "a"}), "both open and open_pattern", id="both"),
        pytest.param(template(thinking={"open": ""}), "not empty for open", id="empty literal"),
        pytest.param(template(thinking={"open": []}), "not empty for open", id="no literals"),
        pytest.param(template(thinking={"open_pattern": "("}), "not a regular expression", id="expression"),
        pytest.param(
            template(thinking={"close": "a"}, content={}), "only one field may have no opener", id="two outside"
        ),
        pytest.param(template(content={"content": "json"}), "plain text", id="content of another kind"),
        pytest.param(template(thinking={**THINK, "join": "x"}), "plain text", id="joined thinking"),
        pytest.param(template(tool_calls={**CALLS, "content": "yaml"}), "unknown content 'yaml'", id="kind"),
        pytest.param(template(tool_calls={"close": "x"}), "needs an opener", id="calls outside"),
        pytest.param(template(tool_calls={**CALLS, "content": "xml-inline"}), "needs a tag_pattern", id="tag pattern"),
        pytest.param(
            template(tool_calls={"open_pattern": "(?P<name>x)", "close": "y"}),
            "no transform that uses",
            id="unused group",
        ),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_its_place(bad, sentence):
    with pytest.raises(FormatError, match=r".*") as error:
        read_template(bad)
    assert sentence in str(error.value)
