"""Parsers that a delegating parser can drive, simple enough to see the driving: a bar ends thinking, an id is a letter.

What they are asked stands in `log`, in order; what they answer is told when they are made.
"""

from parsers.compose.delegating import DelegatingParser
from parsers.compose.ids import id_maker
from parsers.legacy.base import ExtractedToolCalls, ReasoningParser, ToolParser
from parsers.protocol import ChatRequest, DeltaFunction, DeltaMessage, DeltaToolCall

BAR = ord("|")


def letters(text):
    return [ord(letter) for letter in text]


def call(index, arguments=None, name=None, id=None):
    return DeltaToolCall(index, id, "function" if id else None, DeltaFunction(name, arguments))


class Thinker(ReasoningParser):
    """Text before the bar is reasoning, text behind it content of the same delta."""

    def __init__(self, log, fallback=None):
        super().__init__(None)
        self.log, self.fallback = log, fallback

    def is_reasoning_end(self, token_ids):
        return BAR in token_ids

    def is_reasoning_end_streaming(self, token_ids, delta_ids):
        self.log.append(("ended?", "".join(map(chr, delta_ids))))
        return BAR in delta_ids

    def extract_content_ids(self, token_ids):
        return token_ids[token_ids.index(BAR) + 1 :]

    def extract_reasoning(self, text, request=None):
        self.log.append(("think", text))
        reasoning, _, content = text.partition("|")
        return reasoning or None, content or None

    def extract_reasoning_streaming(self, previous_text, current_text, delta_text, *ids):
        self.log.append(("think", previous_text, current_text, delta_text))
        reasoning, _, content = delta_text.partition("|")
        return DeltaMessage(reasoning=reasoning or None, content=content or None) if reasoning or content else None

    def set_prompt_token_ids(self, prompt_ids):
        self.log.append(("prompt", "".join(map(chr, prompt_ids))))

    def adjust_initial_state_from_prompt(self, prompt_ids):
        self.log.append(("start", "".join(map(chr, prompt_ids))))

    def get_streaming_fallback_content(self, text, request=None):
        return self.fallback


class EngineThinker(Thinker):
    """Keeps text behind the bar, and a last letter of reasoning, until it is told to finish."""

    engine_based_streaming = True

    def __init__(self, log, fallback=None, late=None):
        super().__init__(log, fallback)
        self.late, self.behind, self.ended = late, None, False

    def extract_reasoning_streaming(self, previous_text, current_text, delta_text, *ids):
        delta = super().extract_reasoning_streaming(previous_text, current_text, delta_text, *ids)
        self.ended = self.ended or "|" in delta_text
        self.behind = delta.content if delta else None
        return DeltaMessage(reasoning=delta.reasoning) if delta and delta.reasoning else None

    def has_engine_confirmed_reasoning_end(self):
        self.log.append(("confirmed?", self.ended))
        return self.ended

    def finish_streaming(self):
        self.log.append(("finish thinking",))
        return DeltaMessage(reasoning=self.late, content=self.behind) if self.late or self.behind else None


class Caller(ToolParser):
    """Gives the answers it was made with, then says everything as content."""

    def __init__(self, log, answers=(), held=None):
        super().__init__(None)
        self.log, self.answers, self.held = log, list(answers), held

    def extract_tool_calls(self, text, request=None):
        self.log.append(("call", text))
        return ExtractedToolCalls(False, (), text)

    def extract_tool_calls_streaming(
        self, previous_text, current_text, delta_text, previous_ids, current_ids, delta_ids, request=None
    ):
        self.log.append(("call", previous_text, current_text, delta_text))
        if self.answers:
            return self.answers.pop(0)
        return DeltaMessage(content=delta_text) if delta_text else None

    def finish_streaming(self):
        self.log.append(("finish calling",))
        return self.held


class EngineCaller(Caller):
    engine_based_streaming = True


def driven(reasoning, tool, id_style="random", history_calls=0, prompt=None, reads_json=False, **request):
    """A delegating parser that drives these two."""
    return DelegatingParser(
        reasoning,
        tool,
        ChatRequest.model_validate(request),
        id_maker(id_style, history_calls),
        prompt_ids=None if prompt is None else letters(prompt),
        reads_json=reads_json,
        id_style=id_style,
        history_calls=history_calls,
    )


def drive(parser, *deltas):
    """What the parser returns for each text; the last one finishes where it is None."""
    texts = [delta for delta in deltas if delta is not None]
    ends = None in deltas
    return [
        parser.parse_delta(text, letters(text), finished=ends and at == len(texts) - 1) for at, text in enumerate(texts)
    ]


def asked(log, *kinds):
    """The questions of some kinds."""
    return [entry for entry in log if entry[0] in kinds]
