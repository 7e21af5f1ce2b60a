"""An estimate is what the limits and the recent rate allow, or it is unknown."""

from collections.abc import Callable
from typing import Any

import pytest

from swather.model.lane import PacedKind
from swather.model.pacing import Limits
from swather.runs.progress import Snapshot, Watcher
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, finish, retried, targets

LANE = "shop.example"
TASKS = 1_000


def a_busy_run(store: Store, **fields: Any) -> tuple[str, int]:
    """A run on one lane whose worker ends 100 targets a second, each in 0.05 s."""
    run = a_run(store, TASKS, lane=LANE, **fields)
    worker = a_worker(store, name="mill")
    tell(store, run, worker)
    return run, worker


def tell(store: Store, run: str, worker: int, **fields: Any) -> None:
    recent = {"ended": 3_000, "seconds": 30.0, "quiet_seconds": 0.0, **fields.pop("recent", {})}
    said = {
        "run": run,
        "slots": 10,
        "busy": 0,
        "running": {},
        "completed": 3_000,
        "average_seconds": 0.05,
        "recent": {run: recent},
        **fields,
    }
    store.workers.beat(worker, [], said)


def look(store: Store, run: str) -> Snapshot:
    return Watcher(store, run).snapshot()


def test_nothing_but_the_rate_decides(store: Store):
    run, _ = a_busy_run(store)
    snapshot = look(store, run)
    assert (snapshot.eta, snapshot.rate_per_second) == ("~10s", 100)


def test_full_slots_are_named(store: Store):
    run, worker = a_busy_run(store)
    tell(store, run, worker, busy=10, running={run: 10})
    assert look(store, run).eta == "~10s, limited by concurrency: 10 of 10 slots busy"


def limited(store: Store) -> None:
    store.lanes.limit(LANE, Limits(every_seconds=0.1))


def held_by_the_scraper(store: Store) -> None:
    store.lanes.limit("books", Limits(every_seconds=0.1), PacedKind.SCRAPER)


def asked_by_robots_txt(store: Store) -> None:
    store.lanes.set_crawl_delay(LANE, 0.1)


def cooling(store: Store) -> None:
    limited(store)
    store.lanes.cool(LANE, 60, "HTTP 429")


@pytest.mark.parametrize(
    ("change", "seconds", "named"),
    [
        (limited, 100, f"lane {LANE} at 10/s"),
        (held_by_the_scraper, 100, "scraper books at 10/s"),
        (asked_by_robots_txt, 100, f"lane {LANE} at 10/s"),
        (cooling, 160, f"lane {LANE}, cooling down for another "),
    ],
)
def test_a_limit_that_was_just_set_decides_at_once_and_is_named(
    store: Store, change: Callable[[Store], None], seconds: float, named: str
):
    run, _ = a_busy_run(store)
    change(store)
    snapshot = look(store, run)
    assert snapshot.eta_seconds == pytest.approx(seconds, rel=0.02)
    assert named in snapshot.limited_by


def test_a_limit_that_overrides_the_runs_own_decides(store: Store):
    run, worker = a_busy_run(store, lane_limits=Limits(every_seconds=1.0))
    claim(store, worker)
    assert look(store, run).limited_by == f"lane {LANE} at 1/s"
    store.lanes.limit(LANE, Limits(every_seconds=0.05), overrides=True)
    snapshot = look(store, run)
    assert snapshot.eta_seconds == pytest.approx(50, rel=0.02)
    assert snapshot.limited_by == f"lane {LANE} at 20/s"


def test_a_lane_is_named_that_several_runs_share(store: Store):
    """Each goes at a part of the lane's rate, so its own rate alone would name no limit."""
    limits = Limits(every_seconds=0.01)
    run, worker = a_busy_run(store, lane_limits=limits)
    other = a_run(store, TASKS, lane=LANE, lane_limits=limits)
    claim(store, worker, runs=(run,))
    claim(store, worker, runs=(other,))
    tell(store, run, worker, recent={"ended": 1_500})
    snapshot = look(store, run)
    assert snapshot.limited_by == f"lane {LANE} at 100/s, shared by 2 runs"
    assert snapshot.eta_seconds == pytest.approx(20, rel=0.02)
    tell(store, run, worker, recent={"ended": 600})
    assert look(store, run).limited_by == ""


