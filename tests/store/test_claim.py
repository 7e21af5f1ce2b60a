import pytest

from swather.errors import InputError
from swather.model.lane import PacedKind
from swather.model.lease import ClaimRequest
from swather.model.pacing import Limits
from swather.model.retry import Faults
from swather.model.task import State, Target
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_task,
    a_worker,
    claim,
    completed,
    finish,
    states,
    targets,
    values,
)

SCRAPER = PacedKind.SCRAPER


def test_a_claim_gives_as_many_as_were_asked_for(store: Store):
    run, worker = a_run(store, 10), a_worker(store)
    assert len(claim(store, worker, 4)) == 4
    assert states(store, run) == {"ready": 6, "leased": 4}


def test_a_claim_gives_what_there_is(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    assert len(claim(store, worker, 10)) == 3
    assert states(store, run) == {"leased": 3}


def test_no_task_is_given_twice(store: Store):
    a_run(store, 10)
    first, second = a_worker(store), a_worker(store)
    taken = [lease.task_id for worker in (first, second) for lease in claim(store, worker, 8)]
    assert len(taken) == len(set(taken)) == 10


def test_a_lease_carries_all_that_an_attempt_needs(store: Store):
    run = store.runs.get(a_run(store))
    parent = a_task(store, run.name, Target(value="parent", due_in_seconds=1_000))
    target = Target(value={"q": "ü"}, priority=8, lane="site", parent_id=parent)
    task_id = a_task(store, run.name, target)
    (lease,) = claim(store, a_worker(store))
    assert (lease.task_id, lease.run_id, lease.target) == (task_id, run.id, {"q": "ü"})
    assert (lease.priority, lease.lane, lease.partition) == (8, "site", "")
    assert lease.parent_id == parent
    assert (lease.part, lease.cursor, lease.faults, lease.attempt) == (0, None, Faults(), 1)
    assert lease.fence == (task_id, lease.token)


def test_a_leased_task_names_its_worker(store: Store):
    a_run(store, 1)
    worker = a_worker(store, name="anna")
    (lease,) = claim(store, worker)
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.worker) == (State.LEASED, "anna")
    assert store.workers.get(worker).leases == 1


def test_tokens_grow_with_every_claim_of_the_database(store: Store, other: Store):
    a_run(store, 3)
    tokens = [claim(one, a_worker(one))[0].token for one in (store, other, store)]
    assert tokens == sorted(set(tokens))


def test_a_task_claimed_again_has_a_new_token(store: Store, clock: Clock):
    a_run(store, 1)
    (first,) = claim(store, a_worker(store))
    clock.advance(61)
    store.workers.sweep()
    (second,) = claim(store, a_worker(store))
    assert second.task_id == first.task_id
    assert second.token > first.token


def test_a_claim_takes_only_from_the_runs_it_names(store: Store):
    _, mine = a_run(store, 3), a_run(store, 3)
    leases = claim(store, a_worker(store), 10, runs=(mine,))
    assert [lease.run_id for lease in leases] == [store.runs.get(mine).id] * 3


def test_a_claim_takes_only_from_the_scrapers_it_names(store: Store):
    a_run(store, 3, scraper="films")
    books = a_run(store, 3, scraper="books")
    leases = claim(store, a_worker(store), 10, scrapers=("books",))
    assert [lease.run_id for lease in leases] == [store.runs.get(books).id] * 3
    assert claim(store, a_worker(store), 10, scrapers=("songs",)) == []


def test_runs_take_turns(store: Store):
    runs = [store.runs.get(a_run(store, 50)).id for _ in range(3)]
    worker = a_worker(store)
    taken = [claim(store, worker)[0].run_id for _ in range(30)]
    assert all(8 <= taken.count(run) <= 12 for run in runs)


def test_one_claim_spreads_over_the_lanes(store: Store):
    run = a_run(store)
    for lane in ("a", "b", "c", "d"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(50)], lane=lane))
    lanes = [lease.lane for lease in claim(store, a_worker(store), 20)]
    assert {lane: lanes.count(lane) for lane in lanes} == dict.fromkeys("abcd", 5)


def test_claims_of_one_go_round_the_lanes(store: Store):
    run = a_run(store)
    for lane in ("a", "b"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(50)], lane=lane))
    worker = a_worker(store)
    lanes = [claim(store, worker)[0].lane for _ in range(20)]
    assert 8 <= lanes.count("a") <= 12


def test_a_short_lane_leaves_its_share_to_the_others(store: Store):
    run = a_run(store)
    store.tasks.enqueue(run, targets(["a0"], lane="a"))
    store.tasks.enqueue(run, targets(range(50), lane="b"))
    assert len(claim(store, a_worker(store), 20)) == 20


