"""Worker processes of a contender: started, watched, stopped, killed."""

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench import driver, tally
from bench.processes import members


class Workers:
    """Some processes of one driver's `work`, each with its children in a session of its own."""

    def __init__(
        self,
        python: Path,
        module: str,
        folder: Path,
        processes: int = 1,
        *,
        verb: str = "work",
        **given: Any,
    ) -> None:
        command = [str(python), "-m", module, verb, json.dumps(given)]
        self._log = (folder / "log").open("ab")
        self._processes = [
            subprocess.Popen(
                command,
                cwd=driver.ROOT,
                env=driver.environment(**{tally.VARIABLE: str(folder)}),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,
            )
            for _ in range(processes)
        ]
        self.folder = folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # What they did has been written down; how gently they stop is not measured.
        self.kill()

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    def kill(self) -> None:
        """As kill -9 does it, the children too."""
        for pid in members(self.pids):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            process.wait()
        self._log.close()

    def have_ended(self) -> bool:
        return all(process.poll() is not None for process in self._processes)

    def check(self) -> None:
        """Say what went wrong when one has ended by itself."""
        for process in self._processes:
            if process.poll() is not None:
                said = (self.folder / "log").read_text(errors="replace")[-3000:]
                raise RuntimeError(f"a worker ended with {process.returncode}:\n{said}")


@contextmanager
def folder() -> Iterator[Path]:
    """A directory for what workers write."""
    with tempfile.TemporaryDirectory(prefix="swather-bench-", ignore_cleanup_errors=True) as name:
        yield Path(name)
