"""Duties: what a process does for the whole fleet besides its own work."""

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from swather.fleet.notifier import Notifier
from swather.fleet.scheduler import Code, Scheduler
from swather.masking import masked_database
from swather.runs import configuration
from swather.runs.databases import elsewhere, without_schedules
from swather.runs.notice_hooks import hooks_of
from swather.runs.registered_schedules import schedules_in
from swather.scraping import registry
from swather.scraping.registered import Registered, registered
from swather.scraping.scraper import Scraper
from swather.store import factory

# How long a process that ends waits for hooks to take what is due.
PATIENCE_SECONDS: Final = 10.0
# A scheduler looks for what is due less often than a worker for tasks.
POLLS_PER_LOOK: Final = 5

_log = logging.getLogger(__name__)


class Duties:
    """Within its block schedules are fired, unless there is no `code`, and notices are delivered,
    if this process has hooks. The constructor reads what is registered in this folder; BadSetting
    says which schedule or hook cannot be used. At the end of the block hooks have
    `patience_seconds` for what is due; with `ends_at_last` they are told of the ends of runs only
    then.
    """

    def __init__(
        self,
        url: str,
        code: Code | None = None,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        ends_at_last: bool = False,
    ) -> None:
        self._url = factory.located(url)
        known = registered()
        schedules_in(known)
        resolved = configuration.resolve(None)
        look_seconds = POLLS_PER_LOOK * resolved.settings.poll_seconds
        self._scheduler: Scheduler | None = None
        if code is not None:
            here = _scheduled_here(known, self._url)
            self._scheduler = Scheduler(self._url, code, here, look_seconds=look_seconds)
        self._hooks = hooks_of(resolved, known, Path.cwd())
        self._no_progress_seconds = resolved.settings.no_progress_seconds
        self._patience_seconds = patience_seconds
        self._ends_at_last = ends_at_last
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._hooks:
            notifier = Notifier(
                factory.open(self._url),
                self._hooks,
                no_progress_seconds=self._no_progress_seconds,
                ends_at_last=self._ends_at_last,
            )
            self._stack.callback(_stop, notifier, self._patience_seconds)
            notifier.start()
        if self._scheduler is not None:
            self._stack.callback(self._scheduler.stop)
            self._scheduler.start()
        return self

    @property
    def have_failed(self) -> bool:
        """Schedules are no longer fired: the database is unusable, and the log says why."""
        return self._scheduler is not None and self._scheduler.has_given_up

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()


def _scheduled_here(known: Mapping[str, Registered], url: str) -> dict[str, Registered]:
    """Without the schedules of scrapers whose runs are in another database: there they are fired
    by others.
    """
    others = {
        name: db for name, db in elsewhere(known, url).items() if known[name].schedule is not None
    }
    for name, db in others.items():
        _log.info("the schedule of %s is fired in %s, not here", name, masked_database(db))
    return without_schedules(known, others)


def _stop(notifier: Notifier, patience_seconds: float) -> None:
    for words in notifier.stop(patience_seconds):
        _log.warning("%s has not answered; another process tries again later", words)


def code_in(scrapers: Mapping[str, Scraper]) -> Code:
    """The code that a worker has loaded."""
    return scrapers.get


class RegisteredCode:
    """The code of registered scrapers, loaded when it is needed first."""

    def __init__(self, known: Mapping[str, Registered]) -> None:
        self._known = known
        self._loaded: dict[str, Scraper] = {}

    def __call__(self, name: str) -> Scraper | None:
        if name not in self._known:
            return None
        if name not in self._loaded:
            self._loaded[name] = registry.load_registered(self._known[name])
        return self._loaded[name]
