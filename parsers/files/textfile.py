"""Bytes from files and standard input to text, line ends as they are; failures name the file.

Source: ours.
"""

from __future__ import annotations

from pathlib import Path

from parsers.errors import CaseError


def read_file(path: Path) -> str:
    """Return the text of a file.

    Raises:
        CaseError: it cannot be read, or is not UTF-8.
    """
    try:
        return decode(path.read_bytes(), f"The file {path}")
    except OSError as error:
        raise CaseError(f"The file {path} cannot be read: {error.strerror}.") from error


def decode(data: bytes, what: str) -> str:
    """Return UTF-8 bytes as text, without a byte order mark.

    Args:
        data: the whole input.
        what: how the message names it, as the start of a sentence.

    Raises:
        CaseError: not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaseError(f"{what} is not UTF-8 text (byte {error.start}).") from error
