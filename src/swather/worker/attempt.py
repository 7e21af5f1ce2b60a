"""One execution of a scraper on a task, from its start to its end or to where it was cut."""

import math
from concurrent.futures import Executor
from enum import Enum, auto
from time import monotonic
from traceback import StackSummary
from typing import TYPE_CHECKING, Any, Final, Protocol

from swather.errors import AttemptOver, LeaseLost, Postponed
from swather.model.lease import Lease
from swather.model.outcome import Memory
from swather.model.retry import Faults
from swather.model.source import SourceNote
from swather.scraping.classify import Classified
from swather.scraping.context import Collected
from swather.scraping.downloads import Downloads
from swather.scraping.notes import Notes
from swather.scraping.tabs import Tabs
from swather.worker.access.access import Access
from swather.worker.access.asked import Asked
from swather.worker.access.attempt_access import AttemptAccess
from swather.worker.jobs import Job
from swather.worker.messages import Message

if TYPE_CHECKING:
    from swather.store.ports import Fence

# From this many on, a task has a child process to itself.
CRASHES_BEFORE_ALONE: Final = 2
NO_STACK: Final = StackSummary()

Ending = Collected | Classified | BaseException


def is_suspect(faults: Faults) -> bool:
    """Whether a task runs alone: it may have ended two processes, or has certainly ended one."""
    return faults.crashes >= CRASHES_BEFORE_ALONE or faults.crashes_alone > 0


def lease_lost(attempt: "Attempt") -> LeaseLost:
    """For an attempt that was stopped, or whose lease another worker has."""
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
    """One way to execute attempts; posts AttemptEnded for each of them."""

    def start(self, attempt: "Attempt") -> None: ...
    def stop(self, attempt: "Attempt") -> None:
        """Ask the attempt to end."""
        ...

    def stack(self, attempt: "Attempt") -> StackSummary:
        """Where the attempt is just now, as far as that can be seen."""
        ...

    def abandon(self, attempt: "Attempt") -> None:
        """The attempt was stopped and goes on all the same: forget it."""
        ...

    async def close(self) -> None: ...


