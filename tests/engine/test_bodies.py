"""Bodies by kind, and what their rows may say: INDEX-2 feature 11."""

from dataclasses import replace

import pytest

from parsers.args.elements import ElementsCodec
from parsers.args.json_args import JsonArguments
from parsers.args.json_calls import JsonCalls
from parsers.args.notation import NotationCodec
from parsers.args.pycalls import PythonCalls
from parsers.args.response_calls import CallRegion, ResponseCalls
from parsers.args.response_fields import read_template
from parsers.args.schema import ParameterTypes
from parsers.engine.bodies import make_body
from parsers.engine.config import DELIMITER, Body
from parsers.engine.lint import lint
from parsers.errors import FormatError
from parsers.formats.gemma import gemma4_tools
from parsers.formats.response_template import DEFAULT

CALLS = read_template(DEFAULT).fields["tool_calls"]


@pytest.mark.parametrize(
    ("body", "codec", "is_arguments"),
    [
        (Body("json"), JsonArguments, True),
        (Body("notation"), NotationCodec, True),
        (Body("elements", prefix="@"), ElementsCodec, True),
        (Body("calls"), JsonCalls, False),
        (Body("pycalls"), PythonCalls, False),
        (Body("response", region=CallRegion(CALLS)), ResponseCalls, False),
    ],
    ids=lambda value: value.kind if isinstance(value, Body) else "",
)
def test_a_kind_names_its_codec_and_who_reports_the_calls(body, codec, is_arguments):
    assert type(make_body(body, lambda name: ParameterTypes(None), "f")) is codec
    assert body.is_arguments is is_arguments


def test_a_codec_of_arguments_asks_for_the_types_of_the_open_call():
    asked = []
    make_body(Body("notation"), lambda name: asked.append(name) or ParameterTypes(None), "f")
    assert asked == ["f"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(FormatError, match="no body codec named 'yaml'"):
        make_body(Body("yaml"), lambda name: ParameterTypes(None), "f")


def test_only_a_body_that_knows_delimiters_has_a_row_for_one():
    rows = tuple(
        replace(row, events=(DELIMITER,)) if row.terminal == "ARGS_START" else row for row in gemma4_tools.rows
    )
    assert "no body codec that knows delimiters" in " ".join(lint(gemma4_tools.but(rows=rows)))
