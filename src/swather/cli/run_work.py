"""The work of a run: targets loaded, workers started and watched, until there is no more to do."""

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

import msgspec

from swather.cli.failure import DATABASE, USAGE
from swather.cli.worker_logs import WorkerLogs
from swather.errors import DatabaseUnusable, StoreError
from swather.fleet.local import LocalFleet
from swather.fleet.member import Exit
from swather.model.run import Run, RunState
from swather.runs.loading import Loading
from swather.runs.progress import Watcher
from swather.runs.view import View
from swather.runs.words import count, duration

if TYPE_CHECKING:
    from swather.runs.intake import Intake
    from swather.settings import Settings
    from swather.store.ports import Store

LOOK_SECONDS: Final = 0.2
# What a worker may take beyond its grace time to give back what it holds.
ENDING_SECONDS: Final = 5.0


class Ended(msgspec.Struct, frozen=True):
    """How the work ended; `worst_code`: of workers that gave up."""

    interrupted: bool = False
    worst_code: int = 0
    logs: str = ""


class Work:
    """Worker processes on one run, and what is loaded into it meanwhile. `spec` is what a person
    named the scraper by.
    """

    def __init__(
        self,
        store: "Store",
        run: Run,
        spec: str,
        held: "Settings",
        view: View,
        *,
        intake: "Intake | None",
        max_seconds: float | None,
        verbose: bool,
    ) -> None:
        self._store = store
        self._run = run
        self._held = held
        self._view = view
        self._watcher = Watcher(store, run.name)
        self._loading = (
            None
            if intake is None
            else Loading(store, run.name, intake, lease_seconds=held.lease_seconds)
        )
        folder = held.logs_folder / run.name
        self._logs = WorkerLogs(folder, view.say)
        self._command = _worker_command(run, spec, held, verbose=verbose)
        self._fleet = LocalFleet(
            lambda _number: self._command,
            held.workers,
            environment=_environment(held),
            log_folder=folder,
            grace_seconds=held.grace_seconds + ENDING_SECONDS,
            on_exit=self._note_exit,
        )
        self._give_up_at = float("inf") if max_seconds is None else time.monotonic() + max_seconds
        self._max_seconds = max_seconds
        self._done = 0
        self._unusable: DatabaseUnusable | None = None
        self._interrupted = False
        self._signals = 0
        self._answered = 0

    def until_it_ends(self) -> Ended:
        """Load and work. A load that cannot go on and a database that is beyond use stop the
        workers, and are raised at the end.
        """
        with closing(self._fleet), self._fleet.passing_signals(self._on_signal), self._view:
            if self._loading is not None:
                self._loading.start()
            self._fleet.start()
            while not self._fleet.wait(LOOK_SECONDS):
                self._look()
            if self._loading is not None:
                self._loading.stop()
            self._show()
        self._logs.pass_on()
        if self._unusable is not None:
            raise self._unusable
        if self._loading is not None:
            loaded = self._loading.result()
            if loaded.skipped:
                self._view.say(f"{count(loaded.skipped, 'line')} without a usable target left out")
        self._settle()
        codes = [ended.code for ended in self._fleet.exits if not ended.was_cut_short]
        worst = next((code for code in (DATABASE, USAGE) if code in codes), 0)
        return Ended(self._interrupted, worst, str(self._logs.folder))

    def _look(self) -> None:
        self._answer_signals()
        self._show()
        self._logs.pass_on()
        if self._loading is not None and self._loading.has_failed and not self._interrupted:
            self._stop()
        if time.monotonic() >= self._give_up_at:
            self._give_up_at = float("inf")
            assert self._max_seconds is not None
            self._view.say(f"stopping after {duration(self._max_seconds)}, as --max-time asks")
            self._stop()

    def _show(self) -> None:
        try:
            snapshot = self._watcher.snapshot()
        except DatabaseUnusable as error:
            if self._unusable is None:
                self._unusable = error
                self._stop()
            return
        except StoreError as error:
            self._view.say(f"the database cannot be read now, work goes on: {error}")
            return
        self._view.show(snapshot)
        self._note_progress(snapshot.counts.done)

    def _note_progress(self, done: int) -> None:
        """While targets end, workers that crash do so because of some of them."""
        if done > self._done:
            self._fleet.forgive()
        self._done = done

    def _stop(self) -> None:
        self._interrupted = True
        if self._loading is not None:
            self._loading.stop()
        self._fleet.stop()

    def _on_signal(self, came: int) -> None:
        # A handler may interrupt this thread anywhere, with any lock held: it only takes note.
        self._interrupted = True
        self._signals = came

    def _answer_signals(self) -> None:
        if self._signals == self._answered:
            return
        self._answered = self._signals
        if self._loading is not None:
            self._loading.stop()
        self._view.say(
            "stopping when what runs has ended; again to stop at once"
            if self._answered == 1
            else "stopping at once"
        )

    def _note_exit(self, ended: Exit) -> None:
        if ended.is_crash and not self._interrupted:
            self._view.say(f"{ended}; its log is {ended.log}")

    def _settle(self) -> None:
        """Workers that are stopped do not look whether they have done the last of it."""
        if self._store.runs.get(self._run.name).state is RunState.OPEN:
            self._store.runs.settle(self._run.name)


def _environment(held: "Settings") -> dict[str, str]:
    rate = {} if held.rate is None else {"SWATHER_RATE": held.rate}
    return {"SWATHER_DB": held.db, **rate}


def _worker_command(run: Run, spec: str, held: "Settings", *, verbose: bool) -> Sequence[str]:
    given = {
        "--run": run.name,
        "--concurrency": held.concurrency,
        "--batch-size": held.batch_size,
        "--strategy": held.strategy,
        "--lease-seconds": held.lease_seconds,
        "--grace-seconds": held.grace_seconds,
        "--poll-seconds": held.poll_seconds,
        "--log-level": "info" if verbose else "warning",
    }
    words = [str(word) for pair in given.items() if pair[1] is not None for word in pair]
    # -P: Python puts the current folder first on the path of a module that it runs.
    return [sys.executable, "-P", "-m", "swather.cli", "worker", spec, *words]
