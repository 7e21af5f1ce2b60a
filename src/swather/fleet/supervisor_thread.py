"""A supervisor on a thread of its own, which nothing else in the process can hold up."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from swather.fleet.placement import Placement
from swather.fleet.supervisor import Happened, Policy, Supervisor, WorkerStanding

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_FAILED_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class SupervisorThread:
    """Workers in a placement, `wanted` at first. `note` is called on the thread with what happens.

    The first `stop` lets running targets finish, the second does not, the third kills.
    """

    def __init__(
        self,
        placement: Placement,
        policy: Policy,
        wanted: int,
        note: Callable[[Happened], None],
        *,
        look_seconds: float = 0.05,
    ) -> None:
        self._placement = placement
        self._supervisor = Supervisor(placement, policy)
        self._note = note
        self._look_seconds = look_seconds
        self._wanted = wanted
        self._restarts = 0
        self._stops = 0
        self._is_forgiving = False
        self._is_closing = False
        self._look_now = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self.signals = 0
        # As of the last look.
        self.standing: list[WorkerStanding] = []
        self.is_rolling = False

    def start(self) -> None:
        self._thread.start()

    @property
    def codes(self) -> frozenset[int]:
        """Once it is over: the codes with which a command exits on which workers have the last
        word.
        """
        return self._supervisor.codes

    @property
    def stops(self) -> int:
        return self._stops

    def order(self, wanted: int, restarts: int) -> None:
        """From now on so many workers are wanted; so many rolling restarts were asked for."""
        if (wanted, restarts) != (self._wanted, self._restarts):
            self._wanted, self._restarts = wanted, restarts
            self._look_now.set()

    def stop(self, stops: int | None = None) -> None:
        """Once more, or so far that it has been asked for so many times."""
        self._stops = max(self._stops, self._stops + 1 if stops is None else stops)
        self._look_now.set()

    def forgive(self) -> None:
        """See Supervisor."""
        self._is_forgiving = True

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """True when no worker runs and none will be started."""
        return self._over.wait(timeout_seconds)

    def close(self) -> None:
        """Kill what still runs. Workers left behind would end by themselves, but later."""
        self._is_closing = True
        self._look_now.set()
        if self._thread.is_alive():
            self._thread.join()
        self._placement.close()

    @contextmanager
    def passing_signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM of this process stop the workers; `signals` is how many came. Only for
        the main thread.
        """

        def handle(_number: int, _frame: FrameType | None) -> None:
            # It may interrupt this thread anywhere, with any lock held: it only counts.
            self.signals += 1
            self._stops += 1

        before = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _watch(self) -> None:
        while not self._is_closing:
            self._look_now.clear()
            try:
                self._look()
            except Exception:  # noqa: BLE001 - it is logged with its traceback
                # Its placement failed, say; workers without a supervisor would be worse.
                _log.exception("a look at the workers failed; the next follows")
                self._look_now.wait(_FAILED_SECONDS)
            if self._supervisor.is_over:
                break
            self._look_now.wait(self._look_seconds)
        self._over.set()

    def _look(self) -> None:
        if self._is_forgiving:
            self._is_forgiving = False
            self._supervisor.forgive()
        for happened in self._supervisor.tick(
            self._wanted, restarts=self._restarts, stops=self._stops
        ):
            self._note(happened)
        self.standing = self._supervisor.standing()
        self.is_rolling = self._supervisor.is_rolling
