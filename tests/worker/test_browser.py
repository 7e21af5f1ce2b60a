"""Scrapers with a real browser: in a task, in a thread and in a child process."""

from collections.abc import Iterator

import pytest

from swather import Permanent, scraper
from swather.model.task import State
from swather.net.errors import ProxyFailed
from swather.runs import replay, why
from swather.testing import Answer, Asked, FakeSite
from swather.testing import shop as open_shop
from tests.worker.given import Shop, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.usefixtures("chromium"),
]

SCRIPTED = """<title>Scripted</title><h1>raw</h1><a href="/next">next</a>
<script>document.querySelector("h1").textContent = "scripted"</script>"""
PATIENCE_SECONDS = 120.0


@pytest.fixture(scope="module")
def bookshop() -> Iterator[FakeSite]:
    with open_shop(books=60) as opened:
        yield opened


@pytest.fixture
def scripted() -> Iterator[FakeSite]:
    with FakeSite({"/": SCRIPTED}) as opened:
        yield opened


async def rendered(ctx, url):
    """Its relative links and the last page are those of the rendered page."""
    page = await ctx.render(url, wait_for="article", scroll=5, screenshot="new.png")
    assert ctx.page is page
    return {"books": len(page.css("article")), "status": page.status, "link": page.links()[0]}


def rendered_plainly(ctx, url):
    page = ctx.render(url, wait_for="article", scroll=5, screenshot="new.png")
    assert ctx.page is page
    return {"books": len(page.css("article")), "status": page.status, "link": page.links()[0]}


async def browsed(ctx, url):
    async with ctx.browser(block=["images"]) as page:
        await page.goto(url)
        await page.wait_for_selector("article")
        await page.scroll_to_end()
        found = await page.locator("article a").all()
        await ctx.save(await page.screenshot_bytes(), "new.png")
        return {
            "books": len(found),
            "status": 200,
            "link": await found[0].evaluate("link => link.href"),
        }


def browsed_plainly(ctx, url):
    with ctx.browser(block=["images"]) as page:
        page.goto(url)
        page.wait_for_selector("article")
        page.scroll_to_end()
        found = page.locator("article a").all()
        ctx.save(page.screenshot_bytes(), "new.png")
        return {
            "books": len(found),
            "status": 200,
            "link": found[0].evaluate("link => link.href"),
        }


@pytest.mark.parametrize("function", [rendered, rendered_plainly, browsed, browsed_plainly])
def test_a_page_that_needs_javascript_is_scraped(shop: Shop, bookshop: FakeSite, function):
    made = scraper(browser=True)(function)
    run = shop.run(made, [f"{bookshop.url}/new/"])
    shop.start(made, run=run).report(PATIENCE_SECONDS)
    newest = bookshop.books[-1]
    link = bookshop.url + newest.path
    assert shop.items(run) == [{"books": 60, "status": 200, "link": link}]
    assert (shop.files / "new.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_option_the_word_to_add_is_named(shop: Shop, scripted: FakeSite):
    @scraper
    async def plain(ctx, url):
        await ctx.render(url)

    run, _ = shop.scrape(plain, [scripted.url + "/"])
    task = shop.only(run)
    assert task.reason == "bad_input"
    assert "@scraper(browser=True)" in task.error


def test_what_a_failed_attempt_showed_is_kept_with_its_task(shop: Shop, scripted: FakeSite):
    @scraper(browser=True, retries=0)
    async def strict(ctx, url):
        page = await ctx.render(url)
        page.one("article")

    run = shop.run(strict, [scripted.url + "/"])
    shop.start(strict, run=run).report(PATIENCE_SECONDS)
    task = shop.only(run)
    assert (task.state, task.reason) == (State.FAILED, "layout_changed")
    picture = shop.files / "failures" / f"{task.id}-1.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "<h1>scripted</h1>" in picture.with_suffix(".html").read_text()
    told = [reason.text for reason in why.why_task(shop.store, task.id)]
    assert any(f"the page it failed on: {picture}" in line for line in told)


def test_nothing_is_kept_where_only_the_proxy_has_failed(shop: Shop, scripted: FakeSite):
    @scraper(browser=True)
    async def unlucky(ctx, url):
        page = await ctx.render(url)
        if ctx.attempt == 1:
            raise ProxyFailed("it is gone")
        return {"status": page.status}

    run = shop.run(unlucky, [scripted.url + "/"])
    shop.start(unlucky, run=run).report(PATIENCE_SECONDS)
    assert shop.items(run) == [{"status": 200}]
    assert not (shop.files / "failures").exists()


def test_what_a_page_showed_when_its_block_was_left_by_an_error_is_kept(
    shop: Shop, scripted: FakeSite
):
    @scraper(browser=True)
    def strict(ctx, url):
        with ctx.browser() as page:
            page.goto(url)
            raise Permanent(page.title(), reason="odd")

    run = shop.run(strict, [scripted.url + "/"])
    shop.start(strict, run=run).report(PATIENCE_SECONDS)
    task = shop.only(run)
    assert (task.error, task.reason) == ("Scripted", "odd")
    assert (shop.files / "failures" / f"{task.id}-1.png").exists()


def test_a_rendered_page_is_replayed_as_it_was_rendered(either_shop: Shop, scripted: FakeSite):
    @scraper(browser=True, store_pages=True)
    async def both(ctx, url):
        fetched = await ctx.get(url)
        seen = await ctx.render(url)
        return {"fetched": fetched.one("h1").text(), "rendered": seen.one("h1").text()}

    run = either_shop.run(both, [scripted.url + "/"])
    either_shop.start(both, run=run).report(PATIENCE_SECONDS)
    assert either_shop.items(run) == [{"fetched": "raw", "rendered": "scripted"}]
    asked = scripted.requests.total()
    replay.begin(either_shop.store, either_shop.store.runs.get(run), both)
    either_shop.start(both, run=run, replay=True).report(PATIENCE_SECONDS)
    replay.end(either_shop.store, run)
    assert either_shop.items(run) == [{"fetched": "raw", "rendered": "scripted"}]
    assert scripted.requests.total() == asked


def test_a_page_that_asks_us_to_go_away_cools_its_lane(shop: Shop):
    def busy(asked: Asked) -> Answer:
        return Answer("later", 429, {"Retry-After": "600"})

    @scraper(browser=True)
    async def asks(ctx, url):
        await ctx.render(url)

    with FakeSite({"/": busy}) as site:
        run = shop.run(asks, [site.url + "/"])
        working = shop.start(asks, run=run)
        lane = site.url.removeprefix("http://")

        wait_until(lambda: shop.store.lanes.get(lane).strikes, PATIENCE_SECONDS)
        working.stop(now=True)
