"""The text of a region -> a value, and the value -> calls, by a response template.

A text that does not fit, or a value that is no call, gives None: a malformed region is dropped whole.
Source: response-template.md, "Values".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import regex

from parsers.args.pycalls import PythonCalls
from parsers.args.response_fields import ResponseField
from parsers.args.schema import Place, dump, is_json, json_object, parse_json

_PLACEHOLDER = re.compile(r"\{(\w+(?:\.\w+)*)\}")
_QUOTED = r'"(?:\\.|[^"\\])*"'
_BARE_KEY = r"(?P<lead>[{,]\s*)(?P<key>\w+)(?=\s*:)"

Options = Mapping[str, Any]


class Misfit(Exception):
    """The text is not what the template asks for."""


class ReadCall(NamedTuple):
    """A call's name and its arguments, not yet cast to the tool's types."""

    name: str
    arguments: dict[str, Any]


def read_calls(field: ResponseField, text: str, groups: Mapping[str, str]) -> list[ReadCall] | None:
    """The calls of a region, in order; None when it is malformed.

    Args:
        text: between the region's delimiters.
        groups: what named groups of the delimiters matched.
    """
    try:
        value = read_value(field.kind, text, field.arguments or {})
        shaped = _shaped(field, value, groups)
        return [_call(item) for item in (shaped if isinstance(shaped, list) else [shaped])]
    except Misfit:
        return None


def read_value(kind: str, text: str, options: Options) -> Any:
    """The value of a text.

    Raises:
        Misfit: the text is not of that kind.
    """
    return _READERS[kind](text, options)


def cast_arguments(arguments: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Arguments with texts cast to the types the tool declares; a list of repeated keys is cast item by item."""
    return {key: _cast(value, place.member(key)) for key, value in arguments.items()}


def _cast(value: Any, place: Place) -> Any:
    types = place.types()
    if isinstance(value, str):
        return _cast_text(value, place)
    if isinstance(value, list) and types and "array" not in types:
        return [_cast_text(item, place) if isinstance(item, str) else item for item in value]
    return value


def _cast_text(text: str, place: Place) -> Any:
    for name in place.declared_order():
        value = _as_type(name, text)
        if value is not _MISS:
            return value
    return text


_MISS = object()


def _as_type(name: str, text: str) -> Any:
    """The text as a value of that type, or _MISS; a string is what is left when no type fits."""
    word = text.strip()
    if name == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(word.lower(), _MISS)
    if name == "null":
        return None if word in ("null", "None") else _MISS
    if name in ("integer", "number"):
        return _as_number(name, word)
    value = parse_json(text) if is_json(text) else _MISS
    wanted = {"object": dict, "array": list}.get(name)
    return value if wanted and isinstance(value, wanted) else _MISS


def _as_number(name: str, word: str) -> Any:
    try:
        return int(word)
    except ValueError:
        pass
    try:
        number = float(word)
    except ValueError:
        return _MISS
    if number != number or number in (float("inf"), float("-inf")):
        return _MISS
    if name == "integer":
        return int(number) if number.is_integer() else _MISS
    return int(number) if number.is_integer() and "." not in word else number


# --- values -----------------------------------------------------------------------------------------------------------


def _text(text: str, options: Options) -> str:
    return text.strip() if options.get("strip", True) else text


def _number(kind: Callable[[str], float]) -> Callable[[str, Options], Any]:
    def read(text: str, options: Options) -> Any:
        try:
            return kind(_text(text, options))
        except ValueError as error:
            raise Misfit from error

    return read


def _truth(text: str, options: Options) -> bool:
    return _text(text, options).lower() in ("true", "1")


def _json(text: str, options: Options) -> Any:
    plain = _plain_json(text, options.get("string_delims") or (), bool(options.get("unquoted_keys")))
    if is_json(plain):
        return parse_json(plain)
    if options.get("allow_non_json"):
        return _text(text, options)
    raise Misfit


