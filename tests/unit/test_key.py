import re
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swather.errors import BadPayload, BadTarget
from swather.model import key
from swather.model.key import KEY_BYTES, digest, key_of, normalise_url
from swather.model.payload import decode

names = st.text("abcé", max_size=4)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | names
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4)
)
labels = st.text("abcXYZ019", min_size=1, max_size=8)
hosts = st.lists(labels, min_size=1, max_size=3).map(".".join) | st.sampled_from(
    ["[::1]", "[2001:DB8::1]", "127.0.0.1", "BÜCHER.example", "ex%41mple.com", "example.com."]
)
ports = st.sampled_from(["", ":", ":80", ":443", ":8080", ":0", ":65535"])
userinfos = st.sampled_from(["", "@", "User@", "User:Pa:ss@", "a@b@"])
tails = st.text("/aé %#?&=;[]{}|\\\"'\t+~", max_size=20) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
)
urls = st.builds(
    lambda scheme, userinfo, host, port, tail: f"{scheme}://{userinfo}{host}{port}{tail}",
    st.sampled_from(["http", "https", "HTTP", "hTTps"]),
    userinfos,
    hosts,
    ports,
    st.sampled_from(["", "/", "?", "#"]).flatmap(
        lambda start: tails.map(lambda tail: start + tail) if start else st.just("")
    ),
)


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return tuple(reordered(part) for part in value)
    return value


@given(st.text())
def test_the_key_of_a_text_is_the_text(text: str) -> None:
    assert key_of(text) == text


@given(values)
def test_the_order_of_names_makes_no_difference(value: Any) -> None:
    assert key_of(reordered(value)) == key_of(value)


@given(values.filter(lambda value: not isinstance(value, str)))
def test_a_key_holds_all_of_its_target(value: Any) -> None:
    assert decode(key_of(value)) == value


def test_the_order_of_a_list_makes_a_difference() -> None:
    assert key_of([1, 2]) != key_of([2, 1])


def test_a_target_that_cannot_be_stored_has_no_key() -> None:
    with pytest.raises(BadPayload, match="target contains NaN"):
        key_of({"a": float("nan")})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_key_is_stored_as_its_sha256(key: str) -> None:
    assert digest(key) == sha256(key.encode()).digest()
    assert len(digest(key)) == KEY_BYTES


def test_a_key_must_not_be_empty() -> None:
    with pytest.raises(BadTarget, match="must not be empty"):
        digest("")


@pytest.mark.parametrize("key", [None, 7, b"key", ["key"]])
def test_a_key_must_be_text(key: Any) -> None:
    with pytest.raises(BadTarget, match=re.escape(f"must be text, got {key!r}")):
        digest(key)


def test_a_key_must_be_valid_unicode() -> None:
    with pytest.raises(BadTarget, match="valid Unicode"):
        digest("a\ud800")


@given(urls | st.from_regex(key._NORMAL, fullmatch=True))
def test_the_short_way_for_normal_urls_agrees_with_the_long_one(url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key, "_NORMAL", re.compile("(?!)"))
        long_way = normalise_url(url)
    assert normalise_url(url) == long_way


@given(urls)
def test_normalising_twice_is_normalising_once(url: str) -> None:
    once = normalise_url(url)
    assert normalise_url(once) == once


@given(urls)
def test_a_normalised_url_is_plain_text_with_a_path_and_without_a_fragment(url: str) -> None:
    parts = urlsplit(normalise_url(url))
    assert parts.scheme in ("http", "https")
    assert parts.path.startswith("/")
    assert not parts.fragment
    assert (parts.path + parts.query).isascii()
    assert " " not in parts.path + parts.query


@given(urls)
def test_the_page_that_is_meant_stays_the_same(url: str) -> None:
    before, after = urlsplit(url.strip()), urlsplit(normalise_url(url))
    default = {"http": 80, "https": 443}[before.scheme]
    assert after.hostname == (before.hostname or "").lower().rstrip(".")
    assert (after.port or default) == (before.port if before.port is not None else default) or (
        before.port == after.port == 0
    )
    assert (after.username, after.password) == (before.username, before.password)


parameters = st.lists(
    st.tuples(st.text("abcAB", min_size=1), st.text("xyZ é/:+%20", max_size=6)), max_size=6
)


@given(parameters)
@example([("b", "1"), ("a", "2"), ("b", "0"), ("utm_source", ""), ("empty", "")])
def test_query_parameters_are_kept_in_their_order(pairs: list[tuple[str, str]]) -> None:
    query = "&".join(f"{name}={value}" for name, value in pairs)
    kept = urlsplit(normalise_url(f"https://example.com/?{query}#top")).query
    assert parse_qsl(kept, keep_blank_values=True) == parse_qsl(
        query.rstrip(" "), keep_blank_values=True
    ) or parse_qsl(kept, keep_blank_values=True) == parse_qsl(query, keep_blank_values=True)


@pytest.mark.parametrize(
    ("url", "normalised"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://[::1]:8080", "http://[::1]:8080/"),
        ("http://User:Pass@Example.com:80/", "http://User:Pass@example.com/"),
        ("http://example.com/A/b#part", "http://example.com/A/b"),
        ("http://example.com?B=1&a=2&a=1", "http://example.com/?B=1&a=2&a=1"),
        ("http://example.com/a b?c=d e", "http://example.com/a%20b?c=d%20e"),
        ("http://example.com/é?q=é", "http://example.com/%C3%A9?q=%C3%A9"),
        ("http://example.com/%C3%a9?q=%20+", "http://example.com/%C3%a9?q=%20+"),
        ("  http://example.com/\n", "http://example.com/"),
    ],
)
def test_one_page_has_one_spelling(url: str, normalised: str) -> None:
    assert normalise_url(url) == normalised


@pytest.mark.parametrize(
    "text",
    [
        "", " Not a URL ", "FTP://Example.com:99999/#x", "mailto:A@B.example", "dQw4w9WgXcQ",
        "http:Example.com", "http:///Path", "http://:80/", "http://./", "//Example.com/",
        "data:text/plain,[//", "x://[bad",
    ],
)  # fmt: skip
def test_what_is_no_web_address_is_left_alone(text: str) -> None:
    assert normalise_url(text) == text


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com:99999/", "http://example.com:-1/", "http://example.com:port/",
        "http://example.com:80:90/", "http://[::1/", "http://example.com\u2100/",
        "http://example.com/\ud800", "http://example\ud800.com/",
    ],
)  # fmt: skip
def test_a_broken_web_address_is_refused_by_name(url: str) -> None:
    with pytest.raises(BadTarget, match=re.escape(f"{url!r} is not a URL")):
        normalise_url(url)


@given(st.text())
def test_any_text_is_normalised_or_refused(text: str) -> None:
    for url in (text, f"http://{text}"):
        try:
            once = normalise_url(url)
        except BadTarget:
            continue
        assert normalise_url(once) == once
