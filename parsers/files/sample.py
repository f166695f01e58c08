"""The samples that come with the project: cases with a right answer, by id.

Source: card 00; the files are under `samples/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from parsers.files.case import Case, load_cases
from parsers.files.home import app_home


def samples_folder() -> Path:
    """Return the folder of the samples."""
    return app_home() / "samples"


@cache
def samples() -> Mapping[str, Case]:
    """Return all samples by id, in order of their files.

    Raises:
        CaseError: a sample file is broken, or there is none.
    """
    return MappingProxyType({case.id: case for case in load_cases(samples_folder())})
