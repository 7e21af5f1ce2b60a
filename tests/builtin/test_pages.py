import gzip
from html import escape

import pytest

from swather.builtin.pages.params import Params
from swather.builtin.pages.scraper import pages
from swather.errors import InputError, Permanent
from swather.net.errors import BadResponse, HttpStatusError, TooLarge
from swather.net.page import Page
from swather.scraping.params import parse
from swather.testing import Scraped, run_scraper

HOME = "http://h/"
HTML = ("content-type", "text/html; charset=utf-8")


def scraped(html: str, target: object = HOME, *, url: str = HOME, headers=(), **params) -> Scraped:
    """What `pages` makes of a page that comes from `url`, whatever was asked for."""
    asked = target["url"] if isinstance(target, dict) else target
    page = Page(url=url, raw_headers=[HTML, *headers], content=html.encode())
    return run_scraper(pages, target, params=params, pages={asked: page})


def followed(result: Scraped) -> list[str]:
    return [target["url"] for target in result.targets]


def links(*hrefs: str) -> str:
    return "".join(f"<a href='{href}'>x</a>" for href in hrefs)


def test_a_page_is_an_item_with_its_title_text_and_links():
    html = "<title> A\n title </title><h1>Hello</h1>" + links("/b", "http://other/", "/b#x")
    (item,) = scraped(html).items
    assert item.pop("fetched_at").endswith("+00:00")
    assert item == {
        "url": HOME,
        "status": 200,
        "title": "A title",
        "depth": 0,
        "content_type": "text/html; charset=utf-8",
        "size_bytes": len(html),
        "markdown": "# Hello\n\n[x](http://h/b)[x](http://other/)[x](http://h/b)",
        "links": ["http://h/b", "http://other/"],
    }


def test_a_page_is_saved_as_it_is_asked_for():
    (item,) = scraped("<p>a\0b", save="html").items
    assert item["html"] == "<p>a\ufffdb"
    assert "markdown" not in item
    (item,) = scraped("<p>a", save="none").items
    assert {"html", "markdown"}.isdisjoint(item)


def test_a_page_without_a_title_has_its_heading():
    (item,) = scraped("<h1>Head <b>ing</b></h1>").items
    assert item["title"] == "Head ing"


def test_links_are_targets_one_deeper_with_the_page_as_their_key():
    result = scraped(links("b?y=1&x=2", "b?x=2&y=1#z", "/"), {"url": HOME, "depth": 4})
    assert result.targets == [{"url": "http://h/b?y=1&x=2", "depth": 5}, {"url": HOME, "depth": 5}]
    assert [child.key for child in result.children] == ["http://h/b?x=2&y=1", HOME]
    assert [child.lane for child in result.children] == ["h", "h"]


def test_only_links_to_the_same_host_are_followed_unless_others_are_asked_for():
    html = links("http://other/", "https://www.h/", "http://h:8080/", "http://sub.h/")
    assert followed(scraped(html)) == ["https://www.h/"]
    assert len(followed(scraped(html, same_host=False))) == 4


def test_patterns_say_which_links_are_followed():
    html = links("/docs/a", "/docs/old/b", "/blog/c", "/docs.html")
    assert followed(scraped(html, include=["/docs/.*"])) == [
        "http://h/docs/a",
        "http://h/docs/old/b",
    ]
    assert followed(scraped(html, include=["/docs/", "html$"], exclude=["/old/"])) == [
        "http://h/docs/a",
        "http://h/docs.html",
    ]


@pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_beyond_the_greatest_depth_nothing_is_followed(depth, count):
    result = scraped(links("/b"), {"url": HOME, "depth": depth}, max_depth=2)
    assert len(result.targets) == count
    assert len(result.items) == 1


def test_the_page_that_a_start_url_redirects_to_says_which_host_is_followed():
    result = scraped(links("/b", "http://h/c"), url="https://elsewhere.example/")
    assert followed(result) == ["https://elsewhere.example/b"]
    assert [item["url"] for item in result.items] == ["https://elsewhere.example/"]


