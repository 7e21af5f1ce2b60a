"""Stores for the threads that answer requests."""

import asyncio
import queue
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from threading import BoundedSemaphore
from typing import Final

from starlette.concurrency import run_in_threadpool

from swather.api.turns import Turns
from swather.errors import Closed, DatabaseBusy, StoreError
from swather.store import Store

MOST: Final = 6
# At once, each with a store of its own, and for as long as its client likes.
MOST_EXPORTS: Final = 8
MOST_UPLOADS: Final = 8
MOST_CHECKS: Final = 2


class Stores:
    """Stores on one database, each used by one thread at a time and kept open for the next: up to
    `most` for requests, and as many for threads. Who finds none waits for a turn.
    """

    def __init__(self, first: Store, *, most: int = MOST) -> None:
        self.first = first
        self._idle: queue.LifoQueue[Store] = queue.LifoQueue()
        self._turns = BoundedSemaphore(most)
        self._requests = asyncio.Semaphore(most)
        self.exports = Turns(MOST_EXPORTS, "exports")
        self.uploads = Turns(MOST_UPLOADS, "uploads")
        self.checks = Turns(MOST_CHECKS, "checks of the database")
        self._closed = False

    @property
    def url(self) -> str:
        return self.first.url

    @contextmanager
    def borrowed(self) -> Iterator[Store]:
        """A store for this thread. One that has failed is not kept, and none of those beside it."""
        with self._turns:
            store = self._taken()
            try:
                yield store
            except StoreError as error:
                self._judge(store, error)
                raise
            except BaseException:
                self._put_back(store)
                raise
            self._put_back(store)

    @asynccontextmanager
    async def for_request(self) -> AsyncIterator[Store]:
        """A store for what is done in threads later. These turns are their own, and waiting for one
        takes no thread: those that have a turn need threads in order to end it.
        """
        async with self._requests:
            store = await run_in_threadpool(self._taken)
            try:
                yield store
            except StoreError as error:
                await run_in_threadpool(self._judge, store, error)
                raise
            except BaseException:
                self._put_back(store)
                raise
            self._put_back(store)

    @contextmanager
    def apart(self, turns: Turns) -> Iterator[Store]:
        """A store for something that takes as long as a client likes: nobody waits for it."""
        with turns.taken(), closing(self.first.another()) as store:
            yield store

    def _taken(self) -> Store:
        if self._closed:
            raise Closed("the server is stopping")
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self.first.another()

    def _put_back(self, store: Store) -> None:
        if self._closed:
            store.close()
        else:
            self._idle.put(store)

    def _judge(self, store: Store, error: StoreError) -> None:
        """An outage that ends one connection has ended the idle ones, too: left there, each of them
        would fail a request after it. One that only has to wait is as good as before.
        """
        if isinstance(error, DatabaseBusy):
            self._put_back(store)
            return
        store.close()
        self._close_idle()

    def close(self) -> None:
        """Those in use are closed when they come back."""
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return
