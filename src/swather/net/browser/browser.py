"""The browser of a process: started at its first visit, restarted when it is used up or fails."""

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from swather import posix
from swather.net.browser import failures, program
from swather.net.browser.chromium import Chromium, States
from swather.net.browser.guard_proxy import GuardProxy
from swather.net.browser.room import OpenPage, Room, RoomKey, cut
from swather.net.browser.tab import Tab
from swather.net.browser.visit import Visit
from swather.net.browser.visit_traffic import VisitTraffic
from swather.net.egress_policy import BrowserPolicy
from swather.net.errors import BrowserFailed
from swather.net.guard import Guard

if TYPE_CHECKING:
    from pathlib import Path

# Nothing of a target is asked for yet when its page is opened: one that takes longer is the fault
# of a browser that hangs.
OPEN_SECONDS: Final = 30.0
# How long after its deadline a visit that has not ended is cut.
GRACE_SECONDS: Final = 2.0
WATCH_SECONDS: Final = 1.0
_CLOSE_SECONDS: Final = 15.0
_PAGES_PER_CORE: Final = 2
_PAGE_MB: Final = 300

_log = logging.getLogger(__name__)


class Browser:
    """One per process; it belongs to the thread of its loop. `starts` is how often Chromium was
    started.
    """

    def __init__(
        self,
        policy: BrowserPolicy,
        *,
        headed: bool = False,
        guard: Guard | None = None,
    ) -> None:
        self._policy = policy
        self._headed = headed
        self._guard = guard or Guard()
        self._max_bytes = (policy.memory_mb or default_memory_mb()) << 20
        self._max_pages = policy.pages or default_pages()
        self._free = asyncio.Semaphore(self._max_pages)
        self._starting = asyncio.Lock()
        self._proxy: GuardProxy | None = None
        self._program: Path | None = None
        self._chromium: Chromium | None = None
        self._retired: set[Chromium] = set()
        # Of sessions that have no room now.
        self._states: States = OrderedDict()
        self._work: set[asyncio.Task[None]] = set()
        self.starts = 0
        self._watching: asyncio.Task[None] | None = None

    def visit(self, visit: Visit) -> AbstractAsyncContextManager[Tab]:
        """A tab for the length of a block. It waits for its turn if all pages are in use."""
        return self._visit(visit)

    @asynccontextmanager
    async def _visit(self, visit: Visit) -> AsyncIterator[Tab]:
        await self._free.acquire()
        try:
            chromium, room, opened, traffic = await self._entered(visit)
        except BaseException:
            self._free.release()
            raise
        tab = Tab(opened, visit, traffic, lambda: chromium.is_over)
        guard = _Deadline(visit, partial(self._cut, chromium, opened, tab))
        try:
            yield tab
        except Exception as error:
            failure = tab.failure_of(error)
            if failure is error:
                raise
            raise failure from None
        finally:
            guard.stop()
            if tab.is_late:
                chromium.suspect()
            # Not here: the scraper's result need not wait for it, and may be cancelled.
            self._start(self._leave(chromium, room, opened, traffic, tab))

    async def settled(self) -> None:
        """Until everything is cleaned up after the visits that have ended."""
        while self._work:
            await asyncio.wait(set(self._work))

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        if self._work:
            await asyncio.wait(set(self._work), timeout=_CLOSE_SECONDS)
        running = [*self._retired, *([self._chromium] if self._chromium is not None else [])]
        self._chromium = None
        try:
            await asyncio.gather(*(chromium.close() for chromium in running))
        finally:
            for chromium in running:
                chromium.kill()
            self._retired.clear()
            if self._proxy is not None:
                await self._proxy.close()
                self._proxy = None
            self._guard.close()

    async def _running(self) -> Chromium:
        async with self._starting:
            if self._chromium is not None:
                await self._chromium.is_trusted.wait()
            if self._chromium is not None and self._chromium.is_over:
                _log.warning("the browser has ended and is started again")
                self._retire(self._chromium)
            if self._chromium is None:
                if self._program is None:
                    self._program = await program.checked(
                        self._policy.executable, headed=self._headed
                    )
                if self._proxy is None:
                    self._proxy = GuardProxy()
                    await self._proxy.start()
                for retired in list(self._retired):
                    if not retired.is_over:
                        # Its last visits may still run; sessions go on in the new one.
                        await retired.keep_sessions()
                self.starts += 1
                self._chromium = await Chromium.start(
                    self._program,
                    self._proxy,
                    self._guard,
                    headed=self._headed,
                    max_idle=self._max_pages,
                    states=self._states,
                )
                if self._watching is None:
                    self._watching = asyncio.create_task(self._watch())
            chromium = self._chromium
            # Counted before anyone can wait, so that it is not closed before its visit begins.
            chromium.visits += 1
            chromium.targets += 1
            if chromium.targets >= self._policy.max_targets:
                self._retire(chromium)
            return chromium

    async def _entered(self, visit: Visit) -> tuple[Chromium, Room, OpenPage, VisitTraffic]:
        """In a browser that works: one that cannot open a page is replaced at once."""
        chromium = await self._running()
        try:
            return chromium, *await self._enter(chromium, visit)
        except BrowserFailed as failure:
            _log.warning("%s; it is restarted", failure)
            chromium = await self._running()
            return chromium, *await self._enter(chromium, visit)

    async def _enter(self, chromium: Chromium, visit: Visit) -> tuple[Room, OpenPage, VisitTraffic]:
        key = RoomKey.of(visit)
        room = None
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                room = await chromium.take(key, visit.storage_state)
                opened, traffic = await room.enter(visit)
        except BaseException as error:
            has_failed = isinstance(error, Exception) and failures.is_failure_to_open(error)
            if has_failed:
                chromium.kill()
            self._start(self._abandon(chromium, room))
            if not has_failed:
                raise
            raise BrowserFailed(
                f"the browser did not open a page: {str(error) or 'it hangs'}"
            ) from None
        return room, opened, traffic

    async def _leave(
        self, chromium: Chromium, room: Room, opened: OpenPage, traffic: VisitTraffic, tab: Tab
    ) -> None:
        is_suspect = tab.is_late
        try:
            await tab.end()
            if await room.leave(opened, traffic, can_stay=tab.is_tidy and not tab.is_late):
                chromium.give_back(room)
            elif room.key.session:
                if not await cut(opened):
                    chromium.kill()
                chromium.give_back(room)
            else:
                await chromium.close_room(room)
            await chromium.close_idle()
            await chromium.close_idle_sessions()
        finally:
            if is_suspect:
                chromium.acquit()
            self._left(chromium)
            self._free.release()

    async def _abandon(self, chromium: Chromium, room: Room | None) -> None:
        try:
            if room is not None:
                await chromium.close_room(room)
        finally:
            self._left(chromium)

    def _left(self, chromium: Chromium) -> None:
        chromium.visits -= 1
        if chromium.visits == 0 and chromium in self._retired:
            self._start(self._close(chromium))

    def _retire(self, chromium: Chromium) -> None:
        """It gets no more visits, and is closed after the last one."""
        if self._chromium is chromium:
            self._chromium = None
        self._retired.add(chromium)
        if chromium.visits == 0:
            self._start(self._close(chromium))

    async def _close(self, chromium: Chromium) -> None:
        try:
            if not chromium.is_over:
                await chromium.keep_sessions()
            await chromium.close()
        finally:
            self._retired.discard(chromium)

    async def _cut(self, chromium: Chromium, opened: OpenPage, tab: Tab) -> None:
        """A visit has not ended in time: its page is closed, else the whole browser."""
        tab.is_late = True
        if not await cut(opened):
            _log.warning("the browser hangs and is killed")
            chromium.kill()

    async def _watch(self) -> None:
        """A browser that has taken too much memory is restarted; one that takes still more of it
        is not waited for.
        """
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            running = [*self._retired, *([self._chromium] if self._chromium is not None else [])]
            for chromium in running:
                size = await asyncio.to_thread(chromium.memory_bytes)
                if size > 2 * self._max_bytes:
                    _log.warning("the browser has taken %d MB and is killed", size >> 20)
                    chromium.kill()
                elif size > self._max_bytes and chromium is self._chromium:
                    _log.info("the browser has taken %d MB and is restarted", size >> 20)
                    self._retire(chromium)

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._work.add(task)
        task.add_done_callback(self._work.discard)


class _Deadline:
    """Calls `late` some time after a deadline, which may have moved by then."""

    def __init__(self, visit: Visit, late: Any) -> None:
        self._visit = visit
        self._late = late
        self._task = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        # Nobody tells when it moves.
        while (left := self._visit.deadline() + GRACE_SECONDS - monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)
        await self._late()

    def stop(self) -> None:
        self._task.cancel()


def default_pages() -> int:
    """Pages that are open at once, if no setting says how many."""
    by_memory = posix.memory_of_machine() // (_PAGE_MB << 20)
    return max(1, min(_PAGES_PER_CORE * (os.cpu_count() or 1), by_memory))


def default_memory_mb() -> int:
    """Half of the machine's memory, between 1 and 4 GB."""
    return min(max(posix.memory_of_machine() >> 21, 1024), 4096)