@pytest.mark.parametrize(
    ("html", "headers"),
    [
        ("<meta name=robots content='noindex'>", ()),
        ("<META NAME=Robots CONTENT='NoIndex, follow'>", ()),
        ("", [("X-Robots-Tag", "noindex")]),
        ("", [("X-Robots-Tag", "unavailable_after: 1 Jan 2030 00:00:00 GMT, noindex")]),
        ("", [("X-Robots-Tag", "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex")]),
        ("<meta name=swather content=noindex>", ()),
        ("<meta name=' Swather ' content='NoIndex'><meta name=robots content=all>", ()),
        ("", [("X-Robots-Tag", "swather: noindex")]),
        ("", [("X-Robots-Tag", "Swather : noarchive, NOINDEX")]),
        ("", [("X-Robots-Tag", "otherbot: nofollow, swather: noindex")]),
        ("", [("X-Robots-Tag", "otherbot: none"), ("X-Robots-Tag", "swather: noindex")]),
        ("", [("X-Robots-Tag", "*: noindex")]),
    ],
)
def test_a_page_that_wants_no_index_is_not_saved_but_its_links_are_followed(html, headers):
    result = scraped(html + links("/b"), headers=headers)
    assert result.items == []
    assert followed(result) == ["http://h/b"]


@pytest.mark.parametrize(
    ("html", "headers"),
    [
        ("<meta name=robots content='nofollow'>", ()),
        ("<meta name=robots content='index'><meta name=robots content=' NOFOLLOW '>", ()),
        ("", [("X-Robots-Tag", "nofollow, noarchive")]),
        ("<meta name=swather content=nofollow>", ()),
        ("", [("X-Robots-Tag", "swather: nofollow"), ("X-Robots-Tag", "all")]),
    ],
)
def test_a_page_that_wants_nobody_to_follow_is_saved_and_not_followed(html, headers):
    result = scraped(html + links("/b"), headers=headers)
    assert len(result.items) == 1
    assert result.targets == []


@pytest.mark.parametrize(
    ("html", "value"),
    [
        ("<meta name=googlebot content=none>", "otherbot: noindex, nofollow"),
        ("<meta name=swather-news content=none>", "swather-news: none"),
        ("<meta name=notswather content=none>", "swather: all, otherbot: noindex, nofollow"),
    ],
)
def test_rules_for_other_robots_are_not_for_us(html, value):
    result = scraped(html + links("/b"), headers=[("X-Robots-Tag", value)])
    assert (len(result.items), len(result.targets)) == (1, 1)


@pytest.mark.parametrize(
    ("html", "headers"),
    [
        ("<meta name=swather content=none>", ()),
        ("", [("X-Robots-Tag", "swather: none")]),
        ("<meta name=swather content=noindex>", [("X-Robots-Tag", "swather: nofollow")]),
    ],
)
def test_none_is_both(html, headers):
    result = scraped(html + links("/b"), headers=headers)
    assert (result.items, result.targets) == ([], [])


def test_a_link_with_nofollow_is_listed_and_not_followed_unless_another_leads_there_too():
    html = "<a rel='x NoFollow' href=/b>b</a><a rel=nofollow href=/c>c</a>" + links("/c")
    result = scraped(html)
    assert result.items[0]["links"] == ["http://h/b", "http://h/c"]
    assert followed(result) == ["http://h/c"]


def test_links_to_pages_stand_in_more_than_one_kind_of_element():
    html = """<base href="/base/"><link rel=next href=1><link rel=stylesheet href=s.css>
    <link rel=alternate type=application/rss+xml href=feed>
    <meta http-equiv=refresh content="0;url='2'">
    <map><area href=3></map><iframe src=4></iframe><a href=5>x</a><img src=i.png><form action=f>"""
    assert followed(scraped(html)) == [f"http://h/base/{number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    "content",
    ["0;url=b", " 5.5 , URL = b ", "url='b'", "0;url='b", '0; url="b" and more', "0;url='b'c'"],
)
def test_a_refresh_leads_where_a_browser_would_go(content):
    html = f"<meta http-equiv=refresh content='{escape(content)}'>"
    assert followed(scraped(html)) == ["http://h/b"]


@pytest.mark.parametrize("content", ["5", "", "5; url=", "url=''"])
def test_a_refresh_of_the_page_itself_leads_nowhere(content):
    assert followed(scraped(f"<meta http-equiv=refresh content='{escape(content)}'>")) == []


@pytest.mark.parametrize(
    ("content", "urls"),
    [(" " * 50_000 + "x", []), ("url='b'" + " " * 100_000 + "x", ["http://h/b"])],
)
def test_a_refresh_is_read_in_one_go_however_long_it_is(content, urls):
    """To try every way of sharing out the blanks would take minutes to hours."""
    html = f'<meta http-equiv=refresh content="{content}">'
    assert followed(scraped(html)) == urls


