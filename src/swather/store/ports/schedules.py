"""The verbs of schedules and their firings."""

from datetime import datetime
from typing import Protocol

from swather.model.schedule import Firing, NewSchedule, Outlook, Schedule


class Schedules(Protocol):
    """A due time becomes a firing, and a firing becomes a run, in one transaction: `fire` (or
    `take`), the creation of the run, and `assign` are called inside one `Runs.exclusively`.
    """

    def add(self, new: NewSchedule, next_at: datetime) -> Schedule:
        """An existing name is refused."""
        ...

    def sync(self, new: NewSchedule, next_at: datetime) -> bool:
        """Store a schedule of a file: create it, or change what differs. Whether anything has
        changed. `next_at` counts only if the schedule is new or is due at other times than before;
        one that a person has disabled stays disabled. A schedule that a person has added under
        this name is refused.
        """
        ...

    def get(self, name: str) -> Schedule: ...
    def find(self) -> list[Schedule]:
        """By name."""
        ...

    def remove(self, name: str) -> None:
        """With its firings; their runs stay."""
        ...

    def enable(self, name: str, next_at: datetime) -> None: ...
    def disable(self, name: str) -> None: ...
    def make_due(self, name: str) -> None:
        """Its next time is now, if it is enabled and not due yet."""
        ...

    def now(self) -> datetime:
        """What the database's clock says."""
        ...

    def outlook(self) -> Outlook:
        """Cheap: what each scheduler asks every few seconds."""
        ...

    def due(self) -> list[Schedule]:
        """Enabled ones whose time has come, the longest due first."""
        ...

    def fire(self, due: Schedule, next_at: datetime, *, missed: int) -> Firing | None:
        """Turn the due time of a schedule into a firing: loading, or queued or skipped if a run of
        it is still open. None if another scheduler was faster, or the schedule was changed.
        """
        ...

    def fail_due(self, due: Schedule, next_at: datetime, reason: str) -> Firing | None:
        """As `fire`, for a due time of which there can be no run; a notice says so."""
        ...

    def assign(self, firing_id: int, run: str, producer_id: int) -> Firing:
        """The run of a firing, and the producer that loads its targets."""
        ...

    def open_firings(self) -> list[Firing]:
        """Those that any scheduler may take: loading ones whose producer is gone, and queued ones
        whose turn has come.
        """
        ...

    def take(self, firing: Firing) -> Firing | None:
        """Take one of `open_firings`; None if it is not open any more."""
        ...

    def loaded(self, firing_id: int) -> None:
        """All targets of its run are there."""
        ...

    def fail(self, firing_id: int, reason: str) -> None:
        """Its run has no targets, or not all; a notice says so."""
        ...

    def firings(self, name: str | None = None, *, limit: int = 100) -> list[Firing]:
        """The newest first."""
        ...
