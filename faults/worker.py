"""A worker process of the campaign; as the control, one whose writes are not fenced."""

import logging
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from swather.scraping.registry import load
from swather.worker import Worker
from swather.worker.beat import Beat
from swather.worker.process import main

SCRAPERS = Path(__file__).with_name("scrapers.py")


def unfence() -> None:
    """Take the token out of every query that compares it."""
    from swather.store.postgres import statements as postgres  # noqa: PLC0415
    from swather.store.sqlite import statements as sqlite  # noqa: PLC0415
    from tests.store.test_fence_control import COMPARES, without_fence  # noqa: PLC0415

    for queries in (sqlite.queries, postgres.queries):
        for name in queries.names():
            if COMPARES.search(sql := getattr(queries, name)):
                setattr(queries, name, without_fence(sql))


def mute_on_signal(seconds: float) -> None:
    """SIGUSR1 keeps the worker from beating for so long; it works on, and others take its tasks."""
    look = Beat._look
    muted_until = 0.0

    def mute(_signal: int, _frame: FrameType | None) -> None:
        nonlocal muted_until
        muted_until = time.monotonic() + seconds

    def look_unless_muted(beat: Beat) -> None:
        if time.monotonic() >= muted_until:
            look(beat)

    Beat._look = look_unless_muted
    signal.signal(signal.SIGUSR1, mute)


if __name__ == "__main__":
    url, run, folder, lease_seconds, fenced = sys.argv[1:]
    logging.basicConfig(level=logging.WARNING)
    if fenced == "unfenced":
        unfence()
    mute_on_signal(2 * float(lease_seconds))
    scraper = load(f"{SCRAPERS}:campaign")
    worker = Worker(
        url=url,
        run=run,
        scrapers={scraper.name: scraper},
        files_folder=Path(folder),
        concurrency=8,
        lease_seconds=float(lease_seconds),
        forever=True,
        grace_seconds=5.0,
    )
    sys.exit(main(worker))
