"""The table from errors to classes, and what is told of an error."""

import asyncio
import urllib.error
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import (
    BadPayload,
    BadTarget,
    Blocked,
    InputError,
    MissingExtra,
    Permanent,
    ScrapeError,
    Transient,
)
from swather.model.outcome import MAX_MESSAGE_CHARACTERS
from swather.model.retry import ErrorClass
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    Disallowed,
    FetchTimeout,
    HttpStatusError,
    MissingElement,
    ProxyFailed,
    Refused,
    RobotsUnreachable,
    TooLarge,
    TooManyRedirects,
    UnusableURL,
)
from swather.scraping.classify import add_rule, classify, meaning_of_status
from tests.scraping.attempts import raised_by


def status(code, after=None):
    return HttpStatusError(code, "https://example.com/", after)


def meaning(error):
    found = classify(error)
    return found.fault.error_class.value, found.reason, found.after_seconds


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Permanent("gone", reason="no_subtitles"), ("permanent", "no_subtitles", None)),
        (Permanent("gone"), ("permanent", None, None)),
        (Transient("later", after=5), ("transient", None, 5.0)),
        (Blocked("captcha", after=60), ("blocked", None, 60.0)),
        (ScrapeError("some"), ("transient", None, None)),
        (status(400), ("permanent", "http_400", None)),
        (status(401), ("permanent", "unauthorized", None)),
        (status(403), ("blocked", None, None)),
        (status(404), ("permanent", "not_found", None)),
        (status(407), ("proxy", None, None)),
        (status(408), ("transient", None, None)),
        (status(410), ("permanent", "not_found", None)),
        (status(418), ("permanent", "http_418", None)),
        (status(425), ("transient", None, None)),
        (status(429, 7.5), ("blocked", None, 7.5)),
        (status(500), ("transient", None, None)),
        (status(502, 30.0), ("transient", None, 30.0)),
        (status(503, 30.0), ("blocked", None, 30.0)),
        (FetchTimeout("slow"), ("timeout", None, None)),
        (TimeoutError(), ("timeout", None, None)),
        (ConnectionFailed("refused"), ("transient", None, None)),
        (ConnectionResetError("reset"), ("transient", None, None)),
        (BadResponse("not JSON"), ("transient", None, None)),
        (ProxyFailed("dead"), ("proxy", None, None)),
        (TooLarge("33 MB"), ("permanent", "too_large", None)),
        (TooManyRedirects("loop"), ("permanent", "redirects", None)),
        (MissingElement("no h1"), ("permanent", "layout_changed", None)),
        (Refused("127.0.0.1"), ("permanent", "private_address", None)),
        (UnusableURL("ftp:"), ("permanent", "bad_url", None)),
        (Disallowed("/basket"), ("permanent", "robots", None)),
        (RobotsUnreachable("down", 60.0), ("transient", None, 60.0)),
        (BadPayload("NaN"), ("permanent", "bad_item", None)),
        (BadTarget("no host"), ("permanent", "bad_input", None)),
        (InputError("ftp"), ("permanent", "bad_input", None)),
        (MissingExtra("pip install"), ("permanent", "missing_extra", None)),
        (KeyError("price"), ("transient", None, None)),
        (MemoryError(), ("transient", None, None)),
        (SystemExit(1), ("transient", None, None)),
        (GeneratorExit(), ("transient", None, None)),
        (asyncio.CancelledError(), ("crash", None, None)),
        (KeyboardInterrupt(), ("crash", None, None)),
    ],
)
def test_every_row_of_the_table(error, expected):
    assert meaning(error) == expected


@pytest.mark.parametrize(
    ("error", "cools"),
    [
        (status(429), True),
        (status(503), True),
        (Blocked("captcha"), True),
        (status(403), False),
        (status(500), False),
        (KeyError("price"), False),
    ],
)
def test_what_refuses_a_target_and_its_neighbours_cools_their_lane(error, cools):
    assert classify(error).cools_lane is cools


@given(st.integers(400, 599))
def test_every_status_has_a_class(code):
    assert meaning_of_status(code).error_class in ErrorClass


class Answer:
    def __init__(self, status_code, headers):
        self.status_code = status_code
        self.headers = headers


def foreign(module, name, base=Exception):
    return type(name, (base,), {"__module__": module, "__qualname__": name})


def test_http_errors_of_other_clients_are_known():
    requests_error = foreign("requests.exceptions", "HTTPError")()
    requests_error.response = Answer(429, {"Retry-After": "9"})
    aiohttp_error = foreign("aiohttp.client_exceptions", "ClientResponseError")()
    aiohttp_error.status = 404
    aiohttp_error.headers = None
    headers = Message()
    headers["Retry-After"] = "11"
    urllib_error = urllib.error.HTTPError("http://a", 503, "busy", headers, None)
    assert meaning(requests_error) == ("blocked", None, 9.0)
    assert meaning(aiohttp_error) == ("permanent", "not_found", None)
    assert meaning(urllib_error) == ("blocked", None, 11.0)
    urllib_error.close()


