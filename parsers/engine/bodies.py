"""Body codecs by kind: what a format means by "json", "calls", "notation", "pycalls", "elements" or "response".

Tagged parameters need no body: the table's ARG_KEY and ARG_VALUE states feed a ParamsCodec piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from parsers.args.elements import ElementsCodec
from parsers.args.json_args import JsonArguments
from parsers.args.json_calls import JsonCalls
from parsers.args.notation import NotationCodec
from parsers.args.params import ParamsCodec, ValueRules
from parsers.args.pycalls import PythonCalls
from parsers.args.schema import ParameterTypes
from parsers.args.sink import CallSink
from parsers.args.xml_params import XmlParams
from parsers.engine.config import Body
from parsers.errors import FormatError


class BodyCodec(Protocol):
    """A codec that reads the text of a state.

    Attributes:
        open_data: the text read last is inside a string: a marker there is data.
        passes_text: plain text (no quote, backslash or control character) would be appended unchanged.
        complete: the whole body was read.
        bad: the body is not what the grammar asks for.
        held: text kept back.
    """

    @property
    def open_data(self) -> bool:
        """See above."""
        ...

    @property
    def passes_text(self) -> bool:
        """See above."""
        ...

    @property
    def complete(self) -> bool:
        """See above."""
        ...

    @property
    def held(self) -> str:
        """See above."""
        ...

    bad: bool

    def feed(self, text: str, sink: CallSink) -> int:
        """Read text; returns the number of characters used."""
        ...

    def close(self, sink: CallSink, at: int) -> bool:
        """The body is over; True when it was whole."""
        ...


def make_params(types: ParameterTypes, rules: ValueRules) -> ParamsCodec | XmlParams:
    """A fresh codec for one call's tagged parameters."""
    return XmlParams(types, rules.wrappers) if rules.xml else ParamsCodec(types, rules)


def make_body(body: Body, types_of: Callable[[str], ParameterTypes], name: str) -> BodyCodec:
    """A fresh codec for one region or call.

    Args:
        types_of: tool name -> its parameter types.
        name: of the open call; a codec that reports calls itself does not ask.
    """
    if body.kind == "json":
        return JsonArguments()
    if body.kind == "calls":
        return JsonCalls(body.keys, body.shape, body.calls_required)
    if body.kind == "notation":
        return NotationCodec(types_of(name))
    if body.kind == "pycalls":
        return PythonCalls(body.layout)
    if body.kind == "elements":
        return ElementsCodec(types_of(name), body.prefix)
    if body.kind == "response" and body.region is not None:
        from parsers.args.response_calls import ResponseCalls  # here, because it imports a library few formats need

        return ResponseCalls(body.region, types_of)
    raise FormatError(f"There is no body codec named {body.kind!r}; engine.bodies lists them.")
