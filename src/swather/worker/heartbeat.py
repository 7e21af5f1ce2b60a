"""The beat thread: keeps the leases, notices what was taken away, watches the loop."""

import logging
import math
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from swather.errors import SwatherError
from swather.model.worker import NewWorker
from swather.store.ports import Fence, Store
from swather.worker.held import Held
from swather.worker.watchdog import Watchdog

LOOK_SECONDS: Final = 0.5
BUSY_BEAT_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


class Heartbeat(threading.Thread):
    """Has its own store, so that a beat never waits for a commit or for the loop.

    `on_lost` gets leases that are no longer this worker's, `on_beat` is called after each beat,
    `on_change` when somebody has changed a limit, a pause or a setting, `on_stuck` when the
    watchdog has given the loop up. All of them are called on this thread.
    """

    def __init__(
        self,
        store: Store,
        new_worker: NewWorker,
        worker_id: int,
        held: Held,
        watchdog: Watchdog,
        *,
        beat_seconds: float | None = None,
        statistics: Callable[[], dict[str, Any]],
        on_lost: Callable[[frozenset[Fence]], None],
        on_beat: Callable[[], None],
        on_change: Callable[[], None],
        on_stuck: Callable[[], None],
    ) -> None:
        super().__init__(name="swather-beat", daemon=True)
        self.worker_id = worker_id
        self.is_healthy = True
        self._store = store
        self._new_worker = new_worker
        self._held = held
        self._watchdog = watchdog
        self._statistics = statistics
        self._on_lost = on_lost
        self._on_beat = on_beat
        self._on_change = on_change
        self._on_stuck = on_stuck
        self._lease_seconds = new_worker.lease_seconds
        self._beat_seconds = min(beat_seconds or math.inf, self._lease_seconds / 3)
        self._beat_at = 0.0
        self._control_version = -1
        self._stopped = threading.Event()
        self._told_stuck = False

    def run(self) -> None:
        while not self._stopped.is_set():
            self._look()
            self._stopped.wait(min(LOOK_SECONDS, self._beat_seconds / 2))

    def stop_and_join(self, patience_seconds: float) -> None:
        """Wait for the last beat; a store that a beat still uses is left to it."""
        self._stopped.set()
        self.join(patience_seconds)
        if not self.is_alive():
            self._store.close()

    def _look(self) -> None:
        if self._watchdog.is_stuck() and not self._told_stuck:
            self._told_stuck = True
            self._on_stuck()
        try:
            changed = self._control_has_changed()
            if changed or time.monotonic() >= self._beat_at:
                self._beat()
            if changed or not self.is_healthy:
                self.is_healthy = True
                self._on_change()
        except SwatherError as error:
            self.is_healthy = False
            _log.warning("a beat failed, nothing is claimed until one succeeds: %s", error)
        except Exception:  # noqa: BLE001 - this thread must not end
            self.is_healthy = False
            _log.exception("a beat failed, nothing is claimed until one succeeds")

    def _control_has_changed(self) -> bool:
        version = self._store.settings.control_version()
        changed = version != self._control_version
        self._control_version = version
        return changed

    def _beat(self) -> None:
        patience = self._lease_seconds / 6
        with self._held.beat(patience) as held:
            beat = self._store.workers.beat(self.worker_id, held, self._statistics())
        every = min(self._beat_seconds, BUSY_BEAT_SECONDS if held else math.inf)
        self._beat_at = time.monotonic() + every
        changed = beat.control_version > self._control_version
        self._control_version = max(self._control_version, beat.control_version)
        if beat.released:
            _log.warning("%d tasks were claimed in vain and given back", beat.released)
        if beat.lost:
            self._on_lost(beat.lost)
        if not beat.alive:
            self._register_anew()
        self._on_beat()
        if changed:
            self._on_change()

    def _register_anew(self) -> None:
        lost = self.worker_id
        self.worker_id = self._store.workers.register(self._new_worker)
        _log.warning(
            "worker %d was given up for dead while it was not heard of; it goes on as worker %d",
            lost,
            self.worker_id,
        )
