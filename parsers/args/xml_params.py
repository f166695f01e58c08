"""Parameters written as XML text -> a JSON object, checked against the tool's schema.

Whether the call is a call is known only at its end, so nothing streams: values are collected and `close` gives the
object. A value is XML text: a CDATA section is verbatim, elsewhere the five entities and numeric references are undone,
a lone `&` or `<` stays, and one newline at each end is markup. Keys the schema does not know are dropped; some of them,
such as `arguments`, wrap others. A key that is missing, empty or there twice makes the call bad.

Source: minicpm5.md.
"""

from __future__ import annotations

import re

from parsers.args.schema import ParameterTypes, dump, free_value
from parsers.state import Stateful

_CDATA_OPEN, _CDATA_CLOSE = "<![CDATA[", "]]>"
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class XmlParams(Stateful):
    """One call's arguments.

    Attributes:
        bad: the parameters break a rule, so the call is none.
        open_data: inside a CDATA section: a marker here is data.
        in_string, passes_text, repeated, skipping: as in ParamsCodec; nothing streams, and a repetition is bad.
    """

    STATE = ("values", "key", "held", "bad", "open_data", "_tail")
    in_string = passes_text = repeated = skipping = False

    def __init__(self, types: ParameterTypes, wrappers: tuple[str, ...] = ()) -> None:
        self._types, self._wrappers = types, wrappers
        self.values: dict[str, object] = {}
        self.key: str | None = None
        self.held: list[str] = []
        self.bad = False
        self.open_data = False
        self._tail = ""  # the last characters, where a section marker may have begun

    @property
    def keys(self) -> list[str]:
        """Keys whose values are complete, in order."""
        return list(self.values)

    def begin(self, key: str, declared: str | None = None) -> str:
        """A parameter opens; nothing can be sent yet."""
        self.bad = self.bad or not key or key in self.values
        self.key = key
        return ""

    def feed(self, text: str) -> str:
        """Value text; nothing can be sent yet."""
        self.held.append(text)
        window = self._tail + text
        opened, closed = window.rfind(_CDATA_OPEN), window.rfind(_CDATA_CLOSE)
        if opened != closed:  # one of them is there
            self.open_data = opened > closed
        self._tail = window[1 - len(_CDATA_OPEN) :]
        return ""

    def end(self) -> str:
        """The parameter's closer; nothing can be sent yet."""
        key, self.key = self.key, None
        if key:
            text = xml_text("".join(self.held))
            wraps = key in self._wrappers and not self._types.declares(key)
            inner = free_value(text, literal=True) if wraps else None
            self.values.update(inner if isinstance(inner, dict) else {key: self._types.value(key, text)})
        self.held, self.open_data, self._tail = [], False, ""
        return ""

    def close(self) -> str:
        """The call is over; returns the whole object."""
        self.end()
        known = {key: value for key, value in self.values.items() if self._types.allows(key)}
        self.bad = self.bad or not self._types.required <= known.keys()
        return dump(known)


def xml_text(raw: str) -> str:
    """What XML text says: references undone, CDATA sections verbatim, without the newline at each end."""
    raw = raw.removeprefix("\n").removesuffix("\n")
    parts = _CDATA.split(raw)
    return "".join(part if index % 2 else _REFERENCE.sub(_referred, part) for index, part in enumerate(parts))


def _referred(reference: re.Match[str]) -> str:
    entity, decimal, hexadecimal = reference.groups()
    if entity:
        return _ENTITIES[entity]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    valid = 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000
    return chr(code) if valid else reference.group()