class Attempt:
    """`handle` is what its runner keeps for it: a task, a thread, a child.

    After `abandon_at` an attempt that was cut and goes on all the same is left to itself: its slot
    and its lease are free, and nothing it still says is heard. An attempt that is `postponed`, for
    so many seconds, has come to nothing: a lane that it needs is closed, or the disk is full.
    `asked` are its requests, for a trace; None if there is no trace of it.
    """

    __slots__ = (
        "_notes",
        "_seconds_left",
        "_waits",
        "_waits_since",
        "abandon_at",
        "access",
        "asked",
        "cut",
        "deadline",
        "downloads",
        "fence",
        "handle",
        "is_over",
        "job",
        "lease",
        "postponed",
        "runner",
        "stack",
        "started_at",
        "tabs",
        "timeout",
        "waited",
    )

    def __init__(
        self,
        lease: Lease,
        job: Job,
        runner: Runner,
        now: float,
        asked: list[Asked] | None = None,
    ) -> None:
        self.lease = lease
        self.job = job
        self.runner = runner
        self.fence: Fence = (lease.task_id, lease.token)
        self.started_at = now
        self.timeout = job.timeout
        self.deadline = now + job.timeout
        self.cut: Cut | None = None
        self.abandon_at = math.inf
        self.is_over = False
        self.handle: Any = None
        self.stack = NO_STACK
        self.access: AttemptAccess | None = None
        self.asked = asked
        self.downloads: Downloads | None = None
        self.tabs: Tabs | None = None
        self.postponed: float | None = None
        # What its clock stands still for, as people read it.
        self._notes: Notes | None = None
        self._waits: tuple[str, ...] = ()
        self._waits_since = 0.0
        self._seconds_left = 0.0
        # For how many seconds its clock stood still, by what it waited for; None for no wait.
        self.waited: dict[str, float] | None = None

    @property
    def look_at(self) -> float:
        """When it may have to be cut or abandoned. One whose clock stands still needs at least the
        seconds it had left.
        """
        if self.cut is not None:
            return self.abandon_at
        return monotonic() + self._seconds_left if self._waits else self.deadline

    @property
    def notes(self) -> Notes:
        """Lines of its log and the like; what comes after its end is not heard."""
        if self._notes is None:
            self._notes = Notes(self.job.log_lines)
        return self._notes

    @property
    def noted(self) -> Notes | None:
        """The same, if there is anything."""
        return self._notes

    def take_sources(self) -> list[SourceNote]:
        """What it has noted of sources and is not committed yet; a replay asks none."""
        if self._notes is None or self.job.is_replay:
            return []
        return self._notes.take_sources()

    def memories_of(self, collected: Collected) -> list[Memory]:
        """What is to be remembered. A replay begins with nothing and leaves nothing: otherwise it
        would find all known that the run itself has done.
        """
        return [] if self.job.is_replay else collected.memories

    def begin(self, handle: Any) -> None:
        self.handle = handle

    def move_to(self, runner: Runner) -> None:
        """Begin again with this runner and all of its time."""
        self.runner = runner
        self.restart_clock()
        runner.start(self)

    def end(self) -> None:
        """The scraper is done with it, or it is abandoned."""
        self.is_over = True
        if self.downloads is not None:
            self.downloads.discard()

    def close(self) -> None:
        """Its outcome is known. Its access refers back to it: were that left to the collector, each
        attempt would wait there with its task, its context and its runner's handle.
        """
        if self.access is not None and self.access.egresses is not None:
            self.access.egresses.close()
        self.access = None

    def cut_off(self, why: Cut, abandon_at: float = math.inf) -> bool:
        """Whether this is news; a second cut only makes it hurry."""
        self.abandon_at = min(self.abandon_at, abandon_at)
        if self.cut is not None:
            return False
        self.cut = why
        return True

    def abandon(self) -> None:
        self.stack = self.runner.stack(self)
        self.end()
        self.runner.abandon(self)

    def postpone(self, seconds: float) -> None:
        self.postponed = seconds

    @property
    def waits_for(self) -> str:
        """What its clock stands still for; '' while it runs."""
        return self._waits[0] if self._waits else ""

    def stop_clock(self, waits_for: str) -> None:
        """What the attempt waits for now does not count as its time."""
        if not self._waits:
            self._waits_since = monotonic()
            self._seconds_left = self.deadline - self._waits_since
            self.deadline = math.inf
        self._waits += (waits_for,)

    def start_clock(self, waited_for: str) -> None:
        """It has what it waited for; another of its requests may still wait."""
        at = self._waits.index(waited_for)
        self._waits = self._waits[:at] + self._waits[at + 1 :]
        if not self._waits:
            now = monotonic()
            self.deadline = now + self._seconds_left
            waited = self.waited = self.waited or {}
            waited[waited_for] = waited.get(waited_for, 0.0) + now - self._waits_since

    def restart_clock(self) -> None:
        self._seconds_left = self.timeout
        if not self._waits:
            self.deadline = monotonic() + self.timeout

    def visit(self, access: Access) -> AttemptAccess:
        """Its way to the web, made for its first request."""
        if self.access is None:
            self.access = AttemptAccess(self, access, self.asked)
        return self.access

    def take_down(self, executor: Executor) -> Downloads:
        """Its downloads, made for the first of them."""
        if self.downloads is None:
            self.downloads = Downloads(self.job.files, executor)
        return self.downloads

    def open_tabs(self, tabs: Tabs) -> None:
        """Its tabs in the browser; whoever runs it closes them."""
        self.tabs = tabs

    def check(self) -> None:
        """Raise what the scraper shall see if the attempt can do nothing more."""
        if self.cut is not None:
            raise lease_lost(self)
        if self.is_over:
            raise AttemptOver("this attempt is over; nothing more is accepted for it")
        if self.postponed is not None:
            raise Postponed("this attempt was postponed; nothing it does will be kept")


class AttemptEnded(Message, frozen=True):
    """An attempt has returned, raised, died or was abandoned."""

    attempt: Attempt
    ending: Ending
