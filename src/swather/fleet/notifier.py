"""The notifier: threads that bring notices to the hooks of this process."""

import logging
import threading
import time
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from swather.errors import DatabaseUnusable, HookFailed, StoreError
from swather.model.notice import TROUBLE, Delivery, NoticeKind, retry_seconds
from swather.runs.no_progress import NoProgress
from swather.runs.notice_hooks import Hook
from swather.store import Store

LOOK_SECONDS: Final = 2.0
PROGRESS_SECONDS: Final = 15.0
# Beyond what a hook may take, before another process tries.
LEASE_SECONDS: Final = 30.0
# For noting that a delivery was cut off.
LAST_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Notifier:
    """A thread for each hook, so that one that hangs holds up no other, and nothing else. They
    share a store of their own. One more thread looks for runs that make no progress.
    """

    def __init__(
        self,
        store: Store,
        hooks: Sequence[Hook],
        *,
        no_progress_seconds: float,
        ends_at_last: bool = False,
    ) -> None:
        """The store is closed by `stop`. `ends_at_last`: that runs have ended is only told then."""
        self._store = store
        self._stop = threading.Event()
        self._couriers = [
            Courier(store, hook, self._stop, ends_at_last=ends_at_last) for hook in hooks
        ]
        self._progress = NoProgress(no_progress_seconds)
        self._watch = threading.Thread(target=self._look_on, name="swather-progress", daemon=True)
        self._wants_trouble = any(hook.subscription.kinds & TROUBLE for hook in hooks)
        for hook in hooks:
            store.notices.meet(hook.subscription)

    def start(self) -> None:
        for courier in self._couriers:
            courier.start()
        if self._wants_trouble:
            self._watch.start()

    def stop(self, patience_seconds: float) -> list[str]:
        """What is due now is delivered first; which hooks did not come to an end in time."""
        self._stop.set()
        until = time.monotonic() + patience_seconds
        for courier in self._couriers:
            courier.join(max(until - time.monotonic(), 0.0))
        if self._wants_trouble:
            self._watch.join(LOOK_SECONDS)
        late = [courier for courier in self._couriers if courier.is_alive()]
        for courier in late:
            courier.cut_off()
        if not any(courier.is_alive() for courier in late) and not self._watch.is_alive():
            self._store.close()
        return [courier.words for courier in late]

    def _look_on(self) -> None:
        while not self._stop.wait(PROGRESS_SECONDS):
            try:
                for run in self._progress.look(self._store, time.monotonic()):
                    _log.warning("run %s makes no progress", run)
            except StoreError as error:
                self._store.outage.failed(error)
            except Exception:  # noqa: BLE001 - it is tried again
                _log.exception("looking for runs without progress failed")


class Courier(threading.Thread):
    """Brings notices to one hook until it is told to stop, and then what is left."""

    def __init__(
        self, store: Store, hook: Hook, stop: threading.Event, *, ends_at_last: bool
    ) -> None:
        super().__init__(name="swather-hook", daemon=True)
        self.words = hook.subscription.words
        self._store = store
        self._hook = hook
        self._stop_asked = stop
        self._is_cut_off = False
        held_back = frozenset({NoticeKind.RUN_ENDED}) if ends_at_last else frozenset()
        self._first = hook.subscription.kinds - held_back

    def cut_off(self) -> None:
        """What is being delivered has failed; another process tries again."""
        self._is_cut_off = True
        self._hook.cut_off()
        self.join(LAST_SECONDS)

    def run(self) -> None:
        while True:
            is_last = self._stop_asked.wait(LOOK_SECONDS)
            try:
                wanted = self._hook.subscription.kinds if is_last else self._first
                while not self._is_cut_off and deliver_next(self._store, self._hook, wanted):
                    pass
                self._store.outage.answered()
            except DatabaseUnusable as error:
                _log.error("%s: no notice is delivered any more: %s", self.words, error)
                return
            except StoreError as error:
                self._store.outage.failed(error)
            except Exception:  # noqa: BLE001 - the next notice may arrive
                _log.exception("%s: a notice could not be delivered", self.words)
            if is_last:
                return


def deliver_next(
    store: Store, hook: Hook, kinds: Collection[NoticeKind] = frozenset(NoticeKind)
) -> bool:
    """Bring one notice of these kinds to a hook; False if none is due."""
    wanted = hook.subscription
    wanted = msgspec.structs.replace(wanted, kinds=wanted.kinds & frozenset(kinds))
    lease = hook.timeout_seconds + LEASE_SECONDS
    delivery = store.notices.claim(wanted, lease_seconds=lease)
    if delivery is None:
        return False
    try:
        hook.deliver(delivery.notice)
    except HookFailed as error:
        _failed(store, delivery, str(error))
    else:
        store.notices.delivered(delivery)
        _log.info("%s: told %s", delivery.words, delivery.notice.text)
    return True


def _failed(store: Store, delivery: Delivery, error: str) -> None:
    again = retry_seconds(delivery.attempts)
    store.notices.undelivered(delivery, error, retry_seconds=again)
    then = "it is not tried again" if again is None else f"the next attempt is in {again:g} s"
    _log.warning("%s: notice %d: %s; %s", delivery.words, delivery.notice.id, error, then)
