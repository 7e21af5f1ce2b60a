"""Why says in words what holds a run or a task back."""

import re

import pytest

from swather.errors import InputError, NotFound
from swather.model.lane import PacedKind
from swather.model.pacing import AutoPace, CoolDownCurve, Limits
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.model.worker import Leaving
from swather.runs import transaction_words
from swather.runs.why import why
from swather.store import Store
from tests.store.database import Database
from tests.store.given import (
    a_fault,
    a_load,
    a_producer,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    targets,
)


def said(store: Store, what: str | int, **fields) -> str:
    return "\n".join(reason.sentence for reason in why(store, str(what), **fields))


def test_an_open_run_tells_how_far_it_is(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    finish(store, completed(*claim(store, worker)))
    text = said(store, run)
    assert f"Run {run} is open: 1 of 3 tasks done." in text
    assert "Nothing holds it back: 2 ready, 0 running on 1 worker." in text


def test_a_run_without_workers_tells_how_to_start_one(store: Store):
    run = a_run(store, 1)
    text = said(store, run)
    assert "No worker is running. To start one (SCRAPER is the file or module of 'books'): " in text
    assert f"swather worker SCRAPER --run {run} --db" in text


def test_a_paused_run_tells_how_to_go_on(store: Store):
    run = a_run(store, 1)
    store.runs.pause(run)
    assert f"The run is paused. To resume it: swather unpause {run}" in said(store, run)


def test_a_cooling_lane_tells_why(store: Store):
    run = a_run(store, 1, lane="example.com")
    store.lanes.cool("example.com", 120, "429")
    text = said(store, run)
    assert "Lane example.com is cooling down for another " in text
    assert " after 429. To end it now: swather lanes unpause example.com" in text


def test_a_site_that_has_refused_us_again_is_told(store: Store):
    run = a_run(store, 1, lane="example.com")
    curve = CoolDownCurve(base_seconds=0.0, jitter=0.0)
    for wait in (None, 300.0):
        store.lanes.strike("example.com", retry_after_seconds=wait, reason="HTTP 429", curve=curve)
    text = said(store, run)
    assert " after HTTP 429; the site has refused us 2 times in a row." in text


def test_a_crawl_delay_and_a_learned_pace_are_told(store: Store):
    run = a_run(store, 1, lane="example.com")
    store.lanes.set_crawl_delay("example.com", 10.0)
    asks = "Lane example.com is limited to 6/min: its robots.txt asks for a Crawl-delay of 10s."
    assert asks in said(store, run)
    policy = AutoPace(concurrency=1.0, max_seconds=60.0)
    for _ in range(8):
        store.lanes.adapt("example.com", latency_seconds=40.0, failed=False, policy=policy)
    assert ", a pace learned from how fast the site answers." in said(store, run)


def test_an_open_breaker_is_told(store: Store):
    run = a_run(store, 1, lane="example.com")
    seen = {"of": 20, "failed": 20, "statuses": {"200": 20}, "classes": {"permanent": 20}}
    store.breakers.trip("books", "example.com", seen=seen, probe_seconds=60.0)
    task = store.tasks.find(TaskFilter(run=run))[0].id
    for text in (said(store, run), said(store, task)):
        assert "The breaker of books on lane example.com has been open since " in text
        assert "20 of the last 20 attempts failed (HTTP 200: 20; permanent: 20)" in text
        assert "the scraper looks broken" in text


def test_a_breaker_of_another_scraper_or_lane_is_not_told(store: Store):
    run = a_run(store, 1, lane="example.com")
    store.breakers.trip("books", "elsewhere.com", seen={}, probe_seconds=60.0)
    store.breakers.trip("films", "example.com", seen={}, probe_seconds=60.0)
    assert "breaker" not in said(store, run)


def test_many_lanes_are_not_all_told(store: Store):
    run = a_run(store)
    store.tasks.enqueue(run, [Target(value=n, key=str(n), lane=f"{n}.com") for n in range(20)])
    for number in range(20):
        store.lanes.pause(f"{number}.com")
    text = said(store, run)
    assert text.count(" is paused. ") == 10
    assert "More than these 10 lanes are held back. To see them: swather lanes --db" in text


def test_a_lane_that_the_run_does_not_wait_for_is_not_told(store: Store):
    run = a_run(store, 1, lane="example.com")
    a_worker(store)
    store.lanes.pause("elsewhere.com")
    assert "elsewhere" not in said(store, run)


def test_the_default_rate_is_told_though_nothing_is_in_flight(store: Store):
    limits = Limits(every_seconds=0.2, public_only=True)
    run = a_run(store, 3, lane="shop.example", lane_limits=limits)
    a_worker(store)
    assert "Lane shop.example is limited to 5/s, the default for public hosts" in said(store, run)
    private = a_run(store, 3, lane="127.0.0.1", lane_limits=limits)
    assert "limited to" not in said(store, private)


def test_paused_full_and_paced_lanes_are_told(store: Store):
    run = a_run(store, 3, lane="a.com", lane_limits=Limits(in_flight=2))
    store.lanes.limit("a.com", Limits(every_seconds=0.5, burst=5))
    worker = a_worker(store)
    assert len(claim(store, worker, 3)) == 2
    text = said(store, run)
    assert "Lane a.com is at its limit of 2 in flight." in text
    assert "Lane a.com is limited to 2/s. To lift that limit: swather lanes set a.com" in text
    store.lanes.pause("a.com")
    assert "Lane a.com is paused. To resume it: swather lanes unpause a.com " in said(store, run)


def test_a_scraper_that_is_held_back_is_told(store: Store):
    run = a_run(store, 1)
    store.lanes.pause("books", PacedKind.SCRAPER)
    store.lanes.cool("books", 60, "blocked", PacedKind.SCRAPER)
    text = said(store, run)
    assert "Scraper books is paused. To resume it: " in text
    assert "Scraper books is cooling down for another " in text


def test_busy_slots_are_told(store: Store):
    run, worker = a_run(store, 10), a_worker(store)
    leases = claim(store, worker, 5)
    store.workers.beat(worker, [lease.fence for lease in leases], {"slots": 5, "busy": 5})
    assert "All 5 slots of 1 worker are busy." in said(store, run)


def test_paused_workers_are_told(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    store.workers.pause(worker)
    assert "All workers are paused (1). To resume it: swather workers unpause " in said(store, run)


def test_a_worker_that_is_paused_or_leaves_beside_others_is_told(store: Store):
    run, names = a_run(store, 1), ("barn-0", "barn-1", "barn-2")
    first, second, third = (a_worker(store, name=name) for name in names)
    store.workers.pause(first)
    assert "Paused, of 3 workers: barn-0. To resume it: swather workers unpause barn-0" in said(
        store, run
    )
    store.workers.leave(second, Leaving.DRAIN)
    assert "Asked to exit when its targets have ended, of 3 workers: barn-1." in said(store, run)
    store.workers.leave(third, Leaving.STOP)
    assert "Asked to exit now, of 3 workers: barn-2." in said(store, run)


def test_a_retry_to_come_is_told_with_its_time(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    one, two = claim(store, worker, 2)
    finish(store, retried(one, 3_000), retried(two, 300))
    text = said(store, run)
    assert "2 tasks are waiting to retry or for a due time, the next at " in text
    assert "(in 4m 59s)" in text or "(in 5m)" in text


def test_a_run_that_is_loading_or_was_not_loaded_is_told(store: Store):
    run = a_run(store, 1)
    producer = a_producer(store, run)
    store.workers.beat(producer, [], {"loaded": 12_000})
    assert "Targets are still being loaded by " in said(store, run)
    assert "12,000 so far" in said(store, run)
    store.loads.begin(run, a_load("urls.csv"))
    assert "Not all targets were loaded" not in said(store, run)
    store.workers.retire(producer)
    assert "Not all targets were loaded from urls.csv" in said(store, run)


def test_partitions_without_an_owner_are_told(store: Store):
    run, worker = a_run(store), a_worker(store)
    store.tasks.enqueue(run, [*targets(["a"], partition="TX"), *targets(["b"], partition="CA")])
    store.partitions.take(worker, run, ["CA"])
    assert "1 partition has no owner: TX." in said(store, run)


def test_a_partition_that_waits_for_its_planned_worker_says_which(store: Store):
    run = a_run(store)
    for name in ("TX", "CA", "NY"):
        store.tasks.enqueue(run, targets([f"{name}{n}" for n in range(2)], partition=name))
    store.partitions.plan(run, {"CA": 0, "TX": 0, "NY": 7})
    foster = a_worker(store, name="foster")
    store.partitions.take(foster, run, ["CA"])
    claim(store, foster)
    assert "3 partitions" not in said(store, run)
    home = a_worker(store, name="home", number=0)
    told = said(store, run)
    assert "1 partition waits for worker home (number 0), which takes what is planned" in told
    assert "1 partition has no owner: NY. The planned worker number 7 is not running;" in told
    store.workers.pause(home)
    assert "1 partition waits for worker home, which is paused: TX." in said(store, run)
    store.workers.unpause(home)
    store.partitions.take_planned(home, run)
    moving = "1 partition moves from worker foster to worker home"
    assert moving in said(store, run)
    (task,) = [each for each in store.tasks.find(TaskFilter(run=run)) if each.target == "CA1"]
    assert moving in said(store, str(task.id))
    assert "NY" not in said(store, str(task.id))


def test_a_run_with_nothing_left_waits_for_its_end(store: Store):
    run = a_run(store)
    assert "Nothing is left to do" in said(store, run)


def test_ended_runs_say_so(store: Store):
    run = a_run(store, 1)
    finish(store, failed(*claim(store, a_worker(store))))
    store.runs.settle(run)
    assert said(store, run) == f"Run {run} is finished: 0 completed, 1 failed."
    other = a_run(store, 1)
    store.runs.cancel(other)
    assert f"Run {other} was cancelled" in said(store, other)


def test_a_task_that_waits_for_a_retry_tells_its_error_and_history(store: Store):
    a_run(store, 1)
    (lease,) = claim(store, a_worker(store))
    finish(store, retried(lease, 300, a_fault("HTTP 503 from example.com")))
    text = said(store, lease.task_id)
    assert "It is waiting to retry at " in text
    assert "after 1 attempt." in text
    assert "Its last error (transient): HTTP 503 from example.com" in text
    assert " retry by worker " in text


def test_a_ready_task_tells_what_holds_its_lane(store: Store):
    run = a_run(store, 1, lane="example.com")
    store.lanes.pause("example.com")
    task = next(iter(store.tasks.find(TaskFilter(run=run)))).id
    text = said(store, task)
    assert "It is ready and waiting for a worker." in text
    assert "Lane example.com is paused. " in text
    assert "No worker is running" in text


def test_a_running_task_tells_where_and_its_progress(store: Store):
    a_run(store, 1)
    (lease,) = claim(store, a_worker(store, name="mill"))
    store.queue.progress(lease.fence, {"done": 3})
    text = said(store, lease.task_id)
    assert re.search(r"Worker mill has held it for \d\.\ds and is running it, or will soon\.", text)
    assert "Its progress: {'done': 3}." in text


def test_ended_tasks_tell_their_reason(store: Store):
    a_run(store, 2)
    one, two = claim(store, a_worker(store), 2)
    finish(store, completed(one), failed(two, "no_subtitles", a_fault("none there")))
    assert "It was completed at " in said(store, one.task_id)
    text = said(store, two.task_id)
    assert "It failed at " in text
    assert "(no_subtitles)" in text
    assert "none there" in text


def test_what_is_not_there_is_told(store: Store):
    with pytest.raises(NotFound):
        why(store, "nowhere")
    with pytest.raises(NotFound):
        why(store, "12345")
    with pytest.raises(InputError):
        why(store, "0")


def test_a_connection_that_has_held_locks_for_long_is_named(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
):
    run, _ = a_run(store, 1), a_worker(store)
    monkeypatch.setattr(transaction_words, "_LONG_SECONDS", 0.0)
    if database.one_writer:
        assert "Nothing holds it back" in said(store, run)
        return
    with database.transaction() as theirs:
        theirs.execute("SELECT * FROM ready FOR UPDATE")
        pid = theirs.info.backend_pid
        for text in (said(store, run), said(store, 1)):
            assert f"Connection {pid} (" in text
            assert f"let it end, or run as its owner: SELECT pg_terminate_backend({pid})" in text
            assert "Nothing holds it back" not in text
