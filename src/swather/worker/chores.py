"""What a worker does beside its tasks: wakes others, looks whether runs are over, and the like."""

import logging
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

from swather.errors import StoreError
from swather.model.event import EventLevel
from swather.model.lease import Lease
from swather.model.results import Part
from swather.model.run import RunState
from swather.scraping.files import FileStore
from swather.store.ports import Fence, Store
from swather.store.web_ports import Sighting
from swather.worker.breaker import Place
from swather.worker.jobs import Jobs
from swather.worker.politeness import Politeness
from swather.worker.pump import Pump
from swather.worker.settings import Settings
from swather.worker.sites import Sites
from swather.worker.traffic import PATIENCE_SECONDS, Traffic
from swather.worker.upkeep import Listener, Upkeep

JOIN_SECONDS = 2.0
_MAX_OPEN_RUNS = 1_000

_log = logging.getLogger(__name__)

Tell = Callable[..., None]


class Chores:
    """Called on the loop; done on other threads, with a store of their own. `tell` brings answers
    back to the loop.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        jobs: Jobs,
        worker_id: Callable[[], int],
        *,
        tell: Tell,
        on_hint: Callable[[], None],
        on_over: Callable[[str], None],
        on_ended: Callable[[Collection[int]], None],
    ) -> None:
        self.store = store.another()
        self._settings = settings
        self._jobs = jobs
        self._worker_id = worker_id
        self._tell = tell
        self._on_hint = on_hint
        self._on_over = on_over
        self._on_ended = on_ended
        self._upkeep = Upkeep(self.store, FileStore(settings.files_folder))
        self._listener = Listener(self.store, lambda: tell(on_hint))
        self._is_looking = False
        self._is_taking = False
        self._logs_starts = False

    def start(self) -> None:
        self._upkeep.start()
        self._listener.start()
        self.read_settings()

    def stop(self) -> None:
        self._listener.stop()
        self._upkeep.submit(self.store.hints.send)  # wakes our own listener, too
        self._upkeep.stop()

    def join(self) -> None:
        self._upkeep.join(JOIN_SECONDS)
        self._listener.join(JOIN_SECONDS)
        if not self._upkeep.is_alive() and not self._listener.is_alive():
            self.store.close()

    def send_hint(self) -> None:
        self._upkeep.send_hint()

    def sites(self, policy: Politeness, traffic: Traffic, pump: Pump) -> Sites:
        def on_open(places: Collection[Place]) -> None:
            pump.give_back_if(lambda lease: self._jobs.place_of(lease) in places)

        return Sites(
            self.store,
            policy,
            traffic,
            submit=self._upkeep.submit,
            tell=self._tell,
            on_open=on_open,
        )

    def give_back_closed(self, pump: Pump) -> None:
        """Leases that wait for a slot on a lane that is closed now, and not only for a moment."""
        lanes = {lease.lane for lease in pump.waiting if lease.lane}
        if not lanes:
            return

        def look() -> None:
            soon = datetime.now(UTC) + timedelta(seconds=PATIENCE_SECONDS)
            found = map(self.store.lanes.get, lanes)
            closed = {
                lane.name
                for lane in found
                if lane.paused or (lane.cool_until is not None and lane.cool_until > soon)
            }
            if closed:
                self._tell(pump.give_back_if, lambda lease: lease.lane in closed)

        self._upkeep.submit(look)

    def load(self, lease: Lease, loaded: Callable[[int, Exception | None], None]) -> None:
        def load() -> None:
            error: Exception | None = None
            try:
                self._jobs.load_for(self.store, lease)
            except Exception as failure:  # noqa: BLE001 - told where it matters
                error = failure
            self._tell(loaded, lease.run_id, error)

        self._upkeep.submit(load)

    def linked(self, parts: Collection[Part]) -> None:
        """The files of these parts have their names."""
        if parts:
            self._upkeep.submit(lambda: self.store.results.mark_linked(parts))

    def found_public(self, hosts: Mapping[str, Collection[Sighting]]) -> None:
        """Note where runs have found hosts."""
        for run, sightings in hosts.items():
            self._upkeep.submit(partial(self.store.allowed_hosts.pin_all, run, sightings))

    def claimed(self, leases: Collection[Lease]) -> None:
        """Log that attempts begin, where the level asks for it."""
        if self._logs_starts:
            fences: list[Fence] = [lease.fence for lease in leases]
            self._upkeep.submit(lambda: self.store.events.log_started(fences))

    def read_settings(self) -> None:
        def read() -> None:
            level = self.store.settings.all().get("event_level")
            self._logs_starts = level == EventLevel.ALL

        self._upkeep.submit(read)

    def look_for_end(self) -> None:
        """Finish what can be finished; `on_over` when there is nothing left for this worker,
        `on_ended` with runs that it knows and that are over.
        """
        if self._is_looking:
            return
        self._is_looking = True

        def look() -> None:
            reason: str | None = None
            ended: list[int] = []
            try:
                reason, ended = self._end()
            finally:
                self._tell(self._looked, reason, ended)

        self._upkeep.submit(look)

    def _looked(self, reason: str | None, ended: Collection[int]) -> None:
        self._is_looking = False
        if ended:
            self._on_ended(ended)
        if reason is not None:
            self._on_over(reason)

    def _end(self) -> tuple[str | None, list[int]]:
        """Why there is nothing left to do, or None; and which known runs are over."""
        run, scrapers = self._settings.run, self._settings.scrapers
        sees_all = True
        if run is None:
            open_runs = self.store.runs.find(state=RunState.OPEN, limit=_MAX_OPEN_RUNS)
            self._jobs.warn_of_strangers(open_runs)
            names = [found.name for found in open_runs if found.scraper in scrapers]
            sees_all = len(open_runs) < _MAX_OPEN_RUNS
        else:
            names = [run]
        states = {name: self._settled(name) for name in names}
        known = [job.run for job in list(self._jobs.known.values())] if sees_all else []
        ended = [each.id for each in known if states.get(each.name) is not RunState.OPEN]
        if self._settings.forever or RunState.OPEN in states.values():
            return None, ended
        return str(states[run]) if run is not None else "finished", ended

    def _settled(self, name: str) -> RunState:
        if self.store.runs.settle(name):
            _log.info("run %s is finished", name)
            self.store.hints.send()
            return RunState.FINISHED
        return self.store.runs.get(name).state

    def take_partitions(self) -> None:
        """Serve a partition that nobody serves, now that there is room for more work."""
        if self._is_taking:
            return
        self._is_taking = True

        def take() -> None:
            try:
                runs = [job.run.name for job in list(self._jobs.known.values())]
                if sum(map(self._take, runs)):
                    self._tell(self._on_hint)
            finally:
                self._is_taking = False

        self._upkeep.submit(take)

    def _take(self, run: str) -> bool:
        unserved = {found.name for found in self.store.workers.partitions(run) if not found.owner}
        wanted = self._settings.partitions
        if wanted is not None:
            unserved &= set(wanted)
        if not unserved:
            return False
        worker = self._worker_id()
        names = None if wanted is None else sorted(unserved)
        try:
            taken = self.store.workers.take_partitions(worker, run, names, limit=1)
        except StoreError:
            return False
        return not unserved.isdisjoint(taken)
