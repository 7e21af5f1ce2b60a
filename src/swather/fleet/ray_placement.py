"""Workers as actors in a Ray cluster, which starts them again elsewhere when a node is lost."""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from swather.fleet.placement import End, WorkerEnded
from swather.fleet.pulled_log import PulledLog
from swather.fleet.ray_worker import Look, RayWorker
from swather.fleet.worker_process import CRASHED, WRONG_INPUT
from swather.visible import visible_line

if TYPE_CHECKING:
    from types import ModuleType

_LOOK_SECONDS: Final = 0.5
# An actor that runs answers within milliseconds.
_SILENT_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)


class RayPlacement:
    """See Placement. `arguments(number)` follow the node's own Python in a worker's command; what
    it logs goes to `new_log(number)` here.

    The actors belong to this process: Ray ends them when it is gone, however it died, and their
    workers with them. A node may lack room for one; then it waits, and Ray's own autoscaler, if
    there is one, adds a node.
    """

    def __init__(
        self,
        ray: "ModuleType",
        arguments: Callable[[int], Sequence[str]],
        *,
        fleet: str,
        environment: Mapping[str, str],
        new_log: Callable[[int], PulledLog],
        cpus: float,
        memory_mb: int,
    ) -> None:
        self._ray = ray
        self._arguments = arguments
        self._fleet = fleet
        self._environment = dict(environment)
        self._new_log = new_log
        self._class = ray.remote(RayWorker)
        self._cpus = cpus
        self._memory_bytes = memory_mb << 20
        self._actors: dict[int, _Actor] = {}

    def start(self, number: int) -> None:
        assert number not in self._actors, "a worker of this number runs already"
        placed = self._class.options(
            name=f"{self._fleet}-{number}-{secrets.token_hex(4)}",
            num_cpus=self._cpus,
            memory=self._memory_bytes,
            scheduling_strategy="SPREAD",
            max_restarts=-1,
            # A call waits while Ray starts the actor elsewhere.
            max_task_retries=-1,
        )
        handle = placed.remote(number, list(self._arguments(number)), self._environment)
        self._actors[number] = _Actor(self._ray, number, handle, self._new_log(number))

    def running(self) -> dict[int, str]:
        return {number: actor.where for number, actor in self._actors.items()}

    def ended(self) -> list[WorkerEnded]:
        ended = []
        for number, actor in list(self._actors.items()):
            if (gone := actor.take()) is not None:
                del self._actors[number]
                actor.kill()
                ended.append(gone)
        return ended

    def stop(self, number: int, *, now: bool = False) -> None:
        if (actor := self._actors.get(number)) is not None:
            actor.stop(now=now)

    def kill(self, number: int) -> None:
        if (actor := self._actors.get(number)) is not None:
            actor.kill()

    def close(self) -> None:
        for actor in self._actors.values():
            actor.kill()
        self._actors.clear()


class _Actor:
    """Asked again and again what its worker does; one question is on its way at a time."""

    def __init__(self, ray: "ModuleType", number: int, handle: Any, log: PulledLog) -> None:
        self._ray = ray
        self._number = number
        self._handle = handle
        self._log = log
        self._asked = handle.look.remote()
        self._asked_at = monotonic()
        self._next_at: float | None = None
        self._last: Look | None = None
        self._lives: set[str] = set()
        self._is_killed = False

    @property
    def where(self) -> str:
        if self._last is None:
            return "waits for room in the Ray cluster"
        if self._next_at is None and monotonic() - self._asked_at > _SILENT_SECONDS:
            return f"its node {self._last.node} is silent; Ray starts it elsewhere"
        moves = len(self._lives) - 1
        moved = f", moved by Ray {'once' if moves == 1 else f'{moves} times'}" if moves else ""
        return f"process {self._last.pid} on node {self._last.node}{moved}"

    def take(self) -> WorkerEnded | None:
        """Look at the answer, if there is one; how the worker ended, if it has."""
        if self._next_at is not None:
            if monotonic() >= self._next_at:
                self._ask()
            return None
        if not self._ray.wait([self._asked], timeout=0)[0]:
            return None
        try:
            look: Look = self._ray.get(self._asked)
        except self._ray.exceptions.RayError as error:
            return self._lost(error)
        self._log.write(look.log)
        self._last = look
        self._lives.add(look.life)
        self._next_at = monotonic() + _LOOK_SECONDS
        return look.ended

    def stop(self, *, now: bool) -> None:
        if self._last is None:
            # It may wait for room for hours, and holds nothing yet.
            self.kill()
            return
        with suppress(self._ray.exceptions.RayError):
            self._handle.stop.remote(now=now)

    def kill(self) -> None:
        """The worker reads that its actor is gone, gives its targets back and ends."""
        self._is_killed = True
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(self._handle, no_restart=True)

    def _ask(self) -> None:
        self._asked = self._handle.look.remote()
        self._asked_at = monotonic()
        self._next_at = None

    def _lost(self, error: Exception) -> WorkerEnded:
        if self._is_killed:
            before = "" if self._last is not None else " before it had a place in the cluster"
            why = f"worker {self._number} was stopped by force{before}"
            return WorkerEnded(self._number, End.STOPPED, why)
        _log.info("%s", error)
        # Between the two are Ray's own tracebacks.
        first, *rest = [line.strip() for line in str(error).splitlines() if line.strip()] or ["?"]
        reason = visible_line(f"{first} … {rest[-1]}" if rest else first)
        why = f"worker {self._number} cannot run in the Ray cluster: {reason}"
        if self._last is None:
            return WorkerEnded(self._number, End.REFUSED, why, WRONG_INPUT)
        return WorkerEnded(self._number, End.CRASHED, why, CRASHED)
