import tracemalloc

import pytest

from swather.builtin.pages.address import address_of, linked, page_key, site_of
from swather.net.request import parse_origin, path_and_query, split_url

SAME = [
    ("http://h/a", "HTTP://H:80/a#part"),
    ("http://h/", "http://h"),
    ("http://h/b", "http://h/a/../b"),
    ("http://h/a/", "http://h/a/b/.."),
    ("http://h/b", "http://h/../../b"),
    ("http://h/~x", "http://h/%7Ex"),
    ("http://h/%C3%A9", "http://h/é"),
    ("http://h/%2Fx", "http://h/%2fx"),
    ("http://h/a%20b", "http://h/a b"),
    ("http://h/?a=1&b=2", "http://h/?b=2&a=1"),
    ("http://h/?a=1", "http://h/?&a=1&"),
    ("http://h/p", "http://h/p?"),
    ("http://xn--bcher-kva.example/x", "http://bücher.example/x"),
    ("http://127.0.0.1/x", "http://0x7f.1/x"),
    ("http://h/x", "http://name:password@h/x"),
    ("http://h/b", "http://h/a/%2e%2E/b"),
    ("http://h/b/x", "http://h\\b\\x"),
]
DIFFERENT = [
    ("http://h/a", "https://h/a"),
    ("http://h/a", "http://h:8080/a"),
    ("http://h/a", "http://h/A"),
    ("http://h/a", "http://h/a/"),
    ("http://h/a/b", "http://h/a%2Fb"),
    ("http://h/?a=1&a=2", "http://h/?a=2&a=1"),
    ("http://h/a//b", "http://h/a/b"),
    ("http://h/?a=b%26c", "http://h/?a=b&c"),
    ("http://h/a%5Cb", "http://h/a/b"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_an_address_are_one_page(one, other):
    assert page_key(one) == page_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_addresses_that_may_differ_are_two_pages(one, other):
    assert page_key(one) != page_key(other)


@pytest.mark.parametrize("url", [url for pair in SAME + DIFFERENT for url in pair])
def test_a_key_is_its_own_key(url):
    assert page_key(page_key(url)) == page_key(url)


def test_a_page_that_says_where_it_is_has_the_key_of_the_link_that_led_there():
    link = linked("http://bücher.example/", "/a/%2e%2e/ü?x=[1]|é")
    beginning, rest = split_url(link)
    assert page_key(parse_origin(beginning).url + path_and_query(rest)) == page_key(link)


def test_a_query_is_requested_in_the_order_it_was_written_in():
    assert address_of("http://H/x/../?b=2&a=1#f") == "http://h/?b=2&a=1"


@pytest.mark.parametrize(
    "href",
    ["mailto:a@b.example", "javascript:x", "http://h:port/", "http://[/",
     "//h:99999/", "ftp://h/", "data:,x"],
)  # fmt: skip
def test_what_is_no_address_of_a_page_leads_nowhere(href):
    assert linked("http://h/", href) == ""


def test_an_address_that_no_server_need_take_leads_nowhere():
    assert linked("http://h/", "a" * 7_900) == address_of("http://h/" + "a" * 7_900) != ""
    assert linked("http://h/", "a" * 8_000) == address_of("http://h/" + "a" * 8_000) == ""
    assert linked("http://h/" + "a" * 8_000, "b") == ""


def test_long_links_are_not_remembered():
    tracemalloc.start()
    try:
        for number in range(100):
            linked("http://h/", f"data:text/html,{number}" + "x" * 20_000)
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/x", "example.com"),
        ("http://EXAMPLE.com:80/", "example.com"),
        ("http://example.com:8080/", "example.com:8080"),
        ("http://docs.example.com/", "docs.example.com"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("http://:80/", ""),
    ],
)
def test_a_site_is_a_host_with_its_port_whether_it_is_called_www_or_not(url, site):
    assert site_of(url) == site
