"""The laws over all runs of one case: what each run shows by itself, and whether the runs agree.

Runs are compared with the first one of the same text and kind: text-only streams among themselves, for a marker spelled
by ordinary tokens is a marker to those only (E-22).

Source: design.md, section 5; card 00 (C0-10, `laws`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parsers.composition import Parser, table_of
from parsers.debug import laws
from parsers.debug.stages import DeltaRecord, Fields
from parsers.debug.trace import complete_calls, spelled_by_id
from parsers.protocol import DeltaMessage

_Kind = tuple[bool, str]  # whether ids came, and the raw text


class CaseLaws:
    """Checks run after run of one case; the first of a kind is what the others must agree with."""

    def __init__(self) -> None:
        self._first: dict[_Kind, Fields] = {}

    def broken(
        self,
        parser: Parser,
        records: Sequence[DeltaRecord],
        sent: Iterable[DeltaMessage],
        include_reasoning: bool = True,
    ) -> dict[str, str]:
        """The laws a run breaks, each with the first sentence that says where.

        Args:
            parser: the parser that ran.
            records: its deltas.
            sent: what the client received.
            include_reasoning: the request shows reasoning.
        """
        messages = [record.message for record in records]
        fields = Fields.of(messages, complete_calls(parser))
        with_ids = any(record.delta.ids for record in records)
        kind = (with_ids, "".join(record.delta.text for record in records))
        first = self._first.setdefault(kind, fields)
        start, alphabet = table_of(parser)
        by_id = spelled_by_id(start.config, alphabet) if with_ids else frozenset[str]()
        found: Mapping[str, Iterable[str]] = laws.of_run(start.config, by_id, records, fields) | {
            laws.CUTS: laws.differences(first, fields),
            laws.GROWTH: laws.growth(messages, first),
        }
        hidden = laws.no_hidden_reasoning(include_reasoning, sent)
        sentences = {law: next(iter(sentences), "") for law, sentences in found.items()}
        sentences[laws.LEAK] = sentences[laws.LEAK] or next(hidden, "")
        return {law: sentence for law, sentence in sentences.items() if sentence}
