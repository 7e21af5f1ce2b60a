"""The runs a worker has met, by id."""

import logging
from collections.abc import Iterable, Mapping
from typing import Final

from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.run import Run
from swather.scraping.scraper import Scraper
from swather.store.ports import Store
from swather.worker.job import Job

_MAX_TOLD: Final = 10

_log = logging.getLogger(__name__)


class Jobs:
    """`known` may be read on any thread; loading blocks."""

    def __init__(self, scrapers: Mapping[str, Scraper], *, replay: bool = False) -> None:
        self.known: dict[int, Job] = {}
        self._scrapers = scrapers
        self._replay = replay
        self._strangers: set[str] = set()

    def hold_back(self, leases: Iterable[Lease], slots: int) -> bool:
        """Whether some of these are on lanes that their run limits."""
        runs = {lease.run_id for lease in leases if lease.lane}
        return any(run in self.known and self.known[run].holds_back(slots) for run in runs)

    def place_of(self, lease: Lease) -> tuple[str, str] | None:
        """The scraper and the lane of a task; None while its run is not known."""
        job = self.known.get(lease.run_id)
        return None if job is None else (job.scraper.name, lease.lane)

    def warn_of_strangers(self, runs: Iterable[Run]) -> None:
        """Say, once of each scraper, that its runs are left to workers that have its code."""
        strangers = {run.scraper for run in runs} - self._scrapers.keys() - self._strangers
        if strangers:
            self._strangers |= strangers
            _log.warning(
                "this worker has no code for %s and leaves its runs alone; it has %s. To run it "
                "here, name it: swather worker FILE.py, or MODULE:NAME",
                ", ".join(map(repr, sorted(strangers)[:_MAX_TOLD])),
                ", ".join(self._scrapers),
            )

    def load(self, store: Store, name: str) -> Job:
        run = store.runs.get(name)
        if run.scraper not in self._scrapers:
            raise InputError(
                f"run {name!r} is one of scraper {run.scraper!r}, which this worker does not have; "
                f"it has {', '.join(self._scrapers)}"
            )
        job = Job(run, self._scrapers[run.scraper], replay=self._replay)
        self.known[run.id] = job
        return job

    def forget(self, run_id: int) -> None:
        """The run is over; if it is opened again, it is read again."""
        self.known.pop(run_id, None)

    def load_for(self, store: Store, lease: Lease) -> Job:
        return self.load(store, store.tasks.get(lease.task_id).run)
