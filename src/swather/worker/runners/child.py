"""Runs scrapers in child processes, which can be killed whatever they do."""

import asyncio
import logging
from traceback import StackSummary
from typing import Final

import msgspec

from swather.model.outcome import Fault
from swather.model.retry import ErrorClass
from swather.scraping.classify import Classified
from swather.worker.attempt import Attempt, AttemptEnded, Cut, Ending, Runner
from swather.worker.outcomes import crashed, timed_out
from swather.worker.runners import wire
from swather.worker.runners.child_process import START_SECONDS, CannotLoad, Child, ChildDied
from swather.worker.runners.child_requests import ChildRequests
from swather.worker.runners.task import own_task
from swather.worker.verbs import LoopVerbs, Services

CRASHES_BEFORE_FRESH: Final = 6
MAX_ALONE: Final = 4
MEMORY_LOOK_SECONDS: Final = 0.5
_STARTING: Final = "its child process to start"

_log = logging.getLogger(__name__)


class ChildRunner:
    """A child per slot, kept for the next task of its scraper.

    Suspects run here, too. Most of them are innocent neighbours of the one that ended their
    workers, so they may share a child one after another; only the death of a child that ran
    nothing else counts, and who has lost many gets a fresh one. `otherwise` has the
    runners of async and plain scrapers that no child can load.
    """

    def __init__(self, services: Services, otherwise: tuple[Runner, Runner] | None = None) -> None:
        self._loop = services.loop
        self._services = services
        self._otherwise = otherwise
        self._idle: dict[str, list[Child]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        # What children said for attempts that were over.
        self.strays = 0

    def start(self, attempt: Attempt) -> None:
        attempt.begin(_Running(own_task(self._loop, self._run(attempt))))

    def stop(self, attempt: Attempt) -> None:
        child = attempt.handle.child
        if child is None:
            attempt.handle.task.cancel()
        else:
            child.kill("it was stopped")

    def stack(self, attempt: Attempt) -> StackSummary:  # noqa: ARG002 - it is another process's
        return StackSummary()

    def abandon(self, attempt: Attempt) -> None:
        attempt.handle.task.cancel()

    async def close(self) -> None:
        children = [child for idle in self._idle.values() for child in idle]
        self._idle.clear()
        await asyncio.gather(*(child.close() for child in children), *self._closing)

    async def _run(self, attempt: Attempt) -> None:
        try:
            ending = await self._execute(attempt)
        except CannotLoad as error:
            if self._otherwise is not None:
                self._run_otherwise(attempt, error)
                return
            ending = Classified(
                Fault(error_class=ErrorClass.PERMANENT, message=str(error)), "cannot_load"
            )
        except BaseException as error:  # noqa: BLE001 - cut while it waited for its child
            ending = error
        self._end(attempt, ending)

    def _end(self, attempt: Attempt, ending: Ending) -> None:
        attempt.end()
        self._services.mailbox.put(AttemptEnded(attempt, ending))

    async def _execute(self, attempt: Attempt) -> Ending:
        job = attempt.job
        child = self._take(attempt)
        attempt.handle.runs_in(child)
        fresh = child.executed == 0
        strays = child.strays
        watch: asyncio.Task[None] | None = None
        requests = ChildRequests(attempt, self._services.visits)
        try:
            if fresh:
                await self._greet(attempt, child)
            if (limit := job.scraper.options.memory_limit_mb) is not None:
                watch = own_task(self._loop, _watch_memory(child, limit << 20))
            verbs = LoopVerbs(attempt, self._services)
            answer = await child.execute(_start_of(attempt), verbs, requests)
        except TimeoutError:
            child.kill("it did not start")
            self._let_go(child)
            return timed_out(START_SECONDS, traceback="", where="")
        except ChildDied as error:
            told = str(error) or await child.how_it_died()
            return crashed(told, alone=fresh)
        except BaseException:
            child.kill("it was stopped")
            self._let_go(child)
            raise
        finally:
            requests.close()
            self.strays += child.strays - strays
            if watch is not None:
                watch.cancel()
        attempt.notes.add(answer.notes)
        if isinstance(answer, wire.Done):
            self._give_back(child, attempt)
            return wire.collected_of(wire.produced_of(answer.collected))
        if answer.classified.fault.error_class is ErrorClass.CRASH:
            # The next attempt is to have a child in which nothing else has run.
            self._let_go(child)
            fault = msgspec.structs.replace(answer.classified.fault, alone=fresh)
            return msgspec.structs.replace(answer.classified, fault=fault)
        self._give_back(child, attempt)
        return answer.classified

    async def _greet(self, attempt: Attempt, child: Child) -> None:
        """How long a child takes to start does not count as the time of its first attempt."""
        attempt.stop_clock(_STARTING)
        try:
            async with asyncio.timeout(START_SECONDS):
                await child.greet()
        finally:
            attempt.start_clock(_STARTING)

    def _take(self, attempt: Attempt) -> Child:
        scraper = attempt.job.scraper
        idle = self._idle.get(scraper.name, [])
        while idle and attempt.lease.faults.crashes < CRASHES_BEFORE_FRESH:
            child = idle.pop()
            if child.is_alive:
                return child
            self._let_go(child)
        return Child(scraper, self._services.folder, self._services.database)

    def _give_back(self, child: Child, attempt: Attempt) -> None:
        options = child.scraper.options
        limit = options.memory_limit_mb
        worn = child.executed >= options.recycle_after or (
            limit is not None and child.memory_bytes() > limit << 20
        )
        if worn or attempt.cut is not None:
            self._let_go(child)
        else:
            self._idle.setdefault(child.scraper.name, []).append(child)

    def _let_go(self, child: Child) -> None:
        task = own_task(self._loop, child.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _run_otherwise(self, attempt: Attempt, error: CannotLoad) -> None:
        """Isolation was our idea, not the scraper's: without it the task still has a chance."""
        _log.warning(
            "task %d has lost %d workers but cannot run in a child process of its own: %s",
            attempt.lease.task_id,
            attempt.lease.faults.crashes,
            error,
        )
        assert self._otherwise is not None
        if attempt.is_over or attempt.cut is Cut.STOP:
            self._end(attempt, error)
            return
        on_loop, in_threads = self._otherwise
        attempt.move_to(on_loop if attempt.job.scraper.is_async else in_threads)


class _Running:
    __slots__ = ("child", "task")

    def __init__(self, task: asyncio.Task[None]) -> None:
        self.task = task
        self.child: Child | None = None

    def runs_in(self, child: Child) -> None:
        self.child = child


def _start_of(attempt: Attempt) -> wire.Start:
    job = attempt.job
    return wire.Start(
        attempt.lease.token, wire.to_json(attempt.lease), job.info, wire.to_json(job.run.params)
    )


async def _watch_memory(child: Child, limit_bytes: int) -> None:
    while True:
        await asyncio.sleep(MEMORY_LOOK_SECONDS)
        used = child.memory_bytes()
        if used > limit_bytes:
            child.kill(f"it used {used >> 20} MB of memory, its limit is {limit_bytes >> 20} MB")
