"""A worker at work: its slots, pump and threads, from the first claim to the last commit."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from swather.errors import SwatherError
from swather.model.lease import ClaimRequest, Lease
from swather.scraping.files import FileStore
from swather.store.ports import Store
from swather.store.writer import Writer
from swather.worker.attempt import Cut
from swather.worker.chores import Chores
from swather.worker.dispatch import Dispatch, warn_of_version
from swather.worker.giving_up import give_back, give_back_stuck
from swather.worker.heartbeat import Heartbeat
from swather.worker.held import Held
from swather.worker.jobs import Jobs
from swather.worker.outcome import released
from swather.worker.prefetch import MAX_PREFETCH, Prefetch
from swather.worker.pump import MAX_CLAIM, Pump
from swather.worker.reception import Reception
from swather.worker.report import Tally, WorkerReport, current
from swather.worker.settings import Settings
from swather.worker.stored_pages import StoredPages
from swather.worker.verbs import Services
from swather.worker.watchdog import Watchdog, dump_stacks

TICK_SECONDS: Final = 0.5
STOP_GRACE_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)


class Crew:
    """Everything one call of `Worker.run` needs. A method belongs to the loop's thread unless it
    says otherwise.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        store: Store,
        settings: Settings,
        on_begin: Callable[[], None],
        on_stuck: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._store = store
        self._settings = settings
        self._on_begin = on_begin
        self._on_stuck = on_stuck
        self._writer = Writer(store)
        self._held = Held()
        self._tally = Tally()
        self._jobs = Jobs(settings.scrapers, replay=settings.replay)
        self._reason = ""
        self._fatal: BaseException | None = None
        self._is_cut = False
        self._done = asyncio.Event()
        self._prefetch = Prefetch(settings.batch_size or MAX_PREFETCH)
        self._reception = reception = Reception(
            self._held,
            self._tally,
            self._prefetch,
            settings.on_event,
            lambda reason: self._stop(now=False, reason=reason),
        )
        self._disk = ThreadPoolExecutor(2, "swather-disk")
        self._services = Services(
            self._writer,
            FileStore(settings.files_folder),
            self._disk,
            settings.new_fetcher,
            settings.folder,
            on_children=lambda: self._soon(self._chores.send_hint),
        )
        if settings.replay:
            self._services.stored = StoredPages(store.another)
        self._dispatch = Dispatch(
            loop,
            settings.concurrency,
            self._services,
            self._jobs,
            load=lambda lease: self._chores.load(lease, self._loaded),
            on_start=reception.started if settings.on_event is not None else None,
            on_end=reception.ended,
        )
        self._slots = self._services.slots = self._dispatch.slots
        self._pump = Pump(
            loop,
            self._writer,
            self._held,
            self._dispatch,
            self._prefetch,
            request=self._request,
            may_claim=lambda: self._beat.is_healthy and not self._services.saving.is_full,
            on_commit=reception.committed,
            on_claimed=self._claimed,
            on_short=self._short,
            on_idle=self._idle,
            on_fatal=self._fail,
            poll_seconds=settings.poll_seconds,
            max_claim=settings.batch_size or MAX_CLAIM,
        )
        reception.pump, reception.slots = self._pump, self._slots
        reception.services, reception.dispatch = self._services, self._dispatch
        self._slots.on_rested = self._pump.poke  # type: ignore[method-assign]
        self._watchdog = Watchdog(self._slots.longest_deadline, settings.watchdog_seconds)
        self._beat: Heartbeat
        self._chores: Chores

    async def work(self) -> WorkerReport:
        if self._settings.run is not None:
            warn_of_version(self._jobs.load(self._store, self._settings.run))
        self._store.workers.sweep()
        self._begin(self._store.workers.register(self._settings.new_worker))
        try:
            await self._done.wait()
        finally:
            await self._end_all()
        if self._fatal is not None:
            raise self._fatal
        name = self._store.workers.get(self._beat.worker_id).name
        return self._tally.report(name, self._reason)

    def stop(self, *, now: bool) -> None:
        """From any thread."""
        self._soon(self._stop, now)

    def resize(self, concurrency: int) -> None:
        """From any thread."""
        self._soon(self._resize, concurrency)

    def give_up(self, *, charge: bool) -> None:
        """From any thread, when the loop cannot: give back all leases, with the charge of a crash
        if an attempt stops the loop.
        """
        store, worker_id = self._store.another(), self._beat.worker_id
        begun = set(self._slots.running)
        unbegun = [fence for fence in self._held.snapshot() if fence not in begun]
        if charge:
            give_back_stuck(store, worker_id, unbegun, self._dispatch.on_loop_now())
        else:
            give_back(store, worker_id, unbegun)
        store.close()

    def _begin(self, worker_id: int) -> None:
        self._beat = Heartbeat(
            self._store.another(),
            self._settings.new_worker,
            worker_id,
            self._held,
            self._watchdog,
            beat_seconds=self._settings.beat_seconds,
            statistics=self._statistics,
            on_lost=lambda fences: self._soon(self._reception.lost, fences),
            on_beat=lambda: self._soon(self._pump.hint),
            on_change=lambda: self._soon(self._changed),
            on_stuck=self._stuck,
        )
        self._chores = Chores(
            self._store,
            self._settings,
            self._jobs,
            lambda: self._beat.worker_id,
            tell=self._soon,
            on_hint=self._pump.hint,
            on_over=self._over,
            on_ended=self._forget,
        )
        self._reception.chores = self._chores
        policy = self._settings.politeness
        sites = self._chores.sites(policy, self._services.traffic, self._pump)
        self._services.begin(lambda: self._beat.worker_id, self._chores.store, policy, sites)
        if not self._settings.replay:
            self._reception.sites = sites
        self._writer.start()
        self._beat.start()
        self._chores.start()
        self._tick()
        self._pump.poke()
        self._loop.call_soon(self._on_begin)

    async def _end_all(self) -> None:
        """Nothing runs any more, or nothing can be done about it."""
        self._pump.closed = True
        await self._dispatch.close()
        await self._services.close()
        patience = STOP_GRACE_SECONDS if self._is_cut else CLOSE_SECONDS
        self._writer.close(patience)
        # Only then: a beat that finds its worker retired would register it anew.
        self._beat.stop_and_join(patience)
        try:
            self._store.workers.retire(self._beat.worker_id)
        except SwatherError as error:
            _log.error("this worker could not sign off, others will notice: %s", error)
        self._disk.shutdown(wait=not self._is_cut)
        self._note()
        self._chores.stop()
        self._chores.join()

    def _soon(self, call: Callable[..., None], *args: Any) -> None:
        """From any thread."""
        with suppress(RuntimeError):  # the loop was closed: there is nobody left to tell
            self._loop.call_soon_threadsafe(call, *args)

    def _tick(self) -> None:
        self._watchdog.tick()
        self._pump.give_back_stalled()
        if surplus := self._dispatch.take_surplus():
            self._pump.take_back((), [released(lease) for lease in surplus])
        self._services.sites.tick()
        self._note()
        self._loop.call_later(TICK_SECONDS, self._tick)

    def _note(self) -> None:
        """Write down what need not be written at once."""
        self._chores.linked(self._services.saving.take_linked())
        self._chores.found_public(self._services.reach.take_public())

    def _request(self, count: int) -> ClaimRequest:
        settings = self._settings
        return ClaimRequest(
            worker_id=self._beat.worker_id,
            count=count,
            runs=None if settings.run is None else (settings.run,),
            scrapers=tuple(settings.scrapers),
            strategy=settings.strategy,
            unpaced=settings.replay,
        )

    def _loaded(self, run_id: int, error: Exception | None) -> None:
        leases, outcomes = self._dispatch.loaded(run_id, error)
        self._pump.take_back(leases, outcomes)

    def _claimed(self, leases: Sequence[Lease]) -> None:
        self._prefetch.claimed(limited=self._jobs.hold_back(leases, self._slots.concurrency))
        self._chores.claimed(leases)

    def _short(self) -> None:
        self._chores.take_partitions()

    def _changed(self) -> None:
        self._chores.read_settings()
        if not self._settings.replay:
            self._services.sites.read()
            self._chores.give_back_closed(self._pump)
        self._pump.hint()

    def _idle(self) -> None:
        if not self._dispatch.is_idle or not self._pump.is_empty:
            return
        if self._pump.closed:
            self._done.set()
        else:
            self._chores.look_for_end()

    def _over(self, reason: str) -> None:
        """There is nothing left for this worker."""
        if not self._pump.closed and self._dispatch.is_idle and self._pump.is_empty:
            self._reason = reason
            self._pump.close()

    def _forget(self, runs: Collection[int]) -> None:
        """These are over, unless one was opened again just now."""
        if self._dispatch.is_idle and self._pump.is_empty:
            for run_id in runs:
                self._jobs.forget(run_id)
                self._services.forget(run_id)

    def _stop(self, now: bool, reason: str = "stopped") -> None:
        if not self._pump.closed:
            if reason == "restart":
                _log.warning("too many targets hang and cannot be ended; this worker ends")
            self._reason = reason
            self._pump.close()
            self._pump.take_back(self._dispatch.give_back(), ())
            self._loop.call_later(self._settings.grace_seconds, self._cut_all)
        if now:
            self._cut_all()

    def _cut_all(self) -> None:
        self._is_cut = True
        for attempt in list(self._slots.running.values()):
            self._slots.cut(attempt, Cut.STOP, STOP_GRACE_SECONDS)
        # What cannot be committed by then goes back with the worker's row.
        self._loop.call_later(2 * STOP_GRACE_SECONDS, self._done.set)

    def _fail(self, error: BaseException) -> None:
        self._fatal = self._fatal or error
        self._is_cut = True
        self._done.set()

    def _resize(self, concurrency: int) -> None:
        self._slots.resize(concurrency)
        self._pump.fill()
        self._pump.poke()

    def _statistics(self) -> dict[str, Any]:
        """For the beat's thread."""
        running = list(self._slots.running.values())
        return {
            **self._tally.as_dict(),
            "run": self._settings.run,
            "slots": self._slots.concurrency,
            "abandoned": self._slots.abandoned,
            "trouble": self._services.saving.trouble,
            "strays": self._dispatch.strays,
            "current": current(running, self._loop.time(), time.time()),
        }

    def _stuck(self) -> None:
        """On the beat's thread."""
        dump_stacks("the event loop is stuck: a scraper blocks it past its timeout")
        self._on_stuck()
