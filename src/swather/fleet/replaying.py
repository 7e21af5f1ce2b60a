"""A worker of this process that replays a run, with its progress, its signals and its end."""

import threading
from typing import Final

import msgspec

from swather.errors import StoreError, SwatherError
from swather.model.run import Run
from swather.runs.progress import Snapshot, Watcher
from swather.runs.view import View
from swather.store import Store
from swather.worker import Worker
from swather.worker.shutdown import Shutdown, handled, leave

LOOK_SECONDS: Final = 0.2
_GAVE_UP: Final = 1


class Replaying:
    """For the main thread: the first SIGINT or SIGTERM lets running targets end, the second stops
    at once. The worker has a thread of its own.
    """

    def __init__(self, store: Store, run: Run, worker: Worker, view: View) -> None:
        self._watcher = Watcher(store, run.name)
        self._worker = worker
        self._view = view
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="swather-worker", daemon=True)

    def until_it_ends(self) -> bool:
        """Work until nothing is left; True when it was interrupted before."""
        self._worker.on_stuck = self._leave
        shutdown = Shutdown(self._worker, self._worker.grace_seconds, leave)
        told = 0
        with handled(shutdown), self._view:
            self._thread.start()
            while self._thread.is_alive():
                self._thread.join(LOOK_SECONDS)
                self._show()
                if shutdown.signals > told:
                    told = shutdown.signals
                    self._view.say(_STOPPING[told > 1])
        if self._error is not None:
            raise self._error
        return shutdown.signals > 0

    def _work(self) -> None:
        try:
            # Too many threads hang; others are started beside them.
            while self._worker.run().reason == "restart":
                pass
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            self._error = error

    def _show(self) -> None:
        try:
            self._view.show(_unpaused(self._watcher.snapshot()))
        except StoreError as error:
            self._view.say(f"the database cannot be read now, work goes on: {error}")

    def _leave(self) -> None:
        """On the beat's thread, when a scraper blocks the loop past its timeout."""
        self._view.say("a target blocks this process past its timeout; the same command goes on")
        try:
            self._worker.give_up(charge=True)
        except SwatherError as error:
            self._view.say(f"what it held could not be given back, others will notice: {error}")
        leave(_GAVE_UP)


_STOPPING: Final = (
    "stopping when what runs has ended; again to stop at once",
    "stopping at once",
)


def _unpaused(snapshot: Snapshot) -> Snapshot:
    """The run is paused for everyone but us."""
    rate, left = snapshot.rate_per_second, snapshot.counts.unfinished
    eta = left / rate if rate else None
    return msgspec.structs.replace(snapshot, paused=False, eta_seconds=eta)