def test_a_lane_that_cools_goes_on_as_before_afterwards(store: Store):
    run, worker = a_busy_run(store)
    store.lanes.cool(LANE, 60)
    tell(store, run, worker, recent={"quiet_seconds": 30.0})
    assert look(store, run).eta_seconds == pytest.approx(70, rel=0.02)


def test_the_slowest_of_several_lanes_decides(store: Store):
    run, _ = a_busy_run(store)
    store.tasks.enqueue(run, targets(["a", "b", "c", "d"], lane="slow.example"))
    store.lanes.limit("slow.example", Limits(every_seconds=30.0))
    snapshot = look(store, run)
    assert snapshot.eta_seconds == pytest.approx(120)
    assert snapshot.limited_by == "lane slow.example at 2/min"


def test_the_last_retry_decides(store: Store):
    run, worker = a_busy_run(store)
    (lease,) = claim(store, worker)
    finish(store, retried(lease, 500))
    snapshot = look(store, run)
    assert snapshot.eta_seconds == pytest.approx(500, rel=0.02)
    assert snapshot.limited_by == "the last task that waits to retry"


def test_a_retry_decides_nothing_while_others_are_ready_and_nothing_moves(store: Store):
    run, worker = a_busy_run(store)
    (lease,) = claim(store, worker, 1)
    finish(store, retried(lease, 5.0))
    tell(store, run, worker, recent={"ended": 0, "quiet_seconds": 60.0})
    assert look(store, run).eta == "unknown"


def run_paused(store: Store, run: str, worker: int) -> None:
    store.runs.pause(run)


def lane_paused(store: Store, run: str, worker: int) -> None:
    store.lanes.pause(LANE)


def worker_paused(store: Store, run: str, worker: int) -> None:
    store.workers.pause(worker)


def worker_gone(store: Store, run: str, worker: int) -> None:
    store.workers.retire(worker)


def breaker_open(store: Store, run: str, worker: int) -> None:
    store.breakers.trip("books", LANE, seen={}, probe_seconds=60.0)


def hung(store: Store, run: str, worker: int) -> None:
    leases = claim(store, worker, 2)
    current = [{"task": lease.task_id, "run": run, "seconds": 9.0} for lease in leases]
    told = {"run": run, "slots": 10, "busy": 2, "running": {run: 2}, "current": current}
    recent = {run: {"ended": 0, "seconds": 9.0, "quiet_seconds": 9.0}}
    store.workers.beat(worker, [lease.fence for lease in leases], {**told, "recent": recent})


@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (run_paused, "run_paused"),
        (lane_paused, "lane_paused"),
        (worker_paused, "workers_paused"),
        (worker_gone, "no_worker"),
        (breaker_open, "breaker_open"),
        (hung, "standstill"),
    ],
)
def test_what_nobody_knows_is_unknown_and_its_reason_is_told_with_a_command(
    store: Store, happens: Callable[[Store, str, int], None], code: str
):
    run, worker = a_busy_run(store)
    happens(store, run, worker)
    snapshot = look(store, run)
    assert snapshot.eta == "unknown"
    assert snapshot.stops[0].code == code
    assert snapshot.stops[0].command.startswith("swather ")


def test_whoever_starts_workers_does_not_ask_a_person_to_start_one(store: Store):
    run, worker = a_busy_run(store)
    watcher = Watcher(store, run, starts_workers=True, look_seconds=0)
    watcher.snapshot()
    worker_gone(store, run, worker)
    assert watcher.snapshot().stops == []
    starting = Watcher(store, run, starts_workers=True).snapshot()
    assert [reason.code for reason in starting.stops] == ["workers_starting"]
