"""One execution of a scraper on a task, from its start to its end or to where it was cut."""

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, Protocol

from swather.errors import LeaseLost
from swather.model.lease import Lease
from swather.model.retry import Faults
from swather.scraping.classify import Classified
from swather.scraping.context import Collected
from swather.worker.job import Job

if TYPE_CHECKING:
    from swather.store.ports import Fence
    from swather.worker.trip import AttemptTrip

# From this many on, a task has a child process to itself.
CRASHES_BEFORE_ALONE: Final = 2

Ending = Collected | Classified | BaseException


def is_suspect(faults: Faults) -> bool:
    """Whether a task runs alone: it may have ended two processes, or has certainly ended one."""
    return faults.crashes >= CRASHES_BEFORE_ALONE or faults.crashes_alone > 0


def lease_lost(attempt: "Attempt") -> LeaseLost:
    """What an attempt meets that was cut, or whose lease is somebody else's."""
    task_id, token = attempt.fence
    return LeaseLost(
        f"this attempt on task {task_id} was stopped or has lost its lease; nothing it does will "
        "be kept",
        task_id,
        token,
    )


class Cut(Enum):
    """Why an attempt was ended from outside."""

    TIMEOUT = auto()
    LOST = auto()
    STOP = auto()


class Runner(Protocol):
    """One way to execute attempts; tells the slots how each of them ended."""

    def start(self, attempt: "Attempt") -> None: ...
    def stop(self, attempt: "Attempt") -> None:
        """Ask the attempt to end."""
        ...

    def stack(self, attempt: "Attempt") -> str:
        """Where the attempt is just now, as far as that can be seen."""
        ...

    def abandon(self, attempt: "Attempt") -> None:
        """The attempt was stopped and goes on all the same: forget it."""
        ...

    async def close(self) -> None: ...


class Attempt:
    """`place` is what its runner keeps for it: a task, a thread, a child.

    After `abandon_at` an attempt that was cut and goes on all the same is left to itself: its slot
    and its lease are free, and nothing it still says is heard. `postponed` is set, to the seconds
    after which the task may come again, when a lane it needs is closed or the disk is full:
    whatever the attempt makes of that, it has come to nothing. While there are `waits`, its time
    stands still at `left`.
    """

    __slots__ = (
        "abandon_at",
        "cut",
        "deadline",
        "ended",
        "fence",
        "job",
        "lease",
        "left",
        "place",
        "postponed",
        "runner",
        "stack",
        "started_at",
        "timeout",
        "trip",
        "waits",
    )

    def __init__(self, lease: Lease, job: Job, runner: Runner, now: float) -> None:
        self.lease = lease
        self.job = job
        self.runner = runner
        self.fence: Fence = (lease.task_id, lease.token)
        self.started_at = now
        self.timeout = job.timeout
        self.deadline = now + job.timeout
        self.cut: Cut | None = None
        self.abandon_at = 0.0
        self.ended = False
        self.place: Any = None
        self.stack = ""
        self.trip: AttemptTrip | None = None
        self.postponed: float | None = None
        self.waits = 0
        self.left = 0.0
