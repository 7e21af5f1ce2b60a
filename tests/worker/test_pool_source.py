"""Scrapers whose requests leave through the proxies of the pool: real proxies, a real worker."""

from itertools import pairwise

import pytest

from swather import Blocked, Proxies, scraper
from swather.model.pacing import Limits
from swather.model.proxy import ProxyState
from swather.model.proxy_list import parse_proxies
from swather.model.task_filter import TaskFilter
from swather.net.egress_policy import PoolPolicy
from swather.testing.proxies import VIA, LocalProxies
from swather.testing.site import Answer, FakeSite
from tests.worker import pool_scrapers
from tests.worker.given import Shop, wait_until

HOST = "shop.example"
QUICK = PoolPolicy(threshold=2, blacklist_seconds=1.0, probe_seconds=5.0)


def via(asked):
    return asked.headers.get(VIA, "direct")


PAGES = {f"/{number}": via for number in range(300)}
TARGETS = [f"http://{HOST}/{number}" for number in range(60)]


@pytest.fixture
def web():
    with FakeSite({**PAGES, "/robots.txt": Answer(status=404)}) as site:
        yield site


@pytest.fixture
def three(web):
    with LocalProxies(3, hosts={HOST: web.url}) as proxies:
        yield proxies


def fill(shop: Shop, proxies, *, source="file", fields=""):
    lines, bad = parse_proxies(f"{url} {fields}" for url in proxies)
    assert not bad
    return shop.store.proxies.load(lines, source=source, replace=True)


def through(**options):
    fields = {"proxies": True, "rate": "none", "in_flight": None, "backoff": 1.0, **options}

    @scraper(**fields)
    async def pages(ctx, url):
        return {"via": (await ctx.get(url)).text}

    return pages


def vias(shop: Shop, run: str) -> list[str]:
    return [item["via"] for item in shop.items(run)]


@pytest.mark.slow
def test_requests_leave_through_the_pool_in_turn_and_never_directly(either_shop, web, three):
    fill(either_shop, three.urls)
    pages = through()
    run, report = either_shop.scrape(pages, TARGETS)
    assert report.completed == 60
    counts = [vias(either_shop, run).count(f"1.1 proxy-{number}") for number in range(3)]
    assert sum(counts) == 60
    assert max(counts) - min(counts) <= 2
    # The numbers that people see are those of the proxies' own logs.
    rows = either_shop.store.proxies.find()
    assert [row.successes for row in rows] == [len(proxy.log) for proxy in three]
    assert web.requests.total() == sum(len(proxy.log) for proxy in three)


def test_the_log_of_a_task_names_the_proxy_that_it_left_through(shop, three):
    shop.store.settings.set("event_level", "all")
    fill(shop, three.urls[:1])
    run, _ = shop.scrape(through(), TARGETS[:1])
    told = [event.data for event in shop.store.events.find(run) if event.kind == "completed"]
    assert told == [{"egress": three.urls[0]}]


def test_what_is_stored_and_replayed_needs_no_proxy(shop, three):
    fill(shop, three.urls)
    pages = through(store_pages=True)
    run, _ = shop.scrape(pages, TARGETS[:5])
    fill(shop, [])
    shop.store.tasks.retry(TaskFilter(run=run))
    report = shop.start(pages, run=run, replay=True).report()
    assert report.completed == 5


@pytest.mark.parametrize(
    "strategy", ["round_robin", "random", "least_used", "sticky_worker", "sticky_lane"]
)
def test_a_strategy_says_which_proxy_is_next(shop, three, strategy):
    fill(shop, three.urls)
    shop.scrape(through(proxies=Proxies(strategy=strategy)), TARGETS, concurrency=1)
    used = {proxy.name: len(proxy.log) for proxy in three if proxy.log}
    assert sum(used.values()) == 61  # robots.txt is fetched through one of them, too
    assert len(used) == (1 if strategy.startswith("sticky") else 3)


