"""The instances of one place where scrapers run: used again, and closed once, come what may."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from swather.scraping.attempt import RunCoroutine
from swather.scraping.context import Context
from swather.scraping.instance import Instance, set_up, set_up_blocking
from swather.scraping.scraper import Scraper

# Scrapers, and runs of those that are set up for one.
MAX_KINDS: Final = 32

_log = logging.getLogger(__name__)


class Pool:
    """For one event loop or one thread: instances stay where they were set up. Whoever is told by
    `give_back` or `clear` to close some closes them there.

    One whose setup() was given the web belongs to the run it was made for: it has that run's
    parameters, and is logged in to its session.
    """

    __slots__ = ("_idle", "_open")

    def __init__(self) -> None:
        self._idle: OrderedDict[tuple[str, int], list[Instance]] = OrderedDict()
        self._open: set[Instance] = set()

    async def ready(self, scraper: Scraper, context: Context) -> Instance:
        """An instance for this attempt, on this event loop."""
        idle = self._idle.get(_key(scraper, context.run.id))
        if idle:
            instance = idle.pop()
            instance.serve(context)
        else:
            instance = await set_up(scraper, context)
            self._open.add(instance)
        return instance

    def ready_blocking(
        self,
        scraper: Scraper,
        context: Context,
        run: RunCoroutine,
        *,
        run_setup: RunCoroutine = asyncio.run,
    ) -> Instance:
        """An instance for this attempt, in this thread."""
        idle = self._idle.get(_key(scraper, context.run.id))
        if idle:
            instance = idle.pop()
            instance.serve(context, run)
        else:
            instance = set_up_blocking(scraper, context, run, run_setup=run_setup)
            self._open.add(instance)
        return instance

    def give_back(self, instance: Instance, run_id: int, *, reuse: bool) -> list[Instance]:
        """Its attempt is over; those to be closed now: itself, unless it may be used again, and
        those of a run that nothing was heard of for long.
        """
        instance.rest()
        if instance not in self._open:
            return []
        if not reuse:
            self._open.discard(instance)
            return [instance]
        key = _key(instance.scraper, run_id)
        self._idle.setdefault(key, []).append(instance)
        self._idle.move_to_end(key)
        if len(self._idle) <= MAX_KINDS:
            return []
        past = self._idle.popitem(last=False)[1]
        self._open.difference_update(past)
        return past

    def clear(self) -> list[Instance]:
        """All that are open, to be closed; those in use, too: they will not be given back."""
        left = list(self._open)
        for instance in left:
            instance.rest()
        self._open.clear()
        self._idle.clear()
        return left


def _key(scraper: Scraper, run_id: int) -> tuple[str, int]:
    return scraper.name, run_id if scraper.sets_up_with_web else 0


async def close(instance: Instance, patience_seconds: float | None = None) -> None:
    """On the event loop it was set up on."""
    try:
        await asyncio.wait_for(instance.close(), patience_seconds)
    except BaseException:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
        _log.exception("closing an instance of %s failed", instance.scraper.name)


def close_blocking(instances: Iterable[Instance], run: RunCoroutine) -> None:
    """In the thread they were set up in; `run` runs a close() that is async."""
    for instance in instances:
        try:
            instance.close_blocking(run)
        except BaseException:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
            _log.exception("closing an instance of %s failed", instance.scraper.name)
