"""Requests as the worker makes them: robots.txt obeyed, each of them paid for."""

import gc

import pytest

from swather.model.pacing import Limits
from swather.net.errors import Disallowed, LaneBusy
from swather.scraping.scraper import scraper
from swather.testing.site import Answer
from swather.worker.attempt import Attempt
from tests.worker.given import Shop
from tests.worker.sites import NotingSite

DISALLOW = "User-agent: *\nDisallow: /private\n"


@scraper(allow_private=True, retries=0)
async def pages(ctx, target):
    """Fetch what the target names, one path after another."""
    for path in target["paths"]:
        await ctx.get(path)


@scraper(allow_private=True, retries=0, isolation="process")
def pages_in_child(ctx, target):
    for path in target["paths"]:
        ctx.get(path)


@scraper(retries=0)
async def proxied(ctx, target):
    await ctx.get(proxy=target["proxy"])


@scraper(retries=0, isolation="process")
def proxied_in_child(ctx, target):
    ctx.get(proxy=target["proxy"])


def target(site, *paths):
    return {"url": f"{site.url}/", "paths": paths}


@pytest.mark.slow
def test_all_requests_of_a_target_keep_the_pace_of_its_lane(either_shop: Shop, site: NotingSite):
    either_shop.store.lanes.limit(site.lane, Limits(0.1, 1))
    run, _ = either_shop.scrape(pages, [target(site, "/a", "/b", "/c")])
    assert either_shop.counts(run) == {"completed": 1}
    assert [path for _, path in site.asked] == ["/robots.txt", "/a", "/b", "/c"]
    assert sum(site.gaps()) > 0.2


@pytest.mark.slow
def test_requests_to_another_host_keep_the_pace_of_theirs(
    shop: Shop, site: NotingSite, other: NotingSite
):
    shop.store.lanes.limit(other.lane, Limits(0.1, 1))
    further = [f"{other.url}/{number}" for number in range(3)]
    shop.scrape(pages, [target(site, "/a", *further)])
    assert other.paths() == ["/0", "/1", "/2"]
    assert sum(other.gaps()) > 0.2


def test_redirects_are_paid_for(shop: Shop, site: NotingSite):
    site.routes["/a"] = Answer(status=302, headers={"Location": "/b"})
    site.routes["/b"] = Answer(status=302, headers={"Location": "/c"})
    shop.store.lanes.limit(site.lane, Limits(0.1, 1))
    shop.scrape(pages, [target(site, "/a")])
    assert site.paths() == ["/a", "/b", "/c"]
    assert sum(site.gaps()) > 0.2


@pytest.mark.slow
def test_the_wait_for_permits_is_not_part_of_the_timeout(shop: Shop, site: NotingSite):
    @scraper(allow_private=True, retries=0, timeout=0.5)
    async def hurried(ctx, target):
        for path in target["paths"]:
            await ctx.get(path)

    shop.store.lanes.limit(site.lane, Limits(0.8, 1))
    run, _ = shop.scrape(hurried, [target(site, "/a", "/b")])
    assert shop.counts(run) == {"completed": 1}


@pytest.mark.slow
@pytest.mark.parametrize("fetching", [pages, pages_in_child], ids=["task", "process"])
def test_what_robots_txt_disallows_is_never_asked_for(shop: Shop, site: NotingSite, fetching):
    site.routes["/robots.txt"] = DISALLOW
    run, _ = shop.scrape(fetching, [target(site, "/open", "/private/a")])
    assert site.paths() == ["/open"]
    task = shop.only(run)
    assert (task.state, task.reason) == ("failed", "robots")
    assert "/private/a" in task.error


def test_a_redirect_to_what_is_disallowed_is_not_followed(shop: Shop, site: NotingSite):
    site.routes["/robots.txt"] = DISALLOW
    site.routes["/a"] = Answer(status=302, headers={"Location": "/private"})
    run, _ = shop.scrape(pages, [target(site, "/a")])
    assert site.paths() == ["/a"]
    assert shop.only(run).reason == "robots"


