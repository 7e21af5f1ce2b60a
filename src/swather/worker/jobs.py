"""The runs a worker has met, by id."""

from collections.abc import Mapping

from swather.errors import InputError
from swather.model.lease import Lease
from swather.scraping.scraper import Scraper
from swather.store.ports import Store
from swather.worker.job import Job


class Jobs:
    """`known` may be read on any thread; loading blocks."""

    def __init__(self, scrapers: Mapping[str, Scraper]) -> None:
        self.known: dict[int, Job] = {}
        self._scrapers = scrapers

    def load(self, store: Store, name: str) -> Job:
        run = store.runs.get(name)
        if run.scraper not in self._scrapers:
            raise InputError(
                f"run {name!r} is one of scraper {run.scraper!r}, which this worker does not have; "
                f"it has {', '.join(self._scrapers)}"
            )
        job = Job(run, self._scrapers[run.scraper])
        self.known[run.id] = job
        return job

    def load_for(self, store: Store, lease: Lease) -> Job:
        return self.load(store, store.tasks.get(lease.task_id).run)