@pytest.mark.parametrize("kind", ["application/pdf", "text/plain", "application/rss+xml"])
def test_what_is_not_html_is_recorded_and_not_parsed(kind):
    page = Page(url=HOME, raw_headers=[("content-type", kind)], content=links("/b").encode())
    result = run_scraper(pages, HOME, pages={HOME: page})
    (item,) = result.items
    assert (item["content_type"], item["title"], item["markdown"]) == (kind, "", None)
    assert (item["links"], result.targets) == ([], [])


def test_an_answer_without_a_type_is_html_if_it_begins_like_it():
    page = Page(url=HOME, content=b"\n<!DOCTYPE HTML><title>t</title>")
    assert run_scraper(pages, HOME, pages={HOME: page}).items[0]["title"] == "t"


def test_a_missing_page_is_an_error_with_its_status():
    with pytest.raises(HttpStatusError, match="404"):
        run_scraper(pages, HOME, pages={HOME: Page(url=HOME, status=404)})


def test_a_large_page_is_read_as_well():
    result = scraped("<p>word</p>" * 20_000 + links("/b"))
    assert len(result.items[0]["markdown"]) > 100_000
    assert followed(result) == ["http://h/b"]


def test_with_sitemaps_a_start_url_leads_to_robots_txt_first():
    result = scraped("", url="http://www.h/x/y", sitemap=True)
    assert result.targets == [{"kind": "robots", "url": "http://www.h/robots.txt"}]


def of_robots(text: bytes, *, status: int = 200, **params) -> Scraped:
    url = "http://h/robots.txt"
    page = Page(url=url, status=status, content=text)
    return run_scraper(pages, {"kind": "robots", "url": url}, params=params, pages={url: page})


def a_map(url: str, *, guessed: bool = False, in_index: bool = False) -> dict[str, object]:
    return {"kind": "sitemap", "url": url, "site": "h", "guessed": guessed, "in_index": in_index}


ROBOTS = b"User-agent: *\nSITEMAP: /a.xml\n sitemap:http://cdn/b.xml # b\nDisallow: /x\n"
GUESSED = a_map("http://h/sitemap.xml", guessed=True)


def test_robots_txt_names_sitemaps_and_one_more_is_guessed():
    named = [a_map("http://h/a.xml"), a_map("http://cdn/b.xml")]
    assert of_robots(ROBOTS, same_host=False).targets == [*named, GUESSED]
    assert of_robots(ROBOTS, status=404).targets == [GUESSED]


def test_sitemaps_on_other_hosts_are_left_out_unless_other_hosts_are_wanted(caplog):
    assert of_robots(ROBOTS).targets == [a_map("http://h/a.xml"), GUESSED]
    assert "http://h/robots.txt lists 1 sitemap on another host, http://cdn/b.xml" in caplog.text
    assert "--no-same-host" in caplog.text


def test_robots_txt_may_not_name_sitemaps_without_end(caplog):
    text = b"".join(b"Sitemap: /%d.xml\n" % number for number in range(50))
    assert followed(of_robots(text, max_sitemaps=2)) == [
        "http://h/0.xml", "http://h/1.xml", "http://h/sitemap.xml",
    ]  # fmt: skip
    assert "lists 50 sitemaps; 48 of them were skipped" in caplog.text
    assert "--max-sitemaps" in caplog.text
    with pytest.raises(InputError, match="'max_sitemaps': expected 0 or more, got -1"):
        of_robots(text, max_sitemaps=-1)


def of_sitemap(
    content: bytes, *, status: int = 200, guessed: bool = False, in_index: bool = False, **params
) -> Scraped:
    url = "http://cdn/map.xml"
    target = a_map(url, guessed=guessed, in_index=in_index)
    page = Page(url=url, status=status, content=content)
    return run_scraper(pages, target, params=params, pages={url: page})


URLS = b"""<?xml version="1.0"?><s:urlset xmlns:s="x" xmlns:image="y">
<s:url><s:loc> http://h/a?x=1&amp;y=2 </s:loc><image:loc>http://h/image</image:loc></s:url>
<s:url><s:loc><![CDATA[http://h/b]]></s:loc></s:url><!-- <s:loc>http://h/no</s:loc> -->
<s:url><s:loc>http://elsewhere/c</s:loc></s:url></s:urlset>"""


MEMBERS = gzip.compress(URLS[:150]) + gzip.compress(URLS[150:])


