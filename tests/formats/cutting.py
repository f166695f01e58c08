"""A text cut off at every place, for the policy on incomplete calls (T-FIX, T-27)."""

from collections.abc import Iterator
from dataclasses import replace

from parsers.registry import markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Fields, Setup, run, ways


def cut_off_everywhere(setup: Setup, text: str, start: int) -> Iterator[tuple[str, Fields]]:
    """Each beginning of `text` from `start` characters on, and its fields with calls that wait for their end."""
    setup = replace(setup, call_commit="on_close")
    tokenizer = bundled.load(markers_of(setup.reasoning, setup.tool), special_of(setup.reasoning, setup.tool))
    for end in range(start, len(text)):
        stream = simulate(tokenizer, tokenizer.encode(text[:end]), StreamOptions())
        fields = run(setup, tokenizer, cut(stream, "token"))
        assert run(setup, tokenizer, cut(stream, "one")) == fields, text[:end]
        yield text[:end], fields


def from_tokens(setup: Setup, tokens: list[str]) -> Fields:
    """The fields of exact token texts: an entry that spells a marker whole is its token, others are ordinary text."""
    special = special_of(setup.reasoning, setup.tool)
    tokenizer = TextTokenizer(tokens, markers_of(setup.reasoning, setup.tool), special)
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions())
    fields = run(setup, tokenizer, cut(stream, "token"))
    for label, deltas in ways(stream, text_only=False):
        assert run(setup, tokenizer, deltas) == fields, label
    return fields
