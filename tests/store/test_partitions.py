import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.errors import InputError, NotFound
from swather.model.pacing import Limits
from swather.model.task import Target
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, completed, finish, targets, values


def a_run_of_states(store: Store, **sizes: int) -> str:
    """A run with as many targets in each named partition."""
    run = a_run(store)
    for partition, size in sizes.items():
        given = [f"{partition}{number}" for number in range(size)]
        store.tasks.enqueue(run, targets(given, partition=partition))
    return run


def owners(store: Store, run: str) -> dict[str, int | None]:
    return {partition.name: partition.owner_id for partition in store.partitions.find(run)}


def test_a_partition_is_known_by_its_targets(store: Store):
    run = a_run_of_states(store, bavaria=2, hesse=1)
    assert owners(store, run) == {"bavaria": None, "hesse": None}


def test_a_run_without_partitions_has_none(store: Store):
    assert store.partitions.find(a_run(store, 3)) == []


def test_only_the_owner_gets_a_partitions_tasks(store: Store):
    run = a_run_of_states(store, bavaria=3, hesse=3)
    owner, other = a_worker(store, name="anna"), a_worker(store)
    assert claim(store, owner, 10) == []
    assert store.partitions.take(owner, run, ["bavaria"]) == ["bavaria"]
    (bavaria, _) = store.partitions.find(run)
    assert (bavaria.owner_id, bavaria.owner) == (owner, "anna")
    assert claim(store, other, 10) == []
    leases = claim(store, owner, 10)
    assert [lease.partition for lease in leases] == ["bavaria"] * 3


def test_targets_without_a_partition_are_for_everyone(store: Store):
    run = a_run_of_states(store, bavaria=1)
    store.tasks.enqueue(run, targets(["free0", "free1"]))
    owner, other = a_worker(store), a_worker(store)
    store.partitions.take(owner, run, ["bavaria"])
    assert values(claim(store, other, 1)) == ["free0"]
    assert sorted(values(claim(store, owner, 10))) == ["bavaria0", "free1"]


def test_a_claim_may_name_some_of_the_owned_partitions(store: Store):
    run = a_run_of_states(store, a=2, b=2, c=2)
    worker = a_worker(store)
    store.partitions.take(worker, run, ["a", "b"])
    leases = claim(store, worker, 10, partitions=("b", "c"))
    assert [lease.partition for lease in leases] == ["b", "b"]


def test_partitions_of_one_owner_come_in_turn(store: Store):
    run = a_run_of_states(store, a=20, b=20)
    worker = a_worker(store)
    store.partitions.take(worker, run, ["a", "b"])
    leases = [lease for _ in range(6) for lease in claim(store, worker, 2)]
    assert {lease.partition for lease in leases} == {"a", "b"}


def test_a_partition_has_one_owner(store: Store):
    run = a_run_of_states(store, bavaria=2)
    first, second = a_worker(store), a_worker(store)
    assert store.partitions.take(first, run) == ["bavaria"]
    assert store.partitions.take(second, run) == []
    assert store.partitions.take(second, run, ["bavaria"]) == []
    assert store.partitions.take(first, run, ["bavaria"]) == ["bavaria"]
    assert owners(store, run) == {"bavaria": first}


def test_the_partition_with_the_most_waiting_is_taken_first(store: Store):
    run = a_run_of_states(store, small=1, large=5, middle=3)
    taken = [store.partitions.take(a_worker(store), run) for _ in range(4)]
    assert taken == [["large"], ["middle"], ["small"], []]


def test_a_worker_that_takes_again_hears_of_all_it_owns(store: Store):
    run = a_run_of_states(store, small=1, large=5, middle=3)
    worker = a_worker(store)
    store.partitions.take(worker, run)
    assert sorted(store.partitions.take(worker, run)) == ["large", "middle"]


def test_several_partitions_are_taken_at_once(store: Store):
    run = a_run_of_states(store, a=1, b=3, c=2)
    assert sorted(store.partitions.take(a_worker(store), run, limit=2)) == ["b", "c"]