def _plain_json(text: str, delimiters: Any, unquoted_keys: bool) -> str:
    """JSON text of a dialect: strings between other delimiters, keys without quotes."""
    strings = [f"{re.escape(first)}(?P<s{i}>.*?){re.escape(last)}" for i, (first, last) in enumerate(delimiters)]
    tokens = re.compile("|".join([*strings, _QUOTED, *([_BARE_KEY] if unquoted_keys else [])]), re.DOTALL)

    def plain(token: re.Match[str]) -> str:
        groups = {name: value for name, value in token.groupdict().items() if value is not None}
        if "key" in groups:
            return f"{groups['lead']}{dump(groups['key'])}"
        return dump(next(iter(groups.values()))) if groups else token.group()

    return tokens.sub(plain, text)


def _inner(text: str, options: Options) -> Any:
    """The value of one part of a region."""
    reader = options.get("value_parser")
    if reader is None:
        return text
    return read_value(reader.get("name", "text"), text, reader.get("args") or {})


def _tags(text: str, options: Options) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for tag in regex.finditer(options["tag_pattern"], text, regex.DOTALL):
        groups = tag.groupdict()
        if groups.get("key") is None:
            raise Misfit
        found.setdefault(groups["key"], []).append(_inner(groups.get("value") or "", options))
    merge = options.get("merge_duplicates", False)
    return {key: values if merge and len(values) > 1 else values[-1] for key, values in found.items()}


def _lines(text: str, options: Options) -> dict[str, Any]:
    found = {}
    for line in text.split(options.get("line_sep", "\n")):
        key, separator, value = _text(line, options).partition(options.get("kv_sep", ":"))
        if separator:
            found[_text(key, options)] = _inner(_text(value, options), options)
    return found


class _Collector:
    """A CallSink that keeps names and arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str]]] = []

    def start_call(self, at: int) -> None:
        """Nothing to keep."""

    def identify_call(self, call_id: str, at: int) -> None:
        """Nothing to keep."""

    def end_call(self, at: int, complete: bool) -> None:
        """Nothing to keep."""

    def skip(self, at: int, is_name: bool = False) -> None:
        """Nothing to keep."""

    def name_call(self, name: str, at: int) -> None:
        """A call begins."""
        self.calls.append((name, []))

    def append_arguments(self, json_text: str, at: int) -> None:
        """More of its arguments."""
        self.calls[-1][1].append(json_text)


def _python_calls(text: str, options: Options) -> list[dict[str, Any]]:
    codec, sink = PythonCalls("list"), _Collector()
    text = text.strip()
    used = codec.feed(text, sink)
    if not codec.close(sink, used) or used < len(text):
        raise Misfit
    return [{"name": name, "arguments": json_object("".join(parts))} for name, parts in sink.calls]


_READERS: Mapping[str, Callable[[str, Options], Any]] = {
    "text": _text,
    "int": _number(int),
    "float": _number(float),
    "bool": _truth,
    "json": _json,
    "xml-inline": _tags,
    "kv-lines": _lines,
    "python-call-list": _python_calls,
}


# --- calls ------------------------------------------------------------------------------------------------------------


def _shaped(field: ResponseField, value: Any, groups: Mapping[str, str]) -> Any:
    if field.transform is None:
        return value
    if not field.each:
        return _filled(field.transform, {**groups, "content": value})
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Misfit
    return [_filled(field.transform, {**groups, **item}) for item in value]


def _filled(shape: Any, scope: Mapping[str, Any]) -> Any:
    """The shape with its placeholders replaced."""
    if isinstance(shape, Mapping):
        return {key: _filled(inner, scope) for key, inner in shape.items()}
    if isinstance(shape, list):
        return [_filled(inner, scope) for inner in shape]
    placeholder = _PLACEHOLDER.fullmatch(shape) if isinstance(shape, str) else None
    if placeholder is None:
        return shape
    value: Any = scope
    for key in placeholder.group(1).split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise Misfit
        value = value[key]
    return value


def _call(value: Any) -> ReadCall:
    function = value.get("function") if isinstance(value, Mapping) else None
    if not isinstance(function, Mapping):
        raise Misfit
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(arguments, str):
        arguments = json_object(arguments)
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        raise Misfit
    return ReadCall(name, arguments)
