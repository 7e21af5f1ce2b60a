"""The producer of a run: it loads targets, and its beats keep the run open."""

import logging
import threading
from types import TracebackType
from typing import Any, Final, Self

from swather import posix
from swather.errors import StoreError
from swather.model.worker import NewWorker, WorkerKind
from swather.store import Store

BEATS_PER_LEASE: Final = 3

_log = logging.getLogger(__name__)


class Producer:
    """The run stays open within its block. `registered_as`: its number, if it is registered."""

    def __init__(
        self,
        store: Store,
        run: str,
        *,
        lease_seconds: float = 60.0,
        registered_as: int | None = None,
    ) -> None:
        self._store = store
        self._new = NewWorker(
            process=posix.this_process(),
            kind=WorkerKind.PRODUCER,
            run=run,
            lease_seconds=lease_seconds,
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="producer's beat", daemon=True)
        self._registered_as = registered_as
        self.id = 0
        self.statistics: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self.id = self._registered_as or self._store.workers.register(self._new)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        try:
            self._store.workers.retire(self.id)
            # Workers that have found nothing left to do may end now.
            self._store.hints.send()
        except StoreError as cause:
            if error is None:
                raise
            _log.warning("could not sign off after loading; a worker will notice: %s", cause)

    def _beat_on(self) -> None:
        # Most loads are over before the first beat.
        store: Store | None = None
        try:
            while not self._ended.wait(self._new.lease_seconds / BEATS_PER_LEASE):
                try:
                    store = store or self._store.another()
                    self._beat(store)
                    store.outage.answered()
                except StoreError as error:
                    self._store.outage.failed(error)
        finally:
            if store is not None:
                store.close()

    def _beat(self, store: Store) -> None:
        if not store.workers.beat(self.id, (), self.statistics).alive:
            _log.warning(
                "this loader was declared lost and registered again (was the machine asleep?)"
            )
            self.id = store.workers.register(self._new)
