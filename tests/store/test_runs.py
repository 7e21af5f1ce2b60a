import re
from datetime import UTC, datetime

import pytest

from swather.errors import InputError, NotFound, SwatherError
from swather.model.lease import Strategy
from swather.model.outcome import File
from swather.model.pacing import NO_LIMITS, Limits
from swather.model.run import Counts, NewRun, RunState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    cancelled,
    claim,
    completed,
    data,
    failed,
    finish,
    targets,
)
from tests.store.threads import together


def test_a_run_is_read_back_as_it_was_made(store: Store):
    new = NewRun(
        scraper="books",
        name="first",
        params={"depth": 2, "words": ["ä", None]},
        version="3",
        strategy=Strategy.LIFO,
        lane_limits=Limits(0.5, 3, 4),
    )
    made = store.runs.create(new)
    run = store.runs.get("first")
    assert run == made == store.runs.by_id(made.id)
    assert (run.scraper, run.params, run.version) == ("books", new.params, "3")
    assert (run.strategy, run.lane_limits) == (Strategy.LIFO, Limits(0.5, 3, 4))
    assert run.state is RunState.OPEN
    assert (run.paused, run.load_incomplete) == (False, False)
    assert (run.times_finished, run.finished_at) == (0, None)
    assert run.created_at.utcoffset() is not None


def test_a_run_that_was_removed_is_not_found_by_its_id(store: Store):
    run = store.runs.create(NewRun(scraper="books"))
    store.runs.cancel(run.name)
    store.runs.remove(run.name)
    with pytest.raises(NotFound, match=f"no run number {run.id}"):
        store.runs.by_id(run.id)


def test_a_missing_name_is_made_from_the_time_and_the_scraper(store: Store):
    assert re.fullmatch(r"\d{8}_\d{6}-books", store.runs.create(NewRun(scraper="books")).name)


def test_runs_made_in_the_same_second_get_different_names(store: Store):
    names = [store.runs.create(NewRun(scraper="books")).name for _ in range(5)]
    assert len(set(names)) == 5


def test_a_taken_name_is_refused_and_named(store: Store):
    store.runs.create(NewRun(scraper="books", name="mine"))
    with pytest.raises(SwatherError, match="mine"):
        store.runs.create(NewRun(scraper="films", name="mine"))
    assert store.runs.get("mine").scraper == "books"


def test_an_unknown_run_is_not_found_by_any_verb(store: Store):
    for verb in (
        store.runs.get,
        store.runs.counts,
        store.runs.pause,
        store.runs.unpause,
        store.runs.cancel,
        store.runs.settle,
        store.runs.keep_open,
        store.runs.close,
        store.runs.remove,
        store.results.items,
        store.results.files,
        store.results.errors,
        store.events.find,
        store.partitions.find,
    ):
        with pytest.raises(NotFound, match="nowhere"):
            verb("nowhere")
    with pytest.raises(NotFound, match="nowhere"):
        store.runs.revise("nowhere", version="", lane_limits=NO_LIMITS)


def test_a_revised_run_goes_on_with_other_limits_and_another_version(store: Store):
    run = a_run(store, 10, lane="site", version="1", lane_limits=Limits(in_flight=2))
    worker = a_worker(store)
    assert len(claim(store, worker, 5)) == 2
    revised = store.runs.revise(run, version="2", lane_limits=Limits(in_flight=3))
    assert (revised.version, revised.lane_limits) == ("2", Limits(in_flight=3))
    assert store.runs.get(run) == revised
    store.lanes.unpause("site")
    assert len(claim(store, worker, 5)) == 1
    with pytest.raises(NotFound, match="nowhere"):
        store.runs.revise("nowhere", version="2", lane_limits=Limits())


def test_runs_are_listed_newest_first_and_by_state(store: Store):
    for name in ("a", "b", "c"):
        store.runs.create(NewRun(scraper="books", name=name))
    store.runs.settle("b")
    assert [run.name for run in store.runs.find()] == ["c", "b", "a"]
    assert [run.name for run in store.runs.find(limit=2)] == ["c", "b"]
    newest = store.runs.get("c").id
    assert [run.name for run in store.runs.find(before_id=newest)] == ["b", "a"]
    assert [run.name for run in store.runs.find(state=RunState.OPEN, before_id=newest)] == ["a"]
    assert [run.name for run in store.runs.find(state=RunState.OPEN)] == ["c", "a"]
    assert [run.name for run in store.runs.find(state=RunState.FINISHED)] == ["b"]


