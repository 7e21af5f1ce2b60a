"""Jobs that do nothing: into the queue, and out of it by one worker process and by two."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from bench import jobs, tally
from bench.figures import Figure
from bench.queues import QUEUES, Queue
from bench.setting import Contender, Setting, Size, in_turns
from bench.store.raw import Raw
from bench.store.setups import Setup, postgres_setup, sqlite_setup
from bench.workers import Workers, folder

STALLED_SECONDS = 20.0
LOOK_SECONDS = 0.05
RAW = "one table, one connection, batches of 100"
BATCH = 100
Values = dict[tuple[str, str], float]


def measure(setting: Setting) -> list[Figure]:
    return in_turns(setting, _contenders(setting))


def _contenders(setting: Setting) -> Iterator[Contender]:
    for queue in QUEUES:
        if queue.variant and setting.size is not Size.FULL:
            continue
        yield Contender(queue.who, queue.kind, partial(_queue, setting, queue))
    openers: dict[str, Callable[[], AbstractContextManager[Setup]]] = {
        "SQLite": sqlite_setup,
        "PostgreSQL": lambda: postgres_setup(setting.postgres),
    }
    for name, opener in openers.items():
        yield Contender(f"raw SQL, {name}", "limit", partial(_raw, setting, opener), RAW)


def _queue(setting: Setting, queue: Queue) -> Values:
    count = setting.pick(queue.jobs // 3, queue.jobs, queue.jobs * 5)
    values: Values = {}
    rates = []
    for processes in (1, 2):
        with queue.fresh(setting) as url, folder() as directory:
            answer = queue.ask("enqueue", url=url, kind=jobs.NOTHING, count=count)
            rates.append(count / answer["seconds"])
            with queue.workers(directory, processes, url=url) as workers:
                name = "1 process" if processes == 1 else f"{processes} processes"
                values[f"drain, {name}", "jobs/s"] = _rate(count, workers, directory)
    return {("enqueue", "jobs/s"): sum(rates) / len(rates), **values}


def _raw(setting: Setting, opener: Callable[[], AbstractContextManager[Setup]]) -> Values:
    count = setting.pick(15_000, 45_000, 200_000)
    with opener() as setup:
        began = time.perf_counter()
        setup.raw.add((b"%032d" % n, f'"{jobs.target(n)}"') for n in range(count))
        enqueue = count / (time.perf_counter() - began)
        rates = [_drained(exchange) for exchange in _exchanges(setup.raw, count)]
    return {("enqueue", "jobs/s"): enqueue, ("drain, 1 process", "jobs/s"): max(rates)}


def _exchanges(raw: Raw, count: int) -> Iterator[Callable[[list[int], int], list[int]]]:
    """Both ways to finish some and claim the next, each with a full queue."""
    yield raw.exchange_in_one
    raw.fill(count)
    yield raw.exchange_in_two


def _drained(exchange: Callable[[list[int], int], list[int]]) -> float:
    done, held = 0, exchange([], BATCH)
    began = time.perf_counter()
    while held:
        done += len(held)
        held = exchange(held, BATCH)
    return done / (time.perf_counter() - began)


def wait_for(count: int, workers: Workers, directory: Path) -> None:
    """Until so many jobs are done; an error when none is for a while."""
    seen, seen_at = 0, time.monotonic()
    while (done := tally.read_total(directory)) < count:
        workers.check()
        if done > seen:
            seen, seen_at = done, time.monotonic()
        if time.monotonic() - seen_at > STALLED_SECONDS:
            raise RuntimeError(f"{done} of {count} done, and no more for a while")
        time.sleep(LOOK_SECONDS)


def _rate(count: int, workers: Workers, directory: Path) -> float:
    wait_for(count, workers, directory)
    return tally.read_counts(directory).rate
