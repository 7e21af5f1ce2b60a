"""The checks of test_fences can fail: without the token in the SQL, stale writes get in."""

import re
import sys
from functools import cache

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

COMPARES = re.compile(r"(?:\w+\.)?token = (?:f\.token|%\(token\)s|:token|\?1)")
ANSWERS = re.compile(r"\b(SELECT|RETURNING) task_id, token\b")


@cache
def without_fence(sql: str) -> str:
    """The same query for any token: it compares none, and answers with the one it was asked for."""
    if not COMPARES.search(sql):
        return sql
    for asked in ("(%(tokens)b::bigint[])[1]", "?1"):
        if asked.partition(")")[0] in sql:
            sql = ANSWERS.sub(rf"\1 task_id, {asked} AS token", sql)
    return COMPARES.sub(lambda fence: f"({fence[0]} OR true)", sql)


@pytest.fixture
def unfenced(store: Store, database: Database, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store whose queries have lost their fences."""
    for name, module in list(sys.modules.items()):
        if name.startswith(database.package):
            for found in vars(module).values():
                if isinstance(found, Queries):
                    unfence(found, monkeypatch)
    return store


def unfence(queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in queries.names():
        monkeypatch.setattr(queries, name, without_fence(getattr(queries, name)))


@pytest.mark.slow
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
