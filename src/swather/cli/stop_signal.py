"""Waits until this process is told to end."""

import signal
import threading
from types import FrameType

from swather.cli.failure import INTERRUPTED


def wait_for_signal() -> int:
    """The exit code: as after Ctrl-C, or 0 after a SIGTERM."""
    came: list[int] = []
    told = threading.Event()

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)
        told.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    told.wait()
    return INTERRUPTED if came[0] == signal.SIGINT else 0
