"""The verbs of partitions: who serves them, and who is planned to."""

from collections.abc import Collection, Mapping
from typing import Protocol

from swather.model.partition import Partition, PartitionCounts


class Partitions(Protocol):
    def find(self, run: str) -> list[Partition]:
        """The partitions of a run, by name."""
        ...

    def counts(self, run: str) -> dict[str, PartitionCounts]:
        """What is left to do in each partition of a run. Counts rows: not for a loop."""
        ...

    def totals(self, run: str) -> dict[str, int]:
        """All tasks of each partition of a run, ended ones too. Reads the whole run."""
        ...

    def runs(self, scrapers: Collection[str]) -> list[str]:
        """The open runs of these scrapers that have partitions."""
        ...

    def plan(self, run: str, numbers: Mapping[str, int]) -> None:
        """Plan partitions, which the run may not have yet, for worker numbers; all others are in no
        plan any more.
        """
        ...

    def plan_new(self, run: str, numbers: Mapping[str, int]) -> None:
        """Plan those of these partitions that are in no plan."""
        ...

    def planned(self, run: str) -> dict[str, int]:
        """The plan of a run: the worker number of each partition."""
        ...

    def take_planned(self, worker_id: int, run: str) -> list[str]:
        """Serve the partitions that the plan gives the worker's number. Those that a worker of
        another number serves are asked back: it claims no more of them, and frees them by
        `hand_over`. Returns all that the worker owns now; a paused one takes nothing.
        """
        ...

    def take(
        self, worker_id: int, run: str, names: Collection[str] | None = None, *, limit: int = 1
    ) -> list[str]:
        """Serve partitions that have no owner: the named ones, else up to `limit` with the most
        waiting tasks. Of these none is planned for a worker that lives and serves the run. Returns
        all that the worker owns now; a paused one takes nothing.
        """
        ...

    def hand_over(self, worker_id: int) -> list[str]:
        """Free the partitions that were asked back, once the worker holds no task of theirs; which
        of them were freed. Only between two claims of the worker, on the connection that makes
        them: a claim that is under way might still take from them.
        """
        ...
