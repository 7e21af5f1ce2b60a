"""The worker's row in the database, and its id."""

import logging

from swather.model.worker import NewWorker
from swather.store.ports import Store

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
