"""The checks of test_fences can fail: without the token in the SQL, stale writes get in."""

import sys

import pytest

from swather.model.outcome import Verdict
from swather.store import Store
from swather.store.clock import Clock
from swather.store.queries import Queries
from tests.store.database import Database
from tests.store.given import run_of
from tests.store.test_fences import (
    Write,
    a_paced_lease,
    by_write,
    refuse,
    released_and_claimed_again_by_the_same,
    swept_and_claimed_by_another,
)

# What each query compares the token by, and the same without it.
FENCES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "sqlite": {
        "fence": [("token = ?1 AND", "?1 AND")],
        "held_leases": [
            ("token = ?1 AND", ""),
            ("SELECT task_id, token,", "SELECT task_id, ?1,"),
        ],
        "held_lease": [("AND token = :token", "")],
        "save_progress": [("AND token = :token", "")],
    },
    "postgres": {
        "take_leases": [
            ("l.token = f.token AND ", ""),
            ("RETURNING l.task_id, l.token,", "RETURNING l.task_id, f.token,"),
        ],
        "held_lease": [("AND token = %(token)s", "")],
        "save_progress": [("AND token = %(token)s", "")],
        "permit_lease": [("AND l.token = %(token)s", "")],
    },
}


@pytest.fixture
def unfenced(store: Store, database: Database, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Take the token out of the queries that the store has loaded."""
    loaded = [
        found
        for name, module in list(sys.modules.items())
        if name.startswith(database.package)
        for found in vars(module).values()
        if isinstance(found, Queries)
    ]
    for query, changes in FENCES[database.kind].items():
        text = getattr(loaded[0], query)
        for fenced, open_ in changes:
            assert fenced in text, f"queries/{query}.sql is not fenced by {fenced!r}"
            text = text.replace(fenced, open_)
        for queries in loaded:
            monkeypatch.setitem(queries._texts, query, text)
    return store


@by_write
def test_the_same_check_fails_without_the_fence(
    unfenced: Store, clock: Clock, database: Database, write: Write
):
    lease = a_paced_lease(unfenced)
    run = run_of(unfenced, lease)
    swept_and_claimed_by_another(unfenced, clock, lease)
    with pytest.raises(AssertionError):
        refuse(unfenced, database, run, write, lease)


@by_write
def test_the_same_check_fails_when_two_claims_share_a_token(
    store: Store, clock: Clock, database: Database, write: Write
):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    swept_and_claimed_by_another(store, clock, lease)
    refuse(store, database, run, write, lease)
    database.execute(f"UPDATE leases SET token = {lease.token}")
    assert write(store, lease) is Verdict.ACCEPTED


def test_a_beat_misses_the_loss_when_two_claims_share_a_token(
    store: Store, clock: Clock, database: Database
):
    lease = a_paced_lease(store)
    released_and_claimed_again_by_the_same(store, clock, lease)
    (worker,) = [row.id for row in store.workers.find() if row.leases]
    database.execute(f"UPDATE leases SET token = {lease.token}")
    assert store.workers.beat(worker, [lease.fence]).lost == frozenset()
