"""Which of a video's languages are taken."""

import pytest

from swather.builtin.subtitles.languages import chosen, matching

FORMATS = [{"ext": "vtt", "url": "https://x/api?lang=x"}]
TRANSLATED = [{"ext": "vtt", "url": "https://x/api?lang=en&tlang=fr"}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "there", "found"),
    [
        (["en", "de"], ["de", "fr", "en"], ["en", "de"]),
        (["en.*"], ["en-GB", "de", "en", "en-US-x"], ["en", "en-GB", "en-US-x"]),
        (["de", "en.*"], ["en-GB", "en", "de"], ["de", "en", "en-GB"]),
        ([".*", "-live_chat", "-de"], ["live_chat", "de", "fr"], ["fr"]),
        ([".*"], ["live_chat", "fr"], ["fr"]),
        (["live_chat"], ["live_chat", "fr"], ["live_chat"]),
        (["en", "-en", "en"], ["en"], ["en"]),
        (["e"], ["en"], []),
    ],
)
def test_codes_and_patterns_are_taken_in_their_order(wanted, there, found):
    assert matching(there, wanted) == found


def taken(manual, automatic, wanted, use="fallback", *, every=False):
    tracks = chosen(
        dict.fromkeys(manual, FORMATS),
        {code: TRANSLATED if code == "fr" else FORMATS for code in automatic},
        wanted=wanted,
        use_automatic=use,
        every=every,
    )
    return [f"a-{track.language}" if track.automatic else track.language for track in tracks]


@pytest.mark.parametrize(
    ("use", "every", "found"),
    [
        ("fallback", False, ["de"]),
        ("fallback", True, ["de"]),
        ("yes", False, ["a-en"]),
        ("yes", True, ["a-en", "de"]),
        ("no", False, ["de"]),
    ],
)
def test_automatic_captions_are_used_as_asked_for(use, every, found):
    assert taken(["de"], ["en", "de"], ["en", "de"], use, every=every) == found


def test_automatic_captions_are_the_fallback_unless_they_are_refused():
    assert taken([], ["en"], ["en"]) == ["a-en"]
    assert taken([], ["en"], ["en"], "no") == []


def test_the_original_under_its_second_name_is_not_taken_twice():
    assert taken([], ["en-orig", "en"], ["en.*"], every=True) == ["a-en"]
    assert taken([], ["en-orig"], ["en.*"]) == ["a-en-orig"]


def test_a_machine_translation_is_taken_only_by_its_name():
    assert taken([], ["en", "fr"], [".*"], every=True) == ["a-en"]
    assert taken([], ["en", "fr"], ["fr"]) == ["a-fr"]
