"""History: what it shows is what happened, whoever took the samples and however long ago."""

from collections import Counter
from collections.abc import Iterable

import pytest

import swather.store
from swather.errors import InputError, NotFound
from swather.model.history import HistoryPoint, Measured, bucket_of
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, failed, finish, retried
from tests.store.processes import running
from tests.store.threads import together

HOUR = 3_600.0
DAY = 24 * HOUR
RATES = ("completed", "failed", "cancelled", "retried", "items")


def sums(points: Iterable[HistoryPoint]) -> dict[str, int]:
    """How many there were in all points together, without those of which there were none."""
    counted: Counter[str] = Counter()
    for point in points:
        for name in RATES:
            counted[name] += getattr(point, name) * point.seconds
        for name, rate in {**point.statuses, **point.classes}.items():
            counted[name] += rate * point.seconds
    return {name: round(n) for name, n in counted.items() if round(n, 6)}


def truth(store: Store, run: str) -> dict[str, int]:
    counts = store.runs.counts(run)
    numbers = {name: getattr(counts, name) for name in RATES if name != "retried"}
    return {name: n for name, n in {**numbers, "retried": counts.retries}.items() if n}


def work(store: Store, worker: int, run: str, count: int = 1) -> None:
    """Complete some tasks, with two items each."""
    finish(store, *(completed(lease, 1, 2) for lease in claim(store, worker, count, runs=(run,))))


def a_worked_run(store: Store, clock: Clock, samples: int = 10) -> str:
    """A task completes every five seconds, and each time a sample is taken."""
    run, worker = a_run(store, samples), a_worker(store, lease_seconds=10_000_000)
    for _ in range(samples):
        clock.advance(5)
        work(store, worker, run)
        assert store.history.sample()
    return run


def test_only_one_sample_is_taken_in_five_seconds(store: Store, clock: Clock):
    a_run(store, 1)
    for _ in range(2):
        taken = together(store, lambda mine, _: [mine.history.sample(), mine.history.sample()])
        assert sorted(taken) == [False] * 15 + [True]
        clock.advance(5)


@pytest.mark.slow
def test_processes_take_samples_in_turns(store: Store, database: Database):
    a_run(store, 1)
    program = "print(store.history.sample(), flush=True); sys.stdin.readline()"
    with running(database.url, program) as one, running(database.url, program) as two:
        assert sorted([one.line(), two.line()]) == ["False", "True"]
    assert not store.history.sample()


def test_the_sums_over_a_runs_life_are_its_counts(store: Store, clock: Clock):
    run, worker = a_run(store, 12), a_worker(store)
    for _ in range(3):
        clock.advance(4)
        one, two, three = claim(store, worker, 3, runs=(run,))
        finish(store, completed(one, "x"), failed(two), retried(three, 0))
        store.history.sample()
    store.tasks.cancel(TaskFilter(run=run))
    clock.advance(1)
    for points in (1, 7, 500):
        told = store.history.of_run(run, seconds=HOUR, points=points)
        assert len(told) == points
        assert sums(told) == truth(store, run) == {
            "completed": 3, "failed": 3, "cancelled": 6, "retried": 3, "items": 3
        }  # fmt: skip


def test_a_run_of_which_no_sample_was_taken_has_its_counts_too(store: Store, clock: Clock):
    run = a_run(store, 3)
    clock.advance(10)
    work(store, a_worker(store), run, 2)
    told = store.history.of_run(run, seconds=HOUR)
    assert sums(told) == {"completed": 2, "items": 4}
    assert (told[-1].ready, told[-1].leased) == (1, 0)


def test_what_happened_when_is_told(store: Store, clock: Clock):
    run, worker = a_run(store, 30), a_worker(store, lease_seconds=1_000)
    for count in (0, 20, 0, 10):
        if count:
            work(store, worker, run, count)
        clock.advance(60)
        store.history.sample()
    quarters = store.history.of_run(run, seconds=240, points=4)
    # A sample is taken at the end of each, a moment too late.
    assert [round(point.completed * 60) for point in quarters] == pytest.approx(
        [0, 20, 0, 10], abs=1
    )
    assert [point.ready for point in quarters][-1] == 0


