"""What tests of runs begin with: scrapers, lines, runs that have produced items."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from swather.model.outcome import Item
from swather.runs.intake import Intake
from swather.runs.layout import Layout
from swather.runs.targets import BadLine, Line, from_values, read_targets
from swather.scraping.scraper import Scraper, scraper
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish


def a_scraper(**options: Any) -> Scraper:
    @scraper(**{"name": "books", **options})
    def books(ctx, target):
        return None

    return books


def an_intake(values: Iterable[Any], **options: Any) -> Intake:
    return Intake(a_scraper(), from_values(values), **options)


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def read(source: str, **options: Any) -> tuple[list[Any], list[tuple[int, str]]]:
    """The values of the good lines; number and reason of the bad ones."""
    lines = list(read_targets(source, Layout(**options)))
    good = [line.value for line in lines if isinstance(line, Line)]
    bad = [(line.number, line.reason) for line in lines if isinstance(line, BadLine)]
    return good, bad


def produce(store: Store, run: str, *batches: Iterable[Any]) -> None:
    """Commit each batch of items as one task's; the run must have that many tasks ready."""
    worker = a_worker(store)
    for batch in batches:
        (lease,) = claim(store, worker, runs=(run,))
        finish(store, completed(lease, *(Item(item) for item in batch)))


def a_run_with(store: Store, *batches: Iterable[Any]) -> str:
    run = a_run(store, len(batches))
    produce(store, run, *batches)
    return run
