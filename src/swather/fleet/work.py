"""The work of a run: load targets, start and watch workers, until nothing is left to do."""

import time
from types import TracebackType
from typing import Final, Protocol, Self

import msgspec

from swather.errors import DatabaseUnusable, StoreError
from swather.model.run import Run, RunState
from swather.runs.load import Loaded
from swather.runs.loading import Loading, LoadingHere
from swather.runs.progress import Watcher
from swather.runs.view import View
from swather.store import Store

LOOK_SECONDS: Final = 0.2


class Workers(Protocol):
    """Workers on one run, wherever they live. Within their block they may handle signals; `signals`
    is how many have come.
    """

    @property
    def signals(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def start(self) -> None: ...
    def wait(self, timeout_seconds: float) -> bool:
        """True when none is working and none will be."""

    def look(self, *, moving: bool) -> None:
        """Do periodic work. `moving`: targets have ended since the last time."""

    def stop(self, *, now: bool = False) -> None:
        """Stop, letting running targets end or not. May be called from any thread."""

    def result(self) -> int:
        """Once they have ended: the worst exit code of those that gave up, else 0; raises the error
        that ended a worker of this process.
        """


class Ended(msgspec.Struct, frozen=True):
    """How the work ended; `worst_code`: of workers that gave up; `loaded`: what was loaded."""

    interrupted: bool = False
    worst_code: int = 0
    loaded: Loaded | None = None


class Work:
    """Workers on one run, and what is loaded into it at the same time.

    The work is stopped after `max_seconds`, and `at_limit` is said then. A load that fails
    and a database that is unusable stop the workers, and are raised at the end.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        workers: Workers,
        view: View,
        *,
        loading: Loading | LoadingHere | None = None,
        max_seconds: float | None = None,
        at_limit: str = "",
    ) -> None:
        self._store = store
        self._run = run
        self._workers = workers
        self._view = view
        self._loading = loading
        self._give_up_at = float("inf") if max_seconds is None else time.monotonic() + max_seconds
        self._at_limit = at_limit
        self._done = 0
        self._unusable: DatabaseUnusable | None = None
        self._interrupted = False
        self._answered = 0

    def until_it_ends(self) -> Ended:
        with self._workers, self._view:
            if self._loading is None:
                self._workers.start()
                self._watch(self._store)
            else:
                self._loading.during(self._workers.start, self._watch, self._stop_once)
        if self._unusable is not None:
            raise self._unusable
        loaded = None
        if self._loading is not None:
            loaded = self._loading.result()
            for line in loaded.skipped_lines():
                self._view.say(line)
        worst_code = self._workers.result()
        # Stopped workers do not check whether the run is finished.
        if self._store.runs.get(self._run.name).state is RunState.OPEN:
            self._store.runs.settle(self._run.name)
        return Ended(self._interrupted or self._workers.signals > 0, worst_code, loaded)

    def _watch(self, store: Store) -> None:
        """Watch until no worker is left; `store` belongs to this thread."""
        watcher = Watcher(store, self._run.name, starts_workers=True)
        while not self._workers.wait(LOOK_SECONDS):
            self._answer_signals()
            self._workers.look(moving=self._show(watcher))
            if time.monotonic() >= self._give_up_at:
                self._give_up_at = float("inf")
                if self._at_limit:
                    self._view.say(self._at_limit)
                self._stop()
        self._stop_loading()
        self._show(watcher)

    def _show(self, watcher: Watcher) -> bool:
        """Whether targets have ended since the last time."""
        try:
            snapshot = watcher.snapshot()
        except DatabaseUnusable as error:
            if self._unusable is None:
                self._unusable = error
                self._stop()
            return False
        except StoreError as error:
            self._store.outage.failed(error)
            if (last := watcher.without_database(error)) is not None:
                self._view.show(last)
            return False
        self._store.outage.answered()
        self._view.show(snapshot)
        before, self._done = self._done, snapshot.counts.done
        return self._done > before

    def _stop_once(self, *, now: bool = False) -> None:
        """Called from the loading thread; workers that are already stopping are left to it."""
        if now or not (self._interrupted or self._workers.signals):
            self._stop(now=now)

    def _stop(self, *, now: bool = False) -> None:
        self._interrupted = True
        self._stop_loading()
        self._workers.stop(now=now)

    def _stop_loading(self) -> None:
        if self._loading is not None:
            self._loading.stop()

    def _answer_signals(self) -> None:
        """After a signal the workers are already stopping."""
        came = self._workers.signals
        if came == self._answered:
            return
        self._answered = came
        self._interrupted = True
        self._stop_loading()
        self._view.say(
            "Finishing running targets; press Ctrl-C again to stop now"
            if came == 1
            else "Stopping now"
        )
