"""An output that ends early, after every token (T-FIX, T-27), and outputs given as exact token texts (E-22)."""

from collections.abc import Iterator
from dataclasses import replace

from parsers.registry import markers_of, special_of
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from parsers.tokens.texts import TextTokenizer
from tests.every_cut import Fields, Setup, run, ways


def cut_off_everywhere(setup: Setup, text: str, start: int) -> Iterator[tuple[str, Fields]]:
    """Each beginning of `text` that max_tokens can leave, from `start` characters on, and its fields.

    Calls wait for their end, so a call in the fields is a complete one.
    """
    setup = replace(setup, call_commit="on_close")
    tokenizer = bundled.load(markers_of(setup.reasoning, setup.tool), special_of(setup.reasoning, setup.tool))
    ids = tokenizer.encode(text)
    for count in range(len(ids)):
        stream = simulate(tokenizer, ids[:count], StreamOptions())
        if len(stream.text) >= start:
            fields = run(setup, tokenizer, cut(stream, "token"))
            assert run(setup, tokenizer, cut(stream, "one")) == fields, stream.text
            yield stream.text, fields


def from_tokens(setup: Setup, tokens: list[str]) -> Fields:
    """The fields of exact token texts: an entry that spells a marker whole is its token, others are ordinary text."""
    special = special_of(setup.reasoning, setup.tool)
    tokenizer = TextTokenizer(tokens, markers_of(setup.reasoning, setup.tool), special)
    stream = simulate(tokenizer, tokenizer.ids, StreamOptions())
    fields = run(setup, tokenizer, cut(stream, "token"))
    for label, deltas in ways(stream, text_only=False):
        assert run(setup, tokenizer, deltas) == fields, label
    return fields
