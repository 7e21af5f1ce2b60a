"""Waits until this process is told to end."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

from swather.cli.failure import INTERRUPTED

_LOOK_SECONDS: Final = 1.0


def wait_for_signal(is_over: Callable[[], bool]) -> int | None:
    """The exit code: as after Ctrl-C, or 0 after a SIGTERM; None if it `is_over` before."""
    came: list[int] = []
    told = threading.Event()

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)
        told.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    while not told.wait(_LOOK_SECONDS):
        if is_over():
            return None
    return INTERRUPTED if came[0] == signal.SIGINT else 0
