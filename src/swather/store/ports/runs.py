"""The verbs of runs, and of the loads that fill them."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from swather.model.advance import Advance, not_told
from swather.model.pacing import Limits
from swather.model.run import Counts, Load, NewRun, Run, RunState
from swather.model.scaling import RunDemand
from swather.model.totals import RunTotals, ScraperTotals

T = TypeVar("T")


class Runs(Protocol):
    def create(self, new: NewRun) -> Run:
        """Create a run; an existing name is refused, a missing one is generated."""
        ...

    def exclusively(self, work: Callable[[], T]) -> T:
        """Run `work` in one transaction, with no other call of `exclusively` at the same time: to
        create a run unless there is one. It may be repeated, and must not change anything outside.
        """
        ...

    def get(self, name: str) -> Run: ...
    def by_id(self, run_id: int) -> Run: ...
    def find(
        self, *, state: RunState | None = None, before_id: int | None = None, limit: int = 100
    ) -> list[Run]:
        """Newest first: those with ids below `before_id`."""
        ...

    def counts(self, name: str) -> Counts:
        """From the counter rows; costs the same for ten tasks and ten million."""
        ...

    def totals(self) -> list[ScraperTotals]:
        """The counts of each scraper over all its runs. Costs more with more runs and more kinds of
        errors, and the same for ten tasks and ten million.
        """
        ...

    def open_totals(self, *, limit: int = 100) -> list[RunTotals]:
        """The counts of the newest open runs, the newest first."""
        ...

    def demand(self) -> list[RunDemand]:
        """What each open run could use workers for, the oldest run first: the view
        `v_fleet_demand`. Costs no more for ten million tasks.
        """
        ...

    def revise(self, name: str, *, version: str, lane_limits: Limits) -> Run:
        """Continue with another version of the scraper (its cursors are dropped) and other lane
        limits, from the next claim on.
        """
        ...

    def set_egresses(self, name: str, egresses: int) -> bool:
        """Its lane limits hold for each of so many egresses, from the next claim on; False if that
        is so already.
        """
        ...

    def record(self, name: str, reserved: dict[str, Any]) -> Run:
        """Merge these members into Swather's own part of the run's params."""
        ...

    def pause(self, name: str) -> None: ...
    def unpause(self, name: str) -> None: ...
    def cancel(self, name: str, advance: Advance = not_told) -> int:
        """Stop the run at once, then end its tasks in batches; how many were ended. `advance` hears
        between two batches how many are; what it raises leaves the rest to another call.
        """
        ...

    def settle(self, name: str) -> bool:
        """Finish the run if none of its tasks is ready, scheduled or leased, no producer is
        alive and it is not kept open. True only for the call that finished it.
        """
        ...

    def keep_open(self, name: str) -> None:
        """Open the run if it is finished, and do not finish it before `close`; RunCancelled if it
        was cancelled.
        """
        ...

    def close(self, name: str) -> bool:
        """Finish the run once its tasks are done, as any other; whether this has finished it."""
        ...

    def remove(self, name: str, advance: Advance = not_told) -> int:
        """Delete a run that is not open, with all that belongs to it, in batches; how many tasks
        it had. `advance` hears after each batch how many are gone; what it raises leaves the rest
        to another call.
        """
        ...


class Loads(Protocol):
    """A run is load_incomplete while a load of it has begun and was not completed."""

    def begin(self, run: str, load: Load) -> None:
        """Replaces an earlier load of the same source with other content."""
        ...

    def complete(self, run: str, load: Load) -> None: ...

    def incomplete(self, run: str) -> list[str]:
        """The names of those that were not completed."""
        ...
