"""The driver of a replay: the run again over its stored pages."""

from typing import Any

from swather.fleet.driver import Driver
from swather.model.run import Run
from swather.runs import configuration, replay
from swather.runs.results import Results
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store


class ReplayDriver(Driver):
    """A replay that the constructor begins or resumes. Its results are rewritten when nothing is
    left to do, and only then is the run unpaused.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        scraper: Scraper,
        settings: Settings,
        results: Results,
        *,
        new: bool,
    ) -> None:
        scraper = configuration.apply(scraper, settings)
        results.check_rewrite(store, run)
        self.begun = replay.begin(store, run, scraper, new=new)
        super().__init__(store, self.begun.run, scraper, settings, results)

    def _written(self) -> dict[str, Any] | None:
        if self._results is None or not replay.is_done(self.store, self.run.name):
            return None
        written = self._results.rewrite(self.store, self.run)
        replay.end(self.store, self.run.name)
        return written
