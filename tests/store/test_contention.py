"""Many who want the same rows at once, in different orders: nobody deadlocks, everything counts."""

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

from swather.model.outcome import Item
from swather.model.run import RunState
from swather.model.task import Target
from swather.store import Store
from tests.store.database import Database
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    data,
    failed,
    finish,
    states,
    targets,
)
from tests.store.threads import together


def shuffled(values: list) -> list:
    return Random().sample(values, len(values))


def test_many_load_the_same_targets_on_new_lanes_in_any_order(store: Store):
    run = a_run(store)
    given = [Target(value=n, lane=f"lane{n % 50}", partition=f"p{n % 3}") for n in range(300)]

    def load(mine: Store, _: int) -> list[int]:
        return [mine.tasks.enqueue(run, shuffled(given), batch_size=100).added]

    assert sum(together(store, load)) == 300
    assert states(store, run) == {"ready": 300}
    assert store.upkeep.check() == []


def test_many_bring_the_same_children_in_any_order(store: Store):
    run = a_run(store, 40)
    children = [Target(value=f"child{n}", lane=f"lane{n % 20}") for n in range(100)]

    def work(mine: Store, worker: int) -> list[str]:
        leases = claim(mine, worker, 5)
        return [
            verdict
            for lease in leases
            for verdict in finish(mine, completed(lease, children=shuffled(children)))
        ]

    assert together(store, work) == ["accepted"] * 40
    assert states(store, run) == {"completed": 40, "ready": 100}
    assert store.upkeep.check() == []


def test_many_bring_items_of_the_same_keys_in_any_order(store: Store):
    run = a_run(store, 40)
    keyed = [Item(f"data{n}", key=f"key{n}") for n in range(30)]

    def work(mine: Store, worker: int) -> list[str]:
        leases = claim(mine, worker, 5)
        return finish(mine, *(completed(lease, *shuffled(keyed)) for lease in leases))

    assert together(store, work) == ["accepted"] * 40
    assert sorted(data(store, run)) == sorted(item.data for item in keyed)
    assert store.runs.counts(run).items == 30


def test_many_fail_for_the_same_reasons_in_any_order(store: Store):
    run = a_run(store, 160)

    def work(mine: Store, worker: int) -> list[str]:
        verdicts = []
        while leases := claim(mine, worker, 10):
            messages = shuffled(list("abcdefghij"))
            verdicts += finish(
                mine,
                *(
                    failed(lease, fault=a_fault(message))
                    for lease, message in zip(leases, messages, strict=False)
                ),
            )
        return verdicts

    assert together(store, work) == ["accepted"] * 160
    groups = store.results.errors(run)
    assert {group.title for group in groups} <= set("abcdefghij")
    assert sum(group.count for group in groups) == store.runs.counts(run).failed == 160


def test_a_run_cancelled_under_those_who_extend_it_has_nothing_left(store: Store):
    run = a_run(store, 100)
    begun = threading.Semaphore(0)

    def work(mine: Store, worker: int) -> list[str]:
        verdicts: list[str] = []
        while leases := claim(mine, worker, 5):
            begun.release()
            for lease in leases:
                children = targets([f"{lease.task_id}-{n}" for n in range(2)])
                verdicts += finish(mine, completed(lease, children=children))
        return verdicts

    with ThreadPoolExecutor(1) as threads:
        working = threads.submit(together, store, work, 4)
        for _ in range(8):
            begun.acquire(timeout=20)
        store.runs.cancel(run)
        verdicts = working.result(timeout=50)
    counts = store.runs.counts(run)
    assert store.runs.get(run).state is RunState.CANCELLED
    assert counts.unfinished == 0
    assert counts.completed == verdicts.count("accepted")
    assert store.upkeep.check() == []


def test_many_sweep_at_once_and_each_task_goes_back_once(store: Store):
    run, lost = a_run(store, 500), a_worker(store)
    claim(store, lost, 500)

    def sweep(mine: Store, _: int) -> list[int]:
        return [mine.workers.sweep(dead=[lost]).tasks]

    assert sum(together(store, sweep)) == 500
    assert states(store, run) == {"ready": 500}
    assert {lease.faults.crashes for lease in claim(store, a_worker(store), 500)} == {1}
    assert store.upkeep.check() == []


def test_a_store_can_be_opened_and_read_while_another_process_writes(
    database: Database, store: Store
):
    run = a_run(store, 1)
    with database.transaction():
        another = store.another()
        assert [found.name for found in another.runs.find()] == [run]
        another.close()
