"""Outputs a model might write, well formed and not: text drawn along the rows of a table, with noise.

What the property tests feed. An output is a list of token ids over the bundled tokenizer, so a marker can be its
token, or the same letters in ordinary tokens.
"""

from dataclasses import dataclass

from hypothesis import strategies as st

from parsers.engine.config import (
    BODY_BAD,
    BODY_END,
    IDENTIFIER,
    NEVER,
    NEWLINE,
    NEWLINES,
    OTHER,
    SOURCES,
    SPACES,
    WORD,
    ParserEngineConfig,
    Sink,
)  # fmt: skip
from parsers.engine.lint import first_states
from parsers.registry import joined, markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.base import Tokenizer
from parsers.tokens.stream import StreamOptions, TokenStream, simulate

OPTIONAL = str.maketrans({**dict.fromkeys((SPACES, NEWLINES, NEWLINE, SOURCES, WORD, NEVER), ""), IDENTIFIER: "f"})
PROSE = (
    "a",
    "Hm, ",
    "x < y",
    "\n",
    " ",
    "\n\n",
    "é",
    "🧭",
    "寒い ",
    "<",
    "</",
    "{",
    '"',
    "\\",
    "n't",
    "1.5",
    "`",
    "|>",
    "",
)
VALUES = (
    "5",
    "true",
    "null",
    "three",
    "[1, 2]",
    '{"a": "b"}',
    "\n",
    "line\n",
    " x ",
    "a<b",
    '"q"',
    "\\",
    "🧭",
    "",
    "1e400",
)
OBJECTS = (
    '{"a": 1}',
    "{}",
    '{"a": "x\\"}"}',
    '{"a": {"b": [1]}, "c": "🧭"}',
    '{"a": "',
    "{",
    "[1]",
    "x",
    "null",
    '{"a": 1,}',
)
CALLS = (
    '{"name": "f", "arguments": {"x": 1}}', '{"arguments": {"x": "}"}, "name": "f"}', '{"name": "f"}', '{"name": 5}',
    '{"name": "f", "arguments": "{\\"x\\": 1}"}', '{"name": "f", "arguments": {"x": "', '{"name": "', "[]", "oops",
    '[{"name": "f", "arguments": {}}, {"name": "g"}]', "f(x=1)", "[f(x='a'), g()]", '{x:<|"|>a<|"|>}',
)  # fmt: skip
TEXT_OF = {
    Sink.TEXT: PROSE,
    Sink.REASONING: PROSE,
    Sink.NOTHING: (" ", "\n", "", "junk"),
    Sink.NAME: ("f", "g ", "functions.f:0", "", "unknown"),
    Sink.KEY: ("x", "n", "s", "x", " l"),
    Sink.TYPE: ("string", "object", ""),
    Sink.VALUE: VALUES,
    Sink.HEADER: ("final", "analysis", "commentary to=functions.f", "f", ""),
    Sink.BODY: OBJECTS + CALLS,
}
MAX_PIECES = 14


@dataclass(frozen=True)
class Output:
    """One output.

    Attributes:
        pieces: text in order; True where its letters are ordinary tokens even if they spell a marker.
    """

    pieces: tuple[tuple[str, bool], ...]
    tokenizer: Tokenizer

    @property
    def text(self) -> str:
        """What the model wrote."""
        return "".join(text for text, _ in self.pieces)

    def ids(self) -> list[int]:
        """Its tokens; letters keep the ids they have in a vocabulary without markers."""
        plain = bundled.load()
        return [i for text, letters in self.pieces for i in (plain if letters else self.tokenizer).encode(text)]

    def stream(self, hold: int = 0) -> TokenStream:
        """The stream a server makes of it; text lags by up to `hold` characters (T-15)."""
        stop = ("☃" * (hold + 1),) if hold else ()
        return simulate(self.tokenizer, self.ids(), StreamOptions(stop=stop))


def spellings(config: ParserEngineConfig, name: str) -> tuple[str, ...]:
    """How a terminal may be written, without optional white space; nothing for one the engine raises itself."""
    if name in (BODY_END, BODY_BAD, OTHER):
        return ("", "junk")
    return tuple(text.translate(OPTIONAL) for text in config.terminals[name].spellings)


def fragments(config: ParserEngineConfig) -> list[str]:
    """Markers, beginnings and ends of markers, special tokens."""
    whole = [text for name in config.terminals for text in spellings(config, name) if text] + list(config.special)
    return [*whole, *(text[: len(text) // 2] for text in whole), *(text[1:] for text in whole)]


@st.composite
def outputs(draw: st.DrawFn, reasoning: str | None, tool: str | None, letters: bool = True) -> Output:
    """Outputs for a pair of names: a walk along its rows, disturbed now and then.

    Args:
        letters: some markers are spelled in ordinary tokens.
    """
    config = joined(reasoning, tool)
    tokenizer = bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))
    noise = [*fragments(config), *PROSE]
    state, pieces = draw(st.sampled_from(sorted(first_states(config)))), []
    for _ in range(draw(st.integers(0, MAX_PIECES))):
        pieces.append((draw(st.sampled_from(TEXT_OF[config.sink(state)])), False))
        rows = [row for row in config.rows if row.state == state]
        if not rows or draw(st.integers(0, 5)) == 0:
            pieces.append((draw(st.sampled_from(noise)), letters and draw(st.booleans())))
            continue
        row = draw(st.sampled_from(rows))
        pieces.append((draw(st.sampled_from(spellings(config, row.terminal))), False))
        state = row.next or draw(st.sampled_from(config.headers)).next
    return Output(tuple(pieces), tokenizer)
