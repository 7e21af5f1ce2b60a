"""The parts of a worker: put together, started and closed in order."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from swather.errors import SwatherError
from swather.model.outcome import Outcome, Released
from swather.scraping.code_version import CodeVersions
from swather.store.ports import Store
from swather.store.writer import Writer
from swather.worker.access.access import Access
from swather.worker.access.permits import StorePermits
from swather.worker.attempt import Cut
from swather.worker.beat import Beat
from swather.worker.claiming import Backlog
from swather.worker.exchange import Exchange, Leases
from swather.worker.failed_pages import FailedPages
from swather.worker.hints import HintListener
from swather.worker.jobs import Jobs
from swather.worker.measurements import Measurements
from swather.worker.messages import Mailbox
from swather.worker.outcomes import stuck
from swather.worker.partitions import Partitions
from swather.worker.report import Statistics, Tally
from swather.worker.saving import Saving
from swather.worker.settings import Registration, Settings
from swather.worker.slots import Dispatch, Slots
from swather.worker.stored_pages import PageStore, StoredPages
from swather.worker.target_log import TargetLog
from swather.worker.upkeep import Upkeep
from swather.worker.verbs import Services
from swather.worker.visits import Visits
from swather.worker.watchdog import BlockingCalls, Watchdog

if TYPE_CHECKING:
    from swather.worker.metrics_server import MetricsServer
    from swather.worker.tracing import Tracing

STOP_GRACE_SECONDS: Final = 1.0
CLOSE_SECONDS: Final = 30.0
JOIN_SECONDS: Final = 2.0
# Each waits for the disk most of the time, and a disk syncs what several ask of it together: see
# docs/decisions/0007-many-small-files.md.
DISK_THREADS: Final = 8

_log = logging.getLogger(__name__)


class Parts:
    """What one call of `Worker.run` needs. `store` is for the writer and the main thread,
    `background` for the upkeep and for separate queries.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        store: Store,
        settings: Settings,
        jobs: Jobs,
        tracing: "Tracing | None",
        on_stuck: Callable[[], None],
    ) -> None:
        self.registration = Registration(store, settings.new_worker)
        self.background = store.another()
        self.mailbox = Mailbox(loop)
        self.leases = Leases()
        self.measurements = Measurements()
        self.tally = TargetLog() if settings.log_targets else Tally()
        self._store = store
        self._writer = Writer(store)
        self._disk = ThreadPoolExecutor(DISK_THREADS, "swather-disk")
        # Its own threads: a bucket that hangs holds up no lookup of a host.
        self._files = ThreadPoolExecutor(DISK_THREADS, "swather-files")
        self.saving = Saving(settings.folders, self._files)
        self.upkeep = Upkeep(self.background, settings.folders, self.mailbox)
        self._listener = HintListener(self.background, self.mailbox)
        self.access = Access(
            self.background,
            StorePermits(self._writer, self.registration),
            settings.politeness,
            settings.new_fetcher,
            self.upkeep,
            self._disk,
            CodeVersions(settings.scrapers),
            settings.pool,
            self.registration,
            settings.tor,
            self.measurements,
        )
        pages = PageStore(self._writer)
        replay = StoredPages(store.another) if settings.replay else None
        self._services = Services(
            loop=loop,
            mailbox=self.mailbox,
            writer=self._writer,
            upkeep=self.upkeep,
            access=self.access,
            saving=self.saving,
            pages=pages,
            replay=replay,
            visits=Visits(
                settings.browser,
                self.access,
                pages,
                replay,
                FailedPages(settings.browser, self._disk),
            ),
            disk=self._disk,
            folder=settings.folder,
            database=store.url,
        )
        self.tracing = tracing
        self.slots = Slots(loop, self.mailbox, settings.concurrency, tracing)
        self.dispatch = Dispatch(self.slots, self._services, jobs, self.upkeep)
        self.backlog = Backlog(
            settings,
            self.registration,
            jobs,
            self.leases,
            self.slots,
            self.dispatch,
            self.access,
        )
        self.partitions = Partitions(settings, self._writer, self.mailbox)
        self.exchange = Exchange(
            self.mailbox,
            self._writer,
            self.leases,
            self.tally,
            self.measurements,
            self.saving,
            self.upkeep,
        )
        self.watchdog = Watchdog(self.slots.longest_deadline, settings.watchdog_seconds)
        self._blocking_calls = BlockingCalls(self.slots)
        self._statistics = Statistics(
            self.tally, self.slots, self.dispatch, self.saving, self.access, settings.run
        )
        self.beat = Beat(
            store.another(),
            self.mailbox,
            self.registration,
            self.leases,
            self._statistics,
            self.watchdog,
            self._blocking_calls,
            beat_seconds=settings.beat_seconds,
            on_stuck=on_stuck,
        )
        self._metrics = self._metrics_server(settings)

    def _metrics_server(self, settings: Settings) -> "MetricsServer | None":
        if settings.metrics is None:
            return None
        from swather.worker.metrics import WorkerMetrics  # noqa: PLC0415 - few workers need it
        from swather.worker.metrics_server import MetricsServer  # noqa: PLC0415 - the same

        metrics = WorkerMetrics(
            self.tally,
            self.slots,
            self.leases,
            self.beat,
            self._statistics,
            settings.new_worker.number,
        )
        return MetricsServer(settings.metrics, metrics.exposition)

    def start(self) -> None:
        self._writer.start()
        self.beat.start()
        self.upkeep.start()
        self._listener.start()
        if self._metrics is not None:
            self._metrics.start()

    async def close_runners(self) -> None:
        """Cut what still runs, and close all that was set up for it."""
        self.slots.cut_all(Cut.STOP)
        self.slots.close()
        await self.dispatch.close()
        await self._services.close()

    def close_writer(self, *, is_cut: bool) -> None:
        """Commit what waits, and sign off."""
        patience = STOP_GRACE_SECONDS if is_cut else CLOSE_SECONDS
        self._writer.close(patience)
        # Only then: a beat that finds its worker retired would register it again.
        self.beat.stop_and_join(patience)
        worker_id = self.registration.worker_id
        try:
            self._store.workers.tell(worker_id, self._statistics.as_dict())
            self._store.workers.retire(worker_id)
        except SwatherError as error:
            _log.error("this worker could not sign off; its lease will run out: %s", error)
        self._files.shutdown(wait=not is_cut)
        self._disk.shutdown(wait=not is_cut)

    def close_background(self) -> None:
        if self._metrics is not None:
            self._metrics.stop()
        self._listener.stop()
        self.upkeep.send_hint()  # wakes our own listener, too
        self.upkeep.stop()
        self.upkeep.join(JOIN_SECONDS)
        self._listener.join(JOIN_SECONDS)
        if not self.upkeep.is_alive() and not self._listener.is_alive():
            self.background.close()

    def give_up(self, *, charge: bool) -> None:
        """From any thread, when the loop cannot: give back all leases. With `charge` the attempt
        that the loop is stuck in counts as a crash; if that is not known, all that had started do.
        """
        store, worker_id = self._store.another(), self.registration.worker_id
        begun = set(self.slots.running)
        outcomes: list[Outcome] = [
            Released(task_id=task_id, token=token)
            for task_id, token in self.leases.snapshot() - begun
        ]
        stuck_in = self.slots.on_loop_now() if charge else None
        if stuck_in is not None:
            outcomes.append(stuck(stuck_in, self._blocking_calls.stack()))
        store.queue.finish(outcomes)
        if charge and stuck_in is None:
            store.workers.sweep([worker_id])
        else:
            store.workers.retire(worker_id)
        store.hints.send()
        store.close()
