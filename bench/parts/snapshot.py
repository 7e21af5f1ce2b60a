"""Draining while somebody holds an old snapshot: how much of the first seconds' rate is left.

PostgreSQL may remove nothing that an open transaction might still look at, so dead rows pile up
wherever a queue updates or deletes. SQLite has no such thing: its readers hold up the WAL alone.
"""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg

from bench import jobs, tally
from bench.figures import Figure
from bench.queues import QUEUES, Queue
from bench.setting import Contender, Setting, Size, in_turns
from bench.store.setups import postgres_setup
from bench.store.throughput import raw_drainer, under_old_snapshot
from bench.workers import Workers, folder

WINDOW_SECONDS = 3.0
START_SECONDS = 30.0
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    # One long look says more than three short ones: the effect grows with time.
    return in_turns(setting, _contenders(setting, setting.pick(8, 12, 60)), repeats=1)


def _contenders(setting: Setting, seconds: int) -> Iterator[Contender]:
    for queue in QUEUES:
        # The slow ones leave too few dead rows behind to be slowed in a short look.
        is_quick = queue.jobs > 10_000 or setting.size is Size.FULL
        if queue.where == "PostgreSQL" and is_quick:
            yield Contender(queue.who, queue.kind, partial(_queue, setting, queue, seconds))
    yield Contender("raw SQL, PostgreSQL", "limit", partial(_raw, setting, seconds))


def _queue(setting: Setting, queue: Queue, seconds: int) -> Values:
    count = queue.jobs * seconds // 2
    with queue.fresh(setting) as url, folder() as directory:
        queue.ask("enqueue", url=url, kind=jobs.NOTHING, count=count)
        with psycopg.connect(url) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT count(*) FROM pg_class")
            with queue.workers(directory, url=url) as workers:
                _work_for(seconds, workers, directory, count)
        return _values(seconds, *tally.read_ends(directory, seconds, WINDOW_SECONDS))


def _work_for(seconds: int, workers: Workers, directory: Path, count: int) -> None:
    began = time.monotonic()
    while not tally.read_total(directory) and time.monotonic() - began < START_SECONDS:
        workers.check()
        time.sleep(0.05)
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at and tally.read_total(directory) < count:
        workers.check()
        time.sleep(0.05)


def _raw(setting: Setting, seconds: int) -> Values:
    with postgres_setup(setting.postgres) as setup:
        setup.raw.fill(100_000 * seconds)
        step = raw_drainer(setup.raw.exchange_in_two, 100)
        return _values(seconds, *under_old_snapshot(setup.url, step, seconds, WINDOW_SECONDS))


def _values(seconds: int, first: float, last: float) -> Values:
    return {
        ("old snapshot: first 3 s", "jobs/s"): first,
        (f"old snapshot: last 3 s of {seconds}", "jobs/s"): last,
        ("old snapshot: rate kept", "%"): 100 * last / first if first else 0.0,
    }
