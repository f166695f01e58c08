"""Signs that stand for white space where it would show nothing."""

from __future__ import annotations

WHITE_SPACE = str.maketrans({" ": "␣", "\n": "⏎\n", "\t": "⇥", "\r": "␍"})
"""For `str.translate`; a line end stays one behind its sign."""
