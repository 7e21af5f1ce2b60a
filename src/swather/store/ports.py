"""The verbs of a store, one protocol per noun. Both databases implement all of them.

Verbs block and are atomic: each is one transaction, or (where it says so) several that can be
repeated safely. Threads that share a store take turns. What must not wait for its turn (the beat, a
dashboard) opens a store of its own.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from swather.model.lane import Lane, PacedKind
from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import File, Item, Outcome, Standing, Verdict
from swather.model.pacing import AutoPace, CoolDownCurve, Limits
from swather.model.results import ErrorExample, ErrorGroup, Part, StoredFile, StoredItem
from swather.model.run import Counts, Load, NewRun, Run, RunState
from swather.model.task import Event, Target, Task
from swather.model.task_filter import TaskFilter
from swather.model.transaction import OpenTransaction
from swather.model.vacuum import Vacuumed
from swather.model.waiting import Waiting
from swather.model.worker import Beat, NewWorker, Partition, Swept, Worker
from swather.store.batching import Row
from swather.store.outage import Outage
from swather.store.web_ports import AllowedHosts, Breakers, Pages, Robots

T = TypeVar("T")
Fence = tuple[int, int]

# A learned pace expires when it is not renewed for this long.
LEARNED_SECONDS: Final = 600.0


class Enqueued(NamedTuple):
    """How many targets were new, how many the run already had, and how many were dropped because
    the run was at its task limit.
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
        """Create a run; an existing name is refused, a missing one is generated."""
        ...

    def exclusively(self, work: Callable[[], T]) -> T:
        """Run `work` in one transaction, with no other call of `exclusively` at the same time: to
        create a run unless there is one. It may be repeated, and must not change anything outside.
        """
        ...

    def get(self, name: str) -> Run: ...
    def by_id(self, run_id: int) -> Run: ...
    def find(self, *, state: RunState | None = None, limit: int = 100) -> list[Run]:
        """Newest first."""
        ...

    def counts(self, name: str) -> Counts:
        """From the counter rows; costs the same for ten tasks and ten million."""
        ...

    def revise(self, name: str, *, version: str, lane_limits: Limits) -> Run:
        """Continue with another version of the scraper (its cursors are dropped) and other lane
        limits, from the next claim on.
        """
        ...

    def record(self, name: str, reserved: dict[str, Any]) -> Run:
        """Merge these members into Swather's own part of the run's params."""
        ...

    def pause(self, name: str) -> None: ...
    def unpause(self, name: str) -> None: ...
    def cancel(self, name: str) -> int:
        """Stop the run at once, then end its tasks in batches; how many were ended."""
        ...

    def settle(self, name: str) -> bool:
        """Finish the run if none of its tasks is ready, scheduled or leased and no producer is
        alive. True only for the call that finished it.
        """
        ...

    def remove(self, name: str) -> None:
        """Delete a run that is not open, with all that belongs to it."""
        ...


class Tasks(Protocol):
    def enqueue(
        self, run: str, targets: Iterable[Target | Row], *, batch_size: int = 10_000
    ) -> Enqueued:
        """Stream targets in, a transaction per batch; those that the run already has are skipped.

        A target that cannot be stored raises before its batch is written: earlier batches stay,
        nothing of this one does. Loading again is safe. A Row is a target that was already
        checked.
        """
        ...

    def get(self, task_id: int) -> Task: ...

    def find(self, which: TaskFilter, *, after_id: int = 0, limit: int = 100) -> list[Task]:
        """In order of id, beginning after `after_id`."""
        ...

    def count(self, which: TaskFilter) -> int:
        """How many tasks match; walks all that might."""
        ...

    def waiting(self, run: str) -> Waiting:
        """On which lanes tasks of the run wait, and for when; costs no more for ten million."""
        ...

    def cancel(self, which: TaskFilter) -> int:
        """End waiting and running tasks; a running attempt is fenced off at once."""
        ...

    def retry(self, which: TaskFilter, *, anew: bool = False) -> int:
        """Make ended tasks ready again with fresh budgets; the run reopens. With `anew`, failed
        tasks also start from the beginning, and new rows replace theirs.
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
        in_flight: int | None = None,
        gives_up: bool = False,
        ahead_seconds: float = 0.0,
    ) -> Permits:
        """Permits for further requests on `lane`, at its pace; a stale fence gets none.

        A lease covers one request in flight on its own lane. Others need `in_flight`: how many of
        them its worker has in flight on `lane` now. Granted permits are added to that number until
        `set_in_flight` or the next call says otherwise. With `gives_up`, a task that finds the lane
        full no longer counts as in flight on its own lane: two tasks that wait for each other's
        lane would wait forever. If only the pace holds it back, one request may be granted that
        starts within `ahead_seconds`: a caller that asks only when it is due may lose to claims
        every time.
        """
        ...

    def set_in_flight(self, worker_id: int, lane: str, n: int) -> None:
        """How many requests the worker has in flight on the lane, besides those that its leases
        cover.
        """
        ...

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        """Read back whether finishes with an uncertain commit were committed."""
        ...


class Lanes(Protocol):
    """Lanes by default; with kind SCRAPER the same verbs apply to all work of a scraper."""

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane: ...
    def find(self, *, limit: int = 100) -> list[Lane]:
        """Those with limits, a learned pace, a crawl delay, a pause, a cool-down or an open
        breaker, or with work in flight.
        """
        ...

    def names(self, kind: PacedKind = PacedKind.LANE, *, limit: int = 10_000) -> list[str]:
        """All that tasks or people have named, the newest first."""
        ...

    def is_known(self, name: str, kind: PacedKind = PacedKind.LANE) -> bool:
        """Whether a task or a person has ever named it."""
        ...

    def limit(
        self,
        name: str,
        limits: Limits,
        kind: PacedKind = PacedKind.LANE,
        *,
        overrides: bool = False,
    ) -> None:
        """Without `overrides`, the strictest of these and what scrapers ask for applies. With it,
        these replace what scrapers ask for, slower or faster: the rate if they have one, the number
        in flight if they have one.
        """
        ...

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
        self, name: str, *, retry_after_seconds: float | None, reason: str, curve: CoolDownCurve
    ) -> float:
        """The site has asked us to go away: cool the lane for as long as it said, else by the
        curve; how many seconds until it opens.

        While the lane cools, further calls are part of the same strike, and only a longer
        Retry-After lengthens it. A Retry-After in the past is ignored.
        """
        ...

    def adapt(self, name: str, *, latency_seconds: float, failed: bool, policy: AutoPace) -> float:
        """Learn a lane's pace from a response; returns its new interval. It expires when it is not
        renewed for ten minutes.
        """
        ...

    def set_crawl_delay(self, name: str, seconds: float | None) -> None:
        """Set the interval that the site's robots.txt asks for; None if it asks for none."""
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
        """Take over unowned partitions: the named ones, else up to `limit` with the most waiting
        tasks. Returns all that the worker owns now.
        """
        ...

    def partitions(self, run: str) -> list[Partition]: ...


