"""Workers as real processes, to be signalled, stopped and killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from swather.model.run import NewRun
from swather.model.task import Target, Task
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.forked import Forked, can_fork
from tests.worker.given import wait_until

ROOT = Path(__file__).parents[2]
SCRAPERS = Path(__file__).with_name("scrapers.py")

PROGRAM = """
import logging, sys
from pathlib import Path
from swather.scraping.registry import load
from swather.worker import Worker
from swather.worker.process import main
logging.basicConfig(level=logging.INFO)
url, run, spec, folder, options = sys.argv[1:]
scraper = load(spec)
worker = Worker(
    url=url, run=run or None, scrapers={scraper.name: scraper}, files_folder=Path(folder),
    **eval(options),
)
sys.exit(main(worker))
"""


class WorkerProcess:
    """A worker in a process of its own; what it says on standard error is kept in a file. It begins
    with the `prelude`, if there is one.
    """

    def __init__(self, url: str, run: str, scraper: str, folder: Path, **options: Any) -> None:
        self.errors = folder / f"stderr-{time.monotonic_ns()}"
        passed = options.pop("pass_fds", ())
        program = options.pop("prelude", "") + PROGRAM
        environment = {**os.environ, **options.pop("environment", {})}
        arguments = [url, run, f"{SCRAPERS}:{scraper}", str(folder / "files"), repr(options)]
        self._process: Forked | subprocess.Popen[bytes]
        with self.errors.open("wb") as stderr:
            if not passed and can_fork(environment):
                self._process = Forked(
                    arguments, code=program, cwd=ROOT, env=environment, stderr=stderr
                )
            else:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", program, *arguments],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stderr=stderr,
                    pass_fds=passed,
                    env=environment,
                )
        self.pid = self._process.pid

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, patience_seconds: float = 30.0) -> int:
        """Wait for its end; the exit code."""
        return self._process.wait(patience_seconds)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def said(self) -> str:
        return self.errors.read_text()


class Yard:
    """A store, a log of what scrapers did, and worker processes that end with the test."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        self._processes: list[WorkerProcess] = []

    def run(self, scraper: str, targets: Iterable[dict[str, Any]]) -> str:
        name = self.store.runs.create(NewRun(scraper=scraper)).name
        self.store.tasks.enqueue(
            name,
            [
                Target(value={"n": n, "log": str(self.log), **target})
                for n, target in enumerate(targets)
            ],
        )
        return name

    def start(self, run: str, scraper: str, **options: Any) -> WorkerProcess:
        url = options.pop("url", self.store.url)
        process = WorkerProcess(url, run, scraper, self.folder, **options)
        self._processes.append(process)
        return process

    def happened(self, what: str) -> list[int]:
        """The processes in which it happened, one for each time."""
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [int(pid) for word, pid in lines if word == what]

    def wait_for(self, what: str, times: int = 1, patience_seconds: float = 30.0) -> int:
        """Wait until something has happened so often; the process of the last time."""
        try:
            wait_until(lambda: len(self.happened(what)) >= times, patience_seconds)
        except AssertionError as error:
            for process in self._processes:
                error.add_note(f"worker {process.pid} said: {process.said}")
            raise
        return self.happened(what)[-1]

    def counts(self, run: str) -> dict[str, int]:
        counts = self.store.runs.counts(run)
        names = ("scheduled", "ready", "leased", "completed", "failed", "cancelled")
        return {name: getattr(counts, name) for name in names if getattr(counts, name)}

    def tasks(self, run: str) -> dict[int, Task]:
        return {task.target["n"]: task for task in self.store.tasks.find(TaskFilter(run=run))}

    def close(self) -> None:
        for process in self._processes:
            if process.is_alive:
                process.signal(signal.SIGCONT)
                process.kill()
