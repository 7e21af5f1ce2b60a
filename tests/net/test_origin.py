"""URLs, and the one origin that each leads to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.net.errors import UnusableURL
from swather.net.request import parse_origin, path_and_query, split_url


def origin(url):
    return parse_origin(split_url(url)[0]).url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.com/", "http://example.com"),
        ("HTTP://Example.COM:80/a", "http://example.com"),
        ("https://example.com:443", "https://example.com"),
        ("https://example.com:80?q", "https://example.com:80"),
        ("http://example.com:/", "http://example.com"),
        ("http://example.com./", "http://example.com"),
        ("http://me:pass@example.com/", "http://example.com"),
        ("http://evil.example@example.com/", "http://example.com"),
        ("http://a@b@example.com/", "http://example.com"),
        ("http://example.com\\@evil.example/", "http://example.com"),
        ("http://example.com#@evil.example/", "http://example.com"),
        ("http://ex%61mple.com/", "http://example.com"),
        ("http://bücher.example/", "http://xn--bcher-kva.example"),
        ("http://\uff25xample\uff0ecom/", "http://example.com"),
        ("http://example\u3002com/", "http://example.com"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://0x7f000001/", "http://127.0.0.1"),
        ("http://0X7F.0.0.1/", "http://127.0.0.1"),
        ("http://0177.0.0.01/", "http://127.0.0.1"),
        ("http://127.1/", "http://127.0.0.1"),
        ("http://127.0.1/", "http://127.0.0.1"),
        ("http://0/", "http://0.0.0.0"),
        ("http://127.0.0.1./", "http://127.0.0.1"),
        ("http://%31%32%37.0.0.1/", "http://127.0.0.1"),
        ("http://\uff11\uff12\uff17.0.0.1/", "http://127.0.0.1"),
        ("http://[::1]/", "http://[::1]"),
        ("http://[0:0:0:0:0:0:0:1]:81/", "http://[::1]:81"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]"),
        ("http://[::FFFF:7F00:1]/", "http://[::ffff:7f00:1]"),
        ("http://a_b.example/", "http://a_b.example"),
        ("http://1.example/", "http://1.example"),
    ],
)  # fmt: skip
def test_a_url_has_one_spelling(url, expected):
    assert origin(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "http://", "http:///a", "http://?q", "http://[::1/", "http://[::1]x/", "http://[fe80::1%25eth0]/",
        "http://[127.0.0.1]/", "http://a b/", "http://a\tb/", "http://a:b/", "http://a:0/",
        "http://a:65536/", "http://a:\u0663/", "http://256.0.0.1/", "http://1.2.3.4.5/", "http://09/",
        "http://4294967296/", "http://a.0x/", "http://-a.example/", "http://a..b/", "http://%00/",
        "http://%ff/", f"http://{'a' * 64}.example/", f"http://{'a.' * 130}b/", "http://a%2fb/",
        "http://a<b/", "file:///etc/passwd", "ftp://example.com/", "//example.com/", "",
    ],
)  # fmt: skip
def test_a_url_that_leads_nowhere_is_refused(url):
    with pytest.raises(UnusableURL):
        origin(url)


@given(st.text(max_size=40))
def test_whatever_is_written_has_a_plain_host_or_is_refused(text):
    try:
        origin = parse_origin(split_url(f"http://{text}")[0])
    except UnusableURL:
        return
    assert origin.url.isascii()
    assert origin.url == origin.url.lower()
    assert 0 < origin.port < 65_536
    assert parse_origin(origin.url)[:4] == origin[:4]


@given(st.text(max_size=40))
def test_what_is_sent_of_a_path_is_plain_and_stays_as_it_is(text):
    sent = path_and_query(f"/{text}")
    assert sent.startswith("/")
    assert sent.isascii()
    assert sent.isprintable()
    assert " " not in sent
    assert "#" not in sent
    assert path_and_query(sent) == sent


def test_a_refusal_does_not_show_a_password():
    with pytest.raises(UnusableURL) as raised:
        origin("http://me:secret@a:b/")
    assert "secret" not in str(raised.value)