def test_a_revised_run_has_its_new_version_and_limits(store: Store):
    run = a_run(store, version="1", lane_limits=Limits(in_flight=5))
    revised = store.runs.revise(run, version="2", lane_limits=Limits(1.0, 2, 3))
    assert revised == store.runs.get(run)
    assert (revised.version, revised.lane_limits) == ("2", Limits(1.0, 2, 3))


@pytest.mark.parametrize(("before", "after", "more"), [(1, 4, 3), (4, 6, 2), (4, 2, 0)])
def test_revised_limits_hold_from_the_next_claim_on(store: Store, before, after, more):
    run = a_run(store, 20, lane="site", lane_limits=Limits(in_flight=before))
    worker = a_worker(store)
    assert len(claim(store, worker, 20)) == before
    store.runs.revise(run, version="", lane_limits=Limits(in_flight=after))
    assert len(claim(store, worker, 20)) == more


def test_a_run_revised_to_no_limits_starts_all_it_has(store: Store):
    run = a_run(store, 20, lane="site", lane_limits=Limits(1_000.0, 1, 1))
    worker = a_worker(store)
    assert len(claim(store, worker, 20)) == 1
    assert claim(store, worker, 20) == []
    store.runs.revise(run, version="", lane_limits=NO_LIMITS)
    assert len(claim(store, worker, 20)) == 19


def test_a_run_revised_to_limits_paces_what_was_already_waiting(store: Store):
    run, worker = a_run(store, 20, lane="site"), a_worker(store)
    assert len(claim(store, worker, 2)) == 2
    store.runs.revise(run, version="", lane_limits=Limits(1_000.0, 3))
    assert len(claim(store, worker, 20)) == 3


