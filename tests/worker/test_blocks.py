"""Sites that ask us to go away, lanes that are closed, breakers that open."""

import threading
import time

import pytest

from swather.errors import Blocked, SwatherError
from swather.model.lane import BreakerPolicy
from swather.model.pacing import CoolDownCurve
from swather.model.retry import Backoff
from swather.scraping.scraper import scraper
from swather.testing.site import Answer
from swather.worker.access.throttle import FREE_SECONDS
from swather.worker.settings import Politeness
from tests.worker.given import Shop, until, wait_until
from tests.worker.sites import NotingSite

pytestmark = pytest.mark.slow

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.0, jitter=0.0)
QUICK = Politeness(curve=CoolDownCurve(base_seconds=0.02, cap_seconds=0.05, jitter=0.0))


@scraper(allow_private=True, retries=0, backoff=AT_ONCE)
async def pages(ctx, target):
    for path in target["paths"]:
        await ctx.get(path)


@scraper(allow_private=True, retries=0, backoff=AT_ONCE, isolation="process")
def pages_in_child(ctx, target):
    for path in target["paths"]:
        ctx.get(path)


def target(site, *paths, number=0):
    return {"url": f"{site.url}/", "paths": paths, "number": number}


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_refuses_us_is_left_alone_for_as_long_as_it_says(
    either_shop: Shop, site: NotingSite, status
):
    site.routes["/a"] = lambda asked: Answer(
        status=status if asked.times == 1 else 200, headers={"Retry-After": "1"}
    )
    _, report = either_shop.scrape(pages, [target(site, "/a")])
    assert (report.completed, report.retried) == (1, 1)
    assert site.paths() == ["/a", "/a"]
    assert site.gaps()[-1] > 0.9
    assert either_shop.store.lanes.get(site.lane).cool_reason == f"HTTP {status}"


def test_the_lane_is_closed_at_once_even_if_the_scraper_goes_on(shop: Shop, site: NotingSite):
    site.routes["/a"] = Answer(status=429, headers={"Retry-After": "600"})
    release = threading.Event()

    @scraper(allow_private=True)
    async def stubborn(ctx, target):
        await ctx.get("/a", check=False)
        await until(release)

    run = shop.run(stubborn, [target(site)])
    shop.start(stubborn, run=run)
    wait_until(lambda: shop.store.lanes.get(site.lane).strikes == 1)
    release.set()


def test_many_that_are_refused_together_are_one_strike(shop: Shop, site: NotingSite):
    def busy(asked):
        return Answer(status=503, headers={"Retry-After": "600"}, seconds=0.3)

    site.routes.update({f"/{number}": busy for number in range(10)})
    run = shop.run(pages, [target(site, f"/{number}", number=number) for number in range(10)])
    shop.start(pages, run=run)
    wait_until(lambda: shop.counts(run).get("scheduled") == 10)
    lane = shop.store.lanes.get(site.lane)
    assert (lane.strikes, lane.cool_reason) == (1, "HTTP 503")


@pytest.mark.parametrize("scraper_", [pages, pages_in_child], ids=["task", "process"])
def test_a_target_that_is_always_refused_spends_a_budget_of_its_own(
    shop: Shop, site: NotingSite, scraper_
):
    site.routes["/a"] = Answer(status=429)
    run, report = shop.scrape(scraper_, [target(site, "/a")], politeness=QUICK)
    task = shop.only(run)
    assert (task.state, task.reason, task.error_class) == ("failed", "blocked", "blocked")
    assert task.attempts == 10
    assert len(site.paths()) == 10
    assert (report.retried, report.failed) == (9, 1)


def test_a_target_that_is_forbidden_does_not_close_its_lane(shop: Shop, site: NotingSite):
    site.routes["/a"] = Answer(status=403)
    run, _ = shop.scrape(pages, [target(site, "/a")])
    assert shop.only(run).reason == "blocked"
    assert len(site.paths()) == 10
    assert shop.store.lanes.get(site.lane).strikes == 0


def test_a_scraper_that_sees_a_ban_closes_the_lane(shop: Shop):
    @scraper(lane="example.com")
    async def refused(ctx, target):
        raise Blocked("please solve this captcha", after=600)

    run = shop.run(refused, [1])
    shop.start(refused, run=run)
    wait_until(lambda: shop.store.lanes.get("example.com").strikes == 1)
    wait_until(lambda: shop.counts(run) == {"scheduled": 1})
    assert "captcha" in shop.store.lanes.get("example.com").cool_reason


@pytest.mark.parametrize("isolation", ["task", "process"])
@pytest.mark.parametrize("close", ["pause", "cool"])
def test_a_target_whose_lane_is_closed_gives_its_slot_back_and_comes_again(
    shop: Shop, site: NotingSite, isolation, close
):
    fetching = pages if isolation == "task" else pages_in_child
    lanes = shop.store.lanes

    def slow(asked):
        if asked.times == 1:
            lanes.pause(site.lane) if close == "pause" else lanes.cool(site.lane, 600, "test")
        return Answer("slow", seconds=2 * FREE_SECONDS)

    site.routes["/slow"] = slow
    run = shop.run(fetching, [target(site, "/slow", "/b")])
    working = shop.start(fetching, run=run)
    wait_until(lambda: site.paths() == ["/slow"])
    wait_until(lambda: shop.counts(run) == {"ready": 1})
    assert (shop.only(run).attempts, shop.store.runs.counts(run).retries) == (0, 0)
    lanes.unpause(site.lane)
    report = working.report()
    assert (report.completed, report.released) == (1, 1)
    assert site.paths() == ["/slow", "/slow", "/b"]


