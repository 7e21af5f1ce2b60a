"""Pages in a real Chromium, and what is left of one target for the next."""

import asyncio

import pytest

from swather.net.browser import Browser, tab
from swather.net.egress_policy import BrowserPolicy
from swather.net.errors import BadResponse, ConnectionFailed, TooLarge, UnusableURL
from tests.net.browser.visiting import html, visit
from tests.net.site import respond, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRIPTED = "<p>raw</p><script>document.querySelector('p').textContent = 'scripted ü'</script>"
STORING = """<script>
const seen = [
  document.cookie, localStorage.a, sessionStorage.a, window.name, history.length].join();
document.cookie = "a=1"; localStorage.a = 1; sessionStorage.a = 1; window.name = "me";
indexedDB.open("a");
document.write("<p>" + seen + "</p>");
</script>"""
GROWING = """<body style="height: 2000px"><script>
let left = 3; window.onscroll = () => { if (left-- > 0) {
  document.body.style.height = document.body.scrollHeight + 2000 + "px";
  document.body.append(document.createElement("hr")) } }
</script>"""


def rendered(in_browser, pages, *, path="page", fields=None, **options):
    async def scene(browser):
        async with site(**pages) as served, browser.visit(visit(**(fields or {}))) as tab:
            return await tab.render(f"{served.url}/{path}", **options), served

    return in_browser(scene)


def test_a_page_is_returned_as_its_scripts_have_left_it(in_browser):
    answer = respond(
        SCRIPTED.encode("latin-1"), "203 Odd", Content_Type="text/html; charset=latin1"
    )
    page, _ = rendered(in_browser, {"page": answer})
    assert (page.status, page.one("p").text()) == (203, "scripted ü")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "content-length" not in page.headers


def test_an_error_of_a_site_is_a_page_too(in_browser):
    answer = respond(b"gone", "410 Gone", Content_Type="text/html", Retry_After="7")
    page, _ = rendered(in_browser, {"page": answer})
    assert (page.status, page.headers["retry-after"]) == (410, "7")


def test_an_error_status_without_a_body_is_an_empty_page(in_browser):
    answer = respond(b"", "429 Slow", Content_Type="text/html", Retry_After="7")
    page, served = rendered(in_browser, {"page": answer}, wait_for="article", timeout=60)
    assert (page.status, page.content, page.headers["retry-after"]) == (429, b"", "7")
    assert page.url == f"{served.url}/page"


def test_an_element_is_not_waited_for_on_an_error_page(in_browser, monkeypatch):
    monkeypatch.setattr(tab, "ERROR_PAGE_SECONDS", 0.1)
    answer = respond(b"<h1>gone</h1>", "410 Gone", Content_Type="text/html")
    page, _ = rendered(in_browser, {"page": answer}, wait_for="article", timeout=60)
    assert (page.status, page.one("h1").text()) == (410, "gone")


def test_an_error_page_may_open_the_real_one(in_browser):
    pages = {
        "page": respond(
            b"<script>location = '/real'</script>", "403 Checking", Content_Type="text/html"
        ),
        "real": html("<article>real</article>"),
    }
    page, _ = rendered(in_browser, pages, wait_for="article", timeout=60)
    assert (page.status, page.one("article").text()) == (200, "real")


def test_a_page_is_read_once_what_was_waited_for_is_there(in_browser):
    late = "<script>setTimeout(() => document.write('<b id=late>late</b>'), 300)</script>"
    page, _ = rendered(in_browser, {"page": html(late)}, wait_for="#late")
    assert page.one("#late").text() == "late"


def test_a_page_that_grows_is_scrolled_to_its_end(in_browser):
    page, _ = rendered(in_browser, {"page": html(GROWING)}, scroll=10)
    assert len(page.css("hr")) == 3


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(in_browser, authority):
    async def scene(browser):
        async with site(tls=authority[1], page=html("a")) as served, browser.visit(visit()) as tab:
            await tab.render(f"{served.url}/page")

    with pytest.raises(ConnectionFailed, match="ERR_CERT"):
        in_browser(scene)


def test_what_is_blocked_is_not_asked_for(in_browser):
    pages = {
        "page": html("<link rel=stylesheet href=/style><img src=/picture><script src=/script>"
                     "</script>"),
        "script": respond(b"1", Content_Type="text/javascript"),
        "style": respond(b"p {}", Content_Type="text/css"),
    }  # fmt: skip
    _, served = rendered(in_browser, pages, fields={"block": frozenset({"images"})})
    assert sorted(asked.path for asked in served.asked) == ["/page", "/script", "/style"]


