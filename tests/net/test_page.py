"""Reading a page: text in its charset, HTML, JSON, links."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.net.errors import BadResponse, HttpStatusError, MissingElement
from swather.net.page import Headers, Page, join

HTML = b"""<html><head><base href="/shop/"><title>Books</title></head><body>
<a href="faust#top">Faust</a> <a href="http://Other.example/x">other</a> <a href="faust">again</a>
<a href="mailto:a@b.example">mail</a> <a href="javascript:void(0)">script</a> <a href>empty</a>
<p class="price">12 &euro;</p></body></html>"""


def page(content=b"", media_type="", **fields):
    headers = [("Content-Type", media_type)] if media_type else []
    return Page(url="https://example.com/a/b", content=content, raw_headers=headers, **fields)


@pytest.mark.parametrize(
    ("content", "media_type", "text"),
    [
        ("Köln".encode(), "", "Köln"),
        ("Köln".encode("latin-1"), "text/html; charset=ISO-8859-1", "Köln"),
        ("12 €".encode("cp1252"), "text/html; charset=iso-8859-1", "12 €"),
        ("Köln".encode("utf-16"), "text/html", "Köln"),
        (b"\xef\xbb\xbfK", "text/html; charset=latin-1", "K"),
        (
            '<meta charset="shift_jis">本'.encode("shift_jis"),
            "text/html",
            '<meta charset="shift_jis">本',
        ),
        (b"a\xff", "text/html; charset=utf-8", "a\ufffd"),
        ("Köln".encode("cp1252"), "text/html; charset=no-such-charset", "Köln"),
        ("Köln".encode(), "text/html; charset=hex", "Köln"),
        (b"\\u0041", "text/html; charset=unicode_escape", "\\u0041"),
        (b"xn--\xff", "text/html; charset=idna", "xn--\xff"),
        ("Köln 12 €".encode("cp1252"), "text/html", "Köln 12 €"),
        ("中國".encode("gbk"), "text/html; charset=gb2312", "中國"),
        ("Привет".encode("cp1251"), "text/html; charset='windows-1251'", "Привет"),
        ("①".encode("cp932"), "text/html; charset=x-sjis", "①"),
        ("K".encode("utf-16-le"), "text/html; charset=utf-16", "K"),
        (b"\x81 \xff", "text/html", "\ufffd \xff"),
    ],
)
def test_text_is_read_in_the_charset_it_names_or_looks_like(content, media_type, text):
    assert page(content, media_type).text == text


@pytest.mark.parametrize(
    "declared",
    [
        "<meta charset='iso-8859-2'>",
        '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-2">',
        '<!-- <meta charset="utf-8"> --><meta charset=iso-8859-2>',
        '<?xml version="1.0" encoding="iso-8859-2"?>',
    ],
)
def test_a_page_may_name_its_own_charset(declared):
    written = f"{declared}<p>źdźbło</p>".encode("iso-8859-2")
    assert page(written).text.endswith("<p>źdźbło</p>")
    assert page(written, "text/html; charset=nothing").text.endswith("<p>źdźbło</p>")


def test_a_description_of_a_charset_is_no_declaration():
    description = '<meta name="description" content="All about charset=koi8-r">'
    assert page(f"{description}é".encode()).text.endswith("é")
    declared = '<meta charset="iso-8859-2">'
    assert page(f"{description}{declared}ź".encode("iso-8859-2")).text.endswith("ź")


def test_a_declaration_that_could_be_read_is_not_in_utf_16():
    assert page('<meta charset="utf-16">Köln'.encode()).text.endswith("Köln")


def test_json_may_begin_with_a_byte_order_mark():
    assert page(b"\xef\xbb\xbf[1]").json() == [1]
    assert page('["ö"]'.encode("utf-16")).json() == ["ö"]


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-16le"])
def test_json_may_be_in_the_charset_that_its_header_names(charset):
    media_type = f"application/json; charset={charset}"
    assert page('["ö"]'.encode(charset), media_type).json() == ["ö"]
    assert page('["ö山"]'.encode(), media_type).json() == ["ö山"]


def test_a_page_tells_its_version_and_whether_it_is_unchanged():
    read = Page(url="https://a.example/", raw_headers=[("ETag", 'W/"1"'), ("Last-Modified", "x")])
    assert (read.etag, read.last_modified, read.is_unchanged) == ('W/"1"', "x", False)
    same = Page(url="https://a.example/", status=304)
    assert (same.etag, same.last_modified, same.is_unchanged) == (None, None, True)
    same.raise_for_status()


@given(st.binary(max_size=200), st.text(st.characters(codec="ascii"), max_size=20))
def test_any_content_has_a_text(content, charset):
    assert isinstance(page(content, f"text/html; charset={charset}").text, str)


def test_elements_are_found_by_selector():
    read = page(HTML)
    price = read.css_first("p.price")
    assert price is not None
    assert price.text() == "12 €"
    assert read.css_first("p.none") is None
    assert [node.attributes["href"] for node in read.css("a")][:2] == [
        "faust#top",
        "http://Other.example/x",
    ]


def test_links_are_absolute_web_addresses_each_once():
    assert page(HTML).links() == [
        "https://example.com/shop/faust",
        "http://Other.example/x",
        "https://example.com/shop/",
    ]


def test_json_is_decoded_and_what_is_none_says_so():
    assert page(b'{"a": [1]}').json() == {"a": [1]}
    with pytest.raises(BadResponse, match=r"https://example\.com/a/b is not JSON"):
        page(b"<html>").json()
    with pytest.raises(BadResponse, match="recursion"):
        page(b"[" * 100_000).json()


def test_headers_are_found_in_any_case_and_joined():
    headers = Headers([("Set-Cookie", "a=1"), ("X-A", "1"), ("set-cookie", "b=2")])
    assert headers["SET-COOKIE"] == "a=1, b=2"
    assert headers.all("set-cookie") == ["a=1", "b=2"]
    assert dict(headers) == {"set-cookie": "a=1, b=2", "x-a": "1"}
    assert len(headers) == 2
    assert headers.get("none") is None
    assert "x-a" in headers


def test_an_error_status_raises_when_it_is_asked():
    page(status=399).raise_for_status()
    with pytest.raises(HttpStatusError, match=r"HTTP 500 from https://example\.com/a/b"):
        page(status=500).raise_for_status()
    assert not page(status=500).is_ok


def test_a_page_goes_to_another_process_and_back():
    sent = page(b"\xff\0", "text/plain", status=203)
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Page)
    assert again == sent
    assert again.headers["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("x", "https://example.com/a/x"),
        (" /x\n", "https://example.com/x"),
        ("//o.example", "https://o.example"),
        ("?q=1#f", "https://example.com/a/b?q=1"),
        ("", "https://example.com/a/b"),
        ("data:text/html,x", ""),
        ("http://[", ""),
    ],
)
def test_links_are_joined_to_where_they_stand(link, url):
    assert join("https://example.com/a/b", link) == url


def test_next_is_where_a_link_leads_or_none():
    shop = page(HTML)
    assert shop.next("a") == "https://example.com/shop/faust"
    for selector in ("li.next a", "p", "a[href^=mailto]", "a[href='']"):
        assert shop.next(selector) is None


def test_one_is_there_or_says_what_is_missing_and_where():
    assert page(HTML).one("title").text() == "Books"
    with pytest.raises(
        MissingElement, match=r"no element matches 'h2' on https://example\.com/a/b"
    ):
        page(HTML).one("h2")
