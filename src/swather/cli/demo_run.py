"""What the demos share: a run of the shop as `swather run` makes it, and the words at its end."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from swather.cli import database
from swather.fleet.driver import RunDriver
from swather.fleet.processes import Processes
from swather.runs.order import Order
from swather.runs.source import Source
from swather.runs.view import View
from swather.scraping import registry


class Worked(NamedTuple):
    """The results file, and how long the workers took."""

    results: Path
    seconds: float


def order_for(
    scraper: str, start: str, url: str, folder: Path, *, workers: int, pages_per_worker: int
) -> Order:
    """A new run in this database, which leaves its files in the folder."""
    return Order(
        scraper=registry.load(scraper),
        source=Source(arguments=(start,)),
        options={
            "db": url,
            "workers": workers,
            "concurrency": pages_per_worker,
            "logs_folder": folder / "logs",
            "files_folder": folder / "files",
        },
        output=folder / "books.jsonl",
        new=True,
    )


def work_through(driver: RunDriver, scraper: str, view: View) -> Worked:
    started = time.monotonic()
    processes = Processes(driver.run, scraper, driver.settings, view.say, verbose=False)
    ended = driver.work(processes, view)
    seconds = time.monotonic() - started
    written = driver.finish().whole().written
    if ended.interrupted:
        raise KeyboardInterrupt
    assert written is not None
    return Worked(Path(written["path"]), seconds)


def print_ending(
    objections: Sequence[str], well: str, results: str, url: str, *, next_: Sequence[str]
) -> None:
    """Whether it adds up, where everything is, and which commands to try next."""
    print("\nThis does not add up:" if objections else f"\n{well}")
    for objection in objections:
        print(f"  {objection}")
    print(f"\nresults   {results}\ndatabase  {database.shown(url)}\n\nTry next:")
    for words in next_:
        print(f"  {database.with_db(f'swather {words}', url)}")
    print(f"\nIn a browser, now or later: {database.with_db('swather serve --open', url)}")
