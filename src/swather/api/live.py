"""What goes on now, read once a second however many watch.

A topic is something to watch: the status of all runs, a page at its address. While anyone watches
it, it is read once a second by one thread, and everyone gets the same value. Whoever is too slow to
take the last value is told of the next one only: nothing is kept for anybody.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any, Final

from starlette.concurrency import run_in_threadpool

from swather.errors import SwatherError

EVERY_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)

Read = Callable[[], Any]


class Live:
    """All topics of a server. It lives on the loop of the server."""

    def __init__(self, *, every_seconds: float = EVERY_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._topics: dict[str, _Topic] = {}
        self._is_closed = False

    async def watch(self, name: str, read: Read) -> AsyncGenerator[Any]:
        """The topic's value now, and then once a second, until the caller stops or the server
        does. An error of the database is a value, too: a SwatherError.
        """
        if self._is_closed:
            return
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic(read, self._every_seconds)
        topic.join()
        try:
            seen = 0
            while (news := await topic.after(seen)) is not None:
                seen, value = news
                yield value
        finally:
            if topic.leave() and self._topics.get(name) is topic:
                del self._topics[name]

    @property
    def topics(self) -> int:
        return len(self._topics)

    async def close(self) -> None:
        """All watching ends."""
        self._is_closed = True
        for topic in list(self._topics.values()):
            await topic.stop()
        self._topics.clear()


class _Topic:
    """One thing that is watched: read while somebody does."""

    def __init__(self, read: Read, every_seconds: float) -> None:
        self._read = read
        self._every_seconds = every_seconds
        self._watchers = 0
        self._version = 0
        self._value: Any = None
        self._is_over = False
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    def join(self) -> None:
        self._watchers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._keep_reading())

    def leave(self) -> bool:
        """Whether nobody watches any more."""
        self._watchers -= 1
        if self._watchers == 0 and self._task is not None:
            self._task.cancel()
            self._task = None
            return True
        return False

    async def after(self, seen: int) -> tuple[int, Any] | None:
        """The newest value past the one that was seen; None if there will be none."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._version > seen or self._is_over)
            return None if self._is_over else (self._version, self._value)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        async with self._changed:
            self._is_over = True
            self._changed.notify_all()

    async def _keep_reading(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            try:
                value = await run_in_threadpool(self._read)
            except SwatherError as error:
                value = error
            except Exception as error:  # noqa: BLE001 - a page that cannot be drawn once may be later
                _log.error("a live view cannot be read", exc_info=error)
                value = SwatherError("the server failed to read this; its log has the details")
            async with self._changed:
                self._version += 1
                self._value = value
                self._changed.notify_all()
            due = max(due + self._every_seconds, loop.time())
            await asyncio.sleep(due - loop.time())
