import json
from pathlib import Path
from typing import Any

import pytest

from swather import Page, scraper
from swather.errors import InputError
from swather.net.request import Request
from swather.testing import fixture, run_scraper
from swather.testing.fixture_pages import Recorder
from swather.testing.pages import PageFetcher

URL = "https://shop.example/"
HTML = "<h1>Shop</h1>\r\n<p>Grüße</p>\n"


@scraper
async def shop(ctx, url):
    page = await ctx.get(url)
    return {"title": page.css_first("h1").text(), "url": page.url, "status": page.status}


def record_page(page: Page, **asked: Any) -> fixture.RecordedPage:
    return fixture.record_page(Request(url=URL, **asked), page)


def saved(path: Path, *pages: fixture.RecordedPage) -> Path:
    fixture.save(path, fixture.Fixture(scraper="shop", target=URL, pages=list(pages)))
    return path


def written(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_scraper_finds_the_pages_of_a_fixture(tmp_path: Path):
    path = saved(tmp_path / "shop.json", record_page(Page(url=URL, content=HTML.encode())))
    assert run_scraper(shop, URL, fixture=path).items == [
        {"title": "Shop", "url": URL, "status": 200}
    ]


def test_text_is_written_line_by_line_as_people_read_it(tmp_path: Path):
    path = saved(tmp_path / "shop.json", record_page(Page(url=URL, content=HTML.encode())))
    assert written(path)["pages"][0]["text"] == ["<h1>Shop</h1>\r", "<p>Grüße</p>", ""]
    assert "Grüße" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "content_type", "member"),
    [
        (HTML.encode(), "text/html", "text"),
        (b"", "text/html", "text"),
        ("Grüße".encode("cp1252"), "text/html; charset=windows-1252", "encoding"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "image/png", "base64"),
        (b"\xff\xfe\x00", "text/html; charset=nonsense", "base64"),
        (b'{"a": "\\u0000"}', "application/json", "text"),
    ],
)
def test_every_byte_of_a_page_comes_back(tmp_path: Path, content, content_type, member):
    page = Page(url=URL, raw_headers=[("content-type", content_type)], content=content)
    path = saved(tmp_path / "shop.json", record_page(page))
    assert member in written(path)["pages"][0]
    (found,) = fixture.read(path).pages
    assert (found.page.content, found.page.raw_headers) == (content, page.raw_headers)


def test_a_redirect_and_a_status_come_back(tmp_path: Path):
    page = Page(url=f"{URL}home", status=404, content=b"<h1>Gone</h1>")
    path = saved(tmp_path / "shop.json", record_page(page))

    @scraper
    async def unchecked(ctx, url):
        page = await ctx.get(check=False)
        return {"url": page.url, "status": page.status}

    assert run_scraper(unchecked, URL, fixture=path).items == [{"url": f"{URL}home", "status": 404}]


def test_nothing_secret_is_written(tmp_path: Path):
    page = Page(
        url=f"{URL}?a=1",
        raw_headers=[("Set-Cookie", "id=canary"), ("Authorization", "canary"), ("X-A", "1")],
    )
    request = Request(
        url="https://me:canary@shop.example/",
        method="POST",
        headers={"Cookie": "canary"},
        body=b"password=canary",
    )
    path = saved(tmp_path / "shop.json", fixture.record_page(request, page))
    assert "canary" not in path.read_text(encoding="utf-8")
    assert written(path)["pages"][0]["headers"] == [["X-A", "1"]]


def test_a_request_that_is_made_again_gets_the_next_page_and_then_the_last(tmp_path: Path):
    pages = [record_page(Page(url=URL, content=text)) for text in (b"one", b"two")]
    path = saved(tmp_path / "shop.json", *pages)

    @scraper
    def polls(ctx, url):
        return [{"text": ctx.get(url).text} for _ in range(3)]

    texts = [item["text"] for item in run_scraper(polls, URL, fixture=path).items]
    assert texts == ["one", "two", "two"]


def test_a_form_is_told_by_its_body_and_another_one_gets_what_the_address_gave(tmp_path: Path):
    pages = [
        record_page(Page(url=URL, content=body), method="POST", body=body)
        for body in (b"a=1", b"a=2")
    ]
    path = saved(tmp_path / "shop.json", *pages)

    @scraper
    def forms(ctx, url):
        return [{"text": ctx.post(url, data={"a": n}).text} for n in (2, 1, 3)]

    texts = [item["text"] for item in run_scraper(forms, URL, fixture=path).items]
    assert texts == ["a=2", "a=1", "a=1"]


def test_a_page_that_the_fixture_has_not_is_told(tmp_path: Path):
    path = saved(tmp_path / "shop.json", record_page(Page(url=URL)))
    with pytest.raises(InputError, match=r"no page for GET https://other\.example/; it has https"):
        run_scraper(shop, "https://other.example/", fixture=path)


def test_a_recorder_takes_down_what_another_fetcher_brings():
    recorder = Recorder(PageFetcher({URL: HTML}))
    run_scraper(shop, URL, fetcher=recorder)
    assert [page.url for page in recorder.pages] == [URL]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is not a fixture"),
        ("{}", "it has no member 'swather_fixture'"),
        ('{"swather_fixture": 9}', "has format 9, this release reads format 1"),
        ('{"swather_fixture": 1, "pages": [{}]}', "missing required field `url`"),
        (
            '{"swather_fixture": 1, "pages": [{"url": "http://a/", "base64": ["?"]}]}',
            "has a page that cannot be read, http://a/",
        ),
    ],
)
def test_a_file_that_is_no_fixture_is_told_and_never_overwritten(tmp_path: Path, content, message):
    path = tmp_path / "shop.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        run_scraper(shop, URL, fixture=path)
    with pytest.raises(InputError, match=r"it is not overwritten"):
        saved(path)
    assert path.read_text() == content


def test_a_fixture_is_saved_anew_in_its_place(tmp_path: Path):
    path = saved(tmp_path / "shop.json", record_page(Page(url=URL, content=b"old")))
    saved(path, record_page(Page(url=URL, content=b"new")))
    assert fixture.read(path).pages[0].page.content == b"new"


def test_pages_come_from_one_place(tmp_path: Path):
    path = saved(tmp_path / "shop.json")
    with pytest.raises(InputError, match="only one of pages, fixture and fetcher"):
        run_scraper(shop, URL, pages={}, fixture=path)
    with pytest.raises(InputError, match="cannot be read"):
        run_scraper(shop, URL, fixture=tmp_path / "none.json")
