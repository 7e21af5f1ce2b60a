"""The writer thread when something fails: retries, and outcomes that were uncertain."""

import msgspec
import pytest

from swather.errors import (
    BadPayload,
    DatabaseReadOnly,
    StoreError,
)
from swather.model.task_filter import TaskFilter
from tests.store.database import Database
from tests.store.field import (
    ACCEPTED,
    BUSY,
    LOST,
    STALE,
    UNREACHABLE,
    Fault,
    Field,
    done,
    raises,
    result,
)
from tests.store.given import data


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


def test_a_claim_whose_answer_cannot_be_read_leaves_the_outcomes_beside_it_alone(
    field: Field, database: Database
):
    writer = field.make()
    finished = writer.finish([done(*field.leases(1), "kept")])
    claimed = writer.claim(field.request(1))
    database.execute("UPDATE tasks SET target = 'no JSON'")
    writer.start()
    assert result(finished) == [ACCEPTED]
    with pytest.raises(msgspec.DecodeError):
        result(claimed)
    counts = field.store.runs.counts("first")
    assert (counts.completed, counts.stale) == (1, 0)


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