def test_a_partition_the_run_does_not_have_is_refused(store: Store):
    run = a_run_of_states(store, bavaria=1)
    worker = a_worker(store)
    with pytest.raises(InputError, match="atlantis"):
        store.partitions.take(worker, run, ["bavaria", "atlantis"])
    assert owners(store, run) == {"bavaria": None}


def test_a_partition_is_taken_over_when_its_owner_dies(store: Store, clock: Clock):
    run = a_run_of_states(store, bavaria=3)
    owner = a_worker(store)
    store.partitions.take(owner, run)
    assert len(claim(store, owner, 2)) == 2
    clock.advance(61)
    heir = a_worker(store)
    store.workers.sweep()
    assert store.partitions.take(heir, run) == ["bavaria"]
    assert sorted(values(claim(store, heir, 5))) == ["bavaria0", "bavaria1", "bavaria2"]


def test_a_partition_is_free_when_its_owner_retires(store: Store):
    run = a_run_of_states(store, bavaria=1)
    owner, heir = a_worker(store), a_worker(store)
    store.partitions.take(owner, run)
    store.workers.retire(owner)
    assert owners(store, run) == {"bavaria": None}
    assert store.partitions.take(heir, run) == ["bavaria"]


def test_a_lost_worker_takes_nothing(store: Store, clock: Clock):
    run = a_run_of_states(store, bavaria=1)
    lost = a_worker(store)
    clock.advance(61)
    store.workers.sweep()
    with pytest.raises(NotFound, match=str(lost)):
        store.partitions.take(lost, run)
    assert owners(store, run) == {"bavaria": None}


def test_partitions_of_two_runs_are_two(store: Store):
    first, second = (a_run_of_states(store, bavaria=1) for _ in range(2))
    worker, other = a_worker(store), a_worker(store)
    assert store.partitions.take(worker, first) == ["bavaria"]
    assert store.partitions.take(other, second) == ["bavaria"]
    (lease,) = claim(store, worker, 5)
    assert lease.run_id == store.runs.get(first).id


def test_a_partitions_lanes_are_paced_together_with_the_others(store: Store):
    run = a_run(store)
    store.lanes.limit("site", Limits(in_flight=1))
    for partition in ("a", "b"):
        store.tasks.enqueue(run, targets([partition], lane="site", partition=partition))
    first, second = a_worker(store), a_worker(store)
    store.partitions.take(first, run, ["a"])
    store.partitions.take(second, run, ["b"])
    (lease,) = claim(store, first, 5)
    assert claim(store, second, 5) == []
    finish(store, completed(lease))
    assert values(claim(store, second, 5)) == ["b"]


def test_children_may_open_a_new_partition(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, completed(lease, children=[Target(value="town", partition="hesse")]))
    assert claim(store, worker) == []
    assert store.partitions.take(worker, run) == ["hesse"]
    assert values(claim(store, worker)) == ["town"]


def test_eight_who_take_at_once_share_without_overlap(store: Store):
    run = a_run_of_states(store, **{f"p{number}": 1 for number in range(4)})
    start = threading.Barrier(8)

    def take() -> list[str]:
        mine = store.another()
        worker = a_worker(mine)
        start.wait(timeout=20)
        try:
            return mine.partitions.take(worker, run)
        finally:
            mine.close()

    with ThreadPoolExecutor(8) as threads:
        taken = [one.result(timeout=40) for one in [threads.submit(take) for _ in range(8)]]
    names = [name for some in taken for name in some]
    assert len(names) == len(set(names))
    assert {name for name, owner in owners(store, run).items() if owner} == set(names)


def test_totals_count_all_tasks_of_each_partition(store: Store):
    run = a_run_of_states(store, bavaria=3, hesse=1)
    a_run_of_states(store, bavaria=9)
    owner = a_worker(store)
    store.partitions.take(owner, run, ["bavaria"])
    first, *_ = claim(store, owner, 2)
    finish(store, completed(first))
    assert store.partitions.totals(run) == {"bavaria": 3, "hesse": 1}
