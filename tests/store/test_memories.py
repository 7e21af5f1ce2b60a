"""What scrapers remember: committed with results, found again in later runs."""

import pytest

from swather.errors import BadPayload, BadTarget, InputError, StoreError
from swather.model.lease import Lease
from swather.model.outcome import Item, Memory, Verdict
from swather.model.payload import MAX_MEMORY_BYTES
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_lease, a_run, claim, completed, data, finish, run_of
from tests.store.threads import together

VALUES = {"none": None, "number": 2**70, "text": "é\u202e", "nested": {"a": [1, {"b": None}]}}


def remember(store: Store, lease: Lease, **values: object) -> Verdict:
    memories = [Memory(key, value) for key, value in values.items()]
    return finish(store, completed(lease, memories=memories))[0]


def test_recall_finds_what_earlier_runs_of_the_scraper_remembered(store: Store, other: Store):
    first = a_lease(store, scraper="books")
    remember(store, first, **VALUES)
    store.runs.settle(run_of(store, first))
    store.runs.remove(run_of(store, first))
    a_lease(other, scraper="books")
    assert other.memories.recall("books", [*VALUES, "unknown"]) == VALUES
    assert other.memories.recall("books", ["text"]) == {"text": VALUES["text"]}
    assert other.memories.recall("books", []) == {}
    assert other.memories.recall("films", [*VALUES]) == {}


def test_the_last_value_of_a_key_stays(store: Store):
    twice = [Memory("seen", 1), Memory("seen", 2)]
    finish(store, completed(a_lease(store), memories=twice))
    assert store.memories.recall("books", ["seen"]) == {"seen": 2}
    first, second = a_lease(store), a_lease(store)
    finish(
        store,
        completed(first, memories=[Memory("seen", 3)]),
        completed(second, memories=[Memory("seen", 4)]),
    )
    assert store.memories.recall("books", ["seen"]) == {"seen": 4}


def test_a_part_committed_twice_is_remembered_once(store: Store, database: Database):
    lease = a_lease(store)
    for _ in range(2):
        verdict = store.queue.checkpoint(
            lease.fence, part=0, cursor=1, items=[Item("a")], memories=[Memory("page", 1)]
        )
        assert verdict is Verdict.ACCEPTED
    assert store.memories.recall("books", ["page"]) == {"page": 1}
    assert database.rows("SELECT count(*) FROM memories") == [(1,)]


def test_what_is_rolled_back_is_not_remembered(own_store: Store, own_database: Database):
    lease = a_lease(own_store)
    own_database.execute("ALTER TABLE checkpoints RENAME TO away")
    with pytest.raises(StoreError):
        own_store.queue.checkpoint(lease.fence, part=0, cursor=1, memories=[Memory("page", 1)])
    own_database.execute("ALTER TABLE away RENAME TO checkpoints")
    assert own_store.memories.recall("books", ["page"]) == {}


def test_recall_leaves_out_what_is_too_old_by_the_databases_clock(store: Store, clock: Clock):
    remember(store, a_lease(store), old=1, renewed=1)
    clock.advance(3_600)
    remember(store, a_lease(store), renewed=2)
    keys = ["old", "renewed"]
    assert store.memories.recall("books", keys, max_age_seconds=3_500) == {"renewed": 2}
    assert store.memories.recall("books", keys, max_age_seconds=3_700) == {"old": 1, "renewed": 2}
    assert store.memories.recall("books", keys) == {"old": 1, "renewed": 2}


def test_memories_are_kept_for_memory_days(store: Store, clock: Clock):
    remember(store, a_lease(store), old=1)
    clock.advance(9 * 86_400)
    remember(store, a_lease(store), new=1)
    assert store.upkeep.prune()["memories"] == 0
    store.settings.set("memory_days", 5)
    assert store.upkeep.prune()["memories"] == 1
    assert store.memories.recall("books", ["old", "new"]) == {"new": 1}


def test_many_workers_remember_the_same_keys_at_once(store: Store):
    run = a_run(store, 80)

    def work(mine: Store, worker: int) -> list[str]:
        verdicts = []
        for lease in claim(mine, worker, 10, runs=(run,)):
            keys = [f"key {number}" for number in range(20)]
            keys.sort(reverse=lease.task_id % 2 == 0)
            memories = [Memory(key, lease.task_id) for key in keys]
            verdicts += finish(mine, completed(lease, "item", memories=memories))
        return verdicts

    assert together(store, work) == ["accepted"] * 80
    assert len(store.memories.recall("books", [f"key {n}" for n in range(20)])) == 20
    assert len(data(store, run)) == 80


@pytest.mark.parametrize(
    ("memory", "error"),
    [
        (Memory("a" * 501), BadTarget),
        (Memory("nul\0"), BadTarget),
        (Memory("value", object()), BadPayload),
        (Memory("value", float("nan")), BadPayload),
        (Memory("value", "x" * MAX_MEMORY_BYTES), BadPayload),
    ],
)
def test_what_cannot_be_remembered_writes_nothing(store: Store, memory: Memory, error):
    lease = a_lease(store)
    with pytest.raises(error):
        finish(store, completed(lease, "item", memories=[memory]))
    assert data(store, run_of(store, lease)) == []


def test_recall_refuses_keys_and_ages_that_cannot_be(store: Store):
    with pytest.raises(BadTarget, match="key"):
        store.memories.recall("books", [7])
    with pytest.raises(InputError, match="max_age"):
        store.memories.recall("books", ["a"], max_age_seconds=-1)
