import pytest

from swather.errors import BadPayload
from swather.model.outcome import Completed, File, Item, Standing, Verdict
from swather.model.retry import ErrorClass, Faults
from swather.model.task import State, Target
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_fault,
    a_lease,
    a_run,
    a_worker,
    cancelled,
    claim,
    completed,
    data,
    failed,
    files,
    finish,
    released,
    retried,
    run_of,
    states,
    targets,
    values,
)

ACCEPTED, STALE = Verdict.ACCEPTED, Verdict.STALE
A_FILE = File(name="page.html", sha256="ab" * 32, size_bytes=12, media_type="text/html")


def test_a_completed_task_is_done(store: Store):
    lease = a_lease(store)
    assert finish(store, completed(lease)) == [ACCEPTED]
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.reason, task.error) == (State.COMPLETED, "ok", None)
    assert task.ended_at is not None
    assert states(store, run_of(store, lease)) == {"completed": 1}


def test_a_completed_task_may_have_another_reason_than_ok(store: Store):
    lease = a_lease(store)
    finish(store, completed(lease, reason="no_subtitles"))
    assert store.tasks.get(lease.task_id).reason == "no_subtitles"
    assert store.runs.counts(run_of(store, lease)).reasons == {"no_subtitles": 1}


def test_items_children_and_files_commit_with_their_task(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    child = Target(value="next", parent_id=lease.task_id)
    finish(store, completed(lease, {"title": "ä"}, "b", children=[child], files=[A_FILE]))
    assert data(store, run) == [{"title": "ä"}, "b"]
    assert [(file.name, file.sha256) for file in files(store, run)] == [
        (A_FILE.name, A_FILE.sha256)
    ]
    assert states(store, run) == {"completed": 1, "ready": 1}
    counts = store.runs.counts(run)
    assert (counts.items, counts.files) == (2, 1)
    (next_lease,) = claim(store, a_worker(store))
    assert (next_lease.target, next_lease.parent_id) == ("next", lease.task_id)


def test_a_child_the_run_has_already_is_left_out(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, _ = claim(store, worker, 2)
    finish(store, completed(first, children=targets([0, 1, "new", "new"])))
    assert states(store, run) == {"completed": 1, "leased": 1, "ready": 1}
    assert values(claim(store, worker, 5)) == ["new"]


def test_children_of_one_batch_are_told_apart_by_run(store: Store):
    worker = a_worker(store)
    runs = [a_run(store, 1) for _ in range(2)]
    leases = claim(store, worker, 2)
    finish(store, *(completed(lease, children=targets(["child"])) for lease in leases))
    for run in runs:
        assert states(store, run) == {"completed": 1, "ready": 1}


def test_children_keep_their_priority_lane_and_due_time(store: Store, clock: Clock):
    lease = a_lease(store)
    children = [
        Target(value="soon", priority=9, lane="site"),
        Target(value="later", due_in_seconds=50),
    ]
    finish(store, completed(lease, children=children))
    worker = a_worker(store)
    (soon,) = claim(store, worker, 5)
    assert (soon.target, soon.priority, soon.lane) == ("soon", 9, "site")
    clock.advance(51)
    assert values(claim(store, worker, 5)) == ["later"]


@pytest.mark.slow
def test_more_than_ten_thousand_children_come_with_their_parent(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    children = targets(range(100, 10_650))
    assert finish(store, completed(lease, "item", children=children)) == [ACCEPTED]
    assert states(store, run) == {"completed": 1, "ready": 10_550}
    assert data(store, run) == ["item"]


def test_children_of_a_stale_attempt_stay_away_however_many(store: Store, clock: Clock):
    lease = a_lease(store)
    run = run_of(store, lease)
    clock.advance(61)
    store.workers.sweep()
    assert finish(store, completed(lease, children=targets(range(100, 10_650)))) == [STALE]
    assert states(store, run) == {"ready": 1}


def test_a_retry_at_once_is_ready_again(store: Store):
    lease = a_lease(store)
    assert finish(store, retried(lease)) == [ACCEPTED]
    assert states(store, run_of(store, lease)) == {"ready": 1}
    (again,) = claim(store, a_worker(store))
    assert (again.task_id, again.attempt) == (lease.task_id, 2)


def test_a_retry_with_a_delay_waits_for_it(store: Store, clock: Clock):
    lease = a_lease(store)
    finish(store, retried(lease, 30))
    assert states(store, run_of(store, lease)) == {"scheduled": 1}
    worker = a_worker(store)
    assert claim(store, worker) == []
    clock.advance(31)
    assert [again.task_id for again in claim(store, worker)] == [lease.task_id]


@pytest.mark.parametrize(
    ("error_class", "expected"),
    [
        (ErrorClass.TRANSIENT, Faults(attempts=1)),
        (ErrorClass.TIMEOUT, Faults(attempts=1)),
        (ErrorClass.PERMANENT, Faults(attempts=1)),
        (ErrorClass.BLOCKED, Faults(blocked=1)),
        (ErrorClass.PROXY, Faults(proxy=1)),
        (ErrorClass.CRASH, Faults(crashes=1)),
    ],
)
def test_each_class_of_failure_spends_its_own_budget(store: Store, error_class, expected):
    lease = a_lease(store)
    finish(store, retried(lease, fault=a_fault(error_class=error_class)))
    (again,) = claim(store, a_worker(store))
    assert again.faults == expected


def test_a_crash_alone_is_counted_apart(store: Store):
    lease = a_lease(store)
    finish(store, retried(lease, fault=a_fault(error_class=ErrorClass.CRASH, alone=True)))
    (again,) = claim(store, a_worker(store))
    assert again.faults == Faults(crashes=1, crashes_alone=1)


def test_failures_add_up_over_attempts(store: Store):
    lease = a_lease(store)
    worker = a_worker(store)
    for error_class in (ErrorClass.TRANSIENT, ErrorClass.BLOCKED, ErrorClass.TIMEOUT):
        finish(store, retried(lease, fault=a_fault(error_class=error_class)))
        (lease,) = claim(store, worker)
    assert lease.faults == Faults(attempts=2, blocked=1)
    assert lease.attempt == 4
    assert store.runs.counts(run_of(store, lease)).retries == 3


def test_a_failed_task_keeps_its_reason_and_error(store: Store):
    lease = a_lease(store)
    fault = a_fault("no such page", ErrorClass.PERMANENT, traceback="File x, line 3")
    assert finish(store, failed(lease, "gone", fault)) == [ACCEPTED]
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.reason) == (State.FAILED, "gone")
    assert (task.error_class, task.error) == ("permanent", "no such page")
    assert task.traceback == "File x, line 3"
    assert task.attempts == 1
    assert states(store, run_of(store, lease)) == {"failed": 1}


def test_a_released_task_goes_back_without_a_charge(store: Store):
    lease = a_lease(store)
    assert finish(store, released(lease)) == [ACCEPTED]
    assert states(store, run_of(store, lease)) == {"ready": 1}
    (again,) = claim(store, a_worker(store))
    assert again.faults == Faults()
    assert again.attempt == 1


def test_a_cancelled_attempt_ends_its_task(store: Store):
    lease = a_lease(store)
    assert finish(store, cancelled(lease)) == [ACCEPTED]
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.reason) == (State.CANCELLED, "cancelled")
    assert states(store, run_of(store, lease)) == {"cancelled": 1}


def test_each_outcome_of_a_batch_has_its_own_verdict(store: Store):
    run, worker = a_run(store, 6), a_worker(store)
    a, b, c, d, e, f = claim(store, worker, 6)
    store.tasks.cancel(TaskFilter(run=run, task_ids=(c.task_id,)))
    verdicts = finish(
        store, completed(a, "a"), retried(b, 60), completed(c, "c"), failed(d), released(e),
        cancelled(f),
    )  # fmt: skip
    assert verdicts == [ACCEPTED, ACCEPTED, STALE, ACCEPTED, ACCEPTED, ACCEPTED]
    assert states(store, run) == {
        "completed": 1, "scheduled": 1, "failed": 1, "ready": 1, "cancelled": 2,
    }  # fmt: skip
    assert data(store, run) == ["a"]


def test_an_outcome_told_twice_counts_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    assert finish(store, completed(lease, "x")) == [ACCEPTED]
    assert finish(store, completed(lease, "x")) == [STALE]
    assert states(store, run) == {"completed": 1}
    assert data(store, run) == ["x"]


def test_two_outcomes_for_one_attempt_in_one_batch_count_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    assert sorted(finish(store, completed(lease, "x"), failed(lease))) == [ACCEPTED, STALE]
    assert sum(states(store, run).values()) == 1
    assert store.upkeep.check() == []


def test_a_task_that_never_was_is_stale(store: Store):
    assert finish(store, Completed(task_id=123_456, token=1)) == [STALE]


def test_a_bad_item_writes_nothing_of_its_batch(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    good, bad = claim(store, worker, 2)
    with pytest.raises(BadPayload, match="nan"):
        finish(store, completed(good, "fine"), completed(bad, {"x": float("nan")}))
    assert states(store, run) == {"leased": 2}
    assert data(store, run) == []
    assert finish(store, completed(good, "fine"), completed(bad)) == [ACCEPTED, ACCEPTED]


def test_a_bad_child_writes_nothing_of_its_parent(store: Store):
    lease = a_lease(store)
    with pytest.raises(ValueError, match="11"):
        finish(store, completed(lease, "item", children=targets(["x"], priority=11)))
    assert states(store, run_of(store, lease)) == {"leased": 1}
    assert data(store, run_of(store, lease)) == []


@pytest.mark.slow
def test_a_large_item_is_kept_whole(store: Store):
    lease = a_lease(store)
    text = "ä" * 5_000_000
    finish(store, completed(lease, text))
    assert data(store, run_of(store, lease)) == [text]


def test_an_uncertain_finish_can_be_read_back(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    done, again, gave_up, running, other = claim(store, worker, 5)
    finish(store, completed(done), retried(again, 60), failed(gave_up), released(other))
    strangers = claim(store, worker, 1)
    assert [stranger.task_id for stranger in strangers] == [other.task_id]
    standing = store.queue.standing(
        [lease.fence for lease in (done, again, gave_up, running, other)]
    )
    assert standing == {
        done.fence: Standing.COMMITTED,
        again.fence: Standing.COMMITTED,
        gave_up.fence: Standing.COMMITTED,
        running.fence: Standing.PENDING,
        other.fence: Standing.SUPERSEDED,
    }
    assert states(store, run)["leased"] == 2


def test_a_strangers_success_is_not_taken_for_mine(store: Store, clock: Clock):
    mine = a_lease(store)
    clock.advance(61)
    store.workers.sweep()
    (theirs,) = claim(store, a_worker(store))
    finish(store, completed(theirs))
    standing = store.queue.standing([mine.fence, theirs.fence])
    assert standing == {mine.fence: Standing.SUPERSEDED, theirs.fence: Standing.COMMITTED}


def test_an_item_with_a_key_is_kept_once_per_run(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    finish(store, completed(first, Item("a", key="k"), Item("b", key="k"), "plain"))
    finish(store, completed(second, Item("c", key="k"), Item("d", key="other")))
    assert data(store, run) == ["a", "plain", "d"]
    assert store.runs.counts(run).items == 3
