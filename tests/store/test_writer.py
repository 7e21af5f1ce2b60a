"""The writer thread: group commit, retries, and outcomes that were uncertain."""

import asyncio
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from swather.errors import (
    BadPayload,
    Closed,
    ConnectionLost,
    DatabaseBusy,
    DatabaseReadOnly,
    DatabaseUnreachable,
    StoreError,
)
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import Completed, Item, Verdict
from swather.model.query import TaskFilter
from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.worker import NewWorker
from swather.posix import this_process
from swather.store.ports import Store
from swather.store.writer import Writer
from tests.store.given import data

PATIENCE_SECONDS = 20
ACCEPTED, STALE = Verdict.ACCEPTED, Verdict.STALE

Fault = Callable[[], None]


class FaultyQueue:
    """A real queue; what is scripted for a verb happens before or after it, once per call."""

    def __init__(self, queue: Any) -> None:
        self.queue = queue
        self.before: dict[str, deque[Fault]] = defaultdict(deque)
        self.after: dict[str, deque[Fault]] = defaultdict(deque)
        self.poison: set[int] = set()
        self.finished: list[tuple[int, int]] = []
        self.claimed: list[int] = []

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._play(self.before[verb])
            answer = getattr(self.queue, verb)(*arguments, **named)
            self._play(self.after[verb])
            return answer

        return call

    def finish(self, outcomes: Any, claim: ClaimRequest | None = None) -> Any:
        self.finished.append((len(outcomes), claim.count if claim else 0))
        self._play(self.before["finish"])
        if self.poison & {outcome.task_id for outcome in outcomes}:
            raise StoreError("the database choked on this")
        answer = self.queue.finish(outcomes, claim)
        self._play(self.after["finish"])
        return answer

    def claim(self, request: ClaimRequest) -> Any:
        self.claimed.append(request.count)
        self._play(self.before["claim"])
        answer = self.queue.claim(request)
        self._play(self.after["claim"])
        return answer

    @staticmethod
    def _play(script: deque[Fault]) -> None:
        if script:
            script.popleft()()


def raises(error: Exception) -> Fault:
    def fault() -> None:
        raise error

    return fault


LOST = raises(ConnectionLost("the server went away"))
BUSY = raises(DatabaseBusy("somebody writes"))
UNREACHABLE = raises(DatabaseUnreachable("connection refused"))


