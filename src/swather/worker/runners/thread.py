"""Runs plain functions in threads, which cannot be killed: one that hangs is left behind."""

import asyncio
import concurrent.futures
import sys
import threading
import traceback
from collections.abc import Coroutine
from queue import SimpleQueue
from traceback import StackSummary
from typing import Any, Final

from swather.scraping import forked
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Context
from swather.scraping.instance import Instance
from swather.scraping.invoke import invoke_blocking
from swather.worker.attempt import Attempt, AttemptEnded, Ending, lease_lost
from swather.worker.runners.pool import Pool, close_blocking
from swather.worker.verbs import LoopVerbs, Services

CLOSE_SECONDS: Final = 5.0

Waiting = set["concurrent.futures.Future[Any]"]


class SlotThread(threading.Thread):
    """Executes one attempt after another; instances of classes stay in the thread they began in.
    Whenever it can take another attempt, it is among the `idle`.
    """

    def __init__(self, services: Services, number: int, idle: "list[SlotThread]") -> None:
        super().__init__(name=f"swather-slot-{number}", daemon=True)
        self.jobs: SimpleQueue[tuple[Attempt, Waiting] | None] = SimpleQueue()
        self.is_executing = False
        self._loop = services.loop
        self._services = services
        self._idle = idle
        self._pool = Pool()

    def run(self) -> None:
        while (job := self.jobs.get()) is not None:
            attempt, waiting = job
            self.is_executing = True
            ending, instance = self._execute(attempt, waiting)
            self.is_executing = False
            left: list[Instance] = []
            if instance is not None:
                reuse = attempt.cut is None
                left = self._pool.give_back(instance, attempt.job.run.id, reuse=reuse)
            attempt.end()
            if not left:
                self._idle.append(self)
            self._services.mailbox.post(AttemptEnded(attempt, ending))
            if left:
                close_blocking(left, asyncio.run)
                self._idle.append(self)
        close_blocking(self._pool.clear(), asyncio.run)

    def _execute(self, attempt: Attempt, waiting: Waiting) -> tuple[Ending, Instance | None]:
        job = attempt.job
        context = Context(
            scraper=job.scraper,
            lease=attempt.lease,
            run=job.info,
            params=job.params,
            verbs=LoopVerbs(attempt, self._services),
        )

        def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
            return _run_on(self._loop, coroutine, attempt, waiting)

        instance: Instance | None = None
        ending: Ending
        try:
            instance = self._pool.ready_blocking(job.scraper, context, run)
            invoke_blocking(instance, SyncContext(context, run))
            ending = context.collected()
        except BaseException as error:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
            ending = error
        if context._is_forked:  # noqa: SLF001 - not for scrapers
            forked.exit_fork(ending if isinstance(ending, BaseException) else None)
        if attempt.tabs is not None:
            leaving = self._services.visits.leave(attempt, ending)
            asyncio.run_coroutine_threadsafe(leaving, self._loop).result()
        return ending, instance


class ThreadRunner:
    """As many threads as run at once; those left behind come back if they ever end."""

    def __init__(self, services: Services) -> None:
        self._loop = services.loop
        self._services = services
        self._threads: list[SlotThread] = []
        self._idle: list[SlotThread] = []

    def start(self, attempt: Attempt) -> None:
        thread = self._idle.pop() if self._idle else self._new_thread()
        waiting: Waiting = set()
        attempt.begin((thread, waiting))
        thread.jobs.put((attempt, waiting))

    def stop(self, attempt: Attempt) -> None:
        for future in list(attempt.handle[1]):
            future.cancel()

    def stack(self, attempt: Attempt) -> StackSummary:
        frame = sys._current_frames().get(attempt.handle[0].ident)  # noqa: SLF001 - no other way
        return StackSummary() if frame is None else traceback.extract_stack(frame)

    def abandon(self, attempt: Attempt) -> None:
        """The thread keeps running; if it ever ends, it is idle again."""
        self._services.visits.leave_behind(attempt)

    async def close(self) -> None:
        """Those left behind are told as well, and close what they have when they end."""
        for thread in self._threads:
            thread.jobs.put(None)
        until = self._loop.time() + CLOSE_SECONDS
        for thread in self._threads:
            if thread.is_executing:
                continue
            left = max(until - self._loop.time(), 0.0)
            await self._loop.run_in_executor(self._services.disk, thread.join, left)

    def _new_thread(self) -> SlotThread:
        thread = SlotThread(self._services, len(self._threads) + 1, self._idle)
        self._threads.append(thread)
        thread.start()
        return thread


def _run_on(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, Any],
    attempt: Attempt,
    waiting: Waiting,
) -> Any:
    """The result of a coroutine on the loop; an attempt that is cut waits for nothing more."""
    if attempt.cut is not None:
        coroutine.close()
        raise lease_lost(attempt)
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    waiting.add(future)
    if attempt.cut is not None:
        future.cancel()
    try:
        return future.result()
    except concurrent.futures.CancelledError:
        raise lease_lost(attempt) from None
    finally:
        waiting.discard(future)
