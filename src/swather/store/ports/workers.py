"""The verbs of workers: registered, beating, swept when they are gone."""

from collections.abc import Collection
from typing import Any, Protocol

from swather.model.worker import Beat, Leaving, NewWorker, Process, Swept, Worker, WorkerMode
from swather.store.ports.queue import Fence


class Workers(Protocol):
    def register(self, new: NewWorker) -> int:
        """A producer opens its run again if it was finished; a cancelled one is refused."""
        ...

    def beat(
        self,
        worker_id: int,
        held: Collection[Fence],
        statistics: dict[str, Any] | None = None,
    ) -> Beat:
        """Renew all leases of a worker; give back those it does not know about."""
        ...

    def tell(self, worker_id: int, statistics: dict[str, Any]) -> None:
        """Write what a worker says of itself between two beats; its leases stay as they are."""
        ...

    def retire(self, worker_id: int) -> int:
        """End a worker; what it still held goes back without a charge (how many)."""
        ...

    def get(self, worker_id: int) -> Worker: ...
    def find(self, *, live: bool = True, limit: int = 1_000) -> list[Worker]: ...
    def find_beside(self, process: Process) -> list[Worker]:
        """Live workers on the same machine, and in the same container if it is in one."""
        ...

    def pause(self, worker_id: int) -> WorkerMode:
        """A live worker claims nothing more. Like `unpause` and `leave`, the answer says what is
        wanted of it now: a worker that was asked to leave does so.
        """
        ...

    def unpause(self, worker_id: int) -> WorkerMode:
        """A worker that was asked to leave stays paused, and ends."""
        ...

    def leave(self, worker_id: int, how: Leaving) -> WorkerMode:
        """Ask a live worker to end. From now on it claims nothing; the answer to its next beat says
        how it is to end. STOP after DRAIN holds, DRAIN after STOP changes nothing.
        """
        ...

    def sweep(self, dead: Collection[int] = ()) -> Swept:
        """Give back what lost workers held: those in `dead` (a reaped child, say), dead processes
        of this host, workers past their lease, and leases whose worker has no row. Also makes due
        tasks ready and does the store's small chores. Any worker may sweep, at any time.
        """
        ...
