"""Workers as processes of this machine, with a log file each."""

import errno
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from swather import permissions
from swather.fleet.placement import End, WorkerEnded
from swather.fleet.worker_process import CRASHED, WorkerProcess

# A machine that is out of something may have it again later.
_MAY_PASS: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC})


class LocalPlacement:
    """See Placement. `command(number)` is what a worker's process executes.

    Every process inherits the reading end of a pipe, its number in SWATHER_PARENT_FD: it reads the
    end of the file when this process is gone, however it died.
    """

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        *,
        environment: Mapping[str, str] | None = None,
        log_folder: Path | None = None,
    ) -> None:
        if log_folder is not None:
            permissions.make_folder(log_folder)
        self._command = command
        self._environment = dict(environment or {})
        self._log_folder = log_folder
        self._processes: dict[int, WorkerProcess] = {}
        self._failed: list[WorkerEnded] = []
        self._parent, self._alive = os.pipe()

    def start(self, number: int) -> None:
        assert number not in self._processes, "a worker of this number runs already"
        try:
            self._processes[number] = WorkerProcess(
                number,
                self._command(number),
                self._environment,
                parent=self._parent,
                log=None if self._log_folder is None else self._log_folder / log_name(number),
            )
        except OSError as error:
            why = f"worker {number} cannot be started: {error}"
            end = End.CRASHED if error.errno in _MAY_PASS else End.REFUSED
            self._failed.append(WorkerEnded(number, end, why, CRASHED))

    def running(self) -> dict[int, str]:
        return {number: f"process {one.pid}" for number, one in self._processes.items()}

    def pids(self) -> dict[int, int]:
        return {number: one.pid for number, one in self._processes.items()}

    def ended(self) -> list[WorkerEnded]:
        ended, self._failed = self._failed, []
        for number, process in list(self._processes.items()):
            if (gone := process.reap()) is not None:
                del self._processes[number]
                ended.append(WorkerEnded(number, gone.end, str(gone), gone.exit_code))
        return ended

    def stop(self, number: int, *, now: bool = False) -> None:
        """A worker stops now when it gets a second signal. That is another one, since two of a kind
        may arrive as one.
        """
        if (process := self._processes.get(number)) is not None:
            process.signal(signal.SIGTERM)
            if now:
                process.signal(signal.SIGINT)

    def kill(self, number: int) -> None:
        if (process := self._processes.get(number)) is not None:
            process.kill()

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()
        self._processes.clear()
        if self._parent >= 0:
            os.close(self._parent)
            os.close(self._alive)
            self._parent = self._alive = -1


def log_name(number: int) -> str:
    return f"worker-{number}.log"
