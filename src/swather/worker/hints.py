"""The thread that hears hints of new work."""

import logging
import threading
import time
from typing import Final

from swather.errors import StoreError
from swather.store.ports import Store
from swather.worker.messages import Hinted, Mailbox

LISTEN_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class HintListener(threading.Thread):
    def __init__(self, store: Store, mailbox: Mailbox) -> None:
        super().__init__(name="swather-hints", daemon=True)
        self._store = store
        self._mailbox = mailbox
        self._stopped = False
        self._told = False

    def run(self) -> None:
        while not self._stopped:
            try:
                if self._store.hints.wait(LISTEN_SECONDS):
                    self._mailbox.post(Hinted())
            except Exception as error:  # noqa: BLE001 - a hint is a courtesy, polling is the truth
                if not self._stopped:
                    self._tell(error)
                    time.sleep(LISTEN_SECONDS)

    def _tell(self, error: Exception) -> None:
        if isinstance(error, StoreError):
            self._store.outage.failed(error)
        elif not self._told:
            self._told = True
            _log.warning("cannot receive hints of new work, polling instead: %s", error)

    def stop(self) -> None:
        self._stopped = True