def test_a_scraper_may_see_to_what_is_disallowed(shop: Shop, site: NotingSite):
    site.routes["/robots.txt"] = DISALLOW

    @scraper(allow_private=True)
    async def careful(ctx, target):
        try:
            await ctx.get("/private")
        except Disallowed:
            return {"skipped": True}

    run, _ = shop.scrape(careful, [target(site)])
    assert shop.items(run) == [{"skipped": True}]


def test_a_scraper_may_do_without_robots_txt(shop: Shop, site: NotingSite):
    site.routes["/robots.txt"] = DISALLOW

    @scraper(allow_private=True, robots=False)
    async def rude(ctx, target):
        await ctx.get("/private")

    run, _ = shop.scrape(rude, [target(site)])
    assert shop.counts(run) == {"completed": 1}
    assert [path for _, path in site.asked] == ["/private"]


@pytest.mark.parametrize(
    "books", [proxied, pytest.param(proxied_in_child, marks=pytest.mark.slow)], ids=lambda b: b.name
)
def test_robots_txt_and_redirects_leave_as_the_request_does(shop: Shop, site: NotingSite, books):
    site.routes["http://shop.example/a"] = Answer(
        status=302, headers={"Location": "http://other.example/b"}
    )
    run, _ = shop.scrape(books, [{"url": "http://shop.example/a", "proxy": site.url}])
    assert shop.counts(run) == {"completed": 1}
    assert [path for _, path in site.asked] == [
        "http://shop.example/robots.txt", "http://shop.example/a",
        "http://other.example/robots.txt", "http://other.example/b",
    ]  # fmt: skip


def test_robots_txt_is_asked_for_once(shop: Shop, site: NotingSite):
    shop.scrape(pages, [target(site, f"/{number}") for number in range(30)])
    assert site.requests["/robots.txt"] == 1
    assert len(site.paths()) == 30


@pytest.mark.slow
def test_a_crawl_delay_holds_from_the_first_page_on(either_shop: Shop, site: NotingSite):
    site.routes["/robots.txt"] = "User-agent: *\nCrawl-delay: 0.4\n"
    run, _ = either_shop.scrape(pages, [target(site, f"/{number}") for number in range(5)])
    assert either_shop.counts(run) == {"completed": 5}
    assert sum(site.gaps()[1:]) > 1.2
    assert either_shop.store.lanes.get(site.lane).crawl_delay_seconds == 0.4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (lambda store, lane: store.lanes.limit(lane, Limits(60.0, 1)), "too slow"),
        (lambda store, lane: store.lanes.cool(lane, 60.0, "a test"), "closed for another"),
        (lambda store, lane: store.lanes.pause(lane), "it is closed"),
    ],
)
@pytest.mark.parametrize("verb", ["get", "download"])
def test_a_request_that_may_not_wait_leaves_the_target_going(
    either_shop: Shop, site: NotingSite, other: NotingSite, limit, why, verb
):
    @scraper(allow_private=True, retries=0)
    async def careful(ctx, target):
        errors = []
        for path in (f"{other.url}/a", f"{other.url}/b", f"{site.url}/c"):
            try:
                await getattr(ctx, verb)(path, max_wait=1.0)
            except LaneBusy as error:
                errors.append(str(error))
        return {"errors": errors}

    limit(either_shop.store, other.lane)
    run, _ = either_shop.scrape(careful, ["a text"])
    assert either_shop.counts(run) == {"completed": 1}
    assert site.paths() == ["/c"]
    (item,) = either_shop.items(run)
    assert why in item["errors"][-1]


def test_an_attempt_is_freed_when_it_ends_and_not_by_the_collector(shop: Shop, site: NotingSite):
    """Collections took a tenth of a worker's time while each attempt referred to itself."""
    alive = []

    @scraper(allow_private=True, in_flight=1)
    async def counting(ctx, target):
        await ctx.get()
        alive.append(sum(type(one) is Attempt for one in gc.get_objects()))

    gc.disable()
    try:
        run, _ = shop.scrape(counting, [f"{site.url}/{n}" for n in range(8)], concurrency=1)
    finally:
        gc.enable()
    assert shop.counts(run) == {"completed": 8}
    # One more is that which asked for robots.txt.
    assert max(alive) <= 2
