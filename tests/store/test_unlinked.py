"""Files whose friendly names are still to be made, and items that two tasks have produced."""

from typing import Any

from swather.model.outcome import File, Item
from swather.model.results import Part
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    claim,
    completed,
    data,
    finish,
    run_of,
)

PAGE = File(name="page.html", sha256="ab" * 32, size_bytes=3)
COVER = File(name="cover.jpg", sha256="cd" * 32, size_bytes=4, media_type="image/jpeg")


def keyed(*keys: str) -> list[Item]:
    return [Item({"from": key}, key=key) for key in keys]


def unlinked(store: Store, **which: Any) -> dict[Part, list[File]]:
    return {found.part: found.files for found in store.results.unlinked(**which)}


def test_committed_files_are_unlinked_until_they_are_linked(store: Store):
    lease = a_lease(store)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, files=[PAGE])
    finish(store, completed(lease, part=1, files=[COVER]))
    first, second = (lease.task_id, 0), (lease.task_id, 1)
    assert unlinked(store) == {first: [PAGE], second: [COVER]}
    assert unlinked(store, after=first) == {second: [COVER]}
    store.results.mark_linked([first])
    assert unlinked(store) == {second: [COVER]}
    store.results.mark_linked([second, (999, 0)])
    assert unlinked(store) == {}


def test_parts_are_listed_whole(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    leases = claim(store, worker, 3)
    finish(store, *(completed(lease, files=[PAGE, COVER]) for lease in leases))
    found = store.results.unlinked(limit=2)
    of_run = store.runs.get(run).id
    assert found == [((lease.task_id, 0), of_run, [PAGE, COVER]) for lease in leases[:2]]


def test_content_is_known_as_long_as_a_row_has_it(store: Store):
    lease = a_lease(store)
    finish(store, completed(lease, files=[PAGE]))
    assert store.results.has_file(PAGE.sha256)
    assert not store.results.has_file(COVER.sha256)
    run = run_of(store, lease)
    store.runs.settle(run)
    store.runs.remove(run)
    assert not store.results.has_file(PAGE.sha256)
    assert unlinked(store) == {}


def test_files_that_were_replaced_need_no_name(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, completed(lease, files=[PAGE]))
    store.tasks.retry(TaskFilter(run=run), anew=True)
    (again,) = claim(store, a_worker(store))
    finish(store, completed(again, files=[COVER]))
    assert unlinked(store) == {(lease.task_id, 0): [COVER]}


def test_an_item_that_two_tasks_produced_stays_when_the_first_is_retried(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    first, second, third = claim(store, worker, 3)
    finish(store, completed(first, *keyed("shared", "own")))
    finish(store, completed(second, *keyed("shared")))
    finish(store, completed(third, *keyed("shared")))
    assert data(store, run) == [{"from": "shared"}, {"from": "own"}]

    def again(task_id: int, *keys: str) -> list[str]:
        store.tasks.retry(TaskFilter(run=run, task_ids=(task_id,)), anew=True)
        (lease,) = claim(store, worker)
        finish(store, completed(lease, *keyed(*keys)))
        assert store.upkeep.check() == []
        return sorted(item["from"] for item in data(store, run))

    assert again(first.task_id) == ["shared"]
    assert again(second.task_id) == ["shared"]
    assert again(second.task_id, "shared") == ["shared"]
    assert again(third.task_id) == ["shared"]
    assert again(second.task_id) == []


def test_a_task_that_produces_its_item_again_keeps_it_once(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    finish(store, completed(first, *keyed("shared")), completed(second, *keyed("shared")))
    for _ in range(3):
        store.tasks.retry(TaskFilter(run=run, task_ids=(first.task_id,)), anew=True)
        (lease,) = claim(store, worker)
        finish(store, completed(lease, *keyed("shared", f"{lease.token}")))
    assert len(data(store, run)) == 2
    assert store.upkeep.check() == []