def test_a_dead_proxy_costs_no_attempt_and_is_blacklisted_for_all_sites(shop, web, three):
    fill(shop, three.urls)
    three[1].die()
    run, report = shop.scrape(through(retries=0), TARGETS, pool=PoolPolicy(threshold=3))
    assert report.completed == 60
    assert report.failed == 0
    rows = shop.store.proxies.find()
    assert [row.state for row in rows] == ["usable", "blacklisted", "usable"]
    assert rows[1].faults["proxy"] >= 3
    assert "direct" not in vias(shop, run)


def test_a_block_is_one_of_the_proxy_and_the_lane_goes_on(shop, three):
    fill(shop, three.urls)
    three[0].ban(HOST, status=429)
    run, report = shop.scrape(through(), TARGETS, pool=PoolPolicy(threshold=2))
    assert report.completed == 60
    assert set(vias(shop, run)) == {"1.1 proxy-1", "1.1 proxy-2"}
    lane = shop.store.lanes.get(HOST)
    assert (lane.strikes, lane.cool_until) == (0, None)
    (row, *_) = shop.store.proxies.find()
    assert (row.state, row.banned) == (ProxyState.USABLE, 1)
    assert row.faults["banned"] == len([one for one in three[0].log if one.verdict == "banned"])


def test_a_page_that_the_scraper_calls_a_block_is_a_block_of_its_proxy(shop, web, three):
    web.routes["/0"] = lambda asked: "captcha" if "proxy-0" in asked.headers[VIA] else "fine"

    @scraper(proxies=True, rate="none", in_flight=None, retries=0)
    async def careful(ctx, url):
        if "captcha" in (page := await ctx.get(url)).text:
            raise Blocked("a captcha")
        return {"via": page.text}

    fill(shop, three.urls)
    targets = [f"http://{HOST}/0?{number}" for number in range(30)]
    _, report = shop.scrape(careful, targets, pool=PoolPolicy(threshold=2), concurrency=2)
    assert report.completed == 30
    (row, *_) = shop.store.proxies.find()
    assert row.banned == 1
    assert 2 <= row.faults["banned"] <= 4


def test_a_proxy_that_refuses_our_login_is_out(shop, web):
    with LocalProxies(2, hosts={HOST: web.url}, login="me:s3cret") as proxies:
        fill(shop, [proxies[0].url.replace("s3cret", "wr0ng"), proxies[1].url])
        _, report = shop.scrape(through(retries=0), TARGETS, pool=PoolPolicy(threshold=2))
    assert report.completed == 60
    first, _ = shop.store.proxies.find()
    assert first.state == "blacklisted"
    assert "407" in first.last_error
    assert "wr0ng" not in first.last_error


@pytest.mark.slow
def test_after_its_time_one_probe_decides_and_the_proxy_returns(shop, web, three):
    fill(shop, three.urls)
    three[0].ban(HOST, status=429)
    pages = through()
    run = shop.run(pages, TARGETS[:20])
    working = shop.start(pages, pool=QUICK, forever=True)
    wait_until(lambda: shop.counts(run) == {"completed": 20})
    banned = len(three[0].log)
    three[0].unban(HOST)
    wait_until(lambda: shop.store.proxies.get(1).sites[0].state == "probing")
    shop.enqueue(run, pages, [f"http://{HOST}/{number}" for number in range(100, 160)])
    wait_until(lambda: shop.counts(run) == {"completed": 80})
    wait_until(lambda: shop.store.proxies.get(1).sites[0].state == "usable")
    assert len(three[0].log) > banned
    working.stop()


@pytest.mark.slow
def test_a_failed_probe_keeps_it_out(shop, three):
    fill(shop, three.urls[:2])
    three[0].ban(HOST, status=429)
    pages = through()
    run = shop.run(pages, TARGETS)
    shop.start(pages, run=run, pool=QUICK, concurrency=2).report()
    shop.enqueue(run, pages, [f"http://{HOST}/{number}" for number in range(100, 110)])
    wait_until(lambda: shop.store.proxies.get(1).sites[0].state == "probing")
    before = len(three[0].log)
    shop.start(pages, run=run, pool=QUICK, concurrency=1).report()
    assert len(three[0].log) == before + 1
    assert shop.store.proxies.get(1).sites[0].blacklistings == 2


