"""The wall clock set back by an hour: nothing waits an hour longer than it should."""

from pathlib import Path

import pytest

import swather.store
from swather import posix
from swather.model.pacing import Limits
from swather.model.proxy import ProxyFault
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, finish, retried, states, targets
from tests.store.pool import RULE, a_proxy, broke, probe, report

HOUR = 3_600.0


@pytest.fixture
def sqlite(tmp_path: Path, clock: Clock):
    """PostgreSQL's clock is the server's, and so is what to do when it is set."""
    opened = swather.store.open(f"sqlite:///{tmp_path}/swather.db", clock=clock)
    opened.workers.sweep()
    yield opened
    opened.close()


@pytest.mark.parametrize("step", [-HOUR, -7 * 24 * HOUR])
def test_a_retry_is_due_when_it_was_meant_to_be(sqlite: Store, clock: Clock, step):
    run, worker = a_run(sqlite, 1), a_worker(sqlite)
    (lease,) = claim(sqlite, worker)
    finish(sqlite, retried(lease, 10.0))
    clock.step_wall(step)
    sqlite.workers.sweep()
    assert states(sqlite, run) == {"scheduled": 1}
    clock.advance(11)
    sqlite.workers.sweep()
    assert states(sqlite, run) == {"ready": 1}
    assert len(claim(sqlite, worker)) == 1


def test_a_cool_down_ends_when_it_was_meant_to(sqlite: Store, clock: Clock):
    run, worker = a_run(sqlite), a_worker(sqlite)
    sqlite.tasks.enqueue(run, targets(["a"], lane="site"))
    sqlite.lanes.cool("site", 10.0)
    assert claim(sqlite, worker) == []
    clock.step_wall(-HOUR)
    sqlite.workers.sweep()
    assert claim(sqlite, worker) == []
    clock.advance(11)
    sqlite.workers.sweep()
    assert len(claim(sqlite, worker)) == 1


def test_a_blacklisted_proxy_returns_when_it_was_meant_to(sqlite: Store, clock: Clock):
    proxy = a_proxy(sqlite)
    report(sqlite, broke(proxy, times=3), broke(proxy, ProxyFault.TIMEOUT, 3))
    clock.step_wall(-HOUR)
    sqlite.workers.sweep()
    assert not probe(sqlite, proxy)
    clock.advance(RULE.seconds + 1)
    sqlite.workers.sweep()
    assert probe(sqlite, proxy)
    clock.step_wall(-HOUR)
    sqlite.workers.sweep()
    clock.advance(31)
    sqlite.workers.sweep()
    assert probe(sqlite, proxy)


def test_a_paced_lane_goes_on(sqlite: Store, clock: Clock):
    run, worker = a_run(sqlite, lane_limits=Limits(5.0)), a_worker(sqlite)
    sqlite.tasks.enqueue(run, targets(["a", "b"], lane="site"))
    assert len(claim(sqlite, worker)) == 1
    assert claim(sqlite, worker) == []
    clock.step_wall(-HOUR)
    sqlite.workers.sweep()
    clock.advance(6)
    sqlite.workers.sweep()
    assert len(claim(sqlite, worker)) == 1


def test_a_clock_set_forward_or_another_boot_moves_nothing(
    sqlite: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    run, worker = a_run(sqlite, 1), a_worker(sqlite)
    (lease,) = claim(sqlite, worker)
    finish(sqlite, retried(lease, 2 * HOUR))
    clock.step_wall(HOUR)
    sqlite.workers.sweep()
    monkeypatch.setattr(posix, "boot_id", lambda: "another")
    clock.step_wall(-HOUR)
    sqlite.workers.sweep()
    clock.advance(HOUR)
    sqlite.workers.sweep()
    assert states(sqlite, run) == {"scheduled": 1}
    clock.advance(HOUR + 1)
    sqlite.workers.sweep()
    assert states(sqlite, run) == {"ready": 1}
