"""Ends processes that a scraper forks with os.fork.

A fork may do what the scraper wants of it, and ends when it returns from the scraper: the target,
and the connections to the database and to the worker, belong to the parent.
"""

import asyncio
import logging
import os
import sys
from contextlib import suppress
from typing import Final, NoReturn
from weakref import WeakSet

_log = logging.getLogger(__name__)
_loops: Final[WeakSet[asyncio.AbstractEventLoop]] = WeakSet()


def stop_in_forks(loop: asyncio.AbstractEventLoop) -> None:
    """In a fork this loop stops, so that a fork that waits on it does not continue everything else
    that runs there.
    """
    _loops.add(loop)


def exit_fork(error: BaseException | None) -> NoReturn:
    """End this process, a fork that came back from its scraper, by returning or with an error."""
    status = 0 if error is None else 1
    if isinstance(error, SystemExit):
        status = _status_of(error)
    else:
        _log.warning(
            "a scraper forked, and the forked process %d returned from it%s; it exits now, and "
            "its results are dropped. End forked processes in the scraper, with os._exit()",
            os.getpid(),
            "" if error is None else f" with {error!r}",
        )
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status)


def _status_of(error: SystemExit) -> int:
    """The exit status that Python itself would use."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{error.code}\n")
    return 1


def _stop_loops() -> None:
    for loop in list(_loops):
        loop.stop()


os.register_at_fork(after_in_child=_stop_loops)
