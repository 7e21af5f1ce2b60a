"""Real threads and processes: nothing twice, nothing left, no rate exceeded, fair shares."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime

import pytest

from swather.model.lease import ClaimRequest, Lease
from swather.model.pacing import Limits
from swather.model.run import RunState
from swather.store import Store
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, states, targets
from tests.store.processes import running
from tests.store.threads import together

pytestmark = pytest.mark.slow

CLAIMERS = 8
DRAIN = """
worker = a_worker(store)
print("ready", flush=True)
sys.stdin.readline()
request = ClaimRequest(worker_id=worker, count=100)
leases = store.queue.claim(request).leases
while leases:
    print(*(lease.task_id for lease in leases))
    done = store.queue.finish([completed(lease, lease.target) for lease in leases], request)
    assert set(done.verdicts) == {"accepted"}
    leases = done.claimed.leases
store.close()
"""


def drain(store: Store, worker: int) -> list[int]:
    request = ClaimRequest(worker_id=worker, count=100)
    taken = []
    leases = store.queue.claim(request).leases
    while leases:
        taken += [lease.task_id for lease in leases]
        done = store.queue.finish([completed(lease, lease.target) for lease in leases], request)
        assert set(done.verdicts) == {"accepted"}
        assert done.claimed is not None
        leases = done.claimed.leases
    return taken


def assert_drained(store: Store, run: str, taken: list[int], count: int) -> None:
    assert len(taken) == len(set(taken)) == count
    assert states(store, run) == {"completed": count}
    assert store.runs.counts(run).items == count
    assert store.runs.settle(run)
    assert store.upkeep.check() == []


def test_eight_threads_take_ten_thousand_tasks_once_each(store: Store):
    run = a_run(store, 10_000)
    assert_drained(store, run, together(store, drain), 10_000)


def test_eight_processes_take_ten_thousand_tasks_once_each(store: Store, database: Database):
    run = a_run(store, 10_000)
    taken: list[int] = []
    with ExitStack() as stack:
        claimers = [stack.enter_context(running(database.url, DRAIN)) for _ in range(CLAIMERS)]
        for claimer in claimers:
            assert claimer.line() == "ready"
        for claimer in claimers:
            claimer.go()
        for claimer in claimers:
            taken += map(int, claimer.rest().split())
    assert_drained(store, run, taken, 10_000)


def test_eight_claimers_on_many_lanes_and_limits_leave_nothing(store: Store):
    run = a_run(store, lane_limits=Limits(in_flight=20))
    for lane in range(20):
        given = [f"{lane}-{n}" for n in range(20)]
        store.tasks.enqueue(run, targets(given, lane=f"lane{lane}", priority=1 + lane % 10))

    def drain_with_patience(mine: Store, worker: int) -> list[int]:
        taken = []
        while store_has_work(mine):
            leases = claim(mine, worker, 10)
            taken += [lease.task_id for lease in leases]
            finish(mine, *(completed(lease, lease.target) for lease in leases))
        return taken

    def store_has_work(mine: Store) -> bool:
        return mine.runs.counts(run).unfinished > 0

    assert_drained(store, run, together(store, drain_with_patience), 400)


def test_threads_that_share_one_store_take_turns(store: Store):
    run = a_run(store, 500)
    with ThreadPoolExecutor(4) as threads:
        begun = [threads.submit(drain, store, a_worker(store)) for _ in range(4)]
        taken = [found for one in begun for found in one.result(timeout=50)]
    assert_drained(store, run, taken, 500)


def test_a_target_enqueued_by_eight_at_once_is_stored_once(store: Store):
    run = a_run(store)
    given = targets(500)

    def load(mine: Store, _: int) -> list[int]:
        return [mine.tasks.enqueue(run, given, batch_size=50).added]

    assert sum(together(store, load)) == 500
    assert states(store, run) == {"ready": 500}


def test_loading_and_draining_at_once_leaves_nothing(store: Store):
    run = a_run(store)
    loaded = threading.Event()

    def load() -> None:
        mine = store.another()
        for start in range(0, 2_000, 100):
            mine.tasks.enqueue(run, targets(range(start, start + 100), lane=f"l{start % 300}"))
        loaded.set()
        mine.close()

    def follow(mine: Store, worker: int) -> list[int]:
        taken = []
        while True:
            was_loaded = loaded.is_set()
            found = drain(mine, worker)
            taken += found
            if was_loaded and not found:
                return taken

    with ThreadPoolExecutor(1) as threads:
        loading = threads.submit(load)
        taken = together(store, follow, 3)
        loading.result(timeout=50)
    assert_drained(store, run, taken, 2_000)


def start_times(database: Database, lane: str | None = None) -> list[float]:
    """When each leased task was given out, by the database's own clock."""
    where = "" if lane is None else f"WHERE lanes.name = '{lane}'"
    rows = database.rows(f"SELECT claimed_at FROM leases JOIN lanes ON lanes.id = lane_id {where}")
    times = [at.timestamp() if isinstance(at, datetime) else at for (at,) in rows]
    return sorted(times)


