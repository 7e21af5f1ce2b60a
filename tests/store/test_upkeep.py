from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import swather.store
from swather.errors import NotFound, SwatherError
from swather.model.outcome import File
from swather.model.source import Answer, SourceNote
from swather.model.task_filter import TaskFilter
from swather.store import Store, migrate
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, failed, finish, states
from tests.store.pool import broke, proxies, report


def test_the_schema_is_this_releases(store: Store, database: Database):
    assert store.upkeep.schema_version() == migrate.latest(database.package)


def test_a_sound_store_has_nothing_wrong(store: Store):
    a_run(store, 5, lane="site")
    claim(store, a_worker(store), 2)
    assert store.upkeep.check() == []


DAMAGE = {
    "leased and ready": """
        INSERT INTO ready (head_id, priority, task_id)
        SELECT head_id, priority, task_id FROM leases""",
    "leased and scheduled": """
        INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)
        SELECT task_id, run_id, head_id, priority, claimed_at FROM leases""",
    "leases lost": "DELETE FROM leases",
    "ready lost": "DELETE FROM ready",
    "counters lost": "DELETE FROM counters",
    "items lost": "DELETE FROM items",
    "files lost": "DELETE FROM files",
    "a kind of failure lost": "DELETE FROM source_counts WHERE name LIKE 'error:%'",
    "list of a proxy lost": "DELETE FROM proxy_sources WHERE proxy_id = 1",
    "proxy lost": "DELETE FROM proxies WHERE id = 1",
    "count of a proxy lost": "UPDATE proxies SET faults_proxy = 0",
    "URL of a proxy changed": "UPDATE proxies SET url = 'http://10.9.9.9:1' WHERE id = 1",
    "URL of a proxy damaged": "UPDATE proxies SET url = 'x' WHERE id = 1",
    "leased proxy disabled": "UPDATE proxies SET enabled = NOT enabled",
    "task moved to a head that is not there": "UPDATE tasks SET head_id = 999 WHERE id = 2",
    "task moved to a head of another run": """
        UPDATE tasks SET head_id = (SELECT max(id) FROM heads) WHERE id = 2""",
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_broken_queue_is_found_out(own_store: Store, own_database: Database, damage):
    store, database = own_store, own_database
    a_run(store, 6, lane="site")
    a_run(store, 1, lane="another")
    worker = a_worker(store)
    first, *_ = claim(store, worker, 3)
    report(store, *(broke(proxy) for proxy in proxies(store, 2)))
    store.proxies.checkout(worker, 1)
    file = File(name="page.html", sha256="0" * 64, size_bytes=1, media_type="")
    noted = SourceNote(name="api", answer=Answer.FAILED, error="HTTP 500")
    finish(store, completed(first, "item", files=[file], sources=[noted]))
    assert store.upkeep.check() == []
    database.execute(DAMAGE[damage])
    wrong = store.upkeep.check()
    assert wrong
    assert all(isinstance(line, str) for line in wrong)


def test_a_backup_is_a_whole_copy(store: Store, database: Database, tmp_path: Path):
    run = a_run(store, 5)
    report(store, *(broke(proxy, times=9) for proxy in proxies(store, 2)))
    finish(store, *(completed(lease, "item") for lease in claim(store, a_worker(store), 2)))
    copy = tmp_path / "copy.backup"
    store.upkeep.backup(copy)
    assert copy.stat().st_size > 1_000
    if database.kind == "sqlite":
        with closing(swather.store.open(f"sqlite:///{copy}")) as opened:
            assert states(opened, run) == states(store, run)
            assert opened.proxies.find() == store.proxies.find() != []
            assert opened.upkeep.check() == []


def test_a_backup_overwrites_nothing(store: Store, tmp_path: Path):
    taken = tmp_path / "taken"
    taken.write_text("precious")
    with pytest.raises(SwatherError, match="taken"):
        store.upkeep.backup(taken)
    assert taken.read_text() == "precious"


def test_a_backup_that_cannot_be_written_says_where(store: Store, tmp_path: Path):
    with pytest.raises(SwatherError, match="nowhere"):
        store.upkeep.backup(tmp_path / "nowhere" / "copy")


def test_stats_say_how_large_the_queue_is(store: Store):
    a_run(store, 5)
    proxies(store, 3)
    stats = store.upkeep.stats()
    assert stats["proxies"] == 3
    assert all(isinstance(name, str) for name in stats)


def test_pragmas_show_that_commits_are_durable(store: Store, database: Database):
    pragmas = store.upkeep.pragmas()
    if database.kind == "sqlite":
        assert str(pragmas["journal_mode"]).lower() == "wal"
        assert str(pragmas["synchronous"]).lower() in ("2", "full")
    else:
        assert {"fsync", "synchronous_commit"} <= set(pragmas)


def test_the_wal_can_be_checkpointed_and_the_database_vacuumed(store: Store):
    run = a_run(store, 5)
    assert isinstance(store.upkeep.checkpoint_wal(), dict)
    assert list(store.upkeep.vacuum())
    assert states(store, run) == {"ready": 5}
    assert store.upkeep.check() == []


def test_old_ended_runs_are_pruned(store: Store, clock: Clock):
    old, young, open_ = a_run(store, name="old"), a_run(store, name="young"), a_run(store, 1)
    store.runs.settle(old)
    clock.advance(10 * 86_400)
    store.runs.settle(young)
    pruned = store.upkeep.prune(runs_ended_before=_now(clock) - timedelta(days=5))
    assert pruned["runs"] == 1
    with pytest.raises(NotFound, match="old"):
        store.runs.get(old)
    assert [run.name for run in store.runs.find()] == [open_, young]


def test_cancelled_runs_are_pruned_too(store: Store, clock: Clock):
    run = a_run(store, 3)
    store.runs.cancel(run)
    clock.advance(10 * 86_400)
    store.upkeep.prune(runs_ended_before=_now(clock) - timedelta(days=5))
    assert store.runs.find() == []


def test_runs_past_their_days_are_dropped_a_batch_at_a_time(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(f"{type(store.upkeep).__module__}.EXPIRED_BATCH", 2)
    old, worker = a_run(store, 3, name="old"), a_worker(store)
    finish(store, *(completed(lease, "x") for lease in claim(store, worker, 3)))
    store.runs.settle(old)
    a_run(store, 1, name="open")
    clock.advance(10 * 86_400)
    young = a_run(store, name="young")
    store.runs.settle(young)
    assert store.upkeep.drop_expired() is None  # nobody has said for how long
    store.settings.set("keep_runs_days", 9)
    assert store.upkeep.drop_expired() == "old"
    assert store.runs.counts(old).total == 1
    assert store.upkeep.check() == []
    while store.upkeep.drop_expired() is not None:
        pass
    assert [run.name for run in store.runs.find()] == [young, "open"]
    assert store.upkeep.check() == []


def test_a_run_that_is_opened_again_while_it_is_dropped_stays(store: Store, clock: Clock):
    run, worker = a_run(store, 1), a_worker(store)
    finish(store, *(failed(lease) for lease in claim(store, worker)))
    store.runs.settle(run)
    clock.advance(10 * 86_400)
    store.settings.set("keep_runs_days", 1)
    store.tasks.retry(TaskFilter(run=run))
    assert store.upkeep.drop_expired() is None
    assert states(store, run) == {"ready": 1}


def test_pruning_unasked_keeps_every_run(store: Store, clock: Clock):
    run = a_run(store)
    store.runs.settle(run)
    clock.advance(1_000 * 86_400)
    store.upkeep.prune()
    assert [found.name for found in store.runs.find()] == [run]


def test_rows_of_long_gone_workers_are_pruned(store: Store, clock: Clock):
    gone = a_worker(store)
    store.workers.retire(gone)
    here = a_worker(store, lease_seconds=1_000 * 86_400)
    store.upkeep.prune()
    assert len(store.workers.find(live=False)) == 2
    clock.advance(365 * 86_400)
    store.upkeep.prune()
    assert [worker.id for worker in store.workers.find(live=False)] == [here]


def _now(clock: Clock) -> datetime:
    return datetime.fromtimestamp(clock.wall(), UTC)