def test_a_scraper_that_catches_everything_is_put_off_all_the_same(shop: Shop, site: NotingSite):
    caught = []

    @scraper(allow_private=True)
    async def careless(ctx, target):
        await ctx.get("/a")
        shop.store.lanes.pause(site.lane)
        await ctx.sleep(2 * FREE_SECONDS)
        for path in "bc":
            try:
                await ctx.get(f"/{path}")
            except SwatherError as error:
                caught.append(type(error).__name__)
        return {"looks": "fine"}

    run = shop.run(careless, [target(site)])
    shop.start(careless, run=run)
    wait_until(lambda: shop.counts(run) == {"ready": 1} and caught)
    assert caught == ["Postponed", "Postponed"]
    assert shop.store.runs.counts(run).items == 0


def test_a_target_that_needs_a_closed_lane_of_others_comes_later(
    shop: Shop, site: NotingSite, other: NotingSite
):
    shop.store.lanes.cool(other.lane, 600, "test")
    run = shop.run(pages, [target(site, "/a", f"{other.url}/b")])
    shop.start(pages, run=run)
    wait_until(lambda: shop.counts(run) == {"scheduled": 1})
    assert site.paths() == ["/a"]
    assert other.asked == []
    assert shop.only(run).attempts == 0


def test_a_lane_that_cools_for_a_moment_is_waited_for(shop: Shop, site: NotingSite):
    shop.store.lanes.cool(site.lane, 0.1, "test")

    @scraper(allow_private=True)
    async def two(ctx, target):
        await ctx.get("/a")
        shop.store.lanes.cool(site.lane, 1.0, "test")
        await ctx.sleep(2 * FREE_SECONDS)
        await ctx.get("/b")

    _, report = shop.scrape(two, [target(site)])
    assert (report.completed, report.released) == (1, 0)
    assert site.gaps()[-1] > 0.9


def test_a_pace_is_learned_from_how_fast_the_site_answers(shop: Shop, site: NotingSite):
    @scraper(allow_private=True, rate="auto")
    async def polite(ctx, target):
        await ctx.get(f"/{target['number']}")

    for number in range(1_000):
        site.routes[f"/{number}"] = Answer("slow", seconds=0.2)
    run = shop.run(polite, [target(site, number=number) for number in range(1_000)])
    shop.start(polite, run=run)
    learned = wait_until(lambda: shop.store.lanes.get(site.lane).learned_every_seconds)
    assert 0.1 < learned < 5


def test_waiting_leases_of_a_lane_that_is_closed_are_given_back(shop: Shop):
    @scraper(lane="example.com")
    async def quick_at_first(ctx, target):
        if target >= 3_000:
            await ctx.sleep(0.2)

    run = shop.run(quick_at_first, 6_000)
    shop.start(quick_at_first, run=run, concurrency=2)
    wait_until(lambda: shop.counts(run).get("completed", 0) >= 3_000)
    shop.store.lanes.pause("example.com")
    wait_until(lambda: "leased" not in shop.counts(run), 5)


BREAKER = Politeness(breaker=BreakerPolicy(window=5, probe_seconds=0.3, probe_cap_seconds=1.0))


def test_where_nearly_everything_fails_only_probes_are_made(either_shop: Shop, site: NotingSite):
    paths = [f"/{number}" for number in range(200)]
    # Slowly: how many come before the breaker is known is a matter of milliseconds.
    site.routes.update(dict.fromkeys(paths, Answer(status=500, seconds=0.02)))

    @scraper(allow_private=True, retries=0)
    async def hopeful(ctx, target):
        await ctx.get(f"/{target['number']}")

    run = either_shop.run(hopeful, [target(site, number=number) for number in range(200)])
    working = either_shop.start(hopeful, run=run, politeness=BREAKER, concurrency=1)
    (breaker,) = wait_until(either_shop.store.breakers.find)
    assert (breaker.scraper, breaker.lane) == ("hopeful", site.lane)
    assert breaker.seen["failed"] == 5
    assert breaker.seen["statuses"] == {"500": 5}
    time.sleep(0.3)
    before = len(site.paths())
    assert before <= 100
    time.sleep(1.0)
    assert 1 <= len(site.paths()) - before <= 4
    site.routes.clear()
    wait_until(lambda: not either_shop.store.breakers.find())
    assert working.report().completed > 150


@pytest.mark.parametrize("seen", [{"code": "other"}, {"statuses": {"no request": 20}}])
def test_changed_code_gets_a_fresh_chance_and_a_probe_closes_whoever_opened(
    either_shop: Shop, seen
):
    @scraper
    async def mended(ctx, target): ...

    run = either_shop.run(
        mended, [{"url": "http://site/", "number": number} for number in range(50)]
    )
    probe_seconds = 10_000.0 if "code" in seen else 0.01
    either_shop.store.breakers.trip("mended", "site", seen=seen, probe_seconds=probe_seconds)
    either_shop.start(mended, run=run, politeness=BREAKER, concurrency=1)
    wait_until(lambda: either_shop.counts(run) == {"completed": 50})
    assert not either_shop.store.breakers.find()


def test_an_error_before_any_request_is_not_one_of_the_site(shop: Shop):
    @scraper(retries=0)
    async def broken(ctx, target):
        return None + 1

    run = shop.run(broken, [{"url": "http://site/", "number": number} for number in range(20)])
    shop.start(broken, run=run, politeness=BREAKER, concurrency=1)
    (breaker,) = wait_until(shop.store.breakers.find)
    assert breaker.seen["statuses"] == {"no request": 5}
    assert "TypeError" in breaker.seen["error"]
