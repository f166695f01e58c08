"""Calls as JSON objects behind a marker -> content and calls, read from text alone.

    Some text.<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>

The object ends where its braces balance, so a closer inside a string is data. Content is the text before the first
call, as it stands; text after a call is dropped, as in the original (L-49). A block that holds no call is content.

Source: card 03 (L-46 … L-49), formats/hermes.md.
"""

from __future__ import annotations

from typing import ClassVar

from parsers.args.json_calls import CallKeys, JsonCalls
from parsers.legacy.base import partial_marker
from parsers.legacy.rescan import CallRecorder, Found, RescanningToolParser
from parsers.protocol import ChatRequest

_KEYS = CallKeys()


class EnvelopeParser(RescanningToolParser):
    """One JSON object behind each opener; the closer is optional and never looked for.

    Attributes:
        opener: text that announces a call; it need not be one token.
    """

    opener: ClassVar[str]

    def adjust_request(self, request: ChatRequest) -> ChatRequest:
        """Keep special tokens in the text while tools are in play: the opener may be one."""
        if not request.tools or request.tool_choice == "none":
            return request
        return request.model_copy(update={"skip_special_tokens": False})

    def find(self, text: str) -> Found:
        """Content up to the first call, and the calls."""
        content, pos, recorder = "", 0, CallRecorder()
        while True:
            at = text.find(self.opener, pos)
            if at < 0:
                return self._without_opener(content, text[pos:], recorder)
            content += "" if recorder.calls else text[pos:at]
            body = at + len(self.opener)
            codec, known = JsonCalls(_KEYS), len(recorder.calls)
            used = codec.feed(text[body:], recorder)
            if not codec.complete and not codec.bad:
                held = "" if recorder.calls else text[at:]
                return Found(content, held, tuple(recorder.calls))
            is_call = len(recorder.calls) > known
            content += self.opener if not recorder.calls else ""
            pos = body + used if is_call else body

    def _without_opener(self, content: str, rest: str, recorder: CallRecorder) -> Found:
        """The end of the text; behind a call it is dropped, else the beginning of an opener is held (L-48)."""
        if recorder.calls:
            return Found(content, "", tuple(recorder.calls))
        visible = len(rest) - partial_marker(rest, self.opener)
        return Found(content + rest[:visible], rest[visible:], ())


class HermesParser(EnvelopeParser):
    """Hermes 2 Pro, Qwen2.5, Qwen3 with JSON calls."""

    opener = "<tool_call>"
    structural_tag_model = "hermes"


class LongcatParser(EnvelopeParser):
    """LongCat-Flash: the same behind other tags."""

    opener = "<longcat_tool_call>"
    structural_tag_model = "longcat"
