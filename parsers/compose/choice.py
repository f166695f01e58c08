"""How calls are read, given the tool choice: four paths, and the readers of the two that the schema forces.

    none       nothing is a call
    named      the whole content is the arguments of the one function
    required   the content is a JSON array of {"name": …, "parameters": …}
    auto       the tool parser reads its own markup

`named` and `required` are JSON only where the tool parser leaves forced calls to a schema; else the model writes its
markup and the path is `auto` (L-41). A reader is fed content and returns deltas; a whole text is one feed and a finish,
so streaming and non-streaming cannot differ. Text that holds no call is content, not lost (D-52, F-41).

Source: card 04 (D-50 … D-57).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import StrEnum

from parsers.args.json_calls import CallKeys, JsonCalls
from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall, NamedToolChoice
from parsers.state import Stateful

_EMPTY_ARRAY = re.compile(r"\s*\[\s*\]")

MakeId = Callable[[str, int], str]
"""(name, index) -> id of a call."""


class CallPath(StrEnum):
    """The four paths (D-57)."""

    NONE = "none"
    NAMED = "named"
    REQUIRED = "required"
    AUTO = "auto"


def call_path(request: ChatRequest, reads_json: bool) -> CallPath:
    """The path of a request; streaming and whole answers take the same one.

    Args:
        reads_json: the tool parser leaves forced calls to a schema (`ToolParser.reads_forced_calls_as_json`).
    """
    choice = request.tool_choice
    if choice == "none" and "tool_choice" in request.model_fields_set:
        return CallPath.NONE
    if isinstance(choice, NamedToolChoice) and reads_json:
        return CallPath.NAMED
    if choice == "required" and reads_json:
        return CallPath.REQUIRED
    return CallPath.AUTO


class ForcedCalls(Stateful, ABC):
    """A reader of content that a schema forced to be calls."""

    def __init__(self, make_id: MakeId) -> None:
        self.make_id = make_id

    @abstractmethod
    def feed(self, content: str) -> DeltaMessage | None:
        """Take content; returns what it adds, None for nothing yet."""

    @abstractmethod
    def finish(self) -> DeltaMessage | None:
        """The content is over; returns what was still to come."""

    @property
    @abstractmethod
    def complete(self) -> frozenset[int]:
        """Indexes of the calls that are whole."""


class NamedCall(ForcedCalls):
    """The whole content is the arguments, verbatim; blank content is no call (D-51).

    White space before the first other character waits for it, so that blank content announces nothing.
    """

    STATE = ("held", "begun")

    def __init__(self, make_id: MakeId, name: str) -> None:
        super().__init__(make_id)
        self.name = name
        self.held = ""
        self.begun = False

    def feed(self, content: str) -> DeltaMessage | None:
        """The call with its first text, then more of its arguments."""
        text, self.held = self.held + content, ""
        if not text.strip() and not self.begun:
            self.held = text
            return None
        if self.begun:
            return _calls(DeltaToolCall(0, function=DeltaFunction(arguments=text))) if text else None
        self.begun = True
        return _calls(DeltaToolCall(0, self.make_id(self.name, 0), "function", DeltaFunction(self.name, text)))

    def finish(self) -> DeltaMessage | None:
        """Blank content is no call."""
        return None

    @property
    def complete(self) -> frozenset[int]:
        """The arguments are whatever was written, valid or not."""
        return frozenset({0} if self.begun else ())


class RequiredCalls(ForcedCalls):
    """An array of calls, read as it grows (D-53).

    A call is announced when its name is whole and its parameters have begun; keys come in any order. Text behind the
    array is dropped. Content that announces no call is given back as it stands.
    """

    STATE = ("codec", "raw", "index", "name", "done")

    def __init__(self, make_id: MakeId) -> None:
        super().__init__(make_id)
        self.codec = JsonCalls(CallKeys(("name",), ("parameters",)), shape="array")
        self.raw: list[str] = []
        self.index = -1
        self.name = ""
        self.done: list[int] = []
        self._delta = DeltaMessage()

    def feed(self, content: str) -> DeltaMessage | None:
        """What the array adds."""
        if self.index < 0:
            self.raw.append(content)
        self.codec.feed(content, self)
        if self.codec.bad:
            self._give_back()
        return self._taken()

    def finish(self) -> DeltaMessage | None:
        """Content without a call is text; only an empty array is nothing."""
        if not _EMPTY_ARRAY.match("".join(self.raw)):
            self._give_back()
        return self._taken()

    @property
    def complete(self) -> frozenset[int]:
        """The objects that were closed."""
        return frozenset(self.done)

    def _give_back(self) -> None:
        raw, self.raw = "".join(self.raw), []
        if self.index < 0 and raw:
            self._delta.content = raw

    def _taken(self) -> DeltaMessage | None:
        delta, self._delta = self._delta, DeltaMessage()
        return delta if delta.tool_calls or delta.content else None

    # --- CallSink --------------------------------------------------------------------------------------------

    def start_call(self, at: int) -> None:
        """A call object begins."""
        self.name = ""

    def name_call(self, name: str, at: int) -> None:
        """The name waits for the parameters."""
        self.name = name

    def identify_call(self, call_id: str, at: int) -> None:
        """The schema has no ids."""

    def append_arguments(self, json_text: str, at: int) -> None:
        """The parameters have begun, or go on."""
        self._announce()
        function = self._delta.tool_calls[-1].function if self._delta.tool_calls else None
        if function is None or self._delta.tool_calls[-1].index != self.index:
            function = DeltaFunction()
            self._delta.tool_calls.append(DeltaToolCall(self.index, function=function))
        function.arguments = (function.arguments or "") + json_text

    def end_call(self, at: int, complete: bool) -> None:
        """The call object is closed, or broken off."""
        if complete:
            self._announce()
            self.done.append(self.index)
        self.name = ""

    def skip(self, at: int, is_name: bool = False) -> None:
        """Where syntax stands is nothing to this reader."""

    def _announce(self) -> None:
        if not self.name:
            return
        self.index += 1
        self.raw = []
        call_id = self.make_id(self.name, self.index)
        self._delta.tool_calls.append(DeltaToolCall(self.index, call_id, "function", DeltaFunction(self.name)))
        self.name = ""


def forced_calls(path: CallPath, request: ChatRequest, make_id: MakeId) -> ForcedCalls | None:
    """The reader of a path; None where no schema forces calls."""
    if path is CallPath.NAMED and isinstance(request.tool_choice, NamedToolChoice):
        return NamedCall(make_id, request.tool_choice.function.name)
    return RequiredCalls(make_id) if path is CallPath.REQUIRED else None


def _calls(*calls: DeltaToolCall) -> DeltaMessage:
    return DeltaMessage(tool_calls=list(calls))
