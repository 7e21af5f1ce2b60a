"""The local fleet: worker processes on this machine, started, watched, restarted, stopped."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from swather import permissions
from swather.errors import InputError
from swather.fleet.member import Exit, Member, environment_with

_LOOK_SECONDS: Final = 0.05
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_log = logging.getLogger(__name__)


class LocalFleet:
    """`count` processes of the command that `command(number)` gives, watched by a thread.

    Every process inherits the reading end of a pipe, its number in SWATHER_PARENT_FD: it reads the
    end of the file when this process is gone, however it died. A process that crashes is restarted,
    five times at most; `forgive` resets the count. Once `grace_seconds` have passed
    after the first `stop`, or `kill_seconds` after the second, what still runs is killed.
    """

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        count: int,
        *,
        environment: Mapping[str, str] | None = None,
        log_folder: Path | None = None,
        stagger_seconds: float = 0.05,
        grace_seconds: float = 35.0,
        kill_seconds: float = 3.0,
        on_exit: Callable[[Exit], None] | None = None,
    ) -> None:
        if count < 1:
            raise InputError(f"a fleet needs at least one worker, got {count}")
        self._parent, self._alive = os.pipe()
        self._stagger_seconds = stagger_seconds
        self._grace_seconds = grace_seconds
        self._kill_seconds = kill_seconds
        self._on_exit = on_exit
        if log_folder is not None:
            permissions.make_folder(log_folder)
        self.members = [
            Member(
                number,
                command(number),
                environment_with(self._parent, environment),
                parent=self._parent,
                log=None if log_folder is None else log_folder / f"worker-{number}.log",
            )
            for number in range(count)
        ]
        self.exits: list[Exit] = []
        self._stops = 0
        self._kill_at = float("inf")
        self._stopping = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="fleet", daemon=True)

    def start(self) -> None:
        """Start the processes, one after another, in the background."""
        self._thread.start()

    @property
    def pids(self) -> list[int]:
        """The ids of the running processes."""
        return [member.pid for member in self.members if member.pid is not None]

    def forgive(self) -> None:
        """Reset the count: work gets done, so crashes are the targets' fault."""
        for member in self.members:
            member.forgive()

    def stop(self) -> None:
        """Ask the processes to end; the second time, to end at once; the third time, kill them."""
        with self._lock:
            self._stops += 1
            patience = {1: self._grace_seconds, 2: self._kill_seconds}.get(self._stops, 0.0)
            self._kill_at = min(self._kill_at, time.monotonic() + patience)
            for member in self.members:
                member.give_up()
                member.signal(signal.SIGTERM)
        self._stopping.set()

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """True when no process runs and none will be started."""
        return self._over.wait(timeout_seconds)

    def close(self) -> None:
        """Kill what still runs. Processes left behind would end by themselves, but later."""
        with self._lock:
            self._stops += 1
            self._kill_at = 0.0
            for member in self.members:
                member.give_up()
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._parent >= 0:
            os.close(self._parent)
            os.close(self._alive)
            self._parent = self._alive = -1

    @contextmanager
    def passing_signals(self, on_signal: Callable[[int], None] | None = None) -> Iterator[None]:
        """SIGINT and SIGTERM of this process stop the fleet; `on_signal` gets how many came.

        Only for the main thread.
        """
        came = 0

        def handle(_number: int, _frame: FrameType | None) -> None:
            nonlocal came
            came += 1
            # A handler interrupts its own thread, which may hold the fleet's lock.
            threading.Thread(target=self.stop, name="stopping the fleet").start()
            if on_signal is not None:
                on_signal(came)

        before = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _watch(self) -> None:
        while not all(member.is_over for member in self.members):
            with self._lock:
                started = self._look()
            if started:
                self._stopping.wait(self._stagger_seconds)
            else:
                time.sleep(_LOOK_SECONDS)
        self._over.set()

    def _look(self) -> bool:
        """Reap processes that have ended, start one that is due; True when one was started."""
        if time.monotonic() >= self._kill_at:
            for member in self.members:
                member.kill()
        for member in self.members:
            if ended := member.reap(restart=not self._stops):
                self._note(ended, member)
        return any(member.start_if_due() for member in self.members)

    def _note(self, ended: Exit, member: Member) -> None:
        self.exits.append(ended)
        if self._on_exit is not None:
            self._on_exit(ended)
        elif ended.is_crash and not self._stops:
            what = "it is not restarted" if member.is_over else "it is restarted"
            _log.warning("%s; %s", ended, what)
