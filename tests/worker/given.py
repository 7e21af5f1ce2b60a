"""What these tests begin with, in a word each: a run with targets, a worker at work."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from swather.model.run import NewRun
from swather.model.task import Task
from swather.model.task_filter import TaskFilter
from swather.net.private_hosts import hosts_in
from swather.scraping.scraper import Scraper
from swather.scraping.targets import target_of
from swather.store import Store
from swather.worker import Worker, WorkerReport

PATIENCE_SECONDS = 30.0


def wait_until(true: Callable[[], Any], patience_seconds: float = PATIENCE_SECONDS) -> Any:
    """What `true` returns as soon as it is true."""
    until = time.monotonic() + patience_seconds
    while not (found := true()):
        assert time.monotonic() < until, f"not true within {patience_seconds} s"
        time.sleep(0.005)
    return found


async def until(event: threading.Event) -> None:
    """Wait on a loop for an event of another thread."""
    while not event.is_set():  # noqa: ASYNC110 - an asyncio.Event cannot be set from there
        await asyncio.sleep(0.005)


class Working:
    """A worker in a thread of its own."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._report: WorkerReport | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._report = self.worker.run()
        except BaseException as error:  # noqa: BLE001 - the test shall see it
            self._error = error

    @property
    def has_ended(self) -> bool:
        return not self._thread.is_alive()

    def report(self, patience_seconds: float = PATIENCE_SECONDS) -> WorkerReport:
        self._thread.join(patience_seconds)
        assert self.has_ended, f"the worker goes on after {patience_seconds} s"
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report

    def stop(self, *, now: bool = False, patience_seconds: float = PATIENCE_SECONDS) -> float:
        """Stop it; how many seconds that took."""
        began = time.monotonic()
        self.worker.stop(now=now)
        self.report(patience_seconds)
        return time.monotonic() - began


class Shop:
    """A store, and workers on it that end with the test."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.files = folder / "files"
        self._workers: list[Working] = []

    def run(self, scraper: Scraper, targets: Iterable[Any] | int = (), **fields: Any) -> str:
        if isinstance(targets, int):
            targets = range(targets)
        options = scraper.options
        new = NewRun(scraper=scraper.name, version=options.version, **fields)
        name = self.store.runs.create(new).name
        targets = list(targets)
        # As if a person had typed them.
        self.store.allowed_hosts.add(name, hosts_in(targets))
        self.enqueue(name, scraper, targets)
        return name

    def enqueue(self, run: str, scraper: Scraper, targets: Iterable[Any]) -> None:
        """Targets that come from a program, not from a person."""
        self.store.tasks.enqueue(run, (target_of(scraper, value) for value in targets))

    def worker(self, *scrapers: Scraper, **options: Any) -> Worker:
        named = {scraper.name: scraper for scraper in scrapers}
        return Worker(url=self.store.url, scrapers=named, files_folder=self.files, **options)

    def start(self, *scrapers: Scraper, **options: Any) -> Working:
        working = Working(self.worker(*scrapers, **options))
        self._workers.append(working)
        return working

    def scrape(
        self, scraper: Scraper, targets: Iterable[Any] | int, **options: Any
    ) -> tuple[str, WorkerReport]:
        """A run of these targets from its beginning to its end."""
        run = self.run(scraper, targets)
        return run, self.start(scraper, run=run, **options).report()

    def counts(self, run: str) -> dict[str, int]:
        """The counts of states that are not zero."""
        counts = self.store.runs.counts(run)
        names = ("scheduled", "ready", "leased", "completed", "failed", "cancelled")
        return {name: getattr(counts, name) for name in names if getattr(counts, name)}

    def only(self, run: str) -> Task:
        """The task of a run that has one."""
        (task,) = self.store.tasks.find(TaskFilter(run=run))
        return task

    def tasks(self, run: str) -> dict[Any, Task]:
        """Tasks by target."""
        return {task.target: task for task in self.store.tasks.find(TaskFilter(run=run))}

    def items(self, run: str) -> list[Any]:
        """What the run's items hold; on PostgreSQL one appears when nobody can commit before it,
        which a transaction of another test may put off.
        """
        count = self.store.runs.counts(run).items
        found: list[Any] = []

        def read() -> bool:
            found[:] = [item.data for item in self.store.results.items(run, limit=100_000)]
            return len(found) == count

        wait_until(read)
        return found

    def close(self) -> None:
        for working in self._workers:
            working.worker.stop(now=True)
        for working in self._workers:
            wait_until(lambda working=working: working.has_ended, 10)
