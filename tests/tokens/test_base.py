import pytest

from parsers.tokens.base import clean_text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param("plain", "plain", id="nothing to do"),
        pytest.param("a\ud83eb", "a\ufffdb", id="high surrogate alone"),
        pytest.param("\udd9c", "\ufffd", id="low surrogate alone"),
        pytest.param("🦜", "🦜", id="real character stays"),
    ],
)
def test_lone_surrogates_become_replacement_characters(text, cleaned):
    assert clean_text(text) == cleaned
