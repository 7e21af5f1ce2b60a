"""The verbs of a store, one protocol per noun. Both databases implement all of them.

Verbs block and are atomic: each is one transaction, or (where it says so) a row of them that can be
repeated safely. A store may be used from several threads; they take turns. What must not wait for
its turn (the beat, a dashboard) opens a store of its own.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from swather.model.autopace import AutoPace
from swather.model.blocks import Curve
from swather.model.event import Event
from swather.model.lane import Lane, PacedKind
from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.load import Load
from swather.model.outcome import File, Item, Outcome, Standing, Verdict
from swather.model.pacing import Limits
from swather.model.query import TaskFilter
from swather.model.results import ErrorGroup, Part, StoredFile, StoredItem
from swather.model.run import Counts, NewRun, Run, RunState
from swather.model.task import Target, Task
from swather.model.transaction import OpenTransaction
from swather.model.worker import Beat, NewWorker, Partition, Swept, Worker
from swather.store.batching import Row
from swather.store.web_ports import AllowedHosts, Breakers, Pages, Robots

T = TypeVar("T")
Fence = tuple[int, int]

# A learned pace that nobody renews is forgotten after so long.
LEARNED_SECONDS: Final = 600.0


class Enqueued(NamedTuple):
    """How many targets were new, how many the run had already, and how many were dropped because
    the run had its limit of tasks.
    """

    added: int
    duplicates: int
    over_limit: int = 0


class Finished(NamedTuple):
    """One verdict per outcome, in their order, and the next claim if one was asked for; None when
    the outcomes are committed but the claim is still to be made.
    """

    verdicts: list[Verdict]
    claimed: Claimed | None


class Runs(Protocol):
    def create(self, new: NewRun) -> Run:
        """Make a run; a name that is taken is refused, a missing one is made."""
        ...

    def alone(self, work: Callable[[], T]) -> T:
        """Do `work` on this store in one transaction, while nobody else does any here: to make a
        run unless there is one. It may be repeated, and must not change anything else.
        """
        ...

    def get(self, name: str) -> Run: ...

    def find(self, *, state: RunState | None = None, limit: int = 100) -> list[Run]:
        """Newest first."""
        ...

    def counts(self, name: str) -> Counts:
        """From the counter rows; costs the same for ten tasks and ten million."""
        ...

    def revise(self, name: str, *, version: str, lane_limits: Limits) -> Run:
        """Go on with another version of the scraper (its cursors are dropped) and other limits for
        its lanes, from the next claim on.
        """
        ...

    def record(self, name: str, reserved: dict[str, Any]) -> Run:
        """Merge these members into what Swather keeps for itself in the run's params."""
        ...

    def pause(self, name: str) -> None: ...
    def unpause(self, name: str) -> None: ...
    def cancel(self, name: str) -> int:
        """Stop the run at once, then end its tasks in batches; how many were ended."""
        ...

    def settle(self, name: str) -> bool:
        """Finish the run if nothing of it is ready, scheduled or leased and no producer is alive.
        True for the one call that finished it.
        """
        ...

    def remove(self, name: str) -> None:
        """Delete a run that is not open, with all that belongs to it."""
        ...


class Tasks(Protocol):
    def enqueue(
        self, run: str, targets: Iterable[Target | Row], *, batch_size: int = 10_000
    ) -> Enqueued:
        """Stream targets in, a transaction per batch; what the run has already is left alone.

        A target that cannot be stored raises before its batch is written: what came before that
        batch stays, nothing of the batch itself. Loading again is safe. A row is a target that was
        checked already.
        """
        ...

    def get(self, task_id: int) -> Task: ...

    def find(self, which: TaskFilter, *, after_id: int = 0, limit: int = 100) -> list[Task]:
        """In order of id, beginning after `after_id`."""
        ...

    def count(self, which: TaskFilter) -> int:
        """How many tasks match; walks all that might."""
        ...

    def cancel(self, which: TaskFilter) -> int:
        """End waiting and running tasks; a running attempt is fenced off at once."""
        ...

    def retry(self, which: TaskFilter, *, anew: bool = False) -> int:
        """Make ended tasks ready again with fresh budgets; the run is open again. With `anew` those
        that failed begin at their beginning, too, and their rows give way to the new ones.
        """
        ...


