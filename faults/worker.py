"""A worker process of the campaign; as the control, one whose writes are not fenced."""

import logging
import sys
from pathlib import Path

from swather.scraping.registry import load
from swather.worker import Worker
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


if __name__ == "__main__":
    url, run, folder, lease_seconds, fenced = sys.argv[1:]
    logging.basicConfig(level=logging.WARNING)
    if fenced == "unfenced":
        unfence()
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
