import pytest

from swather.errors import BadPayload, StoreError
from swather.model.outcome import File, Item, Verdict
from swather.model.pacing import NO_LIMITS
from swather.model.task import State, Target
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_lease,
    a_worker,
    claim,
    completed,
    data,
    files,
    finish,
    released,
    retried,
    run_of,
    states,
    targets,
)


def test_a_checkpoint_commits_items_children_and_files_at_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    verdict = store.queue.checkpoint(
        lease.fence,
        part=0,
        cursor={"page": 2},
        items=[Item("a"), Item("b", key="k")],
        children=[Target(value="child", parent_id=lease.task_id)],
        files=[File(name="f", sha256="ab" * 32, size_bytes=3)],
    )
    assert verdict is Verdict.ACCEPTED
    assert data(store, run) == ["a", "b"]
    assert [file.name for file in files(store, run)] == ["f"]
    assert states(store, run) == {"leased": 1, "ready": 1}
    counts = store.runs.counts(run)
    assert (counts.items, counts.files) == (2, 1)


@pytest.mark.parametrize("end", [retried, released])
def test_a_later_attempt_goes_on_at_the_cursor(store: Store, end):
    lease = a_lease(store)
    store.queue.checkpoint(lease.fence, part=0, cursor={"page": 2}, items=[Item("a")])
    store.queue.checkpoint(lease.fence, part=1, cursor={"page": 3}, items=[Item("b")])
    finish(store, end(lease))
    (again,) = claim(store, a_worker(store))
    assert (again.part, again.cursor) == (2, {"page": 3})
    finish(store, completed(again, "c", part=again.part))
    assert data(store, run_of(store, lease)) == ["a", "b", "c"]


def test_a_swept_attempt_leaves_its_cursor(store: Store, clock: Clock):
    lease = a_lease(store)
    store.queue.checkpoint(lease.fence, part=0, cursor="here", items=[Item("a")])
    clock.advance(61)
    store.workers.sweep()
    (again,) = claim(store, a_worker(store))
    assert (again.part, again.cursor) == (1, "here")


def test_a_part_committed_twice_counts_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    for _ in range(2):
        store.queue.checkpoint(
            lease.fence, part=0, cursor=1, items=[Item("a")], children=targets(["child"])
        )
    assert data(store, run) == ["a"]
    assert states(store, run) == {"leased": 1, "ready": 1}
    assert store.runs.counts(run).items == 1


def test_a_file_committed_twice_counts_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    for _ in range(2):
        file = File(name="f", sha256="ab" * 32, size_bytes=3)
        store.queue.checkpoint(lease.fence, part=0, cursor=1, files=[file])
    assert len(files(store, run)) == store.runs.counts(run).files == 1


def test_a_changed_version_drops_the_cursor_and_its_items(store: Store):
    lease = a_lease(store, version="1")
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor="old", items=[Item("old")])
    finish(store, released(lease))
    store.runs.revise(run, version="2", lane_limits=NO_LIMITS)
    (again,) = claim(store, a_worker(store))
    assert (again.part, again.cursor) == (0, None)
    finish(store, completed(again, "new"))
    assert data(store, run) == ["new"]
    assert store.runs.counts(run).items == 1


def test_an_unchanged_version_keeps_the_cursor(store: Store):
    lease = a_lease(store, version="1")
    store.queue.checkpoint(lease.fence, part=0, cursor="here", items=[Item("a")])
    finish(store, released(lease))
    store.runs.revise(run_of(store, lease), version="1", lane_limits=NO_LIMITS)
    (again,) = claim(store, a_worker(store))
    assert (again.part, again.cursor) == (1, "here")


def test_a_completed_task_has_no_cursor_left(store: Store, database: Database):
    lease = a_lease(store)
    store.queue.checkpoint(lease.fence, part=0, cursor="here")
    finish(store, completed(lease, part=1))
    assert database.rows("SELECT count(*) FROM checkpoints") == [(0,)]


def test_a_cursor_that_is_not_json_writes_nothing(store: Store):
    lease = a_lease(store)
    with pytest.raises(BadPayload, match="cursor"):
        store.queue.checkpoint(lease.fence, part=0, cursor=object(), items=[Item("a")])
    assert data(store, run_of(store, lease)) == []


def test_many_children_of_a_checkpoint_all_come(store: Store):
    lease = a_lease(store)
    children = targets(range(100, 10_650))
    store.queue.checkpoint(lease.fence, part=0, cursor=1, children=children)
    assert states(store, run_of(store, lease)) == {"leased": 1, "ready": 10_550}


def test_progress_is_shown_on_the_task(store: Store):
    lease = a_lease(store)
    assert store.queue.progress(lease.fence, {"done": 3, "of": 10}) is Verdict.ACCEPTED
    assert store.tasks.get(lease.task_id).progress == {"done": 3, "of": 10}
    store.queue.progress(lease.fence, {"done": 4, "of": 10})
    assert store.tasks.get(lease.task_id).progress == {"done": 4, "of": 10}


def test_children_go_to_their_own_lane_after_a_checkpoint_that_was_rolled_back(
    own_store: Store, own_database: Database
):
    store, database = own_store, own_database
    lease = a_lease(store)
    run = run_of(store, lease)

    def checkpoint(lane: str) -> Verdict:
        child = Target(value=lane, lane=lane, parent_id=lease.task_id)
        return store.queue.checkpoint(lease.fence, part=0, cursor=1, children=[child])

    database.execute("ALTER TABLE checkpoints RENAME TO away")
    with pytest.raises(StoreError):
        checkpoint("a.example")
    database.execute("ALTER TABLE away RENAME TO checkpoints")
    store.tasks.enqueue(run, [Target(value="b.example", lane="b.example")])
    assert checkpoint("a.example") is Verdict.ACCEPTED
    found = store.tasks.find(TaskFilter(run=run, states=frozenset({State.READY})))
    assert {task.target: task.lane for task in found} == {
        "a.example": "a.example",
        "b.example": "b.example",
    }
    assert store.upkeep.check() == []
