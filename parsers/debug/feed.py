"""A case to what a parser is fed: its tokenizer, its stream, and the deltas of a strategy.

Source: card 00 (C0-01 … C0-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from parsers.errors import CaseError
from parsers.files.case import Case
from parsers.files.limits import check_size
from parsers.registry import markers_of, special_of
from parsers.tokens import bundled, chunks, hf
from parsers.tokens.base import Delta, Tokenizer
from parsers.tokens.stream import StreamOptions, TokenStream, simulate, special_ids
from parsers.tokens.texts import TextTokenizer, from_utf8_hex

GIVEN = "given"
"""The strategy that feeds the case's own chunks."""


@dataclass(frozen=True, slots=True)
class Feed:
    """One output, ready to be cut.

    Attributes:
        tokenizer: what the ids belong to.
        stream: what a server shows of the output.
        alone: ids that the strategy `special` sets apart: markers and special tokens.
    """

    tokenizer: Tokenizer
    stream: TokenStream
    alone: frozenset[int]


def open_case(case: Case) -> Feed:
    """Return the stream of a case.

    Raises:
        UnknownName: a parser name nobody registered.
        TokenizerError: the tokenizer cannot be had.
        CaseError: byte pieces that are not hexadecimal.
        LimitError: the output is too long.
        RequestError: an empty stop string.
    """
    markers = markers_of(case.reasoning_parser, case.tool_parser)
    tokenizer, ids = _tokens(case, markers)
    marker_ids = (tokenizer.vocab[marker] for marker in markers if marker in tokenizer.vocab)
    alone = special_ids(tokenizer).union(marker_ids)
    return Feed(tokenizer, simulate(tokenizer, ids, _stream_options(case)), alone)


def has_chunks(case: Case) -> bool:
    """Tell whether the case says how its output arrived."""
    return case.chunks is not None or case.chunks_utf8_hex is not None


def cut_case(case: Case, feed: Feed, strategy: str) -> list[Delta]:
    """Return the deltas of a case under a streaming strategy.

    Raises:
        CaseError: an unknown strategy, or `given` for a case without chunks.
    """
    if strategy != GIVEN:
        return chunks.cut(feed.stream, strategy, feed.alone)
    if case.chunks is not None:
        return chunks.given(case.chunks, case.chunk_token_ids, feed.tokenizer)
    if case.chunks_utf8_hex is not None:
        return from_utf8_hex(case.chunks_utf8_hex)
    raise CaseError(f"The case {case.id!r} has no chunks, which the strategy {GIVEN!r} needs.")


def check_strategy(strategy: str) -> None:
    """Refuse a strategy that no case can be cut by.

    Raises:
        CaseError: an unknown strategy, or numbers it cannot use.
    """
    if strategy != GIVEN:
        chunks.cut(TokenStream("", (), (), (0,), (), "stop", None), strategy)


def _tokens(case: Case, markers: Sequence[str]) -> tuple[Tokenizer, Sequence[int]]:
    special = special_of(case.reasoning_parser, case.tool_parser)
    if case.tokens is not None and case.token_ids is None:
        texts = TextTokenizer(case.tokens, markers, special)
        return texts, texts.ids
    known = case.tokenizer in (None, bundled.NAME)
    tokenizer = bundled.load(markers, special) if known else hf.load(case.tokenizer or "")
    return tokenizer, _ids(case, tokenizer)


def _ids(case: Case, tokenizer: Tokenizer) -> Sequence[int]:
    if case.token_ids is not None:
        return case.token_ids
    if case.chunk_token_ids is not None:
        return list(chain.from_iterable(case.chunk_token_ids))
    text = _raw_text(case)
    check_size(text, f"The raw output of {case.id!r}")
    return tokenizer.encode(text)


def _raw_text(case: Case) -> str:
    if case.raw_output is not None:
        return case.raw_output
    if case.chunks is not None:
        return "".join(case.chunks)
    return "".join(delta.text for delta in from_utf8_hex(case.chunks_utf8_hex or []))


def _stream_options(case: Case) -> StreamOptions:
    request = case.chat_request()
    asked = "skip_special_tokens" in request.model_fields_set
    return StreamOptions(
        stop=tuple(request.stop),
        include_stop=request.include_stop_str_in_output,
        # A server with a parser shows special tokens whatever its default, or the parser would miss markers.
        skip_special_tokens=asked and request.skip_special_tokens,
        finish_reason=case.engine_finish_reason,
    )
