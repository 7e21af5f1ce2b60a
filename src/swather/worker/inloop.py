"""Runs async scrapers on the worker's own loop."""

import asyncio
import logging
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from swather.scraping import copied
from swather.scraping.context import Context
from swather.scraping.instance import Idle, Instance
from swather.scraping.invoke import invoke
from swather.scraping.scraper import Scraper
from swather.scraping.setup import set_up
from swather.worker.attempt import Attempt, Ending
from swather.worker.own_task import own_task
from swather.worker.verbs import LoopVerbs, Services

CLOSE_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)
# A coroutine that ignores its end may not be collected either: it would be asked to end once more.
_left_behind: list[Any] = []


class LoopRunner:
    """One asyncio task per attempt; a class has as many instances as run at once."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        services: Services,
        end: Callable[[Attempt, Ending], None],
    ) -> None:
        self._loop = loop
        self._services = services
        self._end = end
        self._functions: dict[str, Instance] = {}
        self._idle = Idle()

    def start(self, attempt: Attempt) -> None:
        attempt.place = own_task(self._loop, self._run(attempt))

    def stop(self, attempt: Attempt) -> None:
        attempt.place.cancel()

    def stack(self, attempt: Attempt) -> str:
        return "".join(
            line
            for frame in _frames_of(attempt.place.get_coro())
            for line in traceback.format_stack(frame, limit=1)
        )

    def abandon(self, attempt: Attempt) -> None:
        attempt.place._log_destroy_pending = False  # noqa: SLF001 - it will be, and was reported
        _left_behind.append(attempt.place)

    async def close(self) -> None:
        await _close(self._idle.clear())

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
            instance = self._functions.get(scraper.name) or await self._instance(context, scraper)
            await invoke(instance, context)
            ending = context.collected()
        except BaseException as error:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
            ending = error
        if context._is_copied:  # noqa: SLF001 - not for scrapers
            copied.leave(ending if isinstance(ending, BaseException) else None)
        surplus: list[Instance] = []
        if scraper.is_class and instance is not None and attempt.cut is None:
            surplus = self._idle.put(instance, job.run.id)
        self._end(attempt, ending)
        if surplus:
            await _close(surplus)

    async def _instance(self, context: Context, scraper: Scraper) -> Instance:
        if not scraper.is_class:
            self._functions[scraper.name] = scraper.new_instance()
            return self._functions[scraper.name]
        return self._idle.take(scraper, context) or await set_up(scraper, context)


async def _close(instances: list[Instance]) -> None:
    for instance in instances:
        try:
            await asyncio.wait_for(instance.close(), CLOSE_SECONDS)
        except Exception:  # noqa: BLE001 - a scraper may raise anything
            _log.exception("closing an instance of %s failed", instance.scraper.name)


def _frames_of(waiting: Any) -> Iterator[FrameType]:
    """From a coroutine inwards to what it waits for, as far as Python tells."""
    while waiting is not None:
        kind = next((kind for kind in ("cr", "gi", "ag") if hasattr(waiting, f"{kind}_frame")), "")
        frame = getattr(waiting, f"{kind}_frame", None)
        if frame is None:
            return
        yield frame
        waiting = getattr(waiting, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")
