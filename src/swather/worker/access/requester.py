"""Who makes requests: an attempt, as far as its way to the web has to know it."""

from typing import TYPE_CHECKING, Protocol

from swather.model.lease import Lease
from swather.worker.jobs import Job

if TYPE_CHECKING:
    from swather.store.ports import Fence


class Requester(Protocol):
    @property
    def lease(self) -> Lease: ...
    @property
    def job(self) -> Job: ...
    @property
    def fence(self) -> "Fence": ...

    def check(self) -> None:
        """Raise if it can do nothing more."""
        ...

    def stop_clock(self, waits_for: str) -> None:
        """What it waits for now does not count as its time."""
        ...

    def start_clock(self) -> None: ...

    def postpone(self, seconds: float) -> None:
        """It comes to nothing now; its task may come again after so long."""
        ...
