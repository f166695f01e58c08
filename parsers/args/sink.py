"""What a codec reports while it reads the body of a tool region.

Every report carries `at`: how many characters of the text being fed are used up by then (0-based, half-open), so that
each output character keeps its origin. Reports come in raw order.
"""

from __future__ import annotations

from typing import Protocol


class CallSink(Protocol):
    """Receiver of calls; the machine implements it."""

    def start_call(self, at: int) -> None:
        """A call begins; raw text up to `at` was syntax."""

    def name_call(self, name: str, at: int) -> None:
        """The call's whole name is known."""

    def identify_call(self, call_id: str, at: int) -> None:
        """The model wrote an id for the open call."""

    def append_arguments(self, json_text: str, at: int) -> None:
        """`json_text` can be sent: the arguments only ever grow by it."""

    def end_call(self, at: int, complete: bool) -> None:
        """The call is over; `complete` is False when its body is not what the grammar asks for."""

    def skip(self, at: int, is_name: bool = False) -> None:
        """Raw text up to `at` is syntax (quotes of a key, commas, white space) and is in no field.

        Args:
            is_name: it spells the call's name instead, of which `name_call` tells once it is whole.
        """
