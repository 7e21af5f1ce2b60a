"""Loading streams targets in, keeps the run open meanwhile, and can be done again."""

import threading

import pytest

from swather.errors import BadLines, ConnectionLost
from swather.model.run import RunState
from swather.model.worker import WorkerKind
from swather.runs.intake import Intake
from swather.runs.load import Loaded, load
from swather.runs.loading import anything_new
from swather.runs.targets import BadLine, from_values
from swather.store import Store
from tests.runs.given import a_scraper, an_intake
from tests.store.database import Database
from tests.store.given import a_run, states
from tests.store.processes import running


def test_everything_is_loaded_once(store: Store):
    run = a_run(store)
    loaded = load(store, run, an_intake([1, 2, 3, 2]))
    assert (loaded.added, loaded.duplicates, loaded.complete) == (3, 1, True)
    assert states(store, run) == {"ready": 3}
    assert not store.runs.get(run).load_incomplete


def test_loading_again_adds_what_is_new(store: Store):
    run = a_run(store)
    load(store, run, an_intake(range(10)))
    again = load(store, run, an_intake(range(12)))
    assert (again.added, again.duplicates) == (2, 10)


@pytest.mark.parametrize("adding", [load, anything_new])
def test_new_targets_close_the_breakers_of_their_scraper(store: Store, adding):
    run = a_run(store)
    load(store, run, an_intake([1]))
    store.breakers.trip("books", "site", seen={}, probe_seconds=600.0)
    adding(store, run, an_intake([1]))
    assert len(store.breakers.find()) == 1
    adding(store, run, an_intake([1, 2]))
    assert store.breakers.find() == []


def test_a_limit_leaves_a_complete_load(store: Store):
    run = a_run(store)
    assert load(store, run, an_intake(range(10), limit=4)).complete
    assert states(store, run) == {"ready": 4}


def test_the_run_stays_open_while_it_is_loaded(store: Store, other: Store):
    run = a_run(store)
    settled = []
    load(store, run, an_intake([1]), on_progress=lambda _: settled.append(other.runs.settle(run)))
    assert settled == [False]
    assert other.workers.find() == []


def test_progress_is_told_batch_by_batch(store: Store):
    told: list[Loaded] = []
    load(store, a_run(store), an_intake(range(25)), on_progress=told.append, batch_size=10)
    assert [loaded.targets for loaded in told] == [10, 20, 25]


def test_workers_are_woken_by_every_batch(store: Store, other: Store):
    run = a_run(store)
    other.hints.wait(0)
    woken = []
    load(
        store,
        run,
        an_intake(range(2)),
        on_progress=lambda _: woken.append(other.hints.wait(5)),
        batch_size=1,
    )
    assert woken == [True, True]
    assert other.hints.wait(5), "nor of the end, after which they may end themselves"


def test_a_load_that_is_stopped_leaves_the_run_incomplete(store: Store):
    run, stop = a_run(store), threading.Event()
    loaded = load(
        store,
        run,
        an_intake(range(100)),
        on_progress=lambda _: stop.set(),
        stop=stop,
        batch_size=10,
    )
    assert (loaded.added, loaded.complete) == (10, False)
    assert store.runs.get(run).load_incomplete
    assert load(store, run, an_intake(range(100))).complete
    assert not store.runs.get(run).load_incomplete


def test_a_load_of_a_run_that_is_cancelled_ends_and_says_so(store: Store, other: Store):
    run = a_run(store)
    loaded = load(
        store,
        run,
        an_intake(range(100)),
        on_progress=lambda _: other.runs.cancel(run),
        batch_size=10,
    )
    assert (loaded.added, loaded.complete, loaded.cancelled) == (10, False, True)
    assert store.runs.get(run).state is RunState.CANCELLED
    assert states(store, run) == {"cancelled": 10}


@pytest.mark.slow
def test_a_loader_that_dies_after_its_last_target_leaves_the_run_complete(
    store: Store, database: Database
):
    run = a_run(store)
    program = f"""
from swather.runs import load as loading
from tests.runs.given import an_intake
loading.Producer.__exit__ = lambda *_: (print("loaded", flush=True), time.sleep(60))
loading.load(store, {run!r}, an_intake(range(5)))
"""
    with running(database.url, program) as loader:
        assert loader.line() == "loaded"
        loader.kill()
        assert len(store.workers.sweep().workers) == 1
    assert not store.runs.get(run).load_incomplete