def test_a_finished_runs_history_ends_with_it(store: Store, clock: Clock):
    run = a_worked_run(store, clock)
    assert store.runs.settle(run)
    finished_at = store.runs.get(run).finished_at
    clock.advance(5)
    store.history.sample()
    clock.advance(DAY)
    told = store.history.of_run(run, seconds=2 * DAY)
    assert abs((told[-1].at - finished_at).total_seconds()) < 1
    assert sums(told) == truth(store, run)


def test_history_survives_a_restart(database: Database, clock: Clock):
    first = swather.store.open(database.url, clock=clock)
    run = a_worked_run(first, clock)
    first.history.note(run, Measured(statuses={"200": 10}))
    before = first.history.of_run(run, seconds=50, points=5)
    first.close()
    second = swather.store.open(database.url, clock=clock)
    after = second.history.of_run(run, seconds=50, points=5)
    assert sums(after) == sums(before) == {**truth(second, run), "200": 10}
    assert not second.history.sample()
    second.close()


def test_overall_adds_up_all_runs(store: Store, clock: Clock):
    one, two = a_worked_run(store, clock, 3), a_worked_run(store, clock, 4)
    store.history.note(one, Measured(statuses={"200": 3}))
    store.history.note(two, Measured(statuses={"200": 4}))
    assert sums(store.history.overall(seconds=HOUR)) == {"completed": 7, "items": 14, "200": 7}
    store.runs.cancel(one)
    store.runs.remove(one)
    clock.advance(5)
    store.history.sample()
    assert sums(store.history.overall(seconds=HOUR)) == {"completed": 7, "items": 14, "200": 7}


def test_tasks_that_are_tried_again_end_twice(store: Store, clock: Clock):
    run, worker = a_worked_run(store, clock, 4), a_worker(store)
    assert store.tasks.retry(TaskFilter(run=run)) == 4
    clock.advance(5)
    store.history.sample()
    work(store, worker, run, 4)
    clock.advance(5)
    store.history.sample()
    assert store.runs.counts(run).completed == 4
    assert sums(store.history.of_run(run, seconds=HOUR))["completed"] == 8


def test_a_clock_that_is_set_back_makes_no_rate_negative(store: Store, clock: Clock):
    run = a_worked_run(store, clock, 3)
    clock.step_wall(-HOUR)
    clock.advance(5)
    store.history.sample()
    for point in (*store.history.of_run(run, seconds=DAY), *store.history.overall(seconds=DAY)):
        assert all(getattr(point, name) >= 0 for name in RATES)


def test_notes_of_several_workers_at_once_add_up(store: Store):
    run, other = a_run(store, 1), a_run(store, 1)
    measured = Measured(
        statuses={"200": 2, "503": 1}, latency={bucket_of(0.5): 2}, classes={"timeout": 1}
    )

    def tell(mine: Store, _worker: int) -> list[None]:
        return [mine.history.note(run, measured) for _ in range(5)]

    together(store, tell)
    assert sums(store.history.of_run(run, seconds=HOUR)) == {"200": 80, "503": 40, "timeout": 40}
    assert sums(store.history.overall(seconds=HOUR)) == {"200": 80, "503": 40, "timeout": 40}
    assert sums(store.history.of_run(other, seconds=HOUR)) == {}
    latencies = {
        (point.latency_p50, point.latency_p95) for point in store.history.of_run(run, seconds=HOUR)
    } - {(None, None)}
    ((p50, p95),) = latencies
    assert p50 == p95 == pytest.approx(0.5, rel=0.1)


def test_what_a_worker_tells_after_the_end_of_a_run_belongs_to_its_last_moment(
    store: Store, clock: Clock
):
    run = a_worked_run(store, clock, 3)
    assert store.runs.settle(run)
    clock.advance(90)
    store.history.note(run, Measured(statuses={"200": 3}))
    told = store.history.of_run(run, seconds=HOUR, points=10)
    assert sums(told) == {**truth(store, run), "200": 3}
    assert sums(told[-1:])["200"] == 3


