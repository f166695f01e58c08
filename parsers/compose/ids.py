"""Ids of tool calls (card P-53, common-1 "Ids", mistral.md)."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable

from parsers.legacy.base import call_id

_ALPHABET = string.ascii_letters + string.digits


def id_maker(style: str, history_calls: int = 0) -> Callable[[str, int], str]:
    """A function (name, index) -> id.

    Args:
        style: "random", "functions" (`functions.NAME:N`) or "alnum9" (nine letters and digits).
        history_calls: tool calls already in the conversation; N counts on from them.
    """
    makers: dict[str, Callable[[str, int], str]] = {
        "functions": lambda name, index: f"functions.{name}:{history_calls + index}",
        "alnum9": lambda name, index: "".join(secrets.choice(_ALPHABET) for _ in range(9)),
    }
    return makers.get(style, lambda name, index: call_id())
