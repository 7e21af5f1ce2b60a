"""A worker in a thread of this process."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, Self

from swather.errors import SwatherError
from swather.worker import Worker
from swather.worker.process import Shutdown, handled, leave

FIRST_STEPS_SECONDS: Final = 0.2
_GAVE_UP: Final = 1


class InProcess:
    """For programs that have more to do than this. It hears no signals; its caller does."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._thread = threading.Thread(target=self._work, name="swather-worker", daemon=True)
        self._error: BaseException | None = None

    @property
    def signals(self) -> int:
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing of it outlives its thread."""

    def start(self) -> None:
        self._thread.start()
        # Loading on at once would hold up its first steps, which are many and short.
        self._worker.begun.wait(FIRST_STEPS_SECONDS)

    def wait(self, timeout_seconds: float) -> bool:
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def look(self, *, moving: bool) -> None:
        """What it logs goes where this process logs."""

    def stop(self, *, now: bool = False) -> None:
        self._worker.stop(now=now)

    def result(self) -> int:
        if self._error is not None:
            raise self._error
        return 0

    def _loop_is_stuck(self) -> None:
        """On another thread. There is nothing to do about it in a program with work of its own."""

    def _work(self) -> None:
        try:
            # Too many threads hang; others are started beside them.
            while self._worker.run(self._loop_is_stuck).reason == "restart":
                pass
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            self._error = error


class InForeground(InProcess):
    """For a process that does nothing else, in its main thread: the first SIGINT or SIGTERM lets
    running targets end, the second stops now. `say` gets what becomes of a stuck worker.
    """

    def __init__(self, worker: Worker, say: Callable[[str], None]) -> None:
        super().__init__(worker)
        self._say = say
        self._shutdown = Shutdown(worker, worker.grace_seconds, leave)
        self._block = ExitStack()

    @property
    def signals(self) -> int:
        return self._shutdown.signals

    def __enter__(self) -> Self:
        self._block.enter_context(handled(self._shutdown))
        return self

    def __exit__(self, *_: object) -> None:
        self._block.close()

    def _loop_is_stuck(self) -> None:
        """On the beat's thread, when a scraper blocks the loop past its timeout."""
        self._say("a target blocks this process past its timeout; run the same command to resume")
        try:
            self._worker.give_up(charge=True)
        except SwatherError as error:
            self._say(f"its targets could not be given back: {error}")
        leave(_GAVE_UP)
