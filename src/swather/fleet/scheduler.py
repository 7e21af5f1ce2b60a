"""The scheduler: a thread that fires due schedules, and loads the targets of their runs."""

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from random import Random
from typing import Final

from swather.errors import DatabaseUnusable, InputError, MissingExtra, StoreError, SwatherError
from swather.model.schedule import Firing, FiringState, Schedule, following
from swather.runs.firing import Begun, Recipe, fire, load_firing, recipe_of, take
from swather.runs.registered_schedules import sync
from swather.scraping.registered import Registered
from swather.scraping.scraper import Scraper
from swather.store import Store, factory

LOOK_SECONDS: Final = 5.0
# So that many schedulers do not all come at the same moment: a share of the time between looks.
JITTER: Final = 0.1
# What cannot become a run here is left to others for so long, and then recorded as failed.
PATIENCE_SECONDS: Final = 60.0
# Firings that end their loader so often are given up.
MAX_ATTEMPTS: Final = 5
JOIN_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)

# The code of a scraper by its name; None if this process has none.
Code = Callable[[str], Scraper | None]


class Scheduler:
    """Any number of processes may have one on the same database: each due time becomes one run. A
    loader that dies is replaced by another process's; one whose scheduler is stopped, too.
    """

    def __init__(
        self,
        url: str,
        code: Code,
        known: Mapping[str, Registered],
        *,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._url = factory.located(url)
        self._code = code
        self._known = known
        self._look_seconds = look_seconds
        self._stop = threading.Event()
        self._random = Random()
        self._thread = threading.Thread(target=self._run, name="swather-scheduler", daemon=True)
        self._loaders: list[threading.Thread] = []
        self._left: set[tuple[str, str]] = set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """What is being loaded stays in its run; another scheduler loads the rest."""
        self._stop.set()
        for thread in (self._thread, *self._loaders):
            thread.join(JOIN_SECONDS)

    @property
    def has_given_up(self) -> bool:
        """It was started and can do no more: the database is unusable."""
        return self._thread.ident is not None and not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with closing(factory.open(self._url)) as store:
                    sync(store, self._known)
                    self._look_on(store)
            except DatabaseUnusable as error:
                _log.error("no schedule is fired by this process any more: %s", error)
                return
            except StoreError as error:
                _log.warning("the scheduler waits for the database: %s", error)
                self._stop.wait(self._look_seconds)
            except Exception:  # noqa: BLE001 - schedules must go on
                _log.exception("the scheduler failed and starts again")
                self._stop.wait(self._look_seconds)

    def _look_on(self, store: Store) -> None:
        wait_seconds = 0.0
        while not self._stop.wait(wait_seconds):
            try:
                wait_seconds = self.look(store)
                store.outage.answered()
            except DatabaseUnusable:
                raise
            except StoreError as error:
                store.outage.failed(error)
                wait_seconds = self._look_seconds

    def look(self, store: Store) -> float:
        """Do what is due; how many seconds to wait before the next look."""
        outlook = store.schedules.outlook()
        if outlook.due_seconds is not None and outlook.due_seconds <= 0:
            for due in store.schedules.due():
                self._fire(store, due)
        if outlook.under_way:
            # Loaders that have died are seen by a sweep.
            store.workers.sweep()
            for firing in store.schedules.open_firings():
                self._take(store, firing)
        wait_seconds = self._look_seconds
        if outlook.due_seconds is not None and outlook.due_seconds > 0:
            wait_seconds = min(wait_seconds, outlook.due_seconds)
        return wait_seconds + self._random.uniform(0, JITTER * self._look_seconds)

    def _fire(self, store: Store, due: Schedule) -> None:
        try:
            recipe = self._recipe(store, due)
            found = None if recipe is None else fire(store, due, recipe)
        except (InputError, MissingExtra) as error:
            self._give_up(store, due, str(error))
            return
        if isinstance(found, Begun):
            self._load(store, found)
        elif found is not None:
            level = logging.WARNING if found.state is FiringState.SKIPPED else logging.INFO
            _log.log(level, "schedule %s: %s, %s", found.schedule, found.state, found.reason)

    def _take(self, store: Store, firing: Firing) -> None:
        if firing.attempts >= MAX_ATTEMPTS:
            store.schedules.fail(firing.id, f"{MAX_ATTEMPTS} processes ended while loading it")
            return
        try:
            recipe = self._recipe(store, store.schedules.get(firing.schedule))
            begun = None if recipe is None else take(store, firing, recipe)
        except (InputError, MissingExtra) as error:
            self._say_once(firing.schedule, f"cannot be loaded here: {error}")
            return
        if begun is not None:
            self._load(store, begun)

    def _recipe(self, store: Store, schedule: Schedule) -> Recipe | None:
        known = self._known.get(schedule.scraper)
        if schedule.origin and (known is None or known.schedule is None):
            # Only those who have the file know what it means.
            return None
        scraper = self._code(schedule.scraper)
        if scraper is None:
            self._say_once(
                schedule.name, f"this process has no code for scraper {schedule.scraper!r}"
            )
            return None
        return recipe_of(store, schedule, scraper, known)

    def _give_up(self, store: Store, due: Schedule, reason: str) -> None:
        self._say_once(due.name, f"cannot start a run here: {reason}")
        if -due.due_seconds < PATIENCE_SECONDS:
            return
        try:
            next_at, _ = following(due)
        except InputError:
            # Nobody knows when it would be due again.
            store.schedules.fail_due(due, due.now, f"{reason}; the schedule is now disabled")
            store.schedules.disable(due.name)
        else:
            store.schedules.fail_due(due, next_at, reason)

    def _load(self, store: Store, begun: Begun) -> None:
        firing = begun.firing
        more = f"; {firing.missed} more due times had passed unseen" if firing.missed else ""
        again = " again" if firing.attempts > 1 else ""
        _log.info("schedule %s: loading run %s%s%s", firing.schedule, firing.run, again, more)
        loader = threading.Thread(
            target=self._load_in, args=[store.another(), begun], name="swather-loader", daemon=True
        )
        self._loaders = [each for each in self._loaders if each.is_alive()] + [loader]
        loader.start()

    def _load_in(self, store: Store, begun: Begun) -> None:
        firing = begun.firing
        try:
            loaded = load_firing(store, begun, self._stop)
        except SwatherError as error:
            _log.error("schedule %s: run %s: %s", firing.schedule, firing.run, error)
        except Exception:  # noqa: BLE001 - another scheduler tries it
            _log.exception("schedule %s: run %s could not be loaded", firing.schedule, firing.run)
        else:
            if loaded is not None:
                _log.info("schedule %s: run %s has %d targets", firing.schedule, firing.run, loaded)
        finally:
            store.close()

    def _say_once(self, schedule: str, what: str) -> None:
        if (schedule, what) not in self._left:
            self._left.add((schedule, what))
            _log.warning("schedule %s: %s", schedule, what)