@pytest.mark.slow
def test_without_a_proxy_nothing_is_claimed_and_the_worker_says_why(shop, web):
    pages = through()
    run = shop.run(pages, 0)
    shop.enqueue(run, pages, [f"http://{HOST}/{number}" for number in range(1000)])
    working = shop.start(pages, run=run, concurrency=20)
    trouble = wait_until(lambda: _trouble(shop))
    assert trouble == "the pool has no proxies; import some with `swather proxies import FILE`"
    wait_until(lambda: shop.counts(run) == {"ready": 1000})
    wait_until(lambda: _said(shop, "released"))
    assert _said(shop, "released") <= 60
    with LocalProxies(1, hosts={HOST: web.url}) as proxies:
        fill(shop, proxies.urls)
        wait_until(lambda: shop.store.runs.counts(run).completed > 10)
        wait_until(lambda: not _trouble(shop))
        working.stop()


def _said(shop: Shop, name: str):
    """What the worker says of itself."""
    return next((found.statistics.get(name) for found in shop.store.workers.find()), None)


def _trouble(shop: Shop) -> str:
    return _said(shop, "trouble") or ""


def test_a_lane_for_which_all_are_out_cools_down_and_says_so(shop, three):
    fill(shop, three.urls)
    for proxy in three:
        proxy.ban(HOST, status=429, retry_after_seconds=600)
    pages = through()
    run = shop.run(pages, TARGETS)
    working = shop.start(pages, run=run)
    wait_until(lambda: "all 3 proxies" in shop.store.lanes.get(HOST).cool_reason)
    reason = shop.store.lanes.get(HOST).cool_reason
    assert not shop.counts(run).get("failed")
    assert reason.startswith(f"all 3 proxies are out for {HOST}; the first returns in ")
    working.stop()
    assert shop.counts(run)["ready"] + shop.counts(run).get("scheduled", 0) == 60
    assert all(len(proxy.log) < 20 for proxy in three)


def test_a_target_does_not_go_through_the_same_proxy_again(shop, web, three):
    fill(shop, three.urls)
    for proxy in three[:2]:
        proxy.ban(HOST, status=403)
    _, report = shop.scrape(through(retries=0), TARGETS[:1], concurrency=1)
    assert report.completed == 1
    assert all(len([p for p in proxy.log if p.path == "/0"]) <= 1 for proxy in three)


def test_only_proxies_with_the_tags_are_used(shop, three):
    fill(shop, three.urls[:2], source="a", fields="tags=eu country=de")
    fill(shop, three.urls[2:], source="b", fields="tags=us")
    run, _ = shop.scrape(through(proxies=Proxies(tags=("eu",), country="de")), TARGETS[:20])
    assert set(vias(shop, run)) == {"1.1 proxy-0", "1.1 proxy-1"}


def test_two_scrapers_of_a_worker_choose_each_in_its_way(shop, three):
    fill(shop, three.urls)
    turns = through(name="turns")
    sticky = through(name="sticky", proxies=Proxies(strategy="sticky_worker"))
    runs = [shop.run(each, TARGETS[:30]) for each in (turns, sticky)]
    working = shop.start(turns, sticky, forever=True)
    wait_until(lambda: [shop.counts(run) for run in runs] == [{"completed": 30}] * 2)
    working.stop()
    assert len(set(vias(shop, runs[0]))) == 3
    assert len(set(vias(shop, runs[1]))) == 1


def test_one_proxy_serves_a_whole_attempt_if_that_is_asked_for(shop, three):
    @scraper(proxies=Proxies(rotation="target"), rate="none", in_flight=None)
    async def twice(ctx, url):
        return {"via": [(await ctx.get(f"/{number}")).text for number in range(4)]}

    fill(shop, three.urls)
    run, _ = shop.scrape(twice, TARGETS[:12])
    used = vias(shop, run)
    assert all(len(set(each)) == 1 for each in used)
    assert len({each[0] for each in used}) == 3


def test_a_named_proxy_wins_for_its_request(shop, web, three):
    fill(shop, three.urls[:2])

    @scraper(proxies=True, rate="none")
    async def named(ctx, url):
        return {"via": (await ctx.get(url, proxy=three.urls[2])).text}

    run, _ = shop.scrape(named, TARGETS[:5])
    assert set(vias(shop, run)) == {"1.1 proxy-2"}


