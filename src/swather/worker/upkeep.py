"""The upkeep thread: sweeps, looks after files, and does errands for the engine. An errand takes a
store and returns a message, or nothing.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Final, NamedTuple

from swather.errors import DatabaseUnusable, StoreError, SwatherError
from swather.model.event import EventLevel
from swather.model.lease import Lease
from swather.model.run import RunState
from swather.scraping.files import FileStore
from swather.store.ports import Store
from swather.store.retrying_queue import RETRYABLE
from swather.store.web_ports import Sighting
from swather.worker.access.throttle import PATIENCE_SECONDS
from swather.worker.jobs import Jobs
from swather.worker.leases import Registration
from swather.worker.messages import (
    Hopeless,
    LanesShut,
    Mailbox,
    Message,
    PartitionsTried,
    RunLoaded,
    RunsSettled,
    SettingsRead,
)
from swather.worker.settings import Settings

SWEEP_SECONDS: Final = 5.0
HINT_SECONDS: Final = 0.02
# How often a worker looks for runs that are past their days, and for how long it removes them
# before it turns to other work.
EXPIRY_SECONDS: Final = 60.0
EXPIRY_WORK_SECONDS: Final = 0.5
_MAX_OPEN_RUNS: Final = 1_000
SWEEP_FAILED: Final = "the sweep for dead workers failed and will be tried again"

_log = logging.getLogger(__name__)

Work = Callable[[Store], Message | None]


class _Errand(NamedTuple):
    work: Work
    otherwise: Message | None = None
    failed: str = "upkeep failed"


class Upkeep(threading.Thread):
    """Does on its own store what may take a while and the engine does not wait for."""

    def __init__(self, store: Store, files: FileStore, mailbox: Mailbox) -> None:
        super().__init__(name="swather-upkeep", daemon=True)
        self._store = store
        self._files = files
        self._mailbox = mailbox
        self._work: SimpleQueue[_Errand | None] = SimpleQueue()
        self._random = Random()
        self._hint_is_due = False
        self._expiry_at = 0.0
        self._expiring = ""

    def run(self) -> None:
        self._do(_Errand(self._look_after_files))
        self._do(_Errand(self._drop_expired))
        sweep_at = self._next_sweep()
        while True:
            try:
                errand = self._work.get(timeout=max(sweep_at - time.monotonic(), 0.0))
            except Empty:
                sweep_at = self._next_sweep()
                self._do(_Errand(self._sweep, failed=SWEEP_FAILED))
                self._do(_Errand(self._drop_expired))
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
        """Do this for somebody who waits for it."""
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
        self._files.link_missing(store.results)
        self._files.prune_daily(store.results.has_file)

    def _drop_expired(self, store: Store) -> None:
        began = time.monotonic()
        if began < self._expiry_at:
            return
        while (run := store.upkeep.drop_expired()) is not None:
            if run != self._expiring:
                self._expiring = run
                _log.info("run %s is past keep_runs_days and is removed", run)
            if time.monotonic() > began + EXPIRY_WORK_SECONDS:
                return  # the rest after the next sweep
        self._expiry_at = began + EXPIRY_SECONDS

    def _sweep(self, store: Store) -> None:
        swept = store.workers.sweep()
        if swept.workers:
            _log.warning(
                "%s died; %d of their tasks are ready again",
                ", ".join(swept.workers),
                swept.tasks,
            )
            self._files.link_missing(store.results)
        if swept.tasks or swept.promoted:
            store.hints.send()


def load_run(store: Store, jobs: Jobs, lease: Lease) -> RunLoaded:
    """Read the run of a lease."""
    try:
        jobs.load_for(store, lease)
    except Exception as error:  # noqa: BLE001 - it is for whoever waits for the run
        return RunLoaded(lease.run_id, error)
    return RunLoaded(lease.run_id, None)


def read_settings(store: Store) -> SettingsRead:
    return SettingsRead(store.settings.all().get("event_level") == EventLevel.ALL)


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


def pin_hosts(store: Store, run: str, found: Collection[Sighting]) -> None:
    """Note where a run has found hosts."""
    store.allowed_hosts.pin_all(run, found)


def settle_runs(store: Store, settings: Settings, jobs: Jobs) -> RunsSettled:
    """Finish the runs that can be finished."""
    run = settings.run
    sees_all = True
    if run is None:
        open_runs = store.runs.find(state=RunState.OPEN, limit=_MAX_OPEN_RUNS)
        jobs.warn_of_strangers(open_runs)
        names = [found.name for found in open_runs if found.scraper in settings.scrapers]
        sees_all = len(open_runs) < _MAX_OPEN_RUNS
    else:
        names = [run]
    states = {name: _settle(store, name) for name in names}
    known = [job.run for job in list(jobs.known.values())] if sees_all else []
    ended = [each.id for each in known if states.get(each.name) is not RunState.OPEN]
    if settings.forever or RunState.OPEN in states.values():
        return RunsSettled(ended)
    return RunsSettled(ended, str(states[run]) if run is not None else "finished")


def _settle(store: Store, name: str) -> RunState:
    if store.runs.settle(name):
        _log.info("run %s is finished", name)
        store.hints.send()
        return RunState.FINISHED
    return store.runs.get(name).state


def take_partitions(
    store: Store, settings: Settings, jobs: Jobs, registration: Registration
) -> PartitionsTried:
    """Serve a partition of each known run that nobody serves."""
    runs = [job.run.name for job in list(jobs.known.values())]
    taken = [_take(store, run, settings.partitions, registration.worker_id) for run in runs]
    return PartitionsTried(any(taken))


def _take(store: Store, run: str, wanted: Collection[str] | None, worker_id: int) -> bool:
    unserved = {found.name for found in store.workers.partitions(run) if not found.owner}
    if wanted is not None:
        unserved &= set(wanted)
    if not unserved:
        return False
    names = None if wanted is None else sorted(unserved)
    try:
        taken = store.workers.take_partitions(worker_id, run, names, limit=1)
    except StoreError:
        return False
    return not unserved.isdisjoint(taken)
