"""What a person asks of a request, as the request that says so (card 01; C0-01)."""

import pytest

from parsers.debug.asked import (
    NOTHING_ASKED,
    TOOL_CHOICES,
    RequestSettings,
    chat_request,
    choice_of,
    forcing,
    overridden,
)
from parsers.debug.asked import response_format as read_format
from parsers.errors import RequestError
from parsers.protocol import NamedToolChoice
from tests.structured.builders import tool


def request(tools=(), **asked):
    return chat_request(RequestSettings(**asked), tools, template_kwargs={})


@pytest.mark.parametrize(
    ("choice", "tools", "becomes"),
    [
        ("absent", [tool()], "auto"),
        ("absent", [], "none"),
        ("null", [tool()], None),
        ("none", [tool()], "none"),
        ("required", [tool()], "required"),
        (forcing("weather"), [tool()], "weather"),
        (forcing("auto"), [tool("auto")], "auto"),
    ],
    ids=["absent", "absent without tools", "null", "none", "required", "a function", "a function called auto"],
)
def test_p25_a_tool_choice_left_out_is_not_null(choice, tools, becomes):
    asked = request(tools, tool_choice=choice)
    assert choice_of(asked) == choice
    got = asked.tool_choice
    assert (got.function.name if isinstance(got, NamedToolChoice) else got) == becomes
    assert isinstance(got, NamedToolChoice) == choice.startswith("function:")


def test_an_unknown_tool_choice_gets_a_sentence():
    with pytest.raises(RequestError, match="no tool choice 'maybe'; use absent, none"):
        request(tool_choice="maybe")


def test_what_is_shown_is_asked_for_field_by_field():
    got = request(
        parallel_tool_calls=False,
        include_reasoning=False,
        logprobs=True,
        top_logprobs=2,
        return_token_ids=True,
        include_usage=True,
        continuous_usage=True,
    )
    assert (got.parallel_tool_calls, got.include_reasoning, got.logprobs, got.top_logprobs) == (False, False, True, 2)
    assert got.return_token_ids
    assert got.stream_options.include_usage
    assert got.stream_options.continuous_usage_stats


def test_d70_earlier_calls_are_counted_by_the_request():
    assert request(history_calls=3).history_calls == 3


def test_nothing_asked_says_nothing():
    got = chat_request(NOTHING_ASKED, (), template_kwargs={})
    assert not {"tools", "tool_choice", "parallel_tool_calls", "messages"} & got.model_fields_set


@pytest.mark.parametrize(
    ("given", "asked", "expected"),
    [
        (None, {}, None),
        (None, {"strict_tools": ("weather",)}, True),
        (True, {"loose_tools": ("weather",)}, False),
        (True, {}, True),
    ],
    ids=["as written", "made strict", "made loose", "written strict"],
)
def test_s23_strict_is_overridden_by_name(given, asked, expected):
    written = [tool(strict=given)]
    assert overridden(written, RequestSettings(**asked))[0].function.strict is expected
    assert written[0].function.strict is given


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"strict_tools": ("wether",)}, "'wether', asked to be strict or not, is not offered; offered: weather"),
        ({"strict_tools": ("weather",), "loose_tools": ("weather",)}, "strict and not strict"),
    ],
    ids=["not offered", "both"],
)
def test_an_override_that_cannot_hold_gets_a_sentence(asked, says):
    with pytest.raises(RequestError, match=says):
        overridden([tool()], RequestSettings(**asked))


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"type": "yaml"}'], ids=["cut", "list", "no type", "unknown type"])
def test_a_response_format_that_cannot_be_used_gets_a_sentence(text):
    with pytest.raises(RequestError, match="The response format is not"):
        read_format(RequestSettings(response_format=text))


def test_a_response_format_is_read_as_it_is():
    assert read_format(RequestSettings(response_format=' {"type": "json_object"} ')) == {"type": "json_object"}
    assert read_format(RequestSettings(response_format=" ")) is None


@pytest.mark.parametrize("choice", TOOL_CHOICES)
def test_a_word_is_no_function(choice):
    assert RequestSettings(tool_choice=choice).forced_function is None
