import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.model.outcome import File, Item
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.database import Database
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    claim,
    completed,
    data,
    failed,
    files,
    finish,
    items,
    retried,
    run_of,
    until,
)


def follow(store: Store, run: str, after: str, seen: list) -> str:
    """Read on from a position to the end, as an exporter does; the new position."""
    while page := store.results.items(run, after=after, limit=7):
        seen += [item.data for item in page]
        after = page[-1].position
    return after


def follow_to(store: Store, run: str, after: str, seen: list, count: int) -> str:
    """Read on until `count` have been seen."""
    position = after

    def read_on() -> bool:
        nonlocal position
        position = follow(store, run, position, seen)
        return len(seen) >= count

    until(read_on)
    return position


def test_items_say_where_they_came_from(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("a")])
    finish(store, completed(lease, Item("b", key="k"), Item("c"), part=1))
    places = [(i.task_id, i.part, i.seq, i.key, i.data) for i in items(store, run)]
    task = lease.task_id
    assert places == [(task, 0, 0, None, "a"), (task, 1, 0, "k", "b"), (task, 1, 1, None, "c")]


def test_items_are_read_page_by_page(store: Store):
    lease = a_lease(store)
    finish(store, completed(lease, *range(25)))
    seen: list[int] = []
    follow_to(store, run_of(store, lease), "", seen, 25)
    assert seen == list(range(25))


def test_a_reader_who_comes_back_sees_only_what_is_new(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    finish(store, completed(first, 1, 2))
    seen: list[int] = []
    position = follow_to(store, run, "", seen, 2)
    finish(store, completed(second, 3))
    follow_to(store, run, position, seen, 3)
    assert seen == [1, 2, 3]


def test_items_of_other_runs_stay_out(store: Store):
    first, second = a_lease(store), a_lease(store)
    finish(store, completed(first, "mine"), completed(second, "theirs"))
    assert data(store, run_of(store, first)) == ["mine"]


def test_an_item_is_partial_until_its_task_completes(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("early")])
    assert [item.partial for item in items(store, run)] == [True]
    assert items(store, run, complete_only=True) == []
    finish(store, completed(lease, "late", part=1))
    assert [item.partial for item in items(store, run)] == [False, False]
    assert data(store, run, complete_only=True) == ["early", "late"]


def test_items_of_a_task_that_fails_later_stay_partial(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("early")])
    finish(store, failed(lease))
    assert [item.partial for item in items(store, run)] == [True]
    assert store.results.items(run, complete_only=True) == []


def test_a_transaction_left_open_holds_back_those_that_commit_after_it(
    store: Store, other: Store, database: Database
):
    run, worker = a_run(store, 3), a_worker(store)
    run_id = store.runs.get(run).id
    before, slow, quick = claim(store, worker, 3)
    finish(store, completed(before, "before"))
    seen: list[str] = []
    position = follow_to(store, run, "", seen, 1)
    with ThreadPoolExecutor() as threads:
        with database.transaction() as connection:
            connection.execute(
                "INSERT INTO items (run_id, task_id, part, seq, data)"
                f" VALUES ({run_id}, {slow.task_id}, 0, 0, '\"slow\"')"
            )
            finishing = threads.submit(finish, other, completed(quick, "quick"))
            if not database.one_writer:
                assert finishing.result(timeout=10) == ["accepted"]
            position = follow(store, run, position, seen)
            assert seen == ["before"]
        assert finishing.result(timeout=10) == ["accepted"]
    follow_to(store, run, position, seen, 3)
    assert seen == data(store, run)
    assert sorted(seen) == ["before", "quick", "slow"]


@pytest.mark.slow
def test_a_reader_misses_nothing_while_many_write(store: Store):
    run = a_run(store, 400)
    done = threading.Event()

    def write() -> None:
        mine = store.another()
        worker = a_worker(mine)
        while leases := claim(mine, worker, 10):
            for lease in leases:
                finish(mine, completed(lease, lease.target))
        mine.close()

    def read() -> list[int]:
        mine = store.another()
        seen: list[int] = []
        position = ""
        while not done.is_set():
            position = follow(mine, run, position, seen)
        follow_to(mine, run, position, seen, 400)
        mine.close()
        return seen

    with ThreadPoolExecutor() as threads:
        reading = threads.submit(read)
        writing = [threads.submit(write) for _ in range(3)]
        for writer in writing:
            writer.result(timeout=50)
        done.set()
        seen = reading.result(timeout=50)
    assert sorted(seen) == list(range(400))
    assert seen == data(store, run)


def test_retrying_a_completed_task_replaces_its_rows(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    file = File(name="a", sha256="ab" * 32, size_bytes=1)
    finish(store, completed(first, "old1", Item("old2", key="k"), files=[file]))
    finish(store, completed(second, "other"))
    store.tasks.retry(TaskFilter(run=run, task_ids=(first.task_id,)))
    assert sorted(data(store, run)) == ["old1", "old2", "other"]
    (again,) = claim(store, worker)
    finish(store, completed(again, Item("new", key="k")))
    assert data(store, run) == ["other", "new"]
    assert store.results.files(run) == []
    counts = store.runs.counts(run)
    assert (counts.items, counts.files, counts.completed) == (2, 0, 2)


def test_rows_stay_when_the_repeated_attempt_fails(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (first,) = claim(store, worker)
    finish(store, completed(first, "old"))
    store.tasks.retry(TaskFilter(run=run, states=frozenset({State.COMPLETED})))
    (again,) = claim(store, worker)
    finish(store, retried(again))
    assert data(store, run) == ["old"]
    (once_more,) = claim(store, worker)
    finish(store, completed(once_more, "new"))
    assert data(store, run) == ["new"]


def test_the_first_checkpoint_of_a_repeated_task_replaces_its_rows(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (first,) = claim(store, worker)
    finish(store, completed(first, "old1", "old2"))
    store.tasks.retry(TaskFilter(run=run, states=frozenset({State.COMPLETED})))
    (again,) = claim(store, worker)
    assert (again.part, again.cursor) == (0, None)
    store.queue.checkpoint(again.fence, part=0, cursor="c", items=[Item("new1")])
    finish(store, completed(again, "new2", part=1))
    assert data(store, run) == ["new1", "new2"]
    assert store.runs.counts(run).items == 2


def test_files_are_read_back_as_they_were_told(store: Store):
    lease = a_lease(store)
    given = [
        File(name=f"page{n}.html", sha256=f"{n:064x}", size_bytes=n, media_type="text/html")
        for n in range(3)
    ]
    finish(store, completed(lease, files=given))
    stored = files(store, run_of(store, lease))
    assert [(f.name, f.sha256, f.size_bytes, f.media_type) for f in stored] == [
        (f.name, f.sha256, f.size_bytes, f.media_type) for f in given
    ]
    assert [(f.task_id, f.part, f.seq) for f in stored] == [(lease.task_id, 0, n) for n in range(3)]
