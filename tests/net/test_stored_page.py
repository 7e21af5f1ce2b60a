import pytest

from swather.net.request import Request
from swather.net.stored_page import stored_page_key, stored_page_url, without_secrets
from swather.worker.stored_pages import is_worth_storing

URL = "https://shop.example/a?b=1"


def test_cookies_and_credentials_are_not_kept():
    headers = [("Set-Cookie", "a=1"), ("X-A", "1"), ("AUTHORIZATION", "b"), ("x-a", "2")]
    assert without_secrets(headers) == [("X-A", "1"), ("x-a", "2")]


def test_an_address_has_neither_password_nor_fragment():
    request = Request(url="https://me:secret@shop.example/a?b=1#top", params={"c": "2"})
    assert stored_page_url(request) == "https://shop.example/a?b=1&c=2"


@pytest.mark.parametrize(
    "other",
    [
        Request(url=URL, method="POST"),
        Request(url=URL, method="POST", body=b"a"),
        Request(url=URL, params={"c": "1"}),
        Request(url="https://shop.example/a?b=2"),
    ],
)
def test_another_method_address_or_body_is_another_request(other):
    assert stored_page_key(other) != stored_page_key(Request(url=URL))


def test_headers_and_passwords_do_not_make_another_request():
    same = Request(url="https://me:x@shop.example/a?b=1#top", method="get", headers={"A": "b"})
    assert stored_page_key(same) == stored_page_key(Request(url=URL))


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        (200, True), (204, True), (304, False), (400, True), (401, True), (403, False), (404, True),
        (407, False), (408, False), (410, True), (429, False), (500, False), (503, False),
    ],
)  # fmt: skip
def test_what_another_attempt_may_find_otherwise_is_not_kept(status, kept):
    assert is_worth_storing(status) is kept
