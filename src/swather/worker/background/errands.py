"""What the upkeep thread does for the engine: each takes a store and returns a message."""

import logging
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from swather.errors import StoreError
from swather.model.event import EventLevel
from swather.model.lease import Lease
from swather.model.run import RunState
from swather.store.ports import Store
from swather.store.web_ports import Sighting
from swather.worker.access.throttle import PATIENCE_SECONDS
from swather.worker.jobs import Jobs
from swather.worker.messages import (
    LanesShut,
    PartitionsTried,
    RunLoaded,
    RunsSettled,
    SettingsRead,
)
from swather.worker.registration import Registration
from swather.worker.settings import Settings

_MAX_OPEN_RUNS = 1_000

_log = logging.getLogger(__name__)


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
