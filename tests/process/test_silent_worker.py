"""PostgreSQL: a worker that goes silent inside a transaction holds the others up only for a moment,
and nothing is lost or doubled.
"""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import swather.store
from swather.model.pacing import Limits
from swather.model.run import NewRun
from swather.model.task import Target
from tests.postgres import PostgresServer
from tests.process.given import WorkerProcess, Yard
from tests.store.proxy import COMMIT, Proxy, a_proxy
from tests.worker.given import wait_until

pytestmark = pytest.mark.timeout(180)

TASKS = 300
IMPATIENT = """
from swather.store.postgres import link, transactions
from swather.worker import upkeep
transactions.SILENT_SECONDS = 2.0
link.QUIET_SECONDS = 3.0
link.SETTINGS.update(lock_timeout="1s", idle_in_transaction_session_timeout="2s")
upkeep.SWEEP_SECONDS = 1.0
"""
# It and the server give its link up so late that the other one must see to it.
PATIENT = f"""{IMPATIENT}
link.QUIET_SECONDS = 15.0
link.SETTINGS.update(idle_in_transaction_session_timeout="15s")
"""
HOLDING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'swather' AND backend_xid IS NOT NULL
  AND wait_event = 'ClientRead' AND clock_timestamp() - state_change > interval '0.5 s'
"""


@pytest.fixture
def url(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    with postgres_server.fresh_database(template) as fresh:
        yield fresh


@pytest.fixture
def pg_yard(url: str, tmp_path: Path) -> Iterator[Yard]:
    store = swather.store.open(url)
    opened = Yard(store, tmp_path)
    yield opened
    opened.close()
    store.close()


@pytest.fixture
def proxy(url: str) -> Iterator[Proxy]:
    with a_proxy(url) as opened:
        yield opened


def a_run_on_one_lane(yard: Yard) -> str:
    """All workers need the lock of the same head."""
    new = NewRun(scraper="act", lane_limits=Limits(in_flight=8))
    name = yard.store.runs.create(new).name
    values = [{"n": n, "log": str(yard.log), "do": "sleep", "seconds": 0.02} for n in range(TASKS)]
    yard.store.tasks.enqueue(name, [Target(value=value, lane="shop") for value in values])
    return name


def start(yard: Yard, run: str, **options: Any) -> WorkerProcess:
    return yard.start(run, "act", concurrency=8, lease_seconds=6.0, **options)


def silenced_in_a_transaction(yard: Yard, run: str, proxy: Proxy) -> WorkerProcess:
    worker = start(yard, run, url=proxy.url, prelude=PATIENT)
    wait_until(lambda: yard.store.runs.counts(run).completed > 20)
    # In a transaction that has written items: it holds locks.
    proxy.hush_at(COMMIT, after=False, on=b'"attempt":1')
    assert proxy.is_silent.wait(20)
    return worker


def wait_for_locks(yard: Yard) -> None:
    with psycopg.connect(yard.store.url, autocommit=True) as looking:
        wait_until(lambda: looking.execute(HOLDING).fetchone() == (1,))


def assert_each_once(yard: Yard, run: str) -> None:
    assert yard.counts(run) == {"completed": TASKS}
    wait_until(lambda: len(yard.store.results.items(run, limit=2 * TASKS)) == TASKS)
    numbers = [item.data["n"] for item in yard.store.results.items(run, limit=2 * TASKS)]
    assert sorted(numbers) == list(range(TASKS))


def test_a_link_that_goes_silent_in_a_transaction(pg_yard: Yard, proxy: Proxy):
    run = a_run_on_one_lane(pg_yard)
    cut_off = silenced_in_a_transaction(pg_yard, run, proxy)
    wait_for_locks(pg_yard)
    before = pg_yard.store.runs.counts(run).completed
    second = start(pg_yard, run, prelude=IMPATIENT)
    wait_until(lambda: pg_yard.store.runs.counts(run).completed > before + 50, 20)
    assert (second.end(), cut_off.end()) == (0, 0)
    assert_each_once(pg_yard, run)


def test_a_worker_stopped_in_a_transaction(pg_yard: Yard, proxy: Proxy):
    run = a_run_on_one_lane(pg_yard)
    stopped = silenced_in_a_transaction(pg_yard, run, proxy)
    stopped.signal(signal.SIGSTOP)
    wait_for_locks(pg_yard)
    second = start(pg_yard, run, prelude=IMPATIENT)
    assert second.end(60) == 0
    assert_each_once(pg_yard, run)
    stopped.signal(signal.SIGCONT)
    assert stopped.end() == 0
    assert_each_once(pg_yard, run)
