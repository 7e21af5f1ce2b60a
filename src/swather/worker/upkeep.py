"""The upkeep thread: sweeps, names and prunes files, and does errands for the engine. An errand
takes a store and returns a message, or nothing.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Final, NamedTuple

from swather.errors import DatabaseUnusable, SwatherError
from swather.model.history import Measured
from swather.model.task import EventLevel
from swather.scraping.file_folders import FileFolders
from swather.store.ports import Sighting, Store
from swather.store.retrying_queue import RETRYABLE
from swather.worker.access.throttle import PATIENCE_SECONDS
from swather.worker.messages import (
    Hopeless,
    LanesShut,
    Mailbox,
    Message,
    SettingsRead,
)

SWEEP_SECONDS: Final = 5.0
HINT_SECONDS: Final = 0.02
# How often a worker looks for runs that are past their days, and for how long it removes them
# before it turns to other work.
EXPIRY_SECONDS: Final = 60.0
EXPIRY_WORK_SECONDS: Final = 0.5
FORGET_SECONDS: Final = 3_600.0
THIN_SECONDS: Final = 120.0
SWEEP_FAILED: Final = "the sweep for dead workers failed and will be tried again"
NO_HISTORY: Final = "the history of runs has a gap"

_log = logging.getLogger(__name__)

Work = Callable[[Store], Message | None]


class _Errand(NamedTuple):
    work: Work
    otherwise: Message | None = None
    failed: str = "upkeep failed"


class Upkeep(threading.Thread):
    """Does on its own store what may take a while and the engine does not wait for."""

    def __init__(self, store: Store, folders: FileFolders, mailbox: Mailbox) -> None:
        super().__init__(name="swather-upkeep", daemon=True)
        self._store = store
        self._folders = folders
        self._mailbox = mailbox
        self._work: SimpleQueue[_Errand | None] = SimpleQueue()
        self._random = Random()
        self._hint_is_due = False
        self._is_naming_due = False
        self._expiry_at = 0.0
        self._expiring = ""
        self._forget_at = 0.0
        self._thin_at = 0.0

    def run(self) -> None:
        self._do(_Errand(self._look_after_files))
        self._do(_Errand(self._drop_expired))
        self._do(_Errand(self._forget_sites))
        self._do(_Errand(self._keep_history, failed=NO_HISTORY))
        sweep_at = self._next_sweep()
        while True:
            try:
                errand = self._work.get(timeout=max(sweep_at - time.monotonic(), 0.0))
            except Empty:
                sweep_at = self._next_sweep()
                self._do(_Errand(self._sweep, failed=SWEEP_FAILED))
                self._do(_Errand(self._drop_expired))
                self._do(_Errand(self._forget_sites))
                self._do(_Errand(self._keep_history, failed=NO_HISTORY))
                continue
            if errand is None:
                return
            self._do(errand)

    def stop(self) -> None:
        self._work.put(None)

    def submit(self, work: Work, otherwise: Message | None = None) -> None:
        """Do this; the engine is told what it returns, or `otherwise` when it fails."""
        self._work.put(_Errand(work, otherwise))

    def call(self, work: Callable[[Store], Any]) -> Future[Any]:
        """Do this for a caller who waits for it."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def answer(store: Store) -> None:
            try:
                future.set_result(work(store))
            except Exception as error:  # noqa: BLE001 - it is the caller's, who waits for it
                future.set_exception(error)

        self._work.put(_Errand(answer))
        return future

    def send_hint(self) -> None:
        """Wake other workers soon; many wishes become one hint."""
        if not self._hint_is_due:
            self._hint_is_due = True
            self._work.put(_Errand(self._send_hint))

    def name_again(self) -> None:
        """Files could not be named; try it with every sweep until they are."""
        self._is_naming_due = True

    def _do(self, errand: _Errand) -> None:
        message = errand.otherwise
        try:
            message = errand.work(self._store)
        except DatabaseUnusable as error:
            message = Hopeless(error)
        except RETRYABLE as error:
            self._store.outage.failed(error)
        except SwatherError as error:
            _log.warning("%s: %s", errand.failed, error)
        except Exception:  # noqa: BLE001 - this thread must not end
            _log.exception(errand.failed)
        if message is not None:
            self._mailbox.post(message)

    def _send_hint(self, store: Store) -> None:
        time.sleep(HINT_SECONDS)
        self._hint_is_due = False
        store.hints.send()

    def _next_sweep(self) -> float:
        return time.monotonic() + SWEEP_SECONDS * self._random.uniform(0.8, 1.2)

    def _look_after_files(self, store: Store) -> None:
        self._is_naming_due = not self._folders.link_missing(store)
        self._folders.prune_daily(store)
        self._folders.sweep()

    def _drop_expired(self, store: Store) -> None:
        began = time.monotonic()
        if began < self._expiry_at:
            return
        while (run := store.upkeep.drop_expired()) is not None:
            if run != self._expiring:
                self._expiring = run
                _log.info("run %s is older than keep_runs_days; removing it", run)
            if time.monotonic() > began + EXPIRY_WORK_SECONDS:
                return  # the rest after the next sweep
        self._expiry_at = began + EXPIRY_SECONDS

    def _forget_sites(self, store: Store) -> None:
        began = time.monotonic()
        if began < self._forget_at:
            return
        while store.proxies.forget_sites():
            if time.monotonic() > began + EXPIRY_WORK_SECONDS:
                return  # the rest after the next sweep
        self._forget_at = began + FORGET_SECONDS

    def _keep_history(self, store: Store) -> None:
        """So that it is kept without a server, too; the store takes a sample when one is due."""
        store.history.sample()
        began = time.monotonic()
        if began < self._thin_at:
            return
        while store.history.thin():
            if time.monotonic() > began + EXPIRY_WORK_SECONDS:
                return  # the rest after the next sweep
        self._thin_at = began + THIN_SECONDS

    def _sweep(self, store: Store) -> None:
        swept = store.workers.sweep()
        if swept.workers:
            _log.warning(
                "%s died; %d of their tasks are ready again",
                ", ".join(swept.workers),
                swept.tasks,
            )
            self._is_naming_due = True
            self._folders.sweep()
        if swept.tasks or swept.promoted:
            store.hints.send()
        if self._is_naming_due:
            self._is_naming_due = not self._folders.link_missing(store)


def read_settings(
    store: Store, delays: Callable[[Store], Mapping[str, tuple[float, float]]]
) -> SettingsRead:
    logs_starts = store.settings.all().get("event_level") == EventLevel.ALL
    return SettingsRead(logs_starts, delays(store))


def shut_lanes(store: Store, lanes: Collection[str]) -> LanesShut:
    """Which of these lanes are closed, and not only for a moment."""
    soon = datetime.now(UTC) + timedelta(seconds=PATIENCE_SECONDS)
    return LanesShut(
        frozenset(
            lane.name
            for lane in map(store.lanes.get, lanes)
            if lane.paused or (lane.cool_until is not None and lane.cool_until > soon)
        )
    )


def pin_hosts(store: Store, found: Mapping[str, Collection[Sighting]]) -> None:
    """Note where runs have found hosts."""
    for run, sightings in found.items():
        store.allowed_hosts.pin_all(run, sightings)


def note_measured(store: Store, run: str, measured: Measured) -> None:
    """Write down what a worker has measured of a run; nothing if the run is gone."""
    store.history.note(run, measured)
