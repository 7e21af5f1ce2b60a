import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.partition import PartitionCounts
from swather.model.task import Target
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, targets, values
from tests.store.test_partitions import a_run_of_states, owners

PLAN = {"ca": 0, "mt": 0, "tx": 1, "ny": 2}


def a_planned_run(store: Store, size: int = 3) -> str:
    run = a_run_of_states(store, **dict.fromkeys(["ca", "mt", "tx", "wy"], size))
    store.partitions.plan(run, PLAN)
    return run


def test_a_worker_takes_all_that_is_planned_for_its_number(store: Store):
    run = a_planned_run(store)
    worker = a_worker(store, number=0)
    assert store.workers.get(worker).number == 0
    assert store.partitions.take_planned(worker, run) == ["ca", "mt"]
    assert {lease.partition for lease in claim(store, worker, 10)} == {"ca", "mt"}


def test_a_worker_without_a_number_or_outside_the_plan_has_nothing_planned(store: Store):
    run = a_planned_run(store)
    for number in (None, 7):
        assert store.partitions.take_planned(a_worker(store, number=number), run) == []
    with pytest.raises(InputError, match="number"):
        a_worker(store, number=-1)


def test_a_partition_is_left_to_its_planned_worker_while_that_lives(store: Store, clock: Clock):
    run = a_planned_run(store)
    planned, other = a_worker(store, number=1, lease_seconds=30), a_worker(store, number=5)
    claim(store, planned, 1)  # it serves the run, and has taken nothing yet
    store.partitions.take_planned(planned, run)
    store.partitions.hand_over(planned)
    assert "tx" not in store.partitions.take(other, run, limit=10)
    clock.advance(31)
    store.workers.beat(other, [])
    store.workers.sweep()
    assert "tx" in store.partitions.take(other, run, limit=10)


def test_a_planned_worker_that_works_on_another_run_holds_nothing_back(store: Store):
    run, elsewhere = a_planned_run(store), a_planned_run(store)
    planned, other = a_worker(store, number=1), a_worker(store, number=5)
    store.partitions.take_planned(planned, elsewhere)
    assert "tx" in store.partitions.take(other, run, limit=10)


def test_a_free_partition_whose_planned_worker_lives_waits_for_it(store: Store):
    run = a_planned_run(store)
    planned, other = a_worker(store, number=0), a_worker(store, number=5)
    store.partitions.take_planned(planned, run)
    store.tasks.enqueue(run, targets(["late"], partition="or"))
    store.partitions.plan_new(run, {"or": 0, "tx": 0})
    assert store.partitions.planned(run) == {**PLAN, "or": 0}
    assert "or" not in store.partitions.take(other, run, limit=10)
    assert "or" in store.partitions.take_planned(planned, run)


def test_what_another_serves_is_asked_back_and_handed_over_when_its_tasks_have_ended(store: Store):
    run = a_planned_run(store)
    foster = a_worker(store, number=5)
    assert store.partitions.take(foster, run) == ["ca"]
    (lease,) = claim(store, foster)
    home = a_worker(store, number=0)
    assert store.partitions.take_planned(home, run) == ["mt"]
    assert claim(store, foster, 10) == []
    assert store.partitions.hand_over(foster) == []
    assert "ca" not in values(claim(store, home, 10))
    finish(store, completed(lease))
    assert store.partitions.hand_over(foster) == ["ca"]
    assert store.partitions.take_planned(home, run) == ["ca", "mt"]
    assert {lease.partition for lease in claim(store, home, 10)} == {"ca"}


def test_only_what_was_asked_back_is_handed_over(store: Store):
    run = a_planned_run(store)
    worker = a_worker(store, number=5)
    taken = store.partitions.take(worker, run, limit=10)
    assert store.partitions.hand_over(worker) == []
    assert sorted(taken) == ["ca", "mt", "tx", "wy"]


def test_a_partition_that_was_asked_back_of_a_worker_that_died_is_claimed_again(store: Store):
    run = a_planned_run(store)
    foster, home = a_worker(store, number=5), a_worker(store, number=0)
    store.partitions.take(foster, run)
    store.partitions.take_planned(home, run)
    store.workers.retire(foster)
    store.partitions.take_planned(home, run)
    assert {lease.partition for lease in claim(store, home, 10)} == {"ca", "mt"}


def test_a_worker_of_the_same_number_keeps_what_it_serves(store: Store):
    run = a_planned_run(store)
    first, second = a_worker(store, number=0), a_worker(store, number=0)
    assert store.partitions.take_planned(first, run) == ["ca", "mt"]
    assert store.partitions.take_planned(second, run) == []
    assert store.partitions.hand_over(first) == []


