"""A worker process of this machine: started, signalled, reaped."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from swather import permissions, posix
from swather.fleet.placement import End

REPLACE: Final = 75
# It was asked to leave, and the fleet keeps its number.
LEFT: Final = 76
STUCK: Final = 70
# The database is unreachable, which is not the worker's fault, and may come back; unless the
# worker has said that it is unusable.
DATABASE_AWAY: Final = 3
WRONG_INPUT: Final = 2
CRASHED: Final = 1
_ENDS: Final = {
    0: End.DONE,
    WRONG_INPUT: End.REFUSED,
    DATABASE_AWAY: End.AWAY,
    REPLACE: End.REPLACE,
    LEFT: End.REPLACE,
    130: End.STOPPED,
    # Before it could handle it.
    -signal.SIGTERM: End.STOPPED,
}
_PLAIN: Final = {
    0: "has finished",
    REPLACE: "asks to be replaced",
    LEFT: "has left as it was asked to, and is replaced",
    130: "has stopped",
}
_HINTS: Final = {"SIGVTALRM": " (a target blocked the interpreter past its timeout)"}


class Exit(NamedTuple):
    """A process that has ended; `code` is negative for the signal that killed it. `was_cut_short`:
    the worker had started to work and did not report its end, so the code is not its own.
    `is_hopeless`: it said that another would end like it.
    """

    number: int
    pid: int
    code: int
    was_cut_short: bool = False
    is_hopeless: bool = False

    @property
    def end(self) -> End:
        if self.was_cut_short:
            return End.CRASHED
        return End.REFUSED if self.is_hopeless else _ENDS.get(self.code, End.CRASHED)

    @property
    def exit_code(self) -> int:
        """The code with which a command ends that this was the last word on."""
        if self.end is End.CRASHED:
            return CRASHED
        return self.code if self.code in (WRONG_INPUT, DATABASE_AWAY) else 0

    def __str__(self) -> str:
        if self.code >= 0 and self.was_cut_short:
            return (
                f"worker {self.number} (process {self.pid}) exited with {self.code} in the "
                "middle of its work; does a scraper call os._exit()?"
            )
        if self.code == STUCK:
            return f"worker {self.number} (process {self.pid}) was stuck and gave its targets back"
        if self.code >= 0:
            how = _PLAIN.get(self.code, f"exited with {self.code}")
            return f"worker {self.number} (process {self.pid}) {how}"
        try:
            name = signal.Signals(-self.code).name
        except ValueError:
            name = f"signal {-self.code}"
        hint = _HINTS.get(name, "")
        return f"worker {self.number} (process {self.pid}) was killed by {name}{hint}"


class WorkerProcess:
    """A process that the constructor starts; OSError if it cannot.

    It inherits `parent`, the reading end of a pipe, which ends when this process does, and the
    writing end of another, on which it tells that it has begun and that it has ended.
    """

    def __init__(
        self,
        number: int,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        parent: int,
        log: Path | None,
    ) -> None:
        self._number = number
        self._farewell, theirs = os.pipe()
        try:
            self._process = _started(command, environment, parent, theirs, log)
        except BaseException:
            os.close(self._farewell)
            raise
        finally:
            os.close(theirs)

    @property
    def pid(self) -> int:
        return self._process.pid

    def reap(self) -> Exit | None:
        """How it ended, if it has; asked once."""
        if (code := self._process.poll()) is None:
            return None
        told = _rest_of(self._farewell)
        cut_short = b"begun" in told and b"ended" not in told
        hopeless = b"unusable" in told and not cut_short
        return Exit(self._number, self.pid, code, cut_short, hopeless)

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it and what it has started in its group."""
        posix.kill_group(self._process.pid)

    def wait(self) -> None:
        """Until it has ended."""
        self._process.wait()
        os.close(self._farewell)


def _started(
    command: Sequence[str],
    environment: Mapping[str, str],
    parent: int,
    farewell: int,
    log: Path | None,
) -> "subprocess.Popen[bytes]":
    variables = {"SWATHER_PARENT_FD": str(parent), "SWATHER_FAREWELL_FD": str(farewell)}
    with ExitStack() as opened:
        file = None if log is None else opened.enter_context(_appended(log))
        return subprocess.Popen(
            command,
            env={**os.environ, **environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=2 if file is None else file,
            stderr=file,
            pass_fds=[parent, farewell],
            # A group of its own: Ctrl-C at a terminal reaches whole groups, and what the fleet
            # passes on would be the second signal.
            process_group=0,
        )


def _rest_of(pipe: int) -> bytes:
    """What was written to a pipe, which is then closed; others may have its other end open."""
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, 64)
    except BlockingIOError:
        return b""
    finally:
        os.close(pipe)


def _appended(log: Path) -> IO[bytes]:
    return open(log, "ab", opener=permissions.opener)
