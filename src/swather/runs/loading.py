"""Loading in the background, while workers already work on what was loaded first."""

import threading
from typing import Final

from swather.model.run import RunState
from swather.model.worker import WorkerKind
from swather.runs.intake import Intake
from swather.runs.load import Loaded, load
from swather.store import Store

BATCH_SIZE: Final = 5_000
_LOOK_SECONDS: Final = 0.005


class Loading:
    """Loads an intake into a run in a thread of its own."""

    def __init__(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> None:
        self._store = store.another()
        self._run = run
        self._intake = intake
        self._lease_seconds = lease_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._load, name="loading", daemon=True)
        self._error: BaseException | None = None
        self.loaded = Loaded()

    def start(self) -> None:
        """Return once the run cannot be finished any more before all is loaded."""
        self._thread.start()
        while not self.is_over and not self._is_registered():
            self._thread.join(_LOOK_SECONDS)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    def stop(self) -> None:
        self._stop.set()

    def result(self) -> Loaded:
        """What was loaded, once it is over; raises what stood in the way."""
        self._thread.join()
        self._store.close()
        if self._error is not None:
            raise self._error
        return self.loaded

    def _load(self) -> None:
        try:
            self.loaded = load(
                self._store,
                self._run,
                self._intake,
                on_progress=self._note,
                stop=self._stop,
                batch_size=BATCH_SIZE,
                lease_seconds=self._lease_seconds,
            )
        except BaseException as error:  # noqa: BLE001 - it is raised again by `result`
            self._error = error

    def _note(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def _is_registered(self) -> bool:
        return any(
            worker.kind is WorkerKind.PRODUCER and worker.run == self._run
            for worker in self._store.workers.find()
        )


def anything_new(store: Store, run: str, intake: Intake) -> bool:
    """Whether a run lacks any of these targets; the first batch with one that it lacks is loaded.

    Unlike loading, this leaves a finished run finished when it has them all. A cancelled run takes
    no more.
    """
    if store.runs.get(run).state is RunState.CANCELLED:
        return False
    store.loads.begin(run, intake.load)
    for batch in intake.batches(BATCH_SIZE):
        if hosts := intake.take_hosts():
            store.allowed_hosts.add(run, hosts)
        if batch and store.tasks.enqueue(run, batch, batch_size=len(batch)).added:
            return True
    store.loads.complete(run, intake.load)
    return False
