"""The upkeep thread: sweeps, looks after files, and does what the engine gives it."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, Final, NamedTuple

from swather.errors import DatabaseUnusable, SwatherError
from swather.scraping.files import FileStore
from swather.store.ports import Store
from swather.store.retrying_queue import RETRYABLE
from swather.worker.mailbox import Mailbox, Message
from swather.worker.messages import Hopeless
from swather.worker.saving import link_missing

SWEEP_SECONDS: Final = 5.0
HINT_SECONDS: Final = 0.02
SWEEP_FAILED: Final = "the sweep for dead workers failed and will be tried again"

_log = logging.getLogger(__name__)


Work = Callable[[Store], Message | None]


class _Errand(NamedTuple):
    work: Work
    otherwise: Message | None = None
    failed: str = "upkeep failed"


class Upkeep(threading.Thread):
    """Does on its own store what may take a while and the engine does not wait for."""

    def __init__(self, store: Store, files: FileStore, mailbox: Mailbox) -> None:
        super().__init__(name="swather-upkeep", daemon=True)
        self._store = store
        self._files = files
        self._mailbox = mailbox
        self._work: SimpleQueue[_Errand | None] = SimpleQueue()
        self._random = Random()
        self._hint_is_due = False

    def run(self) -> None:
        self._do(_Errand(self._look_after_files))
        sweep_at = self._next_sweep()
        while True:
            try:
                errand = self._work.get(timeout=max(sweep_at - time.monotonic(), 0.0))
            except Empty:
                sweep_at = self._next_sweep()
                self._do(_Errand(self._sweep, failed=SWEEP_FAILED))
                continue
            if errand is None:
                return
            self._do(errand)

    def stop(self) -> None:
        self._work.put(None)

    def submit(self, work: Work, otherwise: Message | None = None) -> None:
        """Do this; the engine is told what it returns, or `otherwise` when it fails."""
        self._work.put(_Errand(work, otherwise))

    def call(self, work: Callable[[Store], Any]) -> Future[Any]:
        """Do this for somebody who waits for it."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def answer(store: Store) -> None:
            try:
                future.set_result(work(store))
            except Exception as error:  # noqa: BLE001 - it is the caller's, who waits for it
                future.set_exception(error)

        self._work.put(_Errand(answer))
        return future

    def send_hint(self) -> None:
        """Wake other workers soon; many wishes become one hint."""
        if not self._hint_is_due:
            self._hint_is_due = True
            self._work.put(_Errand(self._send_hint))

    def _do(self, errand: _Errand) -> None:
        message = errand.otherwise
        try:
            message = errand.work(self._store)
        except DatabaseUnusable as error:
            message = Hopeless(error)
        except RETRYABLE as error:
            self._store.outage.failed(error)
        except SwatherError as error:
            _log.warning("%s: %s", errand.failed, error)
        except Exception:  # noqa: BLE001 - this thread must not end
            _log.exception(errand.failed)
        if message is not None:
            self._mailbox.post(message)

    def _send_hint(self, store: Store) -> None:
        time.sleep(HINT_SECONDS)
        self._hint_is_due = False
        store.hints.send()

    def _next_sweep(self) -> float:
        return time.monotonic() + SWEEP_SECONDS * self._random.uniform(0.8, 1.2)

    def _look_after_files(self, store: Store) -> None:
        link_missing(store.results, self._files)
        self._files.prune_daily(store.results.has_file)

    def _sweep(self, store: Store) -> None:
        swept = store.workers.sweep()
        if swept.workers:
            _log.warning(
                "%s died; %d of their tasks are ready again",
                ", ".join(swept.workers),
                swept.tasks,
            )
            link_missing(store.results, self._files)
        if swept.tasks or swept.promoted:
            store.hints.send()
