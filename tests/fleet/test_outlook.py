"""What an estimate is made of, compared with how long the same work takes by the store's clock."""

from typing import Any

import pytest

import swather
from swather.fleet.outlook import outlook_of
from swather.model.estimate import Decides, Outlook, estimate
from swather.model.lane import PacedKind
from swather.model.lease import ClaimRequest
from swather.model.pacing import Limits
from swather.model.proxy_list import parse_proxies
from swather.runs.situation import Situation
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, completed, finish, retried, targets

SITE = "shop.example"


@swather.scraper(name="books", delay=(8.0, 20.0))
async def books(ctx: Any, target: Any) -> None: ...


def look(store: Store, *runs: str, scrapers: Any = (), **fields: Any) -> Outlook:
    situations = [Situation(store, store.runs.get(run), store.runs.counts(run)) for run in runs]
    given = {"workers": 2, "slots": 5, **fields}
    return outlook_of(situations, {each.name: each for each in scrapers}, **given)


def said(store: Store, run: str | None, **fields: Any) -> None:
    """A worker that has come and gone."""
    worker = a_worker(store)
    told = {"run": run, "attempts": 100, "average_seconds": 2.0, "requests": 300, **fields}
    store.workers.beat(worker, [], told)
    store.workers.retire(worker)


# So long that the time the test itself takes does not count.
@pytest.mark.slow
@pytest.mark.parametrize(
    "limits", [Limits(60.0), Limits(200.0, burst=3), Limits(30.0, in_flight=4)]
)
def test_a_paced_run_ends_when_its_estimate_says(store: Store, clock: Clock, limits: Limits):
    run = a_run(store, 20, lane=SITE, lane_limits=limits)
    expected = estimate(look(store, run))
    assert expected.decides is Decides.RATE
    assert expected.seconds == pytest.approx(drained_in(store, clock, run), rel=0.02)


def drained_in(store: Store, clock: Clock, run: str) -> float:
    """Claim whatever may start and complete it at once; by the clock of the store, which only
    moves to when the next may start.
    """
    worker = a_worker(store, lease_seconds=1e6)
    began = clock.offset_seconds
    while store.runs.counts(run).unfinished:
        claimed = store.queue.claim(ClaimRequest(worker_id=worker, count=10))
        if claimed.leases:
            finish(store, *(completed(lease) for lease in claimed.leases))
        else:
            assert claimed.retry_after_seconds is not None
            clock.advance(claimed.retry_after_seconds)
    return clock.offset_seconds - began


def test_all_lanes_of_a_run_are_looked_at(store: Store):
    run = a_run(store, lane_limits=Limits(1.0))
    for number in range(30):
        store.tasks.enqueue(run, targets([f"one {number}"], lane=f"site{number:02}.example"))
    store.tasks.enqueue(run, targets(10, lane="site29.example"))
    found = estimate(look(store, run))
    assert (found.name, found.seconds) == ("site29.example", pytest.approx(10.0))


def test_runs_on_one_lane_share_its_pace(store: Store):
    one = a_run(store, 100, lane=SITE, lane_limits=Limits(0.5))
    other = a_run(store, 50, lane=SITE, lane_limits=Limits(0.1))
    (lane,) = (work for work in look(store, one, other).paced if work.name == SITE)
    assert (lane.targets, lane.limits.every_seconds) == (150, 0.5)


def test_a_rate_is_for_each_proxy(store: Store):
    proxies, _ = parse_proxies([f"198.51.100.{number}:1" for number in range(1, 11)])
    store.proxies.load(proxies, source="list", replace=True)
    egress = {"egress": {"way_out": "pool"}}
    run = a_run(store, 100, lane=SITE, lane_limits=Limits(1.0), params={"_swather": egress})
    (lane,) = (work for work in look(store, run).paced if work.name == SITE)
    assert lane.limits.every_seconds == pytest.approx(0.1)
    store.proxies.disable(range(1, 11))
    assert estimate(look(store, run)).decides is Decides.PROXIES


def test_what_holds_a_run_is_in_its_outlook(store: Store):
    run = a_run(store, 100, lane=SITE)
    store.lanes.cool(SITE, 600.0, "HTTP 429")
    assert estimate(look(store, run)).decides is Decides.COOLING
    store.breakers.trip("books", SITE, seen={}, probe_seconds=30.0)
    assert estimate(look(store, run)).decides is Decides.BREAKER
    store.lanes.pause("books", PacedKind.SCRAPER)
    assert estimate(look(store, run)).decides is Decides.PAUSED


def test_the_delay_of_a_scraper_counts(store: Store):
    run = a_run(store, 100)
    assert estimate(look(store, run, scrapers=[books])).seconds == pytest.approx(140.0)


@pytest.mark.parametrize(
    ("worked_on", "found"),
    [
        ({"run": "this"}, 2.0),
        # Of the same scraper, while the run itself has shown nothing.
        ({"run": "earlier"}, 2.0),
        ({"run": "foreign"}, None),
        # Workers of all runs say what they have ended lately.
        ({"run": None, "recent": {"this": {}}}, 2.0),
        ({"run": None, "recent": {"this": {}, "foreign": {}}}, None),
        ({"run": "this", "attempts": 4}, None),
        ({"run": "this", "attempts": "many", "recent": []}, None),
    ],
)
def test_measured_are_workers_on_these_runs(
    store: Store, worked_on: dict[str, Any], found: float | None
):
    for name, scraper in (("this", "books"), ("earlier", "books"), ("foreign", "shops")):
        a_run(store, 10, name=name, scraper=scraper)
    said(store, **worked_on)
    measured = look(store, "this").measured
    assert (None if measured is None else measured.seconds) == found
    if measured is not None:
        assert measured.requests == 3.0


def test_only_some_of_the_targets_can_be_looked_at(store: Store):
    run = a_run(store, 100, lane=SITE, lane_limits=Limits(1.0))
    some = look(store, run, targets=20)
    assert estimate(some).seconds == pytest.approx(19.0)


def test_what_was_retried_is_expected_to_be_retried(store: Store):
    run = a_run(store, 10)
    said(store, run)
    one, two, _ = claim(store, a_worker(store), 3)
    finish(store, completed(one), completed(two))
    (again,) = claim(store, a_worker(store), 1)
    finish(store, retried(again))
    measured = look(store, run).measured
    assert measured is not None
    assert measured.attempts_per_target == 1.5
