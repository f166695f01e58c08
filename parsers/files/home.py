"""Where the app and the samples are, in a checkout and in an installed package.

Source: ours; the wheel carries them under `parsers/_app` because `app.py` and `views` are too common as names
of installed modules.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def app_home() -> Path:
    """Return the folder that holds `app.py`, `views` and `samples`."""
    installed = _PACKAGE / "_app"
    return installed if installed.is_dir() else _PACKAGE.parent
