"""Tagged parameters -> a JSON object: each key and its raw value text become `"key": value`.

Strings stream as they arrive; any other value waits for its closer, because coercion may change its spelling
(C-STREAM). A repeated key is dropped, the first value wins, so that nothing sent has to be taken back (C-DUP, E-61).
Each character is escaped once; the cost is linear and closing is cheap.
"""

from __future__ import annotations

from parsers.args.schema import ParameterTypes, dump, escape, free_value
from parsers.state import Stateful


class ParamsCodec(Stateful):
    """One call's arguments.

    Attributes:
        depth: 1 while the object is open.
        in_string: a string value is streaming.
        held: raw text of a value that waits for its closer.
    """

    STATE = ("keys", "key", "in_string", "held", "_skipping", "_declared")

    def __init__(self, types: ParameterTypes) -> None:
        self._types = types
        self.keys: list[str] = []
        self.key: str | None = None
        self.in_string = False
        self.held: list[str] = []
        self._skipping = False
        self._declared: str | None = None

    def begin(self, key: str, declared: str | None = None) -> str:
        """A parameter opens; returns JSON text to append.

        Args:
            key: its name; without one the value is dropped.
            declared: the type an attribute declares ("string", or anything else for JSON); None asks the schema.
        """
        self.key, self._declared = key, declared
        self._skipping = not key or key in self.keys
        if self._skipping:
            return ""
        text = ("{" if not self.keys else ", ") + dump(key) + ": "
        self.keys.append(key)
        self.in_string = declared == "string" if declared else self._types.is_text(key)
        return text + '"' if self.in_string else text

    def feed(self, text: str) -> str:
        """Value text; returns JSON text to append, empty while the value is held."""
        if self.in_string:
            return escape(text)
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
        text = "".join(self.held)
        self.held = []
        return dump(free_value(text) if self._declared else self._types.value(key, text))

    def close(self) -> str:
        """The call is over; closes an open parameter first."""
        return self.end() + ("}" if self.keys else "{}")


