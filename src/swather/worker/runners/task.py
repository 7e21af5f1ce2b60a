"""Runs async scrapers on the worker's own loop."""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from traceback import StackSummary
from types import FrameType
from typing import Any, Final, TypeVar

from swather.scraping import forked
from swather.scraping.context import Context
from swather.scraping.instance import Instance
from swather.scraping.invoke import invoke
from swather.scraping.scraper import Scraper
from swather.worker.attempt import Attempt, AttemptEnded, Ending
from swather.worker.runners.pool import Pool, close
from swather.worker.verbs import LoopVerbs, Services

CLOSE_SECONDS: Final = 5.0

# A coroutine that ignores its end may not be collected either: it would be asked to end again.
_left_behind: list[Any] = []


class TaskRunner:
    """One asyncio task per attempt; a class has as many instances as run at once."""

    def __init__(self, services: Services) -> None:
        self._loop = services.loop
        self._services = services
        self._functions: dict[str, Instance] = {}
        self._pool = Pool()
        self._closing: set[asyncio.Task[None]] = set()

    def start(self, attempt: Attempt) -> None:
        attempt.begin(own_task(self._loop, self._run(attempt)))

    def stop(self, attempt: Attempt) -> None:
        attempt.handle.cancel()

    def stack(self, attempt: Attempt) -> StackSummary:
        frames = _frames_of(attempt.handle.get_coro())
        return StackSummary.extract((frame, frame.f_lineno) for frame in frames)

    def abandon(self, attempt: Attempt) -> None:
        attempt.handle._log_destroy_pending = False  # noqa: SLF001 - it will be, and was reported
        self._services.visits.leave_behind(attempt)
        _left_behind.append(attempt.handle)

    async def close(self) -> None:
        self._close(self._pool.clear())
        if self._closing:
            # A close() that does not even end when it is cancelled is left to itself.
            await asyncio.wait(self._closing, timeout=1.5 * CLOSE_SECONDS)

    async def _run(self, attempt: Attempt) -> None:
        job = attempt.job
        scraper = job.scraper
        context = Context(
            scraper=scraper,
            lease=attempt.lease,
            run=job.info,
            params=job.params,
            verbs=LoopVerbs(attempt, self._services),
        )
        ending: Ending
        instance: Instance | None = None
        try:
            instance = self._functions.get(scraper.name) or await self._instance(scraper, context)
            await invoke(instance, context)
            ending = context.collected()
        except BaseException as error:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
            ending = error
        if context._is_forked:  # noqa: SLF001 - not for scrapers
            forked.exit_fork(ending if isinstance(ending, BaseException) else None)
        if attempt.tabs is not None:
            await self._services.visits.leave(attempt, ending)
        if scraper.is_class and instance is not None:
            left = self._pool.give_back(instance, job.run.id, reuse=attempt.cut is None)
            if left:
                self._close(left)
        attempt.end()
        self._services.mailbox.put(AttemptEnded(attempt, ending))

    async def _instance(self, scraper: Scraper, context: Context) -> Instance:
        if scraper.is_class:
            return await self._pool.ready(scraper, context)
        self._functions[scraper.name] = Instance(scraper)
        return self._functions[scraper.name]

    def _close(self, instances: Iterable[Instance]) -> None:
        """In tasks of their own, so that no slot waits for them."""
        for instance in instances:
            task = own_task(self._loop, close(instance, CLOSE_SECONDS))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


def _frames_of(waiting: Any) -> Iterator[FrameType]:
    """From a coroutine inwards to what it waits for, as far as Python tells."""
    while waiting is not None:
        kind = next((kind for kind in ("cr", "gi", "ag") if hasattr(waiting, f"{kind}_frame")), "")
        frame = getattr(waiting, f"{kind}_frame", None)
        if frame is None:
            return
        yield frame
        waiting = getattr(waiting, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")


T = TypeVar("T")

_Task = asyncio.Task
_unregister = asyncio.tasks._unregister_task  # noqa: SLF001 - documented for those who extend asyncio


def own_task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]
) -> "asyncio.Task[T]":
    """A task that asyncio.all_tasks does not show: a scraper that cancels all tasks means its own,
    and would cancel the worker, and every other target on the loop.
    """
    task = _Task(coroutine, loop=loop)
    _unregister(task)
    return task
