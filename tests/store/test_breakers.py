"""A breaker lets single tasks of one scraper on one lane through, until it is closed."""

import time
from datetime import timedelta
from itertools import pairwise

import pytest

from swather.errors import InputError
from swather.model.lane import PacedKind
from swather.model.lease import Strategy
from swather.model.pacing import Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    released,
    retry_after,
    targets,
)
from tests.store.threads import together

SEEN = {"statuses": {"503": 19}, "of": 20}


def trip(store: Store, lane: str = "site", scraper: str = "books", seconds: float = 100.0) -> None:
    store.breakers.trip(scraper, lane, seen=SEEN, probe_seconds=seconds)


def broken(store: Store, lane: str = "site", **fields) -> int:
    """A run of 20 tasks whose scraper's breaker is open, and a worker for it."""
    a_run(store, 20, lane=lane, **fields)
    trip(store, lane)
    return a_worker(store, lease_seconds=100_000)


LANES = pytest.mark.parametrize("lane", ["site", ""], ids=["a lane", "no lane"])


def test_an_open_breaker_says_what_was_seen(store: Store, other: Store):
    trip(store)
    (found,) = other.breakers.find()
    assert (found.scraper, found.lane, found.seen) == ("books", "site", SEEN)
    assert found.probe_seconds == 100.0
    assert found.probe_at - found.opened_at == timedelta(seconds=100)


def test_breakers_are_found_by_scraper_and_lane(store: Store):
    for scraper, lane in (("a", "x"), ("a", "y"), ("b", "x"), ("b", "")):
        trip(store, lane, scraper)

    def found(**which):
        return sorted((b.scraper, b.lane) for b in store.breakers.find(**which))

    assert len(found()) == 4
    assert found(scraper="a") == [("a", "x"), ("a", "y")]
    assert found(lane="x") == [("a", "x"), ("b", "x")]
    assert found(lane="") == [("b", "")]
    assert found(scraper="b", lane="y") == []


@LANES
def test_one_task_starts_per_interval(store: Store, clock: Clock, lane):
    worker = broken(store, lane)
    assert claim(store, worker, 10) == []
    assert retry_after(store, worker, 10) == pytest.approx(100, abs=5)
    clock.advance(101)
    (probe,) = claim(store, worker, 10)
    assert claim(store, worker, 10) == []
    finish(store, failed(probe))
    assert claim(store, worker, 10) == []
    clock.advance(101)
    assert len(claim(store, worker, 10)) == 1


@LANES
def test_one_probe_is_in_flight_at_a_time(store: Store, clock: Clock, lane):
    worker = broken(store, lane)
    clock.advance(101)
    (probe,) = claim(store, worker, 10)
    clock.advance(500)
    assert claim(store, worker, 10) == []
    finish(store, released(probe))
    clock.advance(2)
    assert len(claim(store, worker, 10)) == 1


def test_what_was_in_flight_when_it_opened_is_waited_for(store: Store, clock: Clock):
    a_run(store, 20, lane="site")
    worker = a_worker(store, lease_seconds=100_000)
    running = claim(store, worker, 3)
    trip(store)
    clock.advance(101)
    assert claim(store, worker, 10) == []
    finish(store, *(failed(lease) for lease in running))
    assert len(claim(store, worker, 10)) == 1


@LANES
def test_a_closed_breaker_holds_nothing_back(store: Store, clock: Clock, lane):
    worker = broken(store, lane)
    clock.advance(101)
    (probe,) = claim(store, worker, 10)
    finish(store, completed(probe))
    assert claim(store, worker, 10) == []
    assert store.breakers.close("books", lane)
    assert not store.breakers.close("books", lane)
    assert store.breakers.find() == []
    assert len(claim(store, worker, 10)) == 10
    assert store.upkeep.check() == []


def test_a_failed_probe_puts_the_next_one_further_off(store: Store, clock: Clock):
    worker = broken(store)
    clock.advance(101)
    (probe,) = claim(store, worker, 10)
    finish(store, failed(probe))
    trip(store, seconds=200.0)
    (found,) = store.breakers.find()
    assert found.probe_seconds == 200.0
    clock.advance(150)
    assert claim(store, worker, 10) == []
    clock.advance(51)
    assert len(claim(store, worker, 10)) == 1


def test_late_failures_never_bring_a_probe_nearer(store: Store, clock: Clock):
    trip(store, seconds=500.0)
    opened = store.breakers.find()[0]
    clock.advance(10)
    trip(store, seconds=60.0)
    (found,) = store.breakers.find()
    assert (found.opened_at, found.probe_seconds) == (opened.opened_at, 500.0)
    assert found.probe_at >= opened.probe_at


def test_other_scrapers_and_other_lanes_go_on(store: Store):
    worker = broken(store)
    others = a_run(store, 5, lane="site", scraper="films")
    run = a_run(store, 5, lane="elsewhere", scraper="books")
    store.tasks.enqueue(run, targets(["x", "y"]))
    taken = [(lease.run_id, lease.lane) for lease in claim(store, worker, 50)]
    mine, theirs = store.runs.get(run).id, store.runs.get(others).id
    assert sorted(taken) == sorted(
        [(mine, "elsewhere")] * 5 + [(mine, "")] * 2 + [(theirs, "site")] * 5
    )


def test_all_runs_of_a_scraper_share_the_probe(store: Store, clock: Clock):
    worker = broken(store)
    a_run(store, 5, lane="site", scraper="books")
    clock.advance(101)
    assert len(claim(store, worker, 50)) == 1
    assert claim(store, worker, 50) == []


def test_a_run_begun_while_it_is_open_is_held_back_too(store: Store):
    trip(store)
    a_run(store, 5, lane="site", scraper="books")
    assert claim(store, a_worker(store), 5) == []


