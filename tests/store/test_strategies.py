import pytest

from swather.model.lease import Strategy
from swather.model.task import Target
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, finish, released, targets, until, values

MIXED = [("a", 3), ("b", 9), ("c", 5), ("d", 9), ("e", 1), ("f", 5)]


def a_mixed_run(store: Store, strategy: Strategy = Strategy.FIFO) -> str:
    run = a_run(store, strategy=strategy)
    store.tasks.enqueue(run, [Target(value=v, priority=p) for v, p in MIXED])
    return run


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        (Strategy.FIFO, "abcdef"),
        (Strategy.LIFO, "fedcba"),
        (Strategy.PRIORITY, "bdcfae"),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 10])
def test_a_run_is_taken_in_the_order_of_its_strategy(store: Store, strategy, order, size):
    a_mixed_run(store, strategy)
    worker = a_worker(store)
    taken = []
    while leases := claim(store, worker, size):
        taken += values(leases)
    assert "".join(taken) == order


@pytest.mark.parametrize(
    ("strategy", "first"), [(Strategy.FIFO, "a"), (Strategy.LIFO, "f"), (Strategy.PRIORITY, "b")]
)
def test_a_claim_may_ask_for_another_order_than_its_run(store: Store, strategy, first):
    a_mixed_run(store, Strategy.WEIGHTED_RANDOM)
    assert values(claim(store, a_worker(store), strategy=strategy)) == [first]


def test_a_worker_without_an_order_of_its_own_takes_the_runs(store: Store):
    a_mixed_run(store, Strategy.LIFO)
    assert values(claim(store, a_worker(store), 2)) == ["f", "e"]


def test_the_highest_priority_comes_first_across_lanes(store: Store):
    run, worker = a_run(store, strategy=Strategy.PRIORITY), a_worker(store)
    for lane, priority in (("a", 2), ("b", 10), ("c", 5), ("d", 10)):
        store.tasks.enqueue(
            run, targets([f"{lane}{n}" for n in range(5)], lane=lane, priority=priority)
        )
    taken = [claim(store, worker)[0].priority for _ in range(20)]
    assert taken == [10] * 10 + [5] * 5 + [2] * 5


def test_one_claim_takes_priorities_strictly_in_order_across_lanes(store: Store):
    run, worker = a_run(store, strategy=Strategy.PRIORITY), a_worker(store)
    for lane in ("a", "b", "c"):
        for priority in (3, 8):
            given = [f"{lane}{priority}{n}" for n in range(2)]
            store.tasks.enqueue(run, targets(given, lane=lane, priority=priority))
    first = claim(store, worker, 6)
    assert [lease.priority for lease in first] == [8] * 6
    assert [lease.priority for lease in claim(store, worker, 6)] == [3] * 6


@pytest.mark.slow
def test_an_urgent_newcomer_overtakes_the_others(store: Store):
    """At once, or when the claimer next looks up from the heads it knows."""
    run, worker = a_run(store, 3_000, strategy=Strategy.PRIORITY), a_worker(store)
    claim(store, worker, 5)
    store.tasks.enqueue(run, targets(["urgent"], priority=10))
    taken: list = []
    until(lambda: taken.append(claim(store, worker)[0].target) or taken[-1] == "urgent", 1)
    assert taken[-1] == "urgent"


def test_the_newest_is_taken_next_by_lifo(store: Store):
    run, worker = a_run(store, 5, strategy=Strategy.LIFO), a_worker(store)
    assert values(claim(store, worker, 2)) == [4, 3]
    store.tasks.enqueue(run, targets(["new"]))
    assert values(claim(store, worker, 2)) == ["new", 2]


def test_a_released_task_takes_its_old_place(store: Store):
    a_run(store, 5)
    worker = a_worker(store)
    first, _ = claim(store, worker, 2)
    finish(store, released(first))
    assert values(claim(store, worker, 2)) == [0, 2]


def test_lifo_takes_each_task_once_after_one_older_than_the_last_came_back(store: Store):
    run, worker = a_run(store, 300, strategy=Strategy.LIFO), a_worker(store)
    older = [lease for _ in range(3) for lease in claim(store, worker, 50)]
    store.tasks.enqueue(run, targets(["new", "newer"]))
    assert values(claim(store, worker, 2)) == ["newer", "new"]
    finish(store, released(older[0]))
    assert values(claim(store, worker, 3)) == [299, 149, 148]


def test_random_draws_favour_high_priorities_in_proportion(store: Store):
    run, worker = a_run(store, strategy=Strategy.WEIGHTED_RANDOM), a_worker(store)
    for priority in (1, 9):
        given = [f"{priority}-{n}" for n in range(300)]
        store.tasks.enqueue(run, targets(given, priority=priority))
    taken = [lease.priority for _ in range(20) for lease in claim(store, worker, 10)]
    assert len(taken) == 200
    assert 150 <= taken.count(9) <= 199


def test_random_draws_take_the_oldest_of_a_priority(store: Store):
    run, worker = a_run(store, strategy=Strategy.WEIGHTED_RANDOM), a_worker(store)
    store.tasks.enqueue(run, targets(50, priority=6))
    taken = [value for _ in range(5) for value in values(claim(store, worker, 10))]
    assert taken == list(range(50))


def test_random_draws_leave_nothing_behind(store: Store):
    run, worker = a_run(store, strategy=Strategy.WEIGHTED_RANDOM), a_worker(store)
    store.tasks.enqueue(
        run, [Target(value=n, priority=1 + n % 10, lane=f"l{n % 3}") for n in range(100)]
    )
    taken = []
    while leases := claim(store, worker, 9):
        taken += values(leases)
    assert sorted(taken) == list(range(100))
