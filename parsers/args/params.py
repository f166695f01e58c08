"""Tagged parameters -> a JSON object: each key and its raw value text become `"key": value`.

Strings stream as they arrive; any other value waits for its closer, because coercion may change its spelling
(C-STREAM). A repeated key is dropped, the first value wins, so that nothing sent has to be taken back (C-DUP, E-61).
Each character is escaped once; the cost is linear and closing is cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

from parsers.args.schema import ParameterTypes, dump, escape, free_value, json_object
from parsers.state import Stateful

EDGES = " \t\n\r\f\v"


@dataclass(frozen=True, slots=True)
class ValueRules:
    """What a format's values are, besides their types.

    Attributes:
        strip: white space at the edges of a value is markup.
        literals: a value that its type does not allow may be a Python literal.
        schema_first: a declared type counts only where the schema does not name exactly one.
        wrappers: keys that wrap the arguments: a lone parameter of that name, unknown to the schema, whose object has
            only keys the schema knows, is that object.
        xml: values are XML text, and the call is checked as `args.xml_params` says.
    """

    strip: bool = False
    literals: bool = False
    schema_first: bool = False
    wrappers: tuple[str, ...] = ()
    xml: bool = False


VERBATIM = ValueRules()


class ParamsCodec(Stateful):
    """One call's arguments.

    Attributes:
        in_string: a string value is streaming.
        held: raw text of a value that waits for its closer.
        repeated: a key came twice.
        bad, open_data: never; XML parameters know such states.
        wrapped: JSON text of a first parameter that may be a wrapper, kept until it is known to be alone.
    """

    STATE = (
        "keys", "key", "in_string", "held", "repeated", "wrapped", "_skipping", "_declared", "_wrapping", "_lone",
        "_begun", "_edge",
    )  # fmt: skip

    bad = open_data = False

    def __init__(self, types: ParameterTypes, rules: ValueRules = VERBATIM) -> None:
        self._types, self._rules = types, rules
        self.keys: list[str] = []
        self.key: str | None = None
        self.in_string = False
        self.held: list[str] = []
        self.repeated = False
        self.wrapped = ""
        self._skipping = False
        self._declared: str | None = None
        self._wrapping = False
        self._lone: object = None
        self._begun = False
        self._edge = ""

    @property
    def skipping(self) -> bool:
        """The open parameter is dropped: its key came before, or it has none."""
        return self._skipping

    @property
    def passes_text(self) -> bool:
        """Plain text that does not end in white space would be appended unchanged."""
        return self.in_string and (not self._rules.strip or (self._begun and not self._edge))

    def begin(self, key: str, declared: str | None = None) -> str:
        """A parameter opens; returns JSON text to append.

        Args:
            key: its name; without one the value is dropped.
            declared: the type an attribute declares ("string", or anything else for JSON); None asks the schema.
        """
        if declared and self._rules.schema_first and self._types.is_certain(key):
            declared = None
        self.key, self._declared = key, declared
        self.repeated = self.repeated or key in self.keys
        self._skipping = not key or key in self.keys
        self._begun, self._edge = False, ""
        if self._skipping:
            return ""
        self._wrapping = not self.keys and key in self._rules.wrappers and not self._types.declares(key)
        head = self._unwrapped() + (", " if self.keys else "{") + dump(key) + ": "
        self.keys.append(key)
        self.in_string = declared == "string" if declared else self._types.is_text(key)
        if self._wrapping:
            self.in_string, self.wrapped = False, head
            return ""
        return head + '"' if self.in_string else head

    def feed(self, text: str) -> str:
        """Value text; returns JSON text to append, empty while the value is held."""
        if self.in_string:
            return escape(self._inner(text) if self._rules.strip else text)
        if not self._skipping and self.key is not None:
            self.held.append(text)
        return ""

    def end(self) -> str:
        """The parameter's closer; returns JSON text to append."""
        key, self.key = self.key, None
        if key is None or self._skipping:
            return ""
        if self.in_string:
            self.in_string = False
            return '"'
        value, self.held = self._value(key, "".join(self.held)), []
        if self._wrapping:
            self._wrapping, self._lone = False, value
            self.wrapped += dump(value)
            return ""
        return dump(value)

    def close(self) -> str:
        """The call is over; closes an open parameter first."""
        end = self.end()
        if self.wrapped and (inner := self._wrapped_arguments()) is not None:
            self.wrapped = ""
            return dump(inner)
        return self._unwrapped() + end + ("}" if self.keys else "{}")

    def _value(self, key: str, text: str) -> object:
        if self._rules.strip:
            text = text.strip(EDGES)
        if self._declared == "string":
            return text
        value = free_value(text) if self._declared else self._types.value(key, text)
        unread = self._rules.literals and value == text and "string" not in self._types.types(key)
        return free_value(text, literal=True) if unread else value

    def _inner(self, text: str) -> str:
        """The text without white space at the value's edges; what may be its end waits."""
        text = self._edge + (text if self._begun else text.lstrip(EDGES))
        inner = text.rstrip(EDGES)
        self._begun = self._begun or bool(inner)
        self._edge = text[len(inner) :]
        return inner

    def _unwrapped(self) -> str:
        """The parameter that was kept as a possible wrapper; it is an ordinary one."""
        text, self.wrapped = self.wrapped, ""
        return text

    def _wrapped_arguments(self) -> dict[str, object] | None:
        inner = json_object(self._lone) if isinstance(self._lone, str) else self._lone
        known = isinstance(inner, dict) and all(map(self._types.declares, inner))
        return inner if known else None  # type: ignore[return-value]
