"""What was meant to be a URL is told apart from what was not."""

import pytest

from swather.runs.mistyped_url import wrong_with


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("htp:/example.com/a", "http://example.com/a"),
        ("http:/example.com", "http://example.com"),
        ("https:example.com/a", "https://example.com/a"),
        ("https//example.com", "https://example.com"),
        ("ttps://example.com", "https://example.com"),
        ("hhtp://example.com", "http://example.com"),
        ("http;//example.com", "http://example.com"),
        ({"url": "htps://example.com", "id": 1}, "https://example.com"),
    ],
)
def test_a_typo_comes_with_what_was_meant(target, meant):
    assert f"Did you mean '{meant}'?" in (wrong_with(target) or "")


@pytest.mark.parametrize("target", ["htp:/not a url", "http://not a url", "https://"])
def test_what_cannot_be_mended_is_refused_all_the_same(target):
    assert "Did you mean" not in (wrong_with(target) or "Did you mean")


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com/a", "http://localhost:8000", "example.com", "www.example.com",
        "ftp://example.com/a", "file:///etc/hosts", "urn:isbn:1", "B00X4WHP5E", "host:port",
        "http: the protocol", "https", 7, None, ["htp:/x"], {"q": "htp:/x"}, "path/to/file",
    ],
)  # fmt: skip
def test_other_targets_are_none_of_its_business(target):
    assert wrong_with(target) is None
