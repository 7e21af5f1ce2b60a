"""A member of a local fleet: its current process, and how often it was started."""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from swather import permissions, posix

MAX_RESTARTS: Final = 5
RESTART_ASKED: Final = 75
STUCK: Final = 70
# The database is unreachable, which is not the worker's fault, and may come back; unless the
# worker has said that it is unusable.
DATABASE_AWAY: Final = 3
WRONG_INPUT: Final = 2
_NOT_CRASHES: Final = frozenset({0, WRONG_INPUT, 130})
_FIRST_PAUSE_SECONDS: Final = 0.2
_MAX_DOUBLINGS: Final = 4
_AWAY_PAUSE_SECONDS: Final = 2.0
_NEVER: Final = float("inf")
_HINTS: Final = {"SIGVTALRM": " (a target blocked the interpreter past its timeout)"}

_log = logging.getLogger(__name__)


class Exit(NamedTuple):
    """A process that has ended; `code` is negative for the signal that killed it. `was_cut_short`:
    the worker had started to work and did not report its end, so the code is not its own.
    `is_hopeless`: it said that another would end like it.
    """

    number: int
    pid: int
    code: int
    log: Path | None
    was_cut_short: bool = False
    is_hopeless: bool = False

    @property
    def is_crash(self) -> bool:
        if self.was_cut_short:
            return True
        return self.code not in _NOT_CRASHES and self.code != RESTART_ASKED

    def __str__(self) -> str:
        if self.code >= 0 and self.was_cut_short:
            return (
                f"worker {self.number} (process {self.pid}) exited with {self.code} in the "
                "middle of its work; does a scraper call os._exit()?"
            )
        if self.code == STUCK:
            return f"worker {self.number} (process {self.pid}) was stuck and gave its targets back"
        if self.code >= 0:
            return f"worker {self.number} (process {self.pid}) exited with {self.code}"
        try:
            name = signal.Signals(-self.code).name
        except ValueError:
            name = f"signal {-self.code}"
        hint = _HINTS.get(name, "")
        return f"worker {self.number} (process {self.pid}) was killed by {name}{hint}"


class Member:
    """Starts its process, and restarts it after a crash: MAX_RESTARTS times at most, forgiven ones
    aside; and without limit when it could not reach its database.
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
        self.number = number
        self._restarts = 0
        self._forgiven = 0
        self._command = list(command)
        self._environment = dict(environment)
        self._parent = parent
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._farewell = -1
        self._start_at = 0.0

    @property
    def pid(self) -> int | None:
        """The id of the running process."""
        return None if self._process is None else self._process.pid

    @property
    def is_over(self) -> bool:
        """No process runs and none will be started."""
        return self._process is None and self._start_at == _NEVER

    def start_if_due(self) -> bool:
        if self._process is not None or time.monotonic() < self._start_at:
            return False
        try:
            self._process = self._started()
        except OSError as error:
            _log.error("worker %d cannot be started: %s", self.number, error)
            self.give_up()
            return False
        return True

    def reap(self, *, restart: bool) -> Exit | None:
        """How the process ended, if it has; with `restart` another may follow."""
        if self._process is None or (code := self._process.poll()) is None:
            return None
        told = _rest_of(self._farewell)
        cut_short = b"begun" in told and b"ended" not in told
        hopeless = b"unusable" in told and not cut_short
        ended = Exit(self.number, self._process.pid, code, self._log, cut_short, hopeless)
        self._process = None
        self._start_at = self._next_start(ended) if restart else _NEVER
        return ended

    def forgive(self) -> None:
        """Crashes so far no longer count; the delay before the next start stays."""
        self._forgiven = self._restarts

    def give_up(self) -> None:
        """Start no further process."""
        self._start_at = _NEVER

    def signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process and what it has started in its group."""
        if self._process is not None:
            posix.kill_group(self._process.pid)

    def _next_start(self, ended: Exit) -> float:
        if ended.is_hopeless:
            return _NEVER
        if ended.code == RESTART_ASKED and not ended.was_cut_short:
            return 0.0
        if ended.code == DATABASE_AWAY and not ended.was_cut_short:
            return time.monotonic() + _AWAY_PAUSE_SECONDS
        if not ended.is_crash or self._restarts - self._forgiven >= MAX_RESTARTS:
            return _NEVER
        pause: float = _FIRST_PAUSE_SECONDS * 2 ** min(self._restarts, _MAX_DOUBLINGS)
        self._restarts += 1
        return time.monotonic() + pause

    def _started(self) -> "subprocess.Popen[bytes]":
        farewell, theirs = os.pipe()
        try:
            process = self._popen(theirs)
        except BaseException:
            os.close(farewell)
            raise
        finally:
            os.close(theirs)
        self._farewell = farewell
        return process

    def _popen(self, farewell: int) -> "subprocess.Popen[bytes]":
        with ExitStack() as opened:
            log = None if self._log is None else opened.enter_context(_appended(self._log))
            return subprocess.Popen(
                self._command,
                env={**self._environment, "SWATHER_FAREWELL_FD": str(farewell)},
                stdin=subprocess.DEVNULL,
                stdout=2 if log is None else log,
                stderr=log,
                pass_fds=[self._parent, farewell],
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


def environment_with(parent: int, extra: Mapping[str, str] | None) -> dict[str, str]:
    """This process's environment, the additions, and the pipe that shows the parent's end."""
    return {**os.environ, **(extra or {}), "SWATHER_PARENT_FD": str(parent)}
