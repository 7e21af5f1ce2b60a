"""Worker processes of this machine on one run, and what they log."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from swather.fleet.local import LocalFleet
from swather.fleet.member import DATABASE_AWAY, WRONG_INPUT, Exit
from swather.fleet.worker_logs import WorkerLogs
from swather.model.run import Run
from swather.settings import Settings
from swather.store import factory

# How long a worker may take beyond its grace time to give back its leases.
ENDING_SECONDS: Final = 5.0


class Processes:
    """As many as the settings say. `spec` is what a person named the scraper by; `say` gets what
    the workers log, and that one of them has crashed.

    Within its block SIGINT and SIGTERM of this process are passed on; for the main thread.
    """

    def __init__(
        self, run: Run, spec: str, settings: Settings, say: Callable[[str], None], *, verbose: bool
    ) -> None:
        folder = settings.logs_folder / run.name
        self._say = say
        self._logs = WorkerLogs(folder, say)
        command = _worker_command(run, spec, settings, verbose=verbose)
        self._fleet = LocalFleet(
            lambda number: [*command, "--number", str(number)],
            settings.workers,
            environment=_environment(settings),
            log_folder=folder,
            grace_seconds=settings.grace_seconds + ENDING_SECONDS,
            on_exit=self._note_exit,
        )
        self._block = ExitStack()
        self._is_stopping = False
        self.signals = 0

    @property
    def log_folder(self) -> Path:
        return self._logs.folder

    def __enter__(self) -> Self:
        self._block.callback(self._fleet.close)
        self._block.enter_context(self._fleet.passing_signals(self._on_signal))
        return self

    def __exit__(self, *_: object) -> None:
        self._block.close()
        self._logs.pass_on()

    def start(self) -> None:
        self._fleet.start()

    def wait(self, timeout_seconds: float) -> bool:
        return self._fleet.wait(timeout_seconds)

    def look(self, *, moving: bool) -> None:
        if moving:
            # While targets end, crashes are caused by targets.
            self._fleet.forgive()
        self._logs.pass_on()

    def stop(self, *, now: bool = False) -> None:
        self._is_stopping = True
        self._fleet.stop()
        if now:
            self._fleet.stop()

    def result(self) -> int:
        codes = [ended.code for ended in self._fleet.exits if not ended.was_cut_short]
        return next((code for code in (DATABASE_AWAY, WRONG_INPUT) if code in codes), 0)

    def _on_signal(self, came: int) -> None:
        # A handler may interrupt this thread anywhere, with any lock held: it only sets a flag.
        self._is_stopping = True
        self.signals = came

    def _note_exit(self, ended: Exit) -> None:
        if ended.is_crash and not self._is_stopping:
            self._say(f"{ended}; its log is {ended.log}")


def _environment(settings: Settings) -> dict[str, str]:
    rate = {} if settings.rate is None else {"SWATHER_RATE": settings.rate}
    return {"SWATHER_DB": factory.located(settings.db), **rate}


def _worker_command(run: Run, spec: str, settings: Settings, *, verbose: bool) -> Sequence[str]:
    given = {
        "--run": run.name,
        "--concurrency": settings.concurrency,
        "--batch-size": settings.batch_size,
        "--strategy": settings.strategy,
        "--lease-seconds": settings.lease_seconds,
        "--grace-seconds": settings.grace_seconds,
        "--poll-seconds": settings.poll_seconds,
        "--log-level": "info" if verbose else "warning",
    }
    words = [str(word) for pair in given.items() if pair[1] is not None for word in pair]
    # -P: Python puts the current folder first on the path of a module that it runs.
    return [sys.executable, "-P", "-m", "swather.cli", "worker", spec, *words]
