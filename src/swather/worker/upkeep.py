"""The upkeep thread, which sweeps and does what it is given, and the thread that hears hints."""

import logging
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from random import Random
from typing import Final

from swather.errors import SwatherError
from swather.scraping.files import FileStore
from swather.store.ports import Store
from swather.worker.saving import link_missing

SWEEP_SECONDS: Final = 5.0
HINT_SECONDS: Final = 0.02
LISTEN_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Upkeep(threading.Thread):
    """Does on its own store what may take a while and nobody waits for."""

    def __init__(self, store: Store, files: FileStore) -> None:
        super().__init__(name="swather-upkeep", daemon=True)
        self._store = store
        self._files = files
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._random = Random()
        self._hint_is_due = False

    def run(self) -> None:
        self._do(self._look_after_files)
        sweep_at = self._next_sweep()
        while True:
            try:
                work = self._work.get(timeout=max(sweep_at - time.monotonic(), 0.0))
            except Empty:
                sweep_at = self._next_sweep()
                self._do(self._sweep, "the sweep for dead workers failed and will be tried again")
                continue
            if work is None:
                return
            self._do(work)

    def stop(self) -> None:
        self._work.put(None)

    def submit(self, work: Callable[[], None]) -> None:
        self._work.put(work)

    def send_hint(self) -> None:
        """Wake other workers soon; many wishes become one hint."""
        if not self._hint_is_due:
            self._hint_is_due = True
            self._work.put(self._send_hint)

    def _do(self, work: Callable[[], None], failed: str = "upkeep failed") -> None:
        try:
            work()
        except SwatherError as error:
            _log.warning("%s: %s", failed, error)
        except Exception:  # noqa: BLE001 - this thread must not end
            _log.exception(failed)

    def _send_hint(self) -> None:
        time.sleep(HINT_SECONDS)
        self._hint_is_due = False
        self._store.hints.send()

    def _next_sweep(self) -> float:
        return time.monotonic() + SWEEP_SECONDS * self._random.uniform(0.8, 1.2)

    def _look_after_files(self) -> None:
        link_missing(self._store.results, self._files)
        self._files.prune_daily(self._store.results.has_file)

    def _sweep(self) -> None:
        swept = self._store.workers.sweep()
        if swept.workers:
            _log.warning(
                "%s ended without a word; %d tasks of theirs are ready again",
                ", ".join(swept.workers),
                swept.tasks,
            )
            link_missing(self._store.results, self._files)
        if swept.tasks or swept.promoted:
            self._store.hints.send()


class Listener(threading.Thread):
    """Waits for hints and passes them on."""

    def __init__(self, store: Store, on_hint: Callable[[], None]) -> None:
        super().__init__(name="swather-hints", daemon=True)
        self._store = store
        self._on_hint = on_hint
        self._stopped = False

    def run(self) -> None:
        while not self._stopped:
            try:
                if self._store.hints.wait(LISTEN_SECONDS):
                    self._on_hint()
            except Exception as error:  # noqa: BLE001 - a hint is a courtesy, polling is the truth
                if not self._stopped:
                    _log.warning("no hints can be received, polling goes on: %s", error)
                    time.sleep(LISTEN_SECONDS)

    def stop(self) -> None:
        self._stopped = True
