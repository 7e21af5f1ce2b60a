"""What a worker has in the database: its row, and its leases."""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from swather.model.worker import NewWorker
from swather.store.ports import Fence, Store

_log = logging.getLogger(__name__)


class Registration:
    """A worker that was given up for dead registers anew, and has another id from then on."""

    def __init__(self, store: Store, new_worker: NewWorker) -> None:
        self._new_worker = new_worker
        self.worker_id = store.workers.register(new_worker)
        self.lease_seconds = new_worker.lease_seconds

    def renew(self, store: Store) -> None:
        lost = self.worker_id
        self.worker_id = store.workers.register(self._new_worker)
        _log.warning(
            "worker %d was given up for dead while it was not heard of; it goes on as worker %d",
            lost,
            self.worker_id,
        )


class Leases:
    """Changed by the loop and the writer's thread, read by the beat.

    A beat gives back every lease of the worker that it is not told of, so no claim may be on its
    way while a beat looks. A claim never waits for the gate; a beat does, but not for ever: what it
    then gives back by mistake is lost to this worker, and to nobody else.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._fences: set[Fence] = set()
        self._claiming = False
        self._beating = False

    def begin_claim(self) -> bool:
        """False while a beat looks: ask again when it is over."""
        with self._changed:
            if self._beating:
                return False
            self._claiming = True
            return True

    def end_claim(self, fences: Iterable[Fence]) -> None:
        with self._changed:
            self._fences.update(fences)
            self._claiming = False
            self._changed.notify_all()

    def remove(self, fences: Iterable[Fence]) -> None:
        with self._changed:
            self._fences.difference_update(fences)

    def snapshot(self) -> frozenset[Fence]:
        with self._changed:
            return frozenset(self._fences)

    @contextmanager
    def beat(self, patience_seconds: float) -> Iterator[frozenset[Fence]]:
        """All leases, while nothing new is claimed."""
        with self._changed:
            self._beating = True
            self._changed.wait_for(lambda: not self._claiming, patience_seconds)
            fences = frozenset(self._fences)
        try:
            yield fences
        finally:
            with self._changed:
                self._beating = False
