"""Eight worker processes against one server: what sites are promised holds over all of them."""

import itertools
import os
import time
from collections.abc import Iterable

import pytest

from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from tests.process.counting import FINE, Answer, CountingSite, most_in
from tests.process.given import Yard
from tests.worker.given import wait_until

PROCESSES = 8
# Half a minute shows it better, and is not for every day.
SECONDS = float(os.environ.get("SWATHER_TEST_PACE_SECONDS", "5"))
RATE = 20
FIRST, SECOND = "127.0.0.1", "127.0.0.2"
PACED = Limits(1 / RATE, 1, 8)
# On a busy machine a request arrives late, and the next one in time.
LATE_SECONDS = 0.5

pytestmark = pytest.mark.timeout(120 + 4 * SECONDS)


@pytest.fixture
def site():
    with CountingSite(FIRST, SECOND) as opened:
        yield opened


def begin(
    yard: Yard,
    site: CountingSite,
    scraper: str,
    paths: Iterable[tuple[str, str]],
    limits: Limits = NO_LIMITS,
    processes: int = PROCESSES,
) -> str:
    """A run of these (host, path) on which so many workers begin together."""
    run = yard.store.runs.create(NewRun(scraper=scraper, lane_limits=limits)).name
    yard.store.runs.pause(run)
    targets = [
        Target(value={"n": n, "url": f"http://{site.lane(host)}{path}"}, lane=site.lane(host))
        for n, (host, path) in enumerate(paths)
    ]
    yard.store.tasks.enqueue(run, targets)
    for _ in range(processes):
        yard.start(run, scraper, concurrency=10)
    wait_until(lambda: len(yard.store.workers.find()) == processes, 60)
    yard.store.runs.unpause(run)
    wait_until(lambda: site.arrivals)
    return run


def both_hosts(count: int = 10_000) -> Iterable[tuple[str, str]]:
    return itertools.product((FIRST, SECOND), (f"/{number}" for number in range(count)))


def test_a_rate_holds_over_all_requests_of_all_processes(either_yard: Yard, site: CountingSite):
    begin(either_yard, site, "three", [(FIRST, f"/{n}") for n in range(10_000)], PACED)
    time.sleep(SECONDS)
    arrivals = site.of(FIRST)
    assert most_in(arrivals) <= PACED.burst + RATE * (1 + LATE_SECONDS)
    assert len(arrivals) > RATE * SECONDS / 2
    assert {one.path[1] for one in arrivals} >= {"a", "b", "c"}


def test_a_site_that_refuses_one_is_left_alone_by_all_and_others_are_not_slowed(
    either_yard: Yard, site: CountingSite
):
    refused: list[float] = []

    def answer(host: str, path: str) -> Answer:
        if host == FIRST and path[1] == "b" and not refused and len(site.arrivals) > 60:
            refused.append(time.monotonic())
            return 429, {"Retry-After": "3"}, b"go away"
        return FINE

    site.answer = answer
    begin(either_yard, site, "three", both_hosts(), PACED)
    wait_until(lambda: refused)
    at = refused[0]
    wait_until(lambda: site.of(FIRST, since=at + 3), 20)
    during = [one for one in site.of(FIRST, since=at + 1) if one.at < at + 3]
    assert during == []
    elsewhere = [one for one in site.of(SECOND, since=at) if one.at < at + 3]
    # A third of what it may have: a busy machine does not get to all of it.
    assert len(elsewhere) > RATE
    assert either_yard.store.lanes.get(site.lane(FIRST)).strikes == 1


def test_a_crawl_delay_holds_over_all_processes(either_yard: Yard, site: CountingSite):
    def answer(_host: str, path: str) -> Answer:
        return (200, {}, b"User-agent: *\nCrawl-delay: 0.4") if path == "/robots.txt" else FINE

    site.answer = answer
    begin(either_yard, site, "one", [(FIRST, f"/{n}") for n in range(1_000)])
    wait_until(lambda: len(site.of(FIRST)) > 2 * SECONDS, 12 * SECONDS)
    times = [one.at for one in site.of(FIRST) if one.path != "/robots.txt"]
    # Requests may arrive late by so much, but not by more with each. Eight that kept to it each for
    # itself would be ahead by nearly all the time.
    early = [
        0.4 * (later - sooner) - (times[later] - times[sooner])
        for sooner, later in itertools.combinations(range(len(times)), 2)
    ]
    assert max(early) < 2 * LATE_SECONDS


