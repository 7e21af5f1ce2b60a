"""A scraper ready to be called: a function, or one object of a class, set up for an attempt."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from swather.scraping.attempt import RunCoroutine
from swather.scraping.blocking import SyncWeb
from swather.scraping.context import Context
from swather.scraping.scraper import Scraper

if TYPE_CHECKING:
    from swather.scraping.web import InstanceWeb, Web


class Instance:
    """A scraper ready to be called: `scrape(ctx, target)` between `setup()` and `close()`."""

    __slots__ = ("_close", "_setup", "_web", "is_generator", "scrape", "scraper")

    scrape: Callable[[Any, Any], Any]

    def __init__(self, scraper: Scraper) -> None:
        self.scraper = scraper
        self.is_generator = scraper.is_generator
        self._setup: Callable[..., Any] | None = None
        self._close: Callable[[], Any] | None = None
        self._web: InstanceWeb | None = None
        if scraper.is_class:
            made = scraper.function()
            self.scrape = made.scrape
            self._setup = getattr(made, "setup", None)
            self._close = getattr(made, "close", None)
        else:
            self.scrape = scraper.function

    async def setup(self, web: "InstanceWeb | None" = None) -> None:
        """Call the class's setup(), plain or async, on this event loop; `web` is what it takes."""
        self._web = web
        await _call(self._setup, *(() if web is None else (web,)))

    async def close(self) -> None:
        """Call the class's close(), plain or async, on this event loop."""
        await _call(self._close)

    def setup_blocking(self, run: RunCoroutine, web: "InstanceWeb | None" = None) -> None:
        """Call the class's setup() in this thread; `run` runs it if it is async."""
        self._web = web
        given = () if web is None else (SyncWeb(web, web._wait_for),)  # noqa: SLF001 - see serve
        _call_blocking(self._setup, run, *given)

    def serve(self, attempt: "Web", run: RunCoroutine | None = None) -> None:
        """From now on the instance works for this attempt."""
        if self._web is not None:
            self._web._serve(attempt, run)  # noqa: SLF001 - not for scrapers

    def rest(self) -> None:
        """From now on the instance works for no attempt."""
        if self._web is not None:
            self._web._end()  # noqa: SLF001 - not for scrapers

    def close_blocking(self, run: RunCoroutine) -> None:
        """Call the class's close() in this thread; `run` runs it if it is async."""
        _call_blocking(self._close, run)


async def _call(method: Callable[..., Any] | None, *given: Any) -> None:
    if method is not None and inspect.isawaitable(returned := method(*given)):
        await returned


def _call_blocking(method: Callable[..., Any] | None, run: RunCoroutine, *given: Any) -> None:
    if method is not None and inspect.isawaitable(returned := method(*given)):
        run(_awaited(returned))


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def set_up(scraper: Scraper, context: Context) -> Instance:
    """On this event loop, ready for the target of this attempt; setup() fetches on its behalf."""
    instance = Instance(scraper)
    await instance.setup(context._for_instance() if scraper.sets_up_with_web else None)  # noqa: SLF001 - not for scrapers
    instance.serve(context)
    return instance


def set_up_blocking(
    scraper: Scraper,
    context: Context,
    run: RunCoroutine,
    *,
    run_setup: RunCoroutine = asyncio.run,
) -> Instance:
    """In this thread; `run` runs the web's coroutines, `run_setup` an async setup()."""
    instance = Instance(scraper)
    web = context._for_instance(run) if scraper.sets_up_with_web else None  # noqa: SLF001 - see above
    instance.setup_blocking(run_setup, web)
    instance.serve(context, run)
    return instance