class Queue(Protocol):
    def claim(self, request: ClaimRequest) -> Claimed: ...

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        """Commit outcomes with their items, children, files, counters and events, and make the
        next claim, in one transaction.
        """
        ...

    def progress(self, fence: Fence, progress: Any) -> Verdict: ...

    def checkpoint(
        self,
        fence: Fence,
        *,
        part: int,
        cursor: Any,
        items: Sequence[Item] = (),
        children: Sequence[Target] = (),
        files: Sequence[File] = (),
    ) -> Verdict:
        """Commit part number `part` and the cursor; the next part is `part` + 1."""
        ...

    def permits(
        self,
        fence: Fence,
        lane: str,
        count: int = 1,
        *,
        held: int | None = None,
        gives_up: bool = False,
        ahead_seconds: float = 0.0,
    ) -> Permits:
        """Leave for further requests on `lane`, at its pace; a stale fence gets none.

        A lease stands for one request in flight on its own lane. For others `held` is given: how
        many of them its worker has in flight on `lane` just now. What is granted adds to these
        until `in_flight` or the next question says otherwise. With `gives_up`, a task that finds
        the lane full no longer stands for a request on its own: two tasks that wait for each
        other's lane would wait forever. Where nothing but a pace holds it back, one request may be
        granted that starts within `ahead_seconds`: who asks for leave only when it is due may find
        it taken by claims, time and again.
        """
        ...

    def in_flight(self, worker_id: int, lane: str, n: int) -> None:
        """So many requests of the worker are in flight on the lane, beside those that its leases
        stand for.
        """
        ...

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        """Read back what became of finishes whose commit was uncertain."""
        ...


class Lanes(Protocol):
    """Lanes by default; with kind SCRAPER the same verbs hold for all of a scraper's work."""

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane: ...
    def find(self, *, limit: int = 100) -> list[Lane]:
        """Those with limits, a learned pace, a crawl delay, a pause, a cool-down or an open
        breaker, or with work in flight.
        """
        ...

    def limit(self, name: str, limits: Limits, kind: PacedKind = PacedKind.LANE) -> None: ...
    def pause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None: ...
    def unpause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        """Also ends a cool-down."""
        ...

    def cool(
        self, name: str, seconds: float, reason: str = "", kind: PacedKind = PacedKind.LANE
    ) -> None:
        """Start nothing for `seconds`; never shortens a cool-down."""
        ...

    def clear(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        """Forget limits, pause, cool-down, strikes, learned pace, crawl delay and open breakers."""
        ...

    def strike(
        self, name: str, *, retry_after_seconds: float | None, reason: str, curve: Curve
    ) -> float:
        """The site has asked us to go away: cool the lane for as long as it said, else by the
        curve; how many seconds until it opens.

        What comes while the lane is cooling is part of the same strike, and only a longer
        Retry-After lengthens it. A Retry-After that has passed says nothing.
        """
        ...

    def adapt(self, name: str, *, latency_seconds: float, failed: bool, policy: AutoPace) -> float:
        """Learn a lane's pace from a response; the interval it has now. What nobody renews for ten
        minutes is forgotten.
        """
        ...

    def crawl_delay(self, name: str, seconds: float | None) -> None:
        """The interval that the site's robots.txt asks for, None for no wish."""
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
        """Renew all leases of a worker; give back those it does not know of."""
        ...

    def retire(self, worker_id: int) -> int:
        """End a worker; what it still held goes back without a charge (how many)."""
        ...

    def get(self, worker_id: int) -> Worker: ...
    def find(self, *, live: bool = True, limit: int = 1_000) -> list[Worker]: ...
    def pause(self, worker_id: int) -> None: ...
    def unpause(self, worker_id: int) -> None: ...

    def sweep(self, dead: Collection[int] = ()) -> Swept:
        """Give back what lost workers held: those in `dead` (a reaped child, say), dead processes
        of this host, workers past their lease, and leases whose worker has no row. Also makes due
        tasks ready and does the store's small chores. Any worker may sweep, at any time.
        """
        ...

    def take_partitions(
        self, worker_id: int, run: str, names: Collection[str] | None = None, *, limit: int = 1
    ) -> list[str]:
        """Become the owner of unowned partitions: the named ones, else up to `limit` with the most
        waiting. All that the worker owns now.
        """
        ...

    def partitions(self, run: str) -> list[Partition]: ...


class Results(Protocol):
    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        """In commit order: what is read after a position never appears before it later."""
        ...

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]: ...

    def unlinked(self, *, after: Part = (0, 0), limit: int = 1_000) -> dict[Part, list[File]]:
        """Parts of tasks whose files are committed and have no friendly names yet."""
        ...

    def linked(self, parts: Collection[Part]) -> None:
        """The files of these parts have their names."""
        ...

    def has_file(self, sha256: str) -> bool:
        """Whether any run has a file with this content."""
        ...

    def errors(self, run: str, *, limit: int = 100) -> list[ErrorGroup]:
        """Groups of failures that look the same, the most frequent first."""
        ...


