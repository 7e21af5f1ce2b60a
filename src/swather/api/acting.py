"""What people do through the API and the dashboard: written down, and long work in the background.

Actions have stores of their own, so that a request which holds one never waits for a second.
"""

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeVar

from starlette.exceptions import HTTPException

from swather.api.problems import Refused
from swather.api.stores import Stores
from swather.errors import SwatherError
from swather.model.advance import Advance
from swather.store import Store

STOP_SECONDS: Final = 5.0
# How soon a database that was away is told again how something ended.
AGAIN_SECONDS: Final = 1.0
_THREADS: Final = 2
# One for each thread, and some for what is done at once.
_STORES: Final = _THREADS + 2
_STOPPED: Final = "the server was stopped meanwhile; do it again for the rest"
_UNEXPECTED: Final = "it failed unexpectedly; the server's log has the details"

_log = logging.getLogger(__name__)
T = TypeVar("T")

# Returns how much was done in the end; None if that cannot be counted.
Work = Callable[[Store, Advance], int | None]


class _StoppedError(Exception):
    """The server is stopping: the work ends where it stands."""


@dataclass(frozen=True, kw_only=True)
class _Job:
    action_id: int
    work: Work


class Acting:
    """Does things in the name of `actor`, and writes them down: what is done to which subject, how
    far it has come, and how it ended.
    """

    def __init__(self, first: Store) -> None:
        self._stores = Stores(first, most=_STORES)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()

    def now(
        self,
        verb: str,
        subject: str,
        actor: str,
        work: Callable[[Store], T],
        detail: dict[str, Any] | None = None,
        *,
        done_of: Callable[[T], int] | None = None,
    ) -> T:
        """Do something short, and return what came of it; `done_of` that is how much was done. Its
        error is written down and raised.
        """
        with self._stores.borrowed() as store:
            action_id = store.actions.begin(
                actor=actor, verb=verb, subject=subject, detail=detail or {}
            )
            try:
                result = work(store)
            except Exception as error:
                self._end_now(store, action_id, None, _said(error))
                raise
            self._end_now(store, action_id, done_of(result) if done_of else None, "")
            return result

    @contextmanager
    def noted(
        self, verb: str, subject: str, actor: str, detail: dict[str, Any] | None = None
    ) -> Iterator[Advance]:
        """Write down what the block does with a store of its own, for as long as it likes. It calls
        what it is given with how much is done.
        """
        with self._stores.borrowed() as store:
            action_id = store.actions.begin(
                actor=actor, verb=verb, subject=subject, detail=detail or {}
            )
        done: int | None = None
        error = ""

        def advance(now_done: int) -> None:
            nonlocal done
            done = now_done

        try:
            yield advance
        except BaseException as failure:
            error = _said(failure)
            raise
        finally:
            try:
                with self._stores.borrowed() as store:
                    self._end_now(store, action_id, done, error)
            except SwatherError:
                self._queue(_Job(action_id=action_id, work=_ending(done, error)))

    def in_background(
        self,
        verb: str,
        subject: str,
        actor: str,
        total: int | None,
        work: Work,
        detail: dict[str, Any] | None = None,
    ) -> int:
        """Begin something long; returns the id of its action. `work` gets a store and `advance`,
        which it calls with how much is done, between two batches: when the server stops, that call
        does not return.
        """
        with self._stores.borrowed() as store:
            action_id = store.actions.begin(
                actor=actor, verb=verb, subject=subject, detail=detail or {}, total=total
            )
        self._queue(_Job(action_id=action_id, work=work))
        return action_id

    def _queue(self, job: _Job) -> None:
        self._jobs.put(job)
        with self._starting:
            if len(self._threads) < _THREADS and not self._stopping.is_set():
                thread = threading.Thread(target=self._serve, name="action", daemon=True)
                self._threads.append(thread)
                thread.start()

    def close(self, *, seconds: float = STOP_SECONDS) -> None:
        """Work that is under way ends after its batch. What has not ended after `seconds` is left
        to itself: it ends its action, or its process dies and the action has failed.
        """
        with self._starting:
            self._stopping.set()
        for _ in self._threads:
            self._jobs.put(None)
        until = monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - monotonic(), 0.0))
        self._stores.close()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            done, error = self._do(job)
            self._end(job.action_id, done, error)

    def _do(self, job: _Job) -> tuple[int | None, str]:
        """How much of it was done, as far as it has said, and the error that it ended with."""
        done: int | None = None
        try:
            with self._stores.borrowed() as store:

                def advance(now_done: int) -> None:
                    nonlocal done
                    done = now_done
                    store.actions.advance(job.action_id, now_done)
                    self._go_on()

                self._go_on()
                return job.work(store, advance), ""
        except _StoppedError:
            return done, _STOPPED
        except Exception as error:  # noqa: BLE001 - it is written down
            if not isinstance(error, SwatherError):
                _log.error("action %d failed", job.action_id, exc_info=error)
            return done, _said(error)

    def _end(self, action_id: int, done: int | None, error: str) -> None:
        """A database that is away is told when it is back."""
        while True:
            try:
                with self._stores.borrowed() as store:
                    store.actions.end(action_id, done=done, error=error)
            except SwatherError as lost:
                if not self._stopping.wait(AGAIN_SECONDS):
                    continue
                _log.warning("the end of action %d was not written down: %s", action_id, lost)
            return

    def _end_now(self, store: Store, action_id: int, done: int | None, error: str) -> None:
        """What was done is done, even if that cannot be written down until later."""
        try:
            store.actions.end(action_id, done=done, error=error)
        except SwatherError:
            self._queue(_Job(action_id=action_id, work=_ending(done, error)))

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise _StoppedError


def _ending(done: int | None, error: str) -> Work:
    """Of what was done elsewhere already."""

    def work(_store: Store, _advance: Advance) -> int | None:
        if error:
            raise SwatherError(error)
        return done

    return work


def _said(error: BaseException) -> str:
    if isinstance(error, SwatherError):
        return str(error)
    return error.detail if isinstance(error, Refused | HTTPException) else _UNEXPECTED
