"""Passwords are told to be such wherever they stand, and other text is left alone."""

import json
import time
from base64 import b64decode
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from swather.errors import SwatherError
from swather.masking import masked, masked_data, masked_database, shown_url
from swather.net.request import parse_origin, split_url
from swather.store.postgres.address import address_of

CANARY = "cAnArY42"


@pytest.mark.parametrize(
    "text",
    [
        f"https://me:{CANARY}@example.com/",
        f"https://{CANARY}@example.com/",
        f"get 'http://me:{CANARY}@example.com:80/a?b=c' failed",
        f"http://u:pa/{CANARY}@h",
        f"http://u:pa?{CANARY}@h",
        f"http://u:#{CANARY}@h",
        f"http://u:pa/x{CANARY}@h/path",
        f"socks5h://u:it's{CANARY}@h:1080",
        f"the proxy me:{CANARY}@proxy.example:8080 failed",
        f"me%40x:{CANARY}@[::1]:8080",
        f"the proxy me:a:b:{CANARY}@proxy.example:8080 failed",
        f"the proxy me:{'x' * 300}{CANARY}@proxy.example:8080 failed",
        f"//me:{CANARY}@proxy.example:8080",
        f"postgresql://me:pa@{CANARY}@h/db",
        f"postgresql://me@h/db?sslpassword={CANARY}&sslmode=require",
        f"login(password={CANARY!r})",
        f'{{"password": "a \\" {CANARY}"}}',
        f"passwd={CANARY}",
        f"https://h/?api_key={CANARY}&page=2",
        f"https://h/?q=x&key={CANARY}&page=2",
        f"{{'Authorization': 'Bearer {CANARY}'}}",
        f"Proxy-Authorization: Basic {CANARY}",
        f"Cookie: a=b; session={CANARY}",
    ],
)
def test_a_password_in_a_text_is_masked(text: str):
    shown = masked(text)
    assert CANARY not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/@user/posts",
        "http://localhost:8080/@user",
        "http://[::1]:8080/@user",
        "https://example.com/?mail=bob@example.com",
        "write to bob@example.com",
        "mailto:bob@example.com",
        "postgresql://me@localhost/queue",
        "the password is wrong",
        "12:30 at h: x",
        "registry.example/image:1.2@sha256:ab",
        "{'a': 'http://h', 'b': 'x@y'}",
    ],
)
def test_other_text_is_left_alone(text: str):
    assert masked(text) == text
    assert masked_data({"a": [text]}) == {"a": [text]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [":", ":a", "a:b,", "a://", "x://h:1,", "password=", "?a=b&", "a.b-", "@:"]
)
def test_no_text_takes_long(part: str):
    """Whatever a site says may be logged, and masking it must not stop the worker."""
    began = time.process_time()
    masked(f"@ db://{part * 100_000}")
    assert time.process_time() - began < 10.0, "a tenth of it on a machine that does nothing else"


def test_members_of_a_target_are_masked_by_their_names():
    target = {"url": f"https://u:p {CANARY}@h/", "password": CANARY, "page": 2, "tags": ["a"]}
    shown = masked_data(target)
    assert CANARY not in str(shown)
    assert shown["page"] == 2


@given(st.text().map(lambda text: json.dumps({"password": text, "x": [f"http://u:{text}@h/"]})))
def test_json_is_still_json(text: str):
    assert json.loads(masked(text)).keys() == {"password", "x"}


# No part of the URLs around it, and of some length, so that it is found only where it stands.
PASSWORDS = st.text(min_size=1, max_size=8).map(lambda text: f"{text}{CANARY}{text}")
ESCAPES = st.sampled_from([lambda text: quote(text, safe=""), lambda text: text])


@given(PASSWORDS, ESCAPES)
def test_a_url_that_can_be_requested_is_shown_without_its_password(password, escape):
    url = f"https://me:{escape(password)}@example.com/x"
    sent = _said_of(lambda: parse_origin(split_url(url)[0]).authorization)
    assume(sent)
    if sent.startswith("Basic "):
        # Else it is no password: what comes before it is read as the host.
        assume(CANARY in b64decode(sent.removeprefix("Basic ")).decode(errors="replace"))
    assert CANARY not in sent
    assert CANARY not in shown_url(url)
    assert CANARY not in masked_data(url)


@given(
    PASSWORDS,
    ESCAPES,
    st.sampled_from(
        [
            "postgresql://me:{}@h/db",
            "postgres://:{}@h:5433,h2/db?sslmode=require",
            "postgresql://h/db?password={}",
            "postgresql://h/db?user=me&p%61ssword={}",
            "postgresql://me@h/db?sslpassword={}&sslmode=require",
        ]
    ),
)
def test_a_database_url_is_shown_without_its_password(password, escape, form: str):
    assume("\0" not in password)
    url = form.format(escape(password))
    try:
        given = conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):
        given = {}
    if any(CANARY in str(given.get(name)) for name in ("password", "sslpassword")):
        assert CANARY not in masked_database(url)
    assert CANARY not in _said_of(lambda: address_of(url).shown)


def _said_of(call: Callable[[], str]) -> str:
    """What it returns, or the error it raises."""
    try:
        return call()
    except SwatherError as error:
        return str(error)


def test_a_lone_percent_sign_does_not_show_the_password():
    with pytest.raises(SwatherError) as raised:
        address_of(f"postgresql://me:100%{CANARY}@h/db")
    assert CANARY not in str(raised.value)
    assert "%25" in str(raised.value)
