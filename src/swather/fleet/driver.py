"""The driver of a run: it plans, loads, watches, writes the results and sums up."""

import logging
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from swather.errors import InputError, ResultsIncomplete, StoreError
from swather.fleet.duties import Duties
from swather.fleet.work import Ended, Work, Workers
from swather.model.run import Run
from swather.runs import configuration
from swather.runs.fresh_chance import close_breakers
from swather.runs.loading import Loading, LoadingHere, anything_new
from swather.runs.order import Order
from swather.runs.programs import check_programs
from swather.runs.proxy_lists import load_lists
from swather.runs.results import Results
from swather.runs.run_lock import RunLock
from swather.runs.start import Planned
from swather.runs.storage import bucket_access, check_storage, made_folder, storage_of
from swather.runs.summary import Summary, summarise
from swather.runs.view import View
from swather.scraping.file_folders import FileFolders
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store, factory

_log = logging.getLogger(__name__)


class Driven(NamedTuple):
    """The result of a run. `written`: what its results file holds, None if nothing was written;
    `wrong`: why the file is not complete.
    """

    summary: Summary
    written: dict[str, Any] | None
    wrong: InputError | ResultsIncomplete | None

    def whole(self) -> Self:
        """Raise what is wrong with the results, if anything is."""
        if self.wrong is not None:
            raise self.wrong
        return self


class Driver:
    """A planned run: `work` on it, then `finish` it. `settings` are those in force."""

    def __init__(
        self,
        store: Store,
        run: Run,
        scraper: Scraper,
        settings: Settings,
        results: Results | None,
    ) -> None:
        self.store = store
        self.run = run
        self.scraper = scraper
        self.settings = settings
        # A scraper that runs in this process may change the current folder.
        self._folders = FileFolders(
            {scraper.name: scraper},
            settings.files_folder,
            start=Path.cwd(),
            access=bucket_access(settings),
        )
        self._results = results
        self._is_complete = False

    def work(
        self,
        workers: Workers,
        view: View,
        *,
        max_seconds: float | None = None,
        at_limit: str = "",
    ) -> Ended:
        """Load the targets, and let the workers work, until there is no more to do or
        `max_seconds` are over; `at_limit` is said then.
        """
        work = Work(
            self.store,
            self.run,
            workers,
            view,
            loading=self._loading(),
            max_seconds=max_seconds,
            at_limit=at_limit,
        )
        return work.until_it_ends()

    def finish(self, *, seconds: float | None = None) -> Driven:
        """Complete the results and sum up; `seconds`: how long it took, if not its whole life."""
        written, wrong = self._complete()
        # Workers name the files they save; this is for workers that were killed before they could.
        if not self._folders.link_missing(self.store):
            _log.warning("not all files have their names yet; the next worker gives them")
        return Driven(summarise(self.store, self.run.name, seconds=seconds), written, wrong)

    def _loading(self) -> Loading | LoadingHere | None:
        """The loading of its targets, if there are any to load."""
        return None

    def _complete(self) -> tuple[dict[str, Any] | None, InputError | ResultsIncomplete | None]:
        """An unwritable file must not prevent the summary of the run."""
        self._is_complete = True
        try:
            return self._written(), None
        except (InputError, ResultsIncomplete) as error:
            return None, error

    def _written(self) -> dict[str, Any] | None:
        return None if self._results is None else self._results.finish(self.store, self.run)


class RunDriver(Driver):
    """A run that the constructor begins or resumes.

    `notes` are what a person should know before it starts; `retried`: how many of its tasks were
    made ready again. At the end of its block its results are
    complete, whatever ended it, and its store is closed.
    """

    def __init__(self, order: Order) -> None:
        settings = configuration.resolve(None, order.options, order.scraper).settings
        duties = Duties(settings.db, patience_seconds=settings.hook_timeout, ends_at_last=True)
        results = None if order.output is None else Results(order.output)
        # Bad targets are reported before a database is created for them.
        configuration.run_params(order.scraper, order.params, settings)
        self.intake = None if order.source.is_empty else order.source.intake(order.scraper)
        folder = made_folder(order.options.get("files_folder"), settings)
        store = factory.open(settings.db)
        self._lock: RunLock | None = None
        try:
            settings = configuration.resolve(store, order.options, order.scraper).settings
            scraper = configuration.apply(order.scraper, settings)
            if results is not None and not order.is_alone:
                results.check(store)
            check_programs(scraper, settings)
            of_storage = None if folder else check_storage(storage_of(scraper, settings), settings)
            of_proxies = load_lists(store, scraper, settings, is_temporary=order.is_alone)
            planned = order.planned(store, scraper, settings, folder)
            if order.is_single:
                self._lock = RunLock(store, planned.run)
            aside = None if results is None else _begun(results, store, planned)
            self.retried = _retry(store, planned, order)
            self.planned = planned._replace(finished=planned.finished and not self.retried)
        except BaseException:
            self._unlock()
            store.close()
            raise
        super().__init__(store, self.planned.run, scraper, settings, results)
        self._duties = duties
        self._source = order.source
        read = [] if self.intake is None else self.intake.notes
        self.notes = [*read, *self.planned.notes, *of_proxies, *filter(None, [of_storage, aside])]
        if self.intake is not None and self.intake.is_empty:
            self.notes.append(order.source.nothing_found)

    def __enter__(self) -> Self:
        self._duties.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_complete:
            # The error that led here is the one to report.
            with suppress(StoreError):
                self._complete()
        self._unlock()
        # Hooks hear of the end of the run when its results are complete.
        self._duties.__exit__(kind, error, trace)
        self.store.close()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def take_up(self) -> bool:
        """Whether there is anything to do. For a finished run, this loads the first new targets."""
        if not self.planned.finished:
            return True
        return self.intake is not None and anything_new(self.store, self.run.name, self.intake)

    def _loading(self) -> Loading | LoadingHere | None:
        if self.intake is None:
            return None
        seconds = self.settings.lease_seconds
        return self._source.loading(self.store, self.run.name, self.intake, lease_seconds=seconds)


def _retry(store: Store, planned: Planned, order: Order) -> int:
    if order.retry is None or planned.is_new:
        return 0
    retried = store.tasks.retry(msgspec.structs.replace(order.retry, run=planned.run.name))
    if retried:
        close_breakers(store, planned.run.scraper)
    return retried


def _begun(results: Results, store: Store, planned: Planned) -> str | None:
    """What is said about results of another run; a run that cannot write its own is none."""
    try:
        return results.begin(store, planned.run)
    except InputError:
        if planned.is_new:
            store.runs.cancel(planned.run.name)
            store.runs.remove(planned.run.name)
        raise
