"""A body that *is* the arguments: one JSON object, passed through verbatim as it arrives.

Nothing is parsed twice: the walker looks at each character once and everything up to the watermark can be sent. The
brace that closes the object is held until something follows, so that a caller sees the end of the arguments together
with the end of the call (cards E-55, E-56). White space around the object is not part of it; an empty body is `{}`.
"""

from __future__ import annotations

from parsers.args.sink import CallSink
from parsers.args.walk import JsonWalker, Step, escape_controls
from parsers.state import Stateful


class JsonArguments(Stateful):
    """Codec of one call's body.

    Attributes:
        held: the closing brace while it waits.
        bad: the text is not one JSON object; what follows is passed on as it is, for the reader.
    """

    STATE = ("walker", "held", "bad", "started")

    def __init__(self) -> None:
        self.walker = JsonWalker()
        self.held = ""
        self.bad = False
        self.started = False

    @property
    def open_data(self) -> bool:
        """Inside a JSON string: a marker here is data."""
        return self.walker.in_string and not self.bad

    @property
    def passes_text(self) -> bool:
        """Text without quotes, backslashes and control characters would be appended unchanged."""
        return self.walker.in_string and not self.walker.escape and not self.bad

    @property
    def complete(self) -> bool:
        """The object is closed."""
        return self.started and self.walker.complete and not self.bad

    def feed(self, text: str, sink: CallSink) -> int:
        """Read `text`; returns how much of it was used: less than all only when the object closed before its end."""
        if self.started and self.walker.complete:
            return 0  # also when the caller met text behind the object and called it bad
        pos, mark = 0, 0
        while pos < len(text) and not self.bad and not self.complete:
            step, end = self.walker.step(text, pos)
            if step is Step.BAD or not self._begins(step, text[pos]):
                self.bad = True
            elif not self.started and step is Step.SPACE:
                sink.skip(end)
                mark = end
            elif step is Step.STRING and (clean := escape_controls(text[pos:end])) != text[pos:end]:
                self._send(text, mark, pos, sink)
                sink.append_arguments(clean, end)
                mark = end
            self.started = self.started or step is Step.OPEN
            pos = end
        if self.bad:
            self._send(text, mark, len(text), sink)
            return len(text)
        if self.complete and pos > mark:
            self._send(text, mark, pos - 1, sink)
            self.held = text[pos - 1]
        else:
            self._send(text, mark, pos, sink)
        return pos

    def close(self, sink: CallSink, at: int) -> bool:
        """The call's closer: releases what is held; True when the arguments are one whole object."""
        if not self.started and not self.bad:
            sink.append_arguments("{}", at)
            return True
        if self.held:
            sink.append_arguments(self.held, at)
            self.held = ""
        return self.complete

    def _begins(self, step: Step, char: str) -> bool:
        """Only white space and an opening brace may come before the object."""
        return self.started or step is Step.SPACE or (step is Step.OPEN and char == "{")

    @staticmethod
    def _send(text: str, start: int, end: int, sink: CallSink) -> None:
        if end > start:
            sink.append_arguments(text[start:end], end)
