"""The writer thread: group commit, claims, calls, and its end."""

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from swather.errors import (
    BadPayload,
    Closed,
)
from swather.model.lease import ClaimRequest
from swather.model.outcome import Completed, Item, Verdict
from swather.model.task import Target
from swather.store.writer import Writer
from tests.store.field import (
    ACCEPTED,
    BUSY,
    LOST,
    PATIENCE_SECONDS,
    STALE,
    UNREACHABLE,
    Field,
    Gate,
    done,
    forged,
    result,
)
from tests.store.given import data

if TYPE_CHECKING:
    from concurrent.futures import Future


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
