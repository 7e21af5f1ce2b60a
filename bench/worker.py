"""Measures the worker: no-op targets beside hand-written SQL, waiting targets beside a bare loop.

python bench/worker.py [--db sqlite|postgres|both]
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from store_measure import say
from store_places import Place, postgres_place, postgres_server, sqlite_place
from store_report import Figure, at_least, show

from swather import scraper
from swather.model.task import Target
from swather.scraping.scraper import Scraper
from swather.worker import Worker

NO_OPS = 20_000
BATCH = 500
WAITS = 5_000
WAIT_SECONDS = 0.2
SLOTS = 200


@scraper
async def no_op(ctx, target):
    return None


@scraper
async def waits(ctx, target):
    await asyncio.sleep(WAIT_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", choices=("sqlite", "postgres", "both"), default="both")
    wanted = parser.parse_args().db
    figures: list[Figure] = []
    with ExitStack() as stack:
        if wanted != "postgres":
            figures += measure(stack.enter_context(sqlite_place()))
        if wanted != "sqlite":
            server = stack.enter_context(postgres_server())
            figures += measure(stack.enter_context(postgres_place(server)))
    show(figures, Console(width=150))


def measure(place: Place) -> Iterator[Figure]:
    say(f"{place.database}: {NO_OPS:,} targets that do nothing")
    place.raw.fill(NO_OPS)
    raw = NO_OPS / seconds_of(lambda: drain_raw(place))
    ours = rate_of(place, no_op, NO_OPS, 100)
    name = f"{NO_OPS:,} no-ops (raw: batches of {BATCH})"
    yield at_least(Figure("worker", place.database, name, ours, "/s", raw), ratio=0.5)
    say(f"{place.database}: {WAITS:,} targets that wait")
    bare = WAITS / seconds_of(lambda: asyncio.run(wait_bare()))
    ours = rate_of(place, waits, WAITS, SLOTS)
    name = f"{WAITS:,} waits of 200 ms, {SLOTS} slots (raw: bare loop)"
    yield at_least(Figure("worker", place.database, name, ours, "/s", bare), ratio=0.97)


def rate_of(place: Place, wanted: Scraper, count: int, concurrency: int) -> float:
    run = place.new_run()
    place.store.tasks.enqueue(run.name, (Target(value=number) for number in range(count)))
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(
            url=place.store.url,
            scrapers={run.scraper: wanted},
            run=run.name,
            concurrency=concurrency,
            files_folder=Path(folder),
        )
        seconds = seconds_of(worker.run)
    done = place.store.runs.counts(run.name).completed
    assert done == count, f"{done} of {count} completed"
    return count / seconds


def drain_raw(place: Place) -> None:
    ids: list[int] = []
    while ids := place.raw.exchange_in_one(ids, BATCH):
        pass


async def wait_bare() -> None:
    left = iter(range(WAITS))

    async def slot() -> None:
        for _ in left:
            await asyncio.sleep(WAIT_SECONDS)

    await asyncio.gather(*(slot() for _ in range(SLOTS)))


def seconds_of(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
