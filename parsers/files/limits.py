"""Size limits of what a user may hand over, so that a page or a batch answers instead of hanging.

Source: ours; 2 MB is about 500,000 tokens, longer than any model writes in one turn.
"""

from __future__ import annotations

from parsers.errors import LimitError

MAX_TEXT = 2_000_000
"""Longest accepted text, in characters."""


def check_size(text: str, what: str) -> None:
    """Refuse a text that is too long.

    Args:
        text: as given by the user.
        what: how the message names it, as the start of a sentence: "The raw output".

    Raises:
        LimitError: longer than `MAX_TEXT` characters.
    """
    if len(text) > MAX_TEXT:
        raise LimitError(
            f"{what} has {len(text):,} characters and the limit is {MAX_TEXT:,}; "
            "cut it down to the part that misbehaves."
        )