def most_in_a_second(times: list[float]) -> int:
    return max(sum(begin <= at < begin + 1.0 for at in times) for begin in times)


def claim_until(deadline: float) -> Callable[[Store, int], list[Lease]]:
    """Claim as told, coming back when the store says, until a moment of this process's clock."""

    def work(store: Store, worker: int) -> list[Lease]:
        taken = []
        while (left := deadline - time.monotonic()) > 0:
            claimed = store.queue.claim(ClaimRequest(worker_id=worker, count=3))
            taken += claimed.leases
            if not claimed.leases:
                wait = claimed.retry_after_seconds
                time.sleep(min(left, 0.05 if wait is None else wait))
        return taken

    return work


def test_eight_claimers_never_exceed_the_rate_of_a_lane(store: Store, database: Database):
    """Two runs share the lane at 5/s with a burst of 2; a second lane goes at its own pace."""
    for _ in range(2):
        run = a_run(store)
        for lane in ("slow", "other"):
            store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(100)], lane=lane))
    store.lanes.limit("slow", Limits(0.2, 2))
    store.lanes.limit("other", Limits(0.1, 1))
    taken = together(store, claim_until(time.monotonic() + 3.5))
    assert len({lease.task_id for lease in taken}) == len(taken)
    slow, other = start_times(database, "slow"), start_times(database, "other")
    assert most_in_a_second(slow) <= 5 + 2
    assert most_in_a_second(other) <= 10 + 1
    assert 6 <= len(slow) <= 5 * 3.5 + 2
    assert 11 <= len(other) <= 10 * 3.5 + 1
    by_run = [[lease.run_id for lease in taken].count(run) for run in {x.run_id for x in taken}]
    assert min(by_run) > len(taken) * 0.1
    counts = [store.runs.counts(run.name) for run in store.runs.find(state=RunState.OPEN)]
    assert sum(count.leased for count in counts) == len(taken)


def test_eight_claimers_never_exceed_the_places_in_flight(store: Store):
    a_run(store, 200, lane="site")
    store.lanes.limit("site", Limits(in_flight=3))
    most = []

    def work(mine: Store, worker: int) -> list[int]:
        done = []
        for _ in range(20):
            leases = claim(mine, worker, 2)
            most.append(mine.lanes.get("site").in_flight)
            finish(mine, *(completed(lease) for lease in leases))
            done += [lease.task_id for lease in leases]
        return done

    taken = together(store, work)
    assert len(taken) == len(set(taken)) > 0
    assert max(most) <= 3


def test_two_lanes_share_eight_claimers_fairly(store: Store):
    run = a_run(store)
    for lane in ("a", "b"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(400)], lane=lane))

    def work(mine: Store, worker: int) -> list[str]:
        return [lease.lane for _ in range(10) for lease in claim(mine, worker, 4)]

    lanes = together(store, work)
    assert len(lanes) == 320
    assert 100 <= lanes.count("a") <= 220


def test_finishes_and_sweeps_at_once_end_each_task_once(store: Store):
    """One side finishes leases while the other declares their worker dead."""
    run = a_run(store, 300)
    dying = a_worker(store, name="dying")
    leases = claim(store, dying, 300)
    start = threading.Barrier(2)

    def finish_all() -> list[str]:
        mine = store.another()
        start.wait(timeout=20)
        verdicts = [verdict for lease in leases for verdict in finish(mine, completed(lease, 1))]
        mine.close()
        return verdicts

    with ThreadPoolExecutor(1) as threads:
        finishing = threads.submit(finish_all)
        start.wait(timeout=20)
        swept = store.workers.sweep(dead=[dying]).tasks
        verdicts = finishing.result(timeout=50)
    assert verdicts.count("accepted") + swept == 300
    taken = together(store, drain, 2)
    assert len(taken) == swept
    assert states(store, run) == {"completed": 300}
    assert store.runs.counts(run).items == 300
    assert store.upkeep.check() == []