@pytest.mark.parametrize("limits", [Limits(in_flight=5), Limits(1.0, 5), Limits(1.0, 5, 5)])
def test_the_lanes_own_limits_hold_as_well(store: Store, clock: Clock, limits):
    worker = broken(store)
    a_run(store, 20, lane="site", scraper="films")
    store.lanes.limit("site", limits)
    films = claim(store, worker, 50)
    assert len(films) == 5
    assert claim(store, worker, 50, scrapers=("books",)) == []
    finish(store, *(completed(lease) for lease in films))
    clock.advance(101)
    assert len(claim(store, worker, 50, scrapers=("books",))) == 1
    assert store.breakers.close("books", "site")
    assert len(claim(store, worker, 50, scrapers=("books",))) == 4


@pytest.mark.parametrize("limits", [Limits(in_flight=3), Limits(2.0, 3)])
def test_the_runs_limits_hold_as_well(store: Store, clock: Clock, limits):
    worker = broken(store, lane_limits=limits)
    assert claim(store, worker, 50) == []
    clock.advance(101)
    (probe,) = claim(store, worker, 50)
    finish(store, completed(probe))
    store.breakers.close("books", "site")
    clock.advance(10)
    assert len(claim(store, worker, 50)) == 3


def test_the_scrapers_limit_holds_as_well(store: Store, clock: Clock):
    worker = broken(store)
    store.lanes.limit("books", Limits(in_flight=2), PacedKind.SCRAPER)
    run = a_run(store, 5, lane="elsewhere", scraper="books")
    assert len(claim(store, worker, 50, runs=(run,))) == 2
    clock.advance(101)
    assert claim(store, worker, 50) == []


@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_strategy_probes_once(store: Store, clock: Clock, strategy):
    run = a_run(store, strategy=strategy)
    store.tasks.enqueue(
        run, [target for p in (3, 7) for target in targets([p, -p], lane="site", priority=p)]
    )
    worker = a_worker(store, lease_seconds=100_000)
    trip(store)
    clock.advance(101)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    store.breakers.close("books", "site")
    assert len(claim(store, worker, 10)) == 3


def test_clearing_a_lane_closes_its_breakers(store: Store):
    worker = broken(store)
    trip(store, scraper="films")
    trip(store, lane="elsewhere")
    store.lanes.clear("site")
    assert [(b.scraper, b.lane) for b in store.breakers.find()] == [("books", "elsewhere")]
    assert len(claim(store, worker, 10)) == 10
    assert store.upkeep.check() == []


def test_clearing_a_scraper_closes_its_breakers(store: Store):
    worker = broken(store)
    trip(store, scraper="films")
    trip(store, lane="")
    store.lanes.clear("books", PacedKind.SCRAPER)
    assert [(b.scraper, b.lane) for b in store.breakers.find()] == [("films", "site")]
    assert len(claim(store, worker, 10)) == 10
    assert store.upkeep.check() == []


def test_permits_do_not_wait_for_a_breaker(store: Store, clock: Clock):
    worker = broken(store)
    clock.advance(101)
    (probe,) = claim(store, worker)
    assert store.queue.permits(probe.fence, "site", 3).granted == 3


def test_a_tripped_lane_is_listed(store: Store):
    trip(store)
    trip(store, lane="")
    assert [lane.name for lane in store.lanes.find()] == ["site"]


def test_workers_notice_when_a_breaker_opens_and_closes(store: Store):
    versions = [store.settings.control_version()]
    for change in (
        lambda: trip(store),
        lambda: trip(store),
        lambda: trip(store, scraper="films"),
        lambda: store.breakers.close("books", "site"),
        lambda: store.breakers.close("books", "site"),
    ):
        change()
        versions.append(store.settings.control_version())
    rises = [after > before for before, after in pairwise(versions)]
    assert rises == [True, False, True, True, False]


@pytest.mark.parametrize("limits", [Limits(), Limits(in_flight=9), Limits(1.0, 9)])
def test_a_breaker_tripped_elsewhere_holds_at_once(store: Store, other: Store, limits):
    a_run(store, 20, lane="site", lane_limits=limits)
    worker = a_worker(store)
    assert len(claim(store, worker, 2)) == 2
    trip(other)
    assert claim(store, worker, 2) == []
    other.breakers.close("books", "site")
    assert len(claim(store, worker, 2)) == 2


def test_a_lane_that_forgot_its_breaker_is_found_out(store: Store, database: Database):
    trip(store)
    assert store.upkeep.check() == []
    database.execute("DELETE FROM breakers")
    assert any("breaker" in line for line in store.upkeep.check())


def test_what_makes_no_sense_is_refused(store: Store):
    with pytest.raises(InputError, match="scraper"):
        trip(store, scraper="")
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="probe_seconds"):
            trip(store, seconds=seconds)


@pytest.mark.slow
@LANES
def test_eight_claimers_probe_one_at_a_time(store: Store, lane):
    """A probe every half second, for three seconds, each finished at once."""
    a_run(store, 200, lane=lane)
    trip(store, lane, seconds=0.5)
    until = time.monotonic() + 3.2

    def work(mine: Store, worker: int) -> list[int]:
        taken = []
        while time.monotonic() < until:
            leases = claim(mine, worker, 5)
            assert len(leases) <= 1
            finish(mine, *(failed(lease) for lease in leases))
            taken += [lease.task_id for lease in leases]
        return taken

    taken = together(store, work)
    assert len(taken) == len(set(taken))
    assert 2 <= len(taken) <= 7


def test_a_breaker_says_for_how_long_it_has_been_open(store: Store, clock: Clock):
    trip(store)
    clock.advance(600)
    (found,) = store.breakers.find()
    assert 590 < found.open_seconds < 660