class Results(Protocol):
    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        """In commit order: what is read after a position never appears before it later."""
        ...

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        """Items of tasks that were tried again and failed; they are not among `items`."""
        ...

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]: ...

    def unlinked(self, *, after: Part = (0, 0), limit: int = 1_000) -> dict[Part, list[File]]:
        """Parts of tasks whose files are committed and have no friendly names yet."""
        ...

    def mark_linked(self, parts: Collection[Part]) -> None:
        """Record that the files of these parts have their names."""
        ...

    def has_file(self, sha256: str) -> bool:
        """Whether any run has a file with this content."""
        ...

    def errors(self, run: str, *, limit: int = 100) -> list[ErrorGroup]:
        """Groups of failures that look the same, the most frequent first."""
        ...

    def errors_like(self, run: str, prefix: str, *, limit: int = 10) -> list[ErrorGroup]:
        """Groups whose fingerprint begins so, the most frequent first."""
        ...

    def error_example(self, group: ErrorGroup) -> ErrorExample:
        """The concrete message that most tasks of the group had last, of its newest 1,000 tasks."""
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

    def log_started(self, fences: Collection[Fence]) -> None:
        """Log that attempts have begun, if the level asks for it."""
        ...


class Settings(Protocol):
    """The settings row: names and JSON values shared by everyone on this database."""

    def all(self) -> dict[str, Any]: ...
    def set(self, name: str, value: Any) -> None: ...
    def unset(self, name: str) -> None: ...
    def control_version(self) -> int:
        """Grows with every pause, cancel, limit and setting, so that workers notice."""
        ...


class Upkeep(Protocol):
    def schema_version(self) -> int: ...
    def backup(self, path: Path) -> None:
        """A consistent copy, made while others work. An existing file is never overwritten."""
        ...

    def stats(self) -> dict[str, Any]: ...
    def transactions(self) -> list[OpenTransaction]:
        """Open transactions of others that have written or locked something here, the oldest first;
        none where the database cannot say.
        """
        ...

    def pragmas(self) -> dict[str, Any]:
        """The database settings that matter to Swather, with their current values."""
        ...

    def checkpoint_wal(self) -> dict[str, Any]: ...
    def vacuum(self, *, full: bool = False) -> Iterator[Vacuumed]:
        """Give back the space of deleted rows and refresh the planner's statistics, a table at a
        time; SQLite has one file. PostgreSQL keeps the space for new rows, unless `full`: then it
        rewrites each table, and others wait for that one meanwhile.
        """
        ...

    def check(self) -> list[str]:
        """What is wrong with the database or the queue's own invariants; empty when all is well."""
        ...

    def prune(self, *, runs_ended_before: datetime | None = None) -> dict[str, int]:
        """Delete old ended runs, events and stored pages past their retention, bodies without a
        page, robots.txt long out of date and rows of long-gone workers.
        """
        ...

    def drop_expired(self) -> str | None:
        """Delete a batch of tasks of a run that ended more than `keep_runs_days` ago, in the end
        the run itself. Returns its name; None when no run has expired.
        """
        ...


class Hints(Protocol):
    """Wake-ups between processes. A hint may be lost: waiters must also poll."""

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
    @property
    def outage(self) -> Outage: ...

    def another(self) -> "Store":
        """A second store on the same database, with its own connection."""
        ...

    def close(self) -> None: ...