def test_a_paused_run_starts_nothing_until_it_is_unpaused(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    store.runs.pause(run)
    assert store.runs.get(run).paused
    assert claim(store, worker, 3) == []
    store.runs.unpause(run)
    assert not store.runs.get(run).paused
    assert len(claim(store, worker, 3)) == 3


def test_a_paused_run_lets_running_tasks_finish(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    store.runs.pause(run)
    assert finish(store, completed(lease, "found")) == ["accepted"]
    assert data(store, run) == ["found"]


def test_a_paused_run_does_not_hold_up_the_others(store: Store):
    paused, going = a_run(store, 5), a_run(store, 5)
    store.runs.pause(paused)
    leases = claim(store, a_worker(store), 10)
    assert {lease.run_id for lease in leases} == {store.runs.get(going).id}
    assert len(leases) == 5


def test_a_pause_made_elsewhere_holds_at_once(store: Store, other: Store):
    run, worker = a_run(store, 5), a_worker(store)
    assert len(claim(store, worker)) == 1
    other.runs.pause(run)
    assert claim(store, worker) == []


def test_pausing_a_run_touches_none_of_its_tasks(store: Store, database):
    run = a_run(store, 300)
    before = database.rows("SELECT head_id, priority, task_id FROM ready ORDER BY task_id")
    heads = database.rows("SELECT id, best, asleep FROM heads ORDER BY id")
    store.runs.pause(run)
    assert len(before) == 300
    assert database.rows("SELECT head_id, priority, task_id FROM ready ORDER BY task_id") == before
    assert database.rows("SELECT id, best, asleep FROM heads ORDER BY id") == heads


def test_a_run_that_is_not_open_is_removed_with_all_it_has(store: Store, database):
    run, kept = a_run(store), a_run(store)
    worker = a_worker(store)
    for name in (run, kept):
        store.tasks.enqueue(name, targets(1, lane="site", partition="p"))
        store.partitions.take(worker, name)
    finish(store, *(completed(lease, lease.target) for lease in claim(store, worker, 2)))
    assert store.runs.settle(run)
    store.runs.remove(run)
    with pytest.raises(NotFound, match=re.escape(run)):
        store.runs.get(run)
    assert data(store, kept) == [0]
    kept_id = store.runs.get(kept).id
    for table in ("tasks", "outcomes", "items", "counters", "heads", "partitions"):
        owners = database.rows(f"SELECT DISTINCT run_id FROM {table}")
        assert owners == [(kept_id,)], table
    assert store.upkeep.check() == []


class StoppedError(Exception):
    pass


def test_a_removal_tells_how_far_it_is_and_is_taken_up_where_it_was_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(f"{type(store.runs).__module__.rpartition('.')[0]}.remove.BATCH", 2)
    run = a_run(store, 5)
    store.runs.cancel(run)

    def stop(removed: int) -> None:
        raise StoppedError(removed)

    with pytest.raises(StoppedError, match=r"^2$"):
        store.runs.remove(run, stop)
    assert store.runs.counts(run).cancelled == 3
    told: list[int] = []
    assert store.runs.remove(run, told.append) == 3
    assert told == [2, 3]
    assert store.runs.find() == []


def test_an_open_run_is_not_removed(store: Store):
    run = a_run(store, 1)
    with pytest.raises(SwatherError, match=re.escape(run)):
        store.runs.remove(run)
    assert store.runs.counts(run).ready == 1


OPENS_WHEN_A_TASK_GOES = {
    "sqlite": """
        CREATE TRIGGER opens AFTER DELETE ON tasks BEGIN UPDATE runs SET state = 'open'; END""",
    "postgres": """
        CREATE RULE opens AS ON DELETE TO tasks DO ALSO UPDATE swather.runs SET state = 'open'""",
}


@pytest.mark.slow
def test_a_run_that_is_opened_while_it_is_removed_stays_with_what_it_has(
    own_store: Store, own_database: Database
):
    run, worker = a_run(own_store, 6), a_worker(own_store)
    own_store.tasks.enqueue(run, targets(["later"], due_in_seconds=60))
    a, b, c, _ = claim(own_store, worker, 4)
    file = File(name="f", sha256="ab" * 32, size_bytes=1)
    finish(own_store, completed(a, "x", "y", files=[file]), failed(b), cancelled(c))
    own_database.execute(OPENS_WHEN_A_TASK_GOES[own_database.kind])
    own_database.execute("UPDATE runs SET state = 'cancelled', finished_at = created_at")
    with pytest.raises(InputError, match="opened again"):
        own_store.runs.remove(run)
    assert own_store.runs.get(run).state is RunState.OPEN
    assert own_store.runs.counts(run) == Counts()
    assert own_store.upkeep.check() == []


def test_a_run_that_is_opened_while_it_is_pruned_is_not_counted(
    own_store: Store, own_database: Database, clock: Clock
):
    run = a_run(own_store, 1)
    own_store.runs.cancel(run)
    own_database.execute(OPENS_WHEN_A_TASK_GOES[own_database.kind])
    clock.advance(1)
    now = datetime.fromtimestamp(clock.wall(), UTC)
    assert own_store.upkeep.prune(runs_ended_before=now)["runs"] == 0
    assert [found.name for found in own_store.runs.find()] == [run]


def test_what_swather_records_is_merged_into_its_own_member(store: Store):
    run = a_run(store, params={"depth": 2, "_swather": {"scraper": "books.py", "hosts": ["a"]}})
    recorded = store.runs.record(run, {"hosts": ["a", "b"], "replay": True})
    assert recorded == store.runs.get(run)
    assert recorded.params == {
        "depth": 2,
        "_swather": {"scraper": "books.py", "hosts": ["a", "b"], "replay": True},
    }
    assert recorded.scraper_params == {"depth": 2}


def test_a_run_without_records_gets_some(store: Store):
    run = a_run(store, params={"depth": 2})
    assert store.runs.record(run, {"a": 1}).params == {"depth": 2, "_swather": {"a": 1}}
    with pytest.raises(NotFound, match="nowhere"):
        store.runs.record("nowhere", {"a": 1})
    with pytest.raises(SwatherError, match="params"):
        store.runs.record(run, {"a": float("nan")})


def test_records_made_at_once_are_all_kept(store: Store):
    run = a_run(store)

    def work(mine: Store, worker: int) -> list[int]:
        for turn in range(5):
            mine.runs.record(run, {f"{worker}-{turn}": turn})
        return []

    together(store, work)
    assert len(store.runs.get(run).params["_swather"]) == 40


BAD_NAMES = ["../../../x", "a/b", "a\\b", ".hidden", "..", "a\nb"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_cannot_be_a_files_is_refused(store: Store, name: str):
    with pytest.raises(InputError, match="cannot be used as a file name"):
        store.runs.create(NewRun(scraper="books", name=name))
    with pytest.raises(InputError, match="cannot be used as a file name"):
        store.runs.create(NewRun(scraper=name))


@pytest.mark.slow
@pytest.mark.parametrize("field", ["name", "scraper"])
def test_a_name_in_the_database_is_checked_when_it_is_read(
    store: Store, database: Database, field: str
):
    run = a_run(store)
    database.execute(f"UPDATE runs SET {field} = '../../../x'")
    name = "../../../x" if field == "name" else run
    with pytest.raises(InputError, match=r"'\.\./\.\./\.\./x' cannot be used as a file name"):
        store.runs.get(name)
    with pytest.raises(InputError, match="cannot be used as a file name"):
        store.runs.find()
