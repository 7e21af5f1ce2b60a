"""Keeps the history of runs while a server is up, also when no worker is."""

import logging
import math
import threading
import time
from typing import Final

from swather.errors import StoreError, SwatherError
from swather.store import Store

EVERY_SECONDS: Final = 1.0
THIN_SECONDS: Final = 120.0
_AWAY_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class Sampling:
    """A thread with its own store that asks for a sample every second; the store takes one when it
    is due, and drops what is kept for no longer.
    """

    def __init__(self, first: Store, *, every_seconds: float = EVERY_SECONDS) -> None:
        self._first = first
        self._every_seconds = every_seconds
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._sample_on, name="history", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()

    def _sample_on(self) -> None:
        while not self._ending.is_set():
            try:
                store = self._first.another()
            except StoreError as error:
                _log.debug("no history is kept for now: %s", error)
                self._ending.wait(_AWAY_SECONDS)
                continue
            try:
                self._sample_with(store)
            except SwatherError as error:
                _log.debug("no history is kept for now: %s", error)
                self._ending.wait(_AWAY_SECONDS)
            finally:
                store.close()

    def _sample_with(self, store: Store) -> None:
        thin_at = -math.inf
        while not self._ending.is_set():
            store.history.sample()
            if time.monotonic() >= thin_at and not store.history.thin():
                thin_at = time.monotonic() + THIN_SECONDS
            self._ending.wait(self._every_seconds)
