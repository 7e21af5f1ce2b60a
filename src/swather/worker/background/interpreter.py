"""The last resort against a target that never lets go of the interpreter.

A regular expression that runs away, or an extension in an endless loop, keeps every Python thread
of the process from running: the loop, the beat and its watchdog, signal handlers too. What is left
is the kernel.
"""

import faulthandler
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LOOK_SECONDS: Final = 1.0
# setitimer refuses what a C integer cannot hold; nobody waits for longer.
MAX_PATIENCE_SECONDS: Final = 30 * 86_400.0


@contextmanager
def watched(patience_seconds: float) -> Iterator[None]:
    """While this lasts, the process is killed by SIGVTALRM once it has computed for
    `patience_seconds` in which no other thread had a turn; standard error shows what all threads
    were doing.

    Only time at work counts, so a process that is stopped and continued is as sound as before.
    """
    over = threading.Event()

    def wind_up() -> None:
        while True:
            signal.setitimer(signal.ITIMER_VIRTUAL, min(patience_seconds, MAX_PATIENCE_SECONDS))
            if over.wait(LOOK_SECONDS):
                return

    faulthandler.register(signal.SIGVTALRM, all_threads=True, chain=True)
    winding = threading.Thread(target=wind_up, name="swather-interpreter", daemon=True)
    winding.start()
    try:
        yield
    finally:
        over.set()
        winding.join()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.unregister(signal.SIGVTALRM)