class Events(Protocol):
    def find(
        self,
        run: str,
        *,
        task_id: int | None = None,
        worker_id: int | None = None,
        after_id: int = 0,
        limit: int = 100,
    ) -> list[Event]: ...

    def started(self, fences: Collection[Fence]) -> None:
        """Log that attempts have begun, if the level asks for it."""
        ...


class Settings(Protocol):
    """The settings row: names and JSON values shared by everyone on this database."""

    def all(self) -> dict[str, Any]: ...
    def set(self, name: str, value: Any) -> None: ...
    def unset(self, name: str) -> None: ...
    def control_version(self) -> int:
        """Grows with every pause, cancel, limit and setting, so that workers can notice."""
        ...


class Upkeep(Protocol):
    def schema_version(self) -> int: ...
    def backup(self, path: Path) -> None:
        """A consistent copy, while others go on working. An existing file is never overwritten."""
        ...

    def stats(self) -> dict[str, Any]: ...
    def transactions(self) -> list[OpenTransaction]:
        """Those of others that have written or locked something here, the oldest first; none where
        the database does not know.
        """
        ...

    def pragmas(self) -> dict[str, Any]:
        """The database settings that matter here, as they are in force."""
        ...

    def checkpoint_wal(self) -> dict[str, Any]: ...
    def vacuum(self) -> dict[str, Any]: ...
    def check(self) -> list[str]:
        """What is wrong with the database or the queue's own invariants; empty when all is well."""
        ...

    def prune(self, *, runs_ended_before: datetime | None = None) -> dict[str, int]:
        """Delete old ended runs, events and kept pages past their retention, bodies without a page,
        robots.txt long out of date and rows of long-gone workers.
        """
        ...


class Hints(Protocol):
    """Wake-ups between processes. A hint may be lost: who waits must also look by himself."""

    def send(self) -> None: ...
    def wait(self, timeout_seconds: float) -> bool:
        """True when a hint came since the last wait."""
        ...


class Store(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def loads(self) -> Loads: ...
    @property
    def lanes(self) -> Lanes: ...
    @property
    def breakers(self) -> Breakers: ...
    @property
    def robots(self) -> Robots: ...
    @property
    def allowed_hosts(self) -> AllowedHosts: ...
    @property
    def pages(self) -> Pages: ...
    @property
    def workers(self) -> Workers: ...
    @property
    def results(self) -> Results: ...
    @property
    def events(self) -> Events: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def upkeep(self) -> Upkeep: ...
    @property
    def hints(self) -> Hints: ...

    def another(self) -> "Store":
        """A second store on the same database, with its own connection."""
        ...

    def close(self) -> None: ...
