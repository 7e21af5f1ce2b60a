"""A run whose targets are loaded here and scraped by workers anywhere."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from swather.errors import RunCancelled
from swather.model.run import RunState
from swather.runs import configuration
from swather.runs.load import Loaded, load
from swather.runs.order import Order
from swather.runs.proxy_lists import load_lists
from swather.runs.storage import made_folder
from swather.store import factory


class QueuedRun:
    """A run that the constructor begins or resumes, with `notes` for people. Once it is loaded,
    `is_over` says that nothing is left to do.

    Bad targets are reported before a database is created for them. At the end of its block its
    store is closed.
    """

    def __init__(self, order: Order) -> None:
        settings = configuration.resolve(None, order.options, order.scraper).settings
        configuration.run_params(order.scraper, order.params, settings)
        self._intake = None if order.source.is_empty else order.source.intake(order.scraper)
        folder = made_folder(order.options.get("files_folder"), settings)
        self._store = factory.open(settings.db)
        try:
            settings = configuration.resolve(self._store, order.options, order.scraper).settings
            scraper = configuration.apply(order.scraper, settings)
            of_proxies = load_lists(self._store, scraper, settings)
            self.planned = order.planned(self._store, scraper, settings, folder)
        except BaseException:
            self.close()
            raise
        read = [] if self._intake is None else self._intake.notes
        self.notes = [*read, *self.planned.notes, *of_proxies]
        if self._intake is not None and self._intake.is_empty:
            self.notes.append(order.source.nothing_found)
        self._lease_seconds = settings.lease_seconds
        self.is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def load(self, on_progress: Callable[[Loaded], None] | None = None) -> Loaded:
        """Load the targets that the run does not have yet."""
        run, loaded = self.planned.run.name, Loaded(complete=True)
        if self._intake is not None:
            seconds = self._lease_seconds
            loaded = load(
                self._store, run, self._intake, on_progress=on_progress, lease_seconds=seconds
            )
        if loaded.cancelled:
            raise RunCancelled(
                f"run {run} was cancelled while targets were being loaded: {loaded.added:,} were "
                "added and cancelled with it; --new starts another run"
            )
        # There may be no worker to finish a run in which nothing is left to do.
        self._store.runs.settle(run)
        self.is_over = self._store.runs.get(run).state is not RunState.OPEN
        return loaded

    def close(self) -> None:
        self._store.close()
