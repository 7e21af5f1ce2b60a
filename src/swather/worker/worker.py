"""The worker: claims, scrapes, reports, until its run is finished or it is stopped."""

import asyncio
import gc
import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import swather.store
from swather import posix
from swather.errors import InputError
from swather.file_location import Location
from swather.model.assignment import Balanced, Plan
from swather.model.lease import Strategy
from swather.model.worker import NewWorker
from swather.net.bucket import BucketAccess
from swather.net.egress_policy import BrowserPolicy, PoolPolicy, TorPolicy
from swather.net.fetcher import Fetcher, WebFetcher
from swather.scraping import forked, registry
from swather.scraping.file_folders import FileFolders
from swather.scraping.scraper import Scraper
from swather.store import factory
from swather.store.clock import Clock
from swather.store.ports import Store
from swather.worker.engine import Engine
from swather.worker.jobs import LOG_LINES, Jobs
from swather.worker.messages import Stop
from swather.worker.parts import Parts
from swather.worker.report import WorkerReport
from swather.worker.runners.task import own_task
from swather.worker.settings import (
    POLITE,
    MetricsAddress,
    Politeness,
    Settings,
    TracingPolicy,
    version_of,
)

if TYPE_CHECKING:
    from swather.worker.tracing import Tracing

COLLECT_AFTER_OBJECTS: Final = 10_000

_log = logging.getLogger(__name__)