def test_timeouts_of_other_clients_and_what_is_made_from_them_are_known():
    read_timeout = foreign("httpx", "ReadTimeout", foreign("httpx", "TimeoutException"))
    assert meaning(read_timeout("slow")) == ("timeout", None, None)


def test_an_unknown_error_is_what_caused_it():
    def fail():
        try:
            raise status(429, 3.0)
        except HttpStatusError as error:
            raise RuntimeError("could not list the books") from error

    found = classify(raised_by(fail))
    assert found.fault.error_class is ErrorClass.BLOCKED
    assert found.after_seconds == 3
    assert found.fault.message.startswith("HTTP 429")
    assert "could not list the books" in found.fault.traceback


def test_a_known_error_is_not_what_caused_it():
    def fail():
        raise Permanent("no such city", reason="unknown_city") from status(503)

    assert meaning(raised_by(fail)) == ("permanent", "unknown_city", None)


def test_of_a_group_the_first_error_counts():
    async def fail():
        raise status(404)

    async def together():
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    found = classify(raised_by(lambda: asyncio.run(together())))
    assert found.reason == "not_found"
    assert found.fault.where == f"test_classify.py:{fail.__code__.co_firstlineno + 1} in fail"


def test_causes_that_lead_back_to_themselves_end():
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert classify(first).fault.message == "RuntimeError: a"


def test_a_rule_of_ones_own_comes_first():
    add_rule(ValueError, "permanent", reason="layout_changed", message="no price")
    add_rule("yt_dlp.utils.DownloadError", ErrorClass.BLOCKED, message="not a bot", after=600)
    assert meaning(ValueError("no price on page 3")) == ("permanent", "layout_changed", None)
    assert meaning(ValueError("other")) == ("transient", None, None)
    bot = foreign("yt_dlp.utils", "DownloadError")("Sign in to confirm you're not a bot")
    assert meaning(bot) == ("blocked", None, 600.0)


def test_a_rule_with_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match="sometimes"):
        add_rule(ValueError, "sometimes")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("price"), "KeyError: 'price'"),
        (ValueError("could not convert '12 €'"), "ValueError: could not convert '12 €'"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (Permanent("video x is private"), "video x is private"),
        (Permanent(reason="private"), "private"),
    ],
)
def test_messages_have_the_values(error, message):
    assert classify(error).fault.message == message


class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("no")


def test_an_error_that_cannot_be_shown_is_still_classified():
    fault = classify(raised_by(lambda: (_ for _ in ()).throw(Hostile()))).fault
    assert fault.message == "Hostile"
    assert "Hostile" in fault.traceback


def test_what_the_user_gives_is_made_bearable():
    assert meaning(Transient("x", after=float("nan"))) == ("transient", None, None)
    assert meaning(Transient("x", after=-5))[2] == 0.0
    assert meaning(Transient("x", after=float("inf")))[2] == 365 * 86_400
    assert meaning(Permanent("x", reason="a\0b" + "c" * 900))[1] == "ab" + "c" * 97
    assert len(classify(ValueError("x" * 50_000)).fault.message) == MAX_MESSAGE_CHARACTERS


class OutOfStock(Permanent):
    def __init__(self, number):
        self.number = number


class Later(Transient):
    def __init__(self):
        pass


class Closed(Blocked):
    def __init__(self):
        pass


@pytest.mark.parametrize(
    ("error", "expected"),
    [(OutOfStock(7), "permanent"), (Later(), "transient"), (Closed(), "blocked")],
)
def test_a_subclass_that_does_not_call_its_parent_is_what_its_parent_is(error, expected):
    assert meaning(error) == (expected, None, None)


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no")


class HTTPError(Exception):
    __module__ = "requests.exceptions"

    @property
    def response(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Transient("x", after="soon"), ("transient", None, None)),
        (Transient("x", after=10**400), ("transient", None, 365 * 86_400)),
        (Permanent("x", reason=Unspeakable()), ("permanent", None, None)),
        (Permanent("x", reason=404), ("permanent", "404", None)),
        (HTTPError(), ("transient", None, None)),
    ],
)
def test_an_error_with_odd_attributes_is_still_classified(error, expected):
    assert meaning(error) == expected


def test_what_is_told_of_an_error_can_be_encoded():
    fault = classify(raised_by(lambda: (_ for _ in ()).throw(ValueError("a\ud800b")))).fault
    assert fault.message == "ValueError: a?b"
    assert "a\ud800b" not in fault.traceback
    fault.traceback.encode()


def test_alone_is_handed_on():
    assert classify(RuntimeError(), alone=True).fault.alone
    assert not classify(RuntimeError()).fault.alone