def test_what_is_disallowed_is_asked_for_by_none_of_them(either_yard: Yard, site: CountingSite):
    def answer(_host: str, path: str) -> Answer:
        return (200, {}, b"User-agent: *\nDisallow: /private") if path == "/robots.txt" else FINE

    site.answer = answer
    paths = [(FIRST, f"/{kind}/{n}") for n in range(200) for kind in ("open", "private")]
    run = begin(either_yard, site, "one", paths)
    wait_until(lambda: either_yard.counts(run) == {"completed": 200, "failed": 200}, 60)
    assert not [one for one in site.arrivals if one.path.startswith("/private")]
    reasons = either_yard.store.runs.counts(run).reasons
    assert reasons == {"ok": 200, "robots": 200}
    failed = TaskFilter(run=run, reasons=frozenset({"robots"}))
    assert "robots.txt" in either_yard.store.tasks.find(failed, limit=1)[0].error


def test_a_robots_txt_is_asked_for_by_one_of_them(either_yard: Yard, site: CountingSite):
    def answer(_host: str, path: str) -> Answer:
        if path == "/robots.txt":
            time.sleep(1)  # so that both want it before the first has it
            return 200, {}, b"User-agent: *\nDisallow: /private"
        return FINE

    site.answer = answer
    paths = [(FIRST, f"/{n}") for n in range(200)]
    run = begin(either_yard, site, "one", paths, processes=2)
    wait_until(lambda: either_yard.counts(run) == {"completed": 200}, 60)
    assert [one.path for one in site.arrivals].count("/robots.txt") == 1


SHARERS = 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits",
    [(Limits(0.25, 4), Limits(1 / 20)), (Limits(60.0, 5), Limits(0.5, 5))],
    ids=["quick", "slow"],
)
def test_two_runs_on_one_host_keep_to_the_strictest_of_their_limits(
    either_yard: Yard, site: CountingSite, limits: tuple[Limits, Limits]
):
    store, lane = either_yard.store, site.lane(FIRST)
    for number, own in enumerate(limits):
        run = store.runs.create(NewRun(scraper="three", lane_limits=own)).name
        urls = [{"n": n, "url": f"http://{lane}/{number}-{n}"} for n in range(2_000)]
        store.tasks.enqueue(run, [Target(value=url, lane=lane) for url in urls])
        store.lanes.pause(lane)
        for _ in range(SHARERS // 2):
            either_yard.start(run, "three", concurrency=10)
    both = strictest(*limits)
    wait_until(lambda: len(store.workers.find()) == SHARERS, 60)
    # A run's limits hold from when somebody looks for work in it.
    wait_until(lambda: store.lanes.get(lane).run_limits == both, 60)
    store.lanes.unpause(lane)
    wait_until(lambda: site.arrivals, 60)
    time.sleep(2 * SECONDS)
    arrivals = site.of(FIRST)
    for window in (1.0, SECONDS):
        most = both.burst + (window + LATE_SECONDS) / both.every_seconds
        assert most_in(arrivals, window) <= most
    assert len(arrivals) >= int(SECONDS / both.every_seconds / 2)


REDIRECTED = tuple(f"127.0.1.{number}" for number in range(1, 41))


@pytest.mark.slow
def test_hosts_that_redirect_to_one_make_no_more_requests_there_than_may_be_in_flight(
    either_yard: Yard,
):
    with CountingSite(FIRST, *REDIRECTED) as site:
        site.seconds_to_answer = 0.05

        def answer(host: str, path: str) -> Answer:
            if host == FIRST or path == "/robots.txt":
                return FINE
            return 302, {"Location": f"http://{site.lane(FIRST)}{path}"}, b""

        site.answer = answer
        rounds = max(2, int(SECONDS))
        run = either_yard.store.runs.create(
            NewRun(scraper="one", lane_limits=Limits(in_flight=4))
        ).name
        hosts = [FIRST, *REDIRECTED]
        targets = [(host, f"/{n}") for n in range(rounds) for host in hosts]
        either_yard.store.tasks.enqueue(
            run,
            [
                Target(
                    value={"n": n, "url": f"http://{site.lane(host)}{path}"}, lane=site.lane(host)
                )
                for n, (host, path) in enumerate(targets)
            ],
        )
        for _ in range(SHARERS):
            either_yard.start(run, "one", concurrency=10)
        wait_until(lambda: either_yard.counts(run) == {"completed": len(targets)}, 60 + 4 * SECONDS)
        assert site.most_at_once[FIRST] <= 4
        assert len([one for one in site.of(FIRST) if one.path != "/robots.txt"]) == len(targets)
        # The store is told of the last one a moment after its task has ended.
        wait_until(lambda: either_yard.store.lanes.get(site.lane(FIRST)).in_flight == 0, 30)