def test_a_paused_worker_takes_nothing(store: Store):
    run = a_planned_run(store)
    worker = a_worker(store, number=0)
    store.workers.pause(worker)
    assert store.partitions.take_planned(worker, run) == []
    assert store.partitions.take(worker, run) == []
    assert store.partitions.take(worker, run, ["ca"]) == []
    store.workers.unpause(worker)
    assert store.partitions.take_planned(worker, run) == ["ca", "mt"]


def test_a_plan_replaces_the_one_before(store: Store):
    run = a_planned_run(store)
    store.partitions.plan(run, {"wy": 3})
    assert store.partitions.planned(run) == {"wy": 3}
    assert {each.name: each.number for each in store.partitions.find(run)} == {
        "ca": None, "mt": None, "tx": None, "wy": 3,
    }  # fmt: skip
    for wrong in ({"": 1}, {"a": -1}, {"a\0b": 1}):
        with pytest.raises(InputError):
            store.partitions.plan(run, wrong)
    assert store.partitions.planned(run) == {"wy": 3}


def test_a_removed_run_has_no_plan(store: Store, database: Database):
    run = a_planned_run(store)
    store.runs.cancel(run)
    store.runs.remove(run)
    assert database.rows("SELECT count(*) FROM partition_plans") == [(0,)]


def test_the_counts_are_what_is_left_in_each_partition(store: Store):
    run = a_run_of_states(store, ca=4, mt=1)
    store.tasks.enqueue(run, [Target(value="later", partition="ca", due_in_seconds=60)])
    store.tasks.enqueue(run, targets(["free"]))
    worker = a_worker(store)
    store.partitions.take(worker, run, ["ca"])
    leases = [lease for lease in claim(store, worker, 3) if lease.partition]
    finish(store, completed(leases[0]))
    assert store.partitions.counts(run) == {
        "ca": PartitionCounts(waiting=5 - len(leases), running=len(leases) - 1),
        "mt": PartitionCounts(waiting=1),
    }


def test_open_runs_with_partitions_are_found_by_their_scrapers(store: Store):
    run = a_run_of_states(store, ca=1)
    a_run(store, 1)
    over = a_run_of_states(store, ca=1)
    store.runs.cancel(over)
    assert store.partitions.runs(["books", "shops"]) == [run]
    assert store.partitions.runs(["shops"]) == []


HELD_BY = "SELECT h.partition FROM leases AS e JOIN heads AS h ON h.id = e.head_id"
BY_TWO = "AND h.partition <> '' GROUP BY h.partition HAVING count(DISTINCT e.worker_id) > 1"


class Racer:
    """A worker that takes one step after the other, and looks after each who holds what."""

    def __init__(self, store: Store, run: str, number: int) -> None:
        self.store = store.another()
        self.run = run
        self.number = number
        self.worker = a_worker(self.store, number=number)
        self.held = []

    def planned(self) -> None:
        self.store.partitions.take_planned(self.worker, self.run)

    def take(self) -> None:
        self.store.partitions.take(self.worker, self.run)

    def claim(self) -> None:
        self.held += claim(self.store, self.worker, 2, runs=(self.run,))

    def finish(self) -> None:
        if self.held:
            finish(self.store, completed(self.held.pop()))

    def hand_over(self) -> None:
        self.store.partitions.hand_over(self.worker)

    def restart(self) -> None:
        self.store.workers.retire(self.worker)
        self.worker, self.held = a_worker(self.store, number=self.number), []


STEPS = st.lists(
    st.sampled_from(
        [
            Racer.planned,
            Racer.take,
            Racer.claim,
            Racer.claim,
            Racer.finish,
            Racer.hand_over,
            Racer.restart,
        ]
    ),
    min_size=20,
    max_size=30,
)


@pytest.mark.slow
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(both=st.tuples(STEPS, STEPS))
def test_two_workers_that_race_never_hold_tasks_of_one_partition(
    store: Store, database: Database, both: tuple[list[Callable[[Racer], None]], ...]
):
    run = a_run_of_states(store, ca=20, mt=20, tx=20)
    store.partitions.plan(run, {"ca": 0, "mt": 1, "tx": 0})
    held_by_two = f"{HELD_BY} WHERE e.run_id = {store.runs.get(run).id} {BY_TWO}"
    home, foster = (Racer(store, run, number) for number in range(2))
    foster.store.partitions.take(foster.worker, run, limit=3)
    foster.claim()
    start = threading.Barrier(2)

    def race(racer: Racer, steps: list[Callable[[Racer], None]]) -> None:
        start.wait(timeout=20)
        for step in steps:
            step(racer)
            assert database.rows(held_by_two) == []

    with ThreadPoolExecutor(2) as threads:
        for one in [threads.submit(race, *each) for each in zip([home, foster], both, strict=True)]:
            one.result(timeout=40)
    for racer in (home, foster):
        racer.store.workers.retire(racer.worker)
        racer.store.close()
    assert set(owners(store, run).values()) == {None}