@pytest.mark.parametrize(
    "content",
    [
        URLS,
        gzip.compress(URLS),
        MEMBERS,
        MEMBERS + b"\0\0",
        b"http://h/a?x=1&y=2\r\nhttp://h/b\n\nnothing",
    ],
)
def test_a_sitemap_lists_pages_at_depth_0(content):
    result = of_sitemap(content)
    assert result.targets == [
        {"url": "http://h/a?x=1&y=2", "depth": 0},
        {"url": "http://h/b", "depth": 0},
    ]
    assert result.items == []


def test_patterns_hold_for_sitemaps_too():
    assert followed(of_sitemap(URLS, exclude=["/a"])) == ["http://h/b"]


def index_of(*urls: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{listed}</sitemapindex>".encode()


def test_an_index_lists_sitemaps_of_its_site(caplog):
    index = index_of("http://www.h/1.xml.gz", "http://victim/2.xml", "http://h:81/3.xml")
    assert of_sitemap(index).targets == [a_map("http://www.h/1.xml.gz", in_index=True)]
    assert "lists 2 sitemaps on another host, http://victim/2.xml among them" in caplog.text
    assert len(of_sitemap(index, same_host=False).targets) == 3


def test_an_index_may_not_list_sitemaps_without_end(caplog):
    index = index_of(*(f"http://h/{number}.xml" for number in range(50)))
    assert len(of_sitemap(index, max_sitemaps=3).targets) == 3
    assert "47 of them were skipped" in caplog.text


def test_an_index_within_an_index_is_not_read():
    with pytest.raises(Permanent, match=r"http://cdn/map\.xml is a sitemap index") as raised:
        of_sitemap(index_of("http://h/2.xml"), in_index=True)
    assert raised.value.reason == "nested_sitemap"
    assert of_sitemap(URLS, in_index=True).targets == of_sitemap(URLS).targets


def test_a_sitemap_that_is_not_quite_xml_is_read_as_well():
    content = b"""<urlset></loc><loc>http://h/a</loc ><!--<loc>http://h/no</loc><!----><loc
    ><![CDATA[http://h/b</loc><!--><loc>http://h/c</loc><loc>http://h/cut"""
    assert followed(of_sitemap(content)) == ["http://h/a", "http://h/b", "http://h/c"]


def test_a_character_of_thousands_of_digits_is_left_out():
    content = b"<urlset><loc>http://h/&#" + b"9" * 5_000 + b";</loc><loc>http://h/b</loc></urlset>"
    assert followed(of_sitemap(content)) == ["http://h/b"]


@pytest.mark.parametrize(
    "content",
    [b"<loc>" * 80_000, b"<!--" * 80_000, b"<loc>" + b"<![CDATA[" * 80_000 + b"</loc>"],
    ids=["loc", "comment", "cdata"],
)
def test_a_sitemap_is_read_in_one_go_whatever_has_no_end_in_it(content):
    """To look for an end from every beginning would take minutes."""
    listed = b"<urlset><loc>http://h/a</loc>" + content
    assert followed(of_sitemap(listed)) == ["http://h/a"]


def test_only_a_guessed_sitemap_may_be_missing():
    assert of_sitemap(b"", status=404, guessed=True).targets == []
    with pytest.raises(HttpStatusError):
        of_sitemap(b"", status=404)
    with pytest.raises(HttpStatusError):
        of_sitemap(b"", status=500, guessed=True)


def test_a_sitemap_that_cannot_be_unpacked_says_so(monkeypatch):
    with pytest.raises(BadResponse, match="cannot be decompressed"):
        of_sitemap(gzip.compress(URLS)[:10] + b"xxxx" * 9)
    with pytest.raises(BadResponse, match="cannot be decompressed: it ends too early"):
        of_sitemap(MEMBERS[:-20])
    monkeypatch.setattr("swather.net.sitemap.MAX_BYTES", 1000)
    with pytest.raises(TooLarge, match="more than 1,000 bytes"):
        of_sitemap(gzip.compress(URLS * 100))


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("include=(", "'include': '\\(' is not a regular expression"),
        ("exclude=*", "'exclude': '\\*' is not a regular expression"),
        ("max_depth=-1", "'max_depth': expected 0 or more, got -1"),
        ("save=pdf", "'save': expected .*markdown.*, got 'pdf'"),
    ],
)
def test_a_wrong_parameter_is_told(pair, message):
    with pytest.raises(InputError, match=message):
        parse(pages, [pair])
    assert Params().same_host


@pytest.mark.parametrize(
    "target", ["example.com", {"url": HOME, "depth": "deep"}, {"url": HOME, "kind": "other"}]
)
def test_a_target_that_is_none_is_refused(target):
    with pytest.raises(InputError):
        run_scraper(pages, target, pages={HOME: ""})
