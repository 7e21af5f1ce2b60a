"""A worker as a process of its own: signals, parent death, the watchdog's exit, the exit code."""

import faulthandler
import logging
import threading
from functools import partial
from typing import Final

from swather.errors import DatabaseUnusable, InputError, NotFound, StoreError, SwatherError
from swather.worker.background.interpreter import watched
from swather.worker.report import WorkerReport
from swather.worker.shutdown import Farewell, Shutdown, handled, leave, watch_parent
from swather.worker.worker import Worker

DONE: Final = 0
USAGE: Final = 2
DATABASE: Final = 3
STUCK: Final = 70
RESTART: Final = 75
INTERRUPTED: Final = 130
# The watchdog, which can still give back leases, goes first.
MARGIN_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


def main(worker: Worker) -> int:
    """Run a worker until its end, in the main thread of a process that does nothing else.

    The exit code: 0 when there was nothing left to do, 130 when it was stopped, 75 when it should
    be started anew, 2 for wrong input, 3 for a database that fails. A worker whose event loop is
    stuck ends the process with 70; one whose interpreter is, is killed.
    """
    if not faulthandler.is_enabled():
        faulthandler.enable()
    farewell = Farewell.named()

    def leave_now(status: int) -> None:
        farewell.end()
        leave(status)

    shutdown = Shutdown(worker, worker.grace_seconds, leave_now)
    with handled(shutdown), watched(worker.patience_seconds + MARGIN_SECONDS):
        watch_parent(shutdown.on_parent_death)
        farewell.begin()
        status = _run(worker, farewell)
        farewell.end()
    if _is_anyone_left():
        leave(status)
    return status


def _run(worker: Worker, farewell: Farewell) -> int:
    try:
        report = worker.run(on_stuck=partial(_leave_stuck, worker))
    except (InputError, NotFound) as error:
        _log.error("%s", error)
        return USAGE
    except StoreError as error:
        _log.error("%s", error)
        if isinstance(error, DatabaseUnusable):
            farewell.despair()
        return DATABASE
    _log.info("%s", _told(report))
    return {"stopped": INTERRUPTED, "restart": RESTART}.get(report.reason, DONE)


def _told(report: WorkerReport) -> str:
    return (
        f"worker {report.name} {report.reason}: {report.completed} completed, "
        f"{report.failed} failed, {report.retried} to be retried, {report.released} given back, "
        f"{report.lost} lost"
    )


def _leave_stuck(worker: Worker) -> None:
    try:
        worker.give_up(charge=True)
    except SwatherError as error:
        _log.error("the leases could not be given back, others will notice: %s", error)
    leave(STUCK)


def _is_anyone_left() -> bool:
    """Whether threads of a scraper would hold up the end of the interpreter."""
    return any(
        not thread.daemon and thread is not threading.main_thread()
        for thread in threading.enumerate()
    )
