"""Cookies go back to whom they are for, and to nobody else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.net import cookies
from swather.net.cookies import CookieJar, CookieJars

NOW = 1_800_000_000.0  # 2027-01-15


def jar_with(*values: str, url: str = "https://shop.example.com/a/b", now: float = NOW):
    jar = CookieJar(lambda: now)
    jar.remember(url, values)
    return jar


@pytest.mark.parametrize(
    ("value", "url", "header"),
    [
        ("a=1", "https://shop.example.com/a/c", "a=1"),
        ("a=1", "https://shop.example.com/", ""),
        ("a=1; Path=/", "https://SHOP.example.com./x", "a=1"),
        ("a=1; Path=/x", "https://shop.example.com/x/y", "a=1"),
        ("a=1; Path=/x", "https://shop.example.com/x", "a=1"),
        ("a=1; Path=/x", "https://shop.example.com/xy", ""),
        ("a=1; Path=/", "https://example.com/", ""),
        ("a=1; Path=/", "https://deep.shop.example.com/", ""),
        ("a=1; Path=/; Domain=.Example.com", "https://other.example.com/", "a=1"),
        ("a=1; Path=/; Domain=example.com", "https://example.com/", "a=1"),
        ("a=1; Path=/; Domain=example.com", "https://notexample.com/", ""),
        ("a=1; Path=/; Domain=example.com", "https://example.com.evil.example/", ""),
        ("a=1; Path=/; Domain=other.example", "https://other.example/", ""),
        ("a=1; Path=/; Domain=deep.shop.example.com", "https://deep.shop.example.com/", ""),
        ("a=1; Path=/; Secure", "http://shop.example.com/", ""),
        ("a=1; Path=/; Secure", "https://shop.example.com/", "a=1"),
        ("a=1; Path=/", "http://shop.example.com:8080/", "a=1"),
        ("a=x=y; Path=/", "https://shop.example.com/", "a=x=y"),
        ('a="x y"; Path=/', "https://shop.example.com/", 'a="x y"'),
        ("value; Path=/", "https://shop.example.com/", "value"),
        ("a=; Path=/", "https://shop.example.com/", "a="),
        ("=; Path=/", "https://shop.example.com/", ""),
        ("", "https://shop.example.com/", ""),
        ("a=1\r\nX: y; Path=/", "https://shop.example.com/", ""),
        ("a=\x00; Path=/", "https://shop.example.com/", ""),
        (f"a={'x' * 5000}; Path=/", "https://shop.example.com/", ""),
        ("__Host-a=1; Path=/; Secure", "https://shop.example.com/", "__Host-a=1"),
        ("__Host-a=1; Path=/; Secure; Domain=example.com", "https://shop.example.com/", ""),
        ("__Secure-a=1; Path=/", "https://shop.example.com/", ""),
    ],
)
def test_a_cookie_goes_where_it_belongs(value, url, header):
    assert jar_with(value).header_for(url) == header


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("shop.com", "com"),
        ("shop.co.uk", "co.uk"),
        ("shop.com.au", "com.au"),
        ("127.0.0.1", "0.0.1"),
        ("a.localhost", "localhost"),
        ("notexample.com", "example.com"),
        ("example.com", "shop.example.com"),
    ],
)
def test_nobody_sets_a_cookie_for_a_domain_of_many_or_of_others(host, domain):
    jar = jar_with(f"a=1; Path=/; Domain={domain}", url=f"https://{host}/")
    assert len(jar) == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "co.uk"])
def test_a_host_that_names_itself_keeps_its_cookie_for_itself(host):
    jar = jar_with(f"a=1; Path=/; Domain={host.strip('[]')}", url=f"https://{host}/")
    assert jar.header_for(f"https://{host}:8443/") == "a=1"
    assert (
        jar.header_for(f"https://x.{host.strip('[]')}/" if "[" not in host else "https://x/") == ""
    )


def test_a_page_that_is_not_secure_neither_sets_nor_replaces_secure_cookies():
    jar = jar_with("a=1; Path=/; Secure")
    jar.remember("http://shop.example.com/", ["a=2; Path=/", "b=1; Path=/; Secure"])
    assert jar.header_for("https://shop.example.com/") == "a=1"


@pytest.mark.parametrize(
    ("attribute", "lives"),
    [
        ("Max-Age=60", True),
        ("Max-Age=0", False),
        ("Max-Age=-1", False),
        ("Max-Age=soon", True),
        ("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", True),
        ("Max-Age=0; Expires=Fri, 01 Jan 2100 00:00:00 GMT", False),
        ("Expires=Fri, 01 Jan 2100 00:00:00 GMT", True),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", False),
        ("Expires=Fri, 15-Jan-27 07:59:59 GMT", False),
        ("Expires=Fri, 15-Jan-27 08:00:01 GMT", True),
        ("Expires=Wednesday, 09-Nov-99 23:12:40 GMT", False),
        ("Expires=yesterday", True),
        ("Expires=Fri, 99 Jan 2020 00:00:00 GMT", True),
    ],
)
def test_a_cookie_lives_as_long_as_it_says(attribute, lives):
    jar = jar_with("a=0; Path=/", f"a=1; Path=/; {attribute}")
    assert jar.header_for("https://shop.example.com/") == ("a=1" if lives else "")
    assert len(jar) == lives


def test_a_cookie_ends_while_it_is_kept():
    times = iter([NOW, NOW + 59, NOW + 60])
    jar = CookieJar(lambda: next(times))
    jar.remember("https://a.example/", ["a=1; Max-Age=60"])
    assert [jar.header_for("https://a.example/") for _ in range(2)] == ["a=1", ""]


def test_the_longest_path_comes_first_then_the_oldest():
    jar = jar_with("a=1; Path=/", "b=1; Path=/a", "c=1; Path=/", "a=2; Path=/")
    assert jar.header_for("https://shop.example.com/a/") == "b=1; a=2; c=1"


def test_an_international_name_is_one_in_both_spellings():
    jar = jar_with("a=1; Domain=xn--kln-sna.example", url="https://shop.köln.example/")
    assert jar.header_for("https://xn--kln-sna.example/") == "a=1"


def test_a_jar_and_the_shelf_of_jars_stay_bounded(monkeypatch):
    monkeypatch.setattr(cookies, "MAX_DOMAINS", 3)
    monkeypatch.setattr(cookies, "MAX_PER_DOMAIN", 2)
    monkeypatch.setattr(cookies, "MAX_JARS", 2)
    jar = jar_with("old=1; Path=/; Max-Age=1", "a=1; Path=/", "b=1; Path=/", "c=1; Path=/")
    assert jar.header_for("https://shop.example.com/") == "b=1; c=1"
    for number in range(4):
        jar.remember(f"https://{number}.example/", ["a=1"])
    assert len(jar) == 3
    jars = CookieJars()
    first = jars.of("run:1/")
    jars.of("run:2")
    assert jars.of("run:1/") is first
    jars.of("run:3").remember("https://a.example/", ["a=1"])
    assert jars.of("run:1/") is first
    assert len(jars.of("run:2")) == 0


@given(
    st.text(max_size=60), st.sampled_from(["https://a.b.example/x", "http://[::1]:8/", "http://h"])
)
def test_no_header_of_a_site_breaks_the_jar(value, url):
    jar = jar_with(value, f"{value}; {value}", f"a=1; Expires={value}; Domain={value}", url=url)
    sent = jar.header_for(url)
    assert "\n" not in sent
    assert "\r" not in sent