class Gate:
    """Holds the writer in a verb until it is opened, and tells when it is there."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._opened = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self._opened.wait(PATIENCE_SECONDS)

    def wait(self) -> None:
        assert self.reached.wait(PATIENCE_SECONDS)

    def open(self) -> None:
        self._opened.set()


class Field(NamedTuple):
    """A run of forty tasks, a worker, and a writer whose queue can be made to fail."""

    store: Store
    queue: FaultyQueue
    worker_id: int
    make: Callable[..., Writer]

    def request(self, count: int, *runs: str) -> ClaimRequest:
        return ClaimRequest(worker_id=self.worker_id, count=count, runs=runs or ("first",))

    def leases(self, count: int) -> list[Lease]:
        leases = self.store.queue.claim(self.request(count)).leases
        assert len(leases) == count
        return leases

    def completed(self) -> int:
        return self.store.runs.counts("first").completed


@pytest.fixture
def field(store: Store) -> Iterator[Field]:
    for run in ("first", "second"):
        store.runs.create(NewRun(scraper="books", name=run))
        store.tasks.enqueue(run, [Target(value=f"{run} {n}") for n in range(40)])
    worker_id = store.workers.register(NewWorker(process=this_process()))
    queue = FaultyQueue(store.queue)
    writers: list[Writer] = []

    def make(**bounds: Any) -> Writer:
        writers.append(Writer(SimpleNamespace(queue=queue), **bounds))  # type: ignore[arg-type]
        return writers[-1]

    yield Field(store, queue, worker_id, make)
    for writer in writers:
        writer.close(timeout_seconds=PATIENCE_SECONDS)


def done(lease: Lease, *data: Any) -> Completed:
    items = [Item(each) for each in data]
    return Completed(task_id=lease.task_id, token=lease.token, part=lease.part, items=items)


def forged(lease: Lease) -> Completed:
    return Completed(task_id=lease.task_id, token=lease.token + 1_000)


def result(future: Future[Any]) -> Any:
    return future.result(timeout=PATIENCE_SECONDS)


def test_what_waits_is_one_transaction_and_each_caller_is_told_of_its_own(field: Field):
    first, second, third, fourth = field.leases(4)
    writer = field.make()
    futures = [
        writer.finish([done(first)]),
        writer.finish([done(second), forged(third)]),
        writer.finish([forged(fourth)]),
    ]
    writer.start()
    assert [result(future) for future in futures] == [[ACCEPTED], [ACCEPTED, STALE], [STALE]]
    assert field.queue.finished == [(4, 0)]
    assert field.completed() == 2
    statistics = writer.statistics()
    assert (statistics.batches, statistics.rows, statistics.stale) == (1, 2, 2)
    assert (statistics.retries, statistics.uncertain) == (0, 0)


def test_an_idle_writer_commits_at_once(field: Field):
    with field.make(max_wait_seconds=3_600) as writer:
        for lease in field.leases(2):
            assert result(writer.finish([done(lease)])) == [ACCEPTED]


def test_what_arrives_during_a_transaction_shares_the_next(field: Field):
    gate = Gate()
    field.queue.before["finish"].append(gate)
    first, *others = field.leases(10)
    with field.make() as writer:
        futures = [writer.finish([done(first)])]
        gate.wait()
        futures += [writer.finish([done(lease)]) for lease in others]
        gate.open()
        assert [result(future) for future in futures] == [[ACCEPTED]] * 10
    assert field.queue.finished == [(1, 0), (9, 0)]


def test_outcomes_and_the_next_claim_share_a_transaction(field: Field):
    writer = field.make()
    finished = [writer.finish([done(lease)]) for lease in field.leases(3)]
    claimed = writer.claim(field.request(5))
    writer.start()
    assert [result(future) for future in finished] == [[ACCEPTED]] * 3
    assert len(result(claimed).leases) == 5
    assert field.queue.finished == [(3, 5)]
    assert field.queue.claimed == []


def test_claims_of_one_kind_are_made_as_one_and_dealt_out_in_order(field: Field):
    writer = field.make()
    futures = [writer.claim(field.request(count)) for count in (20, 15, 10, 3)]
    writer.start()
    shares = [[lease.task_id for lease in result(future).leases] for future in futures]
    assert [len(share) for share in shares] == [20, 15, 5, 0]
    assert len({task_id for share in shares for task_id in share}) == 40
    assert field.queue.claimed == [48]
    assert result(futures[0]).retry_after_seconds is None


def test_only_claims_that_came_short_are_told_when_to_come_back(field: Field):
    field.store.tasks.enqueue("second", [Target(value="later", due_in_seconds=30)])
    writer = field.make()
    full, short = (writer.claim(field.request(count, "second")) for count in (30, 20))
    writer.start()
    assert result(full).retry_after_seconds is None
    assert 0 < result(short).retry_after_seconds <= 30


def test_claims_of_different_kinds_are_each_answered(field: Field):
    writer = field.make()
    futures = {run: writer.claim(field.request(4, run)) for run in ("first", "second")}
    writer.start()
    for run, future in futures.items():
        assert [lease.target for lease in result(future).leases] == [f"{run} {n}" for n in range(4)]


def test_a_claim_withdrawn_in_time_takes_nothing(field: Field):
    writer = field.make()
    withdrawn, wanted = writer.claim(field.request(7)), writer.claim(field.request(2))
    assert withdrawn.cancel()
    writer.start()
    assert len(result(wanted).leases) == 2
    assert field.store.runs.counts("first").leased == 2


def test_a_claim_that_cannot_be_compared_is_refused_at_once(field: Field):
    runs: Any = ["first"]
    with field.make() as writer, pytest.raises(TypeError):
        writer.claim(ClaimRequest(worker_id=field.worker_id, count=1, runs=runs))


def test_a_transaction_ends_at_its_row_bound(field: Field):
    writer = field.make(max_rows=10)
    futures = [writer.finish([done(lease)]) for lease in field.leases(25)]
    writer.start()
    assert [result(future) for future in futures] == [[ACCEPTED]] * 25
    assert field.queue.finished == [(10, 0), (10, 0), (5, 0)]


def test_items_count_as_rows_and_a_larger_call_goes_alone(field: Field):
    writer = field.make(max_rows=10)
    small, large, last = field.leases(3)
    outcomes = done(small, 1, 2), done(large, *range(50)), done(last)
    futures = [writer.finish([outcome]) for outcome in outcomes]
    writer.start()
    assert [result(future) for future in futures] == [[ACCEPTED]] * 3
    assert field.queue.finished == [(1, 0), (1, 0), (1, 0)]
    assert field.store.runs.counts("first").items == 52


def test_a_transaction_ends_at_its_byte_bound(field: Field):
    writer = field.make(max_bytes=10_000)
    futures = [writer.finish([done(lease, "x" * 4_000)]) for lease in field.leases(5)]
    writer.start()
    assert [result(future) for future in futures] == [[ACCEPTED]] * 5
    assert field.queue.finished == [(2, 0), (2, 0), (1, 0)]


def test_a_value_that_cannot_be_stored_sinks_only_its_own_call(field: Field):
    leases = field.leases(9)
    writer = field.make()
    data = [float("nan") if n == 5 else n for n in range(9)]
    futures = [
        writer.finish([done(lease, value)]) for lease, value in zip(leases, data, strict=True)
    ]
    claimed = writer.claim(field.request(3))
    writer.start()
    with pytest.raises(BadPayload):
        result(futures.pop(5))
    assert [result(future) for future in futures] == [[ACCEPTED]] * 8
    assert len(result(claimed).leases) == 3
    counts = field.store.runs.counts("first")
    assert (counts.completed, counts.items, counts.leased) == (8, 8, 4)


def test_an_outcome_the_database_chokes_on_sinks_only_its_own_call(field: Field):
    leases = field.leases(16)
    guilty = {2, 3, 11}
    field.queue.poison = {leases[n].task_id for n in guilty}
    writer = field.make()
    futures = [writer.finish([done(lease)]) for lease in leases]
    writer.start()
    for n, future in enumerate(futures):
        if n in guilty:
            with pytest.raises(StoreError, match="choked"):
                result(future)
        else:
            assert result(future) == [ACCEPTED]
    assert field.completed() == 13


def test_a_failing_claim_leaves_the_outcomes_beside_it_alone(field: Field):
    refusal = raises(StoreError("no more claims"))
    field.queue.before["finish"].append(refusal)
    field.queue.before["claim"].append(refusal)
    writer = field.make()
    finished = writer.finish([done(*field.leases(1))])
    claimed = writer.claim(field.request(1))
    writer.start()
    assert result(finished) == [ACCEPTED]
    with pytest.raises(StoreError, match="no more claims"):
        result(claimed)


def test_a_read_only_database_is_told_to_all_without_trying_one_by_one(field: Field):
    field.queue.before["finish"].append(raises(DatabaseReadOnly("no writes here")))
    writer = field.make()
    futures = [writer.finish([done(lease)]) for lease in field.leases(8)]
    writer.start()
    for future in futures:
        with pytest.raises(DatabaseReadOnly):
            result(future)
    assert field.queue.finished == [(8, 0)]


@pytest.mark.parametrize("fault", [BUSY, UNREACHABLE], ids=["busy", "unreachable"])
def test_a_database_that_is_away_for_a_moment_is_tried_again(field: Field, fault: Fault):
    field.queue.before["finish"] += [fault, fault]
    field.queue.before["claim"] += [fault]
    with field.make() as writer:
        assert result(writer.finish([done(*field.leases(1))])) == [ACCEPTED]
        assert len(result(writer.claim(field.request(2))).leases) == 2
        assert writer.statistics().retries == 3
        assert writer.statistics().uncertain == 0


def test_an_outcome_lost_before_its_commit_is_sent_again(field: Field):
    field.queue.before["finish"].append(LOST)
    with field.make() as writer:
        assert result(writer.finish([done(*field.leases(1), "kept")])) == [ACCEPTED]
        assert writer.statistics().uncertain == 1
    assert len(field.queue.finished) == 2
    assert field.completed() == 1
    assert data(field.store, "first") == ["kept"]


def test_an_outcome_committed_before_the_connection_broke_is_read_back_not_repeated(field: Field):
    field.queue.after["finish"].append(LOST)
    leases = field.leases(3)
    writer = field.make()
    futures = [writer.finish([done(lease, "once")]) for lease in leases]
    writer.start()
    assert [result(future) for future in futures] == [[ACCEPTED]] * 3
    assert field.queue.finished == [(3, 0)]
    assert writer.statistics().uncertain == 3
    counts = field.store.runs.counts("first")
    assert (counts.completed, counts.items, counts.stale) == (3, 3, 0)


def test_an_outcome_overtaken_while_the_connection_was_lost_is_stale(field: Field):
    lease, other = field.leases(2)

    def cancelled_meanwhile() -> None:
        field.store.tasks.cancel(TaskFilter(run="first", task_ids=(lease.task_id,)))
        LOST()

    field.queue.before["finish"].append(cancelled_meanwhile)
    with field.make() as writer:
        assert result(writer.finish([done(lease), done(other)])) == [STALE, ACCEPTED]
    counts = field.store.runs.counts("first")
    assert (counts.completed, counts.cancelled) == (1, 1)


def test_a_commit_that_lands_after_it_was_read_back_as_pending_is_still_mine(field: Field):
    outcome = done(*field.leases(1))

    def lands_late() -> None:
        field.store.queue.finish([outcome])

    field.queue.before["finish"] += [LOST, lands_late]
    with field.make() as writer:
        assert result(writer.finish([outcome])) == [ACCEPTED]
    assert field.completed() == 1


def test_reading_back_waits_for_the_database_too(field: Field):
    field.queue.after["finish"].append(LOST)
    field.queue.before["standing"] += [LOST, UNREACHABLE]
    with field.make() as writer:
        assert result(writer.finish([done(*field.leases(1))])) == [ACCEPTED]
        assert writer.statistics().retries == 3
    assert field.completed() == 1


def test_a_claim_whose_reply_was_lost_is_made_anew_and_the_beat_gives_back_the_first(field: Field):
    field.queue.after["finish"].append(LOST)
    writer = field.make()
    finished = writer.finish([done(*field.leases(1))])
    claimed = writer.claim(field.request(4))
    writer.start()
    assert result(finished) == [ACCEPTED]
    held = {lease.fence for lease in result(claimed).leases}
    assert len(held) == 4
    assert field.store.runs.counts("first").leased == 8
    beat = field.store.workers.beat(field.worker_id, held)
    assert (beat.released, beat.lost) == (4, frozenset())
    assert field.store.runs.counts("first").leased == 4


def test_a_checkpoint_handed_over_before_the_finish_is_committed_before_it(field: Field):
    (lease,) = field.leases(1)
    writer = field.make()
    saved = writer.checkpoint(lease.fence, part=0, cursor={"page": 2}, items=[Item("early")])
    ended = writer.finish([Completed(task_id=lease.task_id, token=lease.token, part=1)])
    writer.start()
    assert (result(saved), result(ended)) == (ACCEPTED, [ACCEPTED])
    assert data(field.store, "first") == ["early"]


def test_a_checkpoint_whose_reply_was_lost_is_repeated_without_doubling_its_items(field: Field):
    (lease,) = field.leases(1)
    field.queue.after["checkpoint"].append(LOST)
    with field.make() as writer:
        saved = writer.checkpoint(lease.fence, part=0, cursor=1, items=[Item("a"), Item("b")])
        assert result(saved) == ACCEPTED
    assert field.store.runs.counts("first").items == 2


def test_progress_and_permits_pass_through(field: Field):
    (lease,) = field.leases(1)
    field.queue.before["permits"].append(BUSY)
    stranger = (lease.task_id, lease.token + 1_000)
    with field.make() as writer:
        assert result(writer.progress(lease.fence, {"page": 3})) == ACCEPTED
        assert result(writer.progress(stranger, {"page": 9})) == STALE
        assert result(writer.permits(lease.fence, "example.com", 3)).granted == 3
        assert result(writer.permits(stranger, "example.com")).granted == 0
    assert field.store.tasks.get(lease.task_id).progress == {"page": 3}


def test_a_failing_call_reaches_its_caller_and_no_one_else(field: Field):
    (lease,) = field.leases(1)
    writer = field.make()
    bad = writer.progress(lease.fence, float("nan"))
    good = writer.finish([done(lease)])
    writer.start()
    with pytest.raises(BadPayload):
        result(bad)
    assert result(good) == [ACCEPTED]


def test_close_commits_all_that_waits_and_then_refuses(field: Field):
    gate = Gate()
    field.queue.before["finish"].append(gate)
    writer = field.make(max_rows=4)
    (first, *others) = field.leases(20)
    writer.start()
    futures = [writer.finish([done(first)])]
    gate.wait()
    futures += [writer.finish([done(lease)]) for lease in others]
    gate.open()
    assert writer.close(timeout_seconds=PATIENCE_SECONDS)
    assert all(future.done() for future in futures)
    assert [result(future) for future in futures] == [[ACCEPTED]] * 20
    for verb in (
        lambda: writer.finish([done(first)]),
        lambda: writer.claim(field.request(1)),
        lambda: writer.progress(first.fence, 1),
        lambda: writer.checkpoint(first.fence, part=0, cursor=1),
        lambda: writer.permits(first.fence, "example.com"),
    ):
        with pytest.raises(Closed):
            verb()


def test_close_at_its_deadline_leaves_no_caller_waiting(field: Field):
    gate = Gate()
    field.queue.before["finish"].append(gate)
    (running, waiting) = field.leases(2)
    writer = field.make()
    writer.start()
    futures: list[Future[Any]] = [writer.finish([done(running)])]
    gate.wait()
    futures += [writer.finish([done(waiting)]), writer.claim(field.request(1))]
    assert not writer.close(timeout_seconds=0.01)
    for future in futures:
        assert future.done()
        with pytest.raises(Closed):
            result(future)
    gate.open()


def test_close_ends_the_waiting_for_a_database_that_stays_away(field: Field):
    tried = Gate()
    tried.open()
    field.queue.before["finish"] += [tried, *[UNREACHABLE] * 1_000]
    first, second = field.leases(2)
    with field.make() as writer:
        result(writer.finish([done(first)]))
        future = writer.finish([done(second)])
        assert not writer.close(timeout_seconds=0.05)
        with pytest.raises(Closed):
            result(future)
    assert field.completed() == 1


def test_a_writer_closed_before_it_was_started_leaves_no_caller_waiting(field: Field):
    writer = field.make()
    future = writer.finish([done(*field.leases(1))])
    assert not writer.close()
    with pytest.raises(Closed):
        result(future)
    assert field.completed() == 0


def test_coroutines_can_wait_for_it(field: Field):
    leases = field.leases(30)

    async def finish_all(writer: Writer) -> list[list[Verdict]]:
        waiting = [asyncio.wrap_future(writer.finish([done(lease)])) for lease in leases]
        return await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE_SECONDS)

    with field.make() as writer:
        assert asyncio.run(finish_all(writer)) == [[ACCEPTED]] * 30
    assert field.completed() == 30


def test_many_threads_finish_and_claim_until_nothing_is_left(field: Field):
    taken: list[int] = []

    def work(writer: Writer) -> None:
        while leases := result(writer.claim(field.request(3))).leases:
            taken.extend(lease.task_id for lease in leases)
            for lease in leases:
                assert result(writer.finish([done(lease)])) == [ACCEPTED]

    with field.make() as writer:
        threads = [threading.Thread(target=work, args=(writer,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        assert writer.statistics().rows == 40
    assert sorted(taken) == sorted(set(taken))
    assert len(taken) == field.completed() == 40
