"""A worker as a process of its own: signals, parent death, the watchdog's exit, the exit code."""

import faulthandler
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Final

from swather.errors import DatabaseUnusable, InputError, NotFound, StoreError, SwatherError
from swather.worker.report import WorkerReport
from swather.worker.watchdog import dump_stacks, watched
from swather.worker.worker import Worker

DONE: Final = 0
USAGE: Final = 2
DATABASE: Final = 3
STUCK: Final = 70
RESTART: Final = 75
# Of a worker that was asked to leave and whose place is to be filled again.
LEFT: Final = 76
INTERRUPTED: Final = 130
# How long a worker may take to react before its process is ended by force.
LAST_RESORT_SECONDS: Final = 3.0
# The watchdog, which can still give back leases, goes first.
MARGIN_SECONDS: Final = 2.0
PARENT_VARIABLE: Final = "SWATHER_PARENT_FD"
FAREWELL_VARIABLE: Final = "SWATHER_FAREWELL_FD"
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_log = logging.getLogger(__name__)


class Shutdown:
    """The first signal lets targets end, the second does not. A worker whose loop does not react is
    ended by force, after its leases are given back.
    """

    def __init__(self, worker: Worker, grace_seconds: float, leave: Callable[[int], None]) -> None:
        self.signals = 0
        self._worker = worker
        self._grace_seconds = grace_seconds
        self._leave = leave
        self._ended = threading.Event()

    def on_signal(self, number: int, _: FrameType | None) -> None:
        self.signals += 1
        name = signal.Signals(number).name
        if self.signals == 1:
            _log.info("%s: finishing running targets; send it again to stop now", name)
            self.stop(now=False)
        else:
            _log.warning("%s: stopping now", name)
            self.stop(now=True)

    def on_parent_death(self) -> None:
        _log.warning("the process that started this worker is gone; finishing running targets")
        self.stop(now=False)

    def stop(self, *, now: bool) -> None:
        self._worker.stop(now=now)
        patience = LAST_RESORT_SECONDS + (0.0 if now else self._grace_seconds)
        threading.Thread(target=self._insist, args=[patience], daemon=True).start()

    def ended(self) -> None:
        self._ended.set()

    def _insist(self, patience_seconds: float) -> None:
        if self._ended.wait(patience_seconds):
            return
        _log.critical("the worker does not stop; killing it")
        try:
            self._worker.give_up()
        finally:
            self._leave(130)


@contextmanager
def handled(shutdown: Shutdown) -> Iterator[None]:
    """Signals go to `shutdown` while the block lasts."""
    before = {number: signal.signal(number, shutdown.on_signal) for number in SIGNALS}
    try:
        yield
    finally:
        shutdown.ended()
        for number, handler in before.items():
            signal.signal(number, handler)


def has_parent() -> bool:
    """Whether this process was started by one that looks after it."""
    return bool(os.environ.get(PARENT_VARIABLE))


def watch_parent(on_death: Callable[[], None]) -> None:
    """If the environment names a descriptor that the parent holds the other end of, wait for its
    end; without one there is nothing to watch.
    """
    named = os.environ.pop(PARENT_VARIABLE, "")
    if not named.isdigit():
        return
    descriptor = int(named)
    os.set_inheritable(descriptor, False)

    def wait() -> None:
        try:
            while os.read(descriptor, 64):
                pass
        except OSError:
            _log.exception("%s does not name an open file descriptor", PARENT_VARIABLE)
            return
        on_death()

    threading.Thread(target=wait, name="swather-parent", daemon=True).start()


class Farewell:
    """Tells the process that started this one that the exit code is the worker's own. A scraper may
    end the process with any code; then the start was reported, and the end was not.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @classmethod
    def named(cls) -> "Farewell":
        """To the descriptor that the environment names, if it does."""
        named = os.environ.pop(FAREWELL_VARIABLE, "")
        if not named.isdigit():
            return cls(None)
        os.set_inheritable(int(named), False)
        return cls(int(named))

    def begin(self) -> None:
        """From here on, scrapers run."""
        self._tell(b"begun ")

    def end(self) -> None:
        """From here on, none does; only the last thing that the process does may follow."""
        self._tell(b"ended ")

    def despair(self) -> None:
        """Another process would find the database as unusable as this one did."""
        self._tell(b"unusable ")

    def _tell(self, what: bytes) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # no one is listening
                os.write(self._descriptor, what)


def main(worker: Worker) -> int:
    """Run a worker until its end, in the main thread of a process that does nothing else.

    The exit code: 0 when there was nothing left to do or it was asked to leave (76 if a supervisor
    has started it), 130 when it was stopped, 75 when it should be restarted, 2 for wrong input, 3
    for a database that fails. A worker whose event loop is
    stuck ends the process with 70; one whose interpreter is, is killed.
    """
    if not faulthandler.is_enabled():
        faulthandler.enable()
    farewell = Farewell.named()
    left = LEFT if has_parent() else DONE

    def leave_now(status: int) -> None:
        farewell.end()
        leave(status)

    shutdown = Shutdown(worker, worker.grace_seconds, leave_now)
    with handled(shutdown), watched(worker.patience_seconds + MARGIN_SECONDS):
        watch_parent(shutdown.on_parent_death)
        farewell.begin()
        status = _run(worker, farewell, left)
        farewell.end()
    if _is_anyone_left():
        leave(status)
    return status


def _run(worker: Worker, farewell: Farewell, left: int) -> int:
    try:
        report = worker.run(on_stuck=partial(_leave_stuck, worker, farewell))
    except (InputError, NotFound) as error:
        _log.error("%s", error)
        return USAGE
    except StoreError as error:
        _log.error("%s", error)
        if isinstance(error, DatabaseUnusable):
            farewell.despair()
        return DATABASE
    _log.info("%s", _told(report))
    codes = {"stopped": INTERRUPTED, "restart": RESTART, "drained": left, "removed": left}
    return codes.get(report.reason, DONE)


def _told(report: WorkerReport) -> str:
    return (
        f"worker {report.name} {report.reason}: {report.completed} completed, "
        f"{report.failed} failed, {report.retried} to be retried, {report.released} given back, "
        f"{report.lost} lost"
    )


def _leave_stuck(worker: Worker, farewell: Farewell) -> None:
    dump_stacks()
    try:
        worker.give_up(charge=True)
    except SwatherError as error:
        _log.error(
            "this worker's targets could not be given back; others take them when its lease "
            "ends: %s",
            error,
        )
    farewell.end()
    leave(STUCK)


def _is_anyone_left() -> bool:
    """Whether threads of a scraper would hold up the end of the interpreter."""
    return any(
        not thread.daemon and thread is not threading.main_thread()
        for thread in threading.enumerate()
    )


def leave(status: int) -> None:
    """End the process now; threads and tasks that were left behind have no say in it."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)
