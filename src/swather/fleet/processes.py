"""Worker processes of this machine on one run, and what they log."""

import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from swather.file_location import BucketFolder
from swather.fleet.local_placement import LocalPlacement
from swather.fleet.seat import RestartPolicy
from swather.fleet.supervisor import Happened, Policy
from swather.fleet.supervisor_thread import SupervisorThread
from swather.fleet.worker_logs import WorkerLogs
from swather.fleet.worker_process import DATABASE_AWAY, WRONG_INPUT
from swather.model.run import Run
from swather.settings import Settings
from swather.store import factory

# How long a worker may take beyond its grace time to give back its leases.
ENDING_SECONDS: Final = 5.0
# A person waits for a run: its workers start at once, and what crashes is soon known.
_STAGGER_SECONDS: Final = (0.05, 0.05)
_RESTART: Final = RestartPolicy(window_seconds=float("inf"), pause_seconds=0.2)


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
        self._workers = SupervisorThread(
            LocalPlacement(
                lambda number: [*command, "--number", str(number)],
                environment=worker_environment(settings),
                log_folder=folder,
            ),
            Policy(
                stagger_seconds=_STAGGER_SECONDS,
                restart=_RESTART,
                grace_seconds=settings.grace_seconds + ENDING_SECONDS,
            ),
            settings.workers,
            self._note,
        )
        self._block = ExitStack()

    @property
    def signals(self) -> int:
        return self._workers.signals

    @property
    def log_folder(self) -> Path:
        return self._logs.folder

    def __enter__(self) -> Self:
        self._block.callback(self._workers.close)
        self._block.enter_context(self._workers.passing_signals())
        return self

    def __exit__(self, *_: object) -> None:
        self._block.close()
        self._logs.pass_on()

    def start(self) -> None:
        self._workers.start()

    def wait(self, timeout_seconds: float) -> bool:
        return self._workers.wait(timeout_seconds)

    def look(self, *, moving: bool) -> None:
        if moving:
            # While targets end, crashes are caused by targets.
            self._workers.forgive()
        self._logs.pass_on()

    def stop(self, *, now: bool = False) -> None:
        self._workers.stop(2 if now else 1)

    def result(self) -> int:
        codes = self._workers.codes
        return next((code for code in (DATABASE_AWAY, WRONG_INPUT) if code in codes), 0)

    def _note(self, happened: Happened) -> None:
        if happened.level >= logging.WARNING and not self._workers.stops:
            self._say(f"{happened.text}; its log is in {self.log_folder}")


def worker_environment(settings: Settings) -> dict[str, str]:
    """What a worker process is told that is not for its command line, which all users can read."""
    rate = {} if settings.rate is None else {"SWATHER_RATE": settings.rate}
    # A worker uses a bucket that its run names only if its own settings name it, too.
    folder = settings.files_folder
    bucket = {"SWATHER_FILES_FOLDER": str(folder)} if isinstance(folder, BucketFolder) else {}
    return {"SWATHER_DB": factory.located(settings.db), **rate, **bucket}


def worker_options(settings: Settings) -> dict[str, object]:
    """The options with which a worker process takes over what this process has resolved."""
    return {
        "--concurrency": settings.concurrency,
        "--batch-size": settings.batch_size,
        "--strategy": settings.strategy,
        "--lease-seconds": settings.lease_seconds,
        "--grace-seconds": settings.grace_seconds,
        "--poll-seconds": settings.poll_seconds,
        "--metrics-port": settings.metrics_port or None,
    }


def worker_arguments(scrapers: Sequence[str], options: dict[str, object]) -> list[str]:
    """`swather worker` as arguments of Python; options that are None are left out."""
    words = [str(word) for pair in options.items() if pair[1] is not None for word in pair]
    # -P: Python puts the current folder first on the path of a module that it runs.
    return ["-P", "-m", "swather.cli", "worker", *scrapers, *words]


def _worker_command(run: Run, spec: str, settings: Settings, *, verbose: bool) -> Sequence[str]:
    level = "info" if verbose else "warning"
    options = {"--run": run.name, **worker_options(settings), "--log-level": level}
    return [sys.executable, *worker_arguments([spec], options)]
