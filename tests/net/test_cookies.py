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
        ("__secure-a=1; Path=/", "https://shop.example.com/", ""),
        ("__HOST-a=1; Path=/; Secure; Domain=shop.example.com", "https://shop.example.com/", ""),
        ("__Host-a=1; Path=/a; Secure", "https://shop.example.com/a", ""),
        ("=__Secure-a=1; Path=/; Secure", "https://shop.example.com/", ""),
        ("=__Host-a=1; Path=/; Secure", "https://shop.example.com/", ""),
        ("= __hOST-a; Path=/; Secure", "https://shop.example.com/", ""),
        ("__Host-a; Path=/; Secure", "https://shop.example.com/", ""),
        (f"a={'x' * 4095}; Path=/", "https://shop.example.com/", f"a={'x' * 4095}"),
        (f"a={'x' * 4096}; Path=/", "https://shop.example.com/", ""),
        (f"a={'ü' * 2048}; Path=/", "https://shop.example.com/", ""),
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
        ("evil.github.io", "github.io"),
        ("evil.uk.com", "uk.com"),
        ("evil.tokyo.jp", "tokyo.jp"),
        ("evil.herokuapp.com", "herokuapp.com"),
        ("a.b.kawasaki.jp", "b.kawasaki.jp"),
        ("xn--85x722f.xn--55qx5d.cn", "xn--55qx5d.cn"),
        ("127.0.0.1", "0.0.1"),
        ("a.localhost", "localhost"),
        ("notexample.com", "example.com"),
        ("example.com", "shop.example.com"),
    ],
)
def test_nobody_sets_a_cookie_for_a_domain_of_many_or_of_others(host, domain):
    jar = jar_with(f"a=1; Path=/; Domain={domain}", url=f"https://{host}/")
    assert len(jar) == 0


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.ada.github.io", "ada.github.io"),
        ("a.shop.co.uk", "shop.co.uk"),
        ("a.city.kawasaki.jp", "city.kawasaki.jp"),
        ("a.nas.lan", "nas.lan"),
    ],
)
def test_a_domain_of_ones_own_may_be_shared_by_the_hosts_below_it(host, domain):
    jar = jar_with(f"a=1; Path=/; Domain={domain}", url=f"https://{host}/")
    assert jar.header_for(f"https://b.{domain}/") == "a=1"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "co.uk", "github.io"])
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
    ("secure", "overlay", "is_kept"),
    [
        ("a=1; Path=/; Secure", "a=2; Path=/login", False),
        ("a=1; Path=/; Secure", "a=2; Path=/; Domain=example.com", False),
        ("a=1; Path=/; Secure; Domain=example.com", "a=2; Path=/login", False),
        ("a=1; Path=/login; Secure", "a=2; Path=/", True),
        ("a=1; Path=/; Secure", "b=2; Path=/", True),
    ],
)
def test_a_page_that_is_not_secure_sets_no_cookie_in_front_of_a_secure_one(
    secure, overlay, is_kept
):
    jar = jar_with(secure)
    jar.remember("http://shop.example.com/", [overlay])
    assert len(jar) == 1 + is_kept


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


def test_a_domain_that_is_full_drops_what_has_ended_then_the_oldest(monkeypatch):
    monkeypatch.setattr(cookies, "MAX_PER_DOMAIN", 2)
    jar = jar_with("a=1; Path=/", "old=1; Path=/; Max-Age=1", now=NOW)
    jar._now = lambda: NOW + 2
    jar.remember("https://shop.example.com/", ["b=1; Path=/"])
    assert jar.header_for("https://shop.example.com/") == "a=1; b=1"
    jar.remember("https://shop.example.com/", ["c=1; Path=/"])
    assert jar.header_for("https://shop.example.com/") == "b=1; c=1"


def test_a_jar_that_is_full_drops_a_cookie_of_the_domain_that_was_used_least_lately(monkeypatch):
    monkeypatch.setattr(cookies, "MAX_COOKIES", 3)
    jar = CookieJar()
    for host in ("a", "b", "c"):
        jar.remember(f"https://{host}.example/", ["x=1"])
    assert jar.header_for("https://a.example/") == "x=1"
    jar.remember("https://d.example/", ["x=1"])
    sent = {host: jar.header_for(f"https://{host}.example/") for host in "abcd"}
    assert sent == {"a": "x=1", "b": "", "c": "x=1", "d": "x=1"}
    assert len(jar) == 3


def test_a_jar_has_the_bounds_of_browsers():
    jar = CookieJar()
    for host in range(20):
        jar.remember(f"https://{host}.example/", [f"c{number}=1" for number in range(200)])
    assert len(jar) == 3_000
    assert len(jar.header_for("https://19.example/").split("; ")) == 180


def test_a_header_is_no_longer_than_servers_take():
    values = [f"c{number}={'x' * 3_000}; Path=/" for number in range(50)]
    header = jar_with(*values).header_for("https://shop.example.com/")
    assert [pair.partition("=")[0] for pair in header.split("; ")] == ["c0", "c1", "c2", "c3", "c4"]
    assert len(header) <= 16 << 10


def test_what_no_longer_fits_into_a_header_does_not_keep_out_what_does():
    values = [f"big{number}={'x' * 4_000}; Path=/" for number in range(5)]
    header = jar_with(*values, "small=1; Path=/").header_for("https://shop.example.com/")
    assert header.endswith("; small=1")


def test_the_shelf_of_jars_stays_bounded(monkeypatch):
    monkeypatch.setattr(cookies, "MAX_JARS", 2)
    jars = CookieJars()
    for session in ("run:1", "run:2"):
        jars.remember(session, "https://a.example/", ["a=1"])
    assert jars.header_for("run:1", "https://a.example/") == "a=1"
    jars.remember("run:3", "https://a.example/", ["a=1"])
    kept = [jars.header_for(f"run:{number}", "https://a.example/") for number in (1, 2, 3)]
    assert kept == ["a=1", "", "a=1"]


def test_all_jars_together_take_a_bounded_room(monkeypatch):
    monkeypatch.setattr(cookies, "MAX_BYTES", 100_000)
    jars = CookieJars()
    for number in range(100):
        jars.remember(f"run:{number}", "https://a.example/", [f"a={'x' * 4_000}"])
    kept = [n for n in range(100) if jars.header_for(f"run:{n}", "https://a.example/")]
    assert kept == list(range(kept[0], 100))
    assert 15 <= len(kept) <= 25
    for _ in range(100):
        jars.remember("run:99", "https://a.example/", [f"a={'y' * 4_000}"])
    assert [n for n in range(100) if jars.header_for(f"run:{n}", "https://a.example/")] == kept


@given(
    st.text(max_size=60), st.sampled_from(["https://a.b.example/x", "http://[::1]:8/", "http://h"])
)
def test_no_header_of_a_site_breaks_the_jar(value, url):
    jar = jar_with(value, f"{value}; {value}", f"a=1; Expires={value}; Domain={value}", url=url)
    sent = jar.header_for(url)
    assert "\n" not in sent
    assert "\r" not in sent
