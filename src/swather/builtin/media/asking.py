"""Asks one source: finds what it has, downloads and checks it, until enough or until its time is
over.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from typing import Final, NamedTuple

from swather.builtin.media.download import Downloads, Fetched, Unusable
from swather.builtin.media.params import Limits
from swather.builtin.media.source_web import Deadline, DeadlineWeb
from swather.builtin.media.sources.source import Found, Source, Wanted
from swather.errors import (
    AttemptOver,
    FetchError,
    InputError,
    LeaseLost,
    Permanent,
    Postponed,
)
from swather.net.errors import FetchTimeout, LaneBusy
from swather.scraping.context import Context

# Files of one source that are downloaded at the same time.
FILES_AT_ONCE: Final = 4
# For a source that was stopped to let go of its requests.
_GRACE_SECONDS: Final = 0.05
# The end of the whole job, not of one of its sources.
_ENDS: Final = (LeaseLost, AttemptOver, Postponed, Permanent)
# How many files are tried for each that is wanted, before a source is known to have none.
_TRIES: Final = 3


class Unused(NamedTuple):
    """A file that was found and not kept."""

    url: str
    why: str
    error: str


class Asked(NamedTuple):
    """What a source came to: `error` if it failed, complete `files` all the same. `skipped` counts
    results that it could not read, or that were not wanted.
    """

    error: BaseException | None = None
    files: Sequence[Fetched] = ()
    unused: Sequence[Unused] = ()
    skipped: int = 0
    seconds: float = 0.0


class Asking:
    """What it has so far can be read at any time: `files` that are complete, and `unused` ones. Its
    time begins when it is made.
    """

    def __init__(
        self, ctx: Context, source: Source, wanted: Wanted, limits: Limits, max_file_bytes: int
    ) -> None:
        self.files: list[Fetched] = []
        self.unused: list[Unused] = []
        self._source = source
        self._wanted = wanted
        self._deadline = Deadline(limits.source_seconds)
        self._web = DeadlineWeb(ctx, limits, self._deadline)
        self._downloads = Downloads(ctx, self._web, limits, wanted, max_file_bytes)
        self._running: set[asyncio.Task[None]] = set()
        self._seen: set[str] = set()

    async def run(self) -> Asked:
        """Let the source work until its deadline, whatever it does. Only what ends the whole job is
        raised.
        """
        task = asyncio.create_task(self._work())
        try:
            await asyncio.wait({task}, timeout=self._deadline.left)
        finally:
            task.cancel()
        error: BaseException | None = TimeoutError(f"Timeout after {self._deadline.seconds:g}s")
        if not task.done():
            await asyncio.wait({task}, timeout=_GRACE_SECONDS)
        # On a busy machine, a request may run out of time just before its source does.
        elif not isinstance(task.exception(), FetchTimeout) or self._deadline.left:
            error = task.exception()
        if isinstance(error, _ENDS):
            raise error
        return Asked(
            error,
            list(self.files),
            list(self.unused),
            self._web.skipped.total(),
            self._deadline.passed,
        )

    async def _work(self) -> None:
        """Return when the source has no more or there is enough of it; its errors are raised."""
        try:
            try:
                await self._find()
            except Exception:
                # What has begun may still be complete in time.
                await self._finish(until=0)
                raise
            await self._finish(until=0)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _find(self) -> None:
        found = self._source.find(self._web, self._wanted)
        async with aclosing(_closable(found)) as stream:
            async for one in stream:
                if await self._is_enough():
                    break
                self._start(one)

    async def _is_enough(self) -> bool:
        """Wait until there is room for another download; whether none is needed."""
        limit = self._wanted.limit
        await self._finish(until=FILES_AT_ONCE - 1)
        while self._running and len(self.files) + len(self._running) >= limit:
            await self._finish(until=len(self._running) - 1)
        tried = len(self.files) + len(self.unused) + len(self._running)
        return len(self.files) >= limit or tried >= _TRIES * limit

    def _start(self, found: Found) -> None:
        if found.url in self._seen:
            return
        self._seen.add(found.url)
        if not self._wanted.fits(found):
            self._web.skip("unwanted")
            return
        self._running.add(asyncio.create_task(self._download(found)))

    async def _finish(self, until: int) -> None:
        """Wait until no more downloads than this are going on."""
        while len(self._running) > until:
            done, self._running = await asyncio.wait(
                self._running, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()

    async def _download(self, found: Found) -> None:
        try:
            file = await self._downloads.fetch(found)
        except Unusable as error:
            self.unused.append(Unused(found.url, error.why, str(error)))
        except LaneBusy as error:
            why = "blocked" if error.is_closed else "paced"
            self.unused.append(Unused(found.url, why, str(error)))
        except InputError as error:
            self.unused.append(Unused(found.url, "bad_url", str(error)))
        except FetchError as error:
            why = "timeout" if isinstance(error, FetchTimeout) else "not_fetched"
            self.unused.append(Unused(found.url, why, str(error)))
        else:
            self.files.append(file)
            # It is a courtesy: what goes wrong with it takes no file away.
            with suppress(FetchError):
                await self._source.downloaded(self._web, found)


async def _closable(found: AsyncIterator[Found]) -> AsyncGenerator[Found, None]:
    """As a generator, which can be closed whatever the source returns."""
    async for one in found:
        yield one