def test_requests_have_the_headers_and_the_name_that_were_given(in_browser):
    fields = {"user_agent": "swather-test/1", "headers": lambda url: {"X-Own": url[-5:]}}
    _, served = rendered(in_browser, {"page": html("a")}, fields=fields)
    headers = served.asked[0].headers
    assert (headers["user-agent"], headers["x-own"]) == ("swather-test/1", "/page")


def visits_to(in_browser, sessions, **fields):
    async def scene(browser):
        texts = []
        async with site(page=html(STORING)) as served:
            for session in sessions:
                async with browser.visit(visit(session=session, **fields)) as tab:
                    page = await tab.render(f"{served.url}/page")
                    texts.append(page.one("p").text())
        return texts

    return in_browser(scene)


def test_nothing_is_left_for_the_next_target(in_browser):
    assert visits_to(in_browser, ["", "", ""]) == [visits_to(in_browser, [""])[0]] * 3


def test_a_session_keeps_its_cookies_and_storage_and_no_other_has_them(in_browser):
    first, other, again, none = visits_to(in_browser, ["one", "two", "one", ""])
    assert first.startswith(",,,")
    assert other.startswith(",,,")
    assert none.startswith(",,,")
    assert again.startswith("a=1,1,")


def test_many_sessions_share_few_rooms_and_keep_what_they_stored(in_browser):
    names = [f"session {number}" for number in range(4)]
    texts = visits_to(in_browser, [*names, *names])
    assert [text.startswith("a=1,1,") for text in texts] == [False] * 4 + [True] * 4
    assert len(in_browser.browser._chromium._shared) <= 3


def test_a_target_may_begin_with_the_storage_of_another(in_browser):
    async def scene(browser):
        async with site(page=html(STORING)) as served:
            async with browser.visit(visit()) as tab:
                await tab.render(f"{served.url}/page")
                state = await tab.storage_state()
            async with browser.visit(visit(storage_state=state)) as tab:
                return (await tab.render(f"{served.url}/page")).one("p").text()

    assert in_browser(scene).startswith("a=1,1,")


def test_what_was_done_to_a_page_is_not_met_by_the_next_target(in_browser):
    async def scene(browser):
        async with site(page=html("<p>a</p>")) as served:
            async with browser.visit(visit()) as tab:
                await tab.add_init_script("window.left = 1")
                await tab.page.context.add_cookies([{"name": "b", "value": "1", "url": served.url}])
                await tab.render(f"{served.url}/page")
            async with browser.visit(visit()) as tab:
                await tab.render(f"{served.url}/page")
                return await tab.evaluate("[window.left ?? null, document.cookie]")

    assert in_browser(scene) == [None, ""]


def test_a_download_is_there_until_the_visit_ends(in_browser):
    attached = respond(b"data", Content_Disposition='attachment; filename="a.bin"')

    async def scene(browser):
        async with site(page=html("<a href=/file>get</a>"), file=attached) as served:
            async with browser.visit(visit()) as tab:
                await tab.goto(f"{served.url}/page")
                async with tab.expect_download():
                    await tab.click("a")
                (found,) = await tab.finished_downloads()
                content = found.path.read_bytes()
                with pytest.raises(BadResponse, match="is a download"):
                    await tab.render(f"{served.url}/file")
            return found.name, content, found.path

    name, content, path = in_browser(scene)
    assert (name, content) == ("a.bin", b"data")
    in_browser(lambda browser: asyncio.wait_for(browser.settled(), 90))
    assert not path.exists()


def test_html_that_is_too_large_is_not_handed_over(in_browser):
    swelling = "<script>document.write('<!--' + 'x'.repeat(40 << 20) + '-->')</script>"
    with pytest.raises(TooLarge):
        rendered(in_browser, {"page": html(swelling)})


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://version", "ftp://a.example/"])
def test_only_the_web_is_opened(in_browser, url):
    async def scene(browser):
        async with browser.visit(visit()) as tab:
            await tab.goto(url)

    with pytest.raises(UnusableURL):
        in_browser(scene)


def test_a_used_up_browser_is_replaced_and_its_sessions_live_on(in_browser):
    async def scene(_):
        browser = Browser(BrowserPolicy(pages=1, max_targets=2))
        texts = []
        try:
            async with site(page=html(STORING)) as served:
                for _ in range(3):
                    async with browser.visit(visit(session="one")) as tab:
                        texts.append((await tab.render(f"{served.url}/page")).one("p").text())
                    await browser.settled()
            return texts, browser.starts
        finally:
            await browser.close()

    texts, starts = in_browser(scene)
    assert [text[:5] for text in texts] == [",,,,2", "a=1,1", "a=1,1"]
    assert starts == 2
