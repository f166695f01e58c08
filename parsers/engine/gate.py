"""When a call becomes visible: events of a tool region wait here until the region is surely a call.

`incremental` commits a call when its name is complete, `on_close` when the call is. Until then the region can be given
back as text, so malformed regions cost nothing but the wait (cards T-FIX, E-84, E-85; INDEX-1 feature 8). A format may
commit whole regions: all calls when the region closes, or, with one call that is not right, none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from parsers.engine.events import CALL_ID, INCOMPLETE, EventType, SemanticEvent
from parsers.state import Stateful

CallCommit = Literal["incremental", "on_close"]
_ACCOUNTING = (EventType.MARKER, EventType.DROPPED)


class CommitGate(Stateful):
    """Passes events on, in order.

    Attributes:
        out: events ready for the caller.
        region: inside a tool region.
        held: its events that are not committed.
        committed: the region has shown at least one call.
    """

    STATE = ("out", "region", "held", "raw", "committed", "passing", "refused", "spoiled")

    def __init__(
        self,
        policy: CallCommit,
        unknown: Literal["keep", "drop", "text"],
        known: Callable[[str], bool],
        whole_regions: bool = False,
    ) -> None:
        self._policy, self._unknown, self._known, self._whole = policy, unknown, known, whole_regions
        self.out: list[SemanticEvent] = []
        self.region = False
        self.held: list[SemanticEvent] = []
        self.raw: list[tuple[str, int, int]] = []
        self.committed = False
        self.passing = False
        self.refused = False
        self.spoiled = False

    def take(self) -> list[SemanticEvent]:
        """Events since the last call, in order."""
        out, self.out = self.out, []
        return out

    def open_region(self) -> None:
        """A tool region begins; no-op inside one."""
        if not self.region:
            self.region, self.committed, self.spoiled = True, False, False
            self.raw.clear()

    def note(self, text: str, start: int, end: int) -> None:
        """Remember raw text of the region in case it is given back."""
        if self.region and not self.committed:
            self.raw.append((text, start, end))

    def add(self, event: SemanticEvent) -> None:
        """Take the machine's next event."""
        if not self.region or self.passing:
            self.out.append(event)
            self.passing = self.passing and event.type is not EventType.TOOL_CALL_END
            return
        self.held.append(event)
        if event.type is EventType.TOOL_NAME and event.rule != CALL_ID:
            self._named(event.value)
        elif event.type is EventType.TOOL_CALL_END:
            self._ended(event)

    def give_back(self, rule: str) -> bool:
        """The region is text after all; False when it has shown a call already, or holds nothing."""
        if self.committed or not self.raw:
            return False
        text = "".join(piece for piece, _, _ in self.raw)
        self.out.append(SemanticEvent(EventType.TEXT_CHUNK, text, -1, self.raw[0][1], self.raw[-1][2], rule))
        self.held.clear()
        self.raw.clear()
        return True

    def close_region(self, rule: str, cut_off: bool = False, implicit: bool = False) -> None:
        """The region is over; what was not committed is no call.

        Args:
            rule: what became of the rest.
            cut_off: the end of the stream closes it.
            implicit: no marker opened it, so without a call it was text.
        """
        if self._whole and self.region and self.held and not cut_off:
            self._settle_whole()
        if implicit:
            self.give_back("no marker opened it and it holds no call")
        self._discard(rule)
        self.region = self.passing = False
        self.raw.clear()

    def _settle_whole(self) -> None:
        if self.spoiled:
            self.give_back("a call of the region is not right")
        elif any(event.type is EventType.TOOL_CALL_END for event in self.held):
            self._commit()

    def _named(self, name: str) -> None:
        self.refused = self._unknown != "keep" and not self._known(name)
        if not self._whole and self._policy == "incremental" and not self.refused:
            self._commit()
            self.passing = True

    def _ended(self, event: SemanticEvent) -> None:
        named = any(e.type is EventType.TOOL_NAME and e.rule != CALL_ID for e in self.held)
        if self._whole:
            self.spoiled = self.spoiled or self.refused or event.value == INCOMPLETE
        elif named and event.value != INCOMPLETE and not self.refused:
            self._commit()
        elif not (self.refused and self._unknown == "text" and self.give_back("function the request does not have")):
            # Held still: a region that has shown nothing may yet be given back as text.
            self.held = self._without_effect(
                "function the request does not have" if self.refused else "tool call without name or end"
            )
        self.refused = False

    def _commit(self) -> None:
        self.out += self.held
        self.held.clear()
        self.raw.clear()
        self.committed = True

    def _discard(self, rule: str) -> None:
        """Keep the account of held events, not their effect."""
        self.out += self._without_effect(rule)
        self.held.clear()

    def _without_effect(self, rule: str) -> list[SemanticEvent]:
        dropped = EventType.DROPPED
        return [
            event if event.type in _ACCOUNTING else SemanticEvent(dropped, "", -1, event.start, event.end, rule)
            for event in self.held
            if event.type in _ACCOUNTING or event.end > event.start
        ]
