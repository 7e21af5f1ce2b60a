"""Supervisors: the processes that keep the wanted number of workers running in one place."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.worker import Process

MAX_WORKERS: Final = 100_000


class SupervisorState(StrEnum):
    """LOST: it went silent for longer than its lease, or its process died."""

    LIVE = "live"
    RETIRED = "retired"
    LOST = "lost"


class NewSupervisor(msgspec.Struct, frozen=True, kw_only=True):
    """A supervisor to register; each process registers a new one.

    `placement`: where its workers run. `minimum` and `maximum`: the bounds of an autoscaler, None
    without one. `command` and `log_folder` are for people.
    """

    process: Process
    name: str
    placement: str = "local"
    wanted: int = 1
    minimum: int | None = None
    maximum: int | None = None
    lease_seconds: float = 30.0
    command: str = ""
    log_folder: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a supervisor needs a name")
        if not self.lease_seconds > 0:
            raise InputError(f"lease_seconds must be positive, got {self.lease_seconds!r}")
        check_wanted(self.wanted)
        if (self.minimum is None) != (self.maximum is None):
            raise InputError("an autoscaler needs both a minimum and a maximum")
        if self.minimum is not None and self.maximum is not None:
            check_bounds(self.minimum, self.maximum)


class SupervisorRow(msgspec.Struct, frozen=True, kw_only=True):
    """A supervisor as the database knows it.

    `state` is LOST as soon as anyone can know that. `restarts` and `stops` count what people have
    asked for; `said` is what it last told of its workers.
    """

    id: int
    name: str
    placement: str
    state: SupervisorState
    process: Process
    lease_seconds: float
    wanted: int
    minimum: int | None
    maximum: int | None
    restarts: int
    stops: int
    command: str
    log_folder: str
    said: dict[str, Any]
    registered_at: datetime
    beat_at: datetime
    silent_seconds: float


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a supervisor's beat: what people, or an autoscaler, want of it.

    `alive` False: another one of its name has taken its place. `restarts`: how many rolling
    restarts were asked for so far. `stops`: 0, 1 to let running targets finish, 2 to stop now.
    """

    alive: bool
    wanted: int = 0
    minimum: int | None = None
    maximum: int | None = None
    restarts: int = 0
    stops: int = 0
    control_version: int = 0


def check_wanted(wanted: int) -> int:
    """How many workers a supervisor can be asked for."""
    if type(wanted) is int and 0 <= wanted <= MAX_WORKERS:
        return wanted
    raise InputError(f"the number of workers must be from 0 to {MAX_WORKERS:,}, got {wanted!r}")


def check_bounds(minimum: int, maximum: int) -> None:
    """Of an autoscaler."""
    if check_wanted(minimum) > check_wanted(maximum) or maximum < 1:
        raise InputError(
            f"the minimum must not be above the maximum, nor the maximum below 1, "
            f"got {minimum} and {maximum}"
        )
