"""Loads targets while workers already work on the first ones."""

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final, Protocol

from swather.model.run import RunState
from swather.model.worker import WorkerKind
from swather.runs.fresh_chance import close_breakers
from swather.runs.intake import Intake
from swather.runs.load import Loaded, load
from swather.store import Store

BATCH_SIZE: Final = 5_000
# A program's own targets come in smaller batches: its worker shares the interpreter with them.
BATCH_SIZE_HERE: Final = 1_000
_LOOK_SECONDS: Final = 0.005
_WAIT_SECONDS: Final = 0.2


class Stop(Protocol):
    """Stops the workers: lets running targets end, or not."""

    def __call__(self, *, now: bool = False) -> None: ...


class Loading:
    """Loads an intake into a run in a thread of its own."""

    def __init__(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> None:
        self._callers = store
        self._store = store.another()
        self._run = run
        self._intake = intake
        self._lease_seconds = lease_seconds
        self._stopping = threading.Event()
        self._over = threading.Event()
        self._error: BaseException | None = None
        self._loaded = Loaded()

    def during(self, start: Callable[[], None], watch: Callable[[Store], None], stop: Stop) -> None:
        """Start the workers once the run can no longer finish before all is loaded, and watch them
        here; `stop` them when loading fails.
        """
        threading.Thread(target=self._load, args=[stop], name="loading", daemon=True).start()
        while not self._is_registered() and not self._over.wait(_LOOK_SECONDS):
            pass
        start()
        watch(self._callers)

    def stop(self) -> None:
        self._stopping.set()

    def result(self) -> Loaded:
        """What was loaded, once loading is over; raises what ended it early."""
        self._over.wait()
        self._store.close()
        if self._error is not None:
            raise self._error
        return self._loaded

    def _load(self, stop: Stop) -> None:
        try:
            self._loaded = load(
                self._store,
                self._run,
                self._intake,
                stop=self._stopping,
                batch_size=BATCH_SIZE,
                lease_seconds=self._lease_seconds,
            )
        except BaseException as error:  # noqa: BLE001 - it is raised again by `result`
            self._error = error
            stop()
        finally:
            self._over.set()

    def _is_registered(self) -> bool:
        return any(
            worker.kind is WorkerKind.PRODUCER and worker.run == self._run
            for worker in self._callers.workers.find()
        )


class LoadingHere:
    """Loads an intake into a run in the calling thread: a program's own targets are drawn there."""

    def __init__(self, store: Store, run: str, intake: Intake, *, lease_seconds: float) -> None:
        self._store = store
        self._run = run
        self._intake = intake
        self._lease_seconds = lease_seconds
        self._stopping = threading.Event()
        self._watched = threading.Event()
        self._loaded = Loaded()
        self._error: BaseException | None = None

    def during(self, start: Callable[[], None], watch: Callable[[Store], None], stop: Stop) -> None:
        """Start the workers with the first targets: before them they would find nothing to do.
        Watch them in another thread; an interrupt of this one stops them, and is raised again.
        """
        watching = threading.Thread(
            target=self._watch, args=[watch], name="swather-progress", daemon=True
        )

        has_begun = False

        def begin(_: object = None) -> None:
            nonlocal has_begun
            if not has_begun:
                has_begun = True
                start()
                watching.start()

        try:
            self._loaded = load(
                self._store,
                self._run,
                self._intake,
                on_progress=begin,
                stop=self._stopping,
                batch_size=BATCH_SIZE_HERE,
                lease_seconds=self._lease_seconds,
            )
            begin()
            self._wait()
        except BaseException:
            stop()
            if has_begun:
                if watching.ident is None:
                    # The interrupt came while the workers were being started.
                    watching.start()
                try:
                    self._wait()
                except KeyboardInterrupt:
                    stop(now=True)
                    self._wait()
            raise

    def stop(self) -> None:
        self._stopping.set()

    def result(self) -> Loaded:
        """What was loaded; raises what ended the watching."""
        if self._error is not None:
            raise self._error
        return self._loaded

    def _watch(self, watch: Callable[[Store], None]) -> None:
        try:
            with closing(self._store.another()) as store:
                watch(store)
        except BaseException as error:  # noqa: BLE001 - it is raised again by `result`
            self._error = error
        finally:
            self._watched.set()

    def _wait(self) -> None:
        """In short steps, so that an interrupt is noticed. Not by joining the thread: in Python
        3.11 a thread whose join is interrupted counts as ended.
        """
        while not self._watched.wait(_WAIT_SECONDS):
            pass


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
        if batch:
            intake.count(store.tasks.enqueue(run, batch, batch_size=len(batch)))
        if intake.added:
            close_breakers(store, store.runs.get(run).scraper)
            return True
    store.loads.complete(run, intake.load)
    return False
