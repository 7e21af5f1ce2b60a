"""The thread that hears hints of new work."""

import logging
import threading
import time
from typing import Final

from swather.store.ports import Store
from swather.worker.mailbox import Mailbox
from swather.worker.messages import Hinted

LISTEN_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class HintListener(threading.Thread):
    def __init__(self, store: Store, mailbox: Mailbox) -> None:
        super().__init__(name="swather-hints", daemon=True)
        self._store = store
        self._mailbox = mailbox
        self._stopped = False

    def run(self) -> None:
        while not self._stopped:
            try:
                if self._store.hints.wait(LISTEN_SECONDS):
                    self._mailbox.post(Hinted())
            except Exception as error:  # noqa: BLE001 - a hint is a courtesy, polling is the truth
                if not self._stopped:
                    _log.warning("no hints can be received, polling goes on: %s", error)
                    time.sleep(LISTEN_SECONDS)

    def stop(self) -> None:
        self._stopped = True
