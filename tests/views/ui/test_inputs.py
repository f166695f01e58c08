"""How settings are written in the widgets and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.ui.inputs import escape, split_thinking, unescape


@given(st.text())
def test_a_stop_string_survives_its_box(stop):
    assert unescape(escape(stop)) == stop


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("\\n\\n", "\n\n"), ("a\\tb", "a\tb"), ("\\\\n", "\\n"), ("\\d", "\\d"), ("END", "END")],
)
def test_escapes_of_a_stop_string(typed, meant):
    assert unescape(typed) == meant


@pytest.mark.parametrize(
    ("arguments", "split"),
    [
        ({}, ("unset", {})),
        ({"effort": 1}, ("unset", {"effort": 1})),
        ({"enable_thinking": True, "thinking": True}, ("on", {})),
        ({"enable_thinking": False, "thinking": False, "effort": 1}, ("off", {"effort": 1})),
        (
            {"enable_thinking": False, "thinking": True},
            ("unset", {"enable_thinking": False, "thinking": True}),
        ),
    ],
    ids=["none", "others", "on", "off", "at odds"],
)
def test_the_thinking_switch_is_told_from_other_arguments(arguments, split):
    assert split_thinking(arguments) == split
