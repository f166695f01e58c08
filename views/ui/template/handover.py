"""A round trip -> the Step page, opened on the same turn with the same parsers, prompt and tools.

A link cannot carry it, for links hold no text; so the Step page's widgets are filled before it is opened.

Source: issue "Template page"; module `views.ui.links`.
"""

from __future__ import annotations

import json
from typing import NoReturn

import streamlit as st

from parsers.debug.session import RunSettings
from parsers.files.sample import samples
from parsers.templates.ladder import TOOLS
from parsers.templates.roundtrip import RoundTrip
from views.ui import inputs

STEP_PAGE = "views/step.py"


def run_settings(trip: RoundTrip) -> RunSettings:
    """Return the settings that parse the turn as the round trip did."""
    return RunSettings(
        raw_output=trip.turn.text,
        reasoning=trip.reasoning,
        tool=trip.tool,
        generation_prompt=trip.turn.prompt,
        tools_json=json.dumps(TOOLS, indent=2, ensure_ascii=False),
        template_kwargs=trip.turn.arguments or {},
    )


def open_in_step(trip: RoundTrip) -> NoReturn:
    """Leave for the Step page."""
    st.session_state.setdefault("example", next(iter(samples())))
    st.session_state["notices"] = []
    inputs.fill(run_settings(trip))
    st.switch_page(STEP_PAGE)
