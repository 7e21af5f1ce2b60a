"""What a site's Retry-After asks for, and how errors read."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import FetchError, InputError
from swather.masking import shown_url
from swather.net.errors import MAX_RETRY_AFTER_SECONDS, HttpStatusError, retry_after_seconds
from swather.net.request import Request

NOW = datetime(2026, 2, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("999999999", MAX_RETRY_AFTER_SECONDS),
        ("Sun, 15 Feb 2026 12:00:30 GMT", 30.0),
        ("Sun, 15 Feb 2026 11:00:00 GMT", 0.0),
        ("Sunday, 15-Feb-26 12:01:00 GMT", 60.0),
        ("Sun, 15 Feb 2026 12:00:30 -0000", 30.0),
        ("Sun, 15 Feb 2099 12:00:00 GMT", MAX_RETRY_AFTER_SECONDS),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("²", None),
    ],
)
def test_seconds_and_dates_are_understood(text, seconds):
    assert retry_after_seconds({"retry-after": text}, NOW) == seconds


def test_a_date_is_read_by_the_clock_of_the_site():
    headers = {
        "retry-after": "Sun, 15 Feb 2026 12:00:30 GMT",
        "date": "Sun, 15 Feb 2026 12:00:20 GMT",
    }
    assert retry_after_seconds(headers, NOW) == 10.0


def test_no_header_asks_for_nothing():
    assert retry_after_seconds({}) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_the_header_says_the_answer_is_bearable(text, date):
    seconds = retry_after_seconds({"retry-after": text, "date": date}, NOW)
    assert seconds is None or 0 <= seconds <= MAX_RETRY_AFTER_SECONDS


def test_a_status_error_tells_status_address_and_wait():
    error = HttpStatusError(429, "https://me:secret@example.com/a", 7.0)
    assert str(error) == "HTTP 429 from https://example.com/a (retry after 7 s)"
    assert isinstance(error, FetchError)


def test_a_url_is_shown_without_password_and_in_bearable_length():
    assert shown_url("http://u:p@h/x@y") == "http://h/x@y"
    assert len(shown_url("http://h/" + "x" * 1_000)) == 300


def test_a_url_that_is_none_of_the_web_is_refused_without_its_password():
    with pytest.raises(
        InputError, match="only http and https URLs can be fetched, got 'ftp://h/x'"
    ):
        Request(url="ftp://me:secret@h/x")


@pytest.mark.parametrize(
    ("url", "params", "full"),
    [
        ("http://a/b", {"q": "1"}, "http://a/b?q=1"),
        ("http://a/b?c=%20#top", {"q": ["1", "ü"]}, "http://a/b?c=%20&q=1&q=%C3%BC#top"),
        ("http://a/b?#?", {"q": []}, "http://a/b#?"),
        ("http://[a/", {"q": "1"}, "http://[a/?q=1"),
    ],
)
def test_params_are_added_to_the_query(url, params, full):
    assert Request(url=url, params=params).full_url == full


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_timeout_is_a_positive_number(timeout):
    with pytest.raises(InputError, match="timeout must be a positive number"):
        Request(url="http://a/", timeout=timeout)