def test_more_lanes_than_wanted_tasks_are_all_served_in_time(store: Store):
    run, worker = a_run(store), a_worker(store)
    store.tasks.enqueue(run, [Target(value=n, lane=f"lane{n}") for n in range(100)])
    taken = []
    while leases := claim(store, worker, 7):
        taken += values(leases)
    assert sorted(taken) == list(range(100))


def test_a_paused_worker_gets_nothing(store: Store):
    a_run(store, 2)
    worker, free = a_worker(store), a_worker(store)
    store.workers.pause(worker)
    assert store.workers.get(worker).paused
    assert claim(store, worker) == []
    assert len(claim(store, free)) == 1
    store.workers.unpause(worker)
    assert len(claim(store, worker)) == 1


def test_a_worker_that_was_given_up_gets_nothing(store: Store, clock: Clock):
    a_run(store, 2)
    lost, retired = a_worker(store), a_worker(store)
    store.workers.retire(retired)
    clock.advance(61)
    store.workers.sweep()
    assert claim(store, lost) == []
    assert claim(store, retired) == []
    assert claim(store, 999_999) == []


def test_a_worker_past_its_lease_gets_nothing_though_nobody_swept(store: Store, clock: Clock):
    a_run(store, 2)
    worker = a_worker(store, lease_seconds=10)
    clock.advance(11)
    assert claim(store, worker) == []


HOLDS = {
    "the run is paused": lambda store, run, worker: store.runs.pause(run),
    "the lane is paused": lambda store, run, worker: store.lanes.pause("site"),
    "the lane cools down": lambda store, run, worker: store.lanes.cool("site", 60),
    "the lane is full": lambda store, run, worker: store.lanes.limit("site", Limits(in_flight=1)),
    "the scraper is paused": lambda store, run, worker: store.lanes.pause("books", SCRAPER),
    "the scraper cools down": lambda store, run, worker: store.lanes.cool("books", 60, "", SCRAPER),
    "the worker is paused": lambda store, run, worker: store.workers.pause(worker),
    "the worker is given up": lambda store, run, worker: store.workers.sweep(dead=[worker]),
    "the worker retires": lambda store, run, worker: store.workers.retire(worker),
    "the run is cancelled": lambda store, run, worker: store.runs.cancel(run),
}


@pytest.mark.parametrize("change", HOLDS)
def test_what_changes_elsewhere_right_after_a_claim_holds_for_the_next(
    store: Store, other: Store, change: str
):
    run, worker = a_run(store, scraper="books"), a_worker(store)
    store.tasks.enqueue(run, targets(10, lane="site", partition="north"))
    store.partitions.take(worker, run)
    assert len(claim(store, worker)) == 1
    HOLDS[change](other, run, worker)
    assert claim(store, worker) == []


def test_a_worker_past_its_lease_right_after_a_claim_gets_nothing(store: Store, clock: Clock):
    a_run(store, 10)
    worker = a_worker(store)
    assert len(claim(store, worker)) == 1
    clock.advance(61)
    assert claim(store, worker) == []


def test_a_run_that_is_being_cancelled_gives_nothing(store: Store, database: Database):
    a_run(store, 10)
    worker = a_worker(store)
    assert len(claim(store, worker)) == 1
    database.execute("UPDATE runs SET state = 'cancelled'")
    assert claim(store, worker) == []


def test_a_claim_of_none_is_refused(store: Store):
    with pytest.raises(InputError, match="0"):
        claim(store, a_worker(store), 0)


def test_a_finish_brings_the_next_claim(store: Store):
    a_run(store, 3)
    worker = a_worker(store)
    (lease,) = claim(store, worker)
    done = store.queue.finish([completed(lease)], ClaimRequest(worker_id=worker, count=1))
    assert done.verdicts == ["accepted"]
    assert values(done.claimed.leases) == [1]
    assert store.queue.finish([completed(done.claimed.leases[0])]).claimed is None


def test_a_finish_of_nothing_is_a_claim(store: Store):
    a_run(store, 1)
    done = store.queue.finish([], ClaimRequest(worker_id=a_worker(store), count=1))
    assert done.verdicts == []
    assert values(done.claimed.leases) == [0]


def test_a_claim_sees_the_children_that_its_finish_brings(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    done = store.queue.finish(
        [completed(lease, children=targets(["child"]))], ClaimRequest(worker_id=worker, count=1)
    )
    assert values(done.claimed.leases) == ["child"]
    assert states(store, run) == {"completed": 1, "leased": 1}


def test_draining_takes_every_task_once(store: Store):
    run, worker = a_run(store, 250, lane="site"), a_worker(store)
    taken = []
    while leases := claim(store, worker, 40):
        taken += values(leases)
        finish(store, *(completed(lease) for lease in leases))
    assert sorted(taken) == list(range(250))
    assert states(store, run) == {"completed": 250}