def test_a_note_of_a_run_that_is_gone_is_dropped(store: Store):
    for name in ("never there", "NUL \0", ""):
        try:
            store.history.note(name, Measured(statuses={"200": 1}))
        except NotFound:
            assert "\0" in name
    assert sums(store.history.overall(seconds=HOUR)) == {}


@pytest.mark.slow
def test_old_history_is_thinned_to_a_sample_per_minute(
    store: Store, database: Database, clock: Clock
):
    run = a_worked_run(store, clock, 60)
    fine = count_rows(database, "history_samples")
    for _ in range(60):
        store.history.note(run, Measured(statuses={"200": 1}))
    assert not store.history.thin()
    assert count_rows(database, "history_samples") == fine >= 120
    clock.advance(HOUR + 180)
    store.history.sample()
    thin_all(store)
    # Five minutes of two series, each begun and ended in one.
    assert count_rows(database, "history_samples") <= 2 * 7 + 2
    told = store.history.of_run(run, seconds=DAY, points=100)
    assert sums(told) == {**truth(store, run), "200": 60} == {
        "completed": 60, "items": 120, "200": 60
    }  # fmt: skip


def test_measurements_of_a_day_ago_are_merged_and_nothing_is_lost(
    store: Store, database: Database, clock: Clock
):
    run = a_run(store, 1)
    for _ in range(40):
        store.history.note(run, Measured(statuses={"200": 3}, latency={7: 1}))
        clock.advance(30)
    minutes = count_rows(database, "measurements")
    clock.advance(DAY + 1_200)
    thin_all(store)
    assert count_rows(database, "measurements") <= minutes / 4
    assert sums(store.history.of_run(run, seconds=2 * DAY)) == {"200": 120}


def test_history_is_dropped_after_thirty_days(store: Store, database: Database, clock: Clock):
    run = a_worked_run(store, clock, 6)
    store.history.note(run, Measured(statuses={"200": 1}))
    clock.advance(29 * DAY)
    thin_all(store)
    assert count_rows(database, "history_samples") > 0
    assert count_rows(database, "measurements") == 2
    clock.advance(2 * DAY)
    thin_all(store)
    assert count_rows(database, "history_samples") == count_rows(database, "measurements") == 0
    # How it ended is still known.
    assert sums(store.history.of_run(run, seconds=60 * DAY))["completed"] == 6


def test_a_run_that_is_removed_takes_its_history_along(
    store: Store, database: Database, clock: Clock
):
    run = a_worked_run(store, clock, 2)
    store.history.note(run, Measured(statuses={"200": 1}))
    number = store.runs.get(run).id
    store.runs.settle(run)
    store.runs.remove(run)
    clock.advance(5)
    store.history.sample()
    for table in ("history_samples", "history_runs", "measurements"):
        assert count_rows(database, table, f"WHERE run_id = {number}") == 0
        assert count_rows(database, table) > 0
    with pytest.raises(NotFound):
        store.history.of_run(run, seconds=HOUR)


@pytest.mark.parametrize(("seconds", "points"), [(0, 10), (-1, 10), (60, 0), (60, 5_000)])
def test_an_impossible_window_is_refused(store: Store, seconds: float, points: int):
    run = a_run(store)
    with pytest.raises(InputError, match="must be"):
        store.history.of_run(run, seconds=seconds, points=points)
    with pytest.raises(InputError, match="must be"):
        store.history.overall(seconds=seconds, points=points)


def thin_all(store: Store) -> None:
    """A process that keeps asking comes to an end."""
    for _ in range(1_000):
        if not store.history.thin():
            return
    raise AssertionError("thin has no end")


def count_rows(database: Database, table: str, where: str = "") -> int:
    ((n,),) = database.rows(f"SELECT count(*) FROM {table} {where}")
    return n