def test_a_bad_line_stops_the_load_and_says_how_to_go_on(store: Store):
    run = a_run(store)
    lines = [*from_values(range(3)), BadLine(4, "is not JSON", "t.jsonl")]
    with pytest.raises(BadLines) as caught:
        load(store, run, Intake(a_scraper(), lines))
    assert "t.jsonl line 4: is not JSON" in str(caught.value)
    assert "3 targets before it are loaded" in str(caught.value)
    assert states(store, run) == {"ready": 3}
    assert store.runs.get(run).load_incomplete


def test_skipped_lines_are_counted_and_the_first_are_told(store: Store):
    run = a_run(store)
    lines = [*from_values(range(3)), BadLine(4, "is not JSON", "t.jsonl")]
    loaded = load(store, run, Intake(a_scraper(), lines, skip_bad=True))
    assert (loaded.added, loaded.skipped, loaded.complete) == (3, 1, True)
    assert loaded.bad == (BadLine(4, "is not JSON", "t.jsonl"),)


def test_an_error_of_the_source_leaves_the_run_incomplete(store: Store):
    def broken():
        yield from from_values(range(3))
        raise RuntimeError("the source broke")

    run = a_run(store)
    with pytest.raises(RuntimeError, match="the source broke"):
        load(store, run, Intake(a_scraper(), broken()), batch_size=1)
    assert states(store, run) == {"ready": 3}
    assert store.runs.get(run).load_incomplete
    assert store.workers.find() == []


def test_a_producer_beats_while_it_waits_for_its_source(store: Store, other: Store):
    run, done = a_run(store), threading.Event()

    def slow():
        yield from from_values([1])
        assert done.wait(20)

    def beaten() -> bool:
        (producer,) = other.workers.find()
        return producer.kind is WorkerKind.PRODUCER and producer.beat_at > producer.registered_at

    result = []
    thread = threading.Thread(
        target=lambda: result.append(
            load(store, run, Intake(a_scraper(), slow()), batch_size=1, lease_seconds=0.6)
        )
    )
    thread.start()
    while not other.workers.find() or not beaten():
        assert thread.is_alive()
    assert other.workers.find()[0].statistics == {"loaded": 1, "added": 1}
    done.set()
    thread.join()
    assert result[0].complete


def test_a_producer_that_was_given_up_goes_on_as_a_new_one(store: Store, other: Store):
    run, done = a_run(store), threading.Event()

    def slow():
        yield from from_values([1])
        assert done.wait(20)
        yield from from_values([2])

    thread = threading.Thread(
        target=lambda: load(
            store, run, Intake(a_scraper(), slow()), batch_size=1, lease_seconds=0.3
        )
    )
    thread.start()
    while not (found := other.workers.find()):
        assert thread.is_alive()
    other.workers.sweep([found[0].id])
    while [worker.id for worker in other.workers.find()] in ([], [found[0].id]):
        assert thread.is_alive()
    done.set()
    thread.join()
    assert states(store, run) == {"ready": 2}
    assert not store.runs.get(run).load_incomplete
    assert store.workers.find() == []


def test_a_lost_connection_is_waited_out(store: Store, monkeypatch):
    run = a_run(store)
    real, lost = store.tasks.enqueue, [ConnectionLost("cut"), ConnectionLost("cut")]

    def enqueue(*args, **kwargs):
        if lost:
            raise lost.pop()
        return real(*args, **kwargs)

    monkeypatch.setattr(store.tasks, "enqueue", enqueue)
    assert load(store, run, an_intake([1, 2])).added == 2


@pytest.mark.slow
def test_a_loader_that_is_killed_leaves_the_run_incomplete_and_loading_again_completes_it(
    database: Database, store: Store
):
    program = """
from tests.runs.given import an_intake
from swather.runs.load import load
load(store, a_run(store), an_intake(range(10**9)), batch_size=100,
     on_progress=lambda loaded: print(loaded.targets, flush=True))
"""
    with running(database.url, program) as loader:
        loader.line()
        loader.kill()
    run = store.runs.find()[0].name
    store.workers.sweep()
    assert store.runs.get(run).load_incomplete
    there = store.runs.counts(run).total
    loaded = load(store, run, an_intake(range(there + 50)))
    assert (loaded.duplicates, loaded.added) == (there, 50)
    assert not store.runs.get(run).load_incomplete
