"""A list of Python calls that is the whole output -> calls, read from text alone.

    [get_weather(city='Paris'), now()]

White space before the list is dropped with it; anything else before it makes the output content. A list that holds no
call is content; text behind a closed list is content too, streamed or not. A list that goes wrong after some calls
keeps those it closed, for they are sent by then.

Source: formats/pythonic.md (name `pythonic`), card 03 (L-46 … L-48).
"""

from __future__ import annotations

from parsers.args.pycalls import PythonCalls
from parsers.legacy.rescan import CallRecorder, Found, RescanningToolParser


class PythonicParser(RescanningToolParser):
    """Llama 3.2, ToolACE and others that write calls as Python."""

    def find(self, text: str) -> Found:
        """Calls and the text behind them, or the text as content; until that is decided it is held."""
        codec, recorder = PythonCalls("list"), CallRecorder()
        start = len(text) - len(text.lstrip())
        used = start + codec.feed(text[start:], recorder)
        if codec.bad and not recorder.calls:
            return Found(text, "", ())
        behind = text[used:] if codec.complete else ""
        return Found(behind, "" if recorder.calls else text, tuple(recorder.calls))