@pytest.mark.parametrize("isolation", ["thread", pytest.param("process", marks=pytest.mark.slow)])
def test_plain_scrapers_and_those_in_a_child_leave_through_the_pool_too(shop, three, isolation):
    fill(shop, three.urls)
    plain = pool_scrapers.in_thread if isolation == "thread" else pool_scrapers.in_process
    run, report = shop.scrape(plain, TARGETS[:6])
    assert report.completed == 6
    assert all(text.startswith("1.1 proxy-") for text in vias(shop, run))


@pytest.mark.slow
def test_a_rate_holds_for_each_proxy(shop, three):
    fill(shop, three.urls)
    pages = through(rate="2/s")
    run = shop.run(pages, TARGETS[:40], lane_limits=Limits(0.5))
    working = shop.start(pages, forever=True)
    wait_until(lambda: shop.store.runs.get(run).egresses == 3)
    wait_until(lambda: sum(len(proxy.log) for proxy in three) >= 20)
    working.stop()
    for proxy in three:
        times = [one.at for one in proxy.log]
        gaps = sorted(later - earlier for earlier, later in pairwise(times))
        assert gaps[0] > 0.4


def test_so_does_the_number_in_flight(shop, three):
    fill(shop, three.urls)
    pages = through()
    run = shop.run(pages, TARGETS[:6], lane_limits=Limits(in_flight=1))
    working = shop.start(pages, forever=True)
    wait_until(lambda: shop.store.runs.get(run).egresses == 3)
    working.stop()


def test_a_worker_leases_proxies_for_itself_and_warns_if_there_are_fewer(shop, three, caplog):
    fill(shop, three.urls)
    pages = through(proxies=Proxies(per_worker=2))
    run = shop.run(pages, TARGETS)
    first = shop.start(pages, forever=True)
    wait_until(lambda: shop.counts(run) == {"completed": 60})
    assert len({proxy.name for proxy in three if proxy.log}) == 2
    assert sum(row.worker_id is not None for row in shop.store.proxies.find()) == 2
    second = shop.start(pages, forever=True)
    shop.enqueue(run, pages, [f"http://{HOST}/{number}" for number in range(100, 200)])
    wait_until(lambda: "and 1 were free" in caplog.text)
    first.stop()
    wait_until(lambda: shop.counts(run) == {"completed": 160})
    second.stop()
    assert [row.worker_id for row in shop.store.proxies.find()] == [None] * 3


def test_a_robots_file_that_one_proxy_cannot_get_is_got_through_another(shop, three):
    fill(shop, three.urls)
    for proxy in three[:2]:
        proxy.ban(HOST, status=429, retry_after_seconds=600)
    run, report = shop.scrape(through(retries=0), TARGETS[:10])
    assert report.completed == 10
    assert set(vias(shop, run)) == {"1.1 proxy-2"}
    assert shop.store.robots.get(f"http://{HOST}").status == 404


def test_a_scraper_without_lanes_is_served_too(shop, three):
    fill(shop, three.urls)
    three[0].ban(status=429, retry_after_seconds=600)
    run, report = shop.scrape(through(lane=lambda _: None), TARGETS[:20])
    assert report.completed == 20
    assert set(vias(shop, run)) == {"1.1 proxy-1", "1.1 proxy-2"}


def test_cookies_of_a_proxy_go_through_it_alone(shop, web, three):
    web.routes["/login"] = lambda asked: Answer(headers={"Set-Cookie": f"who={via(asked)[-1]}"})
    web.routes["/me"] = lambda asked: f"{via(asked)[-1]} {asked.headers.get('cookie')}"

    @scraper(proxies=True, session="proxy", rate="none")
    async def members(ctx, url):
        await ctx.post("/login", data={"user": "me"})
        return {"via": (await ctx.get("/me")).text}

    fill(shop, three.urls)
    run, report = shop.scrape(members, TARGETS[:12], concurrency=4)
    assert report.completed == 12
    assert set(vias(shop, run)) <= {f"{number} who={number}" for number in range(3)}
    assert len(set(vias(shop, run))) > 1
