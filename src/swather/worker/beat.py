"""The beat thread: keeps the leases, notices what was taken away, watches the loop."""

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from swather.errors import DatabaseUnusable, StoreError, SwatherError
from swather.store.ports import Store
from swather.worker.exchange import Leases
from swather.worker.messages import (
    ControlChanged,
    Hinted,
    Hopeless,
    LeasesLost,
    Leave,
    Mailbox,
)
from swather.worker.report import Statistics
from swather.worker.settings import Registration
from swather.worker.watchdog import BlockingCalls, Watchdog

LOOK_SECONDS: Final = 0.5
# While there is news: the first beats come quickly, for those who watch a short run.
FIRST_NEWS_SECONDS: Final = 0.5
NEWS_SECONDS: Final = 2.0
BUSY_BEAT_SECONDS: Final = 2.0
# The pause after a beat is at least so many times as long as the beat took: on a database that is
# busy with many workers, their beats must not be what keeps it busy.
BEAT_REST_FACTOR: Final = 20

_log = logging.getLogger(__name__)


def pause_after(took_seconds: float, at_least: float) -> float:
    """How long not to bother the database after it took so long over a beat."""
    return max(at_least, BEAT_REST_FACTOR * took_seconds)


class Beat(threading.Thread):
    """Has its own store, so that a beat never waits for a commit or for the loop. `on_stuck` is
    called on this thread when the watchdog has given the loop up, which then hears nothing.
    """

    def __init__(
        self,
        store: Store,
        mailbox: Mailbox,
        registration: Registration,
        leases: Leases,
        statistics: Statistics,
        watchdog: Watchdog,
        blocking_calls: BlockingCalls,
        *,
        beat_seconds: float | None,
        on_stuck: Callable[[], None],
    ) -> None:
        super().__init__(name="swather-beat", daemon=True)
        self.is_healthy = True
        self._store = store
        self._mailbox = mailbox
        self._registration = registration
        self._leases = leases
        self._statistics = statistics
        self._watchdog = watchdog
        self._blocking_calls = blocking_calls
        self._on_stuck = on_stuck
        self._beat_seconds = min(beat_seconds or math.inf, registration.lease_seconds / 3)
        self._beat_at = 0.0
        self._news_at = 0.0
        self._news_seconds = FIRST_NEWS_SECONDS
        self._control_version = -1
        self._stopped = threading.Event()
        self._told_stuck = False

    def run(self) -> None:
        while not self._stopped.is_set():
            self._look()
            self._stopped.wait(min(LOOK_SECONDS, self._beat_seconds / 2))
        if self.is_healthy and self._statistics.is_news:
            self._tell_last()

    def stop_and_join(self, patience_seconds: float) -> None:
        """Wait for the last beat; a store that a beat still uses is left to it."""
        self._stopped.set()
        self.join(patience_seconds)
        if not self.is_alive():
            self._store.close()

    def _look(self) -> None:
        is_stuck = self._watchdog.is_stuck()
        if self._watchdog.is_stalled:
            self._blocking_calls.look()
        if is_stuck and not self._told_stuck:
            self._told_stuck = True
            self._on_stuck()
        try:
            changed = self._control_has_changed()
            self._statistics.look(limits_changed=changed)
            if changed or time.monotonic() >= self._beat_at:
                self._beat()
            elif time.monotonic() >= self._news_at and self._statistics.is_news:
                self._tell()
            self._store.outage.answered()
            if changed or not self.is_healthy:
                self.is_healthy = True
                self._mailbox.post(ControlChanged())
        except DatabaseUnusable as error:
            self.is_healthy = False
            self._mailbox.post(Hopeless(error))
        except StoreError as error:
            self.is_healthy = False
            self._store.outage.failed(error)
        except SwatherError as error:
            self.is_healthy = False
            _log.warning("a beat failed; nothing is claimed until one succeeds: %s", error)
        except Exception:  # noqa: BLE001 - this thread must not end
            self.is_healthy = False
            _log.exception("a beat failed; nothing is claimed until one succeeds")

    def _tell(self) -> None:
        """The news alone: a beat keeps claims waiting, and needs not come that often."""
        began = time.monotonic()
        self._store.workers.tell(self._registration.worker_id, self._statistics.as_dict())
        self._told(began)

    def _tell_last(self) -> None:
        """What the worker has done in all, for those who ask after its end."""
        with suppress(SwatherError):
            self._statistics.look()
            self._tell()

    def _told(self, began: float) -> None:
        now = time.monotonic()
        self._news_at = now + pause_after(now - began, self._news_seconds)
        self._news_seconds = min(2 * self._news_seconds, NEWS_SECONDS)

    def _control_has_changed(self) -> bool:
        version = self._store.settings.control_version()
        changed = version != self._control_version
        self._control_version = version
        return changed

    def _beat(self) -> None:
        registration = self._registration
        began = time.monotonic()
        with self._leases.beat(registration.lease_seconds / 6) as leases:
            beat = self._store.workers.beat(
                registration.worker_id, leases, self._statistics.as_dict()
            )
        self._told(began)
        ended = time.monotonic()
        busy = pause_after(ended - began, BUSY_BEAT_SECONDS) if leases else math.inf
        self._beat_at = ended + min(self._beat_seconds, busy)
        changed = beat.control_version > self._control_version
        self._control_version = max(self._control_version, beat.control_version)
        if beat.released:
            _log.warning("%d tasks were claimed but returned unused", beat.released)
        if beat.lost:
            self._mailbox.post(LeasesLost(beat.lost))
        leaving = beat.leaving
        if not beat.alive:
            leaving = registration.renew(self._store)
        if leaving is not None:
            self._mailbox.post(Leave(leaving))
        self._mailbox.post(Hinted())
        if changed:
            self._mailbox.post(ControlChanged())