class Worker:
    """Executes tasks of `scrapers`, those of `run` or of any run, `concurrency` at a time.

    url             the database
    lease_seconds   after which others may take over the tasks of a worker that has gone silent
    strategy        in which order to take tasks; the run's own by default
    number          of this worker in its fleet, 0, 1, 2 …: plans of partitions go by it
    planning        which worker number serves which partitions; by default what the run's plan says
    only_own        serve only partitions that are planned for this number
    partitions      serve these partitions and no others, whatever the plan says
    grace_seconds   how long running targets may take to end when the worker is stopped
    forever         keep running when there is nothing left to do
    files_folder    where files go that scrapers save; else where each scraper says
    bucket_access   how the bucket is reached, if they go to one
    batch_size      how many tasks to claim at a time; by default as many as can start soon
    poll_seconds    how often to look for work when no hint comes
    beat_seconds    how often to renew the leases; by default a third of their time, at most 2 s
    watchdog_seconds  how long the loop may be blocked beyond the timeouts of what runs on it
    log_lines       lines of `ctx.log` that are kept for each attempt
    log_targets     log a line for each target that has ended
    delays          asked when settings have changed: the pauses between two targets, by scraper
    replay          answer from the pages that the run has stored, and touch no site
    politeness      how it treats sites
    pool, tor, browser  how it uses proxies, Tor and its browser
    metrics         where it serves its own metrics; nowhere by default
    tracing         where it sends traces; nowhere by default
    """

    def __init__(
        self,
        *,
        url: str,
        scrapers: Mapping[str, Scraper],
        run: str | None = None,
        concurrency: int = 10,
        lease_seconds: float = 60.0,
        strategy: Strategy | None = None,
        number: int | None = None,
        planning: Plan | Balanced | None = None,
        only_own: bool = False,
        partitions: tuple[str, ...] | None = None,
        grace_seconds: float = 30.0,
        forever: bool = False,
        name: str | None = None,
        files_folder: Location | None = None,
        bucket_access: BucketAccess | None = None,
        batch_size: int | None = None,
        poll_seconds: float = 1.0,
        beat_seconds: float | None = None,
        watchdog_seconds: float = 5.0,
        replay: bool = False,
        log_lines: int = LOG_LINES,
        log_targets: bool = False,
        delays: Callable[[Store], Mapping[str, tuple[float, float]]] = lambda _: {},
        new_fetcher: Callable[[], Fetcher] = WebFetcher,
        politeness: Politeness = POLITE,
        pool: PoolPolicy | None = None,
        tor: TorPolicy | None = None,
        browser: BrowserPolicy | None = None,
        metrics: MetricsAddress | None = None,
        tracing: TracingPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        _check(scrapers, concurrency, batch_size, grace_seconds, poll_seconds)
        # A scraper may change the current folder.
        self._url = factory.located(url)
        self._clock = clock
        self._settings = Settings(
            scrapers=dict(scrapers),
            run=run,
            concurrency=concurrency,
            strategy=strategy,
            partitions=partitions,
            planning=planning,
            only_own=only_own,
            grace_seconds=grace_seconds,
            forever=forever,
            folder=Path.cwd(),
            folders=FileFolders(scrapers, files_folder, start=Path.cwd(), access=bucket_access),
            batch_size=batch_size,
            poll_seconds=poll_seconds,
            beat_seconds=beat_seconds,
            watchdog_seconds=watchdog_seconds,
            replay=replay,
            log_lines=log_lines,
            log_targets=log_targets,
            delays=delays,
            new_fetcher=new_fetcher,
            politeness=politeness,
            pool=pool or PoolPolicy(),
            tor=tor or TorPolicy(),
            browser=browser or BrowserPolicy(),
            metrics=metrics,
            tracing=tracing,
            new_worker=NewWorker(
                process=posix.this_process(),
                name=name,
                lease_seconds=lease_seconds,
                strategy=strategy,
                version=version_of(scrapers.values()),
                number=number,
            ),
        )
        self._lock = threading.Lock()
        self._parts: Parts | None = None
        self._stopping: bool | None = None
        # Set when it has started to work: it has signed on and asks for its first tasks.
        self.begun = threading.Event()

    def run(self, on_stuck: Callable[[], None] = lambda: None) -> WorkerReport:
        """Work until there is nothing left, or until `stop`; blocks. `on_stuck` is called, on
        another thread, if a scraper blocks the loop past its timeout.
        """
        registry.enter_folder()
        store = swather.store.open(self._url, clock=self._clock)
        try:
            loop = asyncio.new_event_loop()
            forked.stop_in_forks(loop)
            try:
                with _rare_collections():
                    return self._run(loop, store, on_stuck)
            finally:
                with self._lock:
                    self._parts = None
                _close(loop)
        finally:
            store.close()

    def _run(
        self, loop: asyncio.AbstractEventLoop, store: Store, on_stuck: Callable[[], None]
    ) -> WorkerReport:
        settings = self._settings
        tracing = self._new_tracing()
        jobs = Jobs(
            settings.scrapers,
            settings.folders,
            run=settings.run,
            replay=settings.replay,
            log_lines=settings.log_lines,
            tracing=tracing,
        )
        if settings.run is not None:
            jobs.load(store.runs.get(settings.run)).warn_of_version()
        store.workers.sweep()
        parts = Parts(loop, store, settings, jobs, tracing, on_stuck)
        engine = Engine(loop, parts, settings, jobs)
        with self._lock:
            self._parts = parts
            stopping = self._stopping
        if stopping is not None:
            parts.mailbox.post(Stop(stopping))
        loop.call_soon(self.begun.set)
        try:
            reason = _completed(loop, own_task(loop, engine.run()))
        finally:
            if tracing is not None:
                tracing.close()
        name = store.workers.get(parts.registration.worker_id).name
        return parts.tally.report(name, reason)

    def _new_tracing(self) -> "Tracing | None":
        policy = self._settings.tracing
        if policy is None:
            return None
        from swather.worker.tracing import new_tracing  # noqa: PLC0415 - an extra

        new = self._settings.new_worker
        return new_tracing(policy, new.name or f"{new.process.host}-{new.process.pid}")

    def stop(self, *, now: bool = False) -> None:
        """Claim nothing more, and end when running targets have finished or the grace time is over;
        with `now`, stop now. May be called from any thread, and from a signal handler.
        """
        self._stopping = now or bool(self._stopping)
        parts = self._parts
        if parts is not None:
            parts.mailbox.post(Stop(self._stopping))

    @property
    def grace_seconds(self) -> float:
        return self._settings.grace_seconds

    @property
    def patience_seconds(self) -> float:
        """For how long a target may keep everything else in the process from its turn."""
        timeouts = [scraper.options.timeout for scraper in self._settings.scrapers.values()]
        return max(timeouts) + self._settings.watchdog_seconds

    def give_up(self, *, charge: bool = False) -> None:
        """For a process about to end by force: give back all leases, past a loop that is stuck.

        With `charge` those of running targets count as a crash.
        """
        parts = self._parts
        if parts is not None:
            parts.give_up(charge=charge)


def _check(
    scrapers: Mapping[str, Scraper],
    concurrency: int,
    batch_size: int | None,
    grace_seconds: float,
    poll_seconds: float,
) -> None:
    if not scrapers:
        raise InputError("a worker needs at least one scraper")
    if concurrency < 1:
        raise InputError(f"concurrency must be at least 1, got {concurrency!r}")
    if batch_size is not None and batch_size < 1:
        raise InputError(f"batch_size must be at least 1, got {batch_size!r}")
    if not grace_seconds >= 0:
        raise InputError(f"grace_seconds must not be negative, got {grace_seconds!r}")
    if not poll_seconds > 0:
        raise InputError(f"poll_seconds must be positive, got {poll_seconds!r}")


def _completed(loop: asyncio.AbstractEventLoop, work: "asyncio.Task[str]") -> str:
    """What the work gives. A scraper that stops the loop, or starts a task that raises SystemExit
    or KeyboardInterrupt, interrupts the loop too; that is its own end and not the worker's.
    """
    process_id = posix.process_id
    is_interruptible = _is_interruptible()
    while True:
        try:
            return loop.run_until_complete(work)
        except (SystemExit, KeyboardInterrupt, RuntimeError) as error:
            if process_id != posix.process_id:
                forked.exit_fork(error)
            is_ours = is_interruptible and isinstance(error, KeyboardInterrupt)
            if is_ours or work.done() or loop.is_closed():
                raise
            _log.warning("a scraper interrupted the event loop, which continues: %r", error)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """What the program has loaded by now is not searched for garbage again and again while targets
    come and go: that took a tenth of the time.
    """
    threshold = gc.get_threshold()
    gc.freeze()
    if 0 < threshold[0] < COLLECT_AFTER_OBJECTS:
        gc.set_threshold(COLLECT_AFTER_OBJECTS, *threshold[1:])
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.unfreeze()


def _is_interruptible() -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt in this thread; elsewhere only scrapers do."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Without waiting for what was left behind on the loop or in its threads."""
    executor = getattr(loop, "_default_executor", None)
    if executor is not None:
        executor.shutdown(wait=False, cancel_futures=True)
    loop.close()
